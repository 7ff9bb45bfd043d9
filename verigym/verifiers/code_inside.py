"""The two programs that `code` runs in sandboxes, passed as the text of this file. Standard library only.

`submission` executes the submitted code and answers calls. It gets the calls, never a test.
`tests` executes the tests. They see the submission through proxies that read answers from a log. This process never holds the
submission's code or objects, only new plain values, so a submission cannot bring its own `__eq__`.

If a call is not in the log yet, the test reports it. `code` gets the answer and runs the test again. To request many calls at
once, the test continues with a blank for each missing answer as far as it can. Calls made after a blank are guesses. A wrong
guess only costs a round.
"""

from __future__ import annotations

import builtins
import contextlib
import itertools
import json
import math
import operator
import os
import random
import re
import signal
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

LONGEST = 100_000
"""Maximum characters of one call."""
GUESSED = 20_000
"""Maximum characters of the calls that one test requests in advance."""


class Remote:
    """A proxy in a test for an object of the submission, by its name or by the number of the answer that created it."""

    __slots__ = ("_ask", "_ref")

    def __init__(self, ref: object, ask: Callable[..., Any]) -> None:
        self._ref, self._ask = ref, ask

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("call", self, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._ask("get", self, name)

    def __getitem__(self, key: Any) -> Any:
        return self._ask("item", self, key)

    def __contains__(self, key: Any) -> bool:
        return bool(self._ask("in", self, key))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._ask("list", self))

    def __len__(self) -> int:
        return self._ask("len", self)

    def __bool__(self) -> bool:
        return bool(self._ask("bool", self))

    def __str__(self) -> str:
        return self._ask("str", self)


class Blank(Remote):
    """A placeholder for a missing answer. It compares equal to everything and can be called like an object."""

    __slots__ = ()

    def _computed(self, other: object = None) -> Blank:
        return Blank(None, self._ask)

    __neg__ = __abs__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _computed
    __mod__ = __floordiv__ = __truediv__ = __rtruediv__ = _computed

    def _agree(self, key: object = None) -> bool:
        return True

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = _agree
    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __str__(self) -> str:
        return ""


VERBS: dict[str, Callable[..., Any]] = {
    "call": lambda function, args, kwargs: function(*args, **kwargs),
    "get": getattr,
    "item": operator.getitem,
    "in": operator.contains,
    "list": lambda rows: list(itertools.islice(rows, 10_000)),
    "len": len,
    "bool": bool,
    "str": str,
}


def encode(value: Any) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind in (float, complex):
        return {"t": kind.__name__, "v": repr(value)}
    if kind is bytes:
        return {"t": "bytes", "v": value.hex()}
    if kind in (list, tuple):
        return {"t": kind.__name__, "v": [encode(each) for each in value]}
    if kind in (set, frozenset):
        return {"t": kind.__name__, "v": sorted((encode(each) for each in value), key=json.dumps)}
    if kind is dict:
        return {"t": "dict", "v": [[encode(key), encode(each)] for key, each in value.items()]}
    if kind in (Remote, Blank) and value._ref is not None:
        return {"t": "remote", "v": value._ref}
    raise TypeError(f"a {kind.__name__} is not a plain value")


def decode(data: Any, remote: Callable[[Any], Any]) -> Any:
    if not isinstance(data, dict):
        return data
    kind, value = data["t"], data["v"]
    if kind == "remote":
        return remote(value)
    if kind == "dict":
        return {decode(key, remote): decode(each, remote) for key, each in value}
    if kind == "bytes":
        return bytes.fromhex(value)
    if kind in ("float", "complex"):
        return {"float": float, "complex": complex}[kind](value)
    container = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind]
    return container(decode(each, remote) for each in value)


def answers(calls: list[str], names: dict[str, Any]) -> Iterator[str]:
    """The answer to each call, as text. The submission can only change its own answers here."""
    results: list[Any] = []

    def remote(ref: Any) -> Any:
        if isinstance(ref, int):
            return results[ref]
        if ref in names:
            return names[ref]
        raise NameError(f"the submission does not define {ref}")

    for call in calls:
        verb, *operands = json.loads(call)
        try:
            value = VERBS[verb](*[decode(each, remote) for each in operands])
        except BaseException as error:  # sys.exit included
            results.append(None)
            yield json.dumps({"raised": [kind.__name__ for kind in type(error).__mro__], "words": str(error)[:500]})
            continue
        results.append(value)
        try:
            yield json.dumps({"value": encode(value)})
        except (TypeError, ValueError, RecursionError):  # an object: the test gets a proxy
            yield json.dumps({"value": {"t": "remote", "v": len(results) - 1}})


def submission() -> None:
    order = json.load(sys.stdin)
    say = _quiet()
    random.seed(0)
    solution = sys.modules["solution"] = types.ModuleType("solution")
    _limit(order["seconds"])
    try:
        exec(compile(order["source"], "solution.py", "exec"), solution.__dict__)
    except BaseException as error:  # sys.exit included
        say(f"broke {type(error).__name__}: {error}"[:500])
        os._exit(0)
    _limit(0)
    for session, calls in enumerate(order["sessions"]):
        child = os.fork()
        if child == 0:
            _limit(order["seconds"])
            for answer in answers(calls, vars(solution)):
                say(f"{session} {answer}")
            os._exit(0)
        os.waitpid(child, 0)
    os._exit(0)


class Stopped(BaseException):
    """Ends a test from inside a proxy. Not an `Exception`, so that tests do not catch it."""


class SubmissionError(Exception):
    """An exception of the submission that is not a builtin one."""


