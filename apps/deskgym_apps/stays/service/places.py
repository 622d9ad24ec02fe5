"""Places by name (STAY-8): exact name or alias, then prefix, the most popular first."""

from __future__ import annotations

from typing import Any

from ...kit.call import Context
from ...kit.errors import Invalid, NotFound, nearest
from ...kit.norm import norm
from ...kit.operations import query
from ...kit.roles import Row
from .inputs import PlacesInput

_SUBTREE = (
    "WITH RECURSIVE below(id) AS (SELECT ? UNION SELECT p.id FROM stays_place p JOIN below b ON p.parent_id = b.id) "
    "SELECT id FROM below ORDER BY id"
)


def subtree(ctx: Context, place_id: str) -> list[str]:
    """A place and all below it."""
    return [row[0] for row in ctx.conn.execute(_SUBTREE, (place_id,))]


def exact(ctx: Context, text: str) -> list[Row]:
    """Places that are called so, by name, full name or alias."""
    wanted = norm(text)
    rows = ctx.store.all(
        "SELECT p.* FROM stays_place p WHERE p.name_norm = :name OR p.id IN "
        "(SELECT place_id FROM stays_place_alias WHERE alias_norm = :name) ORDER BY p.popularity DESC, p.id",
        {"name": wanted},
    )
    if rows:
        return list(rows)
    every = ctx.store.all("SELECT * FROM stays_place ORDER BY popularity DESC, id")
    return [row for row in every if norm(row["full_name"]) == wanted]


def matching(ctx: Context, text: str) -> list[Row]:
    """Exact matches first, then places a word of whose names begins so."""
    found = exact(ctx, text)
    wanted = norm(text)
    if not wanted:
        return list(ctx.store.all("SELECT * FROM stays_place ORDER BY popularity DESC, id"))
    known = {row["id"] for row in found}
    escaped = wanted.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = ctx.store.all(
        "SELECT p.* FROM stays_place p WHERE p.name_norm LIKE :begin ESCAPE '\\' OR p.name_norm LIKE :word ESCAPE '\\' "
        "OR p.id IN (SELECT place_id FROM stays_place_alias WHERE alias_norm LIKE :begin ESCAPE '\\') "
        "ORDER BY p.name_norm NOT LIKE :begin ESCAPE '\\', p.popularity DESC, p.id",
        {"begin": f"{escaped}%", "word": f"% {escaped}%"},
    )
    return [*found, *(row for row in rows if row["id"] not in known)]


def shown(row: Row) -> dict[str, Any]:
    """A place as results hold it; degrees as decimal text."""
    return {
        "id": row["id"],
        "kind": row["kind"],
        "name": row["name"],
        "full_name": row["full_name"],
        "lat": degrees(row["lat_e6"]),
        "lng": degrees(row["lng_e6"]),
        "box": {side: degrees(row[f"{side[0]}_e6"]) for side in ("south", "west", "north", "east")},
        "tz": row["tz"],
    }


def degrees(e6: int) -> str:
    """`38713900` -> `38.713900`."""
    sign = "-" if e6 < 0 else ""
    return f"{sign}{abs(e6) // 1_000_000}.{abs(e6) % 1_000_000:06d}"


def resolve(ctx: Context, text: str) -> tuple[Row, list[Row]]:
    """The place a text means, and others of exactly that name (STAY-8). Raises Invalid for an unknown place."""
    same = exact(ctx, text)
    if same:
        return same[0], same[1:]
    near = matching(ctx, text) if norm(text) else []
    if near:
        return near[0], []
    names = [row["name"] for row in ctx.store.all("SELECT name FROM stays_place ORDER BY name_norm, id")]
    raise Invalid(f'there is no place "{text}".{nearest(text, names)}', field="location")


def place(ctx: Context, place_id: str) -> Row:
    """The place of an id. Raises NotFound."""
    row = ctx.store.get("stays_place", place_id)
    if row is None:
        raise NotFound(f"there is no place {place_id}", field="placeId")
    return row


@query("stays")
def places(ctx: Context, values: PlacesInput) -> dict[str, Any]:
    """Places for what is typed: exact names and aliases first, then beginnings, the most popular first."""
    found = matching(ctx, values.text)
    return {"rows": [shown(row) for row in found[: values.limit]], "total": len(found)}
