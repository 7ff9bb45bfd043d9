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
import collections
import contextlib
import importlib
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

    def __eq__(self, other: object) -> bool:
        """Compares the value that the object has as a plain list, dict, number or text. Its own `__eq__` is not asked."""
        mine = self._ask("plain", self)
        theirs = other._ask("plain", other) if isinstance(other, Remote) else other
        if isinstance(mine, Blank) or isinstance(theirs, Blank):
            return True
        return self is other if isinstance(mine, Remote) or isinstance(theirs, Remote) else mine == theirs

    __hash__ = object.__hash__


class Blank(Remote):
    """A placeholder for a missing answer. It compares equal to everything and can be called like an object."""

    __slots__ = ()

    def _computed(self, other: object = None) -> Blank:
        return Blank(None, self._ask)

    __neg__ = __abs__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _computed
    __mod__ = __floordiv__ = __truediv__ = __rtruediv__ = _computed

    def _agree(self, key: object = None) -> bool:
        return True

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = _agree  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __str__(self) -> str:
        return ""


class Plain:
    """Marks a value whose plain form is asked for, even if its class is one that the submission defined."""

    def __init__(self, value: Any) -> None:
        self.value = value


VERBS: dict[str, Callable[..., Any]] = {
    "call": lambda function, args, kwargs: function(*args, **kwargs),
    "get": getattr,
    "item": operator.getitem,
    "in": operator.contains,
    "list": lambda rows: list(itertools.islice(rows, 10_000)),
    "len": len,
    "bool": bool,
    "str": str,
    "plain": Plain,
}


BASES = (int, float, complex, str, bytes, list, tuple, dict, set, frozenset)
DICTS: dict[str, Any] = {
    "Counter": collections.Counter,
    "OrderedDict": collections.OrderedDict,
    "defaultdict": collections.defaultdict,
}
OTHERS = {
    ("fractions", "Fraction"): lambda value: [encode(value.numerator), encode(value.denominator)],
    ("decimal", "Decimal"): lambda value: [str(value)],
    ("datetime", "date"): lambda value: [value.isoformat()],
    ("datetime", "datetime"): lambda value: [value.isoformat()],
    ("datetime", "time"): lambda value: [value.isoformat()],
    ("datetime", "timedelta"): lambda value: [value.days, value.seconds, value.microseconds],
}
"""Values of the standard library by module and name, with the arguments that create them again."""


def encode(value: Any, flat: bool = False) -> Any:
    """A value as JSON. It is written by the methods of its base class and created anew, so nothing that a class of the submission
    defines travels with it. Classes of the submission are refused, except enumerations of numbers or texts and named tuples.
    With `flat` they are written as the list, dict, number or text that they derive from."""
    kind: Any = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is int:
        return value if -(1 << 4096) < value < 1 << 4096 else {"t": "int", "v": hex(value)}
    if kind in (float, complex):
        return {"t": kind.__name__, "v": repr(value)}
    if kind is bytes:
        return {"t": "bytes", "v": value.hex()}
    if kind in (list, tuple):
        return {"t": kind.__name__, "v": [encode(each, flat) for each in value]}
    if kind in (set, frozenset):
        return {"t": kind.__name__, "v": sorted((encode(each, flat) for each in value), key=json.dumps)}
    if kind is dict or kind in DICTS.values():
        return {"t": kind.__name__, "v": [[encode(key, flat), encode(each, flat)] for key, each in dict.items(value)]}
    if kind in (Remote, Blank) and value._ref is not None:
        return {"t": "remote", "v": value._ref}
    if kind is collections.deque:
        return {"t": "deque", "v": [encode(each, flat) for each in value], "most": value.maxlen}
    if (kind.__module__, kind.__name__) in OTHERS:
        return {"t": "std", "of": [kind.__module__, kind.__name__], "v": OTHERS[kind.__module__, kind.__name__](value)}
    base = next((base for base in BASES if issubclass(kind, base)), None)
    name = getattr(value, "_name_", None)
    if base in (int, str) and isinstance(name, str):  # an enumeration
        return {"t": "member", "v": encode(_as(base, value)), "name": name}
    fields = getattr(kind, "_fields", None)
    if base is tuple and isinstance(fields, tuple):
        return {"t": "named", "v": encode(_as(tuple, value), flat)["v"], "of": [kind.__name__, *fields]}
    if flat and base is not None:
        return encode(_as(base, value), flat)
    raise TypeError(f"a {kind.__name__} is not a plain value")


