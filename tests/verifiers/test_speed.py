"""A faster function passes, a slow, wrong or cheating one does not, and how busy the machine is changes nothing."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from tests.verifiers.builders import BROKEN, verdict
from verigym.core.protocols import CommandResult, Context
from verigym.core.records import Fault, Verdict
from verigym.sandbox.box import ProcessSandbox
from verigym.sandbox.limits import SandboxLimits
from verigym.sandbox.open import open_sandbox, why_not_isolated
from verigym.sandbox.plain import PlainRunner
from verigym.verifiers.speed import Faster
from verigym.verifiers.speed_inside import encode, faster, same

boxed = pytest.mark.skipif(bool(why_not_isolated()), reason=why_not_isolated() or "-")
SLOW = """def shared(first, second):
    result = []
    for item in first:
        if item in second:
            result.append(item)
    return result
"""
FAST = "def shared(first, second):\n    known = set(second)\n    return [item for item in first if item in known]\n"
MAKE = """def make(random, size):
    wide = 3 * size + 3
    return [[random.randrange(wide) for _ in range(size)], [random.randrange(wide) for _ in range(size)]]
"""
CASES = [[[[1, 2, 2], [2, 3]], [2, 2]], [[[], [1]], []], [[[3, 1], [1, 3]], [3, 1]]]
DATA: dict[str, Any] = {
    "entry_point": "shared", "slow": SLOW, "cases": CASES, "make": MAKE, "sizes": [900, 1000]
}  # fmt: skip


def judged(source: str, verifier: Faster = Faster(), **changed: Any) -> Verdict:
    return verdict(
        verifier, f"Faster:\n```python\n{source}\n```", Context(sandbox=open_sandbox()), **{**DATA, **changed}
    )


RIGHT = {
    "a set": FAST,
    "a dict": "def shared(first, second):\n    known = dict.fromkeys(second)\n    return [x for x in first if x in known]\n",
    "with a helper and an import": "from collections import Counter\n\ndef known(items):\n    return Counter(items)\n\n"
    "def shared(first, second):\n    some = known(second)\n    return [x for x in first if some[x]]\n",
    "it leaves modules without content": "for name in ('json', '_json', 'random'):\n    open(f'{name}.py', 'w').close()\n"
    + FAST,
    "it prints": FAST.replace("    return", "    print(first)\n    return"),
}
SLOW_ONES = {
    "unchanged": SLOW,
    "as a comprehension": "def shared(first, second):\n    return [item for item in first if item in second]\n",
    "with a cache": f"import functools\n{SLOW.replace('shared', 'plain')}\n@functools.lru_cache\ndef kept(a, b):\n"
    "    return plain(list(a), list(b))\n\ndef shared(first, second):\n    return list(kept(tuple(first), tuple(second)))\n",
    "slower than before": SLOW.replace("if item in second", "if item in list(second) and second.count(item)"),
    "work at import": f"total = sum(i * i for i in range(600_000))\n{FAST}",
    "work between calls": f"import atexit\n{FAST.replace('known = set', 'sum(range(3_000_000)); known = set')}",
    "clocks set to zero": f"import time\ntime.process_time = time.clock_gettime = lambda *a: 0.0\n{SLOW}",
}
WRONG = {
    "nothing": ("", "KeyError: 'shared'"),
    "a syntax error": ("def shared(:", "SyntaxError"),
    "another order": ("def shared(first, second):\n    return sorted(set(first) & set(second))\n", "expected [2,2]"),
    "a tuple": (FAST.replace("return [item for item in first if item in known]", "return (2, 2)"), "expected [2,2]"),
    "it changes its input": (FAST.replace("    known", "    second.reverse()\n    known"), "it changed its input"),
    "right for small inputs": (
        FAST.replace("    known", "    if len(first) > 50:\n        return []\n    known"),
        "large input: another result",
    ),
    "an error for large inputs": (
        FAST.replace("    known", "    assert len(first) < 50, 'too many'\n    known"),
        "large input: AssertionError: too many",
    ),
    "an object that equals everything": (
        "class All(list):\n    def __eq__(self, other): return True\ndef shared(*given):\n    return All()\n",
        "a All is not a plain value",
    ),
    "a generator": ("def shared(first, second):\n    yield from first\n", "a generator is not a plain value"),
    "a thread": (
        f"import threading\n{FAST.replace('    known', '    threading.Thread(target=print).start()' + chr(10) + '    known')}",
        "can't start new thread",
    ),
    "a process": (
        f"import os\n{FAST.replace('    known', '    os.fork()' + chr(10) + '    known')}",
        "BlockingIOError",
    ),
    "a file": (
        FAST.replace("    known", "    with open('/tmp/x', 'w') as file:\n        file.write('kept')\n    known"),
        "OSError",
    ),
    "it ends": ("import os\ndef shared(*given):\n    os._exit(0)\n", "it ended"),
    "it leaves": ("import sys\ndef shared(*given):\n    sys.exit(0)\n", "SystemExit"),
    "it kills the measurement": (
        "import os, signal\ndef shared(*given):\n    os.kill(os.getppid(), signal.SIGKILL)\n",
        "the measurement was stopped",
    ),
    "it answers before it is asked": (
        "import os\nfor fd in range(3, 9):\n    try:\n        os.write(fd, b'{\"value\": [2, 2]}\\n' * 3)\n"
        "    except OSError:\n        pass\ndef shared(*given):\n    return []\n",
        "it did not load",
    ),
    "it reads the measurement's memory": (
        "import os\ndef shared(*given):\n    return open(f'/proc/{os.getppid()}/mem', 'rb').read(1)\n",
        "PermissionError",
    ),
    "it answers twice": (
        f"import os\n{FAST}\nonce = shared\ndef shared(*given):\n    for fd in (3, 4, 5):\n        try:\n"
        "            os.write(fd, b'{\"value\": [2, 2]}\\n' * 2)\n        except OSError:\n            pass\n"
        "    return once(*given)\n",
        "",
    ),
    "nested without end": (
        "def shared(first, second):\n    out = []\n    for _ in range(5000):\n        out = [out]\n    return out\n",
        "",
    ),
}


@boxed
@pytest.mark.parametrize("source", RIGHT.values(), ids=RIGHT)
def test_a_faster_function_passes(source: str) -> None:
    found = judged(source)
    assert found.passed and found.reward == 1.0, found
    assert found.evidence == "fast enough: the limit is 4 times as fast as the given function"


@boxed
@pytest.mark.parametrize("source", SLOW_ONES.values(), ids=SLOW_ONES)
def test_a_function_that_is_right_but_not_faster_earns_a_little_and_does_not_pass(source: str) -> None:
    found = judged(source)
    assert not found.passed and found.reward == 0.1 and found.parts == {"cases": 1.0, "faster": 0.0}, found


@boxed
@pytest.mark.parametrize(("source", "words"), WRONG.values(), ids=WRONG)
def test_a_wrong_or_cheating_function_earns_nothing(source: str, words: str) -> None:
    found = judged(source)
    assert found.error is None and not found.passed and found.reward == 0.0 and words in found.evidence, found


@boxed
def test_an_endless_function_is_stopped_by_its_cpu_time() -> None:
    found = judged("def shared(*given):\n    while True:\n        pass\n", Faster(seconds=0.2))
    assert found.reward == 0.0 and "it took more than" in found.evidence


@boxed
def test_verdicts_are_the_same_on_a_busy_machine() -> None:
    quiet = [judged(FAST), judged(SLOW)]
    busy = [subprocess.Popen([sys.executable, "-c", "while True: sum(range(10**6))"]) for _ in range(6)]
    try:
        assert [judged(FAST), judged(SLOW)] == quiet
    finally:
        for process in busy:
            process.kill()
            process.wait()


@boxed
def test_a_slow_function_that_gives_no_answer_is_the_verifiers_failure() -> None:
    found = judged(FAST, slow="def shared(first, second):\n    raise KeyError(7)\n")
    assert found.error is not None and found.error.fault is Fault.VERIFIER
    assert "the slow function gave no answer: KeyError: 7" in found.error.message


def test_a_ratio_far_from_the_limit_decides_at_once_and_one_near_it_is_measured_again() -> None:
    assert faster(8.0, 4.0, 1) is True and faster(1.9, 4.0, 1) is False
    assert faster(6.0, 4.0, 1) is None and faster(2.1, 4.0, 1) is None
    assert faster(6.0, 4.0, 3) is True and faster(2.1, 4.0, 3) is False and faster(4.5, 4.0, 3) is None
    assert faster(4.0, 4.0, 7) is True and faster(3.9, 4.0, 7) is False


def test_values_are_compared_without_the_order_of_dicts_and_sets() -> None:
    assert same(encode({"a": {1, 2}, "b": [1]}), encode({"b": [1], "a": {2, 1}}))
    assert not same(encode([1, 2]), encode((1, 2))) and not same(encode({"a": 1}), encode({"a": 2}))
    assert not same(encode([2, 1]), encode([1, 2]))


@pytest.mark.parametrize("name", ["entry_point", "slow", "cases", "make", "sizes"])
def test_a_task_without_what_it_needs_is_the_verifiers_failure(name: str) -> None:
    found = verdict(Faster(), FAST, Context(sandbox=open_sandbox()), **{**DATA, name: None})
    assert found.error is not None and f'data has no "{name}"' in found.error.message


def test_nothing_runs_without_an_isolated_sandbox_and_broken_episodes_are_not_scored() -> None:
    class Loose:
        isolated = False

    for sandbox, words in ((Loose(), "no sandbox isolates it here"), (None, "this run has no sandbox")):
        found = verdict(Faster(), FAST, Context(sandbox=sandbox), **DATA)  # type: ignore[arg-type]
        assert found.reward is None and found.error is not None and words in found.error.message
    assert verdict(Faster(), BROKEN, Context(sandbox=None), **DATA).reward is None


def test_a_driver_that_fails_is_the_verifiers_failure() -> None:
    class Box:
        async def run(self, command: Any, *, stdin: str = "", seconds: float | None = None) -> CommandResult:
            return CommandResult(code=1, stderr="ImportError: no module named json")

        async def __aenter__(self) -> "Box":
            return self

        async def __aexit__(self, *error: object) -> None: ...

    class Broken:
        isolated = True

        async def open(self, files: Any = None) -> Box:
            await asyncio.sleep(0)
            return Box()

    found = verdict(Faster(), FAST, Context(sandbox=Broken()), **DATA)  # type: ignore[arg-type]
    assert found.error is not None and "the measurement gave no result: ImportError" in found.error.message


@pytest.mark.parametrize("how", ["os.fork()", "__import__('threading').Thread(target=print).start()"])
def test_a_submission_cannot_leave_its_clock_without_isolation_either_also_if_verigym_is_root(how: str) -> None:
    source = FAST.replace("    known", f"    {how}\n    known")
    context = Context(sandbox=ProcessSandbox(PlainRunner(), SandboxLimits()))
    result = verdict(Faster(unsandboxed=True), f"```python\nimport os\n{source}\n```", context, **DATA)
    assert result.reward == 0.0 and ("BlockingIOError" in result.evidence or "RuntimeError" in result.evidence)
