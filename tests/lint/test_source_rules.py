"""The house rules that can be read off the source, each shown to catch what it forbids."""

from functools import cache
from pathlib import PurePosixPath

import pytest

from . import page_rules, python_rules, tree_rules
from .source import PACKAGES, ROOT, Rule, Source, hand_written_files

RULES = [*python_rules.RULES, *page_rules.RULES, *tree_rules.RULES]

# (rule, path) -> why this file may break this rule. An entry that is no longer needed fails a test below.
ALLOWED: dict[tuple[str, str], str] = {}


def by_name(rule: Rule) -> str:
    return rule.name


@cache
def tree() -> list[Source]:
    return list(hand_written_files(*PACKAGES, "tests"))


def remarks_in_tree(rule: Rule) -> dict[str, list[str]]:
    found = {str(source.path): rule.remarks(source) for source in tree()}
    return {path: remarks for path, remarks in found.items() if remarks}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_walked(package: str) -> None:
    assert ROOT.joinpath(package, "__init__.py").is_file()
    assert any(source.path.is_relative_to(package) for source in hand_written_files(package))


@pytest.mark.parametrize("rule", RULES, ids=by_name)
def test_the_source_keeps_the_rule(rule: Rule) -> None:
    broken = [
        remark
        for path, remarks in remarks_in_tree(rule).items()
        if (rule.name, path) not in ALLOWED
        for remark in remarks
    ]
    assert not broken, "\n".join([f"{rule.name}: {rule.reason}", *broken])


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [pytest.param(rule, path, text, id=f"{rule.name}-{path}") for rule in RULES for path, text in rule.broken],
)
def test_the_rule_catches_a_planted_fault(rule: Rule, path: str, text: str) -> None:
    assert rule.remarks(Source(PurePosixPath(path), text))


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [pytest.param(rule, path, text, id=f"{rule.name}-{path}") for rule in RULES for path, text in rule.kept],
)
def test_the_rule_lets_proper_code_pass(rule: Rule, path: str, text: str) -> None:
    assert rule.remarks(Source(PurePosixPath(path), text)) == []


def test_every_rule_has_a_planted_fault_and_a_counterexample() -> None:
    assert [rule.name for rule in RULES if not (rule.broken and rule.kept)] == []


def test_every_exception_names_a_rule_and_is_still_needed() -> None:
    rules = {rule.name: rule for rule in RULES}
    assert {name for name, _ in ALLOWED} <= set(rules)
    assert [(name, path) for name, path in ALLOWED if path not in remarks_in_tree(rules[name])] == []
