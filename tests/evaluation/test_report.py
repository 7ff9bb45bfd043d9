import msgspec
import pytest

from tests.evaluation.builders import measured, tasks
from verigym.core.errors import BadInput
from verigym.core.records import Failure, Fault, Mark, Report, Trajectory, Turn, Usage, Verdict
from verigym.evaluation.stats import clustered_mean, pass_at

OUTAGE = Failure(fault=Fault.INFRASTRUCTURE, kind="TimeoutError", message="no answer")


def _episode(task: str, index: int = 0, error: Failure | None = None, latency_s: float = 1.0) -> Trajectory:
    policy = Turn(latency_s=latency_s, usage=Usage(prompt_tokens=100, completion_tokens=10))
    user = Turn(actor="user", latency_s=50.0, usage=Usage(prompt_tokens=999, completion_tokens=999))
    return Trajectory(
        id=f"{task}.{index}", task=task, group=task, index=index, error=error, turns=[policy, user, policy]
    )


def _verdict(trajectory: Trajectory, passed: bool, reward: float | None = None, **parts: float) -> Verdict:
    reward = float(passed) if reward is None else reward
    return Verdict(trajectory=trajectory.id, verifier="match@1", reward=reward, passed=passed, parts=parts)


def test_repeats_are_averaged_first_and_intervals_are_clustered():
    given = tasks(6, num_families=3)
    episodes = [_episode(task.id, index) for task in given for index in range(2)]
    verdicts = [_verdict(one, passed=one.task in ("t0", "t3") or one.id == "t1.1") for one in episodes]
    report = measured("agent", given, episodes, verdicts)
    assert [result.passed for result in report.results] == [1, 0.5, 0, 1, 0, 0]
    assert report.metrics["success"] == clustered_mean([1, 0.5, 0, 1, 0, 0], [0, 1, 2, 0, 1, 2], rate=True)
    assert report.repeats == 2


def _tried(passes: dict[str, int], repeats: int) -> tuple[list[Trajectory], list[Verdict]]:
    """So many of the repeats of each task pass."""
    episodes = [_episode(task, index) for task in passes for index in range(repeats)]
    return episodes, [_verdict(one, passed=one.index < passes[one.task]) for one in episodes]


def test_repeats_give_pass_at_k_and_pass_all_k_for_doubling_k():
    given = tasks(4, num_families=2)
    metrics = measured("agent", given, *_tried({"t0": 6, "t1": 0, "t2": 3, "t3": 1}, repeats=6)).metrics
    assert [name for name in metrics if name.startswith("pass")] == [
        *("pass@2", "pass@4", "pass@6"),
        *("pass^2", "pass^4", "pass^6"),
    ]
    values = [pass_at(4, 6, passed) for passed in (6, 0, 3, 1)]
    assert metrics["pass@4"] == clustered_mean(values, [0, 1, 0, 1], rate=True)
    assert (metrics["pass@6"].value, metrics["pass^6"].value) == (0.75, 0.25)
    assert metrics["pass^2"].value < metrics["success"].value < metrics["pass@2"].value


def test_a_task_with_too_few_scored_tries_is_left_out_of_pass_at_k():
    given = tasks(2)
    episodes, verdicts = _tried({"t0": 4, "t1": 4}, repeats=4)
    episodes[-1] = msgspec.structs.replace(episodes[-1], error=OUTAGE)
    metrics = measured("agent", given, episodes, verdicts).metrics
    assert (metrics["pass@4"].n, metrics["pass@2"].n) == (1, 2)


def test_one_try_a_task_has_no_pass_at_k():
    metrics = measured("agent", tasks(2), *_tried({"t0": 1, "t1": 0}, repeats=1)).metrics
    assert not [name for name in metrics if name.startswith("pass")]


def test_cost_per_success_is_a_ratio_of_totals_or_missing():
    given = tasks(4)
    episodes, verdicts = _tried({"t0": 1, "t1": 0, "t2": 1, "t3": 0}, repeats=1)
    free = measured("agent", given, episodes, verdicts).metrics
    assert free["tokens per success"].value == 40
    assert "cost" not in free and "cost per success" not in free
    paid = [msgspec.structs.replace(one, cost=0.25) for one in episodes]
    metrics = measured("agent", given, paid, verdicts).metrics
    assert (metrics["cost"].value, metrics["cost per success"].value) == (0.25, 0.5)
    assert metrics["cost per success"].low < 0.5 < metrics["cost per success"].high
    failed = measured("agent", given, paid, [_verdict(one, passed=False) for one in episodes]).metrics
    assert "cost" in failed and "cost per success" not in failed and "tokens per success" not in failed


def test_each_task_keeps_the_means_of_its_repeats_that_a_comparison_needs():
    episodes = [msgspec.structs.replace(_episode("t0", i, latency_s=1.0 + i), cost=0.1 * (1 + i)) for i in range(2)]
    result = measured("agent", tasks(1), episodes, [_verdict(one, True) for one in episodes]).results[0]
    assert (result.latency_s, result.tokens, result.prompt_tokens) == (3, 20, 200)
    assert result.cost == pytest.approx(0.15)


