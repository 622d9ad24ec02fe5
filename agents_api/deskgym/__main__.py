"""`python -m deskgym` is the command `deskgym`."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":
    main(prog_name="deskgym")
