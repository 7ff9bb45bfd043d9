"""The two programs that `speed` runs in a sandbox, passed as the text of this file. Standard library only.

`driver` starts a process for each function that it runs, sends it the inputs one by one and reads that process's CPU clock.
`runner` is that process: it loads one function and answers calls. It gets inputs only, never an expected result, the other
function or the clock. It cannot start threads or processes, and the driver's memory is closed to it.

The cost of a function is the CPU time of its whole process from the moment the source is sent until the last answer is read.
So work at import, between calls or after an answer counts too.
"""

from __future__ import annotations

import json
import os
import random
import resource
import select
import sys
import time
from typing import Any, NoReturn

START = "import sys; sys.path[:] = filter(None, sys.path); exec(sys.argv[2])"
"""Starts this file, which is the second argument. Without the working folder among the places of modules: an empty `json.py`
that a submission left there would end the measurement, or change what the slow function costs."""
LONGEST = 4 << 20
"""Maximum characters of an answer."""
WALL = 20
"""An answer may take this many times its CPU limit in wall time. Only code that waits takes so long."""
CLEAR = 2.0
"""A ratio that is this many times above or below the limit needs no second measurement."""
MEASURED = (1, 3, 7)
"""After this many pairs, a ratio must be clear by `CLEAR`, by its square root, and not at all."""
PRELOADED = "array bisect collections copy functools heapq itertools math operator re string typing"
"""Modules that a runner imports before the clock starts."""


class NoAnswer(Exception):
    """The function gave no answer. The message says why."""


class TooSlow(NoAnswer):
    """The function used more CPU time than it was given."""


# -- the runner ---------------------------------------------------------------------------------------------------------------


def encode(value: Any) -> Any:
    """A value as JSON. Only plain values pass, so an object cannot put off its work or be equal to everything. The order of a
    dict or a set stays as it is: `same` compares without it, after the clock has stopped."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return [encode(each) for each in value]
    if kind is tuple:
        return {"tuple": [encode(each) for each in value]}
    if kind in (set, frozenset):
        return {"set": [encode(each) for each in value]}
    if isinstance(value, dict) and (kind is dict or kind.__module__ == "collections"):
        return {"dict": [[encode(key), encode(each)] for key, each in dict.items(value)]}
    raise TypeError(f"a {kind.__name__} is not a plain value")


def same(one: Any, two: Any) -> bool:
    """Whether two encoded values are equal, whatever the order of dicts and sets."""
    return one == two or _ordered(one) == _ordered(two)


def _ordered(value: Any) -> Any:
    if isinstance(value, list):
        return [_ordered(each) for each in value]
    if isinstance(value, dict):
        return {
            kind: sorted(map(_ordered, each), key=json.dumps) if kind in ("dict", "set") else _ordered(each)
            for kind, each in value.items()
            if isinstance(each, list)
        }
    return value


def runner() -> NoReturn:
    """Reads `{"source", "entry"}` and then one list of arguments per line. Writes one line for each."""
    for name in PRELOADED.split():
        __import__(name)
    given, said = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
        resource.setrlimit(kind, (0, 0))

    def say(line: Any) -> None:
        said.write(json.dumps(line) + "\n")
        said.flush()

    warm: dict[str, Any] = {}
    exec(compile("def warm(x):\n    return [x]\n", "warm.py", "exec"), warm)
    json.dumps(encode(warm["warm"](json.loads("[1]"))))
    random.seed(0)
    say("ready")
    order = json.loads(given.readline())
    names: dict[str, Any] = {"__name__": "solution"}
    try:
        exec(compile(order["source"], "solution.py", "exec"), names)
        function = names[order["entry"]]
        say("loaded")
    except BaseException as error:  # sys.exit included
        say({"broke": _words(error)})
        os._exit(0)
    for line in given:
        arguments = json.loads(line)
        try:
            value = encode(function(*arguments))
            say({"value": value, "inputs": arguments} if order["inputs"] else {"value": value})
        except BaseException as error:
            say({"raised": _words(error)})
    os._exit(0)


def _words(error: BaseException) -> str:
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        return f"KeyError: {error.args[0]!r}"[:200]
    try:
        return f"{type(error).__name__}: {error}"[:200]
    except BaseException:  # an object of the submission may refuse to be text
        return type(error).__name__


# -- the driver ---------------------------------------------------------------------------------------------------------------


class Runner:
    """A runner's process, with its CPU clock."""

    def __init__(self, source: str, entry: str, seconds: float, inputs: bool = False) -> None:
        import subprocess  # a runner does not need it, and starts sooner without

        self._wall_s = WALL * max(seconds, 1.0)
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-S", "-c", START, "runner", sys.argv[2]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self._clock = (~self._process.pid << 3) | 2  # clock_getcpuclockid(3) of another process
        self._rest = b""
        try:
            if self._read(60.0) != "ready":
                raise NoAnswer("it did not start")
            self._start_s = time.clock_gettime(self._clock)
            self._send({"source": source, "entry": entry, "inputs": inputs})
            loaded = self._read(seconds)
        except BaseException:
            self.close()
            raise
        if loaded != "loaded":
            self.close()
            raise NoAnswer(loaded["broke"] if isinstance(loaded, dict) and "broke" in loaded else "it did not load")

    @property
    def cost_s(self) -> float:
        """CPU time since the source was sent."""
        return time.clock_gettime(self._clock) - self._start_s

    def ask(self, arguments: list[Any], seconds: float) -> Any:
        """The line that answers a call, within this CPU time from the start."""
        assert self._process.stdout
        if self._rest or select.select([self._process.stdout], [], [], 0)[0]:
            raise NoAnswer("it answered before it was asked, or it ended")
        self._send(arguments)
        return self._read(seconds)

    def _send(self, line: Any) -> None:
        assert self._process.stdin
        data = json.dumps(line).encode() + b"\n"
        try:
            while data:
                data = data[self._process.stdin.write(data) or 0 :]
        except OSError:
            raise NoAnswer("it ended") from None

    def _read(self, seconds: float) -> Any:
        assert self._process.stdout
        until = time.monotonic() + self._wall_s
        while b"\n" not in self._rest:
            if select.select([self._process.stdout], [], [], 0.005)[0]:
                data = os.read(self._process.stdout.fileno(), 1 << 16)
                if not data:
                    raise NoAnswer("it ended")
                self._rest += data
                if len(self._rest) > LONGEST:
                    raise NoAnswer("its answer is too long")
            elif hasattr(self, "_start_s") and self.cost_s > seconds:
                raise TooSlow(f"it took more than {seconds:g} s of CPU time")
            elif time.monotonic() > until:
                raise NoAnswer("it waited and gave no answer")
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):  # the submission may write anything
            raise NoAnswer("its answer cannot be read") from None

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream
            stream.close()


