"""The photographs of Harbourstay: drawn from room and seed, the same everywhere."""

import re
from xml.etree import ElementTree

import pytest

from deskgym_apps.stays.pictures import SCENES, picture_svg, picture_url, scene_of


@pytest.mark.parametrize("scene", SCENES)
def test_a_picture_depends_on_room_and_seed_alone(scene: str) -> None:
    first = picture_svg(scene, 41, "A room")
    picture_svg.cache_clear()
    assert picture_svg(scene, 41, "A room") == first
    assert picture_svg(scene, 42, "A room") != first


@pytest.mark.parametrize("scene", SCENES)
def test_a_picture_is_well_formed_and_needs_nothing_from_outside(scene: str) -> None:
    for seed in range(6):
        text = picture_svg(scene, seed, "Sofa & window")
        root = ElementTree.fromstring(text)
        assert root.find("{http://www.w3.org/2000/svg}title").text == "Sofa & window"  # type: ignore[union-attr]
        assert not re.search(r"\bstyle=|<script|href=|<image|<text", text)
        ids = re.findall(r'\bid="([^"]+)"', text)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)


@pytest.mark.parametrize(
    ("room", "scene"),
    [
        ("living_room", "living_room"),
        ("Second bedroom", "bedroom"),
        ("bathroom", "bathroom"),
        ("roof terrace", "terrace"),
    ],
)
def test_a_room_that_is_called_otherwise_is_shown_by_the_nearest_scene(room: str, scene: str) -> None:
    assert scene_of(room) == scene
    assert picture_url(room, 7).endswith(f"/{scene}/7.svg")
