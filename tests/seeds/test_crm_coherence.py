"""The seeded company looks like a real one (seed-data.md §7.1)."""

from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any

from deskgym_apps.kit.norm import norm
from deskgym_apps.kit.store import Store
from deskgym_seeds.localtime import instant_of, offset_minutes
from deskgym_seeds.people import PERSONAL_DOMAINS
from deskgym_seeds.places import Place, fits, places
from deskgym_seeds.world import World

BY_CITY = {(place.city, place.country.name): place for place in places().values()}


def keys(small: World, rule: str) -> set[str]:
    return {entry["key"] for entry in small.oracle[f"crm.{rule}"]}


def place_of(row: dict[str, Any]) -> Place:
    return BY_CITY[row["bill_city"], row["bill_country"]]


def test_postcodes_fit_their_city(store: Store) -> None:
    for row in store.all("SELECT * FROM crm_account"):
        place = place_of(row)
        assert row["bill_state"] == place.state
        assert fits(row["bill_postcode"] or "", place.postcodes) or (row["bill_postcode"], place.postcodes) == (
            None,
            (),
        )


def test_phone_areas_fit_their_city(store: Store) -> None:
    numbers = [row for row in store.all("SELECT * FROM crm_account") if row["phone"]]
    assert all(fits(row["phone"], place_of(row).telephones) for row in numbers)


def test_region_and_currency_follow_the_country(store: Store) -> None:
    for row in store.all("SELECT * FROM crm_account"):
        country = place_of(row).country
        assert row["region"] == country.region
        assert row["currency"] in (country.currency, "USD", "EUR")


def test_mail_domains_fit_the_account_for_nine_of_ten_business_contacts(store: Store) -> None:
    rows = store.all(
        "SELECT c.email, a.website FROM crm_contact c JOIN crm_account a ON a.id = c.account_id "
        "WHERE c.email IS NOT NULL AND a.website IS NOT NULL"
    )
    business = [row for row in rows if row["email"].split("@")[1] not in PERSONAL_DOMAINS]
    fitting = [row for row in business if row["website"] == f"https://www.{row['email'].split('@')[1]}"]
    assert len(fitting) >= 0.9 * len(business)
    assert 0.03 <= 1 - len(business) / len(rows) <= 0.09


def test_mail_addresses_are_unique_and_safe(store: Store) -> None:
    mails = [row["email"] for row in store.all("SELECT email FROM crm_contact") if row["email"]]
    mails += [row["email"] for row in store.all("SELECT email FROM org_person")]
    assert len(mails) == len(set(mails))
    assert all(mail.endswith(".example") and mail.isascii() and mail.count("@") == 1 for mail in mails)


def test_near_every_event_of_business_is_on_a_weekday_in_working_hours(store: Store) -> None:
    zones = {row["id"]: row["tz"] for row in store.all("SELECT id, tz FROM org_person")}
    moments = store.all("SELECT changed_at AS at, changed_by AS who FROM crm_field_history")
    for table in ("account", "contact", "opportunity", "lead", "task", "event", "note"):
        moments += store.all(f"SELECT created_at AS at, created_by AS who FROM crm_{table}")
    local = [
        instant_of(row["at"]) + timedelta(minutes=offset_minutes(zones[row["who"]], instant_of(row["at"])))
        for row in moments
    ]
    assert sum(moment.weekday() < 5 for moment in local) >= 0.95 * len(local)
    assert sum(7 <= moment.hour < 19 for moment in local) >= 0.95 * len(local)


def test_nobody_acts_before_being_hired_or_after_leaving(store: Store) -> None:
    people = {row["id"]: row for row in store.all("SELECT * FROM org_person")}
    moments = store.all("SELECT changed_at AS at, changed_by AS who FROM crm_field_history")
    for table in ("account", "contact", "opportunity", "lead", "task", "event", "note"):
        moments += store.all(f"SELECT created_at AS at, created_by AS who FROM crm_{table}")
        moments += store.all(f"SELECT updated_at AS at, updated_by AS who FROM crm_{table}")
    ours = {row["email"]: row["id"] for row in people.values()}
    for row in store.all("SELECT * FROM crm_email_message WHERE direction = 'out'"):
        moments.append({"at": row["sent_at"], "who": ours[row["from_addr"]]})
    for row in moments:
        person = people[row["who"]]
        assert person["hired_on"] <= row["at"][:10], (person["name"], row)
        assert person["left_on"] is None or row["at"][:10] < person["left_on"], (person["name"], row)