def outcome(
    code: str, names: list[str], log: list[list[str]], stopped: dict[str, Any], guess: Callable[[], object] = bool
) -> dict[str, Any]:
    """`passed`, `failed` with a reason, `broken` with a reason (the test's own fault), or `need` with the first missing call's
    index and the calls. `stopped` gets what ends the test early. `guess` is called once, when the test continues with blanks."""
    used = 0

    def stop(**result: str) -> NoReturn:
        stopped.update(stopped or result)
        raise Stopped

    def ask(verb: str, *operands: Any) -> Any:
        nonlocal used
        if stopped and "need" not in stopped:
            raise Stopped
        try:
            call = json.dumps([verb, *map(encode, operands)])
        except TypeError as error:
            stop(broken=f"it passes a value that cannot be sent to the submission: {error}")
        except (ValueError, RecursionError):
            stop(failed="it passes a value that is too large")
        if len(call) > LONGEST:
            stop(**{"failed" if used else "broken": "a call is too long"})
        if stopped or used == len(log) or log[used][0] != call:
            return later(call)
        used += 1
        try:
            answer = json.loads(log[used - 1][1])
            if "value" in answer:
                return decode(answer["value"], lambda ref: Remote(ref, ask))
            raised = _exception([str(name) for name in answer["raised"]], str(answer["words"]))
        except (Exception, RecursionError):  # the submission may write anything
            stop(failed="the submission gave no answer")
        raise raised

    def later(call: str) -> Blank:
        if not stopped:
            stopped["need"] = [used, []]
            guess()
        calls = stopped["need"][1]
        if calls and sum(map(len, calls)) + len(call) > GUESSED:
            raise Stopped
        calls.append(call)
        return Blank(used + len(calls) - 1, ask)

    class Solution(types.ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return Remote(name, ask)

    sys.modules["solution"] = Solution("solution")
    sys.modules["pytest"] = small_pytest()
    random.seed(0)
    result: dict[str, Any] = {"passed": True}
    try:
        exec(compile(code, "tests", "exec"), {"__name__": "tests", **{name: Remote(name, ask) for name in names}})
    except BaseException as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        last = f", the last answer was {log[used - 1][1]}" if used else ""
        own_fault = not used and not isinstance(error, AssertionError)
        result = {"broken": reason[:300]} if own_fault else {"failed": (reason + last)[:300]}
    if not used and "passed" in result:
        result = {"broken": 'it never calls the submission. data["entry_point"] can name the function to call'}
    return stopped or result


def _exception(names: list[str], words: str) -> Exception:
    """The nearest builtin exception, except those that would end a loop of the test (StopIteration)."""
    for name in names:
        kind = getattr(builtins, name, None)
        if kind in (Exception, StopIteration, StopAsyncIteration):
            break
        if isinstance(kind, type) and issubclass(kind, Exception):
            with contextlib.suppress(TypeError):  # it needs other arguments
                return kind(words)
    return SubmissionError(f"{names[0]}: {words}")


def small_pytest() -> types.ModuleType:
    """`raises` and `approx` of pytest, in case the sandbox does not have pytest."""

    @contextlib.contextmanager
    def raises(kind: Any, match: str = "") -> Iterator[None]:
        try:
            yield
        except kind as error:
            assert re.search(match, str(error)), f"{error!r} does not match {match!r}"
        else:
            raise AssertionError(f"did not raise {kind}")

    class approx:
        def __init__(self, expected: Any, rel: float = 1e-6, abs: float = 1e-12) -> None:
            self.expected, self.rel, self.abs = expected, rel, abs

        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, given: object) -> bool:
            if isinstance(self.expected, list | tuple):
                if not isinstance(given, type(self.expected)) or len(given) != len(self.expected):
                    return False
                return all(map(self._near, given, self.expected))
            return self._near(given, self.expected)

        def _near(self, given: Any, expected: Any) -> bool:
            return math.isclose(given, expected, rel_tol=self.rel, abs_tol=self.abs)

    module = types.ModuleType("pytest")
    module.__dict__.update(raises=raises, approx=approx)
    return module


def tests() -> None:
    order = json.load(sys.stdin)
    say = _quiet()
    for index, unit in enumerate(order["units"]):
        child = os.fork()
        if child == 0:
            _limit(order["seconds"])
            say(json.dumps([index, _tried(unit)]))
            os._exit(0)
        if os.WIFSIGNALED(os.waitpid(child, 0)[1]):
            say(json.dumps([index, {"failed" if unit["log"] else "broken": "it did not end in time"}]))


def _tried(unit: dict[str, Any]) -> dict[str, Any]:
    """The outcome of a test. A guess that runs in an endless loop is stopped and keeps its calls so far."""
    stopped: dict[str, Any] = {}

    def end(*_: object) -> None:
        raise Stopped

    def guess() -> None:
        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)

    try:
        try:
            return outcome(unit["code"], unit["names"], unit["log"], stopped, guess)
        finally:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
    except Stopped:  # the alarm came just after the end
        return stopped


def _limit(seconds: float) -> None:
    """Ends this process after this CPU time, or three times as much wall time, because others may keep it waiting."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 3 * seconds)


def _quiet() -> Callable[[str], None]:
    """Returns a function that prints to standard output. What the code prints is dropped, and what it reads is empty."""
    out = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)

    def say(line: str) -> None:
        data = f"{line}\n".encode("utf-8", "replace")
        while data:
            data = data[os.write(out, data) :]

    return say


if __name__ == "__main__":
    {"submission": submission, "tests": tests}[sys.argv[1]]()
