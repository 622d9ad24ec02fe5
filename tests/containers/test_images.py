"""What the images of the Dockerfile hold and how they run, read off its lines; what compose.yaml promises."""

from __future__ import annotations

import ast
from importlib import metadata
from pathlib import PurePosixPath

import pytest
from tests.docs.pages import ROOT

from .distributions import closure, entries
from .dockerfile import Dockerfile, volumes
from .engine import COMPOSE, service
from .image import PROJECT, ROOMS, SITE, files_of_ours, requirements

DOCKERFILE = Dockerfile(ROOT)
SERVICES = COMPOSE["services"]
IMAGES = ("app", "gym")


# --- What is in them ------------------------------------------------------------------------------------


def test_the_image_of_the_agent_plane_holds_the_apps_and_no_other_file_of_ours() -> None:
    found = files_of_ours(DOCKERFILE, "app")
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "apps").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {copied.source.as_posix() for copied in found} == expected
    assert all(copied.target.is_relative_to("/opt/deskgym/apps/deskgym_apps") for copied in found)


def test_the_image_of_everything_holds_the_four_rooms_and_nothing_else_of_ours() -> None:
    found = files_of_ours(DOCKERFILE, "gym")
    assert {copied.target.relative_to(SITE).parts[0] for copied in found} == set(ROOMS.values())
    assert {copied.source.parts[0] for copied in found} == set(
        PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    )


@pytest.mark.parametrize(
    "name", ["tests/serve/probes.py", ".git/config", "docs/serve.md", "compose.yaml", "runs/a/run.json"]
)
def test_what_is_no_part_of_the_packages_never_reaches_a_build(name: str) -> None:
    assert DOCKERFILE.is_ignored(PurePosixPath(name))


def test_a_build_gets_the_sources_without_what_python_compiled() -> None:
    assert not DOCKERFILE.is_ignored(PurePosixPath("apps/deskgym_apps/server.py"))
    assert DOCKERFILE.is_ignored(PurePosixPath("apps/deskgym_apps/__pycache__/server.cpython-311.pyc"))


def test_the_packages_of_the_agent_plane_are_those_that_the_apps_import() -> None:
    """Those that nobody imports are read for their files: Bootstrap, the font, the time zones."""
    imported = set()
    for path in (ROOT / "apps").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(str(node.module).split(".")[0])
    owners = metadata.packages_distributions()
    wanted = {owner.lower() for name in imported for owner in owners.get(name, ())}
    own = {text.partition(">")[0] for text in PROJECT["dependency-groups"]["app"]}
    assert wanted - closure(own) == set()
    assert own - wanted == {"bootstrap-flask", "font-source-sans-pro", "tzdata"}


def test_the_packages_of_the_agent_plane_have_the_floors_of_the_whole() -> None:
    assert set(PROJECT["dependency-groups"]["app"]) <= set(PROJECT["project"]["dependencies"])


def test_the_packages_of_the_agent_plane_bring_no_browser_no_trainer_and_no_package_of_ours() -> None:
    names = set(entries(closure(requirements(DOCKERFILE, "app"))))
    assert not names & {"playwright", "gymnasium", "numpy", "httpx", "rich", *ROOMS.values()}


# --- How they run ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_runs_as_a_user_of_its_own_from_its_last_user_line_on(image: str) -> None:
    user, group = DOCKERFILE.last(image, "USER").text.split(":")
    assert (int(user) >= 10000, int(group) >= 10000) == (True, True)
    after = [step.name for step in DOCKERFILE.steps(image)]
    assert {"RUN", "COPY"}.isdisjoint(after[after.index("USER") :])


def test_the_two_planes_are_two_users_of_one_group() -> None:
    users = [service(DOCKERFILE, name).user for name in ("app", "control")]
    assert users[0][0] != users[1][0]
    assert users[0][1] == users[1][1]


