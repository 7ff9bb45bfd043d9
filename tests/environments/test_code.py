"""Problems have references that pass and tests that mutants fail; a function is right by what it returns, whoever wrote it."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable

import msgspec
import pytest

from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import play
from verigym.core.errors import NotFound
from verigym.core.protocols import Context
from verigym.core.records import Message, Task, Trajectory, Verdict
from verigym.environments import code
from verigym.environments.load import find_by_verifier, load_environment
from verigym.sandbox.open import why_not_isolated
from verigym.tasks.leaks import find_leaks

SPEC = load_environment("code")
TRAIN, VAL = code.tasks("train"), code.tasks("val")
BY_ID = {task.id: task for task in [*TRAIN, *VAL]}
boxed = pytest.mark.skipif(bool(why_not_isolated()), reason=why_not_isolated() or "-")


def judged(task: Task, reply: str) -> Verdict:
    return asyncio.run(play(SPEC, task, [reply])).verdict


# -- tasks ------------------------------------------------------------------------------------------------------------------


def test_there_are_enough_families_of_every_topic() -> None:
    for tasks, least in ((TRAIN, 16), (VAL, 6)):
        topics = Counter(dict((task.family, task.tags[1]) for task in tasks).values())
        assert len(topics) == 8 and min(topics.values()) >= least, topics
        assert len({str(task.prompt) for task in tasks}) == len(tasks)
        assert min(len(task.data["tests"]) for task in tasks) >= 7


def test_examples_are_not_among_the_tests_and_are_shown() -> None:
    for task in [*TRAIN, *VAL]:
        for inputs, _ in task.data["examples"]:
            call = f"{task.data['entry_point']}({', '.join(map(repr, inputs))})"
            assert call in str(task.prompt) and not any(call in test for test in task.data["tests"]), task.id


def test_what_is_asked_has_every_parameter_of_the_reference_filled_in() -> None:
    for task in [*TRAIN, *VAL]:
        assert not re.search(r"\{[a-z]+(\[\d\])?(!r)?\}", str(task.prompt)), task.id
        assert task.data["gold"] not in str(task.prompt), task.id


def test_held_out_problems_share_no_name_and_no_near_wording_with_those_to_learn_from() -> None:
    names = [{task.data["entry_point"] for task in tasks} for tasks in (TRAIN, VAL)]
    assert not names[0] & names[1]
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.7)


def test_no_five_words_in_a_row_are_asked_of_those_who_learn_and_in_a_held_out_problem() -> None:
    def runs(tasks: list[Task]) -> dict[tuple[str, ...], str]:
        said = {task.family: re.findall(r"[a-z0-9'-]+", _asked(task).lower()) for task in tasks}
        return {tuple(words[at : at + 5]): family for family, words in said.items() for at in range(len(words) - 4)}

    train, val = runs(TRAIN), runs(VAL)
    assert {" ".join(words): (train[words], val[words]) for words in train.keys() & val.keys()} == {}


def _asked(task: Task) -> str:
    """What comes before the signature."""
    return str(task.prompt).partition("\n\ndef ")[0]


# -- replies ----------------------------------------------------------------------------------------------------------------

BOUNCE = BY_ID["code/val/bounce/1"]
BOUNCE_ONCE = msgspec.structs.replace(BOUNCE, data={**BOUNCE.data, "tests": BOUNCE.data["tests"][:1]})
"""What never ends takes the time of each test."""
TRIANGLE = BY_ID["code/val/triangle/1"]
LIMIT = int(re.search(r"between 0 and (\d+)", str(BOUNCE.prompt))[1])  # type: ignore[index]
FLAT = re.search(r"but '(\w+)'", str(TRIANGLE.prompt))[1]  # type: ignore[index]

_LOOP = """def bounce(items):
    out = []
    for n in items:
        while n < 0 or n > LIMIT:
            n = -n if n < 0 else 2 * LIMIT - n
        out.append(n)
    return out
"""
_TRIANGLE = """def triangle(a, b, c):
    longest = max(a, b, c)
    rest = a + b + c - longest
    if longest > rest:
        raise ValueError("too long")
    if longest == rest:
        return FLAT
    return {1: "equal", 2: "two", 3: "odd"}[len({a, b, c})]
