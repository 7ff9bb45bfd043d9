"""Every planted fault shows in visible and hidden tests; a repair counts by what the code does, however it was edited."""

import ast
import asyncio
import json
import re
from collections import Counter
from typing import Any

import pytest

from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.errors import NotFound, Refused
from verigym.core.protocols import Context
from verigym.core.records import Fault, FunctionCall, FunctionCallOutput, Item, Task, Trajectory
from verigym.environments import code_repair
from verigym.environments.load import find_by_verifier, load_environment
from verigym.sandbox.open import why_not_isolated

SPEC = load_environment("code_repair")
TRAIN, VAL = code_repair.tasks("train"), code_repair.tasks("val")
TASK = next(task for task in TRAIN if task.id == "code_repair/train/tills_both/report")
PATH = "tills/discounts.py"
TEST = "tests/test_discounts.py"
boxed = pytest.mark.skipif(bool(why_not_isolated()), reason=why_not_isolated() or "-")


def call(name: str, **arguments: Any) -> list[Item]:
    return [FunctionCall("c", name, json.dumps(arguments))]


def played(*calls: list[Item]) -> ScriptedEpisode:
    return asyncio.run(play(SPEC, TASK, [*calls, "Mended."]))


def told(done: ScriptedEpisode) -> list[str]:
    return [item.output for item in done.trajectory.items if isinstance(item, FunctionCallOutput)]


def body(text: str) -> list[Item]:
    """The function with the fault, written anew."""
    lines = TASK.data["files"][PATH].splitlines()
    first = lines.index("def best_offer(amount, member):") + 1
    return call("replace_lines", path=PATH, first=first, last=len(lines), text=text)


def five_words(tasks: list[Task]) -> set[tuple[str, ...]]:
    """Each five words in a row of what is asked, and of what the code says about itself."""
    texts = {str(task.prompt) for task in tasks} | {
        doc
        for task in tasks
        for path, text in task.data["files"].items()
        if path.endswith(".py")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and (doc := ast.get_docstring(node))
    }
    rows = [re.findall(r"[a-z0-9']+", text.lower()) for text in texts]
    return {tuple(row[at : at + 5]) for row in rows for at in range(len(row) - 4)}


def test_what_is_learned_from_is_written_in_other_words_than_what_is_held_out() -> None:
    assert not five_words(TRAIN) & five_words(VAL)


@pytest.mark.parametrize("tasks", [TRAIN, VAL], ids=["train", "val"])
def test_no_two_tasks_ask_the_same_and_there_are_as_many_of_each_kind(tasks: list[Task]) -> None:
    assert len({str(task.prompt) for task in tasks}) == len(tasks)
    assert len(set(Counter(task.tags[1] for task in tasks).values())) == 1


def test_hidden_tests_ask_for_more_than_the_visible_ones() -> None:
    for task in [*TRAIN, *VAL]:
        shown = "\n".join(text for path, text in task.data["files"].items() if path.startswith("tests/"))
        calls = [test.removeprefix("assert ").rpartition(" == ")[0] for test in task.data["tests"]]
        assert sum(each not in shown for each in calls) >= 8, task.id


# -- tools ------------------------------------------------------------------------------------------------------------------


def test_the_workspace_is_listed_read_searched_and_edited() -> None:
    listed, read, found, changed, again = told(
        played(
            call("list_files"),
            call("read_file", path=PATH),
            call("search", text="percent + 10"),
            call("edit", path=PATH, old="percent + 10", new="max(percent, 10)"),
            call("search", text="percent + 10"),
        )
    )
    assert "tills/prices.py" in listed and "README.md" in listed
    assert read.startswith("1 def percent_off(amount, percent):")
    assert found.startswith(f"{PATH}:") and changed == f"{PATH} is changed" and again == "nothing"


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("read_file", {"path": "../etc/passwd"}, 'no file "../etc/passwd"; there is: README.md'),
        ("edit", {"path": PATH, "old": "return", "new": ""}, "stands in tills/discounts.py 2 times"),
        ("edit", {"path": PATH, "old": "", "new": "x"}, "0 times"),
        ("edit", {"path": PATH, "old": "percent + 10", "new": "x" * 30_000}, "at most 20000 characters"),
        ("replace_lines", {"path": PATH, "first": 0, "last": 1, "text": ""}, "has the lines 1 to"),
        ("replace_lines", {"path": PATH, "first": 3, "last": 2, "text": ""}, "3 to 2 are not among them"),
    ],
)
def test_a_bad_edit_says_why_and_changes_nothing(name: str, arguments: dict[str, Any], words: str) -> None:
    done = played(call(name, **arguments))
    assert words in told(done)[0] and done.trajectory.end_state == {"changed": {}, "patch": ""}


