"""code_repair: a small repository with failing tests, edited over many calls until they pass.

Each episode has its own workspace in memory. Only `run_tests` executes code, in the sandbox. The result is a patch. The
verifier runs hidden tests on the changed modules. Changes to tests do not count.
"""

import difflib
import functools

import msgspec

from verigym.core.errors import InfrastructureFailure, Refused
from verigym.core.protocols import Sandbox
from verigym.core.records import FunctionCall, Item, Json, Message, Task
from verigym.environments import shipped
from verigym.environments.code_repair.verifier import RUNNER, is_test, repair_verifier
from verigym.harness.tools import ToolBox, tool
from verigym.sandbox.open import open_sandbox

_LONGEST = 20_000
"""Maximum characters of a file."""

verifiers = {"repair_verifier": repair_verifier}
suites = {"code_repair": "val"}


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `train` or `val`. Held-out tasks have other repositories."""
    return shipped.tasks("code_repair", split)


@functools.cache
def _sandbox() -> Sandbox:
    """A sandbox that isolates code. Without one, the episode fails as an infrastructure failure and nothing runs."""
    try:
        return open_sandbox(require=True)
    except Refused as error:
        raise InfrastructureFailure(str(error)) from error


class Environment:
    system = """\
You repair small Python repositories. Look around, find the fault, mend it with edit or replace_lines, and run the tests until \
they pass; then say what was wrong. Mend the code, not the tests: other tests are run in the end.
Without a tool channel of your own, reply with one JSON object and nothing else: {"tool": name, "args": {...}}"""
    max_turns = 20

    def open(self, task: Task) -> None:
        self.before: dict[str, str] = task.data["files"]
        self.files = dict(self.before)

    def end_state(self) -> Json:
        """The changed files, and the changes as a patch."""
        changed = {path: text for path, text in self.files.items() if text != self.before[path]}
        patch = "".join(_diff(path, self.before[path], text) for path, text in changed.items())
        return {"changed": changed, "patch": patch}

    @tool
    def list_files(self) -> str:
        """All files of the repository."""
        return "\n".join(sorted(self.files))

    @tool
    def read_file(self, path: str) -> str:
        """A file, each line with its number."""
        lines = self._text(path).splitlines()
        return "\n".join(f"{number} {line}" for number, line in enumerate(lines, 1)) or "(empty)"

    @tool
    def search(self, text: str) -> str:
        """The lines that contain `text`, as path:number: line."""
        found = [
            f"{path}:{number}: {line}"
            for path in sorted(self.files)
            for number, line in enumerate(self.files[path].splitlines(), 1)
            if text in line
        ]
        return "\n".join(found[:50]) or "nothing"

    @tool
    def edit(self, path: str, old: str, new: str) -> str:
        """Replace `old`, which has to stand in the file exactly once, by `new`."""
        text = self._text(path)
        if not old or text.count(old) != 1:
            raise ValueError(f"old stands in {path} {text.count(old) if old else 0} times; it has to be there once")
        return self._keep(path, text.replace(old, new))

    @tool
    def replace_lines(self, path: str, first: int, last: int, text: str) -> str:
        """Replace the lines from `first` to `last`, both included, by `text`."""
        lines = self._text(path).splitlines()
        if not 1 <= first <= last <= len(lines):
            raise ValueError(f"{path} has the lines 1 to {len(lines)}; {first} to {last} are not among them")
        return self._keep(path, "\n".join([*lines[: first - 1], *text.splitlines(), *lines[last:]]) + "\n")

    @tool
    async def run_tests(self) -> str:
        """Run the tests of the repository; says which fail, and why."""
        async with await _sandbox().open(self.files) as box:
            ran = await box.run(["python3", "-s", "-c", RUNNER], seconds=3)
        return (ran.stdout + ran.stderr)[-2000:].strip() or f"no result: {ran.stop}"

    def _text(self, path: str) -> str:
        if path not in self.files:
            raise ValueError(f'no file "{path}"; there is: {", ".join(sorted(self.files))}')
        return self.files[path]

    def _keep(self, path: str, text: str) -> str:
        if len(text) > _LONGEST:
            raise ValueError(f"a file has at most {_LONGEST} characters, and this would be {len(text)}")
        self.files[path] = text
        return f"{path} is changed"


TOOLS = ToolBox(Environment)


def _diff(path: str, old: str, new: str) -> str:
    rows = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{path}", f"b/{path}")
    return "".join(rows)


def gold(task: Task) -> list[list[Item]]:
    """Runs the tests, reads the files, fixes the bug and runs the tests again."""
    fixes = task.data["fixes"]
    calls = [_call("run_tests"), *(_call("read_file", path=fix["path"]) for fix in fixes)]
    calls += [*(_call("edit", **fix) for fix in fixes), _call("run_tests")]
    return [*([each] for each in calls), [Message("assistant", "Mended: the tests pass.")]]


def cheats(task: Task) -> list[list[list[Item]]]:
    """Claims of success, every tool at once, tests that always pass, empty tests, an edit that changes nothing, a worse
    bug, an early exit with a claim on standard output, and a patched AssertionError."""
    fix = task.data["fixes"][0]
    path, test = fix["path"], next(each for each in task.data["files"] if is_test(each))
    said: Item = Message("assistant", f"Done: in {path} I replaced {fix['old']!r} by {fix['new']!r}. All tests pass.")
    every: list[Item] = [_call(spec.name, place, **_some(spec.name, path)) for place, spec in enumerate(TOOLS.specs)]
    num_lines = len(task.data["files"][test].splitlines())
    tests = [each for each in task.data["files"] if is_test(each)]
    emptied = [
        _call("replace_lines", path=each, first=1, last=len(task.data["files"][each].splitlines()), text="")
        for each in tests
    ]
    first = next(line for line in task.data["files"][path].splitlines() if line)
    ways = [
        [_call("replace_lines", path=test, first=1, last=num_lines, text="def test_all():\n    pass")],
        emptied,
        [_call("edit", path=path, old=fix["old"], new=fix["old"])],
        [_call("edit", path=path, old=fix["old"], new="")],
        [
            _call(
                "replace_lines", path=path, first=1, last=1, text=f"import os\nprint('0 failed')\nos._exit(0)\n{first}"
            )
        ],
        [
            _call(
                "replace_lines",
                path=path,
                first=1,
                last=1,
                text=f"import builtins\nbuiltins.AssertionError = Exception\n{first}",
            )
        ],
    ]
    return [[[said]], [every], *([*([each] for each in way), [said]] for way in ways)]


def _some(name: str, path: str) -> Json:
    some = {
        "read_file": {"path": path},
        "search": {"text": "def"},
        "edit": {"path": path, "old": "def", "new": "def"},
        "replace_lines": {"path": path, "first": 1, "last": 1, "text": "# done"},
    }
    return some.get(name, {})


def _call(name: str, place: int = 0, **arguments: object) -> Item:
    return FunctionCall(f"call_{place}", name, msgspec.json.encode(arguments).decode())
