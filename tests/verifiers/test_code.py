"""Code is run against tests that it cannot see, and no trick makes wrong code pass."""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.verifiers.builders import BROKEN, FolderBox, FolderSandbox, episode, task, verdict
from tests.verifiers.submissions import ADD, FORGING, HIDDEN, RIGHT, STACK
from verigym.core.protocols import CommandResult, Context, Sandbox
from verigym.core.records import Fault, Task, Verdict
from verigym.sandbox.open import open_sandbox, why_not_isolated
from verigym.verifiers import code_inside
from verigym.verifiers.code import Code, undefined_names
from verigym.verifiers.code_inside import Blank, Remote, answers, decode, encode, outcome
from verigym.verifiers.lift import lift

FOLDER = Context(sandbox=FolderSandbox())


def run(source: str, tests: Any, *, context: Context = FOLDER, seconds: float = 5.0, **data: Any) -> Verdict:
    return verdict(Code(seconds=seconds), f"Here:\n```python\n{source}\n```", context, tests=tests, **data)


@pytest.mark.parametrize(("source", "tests", "data"), RIGHT.values(), ids=RIGHT.keys())
def test_right_code_passes(source: str, tests: Any, data: dict[str, Any]) -> None:
    found = run(source, tests, **data)
    assert (found.reward, found.passed, found.error) == (1.0, True, None), found.evidence


def test_the_reward_is_the_share_of_tests_passed_and_the_evidence_names_them() -> None:
    found = run(ADD, "assert add(1, 2) == 3\nassert add(1, 2) == 4\ndef test_text():\n    assert add('a', 1) == 'a1'")
    assert (found.reward, found.passed, found.parts) == (pytest.approx(1 / 3), False, {"tests": pytest.approx(1 / 3)})
    lines = found.evidence.split("\n")
    assert lines[0] == "1 of 3 tests passed"
    assert lines[1] == 'failed: assert add(1, 2) == 4: AssertionError, the last answer was {"value": 3}'
    assert lines[2].startswith("failed: test_text: TypeError: ")


def test_the_evidence_is_bounded() -> None:
    found = run(ADD, "\n".join(f"assert add({at}, 0) == '{'x' * 500}'" for at in range(40)))
    assert found.reward == 0.0 and len(found.evidence) < 4000


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def add(", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("def sub(a, b): return a", "the submission does not define add"),
        ("", "the submission does not define add"),
        ("import numpy_that_is_not_there", "ModuleNotFoundError"),
    ],
)
def test_code_that_does_not_run_gets_nothing_and_is_told_why(source: str, words: str) -> None:
    found = run(source, "assert add(1, 2) == 3")
    assert (found.reward, found.error) == (0.0, None) and words in found.evidence


def test_one_test_that_hangs_leaves_the_others_scored() -> None:
    source = "def f(n):\n    while n == 2: pass\n    return n"
    start = time.perf_counter()
    found = run(source, [f"assert f({n}) == {n}" for n in (1, 2, 3)], seconds=1.0)
    assert found.reward == pytest.approx(2 / 3) and time.perf_counter() - start < 300


def test_code_that_never_ends_is_bounded() -> None:
    start = time.perf_counter()
    found = run(
        "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass", "assert f(1) == 1", seconds=0.5
    )
    assert found.reward == 0.0 and found.error is None and time.perf_counter() - start < 300


def test_one_answer_too_large_leaves_the_others_scored() -> None:
    source = "def f(n):\n    return 'x' * (10 ** n)"
    found = run(source, [f"assert len(f({n})) == 10 ** {n}" for n in (1, 6, 2)])
    assert found.reward == pytest.approx(2 / 3) and "output" in found.evidence


