"""Become another user and then the browser: `python -I -S lower.py UID GID PROGRAM ARGUMENTS…`, run by root.

Playwright starts one program and gives it a profile folder of its own making, so whoever lowers itself has to stand
between them, hand the two folders over, and keep the open descriptors that the driver speaks through.
"""

import os
import sys

_PROFILE = "--user-data-dir="


def main() -> None:
    """Never returns: the process becomes the program."""
    uid, gid, program = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    arguments = sys.argv[4:]
    profiles = [argument.removeprefix(_PROFILE) for argument in arguments if argument.startswith(_PROFILE)]
    for folder in (os.environ["HOME"], *profiles):
        os.chown(folder, uid, gid, follow_symlinks=False)
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    os.chdir("/")
    os.execv(program, [program, *arguments])


if __name__ == "__main__":
    main()
