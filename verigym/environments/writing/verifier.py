"""A text is first counted (`gates`), then compared: with the task's plain text, and with the others of its group.

Every pair is shown to the judge in both orders (`PairwiseJudge`); one that changes its mind with the order has not decided.
It passes if it is better than the plain text. The reward is the mean share of comparisons won, less a little for length, so
that of two texts that are liked alike the shorter one is learnt from.
"""

from collections.abc import Sequence

import msgspec

from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.environments.writing.gates import words, wrong
from verigym.verifiers.judge import task_text
from verigym.verifiers.pairwise import PairwiseJudge

LENGTH_COST = 0.1
"""Taken from the reward of a text that is as long as it may be; none of the shortest."""
JUDGE = PairwiseJudge(
    "Which text would its readers rather have? It should be clear, concrete and warm without flattery, sound like a person, and "
    "tell its readers what they need. Length is no merit. Both texts fulfil the formal demands: do not count anything again."
)


async def writing_verifier(task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
    """0 for what fails a gate; else what the comparisons say."""
    if not {"words", "mention", "avoid", "form", "reference"} <= set(task.data):
        raise VerifierFailure(f'task {task.id}: data needs "words", "mention", "avoid", "form" and "reference"')
    faults = [wrong(each.reply, task_text(task), task.data) for each in group]
    playing = [each for each, found in zip(group, faults, strict=True) if not found]
    against_plain = {verdict.trajectory: verdict for verdict in await JUDGE.verify(task, playing, context)}
    among = against_plain
    if len(playing) > 1:
        alone = {name: value for name, value in task.data.items() if name != "reference"}
        others = msgspec.structs.replace(task, data=alone)
        among = {verdict.trajectory: verdict for verdict in await JUDGE.verify(others, playing, context)}
    return [
        _refused(found) if found else _judged(task, each, against_plain[each.id], among[each.id])
        for each, found in zip(group, faults, strict=True)
    ]


def _refused(faults: list[str]) -> Verdict:
    return Verdict(reward=0.0, parts={"gates": 0.0, "won": 0.0}, evidence="\n".join(faults))


def _judged(task: Task, trajectory: Trajectory, plain: Verdict, among: Verdict) -> Verdict:
    if plain.reward is None or among.reward is None:
        return plain if plain.reward is None else among
    low, high = task.data["words"]
    long = (len(words(trajectory.reply)) - low) / max(1, high - low)
    won = (plain.reward + among.reward) / 2
    return Verdict(
        reward=max(0.0, won - LENGTH_COST * long),
        passed=plain.passed,
        parts={"gates": 1.0, "won": won, "length": long},
        evidence=plain.evidence,
    )