def test_a_chain_of_calls_without_end_fails() -> None:
    tests = "def test():\n    n = 1\n    while step(n) == n + 1:\n        n = step(n)\n"
    found = run("def step(n): return n + 1", tests, seconds=0.3)
    assert (found.reward, found.error) == (0.0, None)


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        ("assert add(1", '"tests" must be Python'),
        (7, '"tests" must be Python'),
        ([7], '"tests" must be Python'),
        ("x = 1", "has no assert"),
        ("def check(candidate):\n    assert candidate(1)", 'needs data["entry_point"]'),
        ("import nothing_like_that\nassert add(1, 2) == 3", "cannot be run: ModuleNotFoundError"),
        ("assert 1 == 1", "never calls the submission"),
        ("def test_x(fixture):\n    assert add(1, 2) == 3", "cannot be run: TypeError"),
        ("assert add(lambda: 1, 2) == 3", "a function is not a plain value"),
        ("assert add('x' * 200_000, 'y')", "a call is too long"),
        ("while True: assert 1", "did not end in time"),
        ("import os\nos._exit(0)\nassert add(1, 2) == 3", "the tests gave no result"),
        ([{"input": "1"}], "case 1 of the tests"),
        ([{"input": "1", "output": "1"}, "x"], "case 2 of the tests"),
        ("", 'data has no "tests"'),
    ],
    ids=lambda value: str(value)[:30],
)
def test_tests_that_cannot_be_run_are_the_verifiers_failure(tests: Any, words: str) -> None:
    found = run(ADD, tests, seconds=1.0)
    assert found.reward is None and found.error is not None and found.error.fault is Fault.VERIFIER
    assert words in found.error.message


def test_a_test_that_fails_by_itself_is_a_failed_test() -> None:
    assert run(ADD, "assert 1 == 2\nassert add(1, 2) == 3").reward == 0.5


def test_a_run_without_a_sandbox_is_told_so() -> None:
    found = run(ADD, "assert add(1, 2) == 3", context=Context())
    assert found.reward is None and found.error is not None and "no sandbox" in found.error.message


def test_an_episode_that_cannot_be_scored_is_not_run() -> None:
    assert verdict(Code(), BROKEN, FOLDER, tests="assert add(1, 2) == 3").error == BROKEN.error


@pytest.mark.parametrize(
    ("reply", "file", "fields"),
    [
        (ADD, "", {}),
        ("```python\ndef add(a, b): return 0\n```\nNo:\n```python\n" + ADD + "\n```\nIt prints\n```\n3\n```", "", {}),
        ("done", "main.py", {"end_state": {"main.py": ADD}}),
        ("done", "main.py", {"blobs": {"main.py": "hash"}}),
    ],
    ids=["the whole reply", "the last block", "end state", "blob"],
)
def test_the_code_is_found_where_it_is(reply: str, file: str, fields: dict[str, Any]) -> None:
    context = Context(sandbox=FolderSandbox(), blob={"hash": ADD.encode()}.__getitem__)
    found = verdict(Code(file=file), episode(reply, **fields), context, tests="assert add(1, 2) == 3")
    assert found.passed
    if file:
        assert (
            verdict(Code(file="other.py"), episode(reply, **fields), context, tests="assert add(1, 2) == 3").reward
            == 0.0
        )


# -- Results of other types than plain ones ----------------------------------------------------------------------------


