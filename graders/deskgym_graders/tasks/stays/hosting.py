"""Hosts: prices of a listing, nights closed and priced, the note of an amenity."""

from __future__ import annotations

from deskgym_apps.kit.dates import add_days, long_date
from deskgym_apps.kit.money import exponent, format_amount
from deskgym_apps.kit.store import Store
from deskgym_graders.comparators import Money
from deskgym_graders.expected import changed, expected_row
from deskgym_graders.spec import Call, Draft, Expectation, Var, Variant
from deskgym_graders.tasks import template
from deskgym_seeds.streams import Stream

from . import picks

_WHERE = ("the bedroom", "the living room", "the kitchen")


def _mine(world: Store, stream: Stream) -> picks.Row:
    """A listing of a host of the company."""
    owners = {row["id"] for row in picks.hosts(world)}
    return picks.draw(stream, [row for row in picks.listed(world) if row["host_id"] in owners], "listing of a host")


def _whole(stream: Stream, low: int, high: int, currency: str) -> int:
    """So many whole units of a currency, in its minor units."""
    return stream.uniform_int(low, high) * int(10 ** exponent(currency))


def _prices(row: picks.Row, values: dict[str, str], version: object = None, save_as: str | None = None) -> Call:
    given = {"listing": row["id"], "values": values, "row_version": version or row["row_version"]}
    return Call("stays_host_pricing", given, save_as)


@template("stays/new-fees", kind="mutate", level=1)
def new_fees(world: Store, stream: Stream) -> Draft:
    """Set the weekend price and the cleaning fee of one listing."""
    row = _mine(world, stream)
    code = str(row["currency"])
    scale = max(1, row["base_price"] // 10 ** exponent(code))
    weekend = _whole(stream, scale + 11, scale * 2 + 60, code)
    cleaning = _whole(stream, max(11, scale // 4), scale + 40, code)
    if (weekend, cleaning) == (row["weekend_price"], row["cleaning_fee"]):
        weekend += 10 ** exponent(code)
    values = {"weekend_price": format_amount(weekend, code), "cleaning_fee": format_amount(cleaning, code)}
    swapped = {"weekend_price": values["cleaning_fee"], "cleaning_fee": values["weekend_price"]}
    first, then = _prices(row, swapped, save_as="slip"), _prices(row, values, Var("slip.row_version"))
    halves = (
        _prices(row, {"cleaning_fee": values["cleaning_fee"]}, save_as="half"),
        _prices(row, {"weekend_price": values["weekend_price"]}, Var("half.row_version")),
    )
    goal = changed("stays_listing", row["id"], weekend_price=Money(weekend, code), cleaning_fee=Money(cleaning, code))
    return Draft(
        instruction=f'From now on my place "{row["title"]}" costs {values["weekend_price"]} {code} on Friday and '
        f"Saturday nights, and the cleaning fee is {values['cleaning_fee']} {code}. Please change both; the ordinary "
        "price stays.",
        person_id=row["host_id"],
        expectation=Expectation(any_of=((goal,),)),
        oracle=(_prices(row, values),),
        variants=(
            Variant("one after the other", halves),
            Variant("the two mixed up, then put right", (first, then)),
            Variant("the two mixed up", (first,), reason="WRONG_VALUE"),
            Variant("the fee alone", halves[:1], reason="MISSING"),
        ),
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, row)),),
    )


def _free_from(world: Store, row: picks.Row, stream: Stream, count: int) -> str:
    """A first night from which so many are neither reserved nor the host's own."""
    today = picks.today(world, row)
    used = picks.taken(world).get(row["id"], frozenset()) | set(picks.overrides(world).get(row["id"], {}))
    starts = [day for day in picks.nights(add_days(today, 10), 200) if not used.intersection(picks.nights(day, count))]
    return picks.draw(stream, starts, "run of free nights")


def _nights(row: picks.Row, first: str, count: int, action: str, value: str | int | None = None) -> Call:
    given = {"listing": row["id"], "from": first, "to": add_days(first, count - 1), "action": action}
    more = {} if value is None else {"value": value}
    return Call("stays_host_calendar", given | more | {"expected_nights": count})


