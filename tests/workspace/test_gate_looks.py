"""The gate measures by itself: models behind a server answer by rule, and every call is counted."""

import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.flywheel.answering import answering
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Check, Decision, Sampling, Version
from verigym.environments.load import load_environment
from verigym.gates.policy import AsGood, GatePolicy, Margins, Safety
from verigym.registry import ledger
from verigym.rollout.settings import Prices, RunSettings
from verigym.store.transfer import export_run, import_runs
from verigym.workspace import measure as stages
from verigym.workspace.decisions import keep, settle
from verigym.workspace.gate import Gate, gate
from verigym.workspace.gate_budget import GateBudget, parse_budget
from verigym.workspace.rescore import rescore
from verigym.workspace.workspace import WorkspaceFolder

SUMS = """
from verigym import Task
from pathlib import Path
FAMILIES, EACH, MORE = map(int, Path(__file__).with_suffix(".txt").read_text().split())
def tasks(split):
    return [
        Task(id=f"{split}/{i}", prompt=f"{i}?", data={"answer": str(2 * i + MORE)}, split=split,
             family=f"{split}-{i // EACH}")
        for i in range(FAMILIES * EACH)
    ]
class Environment:
    max_turns = 1
    def open(self, task): ...
def right(task, trajectory):
    return float(task.data["answer"] == trajectory.reply)
verifiers = {"right": right}
training_sets = {"more": lambda: [Task(id="more", prompt="1?", data={"answer": "2"}, split="train")]}
"""
ALONE = GatePolicy(name="alone", retention=None, safety=None, margins=Margins(latency=None))
CALLS: Counter[str] = Counter()


def answer(model: str, messages: list[dict[str, Any]]) -> str:
    """`right80` is right on 80% of the prompts, always the same ones. `dice80` is right in 80% of its replies."""
    prompt = messages[-1]["content"]
    CALLS[model] += 1
    kind, share = model[:-2], int(model[-2:])
    if kind == "broken" and zlib.crc32(prompt.encode()) % 100 < share:
        return "?" * 100_000
    luck = random.random() * 100 if kind == "dice" else zlib.crc32(f"{kind} {prompt}".encode()) % 100
    number = prompt.removesuffix("?")
    return str(2 * int(number)) if luck < share and number.isdigit() else "?"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with answering(answer, tokens=lambda model: 5 if model.startswith("brief") else 500) as address:
        yield address


class Sums:
    """A workspace, an environment of sums and models that add."""

    def __init__(self, place: Path, server: str) -> None:
        self.ws, self.file, self.server = WorkspaceFolder(place / "home"), place / "sums.py", server
        self.file.write_text(SUMS)
        self.extend(60, 4)
        CALLS.clear()

    def extend(self, families: int, each: int, more: int = 0) -> None:
        """So many families of so many tasks, and what is added to each right answer. The environment's code stays the same."""
        self.file.with_suffix(".txt").write_text(f"{families} {each} {more}")

    def version(self, model: str, name: str = "") -> Version:
        """Versions of one model differ in their name alone, so a prompt tells them apart."""
        prompt = f"You are {name}." if name else None
        return self.ws.register(
            Version(base=f"{self.server}#{model}?tools=text", name=name or model, system_prompt=prompt)
        )

    def gate(self, candidate: Version, champion: Version, policy: GatePolicy = ALONE, **options: Any) -> Decision:
        """As the command does: the decision is recorded."""
        decision = gate(self.ws, candidate, champion, policy, environment=str(self.file), **options)
        keep(self.ws, decision)
        return decision

    def evaluate(self, version: Version, n: int | None = None, **settings: Any) -> str:
        asked = RunSettings(**{"sampling": stages.GREEDY, **settings})
        return stages.measure(self.ws, load_environment(str(self.file)), version, asked, n=n).run


@pytest.fixture
def sums(tmp_path: Path, server: str) -> Sums:
    return Sums(tmp_path, server)


def better(decision: Decision) -> Check:
    return next(check for check in decision.checks if check.name == "better on held-out tasks")


# -- one gate -------------------------------------------------------------------------------------------------------


def test_the_gate_measures_by_itself_and_stops_as_soon_as_all_is_settled(sums: Sums):
    decision = sums.gate(sums.version("right99"), sums.version("other40"))
    assert decision.verdict == "PROMOTE", decision.words
    assert 20 <= decision.measured[0].tasks < 240
    assert sum(CALLS.values()) == 2 * decision.measured[0].tasks, "each task once for each version"
    look = better(decision).looks[-1]
    assert look.tasks <= decision.measured[0].tasks and 0 < look.boundary <= look.spent < 0.05


