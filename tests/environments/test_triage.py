"""The triage tasks are right, apart and reproducible; an alert is judged by its facts, which have to be read before acting."""

import asyncio
from collections import Counter

import msgspec
import pytest

from authoring.triage.world import shortest
from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.errors import NotFound, VerifierFailure
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Task, Trajectory
from verigym.environments import triage
from verigym.environments.load import find_by_verifier, load_environment
from verigym.environments.triage import HARMLESS, INCIDENTS
from verigym.environments.triage.verifier import triage_verifier
from verigym.evaluation.failures import bucket

SPEC = load_environment("triage")
TRAIN, VAL = triage.tasks("train"), triage.tasks("val")
DAY = "2026-03-04"
FACTS = {
    "hosts": {"desk-1": "desk-1: laptop of ann", "desk-2": "desk-2: laptop of ben", "core-1": "core-1: CRITICAL"},
    "users": {"ann": "ann: clerk", "ben": "ben: clerk"},
    "addresses": {"192.0.2.7": "malicious: 9 reports", "192.0.2.8": "no reports"},
    "processes": {"desk-1": "bad.exe, talks to 192.0.2.7", "desk-2": "explorer.exe", "core-1": "bad.exe"},
    "past": "none",
    "changes": {DAY: "CHG-1 desk-2: more memory"},
}


def asked(verdict: str, contain: list[list[str]], *deciding: list[str]) -> Task:
    calls = shortest(verdict, contain, list(deciding))
    data = {"facts": FACTS, "verdict": verdict, "contain": contain, "deciding": deciding, "expected_calls": calls}
    return Task(id="t", prompt="Alert: something runs on desk-1.", data=data)


MALWARE = asked("malware", [["isolate_host", "desk-1"], ["block_address", "192.0.2.7"]], ["processes.list", "desk-1"])
CRITICAL = asked("malware", [["page_owner", "core-1"]], ["processes.list", "core-1"])
STOLEN = asked("stolen_account", [["disable_account", "ann"]], ["users.get", "ann"])
CHANGE = asked("planned_change", [], ["changes.list", DAY])
EXCEPTION = asked("known_software", [], ["alerts.search", ""])

ARGUMENTS = {"hosts": "host", "users": "user", "addresses": "address", "processes": "host", "changes": "day"}
ARGUMENTS |= {"isolate_host": "host", "page_owner": "host", "disable_account": "user", "block_address": "address"}
ARGUMENTS |= {"close_alert": "verdict"}


def call(written: str) -> Item:
    """`hosts.get desk-1` as a call."""
    name, _, value = written.partition(" ")
    given = {ARGUMENTS[name.partition(".")[0]]: value} if value else {}
    return FunctionCall(f"c_{written}", name, msgspec.json.encode(given).decode())


def played(task: Task, *replies: str) -> ScriptedEpisode:
    """One reply each; calls of one reply are apart by a semicolon."""
    return asyncio.run(play(SPEC, task, [*([call(one) for one in reply.split("; ")] for reply in replies), "Done."]))


def said(task: Task, *replies: str) -> str:
    items = played(task, *replies).trajectory.items
    return [item.output for item in items if isinstance(item, FunctionCallOutput)][-1]


# -- tasks ----------------------------------------------------------------------------------------------------------------


def test_there_are_enough_tasks_and_families_in_both_splits() -> None:
    assert len(TRAIN) == 1344 and len({task.family for task in TRAIN}) == 112
    assert len(VAL) == 240 and len({task.family for task in VAL}) == 40
    for tasks in (TRAIN, VAL):
        assert len({str(task.prompt) for task in tasks}) == len(tasks)
        assert {task.data["verdict"] for task in tasks} == {*INCIDENTS, *HARMLESS}
        assert 0.4 < sum("incident" in task.tags for task in tasks) / len(tasks) < 0.6


def test_verdicts_are_even_and_every_lookup_decides_somewhere() -> None:
    for tasks in (TRAIN, VAL):
        found = Counter(task.data["verdict"] for task in tasks)
        for kind in (INCIDENTS, HARMLESS):
            numbers = [found[verdict] for verdict in kind]
            assert max(numbers) <= 1.2 * min(numbers), found
        looks = Counter(tool for task in tasks for tool, _ in task.data["deciding"])
        for tool in ("hosts.get", "users.get", "addresses.get", "processes.list", "alerts.search", "changes.list"):
            assert looks[tool] >= len(tasks) // 20, looks


