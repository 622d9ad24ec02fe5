"""Lookups of forms without scripts: what is typed is resolved, or what it could mean is offered to choose from."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from tests.crm.fixture import ALDERCROFT, BRIGHTMOOR, DANA, MARTA, WES, build_image, ident

from deskgym_apps.kit.norm import norm

from .conftest import FORM, Site, Town, fields_of

NAMESAKE = ident("ACC", 21)
ODD_NAME = '50%_off "Deals" & O\'Neil'


def _account(number: int, name: str, city: str, owner: str) -> dict[str, Any]:
    at = "2030-11-04T10:00:00Z"
    trail = {"owner_id": owner, "created_at": at, "created_by": owner, "updated_at": at, "updated_by": owner}
    return {
        "id": ident("ACC", number), "name": name, "name_norm": norm(name), "bill_city": city, "currency": "USD", **trail
    }  # fmt: skip


@pytest.fixture(scope="module")
def namesakes() -> bytes:
    """A world with two accounts of one name, in two cities."""
    rows = [_account(21, "Aldercroft Ltd", "Cork", DANA), _account(22, ODD_NAME, "Leeds", DANA)]
    return build_image({"crm_account": rows})


@pytest.fixture(params=["aria", "native"])
def both(request: pytest.FixtureRequest, town: Town, namesakes: bytes) -> Site:
    """A signed-in browser without scripts, in each widget variant."""
    return town.enter(town.episode(namesakes, variation={"widgets": request.param}), DANA)


def choices(page: str) -> dict[str, tuple[str, str]]:
    """Label -> name and value of the radio buttons of a page, as people read them."""
    found = re.findall(
        r'<input[^>]*type="radio" id="[^"]*-pick-[^"]*" name="([^"]*)" value="([^"]*)"[^>]*><label[^>]*>(.*?)</label>',
        page,
    )
    return {unescape(re.sub("<[^>]*>", "", label)): (name, value) for name, value, label in found}


def again(site: Site, page: str, path: str) -> dict[str, str]:
    """The fields of a form that came back."""
    return next(fields_of(body) for action, body in FORM.findall(page) if unescape(action) == path)


def test_a_name_that_two_records_have_is_resolved_by_choosing_one(both: Site) -> None:
    path = "/crm/contacts/new"
    typed = {"last_name": "Okafor", "account_id__text": "aldercroft ltd"}
    refused = both.post(path, both.form(path) | typed)
    assert refused.status_code == 422
    offered = choices(refused.text)
    assert set(offered) == {"Aldercroft Ltd, Leeds, owner Dana Whitcombe", "Aldercroft Ltd, Cork, owner Dana Whitcombe"}
    name, value = offered["Aldercroft Ltd, Cork, owner Dana Whitcombe"]
    assert both.post(path, again(both, refused.text, path) | {name: value}).status_code == 303
    assert both.command() == ("crm.create_contact", {"last_name": "Okafor", "account_id": NAMESAKE})


def test_a_part_of_a_name_offers_the_records_it_could_mean(both: Site) -> None:
    path = "/crm/contacts/new"
    refused = both.post(path, both.form(path) | {"last_name": "Okafor", "account_id__text": "bright"})
    assert refused.status_code == 422
    assert "nothing is called exactly" in refused.text
    offered = choices(refused.text)
    assert [label.split(",")[0] for label in offered] == ["Brightmoor Süd GmbH"]
    name, value = next(iter(offered.values()))
    assert both.post(path, again(both, refused.text, path) | {name: value}).status_code == 303
    assert both.command()[1]["account_id"] == BRIGHTMOOR


def test_people_are_offered_with_the_account_they_work_for(both: Site) -> None:
    path = "/crm/tasks/new"
    refused = both.post(path, both.form(path) | {"subject": "Call", "who_id__text": "Mar"})
    assert [label for label in choices(refused.text) if label.startswith("Marta Ilić, Aldercroft Ltd, Buyer")]


def test_a_choice_counts_only_for_the_text_it_answered(both: Site) -> None:
    path = "/crm/contacts/new"
    refused = both.post(path, both.form(path) | {"last_name": "Okafor", "account_id__text": "Aldercroft Ltd"})
    name, _ = next(iter(choices(refused.text).values()))
    fields = again(both, refused.text, path) | {name: ALDERCROFT, "account_id__text": "Brightmoor Süd GmbH"}
    assert both.post(path, fields).status_code == 303
    assert both.command()[1]["account_id"] == BRIGHTMOOR


def test_a_chosen_record_stands_by_its_name_when_the_form_is_refused_for_something_else(both: Site) -> None:
    path = "/crm/contacts/new"
    refused = both.post(path, both.form(path) | {"account_id__text": "aldercroft ltd"})
    name, _ = next(iter(choices(refused.text).values()))
    refused = both.post(path, again(both, refused.text, path) | {name: NAMESAKE})
    assert refused.status_code == 422
    fields = again(both, refused.text, path)
    assert (fields["account_id"], fields["account_id__text"]) == (NAMESAKE, "Aldercroft Ltd")
    assert not choices(refused.text)
    assert both.post(path, fields | {"last_name": "Okafor"}).status_code == 303
    assert both.command()[1]["account_id"] == NAMESAKE


def test_a_name_with_what_tells_it_apart_means_that_one(both: Site) -> None:
    path = "/crm/contacts/new"
    text = "Aldercroft Ltd, Cork, owner Dana Whitcombe"
    both.post(path, both.form(path) | {"last_name": "Okafor", "account_id__text": text})
    assert both.command()[1]["account_id"] == NAMESAKE


def test_text_typed_over_another_record_never_takes_its_id_along(both: Site) -> None:
    path = f"/crm/contacts/{MARTA}/edit"
    fields = both.form(path) | {"owner_id__text": "Wes Halloran", "last_name": ""}
    refused = both.post(path, fields)
    assert refused.status_code == 422
    assert both.post(path, again(both, refused.text, path) | {"last_name": "Ilić"}).status_code == 303
    assert both.command()[1]["values"] == {"owner_id": WES}


ODD = ("%", "_", "'", '"', "\\", "🦊", "شركة", "x" * 5000, ",", ", ,", "a\u200bb", "--", "\x00", " . ")


def test_odd_texts_in_lookups_and_in_the_search_are_answered(both: Site) -> None:
    path = "/crm/contacts/new"
    fields = both.form(path) | {"last_name": "Okafor"}
    for text in ODD:
        refused = both.post(path, fields | {"account_id__text": text})
        assert refused.status_code == 422, text
        assert all(text in label for label in choices(refused.text)), text
        for url in ("/crm/lookup/account", "/crm/lookup/record", "/crm/search", "/crm/accounts"):
            assert both.client.get(url, query_string={"q": text[:300]}).status_code == 200, (url, text)
    assert both.post(path, fields | {"account_id__text": ODD_NAME}).status_code == 303
    assert both.command()[1]["account_id"] == ident("ACC", 22)


def test_events_and_notes_are_told_apart_in_the_persons_own_time(site_of: Callable[[str], Site]) -> None:
    page = site_of(DANA).get("/crm/search?q=visit")
    assert not re.search(r"\d{4}-\d\d-\d\dT", page)
