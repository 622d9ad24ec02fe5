"""Runs axe-core over every kind of page, in both widget variants and all themes, wide and narrow. For development; axe
is not part of this repository: `npm pack axe-core`, unpack it, then

    PYTHONPATH=apps:seeds:graders:agents_api:. python -m tests.plane.axe package/axe.min.js [looks]

Prints each broken rule with its weight, how often it was broken and where; ends with 1 where one is serious.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import product
from pathlib import Path

from playwright.sync_api import Error, Page, ViewportSize, sync_playwright

from deskgym.episode import Episode

from .tour import Stop, crm_stops, desk_stops

CHROMIUM = "/usr/bin/chromium-headless-shell"
LOOKS = (
    {"theme": "light", "widgets": "aria", "accent": "indigo"},
    {"theme": "dark", "widgets": "native", "accent": "indigo"},
    {"theme": "dark", "widgets": "aria", "accent": "teal"},
    {"theme": "contrast", "widgets": "native", "accent": "teal"},
    {"theme": "contrast", "widgets": "aria", "accent": "indigo"},
    {"theme": "light", "widgets": "native", "accent": "teal"},
)
SIZES: tuple[ViewportSize, ...] = ({"width": 1280, "height": 800}, {"width": 390, "height": 844})
RUN = """() => axe.run(document, {resultTypes: ['violations'],
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"""


def _show(page: Page, base: str, stop: Stop) -> None:
    page.goto(base + stop.path)
    if stop.press is not None:
        stop.press(page)
        page.wait_for_load_state()
    page.wait_for_selector("html[data-busy='0']", state="attached")


def main(axe: Path, looks: int = len(LOOKS)) -> int:
    """Print what axe finds. Returns 1 where something serious or critical is among it."""
    found: Counter[tuple[str, str]] = Counter()
    places: dict[tuple[str, str], set[str]] = {}
    with Episode.start("crm/new-amount", seed=1) as episode, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        for look, size in product(LOOKS[:looks], SIZES):
            episode.vary(look)
            context = browser.new_context(viewport=size, bypass_csp=True)
            page = context.new_page()
            page.goto(episode.enter_url)
            for stop in (*crm_stops(episode.store, episode.person_id), *desk_stops()):
                try:
                    _show(page, episode.base_url, stop)
                except Error as error:
                    print(f"{stop.name} cannot be shown: {error.message.splitlines()[0]}")
                page.evaluate(axe.read_text(encoding="utf-8"))
                for rule in page.evaluate(RUN)["violations"]:
                    key = (rule["impact"], rule["id"])
                    found[key] += len(rule["nodes"])
                    places.setdefault(key, set()).add(f"{look['theme']} {look['widgets']} {size['width']} {stop.name}")
            context.close()
        browser.close()
    for (weight, rule_id), count in sorted(found.items()):
        print(f"{weight:9} {rule_id}: {count} on {len(places[weight, rule_id])} pages")
        print("          " + ", ".join(sorted(places[weight, rule_id])[:6]))
    return int(any(weight in ("serious", "critical") for weight, _ in found))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *map(int, sys.argv[2:])))
