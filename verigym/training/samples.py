"""Samples: what exactly is trained on. Ids as they were sampled, a mask that is 1 on the policy's own tokens only.

turn 1: context [1 2 3] completion [4 5];  turn 2, its child: gains [6], completion [7]
ids  1 2 3 4 5 6 7
mask 0 0 0 1 1 0 1
"""

from collections.abc import Sequence

from verigym.core.errors import BadInput
from verigym.core.records import Item, Sample, ToolSpec, Trajectory, Turn
from verigym.policies.render import Renderer


def from_trajectory(trajectory: Trajectory, advantage: float) -> list[Sample]:
    """One sample for each root-to-leaf path of the policy's turns."""
    turns = trajectory.turns
    paths = {i: _path(turns, i) for i, turn in enumerate(turns) if turn.actor == "policy" and turn.logprobs}
    inner = {place for end, path in paths.items() for place in path if place != end}
    samples: list[Sample] = []
    for leaf, path in paths.items():
        if leaf in inner:
            continue
        ids: list[int] = []
        mask: list[int] = []
        logprobs: list[float] = []
        for step in (turns[place] for place in path):
            ours = step.actor == "policy" and len(step.logprobs) == len(step.completion_ids)  # else it is context only
            ids += step.context_ids + step.completion_ids
            mask += [0] * len(step.context_ids) + [int(ours)] * len(step.completion_ids)
            logprobs += [0.0] * len(step.context_ids) + (step.logprobs if ours else [0.0] * len(step.completion_ids))
        samples.append(Sample(ids=ids, mask=mask, logprobs=logprobs, advantage=advantage, trajectory=trajectory.id))
    return samples


def _path(turns: Sequence[Turn], leaf: int) -> list[int]:
    """Indices of the turns from the root to `leaf`."""
    path: list[int] = []
    place: int | None = leaf
    while place is not None:
        path.append(place)
        place = turns[place].parent
    return path[::-1]


def demonstration(
    render: Renderer, context: list[Item], tools: list[ToolSpec], reply: list[Item] | None, task: str
) -> Sample:
    """A written example: tokenised once, here; the reply and its end token are what is learnt."""
    if not reply:
        raise BadInput(
            f'task "{task}" has no gold reply to imitate: give it "expected_tool" or "answer", or the environment a gold(task)'
        )
    prompt = render.prompt(context, tools)
    completion = render.completion(reply, context, tools)
    return Sample(ids=prompt + completion, mask=[0] * len(prompt) + [1] * len(completion), logprobs=[], trajectory=task)