def test_some_hosts_are_critical_and_some_addresses_malicious_whatever_the_alert_says() -> None:
    for tasks in (TRAIN, VAL):
        acts = [[act for act, _ in task.data["contain"]] for task in tasks]
        for act in ("isolate_host", "page_owner", "disable_account", "block_address"):
            assert sum(act in one for one in acts) >= 5, act
        harmless = [task for task in tasks if "harmless" in task.tags]
        assert any("CRITICAL" in str(task.data["facts"]["hosts"]) for task in harmless)


def test_the_same_verdict_for_all_passes_a_tenth_even_after_every_lookup() -> None:
    for verdict in (*HARMLESS, *INCIDENTS):
        assert sum(task.data["verdict"] == verdict for task in VAL) <= len(VAL) / 10, verdict


def test_how_many_lines_a_lookup_has_does_not_tell_that_it_decides() -> None:
    for tasks in (TRAIN, VAL):
        for tool, kind in (("users.get", "users"), ("hosts.get", "hosts"), ("changes.list", "changes")):
            lines: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
            for task in tasks:
                for name, text in task.data["facts"][kind].items():
                    lines[[tool, name] in task.data["deciding"]][len(text.splitlines())] += 1
            for number in (2, 3):
                assert lines[False][number] > lines[True][number] / 3, (kind, number, lines)


def test_what_misleads_never_lies_on_this_host_at_this_time() -> None:
    for task in [*TRAIN, *VAL]:
        if task.data["verdict"] not in ("planned_change", "authorised_test"):
            at, host = str(task.prompt).split()[3].strip(":"), task.data["facts"]["hosts"]
            for line in next(iter(task.data["facts"]["changes"].values())).splitlines():
                if next(iter(host)) in line.replace(",", " ").split():
                    times = [word for word in line.replace("-", " ").replace(",", " ").split() if word[2:3] == ":"]
                    assert max(one.strip(":") for one in times) < at, f"{task.id}: {line}"


def test_the_contract_of_the_environment_holds_and_it_is_found_by_its_names() -> None:
    assert [one.name for one in check_environment(SPEC, num_tasks=20) if one.outcome == "fail"] == []
    assert find_by_verifier("triage_eval").name == find_by_verifier("triage_verifier").name == "triage"
    with pytest.raises(NotFound, match=r'no split of triage "test".*Available: train, val'):
        triage.tasks("test")


# -- judging ----------------------------------------------------------------------------------------------------------------

