"""One save in progress: what was there, what was given, what will stand; faults are gathered, then raised together.

`Change.check_fields` does what the widgets of the input model say: picklists, lookups, money, e-mail (CRM-9 e),
telephone (CRM-9 f), web addresses, owners (I7). Each kind of record adds its own rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from ...kit.call import Context
from ...kit.errors import FieldError, Forbidden, Invalid, nearest
from ...kit.money import parse_money, plain_amount
from ...kit.norm import digits, norm
from ...kit.roles import Row
from ..rules import purge_line
from . import phones
from .access import User
from .inputs import label, required, widgets
from .kinds import KINDS, SEVERAL, Kind, kind_of

_EMAIL = re.compile(r"[^@\s,;<>\"]+@[^@\s,;<>\"]+\.[^@\s,;<>\".]+")
_URL = re.compile(r"(https?://)?[a-z0-9\-]+(\.[a-z0-9\-]+)+(:\d+)?(/\S*)?", re.I)
MAX_EMAIL = 254


class Change:
    """`before` is the row or None for a new record, `given` the input by field, `after` the columns to be."""

    def __init__(
        self, user: User, kind: Kind, model: type[BaseModel], given: Mapping[str, Any], before: Row | None
    ) -> None:
        self.user = user
        self.kind = kind
        self.model = model
        self.given = dict(given)
        self.before = before
        self.faults: list[FieldError] = []
        columns = user.ctx.store.shapes[kind.table]
        start = before or {name: columns.defaults.get(name) for name in columns.columns}
        self.after: dict[str, Any] = {name: start[name] for name in columns.columns}
        self._refuse_locked_fields()

    @property
    def ctx(self) -> Context:
        return self.user.ctx

    @property
    def is_new(self) -> bool:
        return self.before is None

    def was(self, column: str) -> Any:
        """The value before, None for a new record."""
        return None if self.before is None else self.before[column]

    def moved(self, *columns: str) -> bool:
        """Whether one of the columns will hold another value than before; of a new record, any value."""
        return any(self.after[name] != self.was(name) for name in columns)

    def leads_back(self, column: str) -> bool:
        """Whether following a column from record to record of this kind comes to a record twice (I6)."""
        seen = set() if self.is_new else {self.after["id"]}
        above = self.after[column]
        while above is not None and above not in seen:
            seen.add(above)
            row = self.ctx.store.get(self.kind.table, above)
            above = None if row is None else row[column]
        return above is not None

    def refuse(self, field: str | None, message: str, allowed: Sequence[str] = (), said: str = "") -> None:
        """Note a fault; `raise_faults` raises them together. `said`: what is read beside the field, where other."""
        self.faults.append(FieldError(field, message, tuple(allowed), said))

    def raise_faults(self) -> None:
        """Raises Invalid where a fault was noted."""
        if self.faults:
            raise Invalid(self.faults)

    def columns(self) -> dict[str, Any]:
        """The columns that change, with their new values; of a new record, all that hold something."""
        return {name: value for name, value in self.after.items() if value != self.was(name)}

    def _refuse_locked_fields(self) -> None:
        hidden, locked = self.user.hidden(self.kind.name), self.user.locked(self.kind.name)
        unknown = [name for name in self.given if name in hidden]
        if unknown:
            raise Invalid(f'there is no field "{unknown[0]}"', field=unknown[0])
        kept = [name for name in self.given if name in locked]
        if kept:
            raise Forbidden(f"your profile may read {self._label(kept[0])} but not set it", field=kept[0])

    def _label(self, name: str) -> str:
        return label(self.model, name)

    def check_fields(self) -> None:
        """Take over what was given, field by field, in the order of the form (the currency first)."""
        needed = required(self.model)
        known = widgets(self.model)
        for name in sorted(self.given, key=lambda field: (field != "currency", list(known).index(field))):
            value = self.given[name]
            if value is None:
                self._clear(name, needed)
                continue
            check = getattr(self, f"_take_{known[name]['kind']}", None)
            if check is not None:
                check(name, value, known[name])
            elif name in self.after:
                self.after[name] = value
        self.derive_text()

    def _clear(self, name: str, needed: frozenset[str]) -> None:
        shape = self.ctx.store.shapes[self.kind.table]
        if name in needed or (name in shape.not_null and not self.is_new):
            self.refuse(name, f"{self._label(name)} cannot be empty")
        elif name in self.after and not self.is_new:
            self.after[name] = None

    def _take_picklist(self, name: str, value: str, details: Mapping[str, Any]) -> None:
        self.after[name] = value
        if not self.moved(name):
            return
        values = picklist_values(self.ctx, details["object"], details["field"])
        if value not in values:
            message = f'{self._label(name)} is "{value}"; it must be one of {", ".join(values)}'
            self.refuse(name, message + "." + nearest(value, values), values)

    def _take_lookup(self, name: str, value: str, details: Mapping[str, Any]) -> None:
        self.after[name] = value
        if not self.moved(name):
            return
        target = details["object"]
        if target in ("user", "owner"):
            if target == "owner" and kind_of(value).name == "queue":
                self._check_queue(name, value)
            else:
                self.check_owner(name, value)
            return
        targets = [KINDS[kind] for kind in (SEVERAL[target] if target in ("what", "who") else (target,))]
        if any(is_readable(self.user, kind, value) for kind in targets):
            return
        bins = [kind for kind in targets if kind.is_record]
        gone = next((who for kind in bins if (who := deleted_by(self.user, kind, value))), None)
        if gone is not None:
            said = f"{gone}; restore it from the recycle bin or choose another record"
            self.refuse(name, f"{self._label(name)}: {gone}", said=said)
            return
        words = _or([kind.label.lower() for kind in targets])
        message = f'{self._label(name)}: there is no {words} "{value}"'
        self.refuse(name, message, said=f"this {words} does not exist, or you may not see it; choose another")

    def check_owner(self, name: str, person_id: str) -> None:
        """I7: an active user. Notes a fault otherwise."""
        sql = "SELECT is_active FROM crm_user WHERE person_id = ?"
        row = self.ctx.store.one(sql, (person_id,))
        if row is None:
            said = "there is no such user; choose another"
            self.refuse(name, f'{self._label(name)}: there is no user "{person_id}"', said=said)
        elif not row["is_active"]:
            self.refuse(name, f"{self._label(name)}: this user is not active and can own nothing new")

    def _check_queue(self, name: str, queue_id: str) -> None:
        """I7: a queue that holds this kind of record."""
        row = self.ctx.store.get("crm_group", queue_id)
        if row is None or row["queue_object"] != self.kind.name:
            said = f"there is no such queue of {self.kind.plural.lower()}; choose another"
            self.refuse(name, f'{self._label(name)}: there is no queue "{queue_id}"', said=said)

    def _take_money(self, name: str, value: str, _details: Mapping[str, Any]) -> None:
        currency = self.after["currency"]
        try:
            minor = parse_money(value, currency)
        except ValueError as error:
            self.refuse(name, f"{self._label(name)}: {error}")
            return
        if minor < 0:
            self.refuse(name, f"{self._label(name)} cannot be negative, not {value}")
        self.after[name] = minor

    def _take_currency(self, name: str, value: str, _details: Mapping[str, Any]) -> None:
        known = currencies(self.ctx)
        if value not in known:
            self.refuse(name, f'there is no currency "{value}"; it must be one of {", ".join(known)}', known)
            return
        self.after[name] = value

    def _take_email(self, name: str, value: str, _details: Mapping[str, Any]) -> None:
        self.after[name] = value
        if self.moved(name) and not (_EMAIL.fullmatch(value) and len(value) <= MAX_EMAIL):
            rule = f"it needs one @, a dot in the domain, and at most {MAX_EMAIL} characters"
            self.refuse(name, f'{self._label(name)} is "{value[:80]}"; {rule}')

    def _take_phone(self, name: str, value: str, _details: Mapping[str, Any]) -> None:
        if value == self.was(name):
            return
        try:
            self.after[name] = phones.to_e164(value, self.home_country())
        except ValueError as error:
            self.refuse(name, f"{self._label(name)}: {error}")

    def _take_url(self, name: str, value: str, _details: Mapping[str, Any]) -> None:
        self.after[name] = value
        if self.moved(name) and not _URL.fullmatch(value):
            self.refuse(name, f'{self._label(name)} is "{value[:80]}"; write it like www.example.com')

    def _take_checkbox(self, name: str, value: bool, _details: Mapping[str, Any]) -> None:
        self.after[name] = int(value)

    def home_country(self) -> str | None:
        """The country whose numbers may be written without their code: the record's, else the person's."""
        given = self.after | self.given
        for column in ("bill_country", "mail_country", "ship_country", "country"):
            code = phones.country_code(given.get(column))
            if code is not None:
                return code
        return phones.country_code(self.ctx.person["locale"])

    def keep_amount(self, column: str) -> None:
        """After a change of currency, keep a money column's number in the new currency's minor units."""
        minor = self.after[column]
        if self.before is None or minor is None or column in self.given or not self.moved("currency"):
            return
        try:
            self.after[column] = parse_money(plain_amount(minor, self.before["currency"]), self.after["currency"])
        except ValueError as error:
            self.refuse(column, f"{self._label(column)} must be given anew: {error}")

    def derive_text(self) -> None:
        """Set the columns that texts are sorted and matched by: `*_norm` and `*_digits`."""
        for name in self.after:
            source, _, sort = name.rpartition("_")
            if sort in ("norm", "digits") and source in self.after:
                value = self.after[source]
                self.after[name] = None if value is None else (norm if sort == "norm" else digits)(value)


def _or(words: Sequence[str]) -> str:
    """`a, b or c`."""
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def picklist_values(ctx: Context, thing: str, field: str) -> tuple[str, ...]:
    """The values people may choose, in order."""
    sql = "SELECT value FROM crm_picklist WHERE object = ? AND field = ? AND is_active = 1 ORDER BY sort, value"
    return tuple(row["value"] for row in ctx.store.all(sql, (thing, field)))


def picklist_default(ctx: Context, thing: str, field: str) -> str | None:
    """The value a new record begins with, or None."""
    sql = "SELECT value FROM crm_picklist WHERE object = ? AND field = ? AND is_active = 1 AND is_default = 1"
    row = ctx.store.one(sql + " ORDER BY sort, value", (thing, field))
    return None if row is None else str(row["value"])


def currencies(ctx: Context) -> tuple[str, ...]:
    """Codes of the world's currencies."""
    return tuple(row["code"] for row in ctx.store.all("SELECT code FROM org_currency ORDER BY code"))


def is_readable(user: User, kind: Kind, record_id: str) -> bool:
    """Whether a live record of that kind and id exists that the person may read and that lists show."""
    is_live = "t.is_deleted = 0" if kind.is_record else "1"
    is_live += f" AND {kind.listed_sql.format(t='t')}" if kind.listed_sql else ""
    sql = f"SELECT 1 FROM {kind.table} t WHERE t.id = :id AND {is_live} AND {user.visible(kind.name, 't')}"
    return user.ctx.store.one(sql, user.params | {"id": record_id}) is not None


def deleted_by(user: User, kind: Kind, record_id: str) -> str | None:
    """Who deleted a record that the person could read, in words; None where it is not in the recycle bin."""
    if not kind.is_record:
        return None
    sql = (
        f"SELECT {kind.name_sql.format(t='t')} AS name, p.name AS who FROM {kind.table} t "
        f"JOIN org_person p ON p.id = t.deleted_by WHERE t.id = :id AND t.is_deleted = 1 "
        f"AND t.deleted_at > :line AND {user.visible(kind.name, 't')}"
    )
    row = user.ctx.store.one(sql, user.params | {"id": record_id, "line": purge_line(user.ctx.now)})
    return None if row is None else f"{row['name']} was deleted by {row['who']}"
