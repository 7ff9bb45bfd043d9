"""Rows of `code_repair`, from the repositories and their bugs.

A family is one bug of one repository. Its tasks have a user's report, only the failing tests, or a second bug. Only our own
code runs here.
"""

import sys
from collections.abc import Iterator
from itertools import chain
from random import Random
from typing import Any, NamedTuple

from authoring.code_repair.repositories import REPOSITORIES, Bug, Repository
from authoring.code_repair.wordings import WORDINGS
from authoring.engine import Builder, Draft, Exhausted, Family, Trial, Turn
from verigym.core.records import Task
from verigym.core.seeds import derive
from verigym.environments.code_repair.verifier import bundle

SEED = 13
KINDS = {
    "train": ["report two", "tests", "report tests", "two", "tests two", "report"],
    "val": ["tests two", "report two", "report tests"],
}
"""Kinds of task of a family. The families take these in turns, so that the kinds are equally frequent."""


class Fault(NamedTuple):
    repository: Repository
    bug: Bug
    kinds: list[str]


def families(split: str) -> list[Family]:
    bugs = [(repository, bug) for repository in REPOSITORIES[split] for bug in repository.bugs]
    return [
        Family(
            split,
            f"code_repair/{split}/{repository.name}_{bug.name}",
            Fault(repository, bug, KINDS[split][index % len(KINDS[split])].split()),
        )
        for index, (repository, bug) in enumerate(bugs)
    ]


def draw(family: Family, turn: Turn) -> Draft:
    repository, bug, kinds = family.source
    if turn.number >= len(kinds):
        raise Exhausted
    kind = kinds[turn.number]
    random = Random(derive(SEED, family.name, kind))
    others = [other for other in repository.bugs if other.path != bug.path]
    bugs = [bug, random.choice(others)] if kind == "two" else [bug]
    wordings = WORDINGS[family.split][kind]
    wording = wordings[(derive(SEED, repository.name, kind) + repository.bugs.index(bug)) % len(wordings)]
    right = repository.files()
    names = _names(right)
    files = {**right, **repository.tests}
    for each in bugs:
        assert files[each.path].count(each.right) == 1, f"{family.name}: {each.right!r} is not in the file exactly once"
        files[each.path] = files[each.path].replace(each.right, each.wrong)
    return Draft(
        prompt=wording.format(name=repository.name, report=bug.report, about=repository.about),
        data={
            "files": files,
            "tests": [_assert(test, names) for test in [*repository.hidden, *chain(*repository.shown.values())]],
            "fixes": [_fix(right[each.path], each) for each in bugs],
        },
        tags=["repair", kind],
        key=kind,
        label=kind,
    )


def _fix(right: str, bug: Bug) -> dict[str, str]:
    """The edit that repairs a bug, in whole lines."""
    at = right.index(bug.right)
    new = right[right.rfind("\n", 0, at) + 1 : right.index("\n", at + len(bug.right))]
    old = new.replace(bug.right, bug.wrong)
    assert right.replace(new, old).count(old) == 1, f"{bug.path}: {old!r} is in the file more than once"
    return {"path": bug.path, "old": old, "new": new}


def _names(files: dict[str, str]) -> dict[str, Any]:
    space: dict[str, Any] = {}
    _run(bundle(files), space)
    return space


def _run(source: str, space: dict[str, Any]) -> None:
    """Executes our own code, then removes the modules that it imported."""
    modules, finders = set(sys.modules), list(sys.meta_path)
    try:
        exec(source, space)
    finally:
        sys.meta_path[:] = finders
        for name in set(sys.modules) - modules:
            del sys.modules[name]


def _given(expression: str, names: dict[str, Any]) -> tuple[str, Any]:
    try:
        return "value", eval(expression, dict(names))
    except Exception as error:
        return "raised", type(error).__name__


def _assert(expression: str, names: dict[str, Any]) -> str:
    kind, value = _given(expression, names)
    assert kind == "value", f"{expression}: {value}"
    return f"assert {expression} == {value!r}"


def _failing(files: dict[str, str], tests: list[str]) -> list[str]:
    names = _names(files)
    calls = [(test.removeprefix("assert ").rpartition(" == "), test) for test in tests]
    return [test for (call, _, value), test in calls if _given(call, names) != ("value", eval(value))]


def _shown(files: dict[str, str]) -> list[str]:
    """The visible tests as asserts."""
    texts = [text for path, text in files.items() if path.startswith("tests/")]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    got = [line.removeprefix("got = ") for line in lines if line.startswith("got = ")]
    wanted = [line.removeprefix("assert got == ").removesuffix(", got") for line in lines if line.startswith("assert")]
    return [f"assert {call} == {value}" for call, value in zip(got, wanted, strict=True)]


def check(task: Task, trial: Trial) -> Iterator[str]:
    """Visible and hidden tests show each bug, and the repaired files pass all of them."""
    files = task.data["files"]
    if not 5 <= len(files) <= 12:
        yield f"{len(files)} files, not 5 to 12"
    shown = _shown(files)
    hidden = [test for test in task.data["tests"] if test not in shown]
    if not _failing(files, shown):
        yield "no visible test fails"
    if not _failing(files, hidden):
        yield "no hidden test fails"
    repaired = dict(files)
    for fix in task.data["fixes"]:
        repaired[fix["path"]] = repaired[fix["path"]].replace(fix["old"], fix["new"])
        if len(task.data["fixes"]) > 1:
            half = {**files, fix["path"]: files[fix["path"]].replace(fix["old"], fix["new"])}
            if not _failing(half, hidden):
                yield "no hidden test shows the second bug"
            if not _failing(half, shown):
                yield "no visible test shows the second bug"
    yield from (f"the repaired files fail {test}" for test in _failing(repaired, [*shown, *hidden]))


BUILDER = Builder(
    name="code_repair", seed=SEED, sizes={"train": 2, "val": 2}, families=families, draw=draw, may_end_early=True,
    cheats_every=10, check=check,
)  # fmt: skip
