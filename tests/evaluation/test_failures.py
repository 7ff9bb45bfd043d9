"""Buckets, clusters and flags; and the rules against failures that a person labelled (`labelled/`)."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.errors import BadInput
from verigym.core.records import (
    Failure,
    Fault,
    FunctionCall,
    FunctionCallOutput,
    Item,
    Mark,
    Message,
    Stop,
    Task,
    Trajectory,
    Verdict,
)
from verigym.evaluation.failures import BUCKETS, bucket, explain, explain_each, normalised, reason_of
from verigym.evaluation.rules import Reason
from verigym.verifiers.match import exact_match

TASK = Task(id="t", prompt="", split="val")
OUTAGE = Failure(fault=Fault.INFRASTRUCTURE, kind="TimeoutError", message="no answer")
GOOD = {"valid": 1.0, "tool": 1.0, "arguments": 1.0, "executed": 1.0}


def _trajectory(id: str = "x", marks: str = "", **fields: Any) -> Trajectory:
    return Trajectory(id=id, task="t", group="g", marks=[Mark(kind) for kind in marks.split()], **fields)


def _verdict(reward: float | None = 0.0, trajectory: str = "x", **fields: Any) -> Verdict:
    return Verdict(trajectory=trajectory, verifier="match@1", reward=reward, **fields)


def _searched(times: int) -> list[Item]:
    made: list[Item] = []
    for number in range(times):
        made += [
            FunctionCall(f"c{number}", "docs.search", '{"query": "x"}'),
            FunctionCallOutput(f"c{number}", "no results"),
        ]
    return made


CASES: dict[str, tuple[Trajectory, Verdict, str]] = {
    "an outage, whatever else": (_trajectory(error=OUTAGE), _verdict(passed=True), "infrastructure"),
    "a verifier that failed": (_trajectory(), _verdict(None, unsafe=True), "infrastructure"),
    "the model's own error": (
        _trajectory(error=Failure(fault=Fault.MODEL, kind="ContextFull", message=""), stop=Stop.CONTEXT_FULL),
        _verdict(),
        "incomplete execution",
    ),
    "passed, but unsafe": (_trajectory(marks="unsafe"), _verdict(1.0, passed=True), "unsafe action"),
    "passed after a slip": (_trajectory(marks="unknown_tool"), _verdict(1.0, passed=True), ""),
    "unsafe by the verifier": (_trajectory(stop=Stop.MAX_TOKENS), _verdict(unsafe=True), "unsafe action"),
    "unsafe by the harness": (_trajectory(marks="unsafe"), _verdict(parts={"valid": 0.0}), "unsafe action"),
    "cut off, no valid part": (_trajectory(stop=Stop.MAX_TOKENS), _verdict(), "truncated"),
    "cut off before valid": (_trajectory(stop=Stop.MAX_TOKENS), _verdict(parts={"valid": 0.0}), "truncated"),
    "cut off once valid": (_trajectory(stop=Stop.MAX_TOKENS), _verdict(parts={**GOOD, "tool": 0.0}), "wrong tool"),
    "prose until the limit, a call was asked for": (
        _trajectory(stop=Stop.MAX_TOKENS, items=[Message("assistant", "I am glad to help. I am")]),
        _verdict(parts={"valid": 0.0}),
        "format error",
    ),
    "a call that the limit cut off": (
        _trajectory(stop=Stop.MAX_TOKENS, items=[Message("assistant", '{"tool": "boo')]),
        _verdict(parts={"valid": 0.0}),
        "truncated",
    ),
    "the same call again and again": (_trajectory(items=_searched(3)), _verdict(), "bad planning"),
    "nothing was found": (_trajectory(items=_searched(1)), _verdict(), "retrieval failure"),
    "invalid before unknown tool": (_trajectory(marks="unknown_tool"), _verdict(parts={"valid": 0.5}), "format error"),
    "invalid by the harness": (_trajectory(marks="format_error"), _verdict(), "format error"),
    "a format slip put right": (_trajectory(marks="format_error"), _verdict(parts=GOOD), "wrong answer"),
    "unknown tool before wrong tool": (
        _trajectory(marks="unknown_tool"),
        _verdict(parts={"tool": 0.0}),
        "hallucinated API",
    ),
    "unknown tool, then the right one": (
        _trajectory(marks="unknown_tool"),
        _verdict(parts={**GOOD, "arguments": 0.0}),
        "wrong arguments",
    ),
    "an over-refusal": (_trajectory(), _verdict(parts={"valid": 1.0, "tool": 0.0, "arguments": 0.0}), "wrong tool"),
    "arguments by the verifier": (_trajectory(), _verdict(parts={**GOOD, "arguments": 0.5}), "wrong arguments"),
    "arguments by the harness": (_trajectory(marks="bad_arguments tool_error"), _verdict(), "wrong arguments"),
    "not executed": (_trajectory(), _verdict(parts={**GOOD, "executed": 0.0}), "incomplete execution"),
    "a tool that failed": (_trajectory(marks="tool_error"), _verdict(), "incomplete execution"),
    "out of turns": (_trajectory(stop=Stop.MAX_TURNS), _verdict(parts=GOOD), "incomplete execution"),
    "nothing else": (_trajectory(), _verdict(), "wrong answer"),
    "said that it was done": (
        msgspec.structs.replace(
            _trajectory(items=[Message("assistant", "Of course! I have done that.")]), tools="some"
        ),
        _verdict(),
        "claimed without acting",
    ),
}


@pytest.mark.parametrize(("trajectory", "verdict", "expected"), CASES.values(), ids=CASES)
def test_an_episode_is_put_in_the_first_bucket_that_fits(trajectory: Trajectory, verdict: Verdict, expected: str):
    assert bucket(TASK, trajectory, verdict) == expected


def test_a_reading_call_on_the_wrong_object_is_wrong_arguments():
    task = Task(id="t", prompt="p", data={"expected_tool": "get_order", "expected_args": {"order": "A17"}})
    items = [
        FunctionCall("c", "get_order", '{"order": "B2"}'),
        FunctionCallOutput("c", "not found"),
        Message("assistant", "?"),
    ]
    assert bucket(task, _trajectory(items=items), _verdict()) == "wrong arguments"


def test_every_bucket_with_a_meaning_can_be_reached():
    assert {expected for *_, expected in CASES.values()} == {*BUCKETS, ""}


@pytest.mark.parametrize(("name", "expected"), [("send", "wrong tool"), ("book", "wrong answer")])
def test_without_parts_the_task_says_which_tool_was_expected(name: str, expected: str):
    task = Task(id="t", prompt="", data={"expected_tool": "book"})
    call = FunctionCall(call_id="1", name=name, arguments="{}")
    assert bucket(task, _trajectory(items=[call]), _verdict()) == expected


def test_explain_sorts_buckets_by_frequency_with_infrastructure_last():
    trajectories = [_trajectory(f"x{i}") for i in range(8)] + [_trajectory(f"e{i}", error=OUTAGE) for i in range(12)]
    verdicts = [_verdict(1.0, "x0", passed=True)]
    verdicts += [_verdict(0.0, f"x{i}", parts={"tool": 0.0}, evidence=f"called  {i % 2}") for i in range(1, 7)]
    verdicts += [_verdict(0.0, "x7", parts={"arguments": 0.0}, evidence="day is missing")]
    first, second, last = explain([TASK], trajectories, verdicts).findings
    assert (first.bucket, first.count, first.share) == ("wrong tool", 6, 6 / 8)
    assert first.evidence == ["called 1", "called 0"]
    assert first.trajectories == ["x1", "x2", "x3", "x4", "x5"]
    assert (second.bucket, second.evidence) == ("wrong arguments", ["day is missing"])
    assert (last.bucket, last.share) == ("infrastructure", 12 / 20)
    assert last.evidence == ["TimeoutError: no answer"]


def test_an_unscored_trajectory_is_not_a_failure_of_the_model():
    (finding,) = explain([TASK], [_trajectory()], []).findings
    assert (finding.bucket, finding.evidence) == ("infrastructure", ["the episode was never scored"])


# -- an environment's own rule ------------------------------------------------------------------------------------------------


def test_an_environments_own_rule_refines_and_may_name_buckets_of_its_own():
    own = lambda task, trajectory, verdict: "rude: it swore" if "damn" in trajectory.reply else None  # noqa: E731
    swore = _trajectory(items=[Message("assistant", "damn")])
    assert bucket(TASK, swore, _verdict(), own) == "rude"
    assert reason_of(TASK, swore, _verdict(), own) == Reason("rude", "it swore", by="the environment")
    assert bucket(TASK, _trajectory(), _verdict(), own) == "wrong answer"
    (finding,) = explain([TASK], [swore], [_verdict()], own).findings
    assert (finding.bucket, finding.meaning) == ("rude", "by the environment's own rule")


@pytest.mark.parametrize(
    ("trajectory", "verdict", "expected"),
    [
        (_trajectory(marks="unsafe"), _verdict(), "unsafe action"),
        (_trajectory(error=OUTAGE), _verdict(), "infrastructure"),
        (_trajectory(), _verdict(1.0, passed=True), ""),
    ],
)
def test_no_rule_of_an_environment_hides_what_was_unsafe_broken_or_right(
    trajectory: Trajectory, verdict: Verdict, expected: str
):
    assert bucket(TASK, trajectory, verdict, lambda *_: "fine") == expected


@pytest.mark.parametrize("own", [lambda *_: 1 / 0, lambda *_: 7])
def test_a_rule_that_breaks_is_named_with_the_trajectory(own: Any):
    with pytest.raises(BadInput, match=r"explain\(\.\.\.\) of the environment (raised|returned) .* on x"):
        bucket(TASK, _trajectory(), _verdict(), own)


# -- clusters and flags -------------------------------------------------------------------------------------------------------


def test_clusters_put_failures_together_that_differ_in_values_alone():
    verdicts = [
        _verdict(0.0, f"x{i}", parts={"executed": 0.0}, evidence=f'order {i}: no "item {i}" in AB{i}12')
        for i in range(7)
    ]
    verdicts.append(_verdict(0.0, "x7", parts={"executed": 0.0}, evidence="the shop is closed"))
    (finding,) = explain([TASK], [_trajectory(f"x{i}") for i in range(8)], verdicts).findings
    assert [(one.count, len(one.trajectories)) for one in finding.clusters] == [(7, 5), (1, 1)]
    assert finding.clusters[0].symptom == 'the last call failed; order N: no "…" in ID'
    listed = list(explain_each([TASK], [_trajectory(f"x{i}") for i in range(8)], verdicts))
    assert [one.trajectory.id for one in listed] == [f"x{i}" for i in range(8)]


@pytest.mark.parametrize(
    ("evidence", "symptom"),
    [
        ('time: expected "13:00", got "9:15"', 'time: expected "…", got "…"'),
        ("order A1234 is 12.50 short", "order ID is N short"),
        ('expected "4", got "It is five."', "another answer than the expected one"),
        ("12, expected 14", "another answer than the expected one"),
        ("it's 3 o'clock", "it's N o'clock"),
        ('no "unfinished', 'no "…"'),
        ("日本語 7", "日本語 N"),
        ("", ""),
    ],
)
def test_numbers_quoted_values_and_ids_are_left_out_of_a_symptom(evidence: str, symptom: str):
    assert normalised(evidence) == symptom


@pytest.mark.parametrize(
    ("prompt", "answer", "reply", "inside"),
    [
        ("What is 2 + 2?", "4", "The answer to this classic math problem is 4.", True),
        ("What is 2 + 2?", "4", "4, because 2 and 2 are added.", True),
        ("What is 2 + 2?", "4", "The answer is 5, since 4 is too small and 5 fits.", False),
        ("What is 2 + 2?", "4", "There are 14.", False),
        ("How much?", "1,200", "It costs 1200", True),
        ("Where do we live?", "Earth", "A planet that is similar to Earth.", True),
        ("Where do we live?", "Earth", "An earthly place.", False),
        ("May I?", "no", "The answer is no.", True),
    ],
)
def test_an_answer_inside_a_longer_reply_is_a_matter_of_form(prompt: str, answer: str, reply: str, inside: bool):
    task = Task(id="t", prompt=prompt, data={"answer": answer})
    episode = _trajectory("x", items=[Message("assistant", reply)])
    (finding,) = explain(
        [task], [episode], [msgspec.structs.replace(exact_match(task, episode), trajectory="x")]
    ).findings
    expected = ("format error", "the answer inside a longer reply")
    wrong = ("wrong answer", "another answer than the expected one")
    assert (finding.bucket, finding.clusters[0].symptom.partition(":")[0]) == (expected if inside else wrong)


def test_a_wrong_tool_is_told_with_what_was_expected_and_what_was_called():
    task = Task(id="t", prompt="", data={"expected_tool": "book", "expected_args": {}})
    episodes = [_trajectory(f"x{i}", items=[FunctionCall("c", "send" if i else "call", "{}")]) for i in range(4)]
    verdicts = [_verdict(0.0, f"x{i}", parts={"tool": 0.0}, evidence=f"whatever {i}") for i in range(4)]
    (finding,) = explain([task], episodes, verdicts).findings
    assert [(one.symptom, one.count) for one in finding.clusters] == [
        ("expected book, got send", 3),
        ("expected book, got call", 1),
    ]


def test_the_number_of_stored_reasons_is_bounded():
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [a + b + c for a in letters for b in letters for c in letters[:10]]
    episodes = (_trajectory(word) for word in words)
    verdicts = (_verdict(0.0, word, evidence=f"because of {word}") for word in words)
    (finding,) = explain([TASK], episodes, verdicts).findings
    assert finding.count == len(words) == 6760
    assert len(finding.clusters) == 2001 and finding.clusters[0].symptom == "other reasons"
    assert sum(one.count for one in finding.clusters) == 6760
    assert all(len(one.trajectories) <= 5 for one in finding.clusters)


def test_tasks_of_which_some_tries_pass_are_inconsistent():
    rewards = {"a": [1.0, 0.0, 0.0], "b": [1.0, 1.0, 1.0], "c": [0.0, 0.0, 0.0], "d": [0.2, 0.4, 0.2], "e": [1.0]}
    episodes, verdicts = [], []
    for task, group in rewards.items():
        for index, reward in enumerate(group):
            id = f"{task}{index}"
            episodes.append(Trajectory(id=id, task=task, group=task, index=index))
            verdicts.append(_verdict(reward, id, passed=reward == 1.0))
    found = explain([Task(id=id, prompt="") for id in rewards], episodes, verdicts)
    assert (found.groups, found.inconsistent, found.signal, found.pass_at_k) == (4, ["a"], 2, 0.5)


def _by_length(passed_of: dict[int, float], each: int = 20) -> Any:
    tasks, episodes, verdicts = [], [], []
    for calls, share in passed_of.items():
        for place in range(each):
            id = f"{calls}/{place}"
            wanted = [{"name": f"step{i}", "arguments": {}} for i in range(calls)]
            tasks.append(Task(id=id, prompt="", data={"expected_calls": wanted}))
            episodes.append(Trajectory(id=id, task=id, group=id))
            verdicts.append(_verdict(0.0, id, passed=place < share * each))
    return explain(tasks, episodes, verdicts).horizon


def test_long_horizon_is_found_where_long_tasks_fail_and_only_there():
    found = _by_length({1: 0.9, 2: 0.8, 6: 0.1})
    assert found.significant and (found.most_short, found.short.n, found.long.n) == (2, 40, 20)
    assert found.short.value == pytest.approx(0.85) and 0.5 < found.low < 0.75
    assert not _by_length({1: 0.5, 6: 0.45}).significant
    assert not _by_length({1: 0.6, 6: 0.3}, each=8).significant, "a difference that chance would give"
    assert _by_length({1: 0.9, 6: 0.1}, each=5) is None and _by_length({2: 0.5}) is None


def test_what_a_judge_says_counts_only_where_the_rules_have_no_better_word():
    episodes = [_trajectory("x"), _trajectory("y", marks="format_error")]
    said = {"x": Reason("bad planning", "it gave up", by="judge j"), "y": Reason("wrong tool", "?", by="judge j")}
    findings = explain([TASK], episodes, [_verdict(), _verdict(0.0, "y")], None, said).findings
    assert {one.bucket: one.clusters[0].by for one in findings} == {"bad planning": "judge j", "format error": "rules"}


_TEXT = st.sampled_from(
    ["", " ", "{", '{"tool": 1}', "go", "no results", "é\\ud83d", "f(x)", '"' * 50, "!" * 5000 + "a"]
)
_ITEMS = st.one_of(
    st.builds(Message, st.sampled_from(["user", "assistant", "system"]), _TEXT),
    st.builds(FunctionCall, st.sampled_from(["1", "2"]), st.sampled_from(["search", "book", ""]), _TEXT),
    st.builds(FunctionCallOutput, st.sampled_from(["1", "2"]), _TEXT),
)
_DATA = st.sampled_from(
    [
        {},
        {"answer": ["go", 7]},
        {"answer": None},
        {"expected_tool": "book", "expected_args": {"a": 1}},
        {"expected_tool": 3, "expected_args": "no object"},
        {"expected_calls": [{"name": "search"}, {"tool": "book", "args": {}}, "nonsense"]},
        {"expected_calls": "nonsense", "tests": "assert f"},
    ]
)


@given(
    st.builds(
        Trajectory,
        id=st.just("x"),
        task=st.just("t"),
        group=st.just("g"),
        items=st.lists(_ITEMS, max_size=8),
        marks=st.lists(
            st.builds(
                Mark,
                st.sampled_from(["format_error", "unknown_tool", "bad_arguments", "tool_error", "executed"]),
                st.none() | st.integers(-1, 9),
            ),
            max_size=4,
        ),
        rewards=st.lists(st.floats(-1, 1), max_size=4),
        stop=st.sampled_from(sorted(Stop)),
        tools=st.sampled_from(["", "abc"]),
    ),
    _DATA,
    st.dictionaries(st.sampled_from(["valid", "tool", "arguments", "executed", "side_effects"]), st.floats(0, 1)),
    st.sampled_from(["", "- side effect: ", "~ a.b: 1, expected 2\n- side effect: c added: 3", "~ ", "no number in"]),
)
def test_whatever_an_episode_holds_it_gets_one_known_bucket(
    trajectory: Trajectory, data: dict[str, Any], parts: dict[str, float], evidence: str
):
    verdict = _verdict(0.0, parts=parts, evidence=evidence)
    assert bucket(Task(id="t", prompt="", data=data), trajectory, verdict) in BUCKETS


# -- agreement with people ----------------------------------------------------------------------------------------------------


class Labelled(msgspec.Struct, frozen=True):
    bucket: str
    task: Task
    trajectory: Trajectory
    verdict: Verdict


def _labelled(name: str) -> list[Labelled]:
    path = Path(__file__).parent / "labelled" / f"{name}.jsonl"
    return msgspec.json.Decoder(Labelled).decode_lines(path.read_bytes())


@pytest.mark.parametrize("name", ["real", "written", "later"])
def test_the_rules_agree_with_a_person_on_at_least_nine_failures_in_ten(name: str):
    rows = _labelled(name)
    found = Counter((row.bucket, bucket(row.task, row.trajectory, row.verdict)) for row in rows)
    agreed = sum(count for (label, said), count in found.items() if label == said)
    print(f"{name}: {agreed} of {len(rows)} agree")
    for (label, said), count in sorted(found.items()):
        print(f"  {count:>3}  labelled {label:<20} {'' if label == said else 'rules say ' + said}")
    assert agreed >= 0.9 * len(rows)


def test_the_labelled_failures_cover_every_bucket():
    rows = [row for name in ("real", "written", "later") for row in _labelled(name)]
    assert len(rows) >= 200 and {row.bucket for row in rows} == set(BUCKETS) - {"claimed without acting"}
    assert len({row.trajectory.id for row in _labelled("written")}) == len(_labelled("written"))