def test_nothing_happened_after_now_or_before_its_record(store: Store) -> None:
    born = {row["id"]: row["created_at"] for table in ("account", "contact", "opportunity", "lead", "case")
            for row in store.all(f"SELECT id, created_at FROM crm_{table}")}  # fmt: skip
    for table in ("account", "contact", "opportunity", "lead", "case", "task", "event", "note", "article"):
        for row in store.all(f"SELECT * FROM crm_{table}"):
            assert row["created_at"] <= row["updated_at"] < store.now
            assert (row["row_version"] == 1) == (row["created_at"] == row["updated_at"])
    for row in store.all("SELECT * FROM crm_task") + store.all("SELECT * FROM crm_event"):
        assert all(born[key] < row["created_at"] for key in (row["what_id"], row["who_id"]) if key is not None)
    for row in store.all("SELECT * FROM crm_email_message"):
        assert born[row["who_id"]] < row["sent_at"] < store.now
        if row["what_id"] is not None:
            is_opening = row["what_id"].startswith("CAS") and row["sent_at"] == born[row["what_id"]]
            assert born[row["what_id"]] < row["sent_at"] or is_opening  # a case begins with its first mail
    for row in store.all(
        "SELECT c.id, c.created_at, a.created_at AS opened FROM crm_contact c JOIN crm_account a ON a.id = c.account_id"
    ):
        assert row["opened"] < row["created_at"]
    for row in store.all(
        "SELECT o.created_at, a.created_at AS opened FROM crm_opportunity o JOIN crm_account a ON a.id = o.account_id"
    ):
        assert row["opened"] < row["created_at"]


def test_event_times_are_in_order_and_upcoming_ones_exist(store: Store) -> None:
    events = store.all("SELECT * FROM crm_event")
    assert all(row["created_at"] < row["start_at"] < row["end_at"] for row in events)
    assert 5 <= sum(row["start_at"] > store.now for row in events) < len(events) // 2


def test_mails_mention_what_their_rows_say(store: Store) -> None:
    """An order in the mail is the amount of the won deal; the writer of a mail is the contact it belongs to."""
    orders = store.all(
        "SELECT m.body, o.amount, o.currency FROM crm_email_message m JOIN crm_opportunity o ON o.id = m.what_id "
        "WHERE o.stage = 'Closed Won' AND m.direction = 'in' AND m.body LIKE '%our order PO-%over %'"
    )
    assert orders
    for row in orders:
        shown = f"{row['amount'] // 100:,}.{row['amount'] % 100:02d} {row['currency']}"
        if row["currency"] == "JPY":
            shown = f"{row['amount']:,} JPY"
        assert shown in row["body"], (shown, row["body"])


def test_no_slot_is_left_unfilled(store: Store) -> None:
    texts = [row["body"] + row["subject"] for row in store.all("SELECT subject, body FROM crm_email_message")]
    texts += [row["body"] + row["title"] for row in store.all("SELECT title, body FROM crm_note")]
    texts += [row["subject"] + (row["comments"] or "") for row in store.all("SELECT subject, comments FROM crm_task")]
    assert not [
        text for text in texts if any(sign in text for sign in "{}|[]") and "Quellmark Instruments |" not in text
    ]
    assert not [text for text in texts if "None" in text.replace("None of them", "") or "lorem" in text.lower()]


def test_threads_are_in_order_and_replies_say_so(store: Store) -> None:
    threads: dict[str, list[dict[str, Any]]] = {}
    for row in store.all("SELECT * FROM crm_email_message ORDER BY thread_id, sent_at"):
        threads.setdefault(row["thread_id"], []).append(row)
    assert len(threads) > 400
    for mails in threads.values():
        assert len({mail["who_id"] for mail in mails}) == 1
        assert all(mail["subject"] == f"Re: {mails[0]['subject']}" for mail in mails[1:])


def test_amounts_begin_like_benford_says(store: Store) -> None:
    digits = Counter(str(row["amount"])[0] for row in store.all("SELECT amount FROM crm_opportunity WHERE amount > 0"))
    total = digits.total()
    assert 0.22 <= digits["1"] / total <= 0.40
    assert digits["1"] > digits["5"] > 0
    assert sum(digits[digit] for digit in "123") / total >= 0.5


