import msgspec
import pytest

from tests.evaluation.builders import measured, tasks
from verigym.core.errors import BadInput
from verigym.core.records import Failure, Fault, Mark, Report, Trajectory, Turn, Usage, Verdict
from verigym.evaluation.stats import clustered_mean

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


def test_repeats_are_averaged_before_tasks_and_intervals_are_clustered_by_family():
    given = tasks(6, num_families=3)
    episodes = [_episode(task.id, index) for task in given for index in range(2)]
    verdicts = [_verdict(one, passed=one.task in ("t0", "t3") or one.id == "t1.1") for one in episodes]
    report = measured("agent", given, episodes, verdicts)
    assert [result.passed for result in report.results] == [1, 0.5, 0, 1, 0, 0]
    assert report.metrics["success"] == clustered_mean([1, 0.5, 0, 1, 0, 0], [0, 1, 2, 0, 1, 2], rate=True)
    assert report.repeats == 2


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


def test_a_reward_outside_0_and_1_keeps_its_scale():
    given = tasks(3)
    episodes = [_episode(task.id) for task in given]
    report = measured(
        "agent", given, episodes, [_verdict(one, False, reward=-4.0 - i) for i, one in enumerate(episodes)]
    )
    assert report.metrics["reward"].value == -5
    assert report.metrics["reward"].low < -5 < report.metrics["reward"].high


def test_the_trajectory_to_look_at_is_the_first_failed_one():
    given = tasks(2)
    episodes = [_episode(task.id, index) for task in given for index in (1, 0, 2)]
    report = measured(
        "agent", given, episodes, [_verdict(one, passed=one.id in ("t0.0", "t1.0", "t1.1", "t1.2")) for one in episodes]
    )
    assert (report.results[0].trajectory, report.results[0].bucket) == ("t0.1", "wrong answer")
    assert (report.results[1].trajectory, report.results[1].bucket) == ("t1.0", "")
    assert report.buckets == {"wrong answer": 2}


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
    with pytest.raises(BadInput, match='"t9", which suite "calendar" lacks'):
        measured("agent", tasks(2), [_episode("t9")], [])