VALUES = [
    ("Counter('aab')", "assert f() == {'a': 2, 'b': 1} and f()['z'] == 0 and f().most_common(1) == [('a', 2)]"),
    ("OrderedDict(a=1, b=2)", "assert f() == {'b': 2, 'a': 1} and isinstance(f(), dict)"),
    ("defaultdict(list, a=[1])", "assert f() == {'a': [1]}"),
    ("[defaultdict(int, a=1), Counter('b')]", "assert f() == [{'a': 1}, {'b': 1}]"),
    ("deque([1, 2], 5)", "from collections import deque\nassert f() == deque([1, 2]) and f().maxlen == 5"),
    ("namedtuple('P', 'x y')(1, 2)", "assert f() == (1, 2) and f().y == 2 and f()[0] == 1"),
    ("[namedtuple('P', 'x y')(1, 2)]", "assert f() == [(1, 2)] and f()[0].x == 1"),
    ("IntEnum('Color', 'RED BLUE').BLUE", "assert f() == 2 and f() + 1 == 3 and f().name == 'BLUE'"),
    ("[IntEnum('Color', 'RED').RED]", "assert f() == [1]"),
    ("Enum('S', dict(A='a'), type=str).A", "assert f() == 'a' and f().value == 'a'"),
    ("Fraction(6, 8)", "from fractions import Fraction\nassert f() == Fraction(3, 4) and f() + 1 == 1.75"),
    ("Decimal('1.10')", "from decimal import Decimal\nassert f() == Decimal('1.1') and str(f()) == '1.10'"),
    ("date(2024, 2, 29)", "import datetime\nassert f() == datetime.date(2024, 2, 29)"),
    ("datetime(2024, 2, 29, 1)", "import datetime\nassert f() == datetime.datetime(2024, 2, 29, 1)"),
    ("timedelta(1, 2)", "import datetime\nassert f() == datetime.timedelta(seconds=86402)"),
    ("10 ** 5000 + 1", "assert f() == 10 ** 5000 + 1"),
    (
        "type('Rows', (list,), dict(top=lambda self: self[-1]))([1, 2])",
        "r = f()\nassert r == [1, 2] and r.top() == 2",
    ),
    ("[type('Rows', (list,), {})([1, 2])]", "assert f() == [[1, 2]]"),
    ("type('Table', (dict,), {})(a=1)", "assert f() == {'a': 1} and f() != {'a': 2}"),
    ("type('Real', (float,), {})(1.5)", "assert f() == 1.5"),
    ("type('Text', (str,), {})('ab')", "assert f() == 'ab'"),
    ("{'a': 0.1 + 0.2}", "import pytest\nassert f() == pytest.approx({'a': 0.3})"),
]
"""Expressions of a submission, and what holds for what `f` returns."""


def test_a_result_counts_by_its_value() -> None:
    imports = (
        "from collections import *\nfrom enum import *\nfrom fractions import *\n"
        "from decimal import *\nfrom datetime import *\n"
    )
    source = "\n".join(f"VALUE_{n} = {result}\ndef f{n}(): return VALUE_{n}" for n, (result, _) in enumerate(VALUES))
    found = run(f"{imports}\n{source}", [tests.replace("f()", f"f{n}()") for n, (_, tests) in enumerate(VALUES)])
    assert (found.passed, found.error) == (True, None), found.evidence


def test_an_equality_of_its_own_does_not_travel() -> None:
    source, tests = "from collections import *\nfrom fractions import Fraction\n", list[str]()
    for base in ("Counter", "OrderedDict", "dict", "list", "tuple", "int", "float", "str", "set", "Fraction"):
        source += (
            f"class Any_{base}({base}):\n"
            "    __eq__ = lambda a, b: True\n    __ne__ = lambda a, b: False\n    __hash__ = None\n"
            f"def f_{base}(n): return Any_{base}() if n else [Any_{base}()]\n"
        )
        wanted = {"int": "7", "float": "7.0", "str": "'x'", "Fraction": "7"}.get(base, f"{base}([(1, 2)])")
        tests += [f"from collections import *\nassert f_{base}({n}) == {wanted}" for n in (0, 1)]
    found = run(source, [*tests, "assert len(f_dict(1)) == 0"])
    assert (found.reward, found.error) == (pytest.approx(1 / 21), None), found.evidence


def test_an_object_keeps_its_state_from_call_to_call_also_if_it_is_a_list() -> None:
    source = "class Stack(list):\n    def push(self, row):\n        self.append(row)\n        return self"
    assert run(
        source, "def test():\n    s = Stack()\n    s.push(1)\n    s.push(2)\n    assert len(s) == 2 and s == [1, 2]"
    ).passed