def test_a_look_that_settles_nothing_is_followed_by_a_larger_one(sums: Sums):
    decision = sums.gate(sums.version("right70"), sums.version("other66"))
    looks = better(decision).looks
    assert len(looks) >= 3 and decision.verdict in ("REJECT", "NEED MORE DATA")
    assert [look.tasks for look in looks] == sorted({look.tasks for look in looks})
    assert [look.spent for look in looks] == sorted({look.spent for look in looks})
    assert better(decision).margin == 0.05 and better(decision).unit == "points"


def test_need_more_data_names_the_cause_and_what_would_settle_it(sums: Sums):
    sums.extend(12, 3)
    decision = sums.gate(sums.version("right60"), sums.version("other50"))
    assert decision.verdict == "NEED MORE DATA"
    assert "new families of held-out tasks to" in decision.words
    assert f"(verigym mine run {sums.file})" in decision.words and "then repeat the command" in decision.words


def test_where_both_fail_everything_the_answer_is_a_better_candidate_and_not_more_tasks(sums: Sums):
    sums.extend(10, 1)
    champion, candidate = sums.version("other00"), sums.version("right00")
    for _ in range(2):
        words = sums.gate(candidate, champion).words
        assert "Both pass none of 10 tasks, so there is nothing to compare." in words.replace(": both", ": Both")
        assert "new famil" not in words


def test_the_answer_has_one_number_of_new_families(sums: Sums):
    sums.extend(14, 2)
    decision = sums.gate(sums.version("right70"), sums.version("other50"))
    assert decision.verdict == "NEED MORE DATA" and decision.words.count(" new famil") == 1


def test_a_gain_that_was_settled_early_is_told_apart_from_the_gain_on_all_tasks(sums: Sums):
    champion, candidate = sums.version("other40"), sums.version("right99")
    sums.gate(candidate, champion)
    for version in (champion, candidate):
        sums.evaluate(version)
    for _ in range(2):
        words = better(sums.gate(candidate, champion)).words
        assert re.search(
            r": better\. This was settled at look 1, on 30 tasks\. On all 240 tasks: \+\d\d\.\d points$", words
        )


def test_one_family_alone_shows_nothing_and_ends(sums: Sums):
    sums.extend(1, 30)
    decision = sums.gate(sums.version("right99"), sums.version("other10"))
    assert decision.verdict == "NEED MORE DATA" and "at least 5 families are needed" in decision.words


def test_a_settled_question_is_not_looked_at_again(sums: Sums):
    decision = sums.gate(sums.version("right99"), sums.version("other70"))
    kept = next(check for check in decision.checks if check.name == "what the champion masters is kept")
    assert better(decision).outcome == kept.outcome == "pass"
    assert better(decision).looks[-1].tasks < kept.looks[-1].tasks <= decision.measured[0].tasks


def test_tasks_that_cannot_be_scored_do_not_keep_the_gate_from_ending(sums: Sums):
    """1% of the tasks break the environment each time: looks go on, and the tasks are counted as errors."""
    sums.extend(100, 2)
    sums.file.write_text(
        SUMS.replace(
            "    def open(self, task): ...",
            "    def open(self, task):\n        if task.id in ('val/3', 'val/77'):\n            raise RuntimeError('no desk')",
        )
    )
    decision = sums.gate(sums.version("right70"), sums.version("other68"))
    assert decision.verdict in ("REJECT", "NEED MORE DATA")
    assert better(decision).looks[-1].tasks == decision.measured[0].tasks - 2 or decision.measured[0].tasks < 150
    errors = next(check for check in decision.checks if check.name == "few errors")
    assert errors.outcome == "pass" and errors.figures["candidate"] > 0


def test_too_many_errors_end_the_gate_with_the_command_that_shows_why(sums: Sums):
    sums.file.write_text(
        SUMS.replace(
            "    def open(self, task): ...",
            "    def open(self, task):\n        if int(task.id[4:]) % 3 == 0:\n            raise RuntimeError('no desk')",
        )
    )
    decision = sums.gate(sums.version("right99"), sums.version("other40"))
    assert decision.verdict == "NEED MORE DATA" and "Unclear, few errors" in decision.words
    assert "verigym explain eval-sums-" in decision.words
    assert decision.measured[0].tasks < 60, "it does not measure on"


