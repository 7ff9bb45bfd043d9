"""What is advised in which situation: a table of situations, and what holds in all of them."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.records import Estimate
from verigym.evaluation.advise import DPO, FIXES, GRPO, REWARD_MODEL, SFT, WORKFLOW, AdviceEvidence, Trial, advise
from verigym.evaluation.failures import BUCKETS, Horizon

PROMPT, CONSTRAINT, FACTS = "a prompt variant", "constrained decoding", "RAG, or the facts put into the prompt"
TRIES, MODEL = "measure several tries", "a more capable model"


def _rate(value: float, half: float = 0.04) -> Estimate:
    return Estimate(value, max(0.0, value - half), min(1.0, value + half), 240)


def _evidence(success: float = 0.3, **fields: Any) -> AdviceEvidence:
    """A local model with tools, 2,000 training tasks with gold, a checked verifier."""
    plain = {"has_tools": True, "train_tasks": 2000, "train_families": 200, "gold": 2000, "audited": True}
    return AdviceEvidence(success=_rate(success), **{**plain, **fields})


def _tried(once: float, k: float, signal: float = 0.4) -> dict[str, Any]:
    return {"k": 8, "pass_at_1": once, "pass_at_k": k, "signal": signal}


UNTRAINED = {"train_tasks": 0, "train_families": 0, "gold": 0}
LONG = Horizon(most_short=2, short=_rate(0.8), long=_rate(0.1), low=0.6)
ALIKE = Horizon(most_short=2, short=_rate(0.5), long=_rate(0.45), low=-0.1)
HELPED = Trial(kind="prompt", version="v1", run="r1", tasks=40, before=0.1, after=0.5, low=0.2, high=0.6)
NOTHING = Trial(kind="constraint", version="v2", run="r2", tasks=40, before=0.1, after=0.12, low=-0.05, high=0.1)
SOLVED = Trial(kind="prompt", version="v1", run="r1", tasks=40, before=0.1, after=0.95, low=0.7, high=0.9)

SITUATIONS: dict[str, tuple[AdviceEvidence, list[str]]] = {
    "never in the right form": (_evidence(0.0, buckets={"format error": 1.0}), [PROMPT, CONSTRAINT, SFT]),
    "after sft, tried once": (_evidence(0.68, trained="sft", buckets={"wrong tool": 0.2}), [TRIES]),
    "after sft, tried often": (
        _evidence(0.68, trained="sft", buckets={"wrong tool": 0.2}, **_tried(0.65, 0.9)),
        [GRPO],
    ),
    "after sft, failures mined since": (
        _evidence(0.68, trained="sft", fresh=60, buckets={"wrong tool": 0.2}, **_tried(0.65, 0.9)),
        [SFT, GRPO],
    ),
    "after sft, a few failures mined since": (
        _evidence(0.68, trained="sft", fresh=6, buckets={"wrong tool": 0.2}, **_tried(0.65, 0.9)),
        [GRPO],
    ),
    "never checked": (
        _evidence(0.0, checked=False, buckets={"format error": 1.0}),
        ["check the verifier", PROMPT, CONSTRAINT, SFT],
    ),
    "a verifier with faults": (
        _evidence(0.5, faults=["an empty reply passes"], **_tried(0.5, 0.9)),
        ["fix the verifier"],
    ),
    "good enough": (_evidence(0.97, **_tried(0.97, 1.0, 0.05)), ["do not train: it is good enough"]),
    "too few tasks": (
        _evidence(0.5, train_tasks=12, train_families=12, gold=12, trained="sft", **_tried(0.5, 0.8)),
        ["do not train yet: more tasks"],
    ),
    "too few families": (
        _evidence(0.5, train_families=2, trained="sft", **_tried(0.5, 0.8)),
        ["do not train yet: more tasks"],
    ),
    "a server that is down": (_evidence(0.4, errors=0.5, **_tried(0.4, 0.8)), ["fix the infrastructure"]),
    "lacks facts: nothing is found": (
        _evidence(0.2, buckets={"retrieval failure": 0.7}, gold=0, **_tried(0.2, 0.25)),
        [FACTS],
    ),
    "lacks facts: trying again does not help": (
        _evidence(0.3, buckets={"wrong answer": 0.7}, has_tools=False, gold=0, **_tried(0.3, 0.35)),
        [FACTS],
    ),
    "knows, and is not sure": (
        _evidence(0.3, buckets={"wrong answer": 0.7}, has_tools=False, gold=0, **_tried(0.3, 0.7)),
        [GRPO],
    ),
    "must imitate": (_evidence(0.02, buckets={"wrong tool": 0.2}, has_prompt=True, **_tried(0.02, 0.1, 0.05)), [SFT]),
    "wrong tools under the environment's own prompt": (
        _evidence(0.3, buckets={"wrong tool": 0.6}, **_tried(0.3, 0.8)),
        [PROMPT, GRPO],
    ),
    "pairs at hand": (
        _evidence(0.6, verified_by="judge", pairs=120, gold=0, buckets={"wrong answer": 0.2}),
        [DPO],
    ),
    "nuanced preference": (
        _evidence(0.6, verified_by="judge", labels=400, gold=0, buckets={"wrong answer": 0.2}),
        [REWARD_MODEL],
    ),
    "verifiable, and sometimes right": (
        _evidence(0.4, gold=0, buckets={"wrong arguments": 0.2}, **_tried(0.4, 0.8)),
        [GRPO],
    ),
    "fails across long workflows": (
        _evidence(0.45, gold=0, buckets={"incomplete execution": 0.4}, horizon=LONG, **_tried(0.45, 0.7)),
        [WORKFLOW],
    ),
    "long and short alike": (
        _evidence(0.45, gold=0, buckets={"incomplete execution": 0.4}, horizon=ALIKE, **_tried(0.45, 0.7)),
        [GRPO],
    ),
    "never right, and nothing to imitate": (
        _evidence(0.0, gold=0, buckets={"wrong arguments": 0.2}, **_tried(0.0, 0.0, 0.0)),
        [MODEL],
    ),
    "wordy replies to held-out prompts": (
        _evidence(0.0, environment="faq.jsonl", has_tools=False, **UNTRAINED, buckets={"format error": 1.0}),
        [PROMPT, "do not train yet: more tasks", TRIES, MODEL],
    ),
    "a reward that was hacked": (
        _evidence(0.3, trained="grpo", fresh=60, hacking="reward hacking: reward rose", **_tried(0.3, 0.8)),
        ["fix the reward"],
    ),
    "never right even after sft": (_evidence(0.0, trained="sft", **_tried(0.0, 0.01, 0.0)), [MODEL]),
    "behind a server, by its form": (
        _evidence(0.1, local=False, buckets={"format error": 0.8}, **_tried(0.1, 0.5)),
        [PROMPT],
    ),
    "a prompt that helped, a constraint that did not": (
        _evidence(0.1, buckets={"format error": 0.8}, trials=[HELPED, NOTHING], **_tried(0.1, 0.2, 0.05)),
        [PROMPT, SFT],
    ),
    "a prompt that is enough": (
        _evidence(0.1, buckets={"format error": 0.8}, trials=[SOLVED]),
        [PROMPT, CONSTRAINT, TRIES],
    ),
    "always or never": (_evidence(0.5, trained="sft", **_tried(0.5, 0.52, 0.02)), []),
}


@pytest.mark.parametrize(("evidence", "expected"), SITUATIONS.values(), ids=SITUATIONS)
def test_each_situation_has_its_fixes_the_lightest_first(evidence: AdviceEvidence, expected: list[str]):
    assert [one.fix for one in advise(evidence) if one.advised] == expected


@pytest.mark.parametrize("evidence", [evidence for evidence, _ in SITUATIONS.values()], ids=SITUATIONS)
def test_all_advice_has_a_reason_and_positive_advice_a_command(evidence: AdviceEvidence):
    for one in advise(evidence):
        assert one.reasons and all(one.reasons)
        assert one.command.startswith("verigym ") if one.advised else not one.command


def test_every_fix_is_advised_in_some_situation():
    advised = {one.fix for evidence, _ in SITUATIONS.values() for one in advise(evidence) if one.advised}
    assert {SFT, DPO, REWARD_MODEL, GRPO, WORKFLOW, PROMPT, CONSTRAINT, FACTS, TRIES, MODEL} < advised
    assert advised == set(FIXES)


def _advice(fix: str, evidence: AdviceEvidence) -> Any:
    return next(one for one in advise(evidence) if one.fix == fix)


def test_wordy_replies_are_answered_with_a_prompt_that_can_be_written_by_hand():
    advice = _advice(PROMPT, SITUATIONS["wordy replies to held-out prompts"][0])
    assert advice.command == "verigym models new by-prompt --parent latest --system prompt.txt"
    assert "prompt.txt" in advice.reasons[1]


def test_more_tasks_are_asked_for_with_a_command_that_can_make_them():
    fix, too_few = "do not train yet: more tasks", {"train_tasks": 12, "gold": 0}
    assert _advice(fix, _evidence(environment="faq.jsonl", **UNTRAINED)).command == "verigym tasks split faq.jsonl"
    assert _advice(fix, _evidence(**too_few)).command == "verigym design vary ENV"
    families = _advice(fix, _evidence(environment="desk.py", train_families=3, **too_few))
    assert families.command == "verigym check desk.py"
    assert families.reasons[1] == "Write tasks of 2 more families in desk.py. `design vary` adds tasks, not families"


def test_grpo_is_not_said_to_use_examples():
    advice = _advice(SFT, _evidence(0.3, trained="grpo"))
    assert advice.reasons == ["it was trained with grpo"]


def test_a_trial_speaks_with_its_figures():
    evidence = SITUATIONS["a prompt that helped, a constraint that did not"][0]
    by_fix = {one.fix: one for one in advise(evidence)}
    assert "success 10% to 50% (+40 points, +20 to +60)" in by_fix[PROMPT].reasons[0]
    assert by_fix[PROMPT].command == "verigym eval ENV -m v1" and by_fix[PROMPT].figures["low"] == 0.2
    assert not by_fix[CONSTRAINT].advised and "no clear gain" in by_fix[CONSTRAINT].reasons[0]


def test_a_newer_trial_counts_and_an_older_one_does_not():
    worse = msgspec.structs.replace(HELPED, after=0.1, low=-0.1, high=0.1)
    advised = advise(_evidence(0.1, buckets={"format error": 0.8}, trials=[HELPED, worse]))
    assert PROMPT not in [one.fix for one in advised if one.advised]


def test_reinforcement_asks_for_an_audit_where_there_was_none():
    evidence = _evidence(0.68, trained="sft", audited=False, **_tried(0.65, 0.9))
    assert any("verigym audit" in reason for reason in advise(evidence)[0].reasons)


shares = st.floats(0, 1)


@given(
    st.builds(
        AdviceEvidence,
        success=st.builds(_rate, shares, st.floats(0, 0.2)),
        buckets=st.dictionaries(st.sampled_from(sorted(BUCKETS)), shares),
        errors=shares,
        pass_at_1=st.none() | shares,
        pass_at_k=st.none() | shares,
        signal=st.none() | shares,
        horizon=st.sampled_from([None, LONG, ALIKE]),
        local=st.booleans(),
        has_tools=st.booleans(),
        trained=st.sampled_from(["", "sft", "grpo"]),
        train_tasks=st.integers(0, 3000),
        train_families=st.integers(0, 300),
        gold=st.integers(0, 3000),
        pairs=st.integers(0, 500),
        labels=st.integers(0, 500),
        verified_by=st.sampled_from(["program", "judge"]),
        checked=st.booleans(),
        faults=st.sampled_from([[], ["gold fails"]]),
        trials=st.lists(st.sampled_from([HELPED, NOTHING, SOLVED]), max_size=3),
    )
)
def test_each_fix_appears_once_and_faulty_verifiers_stop_training(evidence: AdviceEvidence):
    found = advise(evidence)
    assert len({one.fix for one in found}) == len(found)
    trained = {one.fix for one in found if one.advised} & {SFT, DPO, REWARD_MODEL, GRPO, WORKFLOW}
    if evidence.faults or not evidence.local or evidence.train_tasks < 50:
        assert not trained
