"""X-10: what a profile hides, or gives no right to read, shows by no door and by no detour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.crm.fixture import ALDERCROFT, MARTA, ident

from deskgym_apps.crm import defaults

from .conftest import Doorway
from .doors import PageDoorway
from .house import House
from .reads import GETS, READS

SECRETS = ("12,345.67", "12345.67", "1,234.57", "1234.57", "57,345.67", "5,734.57", "960014", "Leeds", "00012345")
HIDDEN = (
    *(("opportunity", "amount"), ("opportunity", "expected_revenue"), ("contact", "phone")),
    *(("account", "bill_city"), ("account", "account_number")),
)


@pytest.mark.parametrize("is_hidden", [True, False])
def test_x_10_8_what_the_profile_hides_of_records_appears_nowhere(
    door_with: Callable[..., Doorway], is_hidden: bool
) -> None:
    profile = {"holder_kind": "profile", "holder_id": ident("PRF", 4), "access": "hidden"}
    perms = [profile | {"object": thing, "field": name} for thing, name in HIDDEN] if is_hidden else []
    door = door_with({"crm_field_perm": perms})
    if isinstance(door, PageDoorway):
        found = "".join(door.house.get(path).text for path in GETS)
    else:
        found = "".join(str(door.house.tool(name, given)) for name, given in READS)
        found += str(door.house.tool("get", {"id": ALDERCROFT, "related": ["contacts", "opportunities", "notes"]}))
    shown = {secret for secret in SECRETS if secret in found}
    assert (shown == set()) if is_hidden else len(shown) >= 4
    assert (MARTA in door.found("960014")) == (not is_hidden)
    assert (ALDERCROFT in door.found("00012345")) == (not is_hidden)
    for kind, name, value in (("opportunity", "amount", "1"), ("contact", "phone", "960014")):
        op = "gt" if name == "amount" else "contains"
        assert door.refusal(kind, (name, op, value)).code == ("bad_query" if is_hidden else door_ok(door))
        refused = door.refusal(kind, sort=[{"field": name}])
        assert refused.code == ("bad_query" if is_hidden else door_ok(door))


def door_ok(door: Doorway) -> str:
    """What a list that answers is called."""
    return "done" if door.name == "tool" else "asks"


def test_x_10_9_who_may_read_no_accounts_learns_no_company_by_a_contact(
    enter: Callable[[House], Doorway], house_with: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    def blind(profile: defaults.Profile) -> defaults.Profile:
        if profile.name != "Sales Representative":
            return profile
        return replace(profile, objects={**profile.objects, "account": ""})

    monkeypatch.setattr(defaults, "PROFILES", tuple(blind(profile) for profile in defaults.PROFILES))
    door = enter(house_with({"crm_note": []}))
    assert door.sees(ALDERCROFT) == "not_found" or door.sees(ALDERCROFT) == "forbidden"
    assert door.sees(MARTA) == "done"
    assert MARTA in door.found("ilić")
    assert door.found("aldercroft ltd") == []
    if isinstance(door, PageDoorway):
        for path in ("/crm/lookup/contact?q=ili", "/crm/search?q=ili", f"/crm/contacts/{MARTA}", "/crm/contacts"):
            assert "Aldercroft Ltd" not in door.house.get(path).text, path
    else:
        assert "Aldercroft Ltd" not in str(door.house.tool("search", {"text": "ili"}))
        assert "Aldercroft Ltd" not in str(door.house.tool("get", {"id": MARTA}))
