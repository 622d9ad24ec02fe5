"""Contacts: people at accounts, with rank, reporting line, mail by the company's pattern, and the usual mess."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Final

from ..companies import Company
from ..organisation import Employee, Setting
from ..people import PERSONAL_DOMAINS, Person, company_mail, draw_person, personal_mail
from ..places import Address, address, mobile, telephone
from ..streams import Stream
from ..tables import sections
from .accounts import Account
from .ledger import Ids, Oracle, Record, Row
from .reference import PICKLISTS
from .territories import Territories, moment_after, moment_on

_ROLES: Final = {
    "Management": "Decision Maker", "Engineering": "Technical Buyer", "Maintenance": "Business User",
    "Production": "Business User",
    "Purchasing": "Economic Buyer", "Quality": "Evaluator", "Finance": "Influencer", "Safety": "Influencer",
}  # fmt: skip
_PERSONAL_PER_MILLE: Final = 60
_PHONELESS_PER_MILLE: Final = 85
_SOURCES: Final = tuple(zip(PICKLISTS["contact", "lead_source"], (24, 12, 11, 17, 22, 8, 6), strict=True))


class ContactMaker:
    """Makes the contacts; ``people`` maps a contact's id to the person behind it."""

    def __init__(self, setting: Setting, ids: Ids, territories: Territories, oracle: Oracle) -> None:
        self._setting, self._ids, self._territories, self._oracle = setting, ids, territories, oracle
        self._mails: set[str] = set()
        self.contacts: list[Record] = []
        self.people: dict[str, Person] = {}
        self.links: list[Row] = []
        self._personal: set[int] = set()
        self._phoneless: set[int] = set()

    def make(self, accounts: list[Account]) -> list[Record]:
        """Every contact: at least one at most accounts, the rest by Zipf's law."""
        stream = self._setting.stream("crm_contact", "spread")
        total = self._setting.scale.contacts
        self._personal = set(stream.sample(range(total), total * _PERSONAL_PER_MILLE // 1000))
        self._phoneless = set(stream.sample(range(total), total * _PHONELESS_PER_MILLE // 1000))
        ranked = sorted(accounts, key=lambda account: (-account.appeal, self._setting.order(account.record.id)))
        counts = Counter(account.record.id for account in accounts if account.appeal > 30 or stream.chance(500))
        while counts.total() < total:
            chosen = ranked[stream.zipf(len(ranked), 620) - 1]
            if counts[chosen.record.id] < 14:
                counts[chosen.record.id] += 1
        for account in accounts:
            for number in range(counts[account.record.id]):
                self._add(account, number)
        self._mix_up(accounts)
        return self.contacts

    def _add(self, account: Account, number: int) -> None:
        stream = self._setting.stream("crm_contact", account.record.id, number)
        person = draw_person(stream, account.place.country)
        created_at, creator = self._arrival(account, number, stream)
        values = self._values(account, person, number, stream) | {"owner_id": account.owner_at(created_at).id}
        record = Record("contact", self._ids.new("crm_contact"), created_at, creator.id, values)
        for start, owner in account.owners[1:]:
            if start > created_at:
                record.save(start, self._territories.superior(owner).id, owner_id=owner.id)
        if account.stale:
            handling = "give to the account manager of the territory"
            self._oracle.note("stale_owner", "crm_contact", record.id, handling=handling)
        self._edit(account, record, person, stream)
        account.contacts.append(record)
        self.contacts.append(record)
        self.people[record.id] = person
        role = _ROLES[values["department"]] if stream.chance(600) else None
        self.links.append({"account_id": account.record.id, "contact_id": record.id, "role": role, "is_direct": 1})

    def _values(self, account: Account, person: Person, number: int, stream: Stream) -> Row:
        department, title = draw_position(number, stream)
        boss = account.contacts[0] if account.contacts and stream.chance(560) else None
        reachable = number == 0
        return {
            "salutation": _salutation(person, stream),
            "first_name": person.first,
            "last_name": person.last,
            "account_id": account.record.id,
            "reports_to_id": boss.id if boss else None,
            "title": title,
            "department": department,
            "email": self._mail(person, account.company, stream),
            "phone": None if len(self.contacts) in self._phoneless else telephone(account.place, stream),
            "mobile": mobile(account.place, stream) if stream.chance(540) else None,
            **_mailing(account.seat if stream.chance(800) else address(account.place, stream), stream),
            "do_not_call": int(stream.chance(40) and not reachable),
            "email_opt_out": int(stream.chance(55) and not reachable),
            "lead_source": stream.weighted(_SOURCES) if stream.chance(850) else None,
        }

    def _arrival(self, account: Account, number: int, stream: Stream) -> tuple[datetime, Employee]:
        opened = account.record.created_at
        if number == 0 or (number < 4 and stream.chance(550)):
            creator = self._by_id(account.record.created_by)
            minutes = timedelta(minutes=stream.uniform_int(2, 18) + 19 * number, seconds=stream.uniform_int(0, 59))
            return opened + minutes, creator
        span = max(2, (self._setting.now - opened).days - 1)
        day = opened.date() + timedelta(days=stream.uniform_int(1, span))
        creator = (
            account.owner_at(datetime(day.year, day.month, day.day)) if day > opened.date() else account.owners[0][1]
        )
        at = moment_on(creator, day, stream)
        if (creator.left_on and at.date() >= creator.left_on) or at <= opened or at >= self._setting.now:
            creator = self._setting.staff["ops"]
            at = moment_after(creator, opened, 1, stream)
            if at >= self._setting.now:
                return opened + timedelta(minutes=25 + number), self._by_id(account.record.created_by)
        return at, creator

    def _by_id(self, person_id: str) -> Employee:
        return next(one for one in self._setting.staff.values() if one.id == person_id)

    def _mail(self, person: Person, company: Company, stream: Stream) -> str | None:
        if stream.chance(30):
            return None
        if len(self.contacts) in self._personal:
            return personal_mail(person, stream, self._mails)
        return company_mail(person, company.mail_pattern, company.domain, self._mails)

    def _edit(self, account: Account, record: Record, person: Person, stream: Stream) -> None:
        for _ in range(stream.weighted([(0, 62), (1, 30), (2, 8)])):
            owner = account.owners[-1][1] if not account.stale else self._setting.staff["ops"]
            at = moment_after(owner, max(record.created_at, account.owners[-1][0]), stream.uniform_int(1, 320), stream)
            if at >= self._setting.now - timedelta(hours=20):
                return
            kind = stream.weighted([("mobile", 40), ("phone", 28), ("title", 20), ("email", 12)])
            if kind == "mobile":
                record.save(at, owner.id, mobile=mobile(account.place, stream))
            elif kind == "phone":
                record.save(at, owner.id, phone=telephone(account.place, stream))
            elif kind == "title":
                department, title = draw_position(2, stream)
                record.save(at, owner.id, title=title, department=department)
            elif record.values["email"] and record.values["email"].split("@")[1] in PERSONAL_DOMAINS:
                mail = company_mail(person, account.company.mail_pattern, account.company.domain, self._mails)
                record.save(at, owner.id, email=mail)

    def _mix_up(self, accounts: list[Account]) -> None:
        stream = self._setting.stream("crm_contact", "mess")
        pool = [record for record in stream.shuffle(self.contacts) if record.values["reports_to_id"] is None]
        pool += [record for record in self.contacts if record not in pool]
        count = len(self.contacts)
        for record in pool[: max(1, count // 100)]:
            _shout(record)
            self._oracle.note("all_caps_name", "crm_contact", record.id, handling="correct only when asked")
        for record in pool[10 : 10 + max(1, count // 100)]:
            record.values["last_name"] += " "
            self._oracle.note("trailing_space", "crm_contact", record.id, handling="the space is no part of the name")
        by_id = {account.record.id: account for account in accounts}
        for record in pool[20 : 20 + max(1, count // 200)]:
            record.values["last_name"] = (
                f"{record.values['last_name']} ({by_id[record.values['account_id']].company.brand})"
            )
            self._oracle.note("company_in_name", "crm_contact", record.id, handling="correct only when asked")
        self._free_phones(stream, by_id)
        self._namesakes(stream, by_id)
        self._second_links(stream, accounts)

    def _free_phones(self, stream: Stream, accounts: dict[str, Account]) -> None:
        phoned = [
            one for one in self.contacts if one.values["phone"] and not any("phone" in s.values for s in one.saves)
        ]
        for record in stream.sample(phoned, len(self.contacts) // 20):
            code = accounts[record.values["account_id"]].place.country.calling_code
            record.values["phone"] = handwritten(record.values["phone"], code, stream)
            self._oracle.note("free_text_phone", "crm_contact", record.id, handling="store as E.164 when edited")

    def _namesakes(self, stream: Stream, accounts: dict[str, Account]) -> None:
        settled = [one for one in self.contacts if not one.saves and one.values["email"]]
        spoilt = self._oracle.keys("all_caps_name") | self._oracle.keys("company_in_name")
        settled = [one for one in settled if one.id not in spoilt]
        used: set[str] = set()
        for first in stream.sample(settled, max(4, len(self.contacts) // 60)):
            if first.id in used:
                continue
            person = self.people[first.id]
            culture = self.people[first.id].culture
            others = [one for one in settled if one.values["account_id"] != first.values["account_id"]
                      and self.people[one.id].culture == culture and self.people[one.id].name != person.name
                      and one.values["salutation"] == first.values["salutation"] and one.id not in used]  # fmt: skip
            if not others:
                continue
            second = stream.choice(others)
            used |= {first.id, second.id}
            company = accounts[second.values["account_id"]].company
            self.people[second.id] = person
            mail = company_mail(person, company.mail_pattern, company.domain, self._mails)
            second.values |= {"first_name": person.first, "last_name": person.last, "email": mail}
            self._oracle.note("namesake", "crm_contact", second.id, of=first.id,
                              handling="two people; tell them apart by account")  # fmt: skip

    def _second_links(self, stream: Stream, accounts: list[Account]) -> None:
        by_id = {account.record.id: account for account in accounts}
        taken = {(link["account_id"], link["contact_id"]) for link in self.links}
        for record in self.contacts:
            parent = by_id[record.values["account_id"]].record.values["parent_id"]
            other = parent if parent and stream.chance(350) else None
            if other is None and stream.chance(40):
                other = stream.choice(accounts).record.id
            if other and (other, record.id) not in taken:
                role = "Other" if other != parent else "Influencer"
                self.links.append({"account_id": other, "contact_id": record.id, "role": role, "is_direct": 0})


def draw_position(number: int, stream: Stream) -> tuple[str, str]:
    """Department and title of the ``number``-th contact of an account; the first ones rank higher."""
    rank = "head" if number == 0 and stream.chance(250) else "lead" if number < 2 or stream.chance(250) else "staff"
    body = sections("titles.txt")[rank]
    weights = {"Engineering": 30, "Maintenance": 26, "Production": 14, "Purchasing": 18, "Quality": 10,
               "Finance": 3, "Safety": 4, "Management": 10}  # fmt: skip
    line = stream.weighted([(line, weights[line.split(":")[0]]) for line in body])
    department, titles = line.split(":", 1)
    return department, stream.choice([title.strip() for title in titles.split(",")])


def _salutation(person: Person, stream: Stream) -> str | None:
    usual = "Ms." if person.is_woman else "Mr."
    return stream.weighted([(usual, 66), ("Dr.", 5), (None, 29)])


def _mailing(seat: Address, stream: Stream) -> Row:
    if stream.chance(380):
        return {}
    return {
        "mail_street": seat.street, "mail_city": seat.city, "mail_state": seat.state,
        "mail_postcode": seat.postcode, "mail_country": seat.country,
    }  # fmt: skip


def _shout(record: Record) -> None:
    record.values["first_name"] = record.values["first_name"].upper()
    record.values["last_name"] = record.values["last_name"].upper()


def handwritten(phone: str, code: str, stream: Stream) -> str:
    """A number as people type it, not as it is stored."""
    area, rest = phone.removeprefix(f"+{code}")[:3], phone.removeprefix(f"+{code}")[3:]
    shapes = (
        f"00{code} {area} {rest}",
        f"+{code} ({area}) {rest[:3]}-{rest[3:]}",
        f"{area}.{rest[:3]}.{rest[3:]}",
        f"+{code} {area} {rest} ext. {stream.uniform_int(10, 499)}",
        f"{area}/{rest}",
    )
    return stream.choice(shapes)