def test_reasons_for_unscored_episodes_are_sorted_by_frequency():
    given = tasks(5)
    episodes = [_episode("t0", 0, OUTAGE), _episode("t1", 0, OUTAGE), _episode("t2"), _episode("t3")]
    broken = Failure(fault=Fault.VERIFIER, kind="KeyError", message="'day'")
    verdicts = [Verdict(trajectory="t2.0", reward=None, error=broken)]
    report = measured("agent", given, episodes, verdicts)
    assert list(report.reasons.items()) == [
        ("infrastructure: TimeoutError: no answer", 2),
        ("verifier: KeyError: 'day'", 1),
        ("never scored", 1),
        ("never run", 1),
    ]
    assert sum(report.reasons.values()) == report.errors


def test_an_episode_that_could_not_be_scored_is_an_error_and_never_a_zero():
    given = tasks(3)
    episodes = [_episode("t0", 0), _episode("t0", 1, OUTAGE), _episode("t1", 0, OUTAGE)]
    verdicts = [_verdict(episodes[0], passed=True), Verdict(trajectory="t1.0", reward=None)]
    report = measured("agent", given, episodes, verdicts)
    assert report.errors == 3, "two outages, and a task that was never run"
    assert [result.error for result in report.results] == [False, True, True]
    assert (report.metrics["success"].value, report.metrics["success"].n) == (1, 1)
    assert report.results[0].repeats == 1
    assert report.buckets == {}


def test_a_report_without_any_score_has_no_metrics_rather_than_zeros():
    assert measured("agent", tasks(2), [], []).metrics == {}


def test_rates_are_those_that_the_verifier_names_and_unsafe_actions():
    given = tasks(2)
    episodes = [_episode("t0"), msgspec.structs.replace(_episode("t1"), marks=[Mark("unsafe")])]
    verdicts = [_verdict(episodes[0], True, valid=1.0, tool=1.0), _verdict(episodes[1], False, valid=1.0, tool=0.0)]
    metrics = measured("agent", given, episodes, verdicts).metrics
    assert metrics["valid output"].value == 1
    assert metrics["correct tool"].value == 0.5
    assert metrics["unsafe actions"].value == 0.5
    assert "correct arguments" not in metrics


def test_latency_and_tokens_are_the_agents_own():
    given = tasks(20)
    episodes = [_episode(task.id, latency_s=place) for place, task in enumerate(given)]
    metrics = measured("agent", given, episodes, [_verdict(one, True) for one in episodes]).metrics
    assert metrics["latency p50 s"].value == 20
    assert metrics["latency p95 s"].value == 38
    assert metrics["latency p95 s"].low < 38
    assert (metrics["tokens"].value, metrics["prompt tokens"].value) == (20, 200)


def test_tokens_and_cost_of_few_families_are_not_below_0():
    given = tasks(2)
    few, many = (
        msgspec.structs.replace(
            _episode(task.id), turns=[Turn(usage=Usage(prompt_tokens=9 * n, completion_tokens=n))], cost=n
        )
        for task, n in zip(given, (7, 29), strict=True)
    )
    metrics = measured("agent", given, [few, many], [_verdict(few, True), _verdict(many, True)]).metrics
    for name in ("tokens", "prompt tokens", "cost"):
        assert metrics[name].low == 0 < metrics[name].value < metrics[name].high
    free = clustered_mean([7, 29], range(2))
    assert free.low < 0 and free.high == metrics["tokens"].high


def test_a_reward_outside_0_and_1_keeps_its_scale():
    given = tasks(3)
    episodes = [_episode(task.id) for task in given]
    report = measured(
        "agent", given, episodes, [_verdict(one, False, reward=-4.0 - i) for i, one in enumerate(episodes)]
    )
    assert report.metrics["reward"].value == -5
    assert report.metrics["reward"].low < -5 < report.metrics["reward"].high


def test_a_result_names_its_first_failed_and_a_passing_trajectory():
    given = tasks(2)
    episodes = [_episode(task.id, index) for task in given for index in (1, 0, 2)]
    report = measured(
        "agent", given, episodes, [_verdict(one, passed=one.id in ("t0.0", "t1.0", "t1.1", "t1.2")) for one in episodes]
    )
    failed, passed = report.results
    assert (failed.trajectory, failed.passing, bool(failed.bucket)) == ("t0.1", "t0.0", True)
    assert (passed.trajectory, passed.passing, passed.bucket) == ("t1.0", "", "")
    assert report.buckets == {failed.bucket: 2}


def test_the_id_follows_the_content_and_the_report_survives_json():
    given = tasks(2)
    episodes = [_episode(task.id) for task in given]
    good = measured("agent", given, episodes, [_verdict(one, True) for one in episodes])
    again = measured("agent", given, episodes, [_verdict(one, True) for one in episodes])
    other = measured("agent", given, episodes, [_verdict(one, False) for one in episodes])
    assert good.id == again.id != other.id
    assert len(good.id) == 12
    assert msgspec.json.decode(msgspec.json.encode(good), type=Report) == good


def test_a_trajectory_of_another_suite_is_not_measured():
    with pytest.raises(BadInput, match='"t9", which is not in suite "calendar"'):
        measured("agent", tasks(2), [_episode("t9")], [])


def test_an_environments_own_rule_names_the_bucket_as_explain_does():
    [task] = given = tasks(1)
    episodes = [_episode(task.id)]
    verdicts = [_verdict(episodes[0], passed=False)]
    assert measured("agent", given, episodes, verdicts).buckets == {"wrong answer": 1}
    found = measured(
        "agent", given, episodes, verdicts, rule=lambda task, trajectory, verdict: "bad planning: too soon"
    )
    assert found.buckets == {"bad planning": 1}
