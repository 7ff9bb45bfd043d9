"""Samples: the exact tokens that are trained on. Ids as they were sampled, and a mask that is 1 only on the policy's tokens.

turn 1: context [1 2 3] completion [4 5];  turn 2, its child: gains [6], completion [7]
ids  1 2 3 4 5 6 7
mask 0 0 0 1 1 0 1

An episode with several roots or branches has one sample for each path from a root to a leaf. All of them have the advantage of
the episode. A reply that several paths share is trained on in the first of them and is context in the others, so every
sampled token counts once.
"""

from collections.abc import Sequence

from verigym.core.errors import BadInput
from verigym.core.records import Example, Item, Preference, Sample, Trajectory, Turn
from verigym.policies.render import Renderer, replies


def from_trajectory(trajectory: Trajectory, advantage: float, by_turn: Sequence[float] = ()) -> list[Sample]:
    """Makes one sample for each root-to-leaf path of the policy's turns. `by_turn` holds one advantage per turn."""
    turns = trajectory.turns
    mine = [i for i, turn in enumerate(turns) if turn.actor == "policy"]
    worth = dict(zip(mine, by_turn, strict=False))
    paths = {i: _path(turns, i) for i in mine if turns[i].logprobs}
    inner = {index for leaf, path in paths.items() for index in path if index != leaf}
    samples: list[Sample] = []
    trained: set[int] = set()
    for leaf, path in paths.items():
        if leaf in inner:
            continue
        ids: list[int] = []
        mask: list[int] = []
        logprobs: list[float] = []
        advantages: list[float] = []
        for index in path:
            turn = turns[index]
            ours = turn.actor == "policy" and len(turn.logprobs) == len(turn.completion_ids)  # otherwise context only
            ours = ours and index not in trained
            trained.add(index)
            ids += turn.context_ids + turn.completion_ids
            learnt = _learnt(turn) if ours else [0] * len(turn.completion_ids)
            mask += [0] * len(turn.context_ids) + learnt
            logprobs += [0.0] * len(turn.context_ids) + (turn.logprobs if ours else [0.0] * len(turn.completion_ids))
            if by_turn and ours:
                advantages += [worth.get(index, 0.0)] * sum(learnt)
        samples.append(
            Sample(
                ids=ids, mask=mask, logprobs=logprobs, advantage=advantage, advantages=advantages,
                trajectory=trajectory.id,
            )
        )  # fmt: skip
    return samples


def _learnt(turn: Turn) -> list[int]:
    """The mask of a completion: 1 for the tokens that the model sampled."""
    mask = [1] * len(turn.completion_ids)
    for start, end in turn.forced:
        mask[start:end] = [0] * (end - start)
    return mask


def _path(turns: Sequence[Turn], leaf: int) -> list[int]:
    """Indices of the turns from the root to `leaf`."""
    path = [leaf]
    while (parent := turns[path[-1]].parent) is not None:
        path.append(parent)
    return path[::-1]


def example_samples(render: Renderer, example: Example) -> list[Sample]:
    """Samples of a written conversation, which is tokenised only here. Its replies and their end tokens are trained on. If the
    template rewrites earlier messages, so that a context does not begin with the ids so far, the reply starts a new sample.
    Calls without tags stay so in the context of later replies, as in an episode."""
    samples: list[Sample] = []
    ids: list[int] = []
    mask: list[int] = []
    turns: list[Turn] = []
    for start, end in example.made:
        context = example.items[:start]
        gained = render.extend(context, example.tools, turns) if turns and not render.can_write_tags else None
        prompt = render.prompt(context, example.tools) if gained is None else ids + gained
        completion = render.completion(example.items[start:end], context, example.tools)
        turns.append(Turn(made=[*range(start, end)], completion_ids=completion))
        if ids and prompt[: len(ids)] != ids:
            samples.append(Sample(ids=ids, mask=mask, logprobs=[], trajectory=example.task))
            ids, mask = [], []
        mask = mask + [0] * (len(prompt) - len(ids)) + [1] * len(completion)
        ids = prompt + completion
    return [*samples, Sample(ids=ids, mask=mask, logprobs=[], trajectory=example.task)] if ids else samples


def rated_sample(render: Renderer, example: Example) -> tuple[Sample, bool]:
    """The sample of a conversation with a thumb, with all of its replies scored."""
    assert example.good is not None, "only rows with a thumb"
    samples = example_samples(render, example)
    if len(samples) != 1:
        raise BadInput(
            f'Task "{example.task}": the conversation has {len(example.made)} replies. The chat template of this model rewrites '
            "earlier messages, so only one reply can be trained on. Use conversations with one reply"
        )
    return samples[0], example.good


def preference_pair(render: Renderer, pair: Preference) -> tuple[Sample, Sample]:
    """The chosen and the rejected sample, each with all of its replies scored."""
    chosen, rejected = (_side(render, pair, side) for side in (pair.chosen, pair.rejected))
    return chosen, rejected


def _side(render: Renderer, pair: Preference, side: list[Item]) -> Sample:
    items = pair.prompt + side
    ranges = replies(items, len(pair.prompt))
    samples = example_samples(render, Example(task=pair.task, items=items, made=ranges, tools=pair.tools))
    if len(samples) != 1:
        raise BadInput(
            f'Task "{pair.task}": the pair has {len(ranges)} replies. The chat template of this model rewrites earlier messages, '
            "so only one reply can be trained on. Use preferences with one reply"
        )
    return samples[0]


def reward_pair(render: Renderer, pair: Preference) -> tuple[Sample, Sample]:
    """The chosen and the rejected conversation as a reward model scores them: whole, with no token in the loss."""
    sides = [render.whole(pair.prompt + side, pair.tools) for side in (pair.chosen, pair.rejected)]
    chosen, rejected = (Sample(ids=ids, mask=[0] * len(ids), logprobs=[], trajectory=pair.task) for ids in sides)
    return chosen, rejected