# -- What the tests use is their own ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        ("class math: isclose = staticmethod(lambda *a, **k: True)", "assert math.isclose(f(1), 15.58)"),
        ("class statistics: mean = staticmethod(lambda rows: 0)", "assert statistics.mean([f(1), 2]) == 0"),
        ("def Counter(text): return 0", "assert f(1) == Counter('aab')"),
        ("class json: loads = staticmethod(lambda text: 0)", "def test():\n    assert f(1) == json.loads('[1]')"),
    ],
)
def test_a_submission_cannot_bring_a_module_that_the_tests_use(source: str, tests: str) -> None:
    found = run(f"{source}\ndef f(n): return 0", [tests] if tests.startswith("assert") else tests)
    assert (found.reward, found.error) == (0.0, None)
    right = "def f(n): return 15.58"
    assert run(right, ["assert math.isclose(f(1), 15.58)"]).passed


def test_a_function_with_the_name_of_a_module_is_still_the_submissions() -> None:
    assert run("def copy(a): return a", "assert copy(1) == 1").passed
    assert run(
        "class queue:\n    @staticmethod\n    def push(a): return a", "assert queue.push(1) == 1", entry_point="queue"
    ).passed


def test_names_that_nobody_defines_are_found() -> None:
    tests = "assert close(add(1, 2), math.pi)"
    assert undefined_names(Task(id="t", prompt="Write add(a, b).", data={"tests": tests})) == {"close"}
    assert undefined_names(Task(id="t", prompt="?", data={"tests": tests, "entry_point": "add"})) == {"close"}
    assert undefined_names(Task(id="t", prompt="Write add and close.", data={"tests": tests})) == set()
    assert (
        undefined_names(Task(id="t", prompt="?", data={"tests": CASES}))
        == undefined_names(Task(id="t", prompt="?"))
        == set()
    )


# -- A failure that the reply causes is the reply's -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        ("class Odd:\n    def __str__(self): raise ValueError\ndef f(n): return Odd()", "got = f(1)\nassert got == 3, got"),
        ("class Odd:\n    def __str__(self): return 7\ndef f(n): return Odd()", "got = f(1)\nassert got == 3, got"),
        ("class Odd(Exception):\n    def __str__(self): raise ValueError\ndef f(n): raise Odd", "assert f(1) == 3"),
        (
            "import json\njson.dumps = lambda *a, **k: '{\"value\": {\"t\": \"remote\", \"v\": null}}'\ndef f(n): return 1",
            "assert f(f(1)) == 3",
        ),
        (
            "import json\njson.dumps = lambda *a, **k: '{\"value\": {\"t\": \"remote\", \"v\": \"f\"}}'\ndef f(n): return 1",
            "assert f(f(1)) == 3",
        ),
        ("def f(n): return {}", "assert f(f(1).items()) == 3"),
        ("def f(n): return 10 ** 9", "assert sum(range(f(1))) == 3"),
        ("def f(n): raise ValueError('\\ud800')", "assert f(1) == 3"),
        ("def f(n): return '\\ud800'", "got = f(1)\nassert got == 3, got"),
        ("raise ValueError('\\ud800')", "assert f(1) == 3"),
        ("def f(n): return '0' * 10 ** 5", "import os\nx = f(1)\nif len(x) > 9: os._exit(1)\nassert x == 3"),
    ],
)  # fmt: skip
def test_a_reply_cannot_make_its_failure_the_verifiers(source: str, tests: str) -> None:
    found = run(source, [tests], seconds=1.0)
    assert (found.reward, found.error) == (0.0, None), found.error


# -- Time -------------------------------------------------------------------------------------------------------------------


class Recorded(FolderSandbox):
    """Notes the time limit of each run of the submission."""

    def __init__(self) -> None:
        self.limits: list[float] = []

    async def open(self, files: Any = ()) -> FolderBox:
        limits = self.limits

        class Box(FolderBox):
            async def run(self, command: Any, *, stdin: str = "", seconds: float | None = None) -> CommandResult:
                if command[-1] == "submission":
                    assert seconds is not None
                    limits.append(seconds)
                return await super().run(command, stdin=stdin, seconds=seconds)

        return Box()


