"""Moving deals by the path, the board and the close dialogs (CRM-1)."""

from __future__ import annotations

from tests.crm.fixture import KESTREL, TODAY

from .conftest import Site


def test_crm_1_the_path_moves_a_deal_with_its_stage_alone(site: Site) -> None:
    path = f"/crm/opportunities/{KESTREL}/stage"
    fields = site.form(f"/crm/opportunities/{KESTREL}", path) | {"stage": "Value Proposition"}
    assert site.post(path, fields).status_code == 303
    operation, arguments = site.command()
    assert operation == "crm.update_opportunity"
    assert arguments["values"] == {"stage": "Value Proposition"}


def test_crm_1_closing_as_lost_asks_for_the_reason(site: Site) -> None:
    path = f"/crm/opportunities/{KESTREL}/stage"
    fields = site.form(f"{path}?stage=Closed+Lost")
    refused = site.post(path, fields)
    assert refused.status_code == 422
    assert "lost reason" in refused.text
    assert site.commands() == []
    assert site.post(path, fields | {"lost_reason": "Price"}).status_code == 303
    assert site.command()[1]["values"] == {"stage": "Closed Lost", "lost_reason": "Price"}


def test_crm_1_closing_as_won_leaves_out_the_close_date_it_would_set_anyway(site: Site) -> None:
    path = f"/crm/opportunities/{KESTREL}/stage"
    fields = site.form(f"{path}?stage=Closed+Won")
    assert fields["close_date"] == TODAY
    assert site.post(path, fields).status_code == 303
    assert site.command()[1]["values"] == {"stage": "Closed Won"}


def test_a_drop_on_a_closed_column_without_its_dialog_asks_and_writes_nothing(site: Site) -> None:
    path = f"/crm/opportunities/{KESTREL}/stage"
    fields = site.form(f"/crm/opportunities/{KESTREL}", path) | {"stage": "Closed Lost"}
    response = site.post(path, fields)
    assert response.status_code == 200
    assert "Lost reason" in response.text
    assert site.commands() == []


def test_x7_a_stale_move_is_409(site: Site) -> None:
    path = f"/crm/opportunities/{KESTREL}/stage"
    fields = site.form(f"/crm/opportunities/{KESTREL}", path)
    assert site.post(path, fields | {"stage": "Needs Analysis"}).status_code == 303
    assert site.post(path, fields | {"stage": "Qualification"}).status_code == 409
    assert len(site.commands()) == 1


def test_the_board_names_columns_with_count_and_sum(site: Site) -> None:
    page = site.get("/crm/opportunities/board")
    assert 'aria-label="Pipeline board"' in page
    assert 'aria-label="Move ' in page
    assert " deal" in page
