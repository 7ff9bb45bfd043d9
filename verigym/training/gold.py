"""Gold episodes in groups in which every attempt fails (`episodes.gold_when_all_fail`).

Such a group says what is wrong and nothing about what is right. The gold solution was not sampled by the policy, so it has no
importance ratio and takes no part in the comparison of rewards. It is a second term of the objective, the logprob of its tokens
times a weight, averaged as the loss averages tokens:

    objective = GRPO(attempts) + weight * log pi(gold)

A sample without sampled logprobs says that to `update.policy_update`: its correction is 1 and its ratio starts at 1. With
several updates per batch, the clip bounds how far one batch moves it.
"""

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from verigym.core.records import Sample, Task
from verigym.training.groups import Group

GoldOf = Callable[[str, Task, int], Awaitable[list[Sample]]]
"""Maps an environment, a task and a step to the samples of the gold solution. Empty if the task has none."""


def all_fail(group: Group) -> bool:
    """Whether some attempts were scored and none of them passed."""
    scored = [verdict for verdict in group.verdicts if verdict.reward is not None]
    return bool(scored) and not any(verdict.passed for verdict in scored)


def spread(attempts: Sequence[Sample], gold: Sequence[Sample]) -> list[Sample]:
    """The attempts with the gold samples evenly between them, so that each update of a batch gets its share of them."""
    ranks = [((i + 0.5) / len(rows), sample) for rows in (attempts, gold) for i, sample in enumerate(rows)]
    return [sample for _, sample in sorted(ranks, key=lambda pair: pair[0])]


async def gold_samples(
    groups: Sequence[Group], tasks: dict[tuple[str, str], Task], gold_of: GoldOf, weight: float, step: int
) -> tuple[list[Sample], dict[str, float]]:
    """The gold samples of groups in which every attempt fails, and counts: groups that got one, groups without one, tokens."""
    samples: list[Sample] = []
    added = missing = 0
    for group in groups:
        if not all_fail(group):
            continue
        rows = await gold_of(group.source, tasks[group.source, group.trajectories[0].task], step)
        added, missing = added + bool(rows), missing + (not rows)
        samples += [msgspec.structs.replace(row, advantage=weight, logprobs=[], advantages=[]) for row in rows]
    tokens = sum(sample.mask.count(1) for sample in samples)
    return samples, {"gold": float(added), "gold_missing": float(missing), "gold_tokens": float(tokens)}
