"""Scores a translation with chrF and a summary with ROUGE, after rules that can be counted.

A text that is longer than allowed, or that names what it should leave out, earns 0. A summary is scored by the share of its
facts times ROUGE. A translation is scored by how far it is above a copy of the input.
"""

import re
from collections.abc import Iterator

import msgspec

from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.judge import Judge
from verigym.verifiers.overlap import above, overlap, references_of

PASSING = {"translate": 0.8, "summarise": 0.5}
"""Minimum chrF of a translation, and minimum mean of ROUGE-2 and ROUGE-L of a summary, to pass."""
_SENTENCE_END = re.compile(r"[.!?][\"'”’)]*\s+\S|\n\s*\S")
"""The end of a sentence that is not the last one."""
_COPIED = 0.7
"""Maximum share of three-word runs of a summary that are copied from the report. References have up to 0.59."""
JUDGE = Judge(
    "Does the reply say what the task asks for, completely and correctly, in fluent language? The reference is one good answer. "
    "Other wordings are as good if they mean the same.",
    passing=0.7,
)


def words(text: str) -> list[str]:
    return re.findall(r"\w+(?:[:.,'’-]\w+)*", text.casefold())


def rewriting_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """The reward is continuous from 0 to 1. A text passes if it reaches `PASSING` and names every fact."""
    kind = task.data.get("kind")
    if kind not in PASSING or not {"source", "words"} <= set(task.data):
        raise VerifierFailure(f'task {task.id}: data needs "source", "words" and "kind" ({" or ".join(PASSING)})')
    references, text = references_of(task), trajectory.reply.strip()
    faults = _faults(task, text)
    if faults:
        return Verdict(reward=0.0, parts={"rules": 0.0, "overlap": 0.0}, evidence="\n".join(faults))
    if kind == "translate":
        score = overlap(text, references, "chrf")
        reward, facts = above(score, overlap(task.data["source"], references, "chrf")), 1.0
        name = "chrF"
    else:
        score = (overlap(text, references, "rouge2") + overlap(text, references, "rougeL")) / 2
        facts = _share(task.data["facts"], text)
        reward, name = facts * score, "ROUGE"
    passed = score >= PASSING[kind] and facts == 1.0
    lines = [f"{name} {score:.3f}, {PASSING[kind]:g} passes"]
    lines += [f"{facts:.0%} of the facts are named"] if kind == "summarise" else []
    parts = {"rules": 1.0, "overlap": score, **({"facts": facts} if kind == "summarise" else {})}
    return Verdict(reward=reward, passed=passed, parts=parts, evidence="\n".join(lines))


async def rewriting_judged(task: Task, trajectory: Trajectory, context: Context) -> Verdict:
    """The mean of the reward above and of a judge's score. It passes if the judge accepts it. A text that earns nothing without
    a judge, or names fewer than half of the facts, is not shown to the judge."""
    verdict = rewriting_verifier(task, trajectory)
    assert verdict.reward is not None
    if verdict.reward == 0.0 or verdict.parts.get("facts", 1.0) < 0.5:
        return msgspec.structs.replace(verdict, passed=False)
    shown = msgspec.structs.replace(task, data={"reference": references_of(task)[0]})
    judged = await JUDGE(shown, trajectory, context)
    if judged.reward is None:
        return judged
    return Verdict(
        reward=(verdict.reward + judged.reward) / 2,
        passed=judged.passed,
        parts={**verdict.parts, "judge": judged.reward},
        evidence=f"{verdict.evidence}\n{judged.evidence}",
    )


def _faults(task: Task, text: str) -> list[str]:
    """The rules that a text breaks."""
    said = words(text)
    faults = [] if said else ["there is no text"]
    if len(said) > task.data["words"]:
        faults.append(f"length: {len(said)} words, at most {task.data['words']}")
    if task.data["kind"] == "summarise":
        faults += _summary_faults(said, text, words(task.data["source"]))
    faults += [f'"{fact}" does not belong into it' for fact in task.data.get("avoid", []) if _names(fact, text)]
    return faults


def _summary_faults(said: list[str], text: str, source: list[str]) -> Iterator[str]:
    if _SENTENCE_END.search(text):
        yield "form: one sentence was asked for"
    runs, known = _runs(said), set(_runs(source))
    copied = sum(run in known for run in runs) / max(1, len(runs))
    if copied > _COPIED:
        yield f"copy: {copied:.0%} of it is copied from the report, at most {_COPIED:.0%}"


def _runs(said: list[str]) -> list[tuple[str, ...]]:
    return list(zip(said, said[1:], said[2:], strict=False))


def _share(facts: list[str], text: str) -> float:
    return sum(_names(fact, text) for fact in facts) / len(facts)


def _names(fact: str, text: str) -> bool:
    """Whether a text names a fact as whole words, in any case. `1,200` is `1200`."""
    flat = f" {' '.join(words(re.sub(r'(?<=[0-9]),(?=[0-9]{3})', '', text)))} "
    return re.search(rf" {re.escape(' '.join(words(fact)))}(?:['’]s)? ", flat) is not None
