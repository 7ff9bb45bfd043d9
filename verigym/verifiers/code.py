"""Submitted code against the task's unit tests, in the sandbox.

The verdict does not come from the process that the submission runs in. Tests run in a box of their own; what they call is
answered by the submission in another box, as plain values (`code_inside`). Programs that read standard input are run case
by case, and what they print is compared here. Either way the submission is told inputs, never what is expected.

So it can answer wrongly and nothing else: exit, print "passed", patch assert or `__eq__`, search frames and files for the
tests. That holds in an isolated sandbox; in a plain process it could look for other processes of its user.
Arguments go by value: a test that looks for a change made in its own list, or passes a function, is not for this verifier.
"""

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Box, CommandResult, Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers import code_inside
from verigym.verifiers.answers import find_block
from verigym.verifiers.code_tests import SubmissionTest, read_units

_INSIDE = inspect.getsource(code_inside)
_PYTHON = ["env", "PYTHONHASHSEED=0", "python3", "-s"]
_ROUNDS = 100
"""Calls that a test may make one after the other, each depending on the answer before."""
_SHOWN = 5
"""Failed tests that are told in full."""


class Code(Struct, frozen=True):
    """`task.data["tests"]` is Python text with asserts or `test_` functions, a list of such texts, or a list of
    `{"input": ..., "output": ...}` for a program that reads and prints. The reward is the share of tests passed."""

    seconds: float = 5.0
    """For each test: of processor time, and three times as much by the clock. For a run of a program: by the clock."""
    file: str = ""
    """Where the code is: a name in the end state or among the blobs. Empty: the reply's last ```python block, or all of it."""

    async def __call__(self, task: Task, trajectory: Trajectory, context: Context) -> Verdict:
        tests: Any = task.data.get("tests")
        if not tests:
            raise VerifierFailure(f'task {task.id}: data has no "tests"; Code runs the reply against them')
        if context.sandbox is None:
            raise VerifierFailure("Code runs what a model wrote, and this run has no sandbox to run it in")
        source = self._source(trajectory, context)
        async with await context.sandbox.open({"main.py": source}) as box:
            if isinstance(tests, list) and isinstance(tests[0], dict):
                results = [await _case(place, case, box, self.seconds) for place, case in enumerate(tests)]
            else:
                async with await context.sandbox.open() as test_box:
                    results = await _Exchange(read_units(task, tests), source, box, test_box, self.seconds).results()
        passed = sum(result.passed for result in results)
        return Verdict(
            reward=passed / len(results),
            passed=passed == len(results),
            parts={"tests": passed / len(results)},
            evidence=_evidence(results),
        )

    def _source(self, trajectory: Trajectory, context: Context) -> str:
        if not self.file:
            block = find_block(trajectory.reply, "python", "py", "python3")
            source = trajectory.reply if block is None else block
        elif self.file in trajectory.blobs:
            source = context.blob(trajectory.blobs[self.file]).decode("utf-8", "replace")
        else:
            source = str(trajectory.end_state.get(self.file, ""))
        return source.encode("utf-8", "replace").decode()


class _TestResult(NamedTuple):
    name: str
    passed: bool
    words: str = ""


def _evidence(results: Sequence[_TestResult]) -> str:
    wrong = [result for result in results if not result.passed]
    lines = [f"{len(results) - len(wrong)} of {len(results)} tests passed"]
    lines += [f"failed: {result.name}: {result.words[:300]}" for result in wrong[:_SHOWN]]
    lines += [f"failed: {', '.join(result.name for result in wrong[_SHOWN:])}"[:500]] if wrong[_SHOWN:] else []
    return "\n".join(lines)


async def _case(place: int, case: Any, box: Box, seconds: float) -> _TestResult:
    name = f"case {place + 1}"
    if not isinstance(case, dict) or not {"input", "output"} <= case.keys():
        raise VerifierFailure(f'{name} of the tests is not {{"input": ..., "output": ...}}')
    ran = await box.run([*_PYTHON, "main.py"], stdin=str(case["input"]), seconds=seconds)
    if ran.stop != "exit" or ran.code != 0:
        return _TestResult(name, False, _ended(ran))
    printed, expected = _lines(ran.stdout), _lines(str(case["output"]))
    return _TestResult(
        name, printed == expected, f"printed {ran.stdout[:120]!r}, expected {str(case['output'])[:120]!r}"
    )


def _lines(text: str) -> list[str]:
    """Without the white space at the end of lines and of the text."""
    return [line.rstrip() for line in text.rstrip().split("\n")]