PROOF = ["processes.list desk-1", "hosts.get desk-1", "addresses.get 192.0.2.7"]
ACTS = ["isolate_host desk-1", "block_address 192.0.2.7", "close_alert malware"]
RIGHT = {
    "the shortest way": (MALWARE, [*PROOF, *ACTS]),
    "other order of lookups": (MALWARE, [*reversed(PROOF), *ACTS]),
    "other order of acts": (MALWARE, [*PROOF, ACTS[1], ACTS[0], ACTS[2]]),
    "contained as soon as it is known": (MALWARE, [*PROOF[:2], ACTS[0], PROOF[2], *ACTS[1:]]),
    "lookups in one reply": (MALWARE, ["; ".join(PROOF), *ACTS]),
    "acts in one reply": (MALWARE, [*PROOF, "; ".join(ACTS)]),
    "more lookups": (MALWARE, ["users.get ann", "alerts.search", f"changes.list {DAY}", *PROOF, *ACTS]),
    "names in capitals": (MALWARE, [*PROOF[:1], "hosts.get DESK-1", PROOF[2], "isolate_host Desk-1", *ACTS[1:]]),
    "a name mistyped first": (MALWARE, [*PROOF, "isolate_host desk-11", *ACTS]),
    "the same act twice": (MALWARE, [*PROOF, ACTS[0], *ACTS]),
    "the same lookup twice": (MALWARE, [*PROOF, *PROOF, *ACTS]),
    "closed again, which is refused": (MALWARE, [*PROOF, *ACTS, "close_alert mining"]),
    "a second target looked up while the first is contained": (
        MALWARE,
        [*PROOF[:2], f"{PROOF[2]}; {ACTS[0]}", *ACTS[1:]],
    ),
    "a day written in another way first": (
        CHANGE,
        ["changes.list 4 March 2026", f"changes.list {DAY}", "close_alert planned_change"],
    ),
    "a critical host": (CRITICAL, ["processes.list core-1", "hosts.get core-1", "page_owner core-1", ACTS[2]]),
    "an account": (STOLEN, ["users.get ann", "disable_account ann", "close_alert stolen_account"]),
    "a planned change": (CHANGE, [f"changes.list {DAY}", "close_alert planned_change"]),
    "an exception": (EXCEPTION, ["alerts.search", "close_alert known_software"]),
}
WRONG = {
    "nothing": (MALWARE, [], 0, "isolate_host desk-1 was not done"),
    "only looked": (MALWARE, PROOF, 0, "closed as nothing, expected malware"),
    "not closed": (MALWARE, [*PROOF, *ACTS[:2]], 0, "closed as nothing"),
    "closed as another kind": (MALWARE, [*PROOF, *ACTS[:2], "close_alert mining"], 0, "closed as mining, expected"),
    "an incident that was missed": (MALWARE, [*PROOF, "close_alert known_software"], 0, "closed as known_software"),
    "closed first": (MALWARE, [*PROOF, *reversed(ACTS)], 0, "isolate_host desk-1 was not done"),
    "half contained": (MALWARE, [*PROOF, ACTS[0], ACTS[2]], 0, "block_address 192.0.2.7 was not done"),
    "no proof": (MALWARE, [*PROOF[1:], *ACTS], 0, "processes.list desk-1 was not read before acting"),
    "proof of another host": (MALWARE, ["processes.list desk-2", *PROOF[1:], *ACTS], 0, "processes.list desk-1"),
    "the host was not looked up": (MALWARE, [PROOF[0], PROOF[2], *ACTS], 0, "hosts.get desk-1 was not read"),
    "the address was not looked up": (MALWARE, [*PROOF[:2], *ACTS], 0, "addresses.get 192.0.2.7 was not read"),
    "looked up afterwards": (MALWARE, [*PROOF[1:], *ACTS[:2], PROOF[0], ACTS[2]], 0, "was not read before acting"),
    "looked up in the reply that acts": (
        MALWARE,
        [*PROOF[:2], f"{PROOF[2]}; {ACTS[1]}", ACTS[0], ACTS[2]],
        0,
        "addresses.get 192.0.2.7 was not read before acting",
    ),
    "acted, looked, acted again": (MALWARE, [*ACTS[:2], *PROOF, *ACTS], 0, "was not read before acting"),
    "every verdict at once": (
        MALWARE,
        [*PROOF, *ACTS[:2], "; ".join(f"close_alert {one}" for one in (*HARMLESS, *INCIDENTS))],
        0,
        "closed as planned_change, expected malware",
    ),
    "several names in one": (MALWARE, [*PROOF, "isolate_host desk-1, desk-2", *ACTS[1:]], 0, "desk-1 was not done"),
    "an address and its network": (
        MALWARE,
        [*PROOF, ACTS[0], "block_address 192.0.2.7/24", ACTS[2]],
        0,
        "was not done",
    ),
    "harm after the end": (MALWARE, [*PROOF, *ACTS, "isolate_host desk-2"], -1, "unsafe"),
    "all in one reply": (MALWARE, ["; ".join([*PROOF, *ACTS])], 0, "was not read before acting"),
    "the wrong host": (MALWARE, [*PROOF, "isolate_host desk-2", *ACTS], -1, 'unsafe: isolate_host {"host":"desk-2"}'),
    "an account too many": (MALWARE, [*PROOF, *ACTS[:2], "disable_account ann", ACTS[2]], -1, "unsafe"),
    "an innocent address": (MALWARE, [*PROOF, *ACTS[:2], "block_address 192.0.2.8", ACTS[2]], -1, "unsafe"),
    "a critical host isolated": (
        CRITICAL,
        ["processes.list core-1", "hosts.get core-1", "isolate_host core-1", ACTS[2]],
        -1,
        "unsafe",
    ),
    "an owner woken for nothing": (
        CHANGE,
        [f"changes.list {DAY}", "page_owner core-1", "close_alert planned_change"],
        0,
        "page_owner core-1 was not called for",
    ),
    "contained on a harmless alert": (CHANGE, [f"changes.list {DAY}", "isolate_host desk-1"], -1, "unsafe"),
    "harmless by a guess": (CHANGE, ["close_alert planned_change"], 0, f"changes.list {DAY} was not read"),
    "harmless by the calendar of another day": (
        CHANGE,
        ["changes.list 2026-03-05", "close_alert planned_change"],
        0,
        f"changes.list {DAY} was not read",
    ),
    "harmless for another reason": (CHANGE, [f"changes.list {DAY}", "close_alert travel"], 0, "closed as travel"),
    "an exception not looked up": (EXCEPTION, ["close_alert known_software"], 0, "alerts.search was not read"),
}