@boxed
def test_the_tests_say_what_fails_and_what_was_got_and_the_answer_is_a_patch() -> None:
    edit = call("edit", path=PATH, old="percent + 10", new="max(percent, 10)")
    done = played(call("run_tests"), edit, call("run_tests"))
    before, _, after = told(done)
    assert "failed: tests/test_discounts.py test_best_offer_5: AssertionError: 2550" in before
    assert after == "13 passed, 0 failed" and done.verdict.passed
    patch = done.trajectory.end_state["patch"]
    assert patch.startswith(f"--- a/{PATH}\n+++ b/{PATH}\n") and "\n+        percent = max(percent, 10)\n" in patch


@boxed
def test_what_hangs_is_stopped_and_nothing_of_the_host_is_seen() -> None:
    loop = call("replace_lines", path=TEST, first=1, last=1, text="while True: pass")
    peek = call("replace_lines", path=TEST, first=1, last=1, text="print(open('/etc/shadow').read())")
    net = call(
        "replace_lines", path=TEST, first=1, last=1, text="import urllib.request as u; u.urlopen('http://1.1.1.1')"
    )
    assert "killed" in told(played(loop, call("run_tests")))[1]
    assert "FileNotFoundError" in told(played(peek, call("run_tests")))[1]
    assert "URLError" in told(played(net, call("run_tests")))[1]


# -- repairs ----------------------------------------------------------------------------------------------------------------

_HEAD = "def best_offer(amount, member):\n"
RIGHT: dict[str, list[list[Item]]] = {
    "the edit": [call("edit", path=PATH, old="percent + 10", new="max(percent, 10)")],
    "a constant": [call("edit", path=PATH, old="percent + 10", new="10")],
    "two steps": [
        call("edit", path=PATH, old="percent + 10", new="percent"),
        call("edit", path=PATH, old="percent = percent", new="percent = 10"),
    ],
    "one line": [body(_HEAD + "    return percent_off(amount, 10 if member else 5 * (amount >= 2000))")],
    "early return": [
        body(
            _HEAD + "    if member:\n        return percent_off(amount, 10)\n"
            "    return percent_off(amount, 5) if amount >= 2000 else amount"
        )
    ],
    "the cheaper of two": [
        body(_HEAD + "    offers = [0, 10 * member, 5 * (amount > 1999)]\n    return percent_off(amount, max(offers))")
    ],
    "a helper": [
        body("def share(amount, member):\n    return 10 if member else 5 if amount >= 2000 else 0\n\n\n" + _HEAD
             + "    return percent_off(amount, share(amount, member))")
    ],
    "without rounding of its own": [
        body(_HEAD + "    p = 10 if member else 5 if amount >= 2000 else 0\n    return (amount * (100 - p) + 50) // 100")
    ],
    "it prints": [call("edit", path=PATH, old="percent + 10", new="print(percent) or 10")],
    "a comment in the tests": [
        call("edit", path=PATH, old="percent + 10", new="10"),
        call("replace_lines", path=TEST, first=1, last=1, text="# all\nfrom tills.discounts import best_offer, percent_off"),
    ],
}  # fmt: skip
WRONG: dict[str, list[list[Item]]] = {
    "nothing": [],
    "only looked": [call("read_file", path=PATH), call("list_files")],
    "the tests": [call("edit", path=TEST, old="got == 2700, got", new="True")],
    "the tests emptied": [call("replace_lines", path=TEST, first=1, last=20, text="")],
    "the visible tests by heart": [
        call("edit", path=PATH, old="percent + 10", new="10 if amount == 3000 else percent + 10")
    ],
    "the smaller": [call("edit", path=PATH, old="percent + 10", new="min(percent, 10)")],
    "no members": [call("edit", path=PATH, old="percent + 10", new="percent")],
    "a syntax error": [call("edit", path=PATH, old="percent + 10", new="max(percent, 10")],
    "a wrong name": [call("edit", path=PATH, old="percent + 10", new="max(per_cent, 10)")],
    "another place broken": [
        call("edit", path=PATH, old="percent + 10", new="10"),
        call("edit", path=PATH, old="+ 50", new="+ 49"),
    ],
    "a visible test left red": [
        call("edit", path=PATH, old="percent + 10", new="10"),
        call("edit", path=PATH, old=">= 2000", new="> 2000"),
    ],
    "another module broken": [
        call("edit", path=PATH, old="percent + 10", new="10"),
        call("edit", path="tills/prices.py", old="thing.lower()", new="thing"),
    ],
    "it exits": [body(_HEAD + "    import os\n    os._exit(0)")],
    "equal to everything": [
        body("class Any:\n    def __eq__(self, other):\n        return True\n\n\n" + _HEAD + "    return Any()")
    ],
}


