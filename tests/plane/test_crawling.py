"""X-17: as each role, every link and every button that can be reached from home does something."""

from __future__ import annotations

import httpx
import pytest

from deskgym.episode import Episode

from .crawler import Crawler

PEOPLE = """
SELECT min(p.id) AS id, f.name AS profile FROM crm_user u JOIN crm_profile f ON f.id = u.profile_id
JOIN org_person p ON p.id = u.person_id WHERE u.is_active = 1 GROUP BY f.name ORDER BY f.name
"""


@pytest.fixture(scope="module")
def people() -> dict[str, str]:
    """A person of each profile."""
    with Episode.start(home="memory", app_names=("crm",)) as episode:
        return {str(row["profile"]): str(row["id"]) for row in episode.store.all(PEOPLE)}


def crawled(person: str) -> tuple[Crawler, int]:
    """A crawl as a person, and how many buttons it pressed."""
    with (
        Episode.start(app_names=("crm",), person=person) as episode,
        httpx.Client(timeout=60, base_url=episode.base_url, headers={"Origin": episode.base_url}) as client,
    ):
        client.get(episode.enter_url, follow_redirects=True)
        crawler = Crawler(client)
        crawler.walk()
        return crawler, crawler.press()


@pytest.mark.parametrize(("profile", "buttons"), [("Sales Representative", 20), ("Read Only", 0)])
def test_x17_every_link_and_button_does_something(people: dict[str, str], profile: str, buttons: int) -> None:
    crawler, pressed = crawled(people[profile])
    assert crawler.dead == []
    assert len(crawler.pages) > 50
    assert pressed >= buttons