def test_a_submission_without_its_timers_is_stopped_after_the_time_of_one_test() -> None:
    hang = "import signal, time\ndef f(n):\n    for kind in (0, 2): signal.setitimer(kind, 0)\n    time.sleep(1000)"
    sandbox = Recorded()
    found = run(hang, [f"assert f({n}) == {n}" for n in range(40)], context=Context(sandbox=sandbox), seconds=0.3)
    assert (found.reward, found.error) == (0.0, None)
    assert len(sandbox.limits) == 1 and sandbox.limits[0] <= 2 * 3 * 0.3 + 1.001


def test_many_tests_that_each_take_their_time_are_all_scored() -> None:
    sandbox = Recorded()
    slow = "import time\ndef f(n):\n    time.sleep(1.5)\n    return n"
    found = run(slow, [f"assert f({n}) == {n}" for n in range(6)], context=Context(sandbox=sandbox), seconds=1.0)
    assert found.passed and len(sandbox.limits) > 1, found.evidence


# -- Isolation ----------------------------------------------------------------------------------------------------------------


class Loose(FolderSandbox):
    isolated = False


def test_without_isolation_nothing_runs_unless_it_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERIGYM_ALLOW_UNSANDBOXED", raising=False)
    mark = tmp_path / "ran"
    source, tests = f"open({str(mark)!r}, 'w')\n{ADD}", "assert add(1, 2) == 3"
    context = Context(sandbox=Loose())
    found = run(source, tests, context=context)
    assert found.reward is None and found.error is not None and found.error.fault is Fault.INFRASTRUCTURE
    assert "VERIGYM_ALLOW_UNSANDBOXED=1" in found.error.message and not mark.exists()
    assert verdict(Code(unsandboxed=True), source, context, tests=tests).passed and mark.exists()
    monkeypatch.setenv("VERIGYM_ALLOW_UNSANDBOXED", "1")
    assert run(source, tests, context=context).passed


# -- Programs that read and print --------------------------------------------------------------------------------------

DOUBLE = "for line in __import__('sys').stdin:\n    print(2 * int(line))"
CASES = [{"input": "3\n", "output": "6"}, {"input": "1\n2\n", "output": "2\n4\n"}]


def test_a_program_is_run_case_by_case() -> None:
    assert run(DOUBLE, CASES, seconds=60.0).passed
    found = run("print(6)", CASES, seconds=60.0)
    assert (found.reward, found.passed) == (0.5, False)
    assert found.evidence.split("\n") == ["1 of 2 tests passed", "failed: case 2: printed '6\\n', expected '2\\n4\\n'"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("print(6)\nraise SystemExit(3)", "ended with 3"),
        ("1 / 0", "ZeroDivisionError"),
        ("while True: pass", "stopped by the sandbox: time"),
    ],
)
def test_a_program_that_does_not_end_well_fails(source: str, words: str) -> None:
    found = run(source, CASES[:1], seconds=1.0 if "while" in source else 60.0)
    assert (found.reward, found.error) == (0.0, None) and words in found.evidence


def test_white_space_at_the_end_of_lines_does_not_matter() -> None:
    assert run("print('6 \\n')", CASES[:1]).passed
    assert not run("print(' 6')", CASES[:1]).passed


# -- Forging -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["folder", "bubblewrap"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "folder":
        return FolderSandbox()
    if why_not_isolated():
        pytest.skip(why_not_isolated())
    return open_sandbox()


@pytest.fixture(scope="module")
def forged(sandbox: Sandbox) -> dict[str, Verdict]:
    """All of them at once, as a group."""
    group = [episode(f"```python\n{source}\n```", name) for name, source in FORGING.items()]
    verify = lift("code", Code(seconds=3.0)).verify(task(tests=HIDDEN), group, Context(sandbox=sandbox))
    return {verdict.trajectory: verdict for verdict in asyncio.run(verify)}


@pytest.mark.parametrize("name", FORGING)
def test_a_submission_that_forges_gets_a_zero_and_not_an_excuse(forged: dict[str, Verdict], name: str) -> None:
    found = forged[name]
    assert (found.reward, found.passed, found.error) == (0.0, False, None), found.evidence


