"""The records a note is attached to: as many as the tool takes, without scripts too."""

from __future__ import annotations

import re
from html import unescape

from tests.crm.fixture import ALDERCROFT, BRIGHTMOOR, KESTREL, LOST, MARTA, NOTE, OSEI

from .conftest import FORM, Site, fields_of

NAMES = {
    ALDERCROFT: "Aldercroft Ltd",
    MARTA: "Marta Ilić",
    OSEI: "Kofi Osei",
    KESTREL: "Kestrel – FY26 renewal",
    LOST: "Aldercroft valves",
}


def form_in(page: str, action: str) -> dict[str, str]:
    return next(fields_of(body) for found, body in FORM.findall(page) if unescape(found) == action)


def test_a_note_is_attached_to_as_many_records_as_people_add(site: Site) -> None:
    path = "/crm/notes/new"
    fields = site.form(path) | {"title": "Terms", "body": "Net 30."}
    for at, name in enumerate(NAMES.values(), 1):
        if f"record_{at}__text" not in fields:
            response = site.post(path, fields | {"more": "1"})
            assert response.status_code == 200
            assert "Nothing was saved" not in response.text
            fields = form_in(response.text, path)
        fields[f"record_{at}__text"] = name
    assert site.commands() == []
    assert site.post(path, fields).status_code == 303
    expected = {"title": "Terms", "body": "Net 30.", "record_ids": list(NAMES)}
    assert site.command() == ("crm.create_note", expected)


def test_the_button_that_adds_a_lookup_ends_at_what_a_note_takes(site: Site) -> None:
    path, count = "/crm/notes/new", 2
    page = site.get(path)
    while "Add another record" in page:
        page = site.post(path, form_in(page, path) | {"more": "1"}).text
        count += 1
        assert count <= 10
    assert "record_10__text" in form_in(page, path)


def test_a_note_gets_a_further_record_in_its_edit_form(site: Site) -> None:
    path = f"/crm/notes/{NOTE}/edit"
    page = site.post(path, site.form(path) | {"title": "Terms and more", "more": "1"})
    fields = form_in(page.text, path)
    assert fields["title"] == "Terms and more"
    assert "record_5__text" in fields
    assert site.post(path, fields | {"record_5__text": "Aldercroft Ltd"}).status_code == 303
    operation, arguments = site.command()
    assert operation == "crm.update_note"
    assert arguments["values"]["title"] == "Terms and more"
    assert set(arguments["values"]["record_ids"]) == {KESTREL, MARTA, ALDERCROFT}


def test_each_record_that_is_not_found_is_named_at_its_own_lookup_with_choices(site: Site) -> None:
    path = "/crm/notes/new"
    fields = site.form(path) | {
        "title": "Terms",
        "body": "x",
        "record_1__text": "Alder",
        "record_2__text": "Nothing so",
    }
    refused = site.post(path, fields)
    assert refused.status_code == 422
    assert "Attached to: nothing is called exactly" in refused.text
    assert "Attached to (2): nothing is called &#34;Nothing so&#34;" in refused.text
    picks = re.findall(r'type="radio"[^>]*name="(record_1__pick)" value="([^"]*)"', refused.text)
    assert ("record_1__pick", ALDERCROFT) in picks
    fields = form_in(refused.text, path) | {"record_1__pick": ALDERCROFT, "record_2__text": "Brightmoor Süd GmbH"}
    assert site.post(path, fields).status_code == 303
    assert site.command()[1]["record_ids"] == [ALDERCROFT, BRIGHTMOOR]
