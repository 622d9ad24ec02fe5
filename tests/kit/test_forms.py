"""One input model gives the form and reads it back: touched fields only, typed text kept, one-time tokens."""

from __future__ import annotations

from typing import Any

import pytest
from tests.fixtures.pad.service import NoteChanges, NoteInput
from tests.fixtures.pad.world import ANA, BEN, MILK

from deskgym_apps.kit.call import read, run
from deskgym_apps.kit.canonical import full_dump
from deskgym_apps.kit.errors import FieldError, Invalid
from deskgym_apps.kit.forms import Face, Filler, form_token, read_form, show_form
from deskgym_apps.kit.operations import parse_input
from deskgym_apps.kit.store import Store
from deskgym_apps.kit.web import Option

LISBON, BERLIN = Filler("en_GB", "Europe/Lisbon"), Filler("de_DE", "Europe/Berlin")
URLS = {"parent_id": "/pad/lookup"}
ROW = {
    "title": " Buy milk", "body": "two\nlitres", "colour": "green", "pinned": True, "cost": "2.50",
    "about_on": "2031-05-14", "parent_id": None,
}  # fmt: skip


def posted(face: Face, **typed: str) -> dict[str, str]:
    """What a browser sends for a form as shown, with some controls changed."""
    sent: dict[str, str] = {}
    for name, field in face.fields.items():
        if field.kind == "lookup":
            sent |= {name: field.value, f"{name}__label": field.value_label, f"{name}__text": field.value_label}
        elif field.kind != "checkbox" or field.value == "1":
            sent[name] = field.value.replace("\n", "\r\n")
    return sent | typed


def note_form(**more: Any) -> Face:
    return show_form(NoteInput, LISBON, values={"colour": "yellow"}, lookup_urls=URLS, **more)


def test_controls_follow_the_input_model() -> None:
    face = note_form(units={"cost": "EUR"})
    kinds = {name: field.kind for name, field in face.fields.items()}
    assert kinds == {
        "title": "text", "body": "textarea", "colour": "select", "pinned": "checkbox", "cost": "money",
        "about_on": "date", "remind_at": "datetime", "parent_id": "lookup",
    }  # fmt: skip
    title, colour = face["title"], face["colour"]
    assert (title.label, title.help, title.required, title.max_length) == ("Title", "What it is about.", True, 80)
    assert [option.value for option in colour.options] == ["yellow", "green", "blue"]
    assert (colour.value, colour.required) == ("yellow", True)
    assert (face["cost"].unit, face["remind_at"].unit) == ("EUR", "Europe/Lisbon")
    assert not face["cost"].required
    assert face.section("About", "colour", "title").fields == (colour, title)


def test_an_update_form_holds_the_row() -> None:
    face = show_form(NoteChanges, LISBON, values=ROW, lookup_urls=URLS)
    assert face["title"].value == " Buy milk"
    assert (face["pinned"].value, face["cost"].value, face["about_on"].value) == ("1", "2.50", "2031-05-14")


def test_a_value_that_is_no_longer_among_the_options_stays_chosen() -> None:
    face = show_form(NoteChanges, LISBON, values=ROW, options={"colour": ["blue"]}, lookup_urls=URLS)
    assert [option.value for option in face["colour"].options] == ["blue", "green"]


@pytest.mark.parametrize("filler", [LISBON, BERLIN])
def test_x7_an_untouched_form_changes_nothing(filler: Filler) -> None:
    row = ROW | {"cost": "1.234"}
    face = show_form(NoteChanges, filler, values=row, lookup_urls=URLS)
    assert read_form(NoteChanges, posted(face), filler, values=row).changed() == {}


def test_x7_only_touched_fields_are_given_and_an_emptied_one_is_none() -> None:
    face = show_form(NoteChanges, LISBON, values=ROW, lookup_urls=URLS)
    form = posted(face, title="Buy tea ", about_on="15/05/2031", cost="2.5", body="")
    del form["pinned"]
    changed = read_form(NoteChanges, form, LISBON, values=ROW).changed()
    assert changed == {"title": "Buy tea ", "about_on": "2031-05-15", "body": None, "pinned": False}


def test_a_create_leaves_out_what_is_empty_and_what_equals_the_default() -> None:
    form = posted(note_form(), title="Call", cost="1,250.00", remind_at="14 May 2031, 09:30")
    created = read_form(NoteInput, form, LISBON, values={"colour": "yellow"}).created()
    assert created == {"title": "Call", "cost": "1250", "remind_at": "2031-05-14T08:30:00Z"}


def test_numbers_and_dates_are_read_by_the_fillers_locale() -> None:
    form = posted(note_form(), title="Anruf", cost="1.250,50", about_on="14.05.2031", remind_at="14.05.2031 09:30")
    created = read_form(NoteInput, form, BERLIN, values={"colour": "yellow"}).created()
    assert created == {
        "title": "Anruf", "cost": "1250.5", "about_on": "2031-05-14", "remind_at": "2031-05-14T07:30:00Z",
    }  # fmt: skip


def test_an_inline_form_of_one_field_leaves_the_others_alone() -> None:
    changed = read_form(NoteChanges, {"colour": "blue"}, LISBON, values=ROW, only=["colour"]).changed()
    assert changed == {"colour": "blue"}


