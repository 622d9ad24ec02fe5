"""Harbourstay's part of a world: rows of every ``stays_`` table.

``rows(setting)`` is what ``world`` calls for an app; the mess that is on purpose is in ``Rows.oracle``.
"""

from dataclasses import dataclass

from deskgym_apps.stays.roles import TABLES

from ..numbering import Ids, Oracle, Row
from ..organisation import Setting
from .acting import ActingPeople
from .calendars import CalendarMaker
from .community import Community
from .coupons import Coupons
from .furnishing import Furnisher, amenity_rows, policy_rows
from .geography import Geography
from .homes import HomeMaker
from .mess import change_policies, rebook
from .outcomes import Bookkeeper, Fates
from .pricing import Pricer
from .talk import Talk
from .verdicts import Reviews
from .visits import Planner
from .wishes import Remainder


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows by table, in an order that respects foreign keys; the next id counters; the private list of mess."""

    tables: dict[str, list[Row]]
    counters: dict[str, int]
    oracle: dict[str, list[Row]]


def rows(setting: Setting) -> Rows:
    """Every row of Harbourstay in this world."""
    prefixes = {name: table.prefix for name, table in TABLES.items() if table.prefix is not None}
    ids, oracle = Ids(setting, prefixes), Oracle()
    geography = Geography(setting, ids)
    community = Community(setting, ids, geography)
    homes = HomeMaker(setting, ids, geography, community, oracle).make()
    tables: dict[str, list[Row]] = {"stays_user": community.rows(), "stays_payment_method": community.methods}
    tables |= geography.rows() | {"stays_amenity": amenity_rows(), "stays_cancel_policy": policy_rows()}
    furnished = Furnisher(setting, geography, oracle).furnish(homes)
    tables |= {"stays_listing": [home.row for home in homes]} | furnished
    calendars = CalendarMaker(setting, ids, oracle)
    calendars.make(homes)
    coupons, planner = Coupons(setting, geography), Planner(setting, community, calendars)
    pricer = Pricer(setting, geography, calendars, tables["stays_tax_rule"], homes)
    books = Bookkeeper(setting, ids, pricer, coupons, calendars, oracle)
    stories = ActingPeople(setting, community, planner, homes, oracle).stories()
    fates = Fates(setting, planner)
    for home, count in planner.shares(homes):
        stories += [(visit, fates.decide(visit)) for visit in planner.general(home, count)]
    stories += rebook(setting, stories, planner, fates, oracle)
    books.write(stories)
    change_policies(setting, stories, oracle)
    tables |= calendars.rows() | {"stays_coupon": coupons.rows} | books.books.tables
    talk, reviews = Talk(setting, ids, geography, oracle), Reviews(setting, ids, geography, oracle)
    for visit, fate in stories:
        talk.tell(visit, fate)
    rest = Remainder(setting, ids, geography, community, homes)
    tables |= talk.rows() | {"stays_review": reviews.make(stories, homes)} | rest.rows()
    tables["stays_credit"] += rest.gifts()
    return Rows(tables, ids.counters(), oracle.entries)