def test_right_code_passes_the_same_tests(sandbox: Sandbox) -> None:
    right = "def double(x):\n    return 2 * x if isinstance(x, int) else x + sorted(x)[::-1]"
    assert run(right, HIDDEN, context=Context(sandbox=sandbox)).passed
    assert run(DOUBLE, CASES, context=Context(sandbox=sandbox)).passed


@pytest.mark.parametrize(
    "source",
    [
        "print('all tests passed')",
        "import os\nos._exit(0)",
        "import sys\nsys.stdout.write('6' * 0)\nsys.exit(0)",
        "import glob\nprint(*[open(name).read() for name in glob.glob('**', recursive=True)])",
        "import os\nprint(os.environ, open('/proc/self/cmdline').read())",
    ],
    ids=["says passed", "ends", "exits", "prints its folder", "prints what it was started with"],
)
def test_a_program_that_forges_gets_a_zero(sandbox: Sandbox, source: str) -> None:
    found = run(source, CASES, context=Context(sandbox=sandbox))
    assert (found.reward, found.passed, found.error) == (0.0, False, None)


# -- The two programs inside, in this process --------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def the_real_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """`outcome` replaces modules, in a process that it has to itself elsewhere."""
    monkeypatch.setitem(sys.modules, "pytest", pytest)
    monkeypatch.delitem(sys.modules, "solution", raising=False)


def played(source: str, tests: str, names: list[str]) -> dict[str, Any]:
    """Rounds of asking and answering until the test has an outcome."""
    scope: dict[str, Any] = {}
    exec(source, scope)
    calls: list[str] = []
    for _ in range(20):
        log = [[call, said] for call, said in zip(calls, answers(calls, dict(scope)), strict=True)]
        made = outcome(tests, names, log, {})
        if "need" not in made:
            return made
        at, more = made["need"]
        calls[at:] = more
    raise AssertionError("no end")


@pytest.mark.parametrize(
    ("tests", "key"),
    [
        ("assert add(1, 2) == 3", "passed"),
        ("assert add(add(1, 2), -add(1, 1)) == 1", "passed"),
        ("assert [add(n, n) for n in range(3)] == [0, 2, 4]", "passed"),
        ("assert sum(add([1], [2])) == 3 and len(str(add(1, 2))) == 1 and 1 in add([1], [2])", "passed"),
        ("try:\n    add(1, 2)\nexcept BaseException:\n    pass\nassert add(2, 2) == 4", "passed"),
        ("s = Stack()\ns.push(1)\nassert s[0] == 1 and len(s) == 1 and s and str(s) == '1 rows' and 1 in s", "passed"),
        ("assert list(Stack().push(2)) == [2]", "passed"),
        ("from solution import add as plus\nassert plus(1, 2) == 3", "passed"),
        ("import solution\nassert not hasattr(solution, '__path__') and solution.add(1, 1) == 2", "passed"),
        ("assert add(1, 2) == 4", "failed"),
        ("assert add(1, 'a')", "failed"),
        ("assert add(1, 2) == 3\nadd(lambda: 1, 2)", "failed"),
        ("add(lambda: 1, 2)", "broken"),
        ("add('x' * 200000, 'y')", "broken"),
        ("x = add(1, 2)\nadd('x' * 200000, 'y')", "failed"),
        ("x = add([], [])\nx.append(x)\nadd(x, [])", "failed"),
        ("assert missing(1)", "failed"),
        ("assert hasattr(Stack(), '__len__') is False or True\nassert copy(Stack())", "failed"),
        ("import nothing_there", "broken"),
        ("1 == 1", "broken"),
    ],
)
def test_the_test_and_the_submission_play_in_rounds(tests: str, key: str) -> None:
    names = ["add", "Stack", "missing", "copy"]
    assert list(played(f"{ADD}\n{STACK}", tests, names)) == [key]


