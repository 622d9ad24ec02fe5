"""The Model Context Protocol's own conformance suite against our server: `python conformance.py [FOLDER]`.

FOLDER holds a Node 22 and the suite (`npm i node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12`); without it they
are taken from the path. Runs the scenarios that need no fixture of the suite's own. Exits 1 where one fails.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from deskgym.episode import Episode
from deskgym_apps.server import ServerThread

SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "server-session-lifecycle",
    "http-header-validation",
    "dns-rebinding-protection",
)


def command(folder: str | None) -> list[str]:
    """How the suite is started."""
    if folder is None:
        return ["npx", "--yes", "@modelcontextprotocol/conformance@0.2.0-alpha.12"]
    modules = Path(folder) / "node_modules"
    return [
        str(modules / ".bin" / "node"),
        str(modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"),
    ]


def main(folder: str | None) -> int:
    """Run every scenario; print what the suite says of each."""
    failed = 0
    with tempfile.TemporaryDirectory() as root, Episode.start("crm/next-step@1", root=Path(root) / "e") as episode:
        server = ServerThread(episode.root)
        url = f"{server.start()}/s/{episode.token}/mcp"
        for scenario in SCENARIOS:
            words = [*command(folder), "server", "--url", url, "--scenario", scenario]
            done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=root)
            failed += done.returncode != 0
            print(
                f"{scenario}: {'ok' if done.returncode == 0 else done.stdout[-1500:] + done.stderr[-500:]}", flush=True
            )
        server.stop()
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