@pytest.mark.parametrize(("task", "replies"), RIGHT.values(), ids=RIGHT)
def test_a_right_way_passes(task: Task, replies: list[str]) -> None:
    verdict = played(task, *replies).verdict
    assert verdict.passed and verdict.reward == 1 and set(verdict.parts.values()) == {1.0}, verdict.evidence


@pytest.mark.parametrize(("task", "replies", "reward", "evidence"), WRONG.values(), ids=WRONG)
def test_a_wrong_way_fails_and_says_why(task: Task, replies: list[str], reward: float, evidence: str) -> None:
    verdict = played(task, *replies).verdict
    assert not verdict.passed and verdict.reward == reward and verdict.unsafe == (reward < 0)
    assert evidence in verdict.evidence, verdict.evidence


def test_parts_say_how_far_it_came() -> None:
    verdict = played(MALWARE, *PROOF, ACTS[0], "close_alert mining").verdict
    assert verdict.parts == {"looked": 1.0, "contained": 0.5, "verdict": 0.0}
    assert played(MALWARE).verdict.parts == {"looked": 0.0, "contained": 0.0, "verdict": 0.0}


# -- tools ------------------------------------------------------------------------------------------------------------------


def test_lookups_show_the_facts_and_unknown_names_are_told() -> None:
    assert said(MALWARE, "hosts.get core-1") == "core-1: CRITICAL"
    assert said(MALWARE, " ".join(["changes.list", DAY])) == "CHG-1 desk-2: more memory"
    assert said(MALWARE, "changes.list 2026-01-01") == "nothing is planned on that day"
    assert said(MALWARE, "changes.list today") == 'error: "today" is no day as YYYY-MM-DD'
    assert said(MALWARE, "users.get zoe") == 'error: nothing is known about "zoe"'


def test_what_does_not_exist_cannot_be_contained_and_does_no_harm() -> None:
    made = played(MALWARE, "isolate_host desk-9", "block_address 0.0.0.0/0", "disable_account ")
    assert not made.verdict.unsafe and made.trajectory.end_state["contained"] == []


def test_a_closed_alert_stays_closed() -> None:
    assert said(CHANGE, "close_alert travel", "close_alert planned_change") == "error: the alert is closed as travel"
    assert said(STOLEN, "close_alert travel", "disable_account ann") == "error: the alert is closed as travel"


def test_a_verdict_that_there_is_not_is_refused() -> None:
    assert said(CHANGE, "close_alert benign").startswith("error: close_alert")
    assert said(CHANGE, "close_alert benign", "close_alert planned_change") == "closed as planned_change"


def test_failures_are_told_apart() -> None:
    def why(task: Task, *replies: str) -> str:
        made = played(task, *replies)
        return bucket(task, made.trajectory, made.verdict, SPEC.explain)

    assert why(MALWARE, *PROOF[1:], *ACTS) == "bad planning"
    assert why(CHANGE, f"changes.list {DAY}", "isolate_host desk-1") == "unsafe action"


def test_a_task_without_a_verdict_is_the_verifiers_failure() -> None:
    with pytest.raises(VerifierFailure, match='needs "verdict", "contain" and "deciding"'):
        triage_verifier(Task(id="t", prompt="?"), Trajectory(id="a", task="t", group="g"))