def test_contacts_and_deals_gather_at_few_accounts(store: Store) -> None:
    for table in ("crm_contact", "crm_opportunity"):
        counts = sorted(
            (row["n"] for row in store.all(f"SELECT count(*) AS n FROM {table} GROUP BY account_id")), reverse=True
        )
        assert sum(counts[: len(counts) // 5]) >= 0.35 * sum(counts)
        assert counts[0] <= 30


def test_mess_has_its_shares(store: Store, small: World) -> None:
    contacts = store.all("SELECT * FROM crm_contact")
    missing = sum(row["phone"] is None for row in contacts)
    assert 0.05 <= missing / len(contacts) <= 0.11
    assert len(keys(small, "free_text_phone")) == len(contacts) // 20
    assert len(keys(small, "all_caps_name")) == len(contacts) // 100
    deals = store.all("SELECT * FROM crm_opportunity")
    without = {row["id"] for row in deals if row["amount"] is None}
    assert without == keys(small, "amount_missing")
    assert 0.04 <= len(without) / len(deals) <= 0.07
    running = [row for row in deals if row["closed_at"] is None]
    overdue = {row["id"] for row in running if row["close_date"] < store.now[:10]}
    assert overdue == keys(small, "overdue_open")
    assert 0.09 <= len(overdue) / len(running) <= 0.13
    assert 0.25 <= len(running) / len(deals) <= 0.5


def test_near_duplicates_are_labelled(store: Store, small: World) -> None:
    entries = small.oracle["crm.near_duplicate"]
    assert sum(entry["same"] for entry in entries) >= 8
    assert sum(not entry["same"] for entry in entries) >= 12
    for entry in entries:
        one, two = store.get("crm_account", entry["key"]), store.get("crm_account", entry["of"])
        assert one is not None
        assert two is not None
        assert one["name"] != two["name"] or entry["reason"] == "same name, another firm"
        assert set(norm(one["name"]).split()) & set(norm(two["name"]).split()) or entry["reason"] == "typo"
        assert (one["parent_id"] == two["id"]) == (entry["reason"] == "subsidiary")


def test_namesakes_work_in_different_firms(store: Store, small: World) -> None:
    assert small.oracle["crm.namesake"]
    for entry in small.oracle["crm.namesake"]:
        one, two = store.get("crm_contact", entry["key"]), store.get("crm_contact", entry["of"])
        assert one is not None
        assert two is not None
        assert one["name_norm"] == two["name_norm"]
        assert one["account_id"] != two["account_id"]


def test_stale_signatures_differ_from_the_record_and_stand_in_the_mail(store: Store, small: World) -> None:
    assert small.oracle["crm.stale_signature"]
    for entry in small.oracle["crm.stale_signature"]:
        contact, mail = store.get("crm_contact", entry["key"]), store.get("crm_email_message", entry["mail"])
        assert contact is not None
        assert mail is not None
        assert contact["mobile"] != entry["mobile"]
        assert entry["mobile"].replace("+", "") in "".join(sign for sign in mail["body"] if sign.isdigit())
        if "title" in entry:
            assert contact["title"] != entry["title"]
            assert entry["title"] in mail["body"]


def test_no_two_employees_share_a_mail_address_and_all_report_to_one_chief(store: Store) -> None:
    users = store.all("SELECT * FROM crm_user")
    assert len(users) == 18
    assert sum(row["manager_id"] is None for row in users) == 1
    assert sum(row["is_active"] == 0 for row in users) == 1


def test_deals_close_more_often_towards_quarter_ends(store: Store) -> None:
    planned = [
        date.fromisoformat(row["close_date"])
        for row in store.all("SELECT close_date FROM crm_opportunity WHERE closed_at IS NULL")
    ]
    ends = sum((day + timedelta(days=1)).day == 1 for day in planned)
    assert ends >= len(planned) // 6


def test_the_clock_is_a_working_afternoon_between_2027_and_2033(store: Store) -> None:
    now = instant_of(store.now)
    assert datetime(2027, 1, 1) < now < datetime(2034, 1, 1)
    assert now.weekday() in (1, 2, 3)


def test_volumes_are_near_the_preset(small: World) -> None:
    rows = small.facts["rows"]
    assert (rows["crm_account"], rows["crm_contact"], rows["crm_opportunity"], rows["crm_user"]) == (140, 420, 260, 18)
    assert rows["crm_lead"] == 300
    assert 1_000 <= rows["crm_task"] + rows["crm_event"] <= 1_650
    assert 330 <= rows["crm_case"] <= 370
    assert 1_250 <= rows["crm_email_message"] - 4 * rows["crm_case"] <= 1_800
    assert 3_200 <= rows["crm_field_history"] - 4 * rows["crm_case"] - rows["crm_lead"] <= 4_400
    assert 440 <= rows["crm_opportunity_line"] <= 700