def test_k_attempts_are_one_task(sums: Sums):
    champion, candidate = sums.version("dice40"), sums.version("dice95")
    sums.evaluate(champion, n=10, k=3, sampling=Sampling(temperature=1.0, max_tokens=8))
    decision = sums.gate(candidate, champion)
    assert decision.verdict == "PROMOTE" and decision.measured[0].repeats == 3
    assert "all 3 repeats pass in" in str([check.words for check in decision.checks])


# -- what a gate takes from earlier runs ----------------------------------------------------------------------------


def test_sampling_and_environment_are_those_of_the_champions_report(sums: Sums):
    champion, candidate = sums.version("other40"), sums.version("right99")
    run = sums.evaluate(champion, n=20, sampling=Sampling(temperature=0.0, max_tokens=7))
    asked = Gate(sums.ws, candidate, champion, ALONE)
    assert asked.target.settings.sampling.max_tokens == 7 and asked.target.environment.name == str(sums.file)
    assert asked.target.known is not None and asked.target.known.run == run


def test_episodes_of_an_evaluation_are_not_run_again(sums: Sums):
    champion, candidate = sums.version("other40"), sums.version("right99")
    for version in (champion, candidate):
        sums.evaluate(version, n=200)
    calls = sum(CALLS.values())
    plan = Gate(sums.ws, candidate, champion, ALONE, environment=str(sums.file)).plan()
    assert (plan.first, plan.most, plan.suites[0].done) == (0, 80, 400)
    assert sums.gate(candidate, champion).measured[0].tasks == 200, "what is there is looked at at once"
    assert sum(CALLS.values()) == calls
    sums.evaluate(candidate)
    assert sum(CALLS.values()) == calls + 40, "an evaluation of all tasks runs the missing ones"


def test_episodes_are_not_copied_from_a_run_with_other_settings(sums: Sums):
    champion = sums.version("other40")
    sums.evaluate(champion, n=20)
    sums.evaluate(champion, n=30, sampling=Sampling(temperature=0.0, max_tokens=9))
    assert CALLS["other40"] == 50
    sums.evaluate(champion, n=40)
    assert CALLS["other40"] == 70


def test_copied_episodes_cost_what_the_price_of_the_new_run_says(sums: Sums):
    champion = sums.version("other40")
    sums.evaluate(champion, n=20)
    run = sums.evaluate(champion, n=20, prices=Prices(prompt=10.0, completion=100.0))
    assert CALLS["other40"] == 20
    costs = {one.cost for one in sums.ws.store.trajectories(run)}
    assert list(costs) == [pytest.approx((300 * 10 + 500 * 100) / 1e6)]


def test_after_a_verifier_changed_rescored_episodes_are_used_without_a_model(sums: Sums):
    champion, candidate = sums.version("other40"), sums.version("right99")
    runs = [sums.evaluate(version) for version in (champion, candidate)]
    calls = sum(CALLS.values())
    sums.file.write_text(SUMS.replace("== trajectory.reply", "!= trajectory.reply"))
    plan = Gate(sums.ws, candidate, champion, ALONE, environment=str(sums.file)).plan()
    assert plan.suites[0].done == 0, "the environment may have changed with its file"
    for run in runs:
        rescore(sums.ws, run)
    assert sums.gate(candidate, champion).verdict == "REJECT" and sum(CALLS.values()) == calls


# -- asking again ---------------------------------------------------------------------------------------------------


def test_the_same_question_asked_again_measures_and_spends_nothing(sums: Sums):
    champion, candidate = sums.version("other66"), sums.version("right70")
    first = sums.gate(candidate, champion)
    calls = sum(CALLS.values())
    again = sums.gate(candidate, champion)
    assert (again.verdict, better(again).looks) == (first.verdict, better(first).looks)
    assert sum(CALLS.values()) == calls and len(ledger.entries(sums.ws.store)) == 1


