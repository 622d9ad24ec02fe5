"""The pages of dashboards: built, shown and deleted without scripts."""

from __future__ import annotations

from collections.abc import Callable

from tests.crm.fixture import DANA, LUIS

from deskgym_apps.kit.call import run

from .conftest import Site

URL = "/crm/dashboards"


def report(site: Site, name: str = "Pipeline") -> str:
    values = {"object": "opportunity", "name": name, "rows": [{"field": "stage"}], "visibility": "public"}
    return str(run(site.store, "crm.create_report", values, person_id=DANA, channel="ui")["id"])


def test_a_dashboard_is_built_shown_changed_and_deleted(site: Site) -> None:
    first = report(site)
    form = site.form(f"{URL}/new") | {"name": "Board", "report1": first, "kind1": "metric", "title1": "Deals"}
    form |= {"report2": first, "kind2": "column", "report3": first, "kind3": "table"}
    answer = site.post(f"{URL}/new", form)
    assert answer.status_code == 303
    page = site.get(answer.location)
    assert "Dashboard saved." in page
    assert 'class="widget-figure">3<' in page
    assert "<svg" in page
    assert "style=" not in page
    assert ">Board<" in site.get(URL)
    (row,) = site.store.select("crm_dashboard")
    board = row["id"]
    path = f"{URL}/{board}/edit"
    before = len(site.commands())
    assert site.post(path, site.form(path)).status_code == 303
    assert len(site.commands()) == before
    assert site.post(path, site.form(path) | {"report3": ""}).status_code == 303
    assert len(list(site.store.select("crm_dashboard_widget"))) == 2
    assert site.post(f"{URL}/{board}/delete", site.form(f"{URL}/{board}/delete")).status_code == 303
    assert list(site.store.select("crm_dashboard")) == []


def test_faults_stand_at_their_controls(site: Site) -> None:
    answer = site.post(f"{URL}/new", site.form(f"{URL}/new") | {"name": "Empty"})
    assert answer.status_code == 422
    assert 'id="dashboard-report1-error"' in answer.text
    assert 'value="Empty"' in answer.text


def test_x_10_only_those_who_may_are_offered_to_change_a_dashboard(site_of: Callable[[str], Site]) -> None:
    site = site_of(DANA)
    values = {"name": "Board", "visibility": "public", "widgets": [{"report_id": report(site), "kind": "table"}]}
    board = run(site.store, "crm.create_dashboard", values, person_id=DANA, channel="ui")["id"]
    other = site_of(LUIS)
    assert f"{URL}/{board}/edit" not in other.get(f"{URL}/{board}")
    other.get(f"{URL}/{board}/edit", 403)
    other.get(f"{URL}/{board}/delete", 403)
    other.get(f"{URL}/DSH000000000000", 404)