@pytest.mark.parametrize(
    "said",
    ["", "{", "[]", "7", '{"value": {"t": "list"}}', '{"value": {"t": "set", "v": [{"t": "list", "v": []}]}}',
     '{"raised": [], "words": ""}', '{"raised": 7}', "[" * 100_000],
    ids=lambda said: said[:20],
)  # fmt: skip
def test_anything_but_an_answer_is_no_answer(said: str) -> None:
    [at, [call]] = outcome("add(1, 2)", ["add"], [], {})["need"]
    swallowing = (
        "try:\n    add(1, 2)\nexcept BaseException:\n    pass\ntry:\n    add(1, 2)\nexcept BaseException:\n    pass"
    )
    for tests in ("add(1, 2)", swallowing):
        assert outcome(tests, ["add"], [[call, said]], {}) == {"failed": "the submission gave no answer"} and at == 0


def test_guesses_are_bounded_and_told_once() -> None:
    told: list[int] = []
    tests = "n = 0\nwhile add(n, 1) != None:\n    n += 1"
    made = outcome(tests, ["add"], [], {}, lambda: told.append(1))
    assert 100 < len(made["need"][1]) < 1000 and told == [1]


def test_a_blank_agrees_with_everything_and_is_passed_as_what_it_stands_for() -> None:
    blank = Blank(3, lambda *asked: asked)
    assert blank == 1 and blank != 1 and blank < 0 and blank and 1 in blank and not list(blank) and str(blank) == ""
    assert len(blank) == 0 and blank(1) == ("call", blank, (1,), {}) and encode(blank) == {"t": "remote", "v": 3}
    with pytest.raises(TypeError):
        encode(blank + 1)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1.5,
        "x",
        b"\x00",
        [1, [2]],
        (1, ()),
        {1, 2},
        frozenset({"a"}),
        {"a": {1: (2,)}},
        1j,
        float("inf"),
    ],
    ids=repr,
)
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    again = decode(encode(value), str)
    assert again == value and type(again) is type(value)


def test_what_is_not_plain_is_not_written() -> None:
    with pytest.raises(TypeError, match="a object is not a plain value"):
        encode([object()])
    assert decode(encode(Remote("f", print)), lambda ref: ref) == "f"


def test_the_small_pytest_raises_and_is_approximate() -> None:
    small: Any = code_inside.small_pytest()
    with small.raises(ValueError, match="no"):
        raise ValueError("not so")
    with pytest.raises(AssertionError, match="did not raise"), small.raises(ValueError):
        pass
    with pytest.raises(AssertionError, match="does not match"), small.raises(ValueError, match="yes"):
        raise ValueError("no")
    assert small.approx(0.3) == 0.1 + 0.2 and small.approx([0.3, 1]) == [0.1 + 0.2, 1]
    assert small.approx(1.0, abs=0.5) == 1.4 and small.approx(0.3) != 0.4 and small.approx([1]) != [1, 1]
    assert small.approx([1]) != (1,)


def test_the_file_needs_nothing_but_the_standard_library() -> None:
    with open(code_inside.__file__) as file:
        text = file.read()
    assert (
        "import verigym" not in text and "from verigym" not in text and os.path.getsize(code_inside.__file__) < 100_000
    )


def test_outcomes_that_do_not_fit_are_left_for_the_next_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FolderBox, "output", 3000)
    tests = "\n".join(f"def test_{at}():\n    assert size({'x' * 700!r} * {at}) == {700 * at}" for at in range(1, 4))
    assert run("def size(text): return len(text)", tests).passed


def test_a_line_of_a_test_that_was_stopped_while_it_wrote_fails_only_that_test(monkeypatch: pytest.MonkeyPatch) -> None:
    real = FolderBox.run

    async def cut(box: FolderBox, command: Any, *, stdin: str = "", seconds: float | None = None) -> CommandResult:
        made = await real(box, command, stdin=stdin, seconds=seconds)
        return msgspec.structs.replace(made, stdout=made.stdout.replace('[1, {"passed', '[1, {"pas[1, {"passed'))

    monkeypatch.setattr(FolderBox, "run", cut)
    found = run(ADD, [f"assert add({at}, 0) == {at}" for at in range(3)])
    assert (found.reward, found.error) == (pytest.approx(2 / 3), None)