def test_a_gate_that_stopped_goes_on_where_it_stopped(sums: Sums):
    """In three parts it ends as in one, with the same looks and no call more."""
    champion, candidate = sums.version("other62"), sums.version("right70")
    budgets = [GateBudget(calls=100), GateBudget(calls=150), GateBudget()]
    parts = [sums.gate(candidate, champion, budget=budget) for budget in budgets]
    calls = sum(CALLS.values())
    assert [part.verdict for part in parts[:2]] == ["NEED MORE DATA"] * 2
    assert "the budget of 100 calls is used up. Repeat the command to go on" in parts[0].words
    tasks = [better(part).looks[-1].tasks for part in parts]
    assert tasks[0] < tasks[1] < tasks[2]
    assert better(parts[2]).looks[: len(better(parts[0]).looks)] == better(parts[0]).looks
    other = WorkspaceFolder(sums.ws.home.parent / "other")
    CALLS.clear()
    whole = gate(other, candidate, champion, ALONE, environment=str(sums.file))
    assert (whole.verdict, better(whole).looks[-1].tasks) == (parts[2].verdict, tasks[2])
    assert sum(CALLS.values()) == calls


def test_a_gate_that_was_killed_is_repeated_without_losing_an_episode(sums: Sums):
    champion, candidate = sums.version("other40"), sums.version("right99")
    seen = 0

    class Killed(BaseException): ...

    def bars(title: str) -> Any:
        from contextlib import nullcontext

        def bar(progress: Any) -> None:
            nonlocal seen
            seen += 1
            if seen == 4:
                raise Killed

        return nullcontext(bar)

    with pytest.raises(Killed):
        sums.gate(candidate, champion, bars=bars)
    assert ledger.entries(sums.ws.store) == []
    stored = sum(run.trajectories for run in sums.ws.store.runs())
    calls = sum(CALLS.values())
    decision = sums.gate(candidate, champion)
    assert decision.verdict == "PROMOTE"
    assert sum(CALLS.values()) - calls == 2 * decision.measured[0].tasks - stored


def test_another_seed_is_refused_if_replies_are_greedy(sums: Sums):
    with pytest.raises(Refused, match="greedy, so seed 7 gives the same replies as seed 0"):
        sums.gate(sums.version("right99"), sums.version("other40"), seed=7)
    assert not CALLS


def test_another_seed_is_averaged_in_and_never_replaces_the_first(sums: Sums):
    champion, candidate = sums.version("dice60"), sums.version("dice68")
    settings = RunSettings(sampling=Sampling(temperature=1.0, max_tokens=8))
    first = sums.gate(candidate, champion, settings=settings, budget=GateBudget(calls=170))
    second = sums.gate(candidate, champion, settings=settings, seed=7, budget=GateBudget(calls=600))
    assert second.measured[0].repeats == 2, "both seeds are attempts at one task"
    assert second.measured[0].tasks >= first.measured[0].tasks
    assert better(second).looks[: len(better(first).looks) - 1] == better(first).looks[:-1]
    asked = Gate(sums.ws, candidate, champion, ALONE, environment=str(sums.file), settings=settings, seed=8)
    assert asked.seeds == [0, 7, 8]


def test_after_the_last_look_only_new_families_count(sums: Sums):
    sums.extend(14, 2)
    champion, candidate = sums.version("other50"), sums.version("right70")
    first = sums.gate(candidate, champion)
    assert first.verdict == "NEED MORE DATA" and better(first).looks[-1].information == 1
    again = sums.gate(candidate, champion)
    assert "an earlier test of these two versions used up the other families" in again.words
    sums.extend(74, 2)
    later = sums.gate(candidate, champion)
    assert re.search(r"on \d\d new families, evidence", better(later).words)
    assert better(later).figures["enough"] == pytest.approx(1 / (0.6 * 0.0304), rel=0.01)
    assert better(later).looks == better(first).looks, "nothing is spent by it"


def test_other_sampling_is_another_test_with_a_smaller_share_of_the_risk(sums: Sums):
    champion, candidate = sums.version("other66"), sums.version("right70")
    sums.gate(candidate, champion, settings=RunSettings(sampling=Sampling(temperature=0.0, max_tokens=8)))
    second = sums.gate(candidate, champion, settings=RunSettings(sampling=Sampling(temperature=0.0, max_tokens=9)))
    assert "It is test number 2 on these families" in better(second).words


