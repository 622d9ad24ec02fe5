"""Clients of both majors of the MCP SDK against the server of this environment, through each door.

    python tests/interop/matrix.py NAME=PYTHON ...

Each PYTHON has one version of `mcp` and need have nothing else. Every client lists the tools, is refused once, carries
a task out and hands it in; the verdict of each episode must be 1.0. Prints a line for each, exits 1 where one fails.
"""

import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from deskgym.episode import Episode
from deskgym_apps.server import ServerThread

CLIENT = Path(__file__).with_name("client.py")
STDIO = (
    "import asyncio, sys; from pathlib import Path; from deskgym_apps.mcp import serve_stdio; "
    "asyncio.run(serve_stdio(Path(sys.argv[1]), sys.argv[2]))"
)
DOORS = ("http", "bearer", "stdio")
MODES = {"1": ("handshake",), "2": ("auto", "legacy")}


def major_of(python: str) -> str:
    """The major of the SDK that an interpreter has."""
    code = "from importlib.metadata import version; print(version('mcp').split('.')[0])"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def talk(python: str, door: str, mode: str, episode: Episode, base_url: str) -> dict[str, Any]:
    """What a client in another interpreter did in an episode. Raises CalledProcessError where it broke."""
    assert episode.task is not None
    calls = [["crm_gett", {}], *([call.tool, dict(call.args)] for call in episode.task.oracle), ["finish", {}]]
    token = str(episode.token)
    job = {
        "door": door,
        "mode": mode,
        "url": f"{base_url}/mcp" if door == "bearer" else f"{base_url}/s/{token}/mcp",
        "token": token,
        "command": [sys.executable, "-c", STDIO, str(episode.root), token],
        "env": {"PYTHONPATH": ":".join(path for path in sys.path if path)},
        "calls": calls,
    }
    done = subprocess.run([python, str(CLIENT), json.dumps(job)], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def fault(said: dict[str, Any], episode: Episode) -> str | None:
    """What was wrong with a client's work, or None."""
    refused, *others = said["answers"]
    if not refused[0] or json.loads(refused[1])["code"] != "not_found":
        return f"the refusal was {refused}"
    if any(is_error for is_error, _text in others):
        return f"a call was refused: {others}"
    if not {"crm_update", "desk_instruction", "submit_answer", "finish"} <= set(said["tools"]):
        return f"the tools were {said['tools']}"
    verdict = episode.grade()
    return None if verdict.reward == 1.0 else f"the verdict was {verdict.reason}"


def main(clients: list[str]) -> int:
    """Try every client through every door."""
    failed = 0
    for client in clients:
        name, _, python = client.partition("=")
        for mode in MODES[major_of(python)]:
            for door in DOORS:
                with tempfile.TemporaryDirectory() as folder:
                    episode = Episode.start("crm/next-step@1", root=Path(folder) / "episodes")
                    server = ServerThread(episode.root)
                    try:
                        said = talk(python, door, mode, episode, server.start())
                        wrong = fault(said, episode)
                        protocol = said["protocol"]
                    except RuntimeError as error:
                        wrong, protocol = str(error), "?"
                    finally:
                        server.stop()
                        episode.close()
                failed += wrong is not None
                print(
                    f"server mcp {version('mcp')}, client {name} {mode}, {door}: protocol {protocol}, {wrong or 'ok'}",
                    flush=True,
                )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
