"""What filters and forms choose from."""

from __future__ import annotations

import json
from typing import Any

from ...kit.call import Context
from ...kit.operations import query
from .people import me
from .places import subtree
from .rates import corporate_rates

_POPULAR = 8


@query("stays")
def choices(ctx: Context) -> dict[str, Any]:
    """Amenities, kinds of building, languages of hosts, policies, currencies, and popular cities with listings."""
    me(ctx)
    languages = ctx.conn.execute(
        "SELECT DISTINCT e.value FROM stays_user u, json_each(u.languages) e WHERE u.is_host = 1 ORDER BY e.value"
    )
    kinds = ctx.conn.execute("SELECT DISTINCT property_type FROM stays_listing ORDER BY property_type")
    policies = ctx.store.all("SELECT code, title, summary, is_choice FROM stays_cancel_policy ORDER BY sort")
    return {
        "amenities": ctx.store.all('SELECT code, label, grp AS "group" FROM stays_amenity ORDER BY sort'),
        "property_types": [row[0] for row in kinds],
        "languages": [row[0] for row in languages],
        "policies": [row | {"is_choice": bool(row["is_choice"])} for row in policies],
        "currencies": sorted(corporate_rates(ctx)),
        "popular_places": _popular(ctx),
    }


def _popular(ctx: Context) -> list[dict[str, Any]]:
    """The most popular cities that have listed listings."""
    cities = ctx.store.all(
        "SELECT id, name, full_name FROM stays_place WHERE kind = 'city' ORDER BY popularity DESC, id"
    )
    found = []
    for city in cities:
        sql = "SELECT 1 FROM stays_listing WHERE status = 'listed' AND place_id IN (SELECT value FROM json_each(?))"
        if ctx.conn.execute(sql, (json.dumps(subtree(ctx, city["id"])),)).fetchone():
            found.append(city)
        if len(found) == _POPULAR:
            break
    return found
