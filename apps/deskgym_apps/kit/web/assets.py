"""The static files a page may ask for: a fixed manifest, each with its digest (no directory listing)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from .bundle import bundle

HERE = Path(__file__).parent / "static"
BOOTSTRAP = files("flask_bootstrap") / "static/bootstrap5"
FONTS = files("font_source_sans_pro") / "files"
STYLES = (
    "tokens", "themes", "page", "shell", "controls", "forms", "picker", "tables", "compare", "records", "board",
    "documents", "reports", "setup", "overlays",
)  # fmt: skip
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".ttf": "font/ttf",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Asset:
    """One servable file: its bytes and content type."""

    body: bytes
    content_type: str


def _sources() -> dict[str, bytes]:
    sources = {
        "css/bootstrap.css": (BOOTSTRAP / "css/bootstrap.min.css").read_bytes().split(b"/*# sourceMapping")[0],
        "css/kit.css": b"\n".join((HERE / f"css/{name}.css").read_bytes() for name in STYLES),
        "img/favicon.svg": (HERE / "img/favicon.svg").read_bytes(),
    }
    for weight in ("Regular", "It", "Semibold"):
        sources[f"fonts/{weight.lower()}.ttf"] = (FONTS / f"SourceSansPro-{weight}.ttf").read_bytes()
    modules = {script.stem: script.read_text(encoding="utf-8") for script in (HERE / "js").glob("*.js")}
    sources["js/kit.js"] = bundle(modules, "kit").encode()
    return sources


@cache
def manifest() -> dict[str, Asset]:
    """Return every servable path below `/kit/static/DIGEST/` with its content."""
    return {path: Asset(body, TYPES[Path(path).suffix]) for path, body in _sources().items()}


@cache
def digest() -> str:
    """Return 16 hex digits that name this exact set of files; it stands in every asset URL."""
    state = hashlib.sha256()
    for path, asset in sorted(manifest().items()):
        state.update(f"{path}\0{len(asset.body)}\0".encode())
        state.update(asset.body)
    return state.hexdigest()[:16]
