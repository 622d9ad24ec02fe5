"""Seeded cases and articles: the queues, the threads, the mess, and what the knowledge base says about them."""

from collections import Counter

from deskgym_apps.crm.rules_cases import may_reopen
from deskgym_apps.kit.store import Store
from deskgym_seeds.crm.triage import OWNERS, REASONS, post_of, priority_of
from deskgym_seeds.world import World


def names(store: Store) -> dict[str, str]:
    found = {row["id"]: row["name"] for row in store.all("SELECT id, name FROM org_person")}
    return found | {row["id"]: row["name"] for row in store.all("SELECT id, name FROM crm_group")}


def test_numbers_follow_the_order_of_arrival_without_gaps(store: Store) -> None:
    rows = store.all("SELECT number, created_at FROM crm_case ORDER BY number")
    assert [row["number"] for row in rows] == [f"{at:08d}" for at in range(1, len(rows) + 1)]
    assert [row["created_at"] for row in rows] == sorted(row["created_at"] for row in rows)


def test_each_queue_holds_new_cases_and_its_members_hold_the_rest(store: Store) -> None:
    called = names(store)
    held = Counter(called[row["owner_id"]] for row in store.all("SELECT owner_id FROM crm_case WHERE status = 'New'"))
    assert all(held[queue] >= 10 for queue in OWNERS)
    queues = {row["id"] for row in store.select("crm_group", kind="queue")}
    assert not [row for row in store.all("SELECT * FROM crm_case WHERE status <> 'New'") if row["owner_id"] in queues]


def test_cases_gather_at_few_accounts_and_stand_in_every_status(store: Store) -> None:
    counts = Counter(row["account_id"] for row in store.all("SELECT account_id FROM crm_case"))
    assert counts.most_common(1)[0][1] >= 8
    statuses = Counter(row["status"] for row in store.all("SELECT status FROM crm_case"))
    assert statuses["Closed"] > 200
    assert statuses["Working"] > 40
    assert statuses["New"] >= 44


def test_a_child_case_follows_a_case_closed_more_than_two_weeks_before(store: Store) -> None:
    rows = store.all("SELECT c.created_at, p.closed_at FROM crm_case c JOIN crm_case p ON p.id = c.parent_id")
    assert rows
    assert not [row for row in rows if row["closed_at"] is None or may_reopen(row["closed_at"], row["created_at"])]


def test_a_closed_case_has_the_reason_that_its_last_customer_gave(store: Store) -> None:
    for row in store.all("SELECT * FROM crm_case WHERE status = 'Closed'"):
        reason, _, order = row["resolution"].partition("; ")
        assert reason == row["reason"]
        assert reason in (*REASONS.values(), "Duplicate")
        mails = store.all("SELECT body FROM crm_email_message WHERE what_id = ?", (row["id"],))
        assert any(order in mail["body"] for mail in mails)


def test_threads_of_cases_are_in_order_and_replies_say_so(store: Store) -> None:
    threads: dict[str, list[str]] = {}
    for row in store.all("SELECT * FROM crm_email_message WHERE what_id LIKE 'CAS%' ORDER BY thread_id, sent_at, id"):
        threads.setdefault(row["thread_id"], []).append(row["subject"])
    assert len(threads) > 300
    for subjects in threads.values():
        assert subjects[1:] == [f"Re: {subjects[0]}"] * (len(subjects) - 1)


def test_requests_for_figures_are_about_the_own_contract_and_about_others(store: Store, small: World) -> None:
    entries = small.oracle["crm.contract_request"]
    assert min(Counter(entry["own"] for entry in entries).values()) >= 6  # of what was won by customers who write
    for entry in entries:
        case, deal = store.get("crm_case", entry["key"]), store.get("crm_opportunity", entry["deal"])
        assert case is not None
        assert deal is not None
        assert (case["account_id"] == deal["account_id"]) == entry["own"]
        assert deal["name"] in case["description"]


def test_duplicate_cases_say_the_same_within_the_hour(store: Store, small: World) -> None:
    for entry in small.oracle["crm.duplicate_case"]:
        one, two = store.get("crm_case", entry["of"]), store.get("crm_case", entry["key"])
        assert one is not None
        assert two is not None
        assert (one["subject"], one["contact_id"]) == (two["subject"], two["contact_id"])
        assert one["number"] < two["number"]


def test_the_triage_article_names_every_queue_and_owner(store: Store) -> None:
    article = store.one(
        "SELECT body FROM crm_article WHERE title LIKE 'Triage of new cases:%' AND status = 'Published'"
    )
    assert article is not None
    assert all(f"**{queue}**" in article["body"] for queue in OWNERS)
    owners = {
        post_of(queue, country) for queue in OWNERS for country in ("Germany", "France", "United States", "Japan")
    }
    assert owners == {"engineer", "service", "lab", "planner", "controller"}


def test_triage_takes_the_first_line_that_fits() -> None:
    gold = {"type": "Customer", "sla_tier": "Gold"}
    assert priority_of("The line has STOPPED.", gold | {"type": "Former Customer"}) == "Low"
    assert priority_of("The line has stopped.", gold | {"sla_tier": None}) == "High"
    assert [priority_of("x", gold | {"sla_tier": tier}) for tier in ("Gold", "Silver", "Bronze", None)] == [
        "High", "Medium", "Low", "Low",
    ]  # fmt: skip


def test_articles_say_nothing_unfilled_and_one_of_each_status_exists(store: Store) -> None:
    rows = store.all("SELECT * FROM crm_article")
    assert {row["status"] for row in rows} == {"Draft", "Published", "Archived"}
    assert 12 <= len(rows) <= 20
    assert not [row for row in rows if any(sign in row["body"] for sign in "{}[]")]
    assert any(row["valid_to"] and row["valid_to"] < store.now[:10] for row in rows)