def test_x12_every_fault_is_named_and_every_typed_text_stands_again() -> None:
    form = posted(note_form(), title=" ", cost="a lot", about_on="31/02/2031", colour="pink", body="kept  ")
    with pytest.raises(Invalid) as caught:
        read_form(NoteInput, form, LISBON, values={"colour": "yellow"}).created()
    faults = {fault.field or "": fault.shown for fault in caught.value.errors}
    assert set(faults) == {"title", "cost", "about_on", "colour"}
    face = note_form(typed=form, faults=(*caught.value.errors, FieldError(None, "Too many notes")))
    assert {name: field.value for name, field in face.fields.items() if field.kind != "checkbox"} == {
        "title": " ", "body": "kept  ", "colour": "pink", "cost": "a lot", "about_on": "31/02/2031",
        "remind_at": "", "parent_id": "",
    }  # fmt: skip
    assert all(face[name].error == message for name, message in faults.items())
    assert face.errors == ("Too many notes",)


def test_a_lookup_takes_a_picked_record_or_text_that_means_one() -> None:
    found = {
        "Buy milk": [Option(MILK, "Buy milk")],
        "Stone": [Option("A", "Stone", "Ana"), Option("B", "Stone", "Ben")],
    }

    def submit(**lookup: str) -> Any:
        form = {"title": "x"} | {f"parent_id{name.strip('_') and '__' + name}": value for name, value in lookup.items()}
        return read_form(NoteInput, form, LISBON, resolve=lambda _field, text: found.get(text, []))

    picked = submit(text="Anything", label="Anything", _=BEN)
    assert picked.created()["parent_id"] == BEN
    assert submit(text="Buy milk", label="Anything", _=BEN).created()["parent_id"] == MILK
    assert "parent_id" not in submit(text="", label="Anything", _=BEN).created()
    two = submit(text="Stone")
    assert two.candidates["parent_id"] == tuple(found["Stone"])
    with pytest.raises(Invalid, match='2 records are called "Stone"'):
        two.created()
    with pytest.raises(Invalid, match='nothing is called "Rum"'):
        submit(text="Rum").created()
    chosen = {"parent_id__pick": "B", "parent_id__asked": "Stone", "parent_id__text": "Stone", "title": "x"}
    assert read_form(NoteInput, chosen, LISBON).created()["parent_id"] == "B"


@pytest.mark.parametrize(
    ("near", "offer"),
    [
        ([Option("A", "Stone", "Ana"), Option("B", "Stout", "Ben")], "choose one of these"),
        ([Option("A", "Stone", "Ana")], "choose the one offered"),
    ],
)
def test_a_part_of_a_name_is_refused_with_the_records_it_could_mean(near: list[Option], offer: str) -> None:
    form = {"title": "x", "parent_id__text": "Sto"}
    typed = read_form(NoteInput, form, LISBON, resolve=lambda _field, _text: [], near=lambda _field, _text: near)
    assert typed.candidates["parent_id"] == tuple(near)
    with pytest.raises(Invalid, match=f'nothing is called exactly "Sto"; {offer} or type another name'):
        typed.created()


def test_what_is_read_beside_a_label_never_names_the_field_as_tools_do() -> None:
    with pytest.raises(Invalid) as caught:
        parse_input(NoteInput, {"title": "x" * 200, "colour": "pink", "pinned": "perhaps", "cost": None})
    faults = {fault.field or "": fault for fault in caught.value.errors}
    assert set(faults) == {"title", "colour", "pinned"}
    for name, fault in faults.items():
        assert name in fault.message
        assert name not in fault.shown
    assert faults["title"].shown == "use at most 80 characters; there are 200 now"


def test_a_stale_id_under_retyped_text_does_not_come_back_with_a_refused_form() -> None:
    form = {"title": "", "parent_id": MILK, "parent_id__label": "Buy milk", "parent_id__text": "Stone"}
    field = note_form(typed=form)["parent_id"]
    assert (field.value, field.value_label) == ("", "Stone")


def test_what_a_form_gives_is_what_a_tool_would_give(store: Store, file_store: Store) -> None:
    row = next(row for row in read(store, "pad.read_notes", {}, person_id=ANA) if row["id"] == MILK)
    face = show_form(NoteChanges, LISBON, values=row, lookup_urls=URLS)
    changed = read_form(NoteChanges, posted(face, title="Buy oat milk", cost="3,000"), LISBON, values=row).changed()
    by_tool = {"title": "Buy oat milk", "cost": 3000}
    for home, values in ((store, changed), (file_store, by_tool)):
        arguments = {"id": MILK, "row_version": 1, "values": values}
        run(home, "pad.change_note", arguments, person_id=ANA, channel="ui")
    assert full_dump(store) == full_dump(file_store)


def test_x6_a_form_token_holds_until_the_next_command_and_for_one_form_of_one_person(store: Store) -> None:
    def tokens() -> list[str]:
        return [
            form_token(store, ANA, "pad.change_note", MILK, 1),
            form_token(store, ANA, "pad.change_note", MILK, 2),
            form_token(store, ANA, "pad.change_note", "", 1),
            form_token(store, ANA, "pad.write_note"),
            form_token(store, BEN, "pad.write_note"),
        ]

    before, dump = tokens(), full_dump(store)
    assert len(set(before)) == 5
    assert tokens() == before
    assert full_dump(store) == dump
    run(store, "pad.choose_layout", {"layout": "wide"}, person_id=BEN, channel="ui")
    assert not set(tokens()) & set(before)
