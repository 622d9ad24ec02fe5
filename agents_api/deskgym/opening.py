"""Where the episode of a trial lives: in this process, or on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .episode import Episode

WAIT_S = 600.0

if TYPE_CHECKING:
    from deskgym_graders.spec import Task

    from .remote import RemoteEpisode
    from .trial import TrialSpec


def episode_of(spec: TrialSpec, task: Task) -> Episode | RemoteEpisode:
    """A new episode for a trial. Raises DeskgymError."""
    if spec.server is not None:
        return _on_server(spec.server, spec)
    home: Literal["file", "memory"] = "file" if spec.surface == "browser" else "memory"
    return Episode.start(task, world=spec.world, home=home, variation=spec.variation, root=spec.root)


def _on_server(url: str, spec: TrialSpec) -> RemoteEpisode:
    from .client import Client

    client = Client(url, wait_s=WAIT_S)
    try:
        episode = client.start(spec.instance, world=spec.world, variation=spec.variation)
    except BaseException:
        client.close()
        raise
    episode.owns_client = True
    return episode
