"""The knowledge base: who sees what, versions, publishing and archiving."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deskgym_apps.crm.routes.knowledge import blocks
from deskgym_apps.kit.errors import Forbidden, Invalid, NotFound

from .fixture import ADA, DANA, DRAFT, EXPIRED, INES, NORA, TRIAGE, World, build_image, service_rows
from .invariants import broken


@pytest.fixture(scope="module")
def case_image() -> bytes:
    return build_image(service_rows())


@pytest.fixture(params=["service", "tool"])
def world(request: pytest.FixtureRequest, case_image: bytes) -> Iterator[World]:
    opened = World(case_image, request.param)
    yield opened
    opened.close()


def test_colleagues_see_articles_that_are_published_and_valid(world: World) -> None:
    assert world.ids("article", by=DANA) == [TRIAGE]
    for article in (DRAFT, EXPIRED):
        with pytest.raises(NotFound):
            world.ask("get", id=article, by=INES)
    assert world.ids("article", by=NORA) == [TRIAGE, DRAFT, EXPIRED]
    assert world.ids("article", by=ADA) == [TRIAGE, DRAFT, EXPIRED]


@pytest.mark.parametrize(("first", "last", "seen"), [
    ("2031-03-14", None, True), ("2031-03-15", None, False), (None, "2031-03-14", True), (None, "2031-03-13", False),
])  # fmt: skip
def test_the_days_of_validity_are_both_included(world: World, first: str | None, last: str | None, seen: bool) -> None:
    world.update(TRIAGE, {"valid_from": first, "valid_to": last}, by=NORA)
    assert (TRIAGE in world.ids("article", by=INES)) == seen


def test_crm_14_articles_are_found_by_words_of_their_text(world: World) -> None:
    groups = world.ask("search", text="triage", by=DANA)["groups"]
    assert [row["id"] for group in groups for row in group["rows"]] == [TRIAGE]
    assert world.ask("search", text="gold others", by=DANA)["groups"][0]["rows"][0]["id"] == TRIAGE
    assert world.ask("search", text="refunds", by=DANA)["groups"] == []


def test_only_editors_write_articles(world: World) -> None:
    for person in (DANA, INES):
        with pytest.raises(Forbidden, match="may not create articles"):
            world.create("article", title="x", body="y", by=person)
        with pytest.raises(Forbidden):
            world.update(TRIAGE, {"title": "x"}, by=person)
    article = world.create("article", title="Returns", body="Within 30 days.", by=NORA)
    row = world.record(article)
    assert (row["number"], row["status"], row["version"]) == ("00000004", "Draft", 1)
    assert article not in world.ids("article", by=INES)


def test_publishing_shows_a_draft_from_today_and_archiving_hides_it(world: World) -> None:
    world.update(DRAFT, {"status": "Published"}, by=NORA)
    assert world.record(DRAFT)["valid_from"] == "2031-03-14"
    assert DRAFT in world.ids("article", by=INES)
    world.update(DRAFT, {"status": "Archived"}, by=NORA)
    assert DRAFT not in world.ids("article", by=INES)
    assert world.history(DRAFT) == [("status", "Draft", "Published"), ("status", "Published", "Archived")]


def test_a_new_text_is_a_new_version_and_the_old_one_is_kept(world: World) -> None:
    world.update(TRIAGE, {"category": "Triage"}, by=NORA)
    assert world.record(TRIAGE)["version"] == 1
    world.update(TRIAGE, {"body": "Read that."}, by=NORA)
    assert world.record(TRIAGE)["version"] == 2
    got = world.ask("get", id=TRIAGE, related=["versions"], by=INES)["related"]["versions"]["rows"]
    assert [(row["version"], row["body"][:9]) for row in got] == [(2, "Read that"), (1, "## Priori")]
    assert broken(world.store) == []


def test_an_article_ends_after_it_begins(world: World) -> None:
    with pytest.raises(Invalid, match="is before the first"):
        world.update(TRIAGE, {"valid_to": "2029-12-31"}, by=NORA)
    for values in ({"status": "Public"}, {"body": None}, {"visibility": "Secret"}):
        with pytest.raises(Invalid):
            world.update(TRIAGE, values, by=NORA)


def test_crm_10_articles_go_to_the_recycle_bin_and_come_back(world: World) -> None:
    world.delete(TRIAGE, by=ADA)
    assert world.ids("article", by=INES) == []
    assert world.record(world.create("article", title="Next", body="x", by=NORA))["number"] == "00000004"
    world.undelete(TRIAGE, by=ADA)
    assert world.ids("article", by=INES) == [TRIAGE]


def test_the_text_is_read_in_blocks() -> None:
    found = blocks("## Priority\n- Gold: **High**\n- else Low\nThen\nask.\n\n1. one\n2. two")
    assert [(block.kind, len(block.lines)) for block in found] == [
        ("heading", 1), ("list", 2), ("paragraph", 2), ("numbers", 2),
    ]  # fmt: skip
    assert [(run.text, run.strong) for run in found[1].lines[0]] == [("Gold: ", False), ("High", True)]