def _ended(ran: CommandResult) -> str:
    if ran.stop != "exit":
        return f"stopped by the sandbox: {ran.stop}"
    return f"ended with {ran.code}: {ran.stderr.strip()[-200:]}"


class _Exchange:
    """The tests ask, the submission answers, in rounds: every call that a test made so far is made again in a fresh
    process, so that a test sees one submission from its first call to its last."""

    def __init__(self, units: list[SubmissionTest], source: str, box: Box, test_box: Box, seconds: float) -> None:
        self._units = units
        self._source = source
        self._box = box
        self._test_box = test_box
        self._seconds = seconds
        self._left_s = 3 * seconds * (len(units) + 1)
        """For the submission, over all rounds."""
        self._calls: list[list[str]] = [[] for _ in units]
        self._answers: list[list[str]] = [[] for _ in units]
        self._broke = ""
        """Why there are no answers, in the submission's own words or the sandbox's."""

    async def results(self) -> list[_TestResult]:
        done: dict[int, _TestResult] = {}
        for _ in range(_ROUNDS):
            waiting = [place for place in range(len(self._units)) if place not in done]
            if not waiting:
                break
            for place, outcome in (await self._try(waiting)).items():
                if "need" in outcome:
                    at, calls = outcome["need"]
                    self._calls[place][at:] = calls
                else:
                    done[place] = self._result(self._units[place], outcome)
            await self._answer([place for place in waiting if place not in done])
        unfinished = f"it makes more than {_ROUNDS} calls that depend on each other"
        return [done.get(place, _TestResult(unit.name, False, unfinished)) for place, unit in enumerate(self._units)]

    def _result(self, unit: SubmissionTest, outcome: dict[str, Any]) -> _TestResult:
        if "broken" in outcome:
            raise VerifierFailure(f"the test {unit.name} cannot be run: {outcome['broken']}")
        words = outcome.get("failed", "")
        if words == "the submission gave no answer" and self._broke:
            words += f" ({self._broke})"
        return _TestResult(unit.name, "passed" in outcome, words)

    async def _try(self, waiting: list[int]) -> dict[int, dict[str, Any]]:
        """Place to outcome; a test whose outcome was crowded out by the others' is left for the next round."""
        units: list[dict[str, Any]] = []
        for place in waiting:
            answers = self._answers[place]
            log = [[call, answers[at] if at < len(answers) else ""] for at, call in enumerate(self._calls[place])]
            units.append({"code": self._units[place].code, "names": self._units[place].names, "log": log})
        order = {"units": units, "seconds": self._seconds}
        ran = await _inside(self._test_box, "tests", order, 3 * self._seconds * (len(units) + 1))
        told = dict(msgspec.json.decode(line) for line in ran.stdout.split("\n")[:-1])
        silent = [at for at in range(len(units)) if at not in told]
        if silent and not (ran.stop == "output" and told):
            if ran.stop == "exit" or not any(units[at]["log"] for at in silent):
                raise VerifierFailure(f"the tests gave no result: {_ended(ran)}")
            told |= {at: {"failed": _ended(ran)} for at in silent}
        return {waiting[at]: outcome for at, outcome in told.items()}

    async def _answer(self, waiting: list[int]) -> None:
        """Where the sandbox stops the submission, those behind the test that it was at get another run."""
        for place in waiting:
            self._answers[place] = []
        while waiting and self._left_s > 0:
            order = {
                "source": self._source,
                "sessions": [self._calls[place] for place in waiting],
                "seconds": self._seconds,
            }
            ran = await _inside(self._box, "submission", order, self._left_s)
            self._left_s -= ran.seconds
            self._read(ran.stdout, waiting)
            if ran.stop == "exit":
                return
            self._broke = _ended(ran)
            short = [at for at, place in enumerate(waiting) if len(self._answers[place]) < len(self._calls[place])]
            waiting = waiting[max(short[0], 1) :] if short else []
            for place in waiting:
                self._answers[place] = []

    def _read(self, said: str, waiting: list[int]) -> None:
        """All of it comes from the submission: a line is `session answer`, or anything at all; the last may be cut off."""
        for line in said.split("\n")[:-1]:
            session, _, answer = line.partition(" ")
            if session.isascii() and session.isdigit() and len(session) < 6 and int(session) < len(waiting):
                self._answers[waiting[int(session)]].append(answer)
            elif session == "broke":
                self._broke = answer[:300]


async def _inside(box: Box, role: str, order: Any, seconds: float) -> CommandResult:
    command = [*_PYTHON, "-c", _INSIDE, role]
    return await box.run(command, stdin=msgspec.json.encode(order).decode(), seconds=seconds)