def _as(base: Any, value: Any) -> Any:
    """The value as its base class, by the methods of the base class."""
    convert = {
        int: int.__index__,
        float: float.__float__,
        complex: complex.__complex__,
        str: str.__str__,
        dict: lambda each: dict(dict.items(each)),
    }
    return convert[base](value) if base in convert else base(base.__iter__(value))


def decode(data: Any, remote: Callable[[Any], Any]) -> Any:
    if not isinstance(data, dict):
        return data
    kind, value = data["t"], data["v"]
    if kind == "remote":
        return remote(value)
    if kind == "dict" or kind in DICTS:
        pairs = {decode(key, remote): decode(each, remote) for key, each in value}
        return pairs if kind == "dict" else DICTS[kind](*([None] if kind == "defaultdict" else []), pairs)
    if kind == "bytes":
        return bytes.fromhex(value)
    if kind == "int":
        return int(value, 16)
    if kind in ("float", "complex"):
        return {"float": float, "complex": complex}[kind](value)
    if kind == "member":
        return _member(decode(value, remote), str(data["name"]))
    if kind == "std":
        module, name = data["of"]
        return _standard(module, name, [decode(each, remote) for each in value])
    each_value = [decode(each, remote) for each in value]
    if kind == "deque":
        return collections.deque(each_value, data["most"])
    if kind == "named":
        name, *fields = map(str, data["of"])
        return collections.namedtuple(name, fields)._make(each_value)
    return {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind](each_value)


def _member(value: Any, name: str) -> Any:
    """A number or text that also has the name and the value of a member of an enumeration."""
    member: Any = type("Member", ({int: int, str: str}[type(value)],), {})(value)
    member.name, member.value = name, value
    return member


def _standard(module: str, name: str, arguments: list[Any]) -> Any:
    if (module, name) not in OTHERS:
        raise ValueError(f"{module}.{name} is not a plain value")
    kind = getattr(importlib.import_module(module), name)
    return (kind.fromisoformat if hasattr(kind, "fromisoformat") else kind)(*arguments)


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
            yield json.dumps({"raised": [kind.__name__ for kind in type(error).__mro__], "words": _words(error)[:500]})
            continue
        results.append(value)
        try:
            flat = isinstance(value, Plain)
            yield json.dumps({"value": encode(value.value if flat else value, flat)})
        except Exception:  # an object, which may refuse anything: the test gets a proxy
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
        say(f"broke {type(error).__name__}: {_words(error)}"[:500])
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
            reason = f"it passes a value that cannot be sent to the submission: {error}"
            stop(**{"failed" if used else "broken": reason})
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
                return decode(answer["value"], known)
            raised = _exception([str(name) for name in answer["raised"]], str(answer["words"]))
        except (Exception, RecursionError):  # the submission may write anything
            stop(failed="the submission gave no answer")
        raise raised

    def known(ref: Any) -> Remote:
        """The object of the last answer. A submission names no other."""
        if ref != used - 1:
            raise ValueError("the submission refers to another object")
        return Remote(ref, ask)

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
        words = _words(error)
        reason = f"{type(error).__name__}: {words}" if words else type(error).__name__
        last = f", the last answer was {log[used - 1][1]}" if used else ""
        own_fault = not used and not isinstance(error, AssertionError)
        result = {"broken": reason[:300]} if own_fault else {"failed": (reason + last)[:300]}
    if not used and "passed" in result:
        result = {"broken": 'it never calls the submission. data["entry_point"] can name the function to call'}
    return stopped or result


def _words(error: BaseException) -> str:
    """The message of an exception. An object of the submission in it may refuse to be text."""
    try:
        return str(error)
    except BaseException:  # also a proxy whose text is not in the log yet
        return ""


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
            if isinstance(self.expected, dict):
                if not isinstance(given, dict) or given.keys() != self.expected.keys():
                    return False
                return all(self._near(given[key], each) for key, each in self.expected.items())
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
            try:
                result = _tried(unit)
            except BaseException as error:  # an answer may drive a test into anything
                result = {"failed" if unit["log"] else "broken": f"{type(error).__name__}: {_words(error)}"[:300]}
            say(
                json.dumps([index, result], ensure_ascii=False)
            )  # `say` replaces lone surrogates, which no reader accepts
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