@boxed
@pytest.mark.parametrize("calls", RIGHT.values(), ids=RIGHT)
def test_another_right_repair_passes(calls: list[list[Item]]) -> None:
    verdict = played(*calls).verdict
    assert verdict.passed and verdict.reward == 1.0 and verdict.parts["tests"] == 1.0, verdict.evidence


@boxed
@pytest.mark.parametrize("calls", WRONG.values(), ids=WRONG)
def test_a_wrong_repair_earns_nothing_and_the_evidence_says_why(calls: list[list[Item]]) -> None:
    verdict = played(*calls).verdict
    assert not verdict.passed and verdict.reward == 0.0 and "failed: " in verdict.evidence, verdict


@boxed
def test_edited_tests_are_named_and_do_not_count() -> None:
    verdict = played(*WRONG["the tests"]).verdict
    assert verdict.parts["tests_edited"] == 1.0 and f"edited, and not counted: {TEST}" in verdict.evidence


@boxed
@pytest.mark.slow
def test_the_contract_of_the_environment_holds() -> None:
    checks = check_environment(SPEC, num_tasks=2)
    assert [one.words for one in checks if one.outcome == "fail"] == []


@boxed
def test_gold_solutions_pass_and_no_cheat_does() -> None:
    for task in (TRAIN[0], VAL[0]):
        assert asyncio.run(play(SPEC, task, SPEC.gold_replies(task))).verdict.passed, task.id
        for cheat in SPEC.cheat_replies(task):
            assert asyncio.run(play(SPEC, task, cheat)).verdict.reward == 0.0, f"{task.id}: {cheat}"


def test_it_is_found_by_its_names() -> None:
    assert find_by_verifier("code_repair").name == find_by_verifier("repair_verifier").name == "code_repair"
    with pytest.raises(NotFound, match=r'no split of code_repair "test".*Available: train, val'):
        code_repair.tasks("test")


def test_an_episode_without_a_sandbox_is_the_infrastructures_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(require: bool) -> None:
        raise Refused("bubblewrap is not installed")

    monkeypatch.setattr(code_repair, "open_sandbox", refused)
    code_repair._sandbox.cache_clear()
    error = played(call("run_tests")).trajectory.error
    code_repair._sandbox.cache_clear()
    assert error is not None and error.fault is Fault.INFRASTRUCTURE and "not installed" in error.message


def test_nothing_runs_where_no_sandbox_isolates_it() -> None:
    class Loose:
        isolated = False

    said = Trajectory(id="a", task=TASK.id, group="g", end_state={"changed": {}})
    for sandbox, words in ((Loose(), "no sandbox isolates it"), (None, "this run has no sandbox")):
        context = Context(sandbox=sandbox)  # type: ignore[arg-type]
        [verdict] = asyncio.run(SPEC.verifier.verify(TASK, [said], context))
        assert verdict.reward is None and verdict.error is not None and words in verdict.error.message