def test_volumes_begin_as_controls_and_workers_may_only_pass() -> None:
    for image in IMAGES:
        _, group = service(DOCKERFILE, "app").user
        owner, _ = service(DOCKERFILE, "control").user
        episodes = volumes(DOCKERFILE, image)["/episodes"]
        assert (episodes.owner, episodes.group, episodes.mode) == (owner, group, 0o2750)
    assert volumes(DOCKERFILE, "gym")["/state"].mode == 0o700
    assert "/state" not in volumes(DOCKERFILE, "app")


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_says_zone_language_ports_health_and_how_it_is_stopped(image: str) -> None:
    given = DOCKERFILE.environment(image)
    assert (given["TZ"], given["LANG"], given["PYTHONDONTWRITEBYTECODE"]) == ("UTC", "C.UTF-8", "1")
    assert DOCKERFILE.last(image, "STOPSIGNAL").text == "SIGTERM"
    assert DOCKERFILE.last(image, "EXPOSE").words == {"app": ["8000"], "gym": ["8000", "8001"]}[image]
    assert DOCKERFILE.health(image)[:3] == ["python", "-m", "deskgym_apps.health"]
    assert "root" not in DOCKERFILE.last(image, "CMD").text.split()


# --- compose.yaml ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_hardened(name: str) -> None:
    facts = SERVICES[name]
    assert (facts["init"], facts["read_only"], facts["cap_drop"]) == (True, True, ["ALL"])
    assert facts["security_opt"] == ["no-new-privileges:true"]
    assert [place.split(":")[0] for place in facts["tmpfs"]] == ["/tmp"]
    assert (facts["environment"]["TZ"], facts["environment"]["LANG"]) == ("UTC", "C.UTF-8")
    assert not {"privileged", "cap_add", "user", "devices", "pid", "network_mode"} & set(facts)
    assert int(facts["stop_grace_period"].removesuffix("s")) > 12  # what draining may take


def test_the_planes_share_the_folder_of_episodes_and_nothing_else() -> None:
    app, control = SERVICES["app"], SERVICES["control"]
    assert set(app["networks"]).isdisjoint(control["networks"])
    assert app["volumes"] == ["episodes:/episodes"]
    assert control["volumes"] == ["episodes:/episodes", "state:/state"]
    assert [name for name in SERVICES if "state:/state" in SERVICES[name]["volumes"]] == ["control"]
    assert app["build"]["target"] == "app"
    assert "--control-only" in control["command"]


def test_control_is_published_to_this_machine_alone() -> None:
    published = {name: facts["ports"] for name, facts in SERVICES.items()}
    assert published["control"] == ["127.0.0.1:8001:8001"]
    assert published["app"] == ["${DESKGYM_BIND:-127.0.0.1}:8000:8000"]
    assert all(port.startswith("127.0.0.1:") for port in published["trusted"])


def test_both_planes_in_one_container_are_started_only_when_asked_for_and_have_room_for_browsers() -> None:
    assert SERVICES["trusted"]["profiles"] == ["trusted"]
    assert SERVICES["trusted"]["shm_size"] == "1gb"
    assert set(SERVICES["trusted"]["networks"]).isdisjoint({"agents", "trainers"})
    assert [name for name, facts in SERVICES.items() if "profiles" not in facts] == ["app", "control"]


def test_no_secret_stands_in_compose_or_dockerfile() -> None:
    for name in SERVICES:
        assert not [key for key in SERVICES[name]["environment"] if "TOKEN" in key or "SECRET" in key]
    for image in IMAGES:
        assert not [key for key in DOCKERFILE.environment(image) if "TOKEN" in key or "SECRET" in key]


def test_every_network_and_volume_that_a_service_names_is_declared() -> None:
    used = {volume.split(":")[0] for facts in SERVICES.values() for volume in facts["volumes"]}
    assert used == set(COMPOSE["volumes"])
    assert {name for facts in SERVICES.values() for name in facts["networks"]} == set(COMPOSE["networks"])
