"""code: Python functions against hidden tests.

Each task asks for one function and shows its signature and two examples. The hidden tests were selected because they reject
mutants of a reference solution. The code runs in the sandbox, never in this process. One turn.
"""

import msgspec

from verigym.core.protocols import Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.environments import shipped
from verigym.verifiers.code import Code

_TESTED = Code(seconds=1.0)


async def code_verifier(task: Task, trajectory: Trajectory, context: Context) -> Verdict:
    """Gives 1 if every hidden test passes, and otherwise 0. The part `tests` is the share."""
    verdict = await _TESTED(task, trajectory, context)
    return msgspec.structs.replace(verdict, reward=float(verdict.passed))


verifiers = {"code_verifier": code_verifier}
suites = {"code_functions": "val"}


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `train` or `val`. Held-out tasks have other problems."""
    return shipped.tasks("code", split)


class Environment:
    system = """\
You write Python. Reply with the whole function in one ```python block. It is tested with inputs that you do not see; use the \
standard library only."""
    max_turns = 1

    def open(self, task: Task) -> None: ...


def gold(task: Task) -> str:
    return _block(task.data["gold"])


def cheats(task: Task) -> list[str]:
    """Claims of success, the prompt, code in words, an empty reply, memorised examples, values that equal everything, early
    exits, claims on standard output, and functions that are nearly right."""
    assert isinstance(task.prompt, str), "code's prompts are text"
    name, right = task.data["entry_point"], task.data["gold"]
    table = {repr(tuple(inputs)): value for inputs, value in task.data["examples"]}
    return [
        f"Done: `{name}` is written, and all tests pass.",
        task.prompt,
        f"The function should do this: {' '.join(right.split())}",
        _block(f"def {name}(*given):\n    pass"),
        _block(f"def {name}(*given):\n    return {table!r}.get(repr(given))"),
        _block(
            "class Equal:\n    __hash__ = None\n    def __eq__(self, other): return True\n"
            f"def {name}(*given):\n    return Equal()"
        ),
        _block(f"import os\nprint('{len(task.data['tests'])} passed')\ndef {name}(*given):\n    os._exit(0)"),
        _block("import builtins, sys\nbuiltins.AssertionError = Exception\nsys.exit(0)"),
        _block(f"{right}\ndel {name}"),
        *(_block(each) for each in task.data["wrong"]),
    ]


def _block(source: str) -> str:
    return f"```python\n{source}\n```"
