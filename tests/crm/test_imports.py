"""Importing files of records, clause by clause (CRM-5), through both doors."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest

from deskgym_apps.crm import rules_import
from deskgym_apps.kit.canonical import state_hash
from deskgym_apps.kit.errors import Forbidden, Invalid, NotFound, ServiceError

from .fixture import (
    ADA,
    ALDERCROFT,
    BRIGHTMOOR,
    DANA,
    INES,
    LUIS,
    MARTA,
    OLGA,
    OSEI,
    PRIYA,
    ROWAN,
    World,
    build_image,
    ident,
)
from .invariants import broken
from .lead_rows import IVO, lead_rows
from .test_duplicates import rule_rows

LEADS = "Name,Firm,Mail\n"
MAPPING = {"Name": "last_name", "Firm": "company", "Mail": "email"}


@pytest.fixture(scope="module")
def import_image() -> bytes:
    return build_image({**lead_rows(), "crm_matching_rule": rule_rows()})


@pytest.fixture(params=["service", "tool"])
def world(request: pytest.FixtureRequest, import_image: bytes) -> Iterator[World]:
    opened = World(import_image, request.param)
    yield opened
    assert broken(opened.store) == []
    opened.close()


def bring(world: World, text: str, thing: str = "lead", by: str = ADA, **more: Any) -> dict[str, Any]:
    """Import a file of leads, or of other things."""
    given = {"csv": text, "object": thing, "mapping": MAPPING} | more
    found: dict[str, Any] = (
        world.tool("import", given, by=by) if world.door == "tool" else world.run("import_records", given, by=by)
    )
    return found


def counts(done: dict[str, Any]) -> tuple[int, int, int, int]:
    return done["created"], done["updated"], done["skipped"], done["failed"]


def refused(world: World, error: type[ServiceError], text: str, *args: Any, **more: Any) -> str:
    before = state_hash(world.store)
    with pytest.raises(error) as caught:
        bring(world, text, *args, **more)
    assert state_hash(world.store) == before
    return caught.value.message


def made(world: World, thing: str = "lead") -> list[dict[str, Any]]:
    """The records that imports created, in the order of their rows."""
    rows = world.store.all("SELECT record_id FROM crm_import_row WHERE outcome = 'created' ORDER BY job_id, row_no")
    return [world.row(thing, row["record_id"]) for row in rows]


# Files


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", "comma"),
        ("a;b\n1,5;2\n", "semicolon"),
        ("a\tb\n1;2\t3\n", "tab"),
        ('"a;x",b\n1;2;3,4\n', "comma"),
        ("a\n1\n", "comma"),
        ("\ufeffa;b\r\n1;2\r\n", "semicolon"),
        ("a;b\r1;2\r", "semicolon"),
    ],
)
def test_crm_5_the_separator_is_found_in_the_first_line(text: str, separator: str) -> None:
    sheet = rules_import.read_sheet(text)
    assert sheet.separator == separator
    assert sheet.columns[0] in ("a", "a;x")
    assert len(sheet.rows) == 1


def test_crm_5_quoted_cells_keep_separators_quotes_and_line_ends() -> None:
    sheet = rules_import.read_sheet('a,b\r\n"x, ""y""\r\nz",2\r\n\r\n,\r\n"",3\r\n')
    assert sheet.rows == (('x, "y"\nz', "2"), ("", "3"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ('a,b\n1,"2\n3,4\n', "a quote is opened and never closed"),
        ('a,b\n1,"2"x\n', "line 2 cannot be read"),
        ("a,,b\n1,2,3\n", "column 2 has no name"),
        ("a,b,a\n1,2,3\n", 'two columns are called "a"'),
        ("a\n\x00\n", "NUL"),
        ("a\n" + "x\n" * 100_000, "100,000 rows; at most 2,000"),
        ("a\n" + "x" * 400_001, "at most 400,000"),
        (",".join(f"c{at}" for at in range(61)) + "\n", "61 columns; at most 60"),
        ("a\n" + "x" * 200_000 + "\n", "too long"),
    ],
)
def test_crm_5_a_file_that_cannot_be_read_is_refused_with_its_fault(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        rules_import.read_sheet(text)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a\nM\xe4rz\n", "line 2 is not UTF-8 .byte 0xE4."),
        (b"\xff\xfea\x00", "UTF-16"),
        (b"PK\x03\x04...", "workbook"),
    ],
)
def test_crm_5_a_file_in_another_encoding_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        rules_import.decoded(content)
    assert rules_import.decoded("März".encode()) == "März"


@pytest.mark.parametrize(
    ("text", "written", "number"),
    [
        ("1,234.50", "1,234.50", "1234.50"),
        ("1.234,50", "1.234,50", "1234.50"),
        ("1\u00a0234,5", "1 234,50", "1234.5"),
        ("1’234.5", "1'234.50", "1234.5"),
        ("-12", "1.234,50", "-12"),
        ("1234567", "1,234.50", "1234567"),
        ("1.5", "1.234,50", None),
        ("1.234", "1.234,50", "1234"),
        ("12,34.5", "1,234.50", None),
        ("1e5", "1,234.50", None),
        ("٣", "1,234.50", None),
        ("", "1,234.50", None),
    ],
)
def test_crm_5_numbers_are_read_as_chosen_and_not_guessed(text: str, written: str, number: str | None) -> None:
    if number is None:
        with pytest.raises(ValueError, match="is not a number"):
            rules_import.number_text(text, written)
    else:
        assert rules_import.number_text(text, written) == number


def test_crm_5_dates_are_read_as_chosen_and_are_no_instants() -> None:
    assert rules_import.day_text("03.04.2031", "DD.MM.YYYY") == "2031-04-03"
    assert rules_import.day_text("3/4/2031", "MM/DD/YYYY") == "2031-03-04"
    for text, written in (("2031-02-30", "YYYY-MM-DD"), ("03.04.2031", "YYYY-MM-DD"), ("13/13/2031", "DD/MM/YYYY")):
        with pytest.raises(ValueError, match="is no"):
            rules_import.day_text(text, written)


def test_crm_5_the_file_of_errors_runs_nothing_and_can_be_imported_again() -> None:
    text = rules_import.error_file(("A", "=B"), [(("=1+1", "-x", "more"), "@bad"), (("+4912",), "short")], "semicolon")
    rows = list(csv.reader(io.StringIO(text), delimiter=";"))
    assert rows == [["A", "'=B", "_error"], ["'=1+1", "'-x", "more", "'@bad"], ["'+4912", "", "short"]]
    assert rules_import.cell_text("'=1+1") == "=1+1"
    assert rules_import.cell_text("'s Hertogenbosch") == "'s Hertogenbosch"
    again = rules_import.error_file(("A", "_error"), [(("x", "old"), "new")], "comma")
    assert again == "A,_error\r\nx,new\r\n"


# Rows


def test_crm_5_text_columns_keep_their_zeros(world: World) -> None:
    more: dict[str, Any] = {"mapping": MAPPING | {"Zip": "postcode", "Note": "description"}}
    done = bring(world, "Name,Firm,Zip,Note,Mail\nIlic,Tern,02138,00123,\n", **more)
    assert counts(done) == (1, 0, 0, 0)
    assert [(row["postcode"], row["description"], row["email"]) for row in made(world)] == [("02138", "00123", None)]


def test_crm_5_numbers_money_and_yes_and_no_are_what_the_field_says(world: World) -> None:
    mapping = {"N": "last_name", "F": "company", "R": "annual_revenue", "E": "employees", "W": "currency"}
    text = "N;F;R;E;W;O\nIlic;Tern;1.234,50;1.200;EUR;ja\n"
    bring(world, text, mapping=mapping, numbers="1.234,50")
    assert [(row["annual_revenue"], row["employees"], row["currency"]) for row in made(world)] == [
        (123_450, 1200, "EUR")
    ]
    said = refused(world, Invalid, text, mapping=mapping | {"O": "do_not_call"}, numbers="1.234,50")
    assert 'row 1: Do not call: "ja" is neither yes nor no' in said


def test_crm_5_dates_of_deals_are_dates(world: World) -> None:
    mapping = {"D": "name", "A": "account_id", "C": "close_date"}
    done = bring(world, "D,A,C\nPumps,ALDERCROFT LTD,30.04.2031\n", "opportunity", mapping=mapping, dates="DD.MM.YYYY")
    assert counts(done) == (1, 0, 0, 0)
    row = made(world, "opportunity")[0]
    assert (row["close_date"], row["account_id"]) == ("2031-04-30", ALDERCROFT)


def test_crm_5_lookups_take_a_name_or_an_id_and_an_ambiguous_name_is_an_error(world: World) -> None:
    world.create("account", by=ADA, name="Brightmoor Süd GmbH")
    mapping = {"L": "last_name", "A": "account_id", "O": "owner_id"}
    text = (
        f"L,A,O\nOne,{ALDERCROFT},Luis Ortega\nTwo,aldercroft ltd,luis@northbeam.example\nThree,Brightmoor Süd GmbH,\n"
        f"Four,Nobody Ltd,\nFive,,Tom Bexley\nSix,ACC0000000000ZZ,\nSeven,{BRIGHTMOOR},{LUIS}\n"
    )
    done = bring(world, text, "contact", mapping=mapping, on_failure="skip")
    assert counts(done) == (3, 0, 0, 4)
    assert [(row["account_id"], row["owner_id"]) for row in made(world, "contact")] == [
        (ALDERCROFT, LUIS),
        (ALDERCROFT, LUIS),
        (BRIGHTMOOR, LUIS),
    ]
    errors = {row["row"]: row["error"] for row in done["rows"]}
    assert '2 accounts are called "Brightmoor Süd GmbH"' in errors[3]
    assert 'there is no account called "Nobody Ltd"' in errors[4]
    assert "not active" in errors[5]
    assert 'there is no account "ACC0000000000ZZ"' in errors[6]


def test_crm_5_the_worked_example_40_rows(world: World) -> None:
    bring(world, LEADS + "".join(f"Old{at},Firm{at},old{at}@example.com\n" for at in range(5)))
    rows = [f"New{at},Other{at},new{at}@example.com" for at in range(32)]
    rows += [f"Renamed{at},Firm{at},old{at}@example.com" for at in range(5)]
    rows += [f"Bad{at},Worse{at},bad{at}@@example" for at in range(3)]
    text = LEADS + "".join(f"{row}\n" for row in rows)
    done = bring(world, text, duplicate_action="update", on_failure="skip")
    assert counts(done) == (32, 5, 0, 3)
    assert done["total"] == 40
    job = world.row("import_job", done["job_id"])
    assert job["created"] + job["updated"] + job["skipped"] + job["failed"] == job["total"] == 40
    assert [row["row"] for row in done["rows"]] == [38, 39, 40]
    assert all("it needs one @" in row["error"] for row in done["rows"])
    updated = world.store.all("SELECT record_id FROM crm_import_row WHERE outcome = 'updated' ORDER BY row_no")
    assert world.row("lead", updated[0]["record_id"])["last_name"] == "Renamed0"


@pytest.mark.parametrize(
    ("action", "expected"), [("skip", (1, 0, 1, 0)), ("update", (1, 1, 0, 0)), ("create", (2, 0, 0, 0))]
)
def test_crm_5_the_duplicate_action_of_the_job(world: World, action: str, expected: tuple[int, ...]) -> None:
    text = LEADS + "Petrow,Halden,ivo@halden.example\nNew,Firm,new@example.com\n"
    done = bring(world, text, duplicate_action=action)
    assert counts(done) == expected
    assert world.record(IVO)["last_name"] == ("Petrow" if action == "update" else "Petrov")
    if action == "skip":
        assert "a duplicate of Ivo Petrov" in done["rows"][0]["error"]


def test_crm_5_rows_of_one_file_are_compared_with_each_other(world: World) -> None:
    text = LEADS + "One,Firm,one@example.com\nTwo,Other,one@example.com\n"
    assert counts(bring(world, text, dry_run=True)) == (1, 0, 1, 0)
    assert "row 1 of this file was about" in refused(world, Invalid, text, duplicate_action="update")
    assert counts(bring(world, text, duplicate_action="create")) == (2, 0, 0, 0)


def test_crm_5_a_rule_that_blocks_stops_every_action_but_skip_and_update(world: World) -> None:
    mapping = {"N": "last_name", "M": "email"}
    text = "N,M\nNew,m.ilic@aldercroft.example\n"
    said = refused(world, Invalid, text, "contact", mapping=mapping, duplicate_action="create")
    assert "Contacts of the same e-mail" in said
    assert counts(bring(world, text, "contact", mapping=mapping)) == (0, 0, 1, 0)
    assert counts(bring(world, text, "contact", mapping=mapping, duplicate_action="update")) == (0, 1, 0, 0)
    assert world.record(MARTA)["last_name"] == "New"


def test_crm_5_update_and_upsert_find_records_by_id_number_or_email(world: World) -> None:
    text = f"Id,Title\n{MARTA},CEO\n"
    done = bring(world, text, "contact", mapping={"Id": "id", "Title": "title"}, mode="update", match_field="id")
    assert counts(done) == (0, 1, 0, 0)
    text = "No,Name,City\n00012345,Aldercroft,York\n00077777,Fenwick,Hull\n"
    mapping = {"No": "account_number", "Name": "name", "City": "bill_city"}
    done = bring(world, text, "account", mapping=mapping, mode="upsert", match_field="account_number")
    assert counts(done) == (1, 1, 0, 0)
    assert world.record(ALDERCROFT)["bill_city"] == "York"
    text = "Mail,Title\nM.ILIC@aldercroft.example,CTO\nnobody@example.com,CFO\n,COO\n"
    mapping = {"Mail": "email", "Title": "title"}
    more: dict[str, Any] = {"mapping": mapping, "mode": "update", "match_field": "email", "on_failure": "skip"}
    done = bring(world, text, "contact", **more)
    assert counts(done) == (0, 1, 0, 2)
    assert world.record(MARTA)["title"] == "CTO"
    assert "there is no contact with E-mail" in done["rows"][0]["error"]


def test_crm_5_several_records_with_the_value_are_a_row_error(world: World) -> None:
    world.update(OSEI, {"email": "m.ilic@aldercroft.example"}, allow_duplicates=True)
    more = {"mapping": {"M": "email", "T": "title"}, "mode": "update", "match_field": "email"}
    assert "2 contacts have E-mail" in refused(world, Invalid, "M,T\nm.ilic@aldercroft.example,X\n", "contact", **more)


def test_crm_5_empty_cells_leave_a_field_unless_they_are_to_clear_it(world: World) -> None:
    more: dict[str, Any] = {"mapping": {"I": "id", "T": "title"}, "mode": "update", "match_field": "id"}
    bring(world, f"I,T\n{MARTA},\n", "contact", **more)
    assert world.record(MARTA)["title"] == "Buyer"
    bring(world, f"I,T\n{MARTA},\n", "contact", clear_blanks=True, **more)
    assert world.record(MARTA)["title"] is None


def test_crm_5_a_dry_run_counts_and_shows_ten_rows_and_keeps_nothing(world: World) -> None:
    text = LEADS + "".join(f"N{at},F{at},n{at}@example.com\n" for at in range(11)) + "X,Y,bad\n"
    before, now = state_hash(world.store), world.store.now
    done = bring(world, text, dry_run=True)
    assert (state_hash(world.store), world.store.now) == (before, now)
    assert world.store.all("SELECT 1 FROM jrn_command") == []
    assert (counts(done), done["job_id"], len(done["preview"])) == ((11, 0, 0, 1), None, 10)
    assert done["preview"][0]["values"] == {"last_name": "N0", "company": "F0", "email": "n0@example.com"}
    assert done["rows"][0]["row"] == 12
    first = bring(world, text, on_failure="skip")
    assert counts(first) == counts(done)


def test_crm_5_no_partial_job_unless_asked(world: World) -> None:
    text = LEADS + "Good,Firm,good@example.com\nBad,Firm,bad\n"
    said = refused(world, Invalid, text)
    assert "nothing was imported, because 1 row fails: row 2" in said
    assert "on_failure=skip imports the other 1" in said


def test_crm_5_required_picklist_and_other_checks_run_per_row(world: World) -> None:
    mapping = MAPPING | {"Status": "status", "Country": "country", "Phone": "phone"}
    text = (
        "Name,Firm,Mail,Status,Country,Phone\n,Firm,,,,\nA,,,,,\nB,Firm,,nurturing,,\nC,Firm,,Qualified,,\n"
        "D,Firm,,Somehow,,\nE,Firm,,,Germany,030 1234567\nF,Firm,x\nG,Firm,,,,12\n"
    )
    done = bring(world, text, mapping=mapping, on_failure="skip")
    assert [row["row"] for row in done["rows"]] == [1, 2, 4, 5, 7, 8]
    errors = [row["error"] for row in done["rows"]]
    assert "last_name is required" in errors[0]
    assert "company is required" in errors[1]
    assert "set by converting" in errors[2]
    assert "must be one of" in errors[3]
    assert "this row has 3 cells and the first line 6" in errors[4]
    assert [(row["status"], row["phone"]) for row in made(world)] == [
        ("Nurturing", None),
        ("Open - Not Contacted", "+49301234567"),
    ]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"mapping": {"Nome": "last_name"}}, 'no column "Nome". Did you mean "Name"'),
        ({"mapping": {"Name": "lastname"}}, 'lead has no field "lastname" to set. Did you mean "last_name"'),
        ({"mapping": {"Name": "last_name"}}, "map a column to company"),
        ({"mapping": MAPPING | {"Mail": "last_name"}}, "two columns are mapped to last_name"),
        ({"mapping": {"Name": "last_name", "Firm": "company", "Mail": "id"}}, "ids are given by the server"),
        ({"mapping": {"Name": "last_name", "Firm": "company", "Mail": "created_at"}}, 'no field "created_at"'),
        ({"mode": "update"}, "update finds a lead by id or email"),
        ({"mode": "upsert", "match_field": "phone"}, "upsert finds a lead by id or email"),
        ({"mode": "upsert", "match_field": "id"}, "map a column to id"),
        ({"match_field": "email"}, "only update and upsert"),
        ({"thing": "case"}, 'no import of "case"'),
        ({"mapping": {}}, "mapping"),
        ({"numbers": "1_000"}, "numbers"),
    ],
)
def test_crm_5_options_that_cannot_be_are_refused(world: World, more: dict[str, Any], said: str) -> None:
    assert said in refused(world, Invalid, LEADS + "A,B,c@example.com\n", **more)


def test_crm_5_a_file_without_rows_and_a_broken_one_are_refused(world: World) -> None:
    assert "no rows" in refused(world, Invalid, LEADS)
    assert "never closed" in refused(world, Invalid, LEADS + '"A,B\n')


def test_crm_5_needs_the_rights_that_its_rows_need(world: World) -> None:
    text = LEADS + "A,B,c@example.com\n"
    for person in (ROWAN, INES):
        assert "many" in refused(world, Forbidden, text, by=person)
    bring(world, text, by=DANA)
    assert "many accounts" in refused(world, Forbidden, "N\nX\n", "account", mapping={"N": "name"}, by=DANA)
    more: dict[str, Any] = {"mapping": {"I": "id", "C": "company"}, "mode": "update", "match_field": "id"}
    assert "no lead with Record id" in refused(world, Invalid, f"I,C\n{IVO},X\n", by=DANA, **more)
    mapping = {"I": "id", "T": "title"}
    more = {"mapping": mapping, "mode": "update", "match_field": "id"}
    assert "but not change" in refused(world, Invalid, f"I,T\n{ident('CON', 3)},X\n", "contact", by=DANA, **more)


# Jobs


def undo(world: World, job_id: str, by: str = ADA) -> Any:
    if world.door == "tool":
        return world.tool("import", {"undo": job_id}, by=by)
    return world.run("undo_import", {"id": job_id}, by=by)


def test_crm_5_undo_removes_what_was_created_and_not_changed_since(world: World) -> None:
    text = LEADS + "".join(f"N{at},F{at},n{at}@example.com\n" for at in range(4)) + "P,H,ivo@halden.example\n"
    done = bring(world, text, by=PRIYA, duplicate_action="update")
    rows = made(world)
    world.update(rows[0]["id"], {"title": "CEO"}, by=PRIYA)
    world.create("task", by=PRIYA, subject="Call", who_id=rows[1]["id"])
    world.delete(rows[2]["id"], by=PRIYA)
    found = undo(world, done["job_id"], by=PRIYA)
    assert found["removed"] == 1
    assert [(one["id"], one["why"]) for one in found["kept"]] == [
        (rows[0]["id"], "it was changed since"),
        (rows[1]["id"], "something was added to it since"),
    ]
    assert [world.record(row["id"])["is_deleted"] for row in rows] == [0, 0, 1, 1]
    assert world.record(IVO)["last_name"] == "P"
    with pytest.raises(Invalid, match="undone before"):
        undo(world, done["job_id"], by=PRIYA)
    job = world.row("import_job", done["job_id"])
    assert (job["is_undone"], job["undone_by"], job["undone_at"]) == (1, PRIYA, world.store.now)


def test_crm_5_an_import_is_seen_and_undone_by_its_maker_and_administrators(world: World) -> None:
    done = bring(world, LEADS + "A,B,c@example.com\nX,Y,bad\n", by=DANA, on_failure="skip")
    for person in (OLGA, PRIYA):
        with pytest.raises(NotFound):
            world.read("import_job", {"id": done["job_id"]}, by=person)
        with pytest.raises(NotFound):
            world.read("import_errors", {"id": done["job_id"]}, by=person)
        with pytest.raises(NotFound):
            undo(world, done["job_id"], by=person)
        assert world.read("imports", by=person)["total"] == 0
    assert world.read("imports", by=ADA)["total"] == world.read("imports", by=DANA)["total"] == 1
    shown = world.read("import_job", {"id": done["job_id"]}, by=DANA)
    assert [(row["row_no"], row["outcome"], row["name"]) for row in shown["rows"]] == [
        (1, "created", "A"),
        (2, "failed", None),
    ]
    assert (
        world.read("import_errors", {"id": done["job_id"]}, by=DANA)["text"].splitlines()[0] == "Name,Firm,Mail,_error"
    )
    assert undo(world, done["job_id"], by=ADA)["removed"] == 1


def test_a_files_columns_are_proposed_by_their_names(world: World) -> None:
    found = world.read(
        "read_import_file", {"csv": "Last name;E-Mail;company;Foo\nA;b;c;d\n", "object": "lead"}, by=DANA
    )
    assert [one["field"] for one in found["columns"]] == ["last_name", "email", "company", None]
    assert (found["separator"], found["total"], found["columns"][0]["samples"]) == ("semicolon", 1, ["A"])
    with pytest.raises(Forbidden):
        world.read("read_import_file", {"csv": "A\nb\n", "object": "lead"}, by=ROWAN)


def test_the_same_import_with_the_same_key_is_made_once(world: World) -> None:
    if world.door == "tool":
        given = {"csv": LEADS + "A,B,c@example.com\n", "object": "lead", "mapping": MAPPING, "idempotency_key": "k"}
        assert world.tool("import", given, by=ADA) == world.tool("import", given, by=ADA)
    assert len(made(world)) == (1 if world.door == "tool" else 0)