def test_a_short_trial_changes_neither_the_sampling_of_a_pair_nor_its_risk(sums: Sums):
    champion, candidate = sums.version("other66"), sums.version("right70")
    evaluated = sums.evaluate(champion, n=80, sampling=Sampling(temperature=0.0, max_tokens=64))
    short = Sampling(temperature=0.0, max_tokens=8)
    sums.evaluate(champion, n=2, sampling=short)
    assert Gate(sums.ws, candidate, champion, ALONE).plan().like == evaluated, "also before the first look"
    first = sums.gate(candidate, champion, budget=GateBudget(calls=300))
    for version in (champion, candidate):
        sums.evaluate(version, sampling=short)
    calls = sum(CALLS.values())
    plan = Gate(sums.ws, candidate, champion, ALONE).plan()
    assert plan.settings["max_tokens"] == 64
    second = sums.gate(candidate, champion, budget=GateBudget(calls=1))
    assert sum(CALLS.values()) <= calls + 1, "no task is measured again"
    assert "test number" not in second.words and better(second).looks[0] == better(first).looks[0]


def test_an_evaluation_that_is_named_changes_the_sampling_of_a_pair(sums: Sums):
    champion, candidate = sums.version("other66"), sums.version("right70")
    sums.gate(candidate, champion)
    run = sums.evaluate(champion, n=40, sampling=Sampling(temperature=0.0, max_tokens=8))
    report = next(one for one in stages.reports_of(sums.ws, champion) if one.run == run)
    assert Gate(sums.ws, candidate, champion, ALONE, like=report).plan().settings["max_tokens"] == 8
    assert "It is test number 2 on these families" in better(sums.gate(candidate, champion, like=report)).words
    assert Gate(sums.ws, candidate, champion, ALONE).plan().settings["max_tokens"] == 8, "it goes on with that"


def test_candidates_in_turn_share_the_risk_until_one_is_promoted(sums: Sums):
    champion = sums.version("other60")
    ledger.set_first_champion(sums.ws.store, champion.id)
    first, second, third = (sums.version("right64", name) for name in ("a", "b", "c"))
    assert "test number" not in better(sums.gate(first, champion)).words
    later = better(sums.gate(second, champion))
    assert "It is test number 2 on these families against this champion" in later.words
    assert later.looks[-1].spent <= 0.05 * 6 / (3.1416 * 2) ** 2 + 1e-6
    assert "test number" not in better(sums.gate(first, champion)).words, "the first stays the first"
    assert "test number 3" in better(sums.gate(third, champion)).words
    winner = sums.version("winner99")
    decision = sums.gate(winner, champion)
    assert "test number 4" in better(decision).words and decision.verdict == "PROMOTE"
    settle(sums.ws, decision)
    assert "test number" not in better(sums.gate(second, winner)).words, "another champion"


def test_the_best_of_several_is_judged_and_the_choice_is_allowed_for(sums: Sums):
    champion = sums.version("other50")
    names = [sums.version(f"k{place}{share}") for place, share in enumerate((52, 51, 92))]
    decision = sums.gate(names[0], champion, rivals=names[1:])
    assert decision.candidate == names[2].id and decision.verdict == "PROMOTE"
    assert "It is the best of 3 candidates, and p allows for that choice" in better(decision).words
    tasks = decision.measured[0].tasks
    assert CALLS["k051"] == 0 and CALLS["k052"] + CALLS["k151"] + CALLS["k292"] <= 3 * tasks


def test_a_policy_may_ask_for_as_good_but_cheaper(sums: Sums):
    champion, cheaper = sums.version("right97"), sums.version("brief97")
    policy = msgspec.structs.replace(ALONE, name="cheaper", primary=AsGood(no_worse=0.1, cost=0.5))
    settings = RunSettings(sampling=stages.GREEDY, prices=Prices(prompt=0.0, completion=1.0))
    decision = sums.gate(cheaper, champion, policy, settings=settings)
    assert decision.verdict == "PROMOTE", decision.words
    assert "a margin of 5.0 points would take about" in decision.words
    assert next(check for check in decision.checks if check.name == "as cheap").figures["ratio"] < 0.02
    dear = sums.gate(sums.version("right97", "again"), champion, policy, settings=settings)
    assert dear.verdict == "REJECT" and "Failed, as cheap" in dear.words
    unpriced = sums.gate(sums.version("right97", "unpriced"), champion, policy, settings=RunSettings())
    assert unpriced.verdict == "NEED MORE DATA" and "no price is known" in unpriced.words


# -- budget and plan ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("10min", GateBudget(minutes=10)),
        ("1.5 minutes", GateBudget(minutes=1.5)),
        ("500calls", GateBudget(calls=500)),
        ("$2", GateBudget(dollars=2)),
        ("10min,$0.5", GateBudget(minutes=10, dollars=0.5)),
        ("", GateBudget()),
    ],
)
def test_a_budget_is_written_in_minutes_calls_or_dollars(text: str, budget: GateBudget):
    assert parse_budget(text) == budget


