"""Scores a function that should do the same as a slow one in less time.

Correctness comes first: hidden cases, whose expected results never enter the sandbox. Then both functions run in turns on the
same large inputs in fresh processes, and their CPU time is compared (`speed_inside`). CPU time does not grow when other
programs keep the machine busy, and a ratio of two functions on one machine cancels how fast the machine is. A ratio near the
limit is measured again with new inputs. The verdict has no measured number, so the same reply gets the same verdict.

Wall time, memory and work on a GPU are not measured.
"""

import inspect
import os
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.errors import InfrastructureFailure, VerifierFailure
from verigym.core.protocols import Box, Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.sandbox.open import why_not_isolated
from verigym.verifiers import speed_inside
from verigym.verifiers.answers import find_block

_INSIDE = inspect.getsource(speed_inside)
# Without `site`: hooks of installed packages take longer than most functions.
_COMMAND = ["env", "PYTHONHASHSEED=0", "python3", "-s", "-S", "-c", speed_inside.START, "driver", _INSIDE]
_ALLOW = "VERIGYM_ALLOW_UNSANDBOXED"
_NEEDED = ("entry_point", "slow", "cases", "make", "sizes")
_CORRECT = 0.1
"""Reward of a function that is right and not fast enough. The given function itself earns no more."""
_WALL_S = 240.0
"""Wall time of all hidden cases, and of all rounds. Limits on CPU time end a slow function much earlier."""


class Faster(Struct, frozen=True):
    """Runs the reply's function against hidden cases, then measures it against the task's slow function.

    `task.data` has:

    - `entry_point`: the name of the function
    - `slow`: the source of the slow function
    - `cases`: a list of `[arguments, result]`. The result is written as `speed_inside.encode` writes it
    - `make`: Python text with `def make(random, size)`, which returns the arguments of a large call
    - `sizes`: the sizes of the large calls of one round

    The reward is 1 if all cases pass and the function is fast enough, 0.1 if it is only right, and otherwise 0."""

    times: float = 4.0
    """How many times as fast as the slow function it has to be."""
    seconds: float = 1.0
    """CPU time limit of one hidden case."""
    slow_seconds: float = 20.0
    """CPU time limit of the slow function in one round."""
    unsandboxed: bool = False
    """Run the code even if nothing isolates it. See `Code`."""

    async def __call__(self, task: Task, trajectory: Trajectory, context: Context) -> Verdict:
        missing = [name for name in _NEEDED if not task.data.get(name)]
        if missing:
            raise VerifierFailure(f'task {task.id}: data has no "{missing[0]}". Faster needs {", ".join(_NEEDED)}')
        if context.sandbox is None:
            raise VerifierFailure("this run has no sandbox. Faster needs one to run what the model wrote")
        if not (context.sandbox.isolated or self.unsandboxed or os.environ.get(_ALLOW) == "1"):
            raise InfrastructureFailure(
                f"Faster runs what a model wrote, and no sandbox isolates it here. {why_not_isolated()} To run it without "
                f"isolation, where it can read your keys, set {_ALLOW}=1 or pass Faster(unsandboxed=True) "
                "(docs/how-to/sandbox.md)"
            )
        block = find_block(trajectory.reply, "python", "py", "python3")
        source = (trajectory.reply if block is None else block).encode("utf-8", "replace").decode()
        order = {"source": source, "entry": task.data["entry_point"], "seconds": self.seconds}
        async with await context.sandbox.open() as box:
            failed = await self._wrong_cases(task, order, box)
            if failed:
                cases = len(task.data["cases"])
                share = (cases - len(failed)) / cases
                lines = [f"{cases - len(failed)} of {cases} hidden cases passed", *failed[:3]]
                return Verdict(reward=0.0, parts={"cases": share, "faster": 0.0}, evidence="\n".join(lines))
            result = await self._race(task, order, box)
        if "wrong" in result:
            return Verdict(reward=0.0, parts={"cases": 1.0, "faster": 0.0}, evidence=f"failed: {result['wrong']}")
        fast = bool(result["faster"])
        words = "fast enough" if fast else "right, but not fast enough"
        return Verdict(
            reward=1.0 if fast else _CORRECT,
            passed=fast,
            parts={"cases": 1.0, "faster": float(fast)},
            evidence=f"{words}: the limit is {self.times:g} times as fast as the given function",
        )

    async def _wrong_cases(self, task: Task, order: dict[str, Any], box: Box) -> list[str]:
        """A line for each hidden case that fails."""
        cases = task.data["cases"]
        ran = await _inside(box, {**order, "mode": "answers", "calls": [arguments for arguments, _ in cases]})
        answers = ran if isinstance(ran, list) else [{"broke": ran}]
        answers += [answers[-1] if answers else {"broke": "no answer"}] * (len(cases) - len(answers))
        return [
            f"failed: {task.data['entry_point']}({_short(arguments)}): {why}"
            for (arguments, expected), answer in zip(cases, answers, strict=False)
            if (why := _why(arguments, expected, answer))
        ]

    async def _race(self, task: Task, order: dict[str, Any], box: Box) -> dict[str, Any]:
        made = {name: task.data[name] for name in ("slow", "make", "sizes")}
        limits = {"times": self.times, "slow_seconds": self.slow_seconds}
        ran = await _inside(box, {**order, **made, **limits, "mode": "race", "seed": task.id})
        if not isinstance(ran, dict):
            return {"wrong": f"large input: {ran}"}
        if "broken" in ran:
            raise VerifierFailure(f"task {task.id}: {ran['broken']}")
        return ran


async def _inside(box: Box, order: dict[str, Any]) -> Any:
    """What the driver printed, or why it printed nothing."""
    ran = await box.run(_COMMAND, stdin=msgspec.json.encode(order).decode(), seconds=_WALL_S)
    if ran.stop != "exit":
        return f"stopped by the sandbox: {ran.stop}"
    try:
        return msgspec.json.decode(ran.stdout)
    except msgspec.DecodeError:
        if not ran.stderr.strip():
            return "the measurement was stopped"
        raise VerifierFailure(f"the measurement gave no result: {ran.stderr.strip()[-300:]}") from None


def _why(arguments: list[Any], expected: Any, answer: Any) -> str:
    """What is wrong with an answer. Empty if nothing is."""
    if not isinstance(answer, dict) or "value" not in answer:
        return str(next(iter(answer.values()), "no answer"))[:200] if isinstance(answer, dict) else "no answer"
    if not speed_inside.same(answer["value"], expected):
        return f"returned {_short(answer['value'])}, expected {_short(expected)}"
    return "" if answer.get("inputs") == arguments else "it changed its input"


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 80 else f"{text[:77]}..."