def answers(order: dict[str, Any]) -> list[Any]:
    """The answer to each call, up to the first that is missing."""
    made: list[Any] = []
    try:
        running = Runner(order["source"], order["entry"], order["seconds"], inputs=True)
    except NoAnswer as error:
        return [{"broke": str(error)}]
    try:
        for arguments in order["calls"]:
            made.append(running.ask(arguments, running.cost_s + order["seconds"]))
    except NoAnswer as error:
        made.append({"broke": str(error)})
    finally:
        running.close()
    return made


def measured(source: str, order: dict[str, Any], inputs: list[Any], seconds: float) -> tuple[float, list[Any]]:
    """CPU seconds for all inputs together, and the values."""
    running = Runner(source, order["entry"], seconds)
    try:
        values: list[Any] = []
        for arguments in inputs:
            answer = running.ask(arguments, seconds)
            if not isinstance(answer, dict) or "value" not in answer:
                raise NoAnswer(str(answer.get("raised") if isinstance(answer, dict) else "its answer cannot be read"))
            values.append(answer["value"])
        return running.cost_s, values
    finally:
        running.close()


def race(order: dict[str, Any]) -> dict[str, Any]:
    """Runs the slow and the submitted function in turns on the same large inputs, with new inputs in each round.

    The first round decides if the ratio is far from the limit. Otherwise there are more rounds, and the smallest cost of each
    function counts, because other work on the machine can only add to a cost.
    """
    made: dict[str, Any] = {}
    exec(compile(order["make"], "make.py", "exec"), made)
    slow_s, fast_s = [], []
    for number in range(MEASURED[-1]):
        draw = random.Random(f"{order['seed']} {number}")
        inputs = [made["make"](draw, size) for size in order["sizes"]]
        try:
            cost_s, expected = measured(order["slow"], order, inputs, order["slow_seconds"])
        except NoAnswer as error:
            return {"broken": f"the slow function gave no answer: {error}"}
        slow_s.append(cost_s)
        try:
            cost_s, values = measured(order["source"], order, inputs, CLEAR * cost_s)
        except TooSlow:
            return {"faster": False}
        except NoAnswer as error:
            return {"wrong": f"large input: {error}"}
        if not same(values, expected):
            return {"wrong": "large input: another result than the slow function"}
        fast_s.append(cost_s)
        decided = faster(min(slow_s) / min(fast_s), order["times"], number + 1)
        if decided is not None:
            return {"faster": decided}
    raise AssertionError("the last round decides")


def faster(ratio: float, times: float, rounds: int) -> bool | None:
    """Whether a function is this many times as fast. None if it takes more rounds to tell."""
    margin = 1.0 if rounds >= MEASURED[2] else CLEAR**0.5 if rounds >= MEASURED[1] else CLEAR
    if ratio >= times * margin:
        return True
    return False if ratio < times / margin else None


def driver() -> None:
    import ctypes

    if ctypes.CDLL(None).prctl(4, 0, 0, 0, 0):  # PR_SET_DUMPABLE: no process of this user may read this one
        raise OSError("prctl failed")
    order = json.load(sys.stdin)
    try:
        print(json.dumps(answers(order) if order["mode"] == "answers" else race(order)))
    except RecursionError:
        print(json.dumps("its answer is nested too deeply"))


if __name__ == "__main__":
    {"driver": driver, "runner": runner}[sys.argv[1]]()
