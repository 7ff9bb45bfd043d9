"""Checks a text with `gates`, then compares it with the task's plain text and with the other texts of its group.

The judge sees every pair in both orders (`PairwiseJudge`). If its choice depends on the order, it has not decided. A text
passes if it is better than the plain text. The reward is the mean share of comparisons won, minus a little for length, so that
the shorter of two equally good texts is preferred.
"""

from collections.abc import Sequence

import msgspec

from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.environments.writing.gates import words, wrong
from verigym.verifiers.judge import PairwiseJudge, task_text

LENGTH_COST = 0.1
"""Subtracted from the reward of the longest allowed text. The shortest loses nothing."""
JUDGE = PairwiseJudge(
    "Which text would its readers rather have? It should be clear, concrete and warm without flattery, sound like a person, and "
    "tell its readers what they need. Length is no merit. Both texts fulfil the formal demands: do not count anything again."
)


async def writing_verifier(task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
    """Gives 0 to a text that fails a gate, and otherwise the result of the comparisons."""
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
