"""Leads: somebody shows interest, is worked on, and is put off, given up or converted (CRM-2).

Converted leads are drawn from contacts that exist: the lead came some days before the contact. The others are new
people, at companies nobody knows, at customers, or at companies that only sound like one.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from deskgym_apps.crm.rules_leads import company_key

from ..companies import Company, draw_company, draw_stem, industries, legal_forms
from ..localtime import instant_text
from ..organisation import CORPORATE_CURRENCY, CURRENCIES, Employee, Setting
from ..people import Person, company_mail, draw_person, personal_mail
from ..places import Address, Place, address, draw_place, mobile, telephone
from ..streams import Stream
from .accounts import Account, draw_revenue
from .contacts import ContactMaker, draw_position, handwritten
from .deals import Deal
from .ledger import Ids, Oracle, Record, Row
from .reference import PICKLISTS
from .territories import Territories, moment_after, moment_on

_SOURCES: Final = tuple(zip(PICKLISTS["lead", "lead_source"], (30, 10, 9, 8, 26, 13, 4), strict=True))
_BY_HAND: Final = ("Phone Inquiry", "Customer Referral", "Other")  # the owner writes these down
_CONVERTED_PER_MILLE: Final = 270
_DEALS_PER_MILLE: Final = 420  # of the converted leads
_FATES: Final = (("Open - Not Contacted", 36), ("Working - Contacted", 34), ("Nurturing", 13), ("Unqualified", 17))
_KINDS: Final = (("stranger", 62), ("customer", 24), ("lookalike", 9), ("known", 5))
_SPAN_DAYS: Final = {"Open - Not Contacted": 45, "Working - Contacted": 110, "Nurturing": 240, "Unqualified": 240}


@dataclass(frozen=True, slots=True)
class _End:
    """What a lead became, when, and through whom."""

    at: datetime
    by: str
    account: Account
    contact: Record
    deal_id: str | None


@dataclass(slots=True)
class Prospect:
    """A lead in the making, with the person and company behind it."""

    record: Record
    person: Person
    company: Company
    owner: Employee
    fate: str

    @property
    def zone(self) -> str:
        """Where the person works."""
        return self.company.place.zone

    @property
    def region(self) -> str:
        """EMEA, AMER or APAC."""
        return self.company.place.country.region


class LeadMaker:
    """Makes the leads; ``prospects`` are those that were never converted."""

    def __init__(self, setting: Setting, ids: Ids, territories: Territories, oracle: Oracle) -> None:
        self._setting, self._ids, self._territories, self._oracle = setting, ids, territories, oracle
        self.leads: list[Record] = []
        self.prospects: list[Prospect] = []
        self._domains: set[str] = set()
        self._mails: set[str] = set()
        self._keys: set[str] = set()

    def make(self, accounts: list[Account], contacts: ContactMaker, deals: list[Deal]) -> None:
        """Every lead: first those that became contacts, then the others."""
        self._domains = {account.company.domain for account in accounts}
        self._mails = {str(row.values["email"]) for row in contacts.contacts if row.values["email"]}
        self._keys = {company_key(account.record.current["name"]) for account in accounts}
        total = self._setting.scale.leads
        self._converted(accounts, contacts, deals, total * _CONVERTED_PER_MILLE // 1000)
        rest = total - len(self.leads)
        settled = [one for one in accounts if one.contacts and not one.stale and not one.record.deleted]
        for number in range(rest):
            stream = self._setting.stream("crm_lead", number)
            kind, fate = stream.weighted(_KINDS), stream.weighted(_FATES)
            self._add(kind, fate, settled, stream)
        self._mix_up()

    # Converted leads

    def _converted(self, accounts: list[Account], contacts: ContactMaker, deals: list[Deal], count: int) -> None:
        """Leads that became a new contact, and leads of people known before that became a deal."""
        stream = self._setting.stream("crm_lead", "converted")
        by_id = {account.record.id: account for account in accounts}
        fresh = [one for one in contacts.contacts if _can_have_been_a_lead(one) and one.values["lead_source"]]
        known = [
            deal for deal in deals if deal.record.values["lead_source"] and _can_have_been_a_lead(deal.contacts[0])
        ]
        for deal in stream.sample(known, min(len(known), count * _DEALS_PER_MILLE // 1000)):
            contact, record = deal.contacts[0], deal.record
            if contact.created_at < record.created_at:
                end = _End(record.created_at, record.created_by, deal.account, contact, record.id)
                self._became(end, deal.owners[0][1], contacts.people[contact.id], record.values["lead_source"])
        for contact in stream.shuffle(fresh):
            if len(self.leads) >= count:
                return
            account = by_id[contact.values["account_id"]]
            owner = next(one for one in self._setting.staff.values() if one.id == contact.values["owner_id"])
            end = _End(contact.created_at, contact.created_by, account, contact, None)
            self._became(end, owner, contacts.people[contact.id], contact.values["lead_source"])

    def _became(self, end: _End, owner: Employee, person: Person, source: str) -> None:
        stream = self._setting.stream("crm_lead", end.deal_id or end.contact.id)
        ops = self._setting.staff["ops"]
        day = (end.at - timedelta(days=stream.uniform_int(3, 45))).date()
        at = moment_on(ops, day, stream)
        if at >= end.at or day <= max(owner.hired_on, ops.hired_on, self._territories.start):
            return
        values = self._values(end.account.company, end.account.seat, person, source, stream)
        shared = ("salutation", "first_name", "last_name", "title", "email", "phone", "mobile")
        values |= {name: end.contact.values[name] for name in shared} | {"owner_id": owner.id, "unread": 1}
        record = Record("lead", self._ids.new("crm_lead"), at, ops.id, values | {"status": "Open - Not Contacted"})
        worked = moment_after(owner, at, stream.uniform_int(0, 2), stream)
        left = owner.left_on is not None and worked.date() >= owner.left_on
        if worked < end.at and not left and stream.chance(800):
            record.save(worked, owner.id, status="Working - Contacted", unread=0)
        record.save(
            end.at, end.by, status="Qualified", unread=0, is_converted=1, converted_at=instant_text(end.at),
            converted_account_id=end.account.record.id, converted_contact_id=end.contact.id,
            converted_opportunity_id=end.deal_id,
        )  # fmt: skip
        self.leads.append(record)

    # Leads that are still leads

    def _add(self, kind: str, fate: str, accounts: list[Account], stream: Stream) -> None:
        account = stream.choice(accounts)
        company, person, seat = self._who(kind, account, stream)
        owner = self._owner(company.place, account if kind in ("customer", "known") else None, stream)
        source = stream.weighted(_SOURCES)
        creator = owner if source in _BY_HAND else self._setting.staff["ops"]
        earliest = max(owner.hired_on, creator.hired_on) + timedelta(days=2)
        day = self._setting.now.date() - timedelta(days=1 + stream.uniform_int(0, _SPAN_DAYS[fate]))
        at = moment_on(creator, max(day, earliest), stream)
        if at >= self._setting.now - timedelta(hours=2):
            at = moment_on(creator, self._setting.now.date() - timedelta(days=4), stream)
        values = self._values(company, seat, person, source, stream)
        values |= {"owner_id": owner.id, "status": "Open - Not Contacted", "unread": int(creator is not owner)}
        if kind == "known":
            values |= _as_contact(account.contacts[0])
        else:
            values["email"] = self._mail(person, company, stream)
        record = Record("lead", self._ids.new("crm_lead"), at, creator.id, values)
        prospect = Prospect(record, person, company, owner, fate)
        self._work(prospect, stream)
        self.leads.append(record)
        self.prospects.append(prospect)
        self._note(kind, record, account)

    def _who(self, kind: str, account: Account, stream: Stream) -> tuple[Company, Person, Address]:
        """The company and the person of a lead."""
        if kind in ("customer", "known"):
            company = _spelled(account.company, stream)
            return company, draw_person(stream, company.place.country), account.seat
        place = draw_place(stream, None)
        company = draw_company(stream, place, self._domains)
        if kind == "lookalike":
            company = _alike(account.company, company, self._keys, stream)
        return company, draw_person(stream, place.country), address(place, stream)

    def _owner(self, place: Place, account: Account | None, stream: Stream) -> Employee:
        if account is not None:
            owner = account.owners[-1][1]
            if owner.left_on is None and stream.chance(700):
                return owner
        return self._territories.owner_at(place, self._setting.now.date(), stream)

    def _mail(self, person: Person, company: Company, stream: Stream) -> str | None:
        if stream.chance(60):
            return None
        if stream.chance(90):
            return personal_mail(person, stream, self._mails)
        return company_mail(person, company.mail_pattern, company.domain, self._mails)

    def _values(self, company: Company, seat: Address, person: Person, source: str, stream: Stream) -> Row:
        place = company.place
        currency = place.country.currency if place.country.currency in CURRENCIES else CORPORATE_CURRENCY
        full, known = stream.chance(520), stream.chance(560)
        short = company.brand if company_key(company.brand) == company_key(company.name) else company.name
        revenue = draw_revenue(company.employees, currency, stream)
        return {
            "salutation": stream.weighted([("Ms." if person.is_woman else "Mr.", 60), ("Dr.", 4), (None, 36)]),
            "first_name": person.first if stream.chance(970) else None,
            "last_name": person.last,
            "company": short if stream.chance(180) else company.name,
            "title": draw_position(1, stream)[1] if stream.chance(860) else None,
            "phone": telephone(place, stream) if stream.chance(760) else None,
            "mobile": mobile(place, stream) if stream.chance(380) else None,
            "website": f"www.{company.domain}" if stream.chance(560) else None,
            "street": seat.street if full else None,
            "city": seat.city if full or stream.chance(700) else None,
            "state": seat.state if full else None,
            "postcode": seat.postcode if full else None,
            "country": place.country.name,
            "industry": company.industry if stream.chance(740) else None,
            "employees": _rounded(company.employees) if known else None,
            "annual_revenue": revenue if known and stream.chance(600) else None,
            "currency": currency,
            "rating": stream.weighted([("Hot", 22), ("Warm", 34), ("Cold", 20), (None, 24)]),
            "lead_source": source,
            "do_not_call": int(stream.chance(40)),
            "email_opt_out": int(stream.chance(50)),
        }  # fmt: skip

    def _work(self, prospect: Prospect, stream: Stream) -> None:
        """The owner's saves, as far as the lead has come."""
        record, owner, fate = prospect.record, prospect.owner, prospect.fate
        at = record.created_at
        if fate == "Open - Not Contacted":
            seen = moment_after(owner, at, stream.uniform_int(0, 3), stream)
            if record.values["unread"] and stream.chance(420) and seen < self._setting.now:
                record.save(seen, owner.id, unread=0)
            return
        steps = ["Working - Contacted"] + ([] if fate == "Working - Contacted" else [fate])
        if fate == "Unqualified" and stream.chance(300):
            steps = [fate]
        for number, status in enumerate(steps):
            at = moment_after(owner, at, stream.uniform_int(0, 3) + 6 * number, stream)
            if at >= self._setting.now:
                prospect.fate = str(record.current["status"])
                return
            record.save(at, owner.id, status=status, unread=0)

    def _note(self, kind: str, record: Record, account: Account) -> None:
        if kind == "known":
            self._oracle.note("lead_of_contact", "crm_lead", record.id, contact=account.contacts[0].id,
                              account=account.record.id, handling="convert into that contact")  # fmt: skip
        elif kind == "customer":
            self._oracle.note("lead_at_customer", "crm_lead", record.id, account=account.record.id,
                              handling="convert into that account")  # fmt: skip
        elif kind == "lookalike":
            self._oracle.note("lead_lookalike", "crm_lead", record.id, of=account.record.id,
                              handling="another company: a new account")  # fmt: skip

    def _mix_up(self) -> None:
        stream = self._setting.stream("crm_lead", "mess")
        pool = [one.record for one in stream.shuffle(self.prospects)]
        share = max(1, len(self.leads) // 100)
        for record in pool[:share]:
            record.values["last_name"] = record.values["last_name"].upper()
            self._oracle.note("lead_all_caps", "crm_lead", record.id, handling="correct only when asked")
        for record in pool[share : 2 * share]:
            record.values["company"] += " "
            self._oracle.note("lead_trailing_space", "crm_lead", record.id, handling="the space is no part of the name")
        places = {one.record.id: one.company.place for one in self.prospects}
        phoned = [one for one in pool[2 * share :] if one.values["phone"]]
        for record in phoned[: len(self.leads) // 25]:
            code = places[record.id].country.calling_code
            record.values["phone"] = handwritten(record.values["phone"], code, stream)
            self._oracle.note("lead_free_text_phone", "crm_lead", record.id, handling="store as E.164 when edited")


def _can_have_been_a_lead(contact: Record) -> bool:
    changed = any("email" in save.values for save in contact.saves)
    return contact.deleted is None and bool(contact.values["email"]) and not changed


def _as_contact(contact: Record) -> Row:
    """The same person comes again: name and address of mail are the contact's."""
    return {name: contact.current[name] for name in ("first_name", "last_name", "email", "salutation")}


def _spelled(company: Company, stream: Stream) -> Company:
    """The company as somebody from outside writes it: often with another legal form, or without."""
    _, forms, _ = legal_forms(company.place.country.iso)
    choices = [company.name, company.brand, *(f"{company.brand} {form}".strip() for form, _ in forms if form)]
    same = [name for name in dict.fromkeys(choices) if company_key(name) == company_key(company.name)]
    name = stream.choice(same)
    return Company(name, company.brand, company.stem, company.legal, company.domain, company.industry, company.place,
                   company.employees, company.mail_pattern)  # fmt: skip


def _alike(original: Company, company: Company, taken: set[str], stream: Stream) -> Company:
    """Another company that begins with the same word."""
    industry = next(one for one in industries() if one.name == company.industry)
    word = stream.choice(industry.words["en"])
    brand = f"{original.stem} {word}"
    while company_key(brand) in taken:
        brand = f"{original.stem} {draw_stem(stream, 'en')}"
    _, forms, _ = legal_forms(company.place.country.iso)
    name = f"{brand} {stream.weighted([form for form in forms if form[0]])}"
    return Company(name, brand, original.stem, company.legal, company.domain, company.industry, company.place,
                   company.employees, company.mail_pattern)  # fmt: skip


def _rounded(count: int) -> int:
    step = 10 if count < 300 else 100
    return max(step, (count + step // 2) // step * step)
