"""A world with two people and two memos."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from deskgym_apps.kit.image import create_tables, finish_image, insert_rows

ANA, BEN = "PRS000000000001", "PRS000000000002"
MILK = "MEM000000000001"


@dataclass(frozen=True)
class TinyWorld:
    """The attributes of a world that an episode uses."""

    store_path: Path
    name: str = "tiny:1"
    digest: str = "0" * 64
    reference_path: Path | None = None


def _person(key: str, first: str) -> dict[str, str]:
    name = f"{first} Stone"
    return {
        "id": key,
        "first_name": first,
        "last_name": "Stone",
        "name": name,
        "name_norm": name.casefold(),
        "email": f"{first.lower()}@example.test",
        "tz": "UTC",
        "locale": "en-GB",
        "currency": "EUR",
        "hired_on": "2020-01-01",
    }


def build(path: Path) -> TinyWorld:
    """Write the tiny world's image."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        create_tables(conn, ["memo"])
        meta = {
            "sim_now": "2031-03-14T09:00:00Z",
            "world_key": "k",
            "world": "tiny:1",
            "company": "Stone",
            "corp_currency": "EUR",
            "fiscal_start_month": "1",
        }
        insert_rows(conn, "org_meta", [{"key": key, "value": value} for key, value in meta.items()])
        insert_rows(conn, "org_currency", [{"code": "EUR", "exponent": 2, "is_corporate": 1}])
        insert_rows(conn, "org_person", [_person(ANA, "Ana"), _person(BEN, "Ben")])
        memo = {"title": "Buy milk", "created_by": ANA, "created_at": "2031-03-01T08:00:00Z"}
        insert_rows(conn, "memo_memo", [{"id": MILK, **memo}])
        finish_image(conn)
    return TinyWorld(path)
