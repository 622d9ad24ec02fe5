"""Approval processes, and what was submitted to them (row 27): reviews of quotes, and large deals in the past."""

from datetime import datetime, timedelta
from typing import Any, Final

from deskgym_apps.crm.rules_views import Filter, normal_form
from deskgym_apps.kit.call import canonical_json

from ..localtime import instant_text
from ..organisation import Setting
from .deals import Deal
from .ledger import Ids, Record, Row

_LATE: Final = ["Proposal/Price Quote", "Negotiation/Review"]
# Object, name, active, criteria, who approves, their post, what is set on approval, on rejection
_PROCESSES: Final = (
    ("quote", "Quote review", 1, (("status", "picklist", "equals", "Needs Review"),), "leader", None, None, None),
    ("opportunity", "Large deals", 1,
     (("amount", "money", "gte", "20000"), ("stage", "picklist", "in", _LATE)), "manager", None,
     ("next_step", "Approved: send the contract"), ("next_step", "Not approved: revise the offer")),
    ("case", "Returns above policy", 1,
     (("type", "picklist", "equals", "Returns"), ("priority", "picklist", "equals", "High")), "user", "lab",
     None, None),
    ("lead", "Leads of named accounts", 0, (("rating", "picklist", "equals", "Hot"),), "user", "ops", None, None),
)  # fmt: skip
_DECIDED_PER_MILLE: Final = 260
_LARGE: Final = 2_000_000  # minor units of a currency with two decimals
_WORDS: Final = ("Volume and margin are as agreed.", "Delivery dates were checked with the plant.", None, None,
                 "Legal has seen the terms.")  # fmt: skip
_ANSWERS: Final = {
    "Approved": (None, "Fine with me.", "Good. Please keep the margin."),
    "Rejected": ("The margin is too thin.", "Delivery cannot be promised."),
    "Recalled": (None, "The customer changed the quantities."),
}


class ApprovalMaker:
    """Makes processes and requests: `rows` by table."""

    def __init__(self, setting: Setting, ids: Ids) -> None:
        self._setting, self._ids = setting, ids
        self.processes = [self._process(*given) for given in _PROCESSES]
        self._requests: list[tuple[datetime, Row]] = []

    def _process(self, thing: str, name: str, active: int, criteria: Any, kind: str, post: str | None,
                 approve: tuple[str, str] | None, reject: tuple[str, str] | None) -> Row:  # fmt: skip
        filters = [Filter(*part) for part in criteria]
        asked = [{"field": one.field, "type": one.type, "op": one.op, "value": one.value} for one in filters]
        return {
            "id": self._ids.new("crm_approval_process"), "object": thing, "name": name, "is_active": active,
            "criteria": canonical_json(asked), "conditions": normal_form(filters, None, "all"), "approver_kind": kind,
            "approver_id": self._setting.staff[post].id if post else None,
            "approve_field": approve[0] if approve else None, "approve_value": approve[1] if approve else None,
            "reject_field": reject[0] if reject else None, "reject_value": reject[1] if reject else None,
        }  # fmt: skip

    def of_quotes(self, quotes: list[Record]) -> None:
        """A request for each time a quote went into review, with its answer."""
        for quote in quotes:
            steps = [(save.at, save.by, save.values["status"]) for save in quote.saves if "status" in save.values]
            steps.sort(key=lambda step: step[0])
            for at, (moment, by, status) in enumerate(steps):
                if status == "In Review":
                    answer = steps[at + 1] if at + 1 < len(steps) else None
                    word = ("Recalled" if answer[2] == "Draft" else str(answer[2])) if answer else "Pending"
                    end = (answer[0], answer[1], None) if answer else None
                    self._request(self.processes[0], quote, moment, by, word, end, None)

    def of_deals(self, deals: list[Deal]) -> None:
        """Large deals of the past that a manager had to approve; what was rejected or recalled came again."""
        process = self.processes[1]
        managers = {employee.id: post for post, employee in self._setting.staff.items()}
        for deal in deals:
            stream = self._setting.stream("crm_approval_request", deal.record.id)
            entered = [step.at for step in deal.steps if step.stage == _LATE[0]]
            values = deal.record.current
            if not entered or values["currency"] not in ("USD", "EUR", "GBP") or (values["amount"] or 0) < _LARGE:
                continue
            owner = deal.owner_at(entered[0])
            end = self._setting.now if deal.is_open else deal.steps[-1].at
            at = entered[0] + timedelta(hours=stream.uniform_int(1, 20), minutes=stream.uniform_int(0, 59))
            if not stream.chance(_DECIDED_PER_MILLE) or at + timedelta(days=4) >= end:
                continue
            above = self._manager(managers[owner.id])
            word = stream.weighted([("Approved", 70), ("Rejected", 15), ("Recalled", 15)])
            decided = at + timedelta(hours=stream.uniform_int(2, 60), minutes=stream.uniform_int(1, 59))
            by = owner.id if word == "Recalled" else above
            said = stream.choice(_ANSWERS[str(word)])
            self._request(
                process, deal.record, at, str(owner.id), str(word), (decided, by, said), stream.choice(_WORDS), above
            )

    def _manager(self, post: str) -> str:
        regions = {"AMER": "vp_amer", "EMEA": "vp_emea", "APAC": "ae_apac"}
        key = regions[self._setting.staff[post].region]
        return self._setting.staff["cro" if post in ("vp_amer", "vp_emea", "ae_apac", "cro") else key].id

    def _request(self, process: Row, record: Record, at: datetime, by: str, status: str,
                 end: tuple[datetime, str, str | None] | None, words: str | None,
                 approver: str | None = None) -> None:  # fmt: skip
        self._requests.append((at, {
            "process_id": process["id"], "object": process["object"], "record_id": record.id, "status": status,
            "approver_kind": process["approver_kind"], "approver_id": approver, "request_comment": words,
            "submitted_at": instant_text(at), "submitted_by": by, "is_decided": int(end is not None),
            "decided_at": instant_text(end[0]) if end else None, "decided_by": end[1] if end else None,
            "comment": end[2] if end else None,
        }))  # fmt: skip

    def rows(self) -> dict[str, list[Row]]:
        """Processes, and requests in the order of their submission."""
        order = sorted(self._requests, key=lambda item: (item[0], self._ids.order(item[1]["record_id"])))
        requests = [{"id": self._ids.new("crm_approval_request")} | row for _, row in order]
        return {"crm_approval_process": self.processes, "crm_approval_request": requests}