@template("stays/close-nights", kind="mutate", level=2)
def close_nights(world: Store, stream: Stream) -> Draft:
    """Close the nights of a repair in the calendar of one listing."""
    row = _mine(world, stream)
    count = stream.uniform_int(4, 12)
    first = _free_from(world, row, stream, count + 1)
    last = add_days(first, count - 1)
    goal = tuple(
        expected_row("stays_calendar_override", listing_id=row["id"], night=night, blocked=1)
        for night in picks.nights(first, count)
    )
    half = count // 2
    whole = _nights(row, first, count, "block")
    return Draft(
        instruction=f'The bathroom of "{row["title"]}" is being redone. Please close its calendar from the night of '
        f"{long_date(first)} up to and including the night of {long_date(last)}.",
        person_id=row["host_id"],
        expectation=Expectation(any_of=(goal,)),
        oracle=(whole,),
        variants=(
            Variant(
                "in two parts",
                (_nights(row, first, half, "block"), _nights(row, add_days(first, half), count - half, "block")),
            ),
            Variant(
                "one night too many, opened again",
                (_nights(row, first, count + 1, "block"), _nights(row, add_days(first, count), 1, "open")),
            ),
            Variant("one night too many", (_nights(row, first, count + 1, "block"),), reason="COLLATERAL"),
            Variant("without the last night", (_nights(row, first, count - 1, "block"),), reason="MISSING"),
        ),
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, row)),),
        because={"night": "every night of the span", "blocked": "a closed night is a blocked one"},
    )


@template("stays/fair-prices", kind="mutate", level=2)
def fair_prices(world: Store, stream: Stream) -> Draft:
    """Give the nights of a fair a price and a minimum stay."""
    row = _mine(world, stream)
    code, count = str(row["currency"]), stream.uniform_int(3, 6)
    first = _free_from(world, row, stream, count + 1)
    last = add_days(first, count - 1)
    scale = row["base_price"] // 10 ** exponent(code)
    price, least = _whole(stream, scale + 15, scale * 2 + 90, code), stream.uniform_int(2, 4)
    least += least == row["min_nights"]
    amount = format_amount(price, code)
    goal = tuple(
        expected_row(
            "stays_calendar_override", listing_id=row["id"], night=night, price=Money(price, code), min_nights=least
        )
        for night in picks.nights(first, count)
    )
    priced, longer = _nights(row, first, count, "price", amount), _nights(row, first, count, "min_nights", least)
    return Draft(
        instruction=f'There is a fair in town. For "{row["title"]}", set the price of each night from '
        f"{long_date(first)} to {long_date(last)}, both nights included, to {amount} {code}, with a minimum of {least} "
        "nights for stays that begin on any of them.",
        person_id=row["host_id"],
        expectation=Expectation(any_of=(goal,)),
        oracle=(priced, longer),
        variants=(
            Variant("the minimum first", (longer, priced)),
            Variant("the price alone", (priced,), reason="MISSING"),
            Variant(
                "without the last night",
                (_nights(row, first, count - 1, "price", amount), _nights(row, first, count - 1, "min_nights", least)),
                reason="MISSING",
            ),
        ),
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, row)),),
        because={"night": "every night of the span"},
    )


@template("stays/wifi-note", kind="mutate", level=1)
def wifi_note(world: Store, stream: Stream) -> Draft:
    """Correct what a listing says about its Wi-Fi."""
    owners = {row["id"] for row in picks.hosts(world)}
    noted = {row["listing_id"]: row for row in picks.every(world, "stays_listing_amenity") if row["amenity"] == "wifi"}
    mine = [row for row in picks.listed(world) if row["host_id"] in owners and row["id"] in noted]
    row = picks.draw(stream, mine, "listing of a host with Wi-Fi")
    old = noted[row["id"]]["note"]
    note = f"{stream.uniform_int(16, 940)} Mbps, measured in {stream.choice(_WHERE)}"
    stays = f' It says "{old}" now.' if old else ""

    def say(text: str, version: object, save_as: str | None = None) -> Call:
        values = {"amenities": [{"amenity": "wifi", "note": text}]}
        return Call(
            "stays_host_listing_update", {"listing": row["id"], "values": values, "row_version": version}, save_as
        )

    right = say(note, row["row_version"])
    return Draft(
        instruction=f'I have measured the Wi-Fi in "{row["title"]}". Please change the note of the Wi-Fi among its '
        f'amenities to "{note}".{stays}',
        person_id=row["host_id"],
        expectation=Expectation(any_of=((changed("stays_listing_amenity", (row["id"], "wifi"), note=note),),)),
        oracle=(right,),
        variants=(
            Variant(
                "a slip put right",
                (say(note[:-3], row["row_version"], "slip"), say(note, Var("slip.row_version"))),
            ),
            Variant("another note", (say(note[:-3], row["row_version"]),), reason="WRONG_VALUE"),
        ),
        distractors=(picks.distract("other listings", "stays_listing", picks.others(world, row)),),
    )
