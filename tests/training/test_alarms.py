"""Alarms: a healthy run raises none however noisy, each disease is found, and each is told once."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.training.curves import DISEASES, Run, flat, healthy, sick
from verigym.training.alarms import MANY, QUIET, REMEDIES, RULES, Alarm, alarms, new_alarms

NUM_RUNS = 100
ROOT = Path(__file__).parents[2]


def until(run: Run, step: int) -> Run:
    return {each: run[each] for each in run if each <= step}


def kinds(run: Run, every: int = 1) -> set[str]:
    """All that are raised at any step looked at."""
    return {alarm.kind for step in range(every, len(run) + 1, every) for alarm in alarms(until(run, step))}


def test_a_healthy_noisy_run_raises_nothing_at_any_step_in_95_of_100() -> None:
    wrong = 0
    for seed in range(NUM_RUNS):
        draw = random.Random(f"healthy {seed}")
        wrong += bool(kinds(healthy(draw, steps=draw.choice([40, 70, 100]), eval_every=draw.choice([5, 10]))))
    assert wrong <= 0.05 * NUM_RUNS


@pytest.mark.parametrize("name", DISEASES)
def test_a_planted_disease_is_found_in_95_of_100(name: str) -> None:
    kind, disease = DISEASES[name]
    found = 0
    for seed in range(NUM_RUNS):
        draw = random.Random(f"{name}, again {seed}")
        run = flat(draw) if disease is flat else sick(disease, draw)
        raised = [alarm for step in range(5, len(run) + 1, 5) for alarm in alarms(until(run, step))]
        found += kind in {alarm.kind for alarm in raised}
        assert all(any(alarm.metric in metrics for metrics in run.values()) for alarm in raised)
    assert found >= 0.95 * NUM_RUNS


def test_an_alarm_says_what_is_seen_with_figures_and_what_to_do() -> None:
    run = {step: {"entropy": 1.0 if step < 20 else 0.01, "passed": 0.3} for step in range(1, 41)}
    (alarm,) = alarms(run)
    assert alarm.kind == "entropy collapse" and alarm.step == 40
    assert "from 1 to 0.01" in alarm.observation and "learning rate" in alarm.remedy and alarm.metric == "entropy"
    assert str(alarm).startswith("entropy collapse (step 40): entropy fell from 1 to 0.01")


def test_low_entropy_is_no_collapse_where_nearly_all_is_passed() -> None:
    run = {step: {"entropy": 1.0 if step < 20 else 0.01, "passed": min(1.0, step / 20)} for step in range(1, 41)}
    assert alarms(run) == []


def test_longer_replies_that_pass_more_often_are_no_explosion() -> None:
    run = {step: {"length": 40 + 2 * step, "passed": step / 50} for step in range(1, 41)}
    assert alarms(run) == []
    assert [alarm.kind for alarm in alarms({step: {"length": 40 + 2 * step} for step in run})] == ["lengths explode"]


@pytest.mark.parametrize(
    ("passed", "kind"),
    [(0.02, "tasks too hard"), (0.5, "no signal"), (0.97, "tasks too easy")],
    ids=["none pass", "half pass", "all pass"],
)
def test_groups_without_signal_are_told_apart_by_how_many_pass(passed: float, kind: str) -> None:
    run = {step: {"live_groups": 0.1, "passed": passed} for step in range(1, 11)}
    assert [alarm.kind for alarm in alarms(run)] == [kind]


def test_nothing_learnt_is_said_after_many_steps_and_not_before() -> None:
    draw = random.Random(3)
    run = {step: {"reward": draw.gauss(0.2, 0.05)} for step in range(1, 61)}
    assert alarms(until(run, MANY - 1)) == []
    assert "nothing learnt" in kinds(run)


def test_an_alarm_is_told_once_and_again_when_it_returns() -> None:
    norms = [1.0 + 0.1 * (step % 3) for step in range(60)]
    norms[20], norms[21], norms[50] = 90.0, 95.0, 90.0
    run = {step: {"grad_norm": norm} for step, norm in enumerate(norms)}
    told = [alarm.step for step in run for alarm in new_alarms(until(run, step))]
    assert told == [20, 50]


def test_an_alarm_that_flickers_at_its_threshold_is_told_once() -> None:
    run = {step: {"mismatch": 0.16 if step % (QUIET - 1) else 0.05} for step in range(1, 40)}
    assert len([alarm for step in run for alarm in new_alarms(until(run, step))]) == 1


@pytest.mark.parametrize(
    ("ratios", "raised"),
    [
        ({"mismatch_ratio": 1.04}, False),
        ({"mismatch_ratio": 1.06}, True),
        ({"mismatch_ratio": 1.2, "mismatch_ratio/age_0": 1.01, "mismatch_ratio/age_1": 1.4}, False),
        ({"mismatch_ratio": 1.2, "mismatch_ratio/age_0": 1.06, "mismatch_ratio/age_1": 1.4}, True),
        ({"mismatch_ratio": 1.2, "stale_kl": 0.1}, False),
    ],
    ids=["below", "above", "only old versions differ", "the newest version differs", "stored episodes"],
)
def test_a_ratio_above_1_05_of_the_newest_version_raises_an_alarm(ratios: dict[str, float], raised: bool) -> None:
    found = alarms({step: dict(ratios) for step in range(1, 5)})
    assert [one.kind for one in found] == (["sampler differs"] if raised else [])


def test_the_documented_h200_runs_only_raise_tasks_too_easy() -> None:
    found = json.loads((ROOT / "docs" / "results" / "methods_h200.json").read_text())
    raised = {name: kinds({row["step"]: row for row in one["curve"]}) for name, one in found.items() if "curve" in one}
    assert set(raised) > {"sft", "dpo", "grpo, seed 0", "dapo"}
    assert raised.pop("dapo") <= {"tasks too easy", "gradient spikes"}
    assert all(what <= {"tasks too easy"} for what in raised.values()), raised


def test_a_gamed_reward_model_raises_an_alarm_unless_kl_holds_it() -> None:
    found = json.loads((ROOT / "docs" / "results" / "rlhf_h200.json").read_text())
    raised = {name: kinds({row["step"]: row for row in found[name]["curve"]}) for name in ("without kl", "with kl")}
    assert "held-out falls" in raised["without kl"] and "held-out falls" not in raised["with kl"]


def test_every_kind_of_alarm_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "alarms.md").read_text()
    assert [kind for kind, _ in [*DISEASES.values(), ("no signal", None)] if f"| {kind} |" not in page] == []


def test_every_rule_has_a_remedy_and_every_remedy_a_rule() -> None:
    assert list(REMEDIES) == list(RULES)


def test_no_history_raises_nothing() -> None:
    assert alarms({}) == [] and new_alarms({}) == []


NAMES = """reward passed length truncated live_groups entropy kl mismatch mismatch_ratio grad_norm unsafe valid
    part/tool part/valid other"""
names = st.sampled_from([*NAMES.split(), "held_out_success", "held_out_valid", "held_out_unsafe"])
numbers = st.floats(-10, 1e6) | st.sampled_from([0.0, 1.0, float("nan"), float("inf")])


@given(st.dictionaries(st.integers(0, 80), st.dictionaries(names, numbers), max_size=80))
def test_any_history_can_be_looked_at_in_any_order_with_anything_missing(run: Run) -> None:
    found = alarms(run)
    assert all(isinstance(alarm, Alarm) and alarm.step == max(run) for alarm in found)
    assert alarms(dict(reversed(run.items()))) == found
    assert len({alarm.kind for alarm in found}) == len(found) <= len(RULES)


@given(st.lists(st.floats(0.2, 0.21), min_size=1, max_size=30))
def test_a_constant_rate_within_rounding_raises_nothing(curve: list[float]) -> None:
    steady = ("passed", "valid", "unsafe", "entropy", "length", "held_out_success", "held_out_valid", "held_out_unsafe")
    assert alarms({step: dict.fromkeys(steady, value) for step, value in enumerate(curve)}) == []


def test_alarms_need_no_torch() -> None:
    code = "import sys, verigym.training.alarms, verigym.training.plan; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