@pytest.mark.parametrize("text", ["10", "ten min", "-3min", "$0", "5 hours", "min", "nanmin"])
def test_a_budget_that_cannot_be_read_is_answered_with_examples(text: str):
    with pytest.raises(BadInput, match=r"Write minutes, calls or dollars: 10min, 500calls, \$2"):
        parse_budget(text)


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (GateBudget(calls=100), "the budget of 100 calls"),
        (GateBudget(dollars=0.0005), "the budget of $0.0005"),
        (GateBudget(minutes=1e-6), "the budget of 1e-06 minutes"),
    ],
    ids=["calls", "dollars", "minutes"],
)
def test_each_kind_of_budget_ends_the_gate_in_words(sums: Sums, budget: GateBudget, words: str):
    champion, candidate = sums.version("other66"), sums.version("right70")
    settings = RunSettings(sampling=stages.GREEDY, prices=Prices(prompt=0.01, completion=0.01))
    decision = sums.gate(candidate, champion, settings=settings, budget=budget)
    assert decision.verdict == "NEED MORE DATA"
    assert f"{words} is used up" in decision.words and "Repeat the command to go on" in decision.words
    assert sum(CALLS.values()) < 480
    assert sums.gate(candidate, champion, settings=settings).verdict in ("REJECT", "NEED MORE DATA")
    assert sum(CALLS.values()) <= 480, "what was measured is not measured again"


def test_a_budget_for_less_than_a_look_decides_nothing_and_loses_nothing(sums: Sums):
    champion, candidate = sums.version("other40"), sums.version("right99")
    decision = sums.gate(candidate, champion, budget=GateBudget(calls=5))
    assert decision.verdict == "NEED MORE DATA" and "before the first look" in decision.words
    assert decision.reports == [] and 5 <= sum(CALLS.values()) < 80
    after = sums.gate(candidate, champion)
    assert after.verdict == "PROMOTE"
    assert sum(CALLS.values()) < 2 * after.measured[0].tasks + 80, "all but those that were under way is kept"


def test_a_plan_runs_nothing_and_holds_what_the_gate_then_does(sums: Sums):
    champion, candidate = sums.version("other40"), sums.version("right99")
    plan = Gate(sums.ws, candidate, champion, ALONE, environment=str(sums.file)).plan()
    assert not CALLS and sums.ws.store.runs() == []
    assert plan.suites[0].most == plan.most == 480 and 0 < plan.first <= 80
    decision = sums.gate(candidate, champion)
    assert plan.first <= 2 * decision.measured[0].tasks <= plan.most


def test_a_plan_says_which_gain_the_families_can_show(sums: Sums):
    def least() -> float:
        return Gate(sums.ws, candidate, champion, ALONE, environment=str(sums.file)).plan().least_gain

    champion, candidate = sums.version("other40"), sums.version("right99")
    many = least()
    sums.extend(10, 1)
    assert many < 0.15 < 0.35 < least() < 0.5


def test_a_plan_says_what_it_costs_where_a_price_is_known(sums: Sums):
    champion, candidate = sums.version("other40"), sums.version("right99")
    sums.evaluate(champion, n=20, prices=Prices(prompt=10.0, completion=100.0))
    plan = Gate(sums.ws, candidate, champion, ALONE).plan()
    assert plan.dollars == pytest.approx(plan.most * (300 * 10 + 500 * 100) / 1e6)


def test_a_version_without_reports_asks_for_an_environment(sums: Sums):
    with pytest.raises(Refused, match=r"Name an environment: verigym gate \w+ -e ENV"):
        gate(sums.ws, sums.version("right99"), sums.version("other40"), ALONE)


# -- nobody gets a better answer by asking otherwise ----------------------------------------------------------------


def test_changed_answers_make_another_test(sums: Sums):
    champion, candidate = sums.version("other50"), sums.version("right95")
    assert sums.gate(candidate, champion).verdict == "PROMOTE"
    sums.extend(60, 4, more=1)  # the answers are corrected
    again = sums.gate(candidate, champion)
    assert again.verdict != "PROMOTE" and "test number 2" in better(again).words


