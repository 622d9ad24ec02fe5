"""Who may do what with cases, comments and articles: every profile, every verb (CRM-3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from deskgym_apps.kit.errors import Forbidden, NotFound, ServiceError

from .fixture import (
    ADA,
    DANA,
    INES,
    INVOICE,
    LEAK,
    NORA,
    OLGA,
    PRIYA,
    ROWAN,
    TRIAGE,
    WES,
    World,
    build_image,
    service_rows,
)

_ABOUT_CASES = {  # create, read, edit and delete the case of an account of Dana's, which Ines works on
    ADA: "cred",  # administrator
    NORA: "cred",  # Support Manager, the role above
    INES: "cre",  # Support Agent, owner
    DANA: "cred",  # owner of the account
    PRIYA: "cred",  # the role above the owner of the account
    WES: "cr",  # account open to read
    OLGA: "cred",  # Sales Operations may change every account
    ROWAN: "r",  # Read Only
}
_ABOUT_ARTICLES = {ADA: "cred", NORA: "cre", INES: "r", DANA: "r", PRIYA: "r", WES: "r", OLGA: "r", ROWAN: "r"}


@pytest.fixture(scope="module")
def case_image() -> bytes:
    return build_image(service_rows())


@pytest.fixture(params=["service", "tool"])
def world(request: pytest.FixtureRequest, case_image: bytes) -> Iterator[World]:
    opened = World(case_image, request.param)
    yield opened
    opened.close()


def may(attempt: Callable[[], object]) -> bool:
    """Whether it is done; refused is forbidden, or not found where the record is not to be read."""
    try:
        attempt()
    except (Forbidden, NotFound):
        return False
    return True


@pytest.mark.parametrize("person", _ABOUT_CASES)
def test_crm_3_what_each_profile_may_do_with_a_case(world: World, person: str) -> None:
    done = {
        "c": may(lambda: world.create("case", subject="x", by=person)),
        "r": may(lambda: world.ask("get", id=LEAK, by=person)),
        "e": may(lambda: world.update(LEAK, {"priority": "Low"}, by=person)),
        "d": may(lambda: world.delete(LEAK, by=person)),
    }
    assert "".join(letter for letter, is_done in done.items() if is_done) == _ABOUT_CASES[person]


@pytest.mark.parametrize("person", _ABOUT_ARTICLES)
def test_crm_3_what_each_profile_may_do_with_an_article(world: World, person: str) -> None:
    done = {
        "c": may(lambda: world.create("article", title="x", body="y", by=person)),
        "r": may(lambda: world.ask("get", id=TRIAGE, by=person)),
        "e": may(lambda: world.update(TRIAGE, {"category": "Triage"}, by=person)),
        "d": may(lambda: world.delete(TRIAGE, by=person)),
    }
    assert "".join(letter for letter, is_done in done.items() if is_done) == _ABOUT_ARTICLES[person]


def test_crm_3_nobody_changes_or_deletes_a_comment(world: World) -> None:
    comment = world.run("create_case_comment", {"case_id": LEAK, "body": "x"}, by=INES)["id"]
    for verb, more in (("update", {"row_version": 1, "values": {"body": "y"}}), ("delete", {}), ("undelete", {})):
        with pytest.raises(ServiceError):
            world.tool(verb, {"id": comment, **more}, by=ADA)
    assert world.row("case_comment", comment)["body"] == "x"


def test_crm_3_comments_are_read_by_who_reads_the_case(world_with: Callable[..., World]) -> None:
    world = world_with(service_rows(), case="private", account="private")
    world.run("create_case_comment", {"case_id": LEAK, "body": "x"}, by=INES)
    assert len(world.ids("case_comment", by=INES)) == 1
    assert len(world.ids("case_comment", by=NORA)) == 1
    assert world.ids("case_comment", by=WES) == []
    with pytest.raises(NotFound):
        world.run("create_case_comment", {"case_id": INVOICE, "body": "x"}, by=INES)
