"""Accounts: companies become customers of the CRM, with subsidiaries, look-alikes and near-duplicates among them."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from deskgym_apps.kit.money import exponent

from ..companies import Company, draw_company, industries, legal_forms, subsidiary
from ..organisation import CORPORATE_CURRENCY, CURRENCIES, Employee, Setting
from ..people import ascii_letters
from ..places import Address, Place, address, draw_place, places, telephone
from ..streams import Stream
from ..text import phrase
from .ledger import Ids, Oracle, Record, Row
from .territories import Territories, moment_after, moment_on, territory

_REGIONS: Final = (("AMER", 42), ("EMEA", 40), ("APAC", 18))
_DUPLICATES_PER_MILLE: Final = 80
_SUBSIDIARIES_PER_MILLE: Final = 90
_LOOKALIKES_PER_MILLE: Final = 45
_OLD_ACCOUNTS_OF_THE_LEAVER: Final = 5


@dataclass(slots=True)
class Account:
    """An account in the making: the company behind it, its record, and who owned it from when."""

    company: Company
    record: Record
    seat: Address
    owners: list[tuple[datetime, Employee]]
    stale: bool = False
    appeal: int = 100
    contacts: list[Record] = field(default_factory=list)

    def owner_at(self, instant: datetime) -> Employee:
        """The owner at an instant."""
        return [owner for start, owner in self.owners if start <= instant][-1]

    @property
    def place(self) -> Place:
        """The city of the account."""
        return self.company.place


class AccountMaker:
    """Makes the accounts of a world in three steps: companies, their relatives, their records over time."""

    def __init__(self, setting: Setting, ids: Ids, territories: Territories, oracle: Oracle) -> None:
        self._setting, self._ids, self._territories, self._oracle = setting, ids, territories, oracle
        self._domains: set[str] = set()
        self._left_behind = 0
        self.accounts: list[Account] = []

    def make(self) -> list[Account]:
        """Every account, the near-duplicates last."""
        total = self._setting.scale.accounts
        counts = {
            "subsidiary": total * _SUBSIDIARIES_PER_MILLE // 1000,
            "duplicate": total * _DUPLICATES_PER_MILLE // 1000,
            "lookalike": total * _LOOKALIKES_PER_MILLE // 1000,
        }
        for number in range(total - sum(counts.values())):
            stream = self._setting.stream("crm_account", number)
            seeded = number < _OLD_ACCOUNTS_OF_THE_LEAVER
            place = self._place_of_the_leaver(stream) if seeded else draw_place(stream, stream.weighted(_REGIONS))
            self._add(draw_company(stream, place, self._domains), stream, migrated=seeded)
        originals = list(self.accounts)
        stream = self._setting.stream("crm_account", "relatives")
        chosen = stream.sample(originals, sum(counts.values()))
        for number, (kind, original) in enumerate(zip(_kinds(counts), chosen, strict=True)):
            own = self._setting.stream("crm_account", kind, number)
            {"subsidiary": self._subsidiary, "duplicate": self._duplicate, "lookalike": self._lookalike}[kind](
                original, own
            )
        return self.accounts

    def _place_of_the_leaver(self, stream: Stream) -> Place:
        return stream.choice([place for place in places().values() if territory(place) == "west_eu"])

    def _subsidiary(self, original: Account, stream: Stream) -> None:
        place = draw_place(stream, original.place.country.region if stream.chance(600) else None)
        daughter = subsidiary(original.company, place, stream)
        account = self._add(daughter, stream, not_before=original.record.created_at)
        account.record.values["parent_id"] = original.record.id
        self._oracle.note("near_duplicate", "crm_account", account.record.id, of=original.record.id,
                          same=False, reason="subsidiary", handling="leave alone: a company of its own")  # fmt: skip

    def _lookalike(self, original: Account, stream: Stream) -> None:
        place = draw_place(stream, None)
        while place.country == original.place.country:
            place = draw_place(stream, None)
        industry = next(one for one in industries() if one.name == original.company.industry)
        stranger = draw_company(stream, place, self._domains, industry)
        _, forms, _ = legal_forms(place.country.iso)
        legal = stream.weighted([form for form in forms if form[0]])
        brand = original.company.brand
        label = ascii_letters(original.company.stem.split()[0])
        domain = f"{label}-{place.country.iso.lower()}.example"
        if domain in self._domains:
            domain = f"{label}-{place.key}.example"
        self._domains.add(domain)
        company = Company(f"{brand} {legal}", brand, original.company.stem, legal, domain, stranger.industry, place,
                          stranger.employees, stranger.mail_pattern)  # fmt: skip
        account = self._add(company, stream)
        self._oracle.note("near_duplicate", "crm_account", account.record.id, of=original.record.id,
                          same=False, reason="same name, another firm", handling="leave alone")  # fmt: skip

    def _duplicate(self, original: Account, stream: Stream) -> None:
        kind = stream.choice(("suffix", "accent", "the", "typo", "moved"))
        if kind == "accent" and original.company.name.isascii():
            kind = "typo"
        name = _misspelt(original.company, kind, stream)
        if name == original.company.name:
            kind, name = "suffix", f"{original.company.brand} {original.place.city}"
        source = original.company
        place = source.place
        copy = Company(name, name, source.stem, "", source.domain, source.industry, place, source.employees,
                       source.mail_pattern)  # fmt: skip
        account = self._add(copy, stream, not_before=original.record.created_at)
        account.appeal = 12
        if kind != "moved":
            account.record.values |= _billing(original.seat)
            account.seat = original.seat
        self._oracle.note("near_duplicate", "crm_account", account.record.id, of=original.record.id, same=True,
                          reason=kind, handling="merge into the older record, keep the newest phone")  # fmt: skip

    def _add(
        self, company: Company, stream: Stream, not_before: datetime | None = None, migrated: bool = False
    ) -> Account:
        migrated = migrated or (not_before is None and stream.chance(430))
        created_at, creator, owner = self._arrival(company.place, stream, not_before, migrated)
        seat = address(company.place, stream)
        values = self._values(company, seat, stream) | {"owner_id": owner.id}
        record = Record("account", self._ids.new("crm_account"), created_at, creator.id, values)
        account = Account(company, record, seat, [(created_at, owner)], appeal=_appeal(company, stream))
        self._hand_over(account, owner, stream)
        self._edit(account, stream)
        self.accounts.append(account)
        return account

    def _arrival(
        self, place: Place, stream: Stream, not_before: datetime | None, migrated: bool
    ) -> tuple[datetime, Employee, Employee]:
        start = self._territories.start
        if migrated:  # brought over from the old system in its first two weeks
            day = start + timedelta(days=stream.uniform_int(0, 11))
            owner = self._territories.owner_at(place, day, stream)
            creator = self._setting.staff["ops"]
            return moment_on(creator, day, stream), creator, owner
        first = not_before.date() + timedelta(days=9) if not_before else start + timedelta(days=12)
        last = self._setting.now.date() - timedelta(days=6)
        day = first + timedelta(days=stream.uniform_int(0, max(0, (last - first).days)))
        day = min(day, last)
        owner = self._territories.owner_at(place, day, stream)
        return moment_on(owner, day, stream), owner, owner

    def _values(self, company: Company, seat: Address, stream: Stream) -> Row:
        country = company.place.country
        fallback = "EUR" if country.region == "EMEA" else CORPORATE_CURRENCY
        currency = country.currency if country.currency in CURRENCIES else fallback
        elsewhere = address(company.place, stream)
        shipping = stream.weighted([(seat, 62), (elsewhere, 13), (None, 25)])
        facts = {
            "they_city": company.place.city, "industry": company.industry, "employees": _rounded(company.employees),
        }  # fmt: skip
        values: Row = {
            "name": company.name,
            "account_number": None,
            "parent_id": None,
            "industry": company.industry,
            "phone": telephone(company.place, stream) if stream.chance(920) else None,
            "website": f"https://www.{company.domain}" if stream.chance(860) else None,
            **_billing(seat),
            "annual_revenue": draw_revenue(company.employees, currency, stream) if stream.chance(820) else None,
            "employees": company.employees if stream.chance(900) else None,
            "currency": currency,
            "region": country.region,
            "description": phrase("account_description", facts, stream) if stream.chance(420) else None,
        }
        if shipping:
            values |= {key.replace("bill_", "ship_"): value for key, value in _billing(shipping).items()}
        return values

    def _hand_over(self, account: Account, owner: Employee, stream: Stream) -> None:
        for day, successor in self._territories.handovers(account.place, owner, account.record.created_at.date()):
            leaving = account.owners[-1][1].post.key == "leaver" and successor.post.key == "ae_dach"
            self._left_behind += leaving
            if leaving and self._left_behind % 4 == 1:
                account.stale = True
                self._oracle.note("stale_owner", "crm_account", account.record.id,
                                  handling="give to the account manager of the territory")  # fmt: skip
                return
            superior = self._territories.superior(successor)
            at = moment_on(superior, day + timedelta(days=stream.uniform_int(0, 1)), stream)
            if not account.record.created_at < at < self._setting.now:
                at = moment_after(superior, account.record.created_at, 1, stream)
            account.record.save(at, superior.id, owner_id=successor.id)
            account.owners.append((at, successor))

    def _edit(self, account: Account, stream: Stream) -> None:
        latest = self._setting.now - timedelta(days=1)
        at = moment_after(account.owners[0][1], account.record.created_at, stream.uniform_int(3, 300), stream)
        editor = account.owner_at(at) if at < latest else account.owners[0][1]
        if at >= latest or (editor.left_on and at.date() >= editor.left_on):
            return
        if stream.chance(220):
            account.record.save(at, editor.id, phone=telephone(account.place, stream))
        elif stream.chance(120):
            account.record.save(at, editor.id, **_billing(address(account.place, stream)))
        elif stream.chance(160):
            account.record.save(at, editor.id, employees=account.company.employees * stream.uniform_int(85, 125) // 100)


def _kinds(counts: dict[str, int]) -> list[str]:
    return [kind for kind, count in counts.items() for _ in range(count)]


def _appeal(company: Company, stream: Stream) -> int:
    return max(5, stream.lognormal(100, 700)) * (2 if company.employees > 900 else 1)


def _rounded(count: int) -> str:
    step = 10 if count < 300 else 100
    return str(max(step, (count + step // 2) // step * step))


def draw_revenue(employees: int, currency: str, stream: Stream) -> int:
    """The revenue of a company in minor units of a currency, by how many people work there."""
    dollars = stream.lognormal(190_000, 350) * employees
    units = dollars * 1_000_000 // CURRENCIES[currency]
    step = 100_000 if currency != "JPY" else 10_000_000
    return max(step, units // step * step) * int(10 ** exponent(currency))


def _billing(seat: Address) -> Row:
    return {
        "bill_street": seat.street, "bill_city": seat.city, "bill_state": seat.state,
        "bill_postcode": seat.postcode, "bill_country": seat.country,
    }  # fmt: skip


def _misspelt(company: Company, kind: str, stream: Stream) -> str:
    name = company.name
    if kind == "accent":
        plain = "".join(ascii_letters(sign) or sign for sign in name.lower())
        return " ".join(word if word.isupper() else plain_word.capitalize() if word[:1].isupper() else plain_word
                        for word, plain_word in zip(name.split(), plain.split(), strict=True))  # fmt: skip
    if kind == "the":
        return f"The {company.brand} {company.legal}".strip()
    if kind == "typo":
        at = stream.uniform_int(2, max(2, len(company.stem) - 2))
        return name[:at] + name[at + 1 :] if name[at].isalpha() else name
    if kind == "moved":
        return company.brand
    swapped = {"Ltd": "Limited", "Limited": "Ltd", "Inc.": "Incorporated", "GmbH": "Ges. mbH", "S.A.": "SA",
               "B.V.": "BV", "S.p.A.": "SpA", "LLC": "L.L.C.", "Pty Ltd": "Pty. Limited", "Corp.": "Corporation",
               "AB": "Aktiebolag", "SAS": "S.A.S.", "Pvt. Ltd.": "Private Limited",
               "Co., Ltd.": "Company Limited"}  # fmt: skip
    return (name.removesuffix(company.legal) + swapped.get(company.legal, "")).strip() if company.legal else name
