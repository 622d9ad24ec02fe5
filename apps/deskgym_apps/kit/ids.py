"""Opaque, deterministic ids (X-4): prefix + 12 Crockford base32 characters of a keyed function of a counter."""

from __future__ import annotations

import hashlib
import hmac
import sqlite3

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def opaque(world_key: str, table: str, counter: int, prefix: str) -> str:
    """The id of the `counter`-th row of a table: 15 characters."""
    digest = hmac.digest(world_key.encode(), f"{table}|{counter}".encode(), hashlib.sha256)
    number = int.from_bytes(digest[:8], "big") >> 4
    characters = [_ALPHABET[number >> shift & 31] for shift in range(55, -1, -5)]
    return prefix + "".join(characters)


def take(conn: sqlite3.Connection, name: str) -> int:
    """The next number of a gap-free counter, in the caller's transaction; counters start at 1."""
    row = conn.execute("SELECT next FROM org_id_counter WHERE name = ?", (name,)).fetchone()
    if row is None:
        conn.execute("INSERT INTO org_id_counter(name, next) VALUES (?, 2)", (name,))
        return 1
    conn.execute("UPDATE org_id_counter SET next = next + 1 WHERE name = ?", (name,))
    return int(row[0])
