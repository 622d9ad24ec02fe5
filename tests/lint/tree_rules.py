"""Rules about files as such: what they are called and how long they are."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from .source import PACKAGES, Remark, Rule, Source, below

LONGEST = 400
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers", "v2"}


def says_nothing(name: str) -> bool:
    """Whether a file's or folder's name tells what it is not about: `utils`, `text_helpers`, `base_form`."""
    words = PurePosixPath(name).stem.split("_")
    is_second_app = len(words) > 1 and words[-1] == "app"
    is_base = len(words) > 1 and words[0] == "base"
    return bool(EMPTY_WORDS & set(words)) or is_second_app or is_base


def has_empty_name(source: Source) -> Iterator[Remark]:
    for part in source.path.parts:
        if says_nothing(part):
            yield 1, f"{part!r} does not say what is inside"


def is_too_long(source: Source) -> Iterator[Remark]:
    length = len(source.text.splitlines())
    if length > LONGEST:
        yield LONGEST, f"{length} lines; split the file at {LONGEST}"


RULES = [
    Rule(
        "names say what is inside",
        "a stranger finds things by name",
        below(*PACKAGES, "tests"),
        has_empty_name,
        broken=(
            ("apps/deskgym_apps/kit/utils.py", ""),
            ("apps/deskgym_apps/crm/text_helpers.py", ""),
            ("graders/deskgym_graders/common/a.py", ""),
            ("agents_api/deskgym/base_agent.py", ""),
            ("apps/deskgym_apps/crm_app/a.py", ""),
            ("tests/kit/misc.py", ""),
        ),
        kept=(
            ("apps/deskgym_apps/kit/templates/base.html", ""),
            ("apps/deskgym_apps/kit/money.py", ""),
        ),
    ),
    Rule(
        "files can be read in one go",
        f"{LONGEST} lines are enough for one subject",
        below(*PACKAGES),
        is_too_long,
        broken=(("apps/deskgym_apps/crm/service.py", "x = 1\n" * 401),),
        kept=(("apps/deskgym_apps/crm/service.py", "x = 1\n" * 400),),
    ),
]
