"""Attacks from inside a page (P2, P9, grading.md §3.11): what an agent's script reaches, keeps and finds again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..browser.sync import Session

# Each port is tried as an agent's script would: what may be read, what may at least be sent, a picture, a socket.
_SCAN = """
async ([ports, atOnce]) => {
  const told = [];
  const settled = (promise) => Promise.race([promise, new Promise((done) => setTimeout(() => done(false), 4000))]);
  const asked = (url, options) => fetch(url, options).then(() => true, () => false);
  const picture = (url) => new Promise((done) => {
    const image = new Image();
    image.onload = () => done(true);
    image.onerror = () => done(false);
    image.src = url;
  });
  const socket = (url) => new Promise((done) => {
    try {
      const opened = new WebSocket(url);
      opened.onopen = () => { opened.close(); done(true); };
      opened.onerror = () => done(false);
    } catch { done(false); }
  });
  const tried = async (port) => {
    for (const host of ["127.0.0.1", "localhost"]) {
      const url = `http://${host}:${port}/healthz`;
      const found = {
        fetch: await settled(asked(url, {})),
        blind: await settled(asked(url, { mode: "no-cors" })),
        image: await settled(picture(`http://${host}:${port}/static/kit/icon.png`)),
        socket: await settled(socket(`ws://${host}:${port}/`)),
      };
      for (const [way, reached] of Object.entries(found)) if (reached) told.push(`${way} ${host}:${port}`);
    }
  };
  const waiting = [...ports];
  const worker = async () => { while (waiting.length) await tried(waiting.shift()); };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return told.sort();
}
"""

_LEAVE = """
async () => {
  localStorage.setItem("note", "left behind");
  sessionStorage.setItem("note", "left behind");
  document.cookie = "note=left; path=/; max-age=9999";
  const kept = await caches.open("note").then((cache) => cache.put("/note", new Response("left")), () => null);
  await new Promise((done) => {
    const opening = indexedDB.open("note", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("notes");
    opening.onsuccess = () => { opening.result.close(); done(); };
    opening.onerror = () => done();
  });
  await navigator.serviceWorker?.register("/static/kit/kit.js").catch(() => null);
  window.name = "left behind";
  return Boolean(((await navigator.serviceWorker?.getRegistrations()) ?? []).length);
}
"""

_FIND = """
async () => {
  const found = [];
  if (localStorage.length) found.push("localStorage");
  if (sessionStorage.length) found.push("sessionStorage");
  if (document.cookie) found.push(`cookie ${document.cookie}`);
  if ((await caches.keys()).length) found.push("cache");
  if ((await indexedDB.databases()).length) found.push("indexedDB");
  if (((await navigator.serviceWorker?.getRegistrations()) ?? []).length) found.push("service worker");
  if (window.name) found.push(`window.name ${window.name}`);
  return found;
}
"""


def run_in_page(session: Session, script: str, given: Any = None) -> Any:
    """What a function in JavaScript returns in the present page."""

    async def work(inner: Any) -> Any:
        return await inner.page.evaluate(script, given)

    return session.perform(work)


def ports_reached(session: Session, ports: Iterable[int], at_once: int = 16) -> list[str]:
    """P2: how a script in the page reaches which of these ports of this machine: `fetch 127.0.0.1:8001`."""
    found: list[str] = run_in_page(session, _SCAN, [list(ports), at_once])
    return found


def leave_behind(session: Session) -> bool:
    """P9: put something into every store a page has. Returns whether there is a service worker then."""
    return bool(run_in_page(session, _LEAVE))


def left_behind(session: Session) -> list[str]:
    """P9: the stores of a page that hold something."""
    found: list[str] = run_in_page(session, _FIND)
    return found