"""
RIGHT: dict[str, tuple[Task, str]] = {
    "a loop": (BOUNCE, _LOOP),
    "in a block with words around": (BOUNCE, f"Here it is.\n```python\n{_LOOP}```\nIt bounces."),
    "the last of two blocks": (BOUNCE, f"```python\nprint(1)\n```\nBetter:\n```python\n{_LOOP}```"),
    "before a block of another language": (BOUNCE, f"```python\n{_LOOP}```\nTo try it:\n```bash\npython main.py\n```"),
    "in a block called py": (BOUNCE, f"```py\n{_LOOP}```"),
    "a lambda": (BOUNCE, "bounce = lambda items: [LIMIT - abs(n % (2 * LIMIT) - LIMIT) for n in items]"),
    "with a helper": (
        BOUNCE,
        "def one(n):\n    return abs((n + LIMIT) % (2 * LIMIT) - LIMIT)\ndef bounce(items):\n    return list(map(one, items))",
    ),
    "it prints": (BOUNCE, _LOOP.replace("    return", "    print(out)\n    return")),
    "it is imported from a class": (
        BOUNCE,
        "class B:\n    @staticmethod\n    def go(items):\n        return [LIMIT - abs(n % (2 * LIMIT) - LIMIT) for n in items]\n"
        "bounce = B.go",
    ),
    "sets": (TRIANGLE, _TRIANGLE),
    "another error that is a ValueError": (
        TRIANGLE,
        _TRIANGLE.replace('ValueError("too long")', 'UnicodeError("no")'),
    ),
    "an import": (BOUNCE, "import math\n" + _LOOP.replace("n < 0 or", "math.copysign(1, n) < 0 and n or")),
}
WRONG: dict[str, tuple[Task, str]] = {
    "nothing": (BOUNCE, ""),
    "words": (BOUNCE, "It bounces."),
    "no code": (BOUNCE, "```python\n```"),
    "a syntax error": (BOUNCE, "def bounce(items)\n    return items"),
    "another name": (BOUNCE, _LOOP.replace("bounce", "Bounce")),
    "unchanged": (BOUNCE, "def bounce(items):\n    return items"),
    "only the upper end": (
        BOUNCE,
        "def bounce(items):\n    return [n if n <= LIMIT else 2 * LIMIT - n for n in items]",
    ),
    "once only": (BOUNCE, _LOOP.replace("while", "if")),
    "a right block, then a wrong one": (
        BOUNCE,
        f"```python\n{_LOOP}```\nOr shorter:\n```python\ndef bounce(items): return items\n```",
    ),
    "a tuple": (BOUNCE, _LOOP.replace("return out", "return tuple(out)")),
    "a generator": (BOUNCE, "def bounce(items):\n    yield from items"),
    "it prints and returns nothing": (BOUNCE, _LOOP.replace("return out", "print(out)")),
    "it never ends": (BOUNCE_ONCE, "def bounce(items):\n    while True:\n        pass"),
    "too much memory": (BOUNCE, "def bounce(items):\n    return 'x' * 10**12"),
    "no error": (TRIANGLE, _TRIANGLE.replace('raise ValueError("too long")', "return FLAT")),
    "another error": (TRIANGLE, _TRIANGLE.replace("ValueError", "KeyError")),
    "the error is returned": (TRIANGLE, _TRIANGLE.replace("raise ValueError", "return ValueError")),
    "it leaves": (TRIANGLE, "import sys\n" + _TRIANGLE.replace('raise ValueError("too long")', "sys.exit()")),
}


def filled(reply: str) -> str:
    return reply.replace("LIMIT", str(LIMIT)).replace("FLAT", repr(FLAT))


@boxed
@pytest.mark.parametrize(("task", "reply"), RIGHT.values(), ids=RIGHT)
def test_another_right_function_passes(task: Task, reply: str) -> None:
    verdict = judged(task, filled(reply))
    assert verdict.passed and verdict.reward == 1.0 and verdict.parts == {"tests": 1.0}, verdict.evidence


@boxed
@pytest.mark.parametrize(("task", "reply"), WRONG.values(), ids=WRONG)
def test_a_wrong_function_earns_nothing_and_the_evidence_says_which_test_failed(task: Task, reply: str) -> None:
    verdict = judged(task, filled(reply))
    assert not verdict.passed and verdict.reward == 0.0 and verdict.parts["tests"] < 1
    assert "failed: " in verdict.evidence and task.data["entry_point"] in verdict.evidence


@boxed
def test_the_contract_of_the_environment_holds_and_it_is_found_by_its_names() -> None:
    checks = check_environment(SPEC, num_tasks=2)  # an episode starts five processes, a task is played thirty times
    assert [one.words for one in checks if one.outcome == "fail"] == []
    assert find_by_verifier("code_functions").name == find_by_verifier("code_verifier").name == "code"
    with pytest.raises(NotFound, match=r'no split of code "test".*Available: train, val'):
        code.tasks("test")


@boxed
@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "val"])
def test_in_every_family_the_reference_passes_and_what_is_nearly_right_does_not(split: str) -> None:
    for task in {task.family: task for task in SPEC.tasks(split)}.values():
        assert judged(task, code.gold(task)).passed, task.id
        assert not judged(task, code.cheats(task)[-1]).passed, task.id


def test_nothing_runs_where_no_sandbox_isolates_it() -> None:
    class Loose:
        isolated = False
        open: Callable[..., None]

    said = Trajectory(id="a", task=VAL[0].id, group="g", items=[Message("assistant", code.gold(VAL[0]))])
    for sandbox, words in ((Loose(), "no sandbox isolates it"), (None, "this run has no sandbox")):
        context = Context(sandbox=sandbox)  # type: ignore[arg-type]
        [verdict] = asyncio.run(SPEC.verifier.verify(VAL[0], [said], context))
        assert verdict.reward is None and verdict.error is not None and words in verdict.error.message