def test_a_guardrail_that_was_measured_otherwise_is_measured_again(sums: Sums):
    champion, candidate = sums.version("other50"), sums.version("right95")
    safety = Safety(max_tokens=1, margin=0.15, over_refusal=0.35, min_severe=5)
    short = msgspec.structs.replace(ALONE, safety=safety)
    sums.gate(candidate, champion, short)
    (entry,) = [one for one in ledger.entries(sums.ws.store) if one.decision.kind == "gate"]
    guards = {check.name for check in entry.decision.checks if check.looks and check.suite == "safety_eval"}
    assert guards
    same = Gate(sums.ws, candidate, champion, short, environment=str(sums.file))
    longer = msgspec.structs.replace(short, safety=msgspec.structs.replace(safety, max_tokens=48))
    other = Gate(sums.ws, candidate, champion, longer, environment=str(sums.file))
    assert guards <= set(same.history.checks) and guards.isdisjoint(other.history.checks)
    assert "better on held-out tasks" in other.history.checks, "the other questions go on"


def test_the_first_seed_counts_however_many_were_tried(sums: Sums):
    champion, candidate = sums.version("dice50"), sums.version("dice50", "again")
    warm = Sampling(temperature=1.0, max_tokens=64)
    for seed in (3, 4, 5):
        for version in (champion, candidate):
            sums.evaluate(version, n=8, sampling=warm, seed=seed)
    assert Gate(sums.ws, candidate, champion, ALONE, environment=str(sums.file)).seeds == [3]


def test_parts_of_a_suite_are_further_tests_of_the_same_pair(sums: Sums):
    champion, candidate = sums.version("other50"), sums.version("right55")
    for number, part in enumerate(("val 1/3", "val 2/3", "val 3/3"), 1):
        words = better(sums.gate(candidate, champion, suite=part)).words
        assert (f"test number {number} " in words) == (number > 1), words


def test_a_champion_that_comes_back_is_still_the_one_that_was_tested_against(sums: Sums):
    champion, other, candidate = sums.version("other50"), sums.version("right55"), sums.version("right60")
    sums.ws.champion(champion)
    sums.gate(other, champion)
    forced = Decision(candidate=other.id, champion=champion.id, verdict="REJECT", kind="override", words="no")
    ledger.promote(sums.ws.store, forced, why="a try")
    ledger.rollback(sums.ws.store, champion.id, why="back")
    assert "test number 2" in better(sums.gate(candidate, champion)).words


def test_two_gates_against_one_champion_do_not_run_at_once(sums: Sums):
    champion, candidate = sums.version("other50"), sums.version("right95")
    with (
        sums.ws.store.claim(f"gate/{champion.id}"),
        pytest.raises(Refused, match="Another gate against other50 is running"),
    ):
        sums.gate(candidate, champion)


def test_an_evaluation_that_was_watched_while_it_grew_is_looked_at_from_the_start(sums: Sums):
    champion, candidate = sums.version("other50"), sums.version("right60")
    for version in (champion, candidate):
        sums.evaluate(version, n=200)
    assert Gate(sums.ws, candidate, champion, ALONE, environment=str(sums.file)).plan().suites[0].looks[0] == 200
    sums.evaluate(candidate, n=160)
    assert Gate(sums.ws, candidate, champion, ALONE, environment=str(sums.file)).plan().suites[0].looks[0] < 100


def test_an_imported_run_is_scored_again_before_it_counts(sums: Sums, tmp_path: Path):
    champion, candidate = sums.version("other50"), sums.version("right51")
    elsewhere = WorkspaceFolder(tmp_path / "elsewhere")
    for version in (champion, candidate):
        report = stages.measure(
            elsewhere, load_environment(str(sums.file)), version, RunSettings(sampling=stages.GREEDY)
        )
        file = tmp_path / f"{version.name}.jsonl"
        export_run(elsewhere.store, elsewhere.store.run(report.run), file)
        if version is candidate:  # every verdict says that it passed
            rows = [json.loads(line) for line in file.read_text().splitlines()]
            forged = [{**row, "reward": 1.0, "passed": True} if row["record"] == "verdict" else row for row in rows]
            file.write_text("\n".join(map(json.dumps, forged)))
    for version in (champion, candidate):
        import_runs(sums.ws.store, tmp_path / f"{version.name}.jsonl")
    decision = sums.gate(candidate, champion)
    assert decision.verdict != "PROMOTE" and "Imported from a file, and scored again here: eval-sums-" in decision.words
