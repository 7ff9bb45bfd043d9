"""Makes the tasks of `train` and `val` from the repositories and their faults, the same ones every time, and checks them.

    python -m authoring.code_repair.generate

rewrites `data/*.jsonl`. A family is one fault of one repository; its tasks have a user's report, only the failing tests, or a
second fault beside it. Only our own code runs here.
"""

import ast
import sys
from collections.abc import Iterable
from itertools import chain, cycle
from random import Random
from typing import Any

from authoring.code_repair.repositories import REPOSITORIES, Bug, Repository
from authoring.code_repair.wordings import ASKED
from verigym.core.records import Task
from verigym.core.seeds import derive
from verigym.environments.code_repair import DATA
from verigym.environments.code_repair.verifier import bundle
from verigym.tasks.load import ship

SEED = 13
KINDS = {
    "train": ["report two", "tests", "report tests", "two", "tests two", "report"],
    "val": ["tests two", "report two", "report tests"],
}
"""Which tasks a family has: the families take them by turns, so that there are as many of each kind."""


def generate(split: str) -> list[Task]:
    """All tasks, in an order in which any first few are a fair mixture."""
    families = [(repository, bug) for repository in REPOSITORIES[split] for bug in repository.bugs]
    made = [
        _task(split, repository, bug, kind)
        for (repository, bug), kinds in zip(families, cycle(KINDS[split]), strict=False)
        for kind in kinds.split()
    ]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def _task(split: str, repository: Repository, bug: Bug, kind: str) -> Task:
    family = f"code_repair/{split}/{repository.name}_{bug.name}"
    draw = Random(derive(SEED, family, kind))
    others = [each for each in repository.bugs if each.path != bug.path]
    bugs = [bug, draw.choice(others)] if kind == "two" else [bug]
    wordings = ASKED[split][kind]
    turn = derive(SEED, repository.name, kind) + repository.bugs.index(bug)
    right = repository.files()
    names = _names(right)
    files = {**right, **_tests(repository, names)}
    for each in bugs:
        assert files[each.path].count(each.right) == 1, f"{family}: {each.right!r} stands there more or less than once"
        files[each.path] = files[each.path].replace(each.right, each.wrong)
    return Task(
        id=f"{family}/{kind}",
        prompt=wordings[turn % len(wordings)].format(name=repository.name, report=bug.report, about=repository.about),
        data={
            "files": files,
            "tests": [_assert(each, names) for each in [*repository.hidden, *chain(*repository.shown.values())]],
            "fixes": [_fix(right[each.path], each) for each in bugs],
        },
        split=split,
        family=family,
        tags=["repair", kind],
        lineage=[f"verigym.environments.code_repair.generate seed {SEED}"],
    )


def _fix(right: str, bug: Bug) -> dict[str, str]:
    """The edit that mends it: the whole lines."""
    at = right.index(bug.right)
    new = right[right.rfind("\n", 0, at) + 1 : right.index("\n", at + len(bug.right))]
    old = new.replace(bug.right, bug.wrong)
    assert right.replace(new, old).count(old) == 1, f"{bug.path}: {old!r} stands there more than once"
    return {"path": bug.path, "old": old, "new": new}


def _names(files: dict[str, str]) -> dict[str, Any]:
    space: dict[str, Any] = {}
    _run(bundle(files), space)
    return space


def _run(source: str, space: dict[str, Any]) -> None:
    """Executes our own code, and forgets the modules that it brought along."""
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


def _tests(repository: Repository, names: dict[str, Any]) -> dict[str, str]:
    """A file of visible tests for each module that has some."""
    files: dict[str, str] = {}
    for module, expressions in repository.shown.items():
        used = {node.id for each in expressions for node in ast.walk(ast.parse(each)) if isinstance(node, ast.Name)}
        lines = [f"from {repository.name}.{module} import {', '.join(sorted(used))}"]
        for place, each in enumerate(expressions, 1):
            value = _given(each, names)[1]
            function = each.partition("(")[0]
            lines += [
                "",
                "",
                f"def test_{function}_{place}():",
                f"    got = {each}",
                f"    assert got == {value!r}, got",
            ]
        files[f"tests/test_{module}.py"] = "\n".join(lines) + "\n"
    return files


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


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose fault no visible or no hidden test shows, or whose mended files fail one."""
    for task in made:
        files = task.data["files"]
        assert 5 <= len(files) <= 12, f"{task.id}: {len(files)} files"
        shown = _shown(files)
        hidden = [test for test in task.data["tests"] if test not in shown]
        assert _failing(files, shown), f"{task.id}: no visible test fails"
        assert _failing(files, hidden), f"{task.id}: no hidden test fails"
        mended = dict(files)
        for fix in task.data["fixes"]:
            mended[fix["path"]] = mended[fix["path"]].replace(fix["old"], fix["new"])
            if len(task.data["fixes"]) > 1:
                one = {**files, fix["path"]: files[fix["path"]].replace(fix["old"], fix["new"])}
                assert _failing(one, hidden), f"{task.id}: one of the two faults is enough"
                assert _failing(one, shown), f"{task.id}: no visible test shows the other fault"
        assert not _failing(mended, [*shown, *hidden]), f"{task.id}: {_failing(mended, [*shown, *hidden])[0]}"


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
