"""Groups of episodes: selects tasks, computes rewards and turns episodes into samples. It needs no torch."""

import random
import statistics
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from verigym.core.records import Item, Json, Sample, Stop, Task, Trajectory, Turn, Verdict, content_hash
from verigym.core.seeds import derive
from verigym.training.advantages import (
    advantages,
    advantages_of_each,
    differ,
    overlong,
    state_advantages,
    step_advantages,
    success_penalties,
)
from verigym.training.difficulty import DifficultyMemory
from verigym.training.recipe import Recipe
from verigym.training.samples import from_trajectory

if TYPE_CHECKING:
    from verigym.training.loop import Metrics


class Source(NamedTuple):
    """One environment of a mixture, and its share of the tasks."""

    name: str
    weight: float
    tasks: Sequence[Task]


class Group(NamedTuple):
    """The episodes of one task."""

    source: str
    trajectories: list[Trajectory]
    verdicts: list[Verdict]
    rewards: list[float | None] = []
    """Rewards to train on (`with_rewards`). None if an episode was not scored."""


def pick(
    sources: Sequence[Source],
    recipe: Recipe,
    step: int,
    number: int = 0,
    count: int = 0,
    tried: Collection[tuple[str, str]] = (),
    memory: DifficultyMemory | None = None,
) -> dict[str, list[Task]]:
    """Selects distinct tasks for a step by source, without those in `tried` (source, task). The selection depends only on
    seed, step and round, and with `memory` on the stored episodes of earlier steps."""
    where = (step, number) if number else (step,)
    count = count or recipe.prompts_per_step
    shares = {source.name: count for source in sources}
    if len(sources) > 1:
        draw = random.Random(derive(recipe.seed, "mixture", *where))
        drawn = draw.choices([source.name for source in sources], [source.weight for source in sources], k=count)
        shares = {source.name: drawn.count(source.name) for source in sources}
    picked: dict[str, list[Task]] = {}
    for source in sources:
        tasks = [task for task in source.tasks if (source.name, task.id) not in tried] if tried else source.tasks
        name = ("tasks", *where) if len(sources) == 1 else ("tasks", source.name, *where)
        chance, share = random.Random(derive(recipe.seed, *name)), min(shares[source.name], len(tasks))
        if not share:
            continue
        if memory is not None:
            picked[source.name] = memory.draw(source.name, tasks, share, step, chance)
        else:
            picked[source.name] = [tasks[i] for i in chance.sample(range(len(tasks)), share)]
    return picked


def with_rewards(group: Group, recipe: Recipe) -> Group:
    """The group with the rewards of its verdicts, less the penalties for replies near the token limit, length and turns. With
    `advantage.rewards: passed`, an episode is worth 1 if it passed and 0 if not."""
    settings = recipe.episodes
    replies = [[turn.usage.completion_tokens for turn in _policy_turns(each)] for each in group.trajectories]
    taken = success_penalties(
        [verdict.passed and verdict.reward is not None for verdict in group.verdicts],
        [*map(sum, replies)],
        [*map(len, replies)],
        settings.length_penalty,
        settings.turn_penalty,
    )
    rewards: list[float | None] = []
    for tokens, cost, verdict in zip(replies, taken, group.verdicts, strict=True):
        buffer = settings.overlong_buffer
        late = (
            overlong(max(tokens, default=0), recipe.reply_limit, buffer, settings.overlong_penalty) if buffer else 0.0
        )
        earned = float(verdict.passed) if recipe.advantage.rewards == "passed" else verdict.reward
        rewards.append(None if verdict.reward is None or earned is None else earned - late - cost)
    return group._replace(rewards=rewards)


def _policy_turns(trajectory: Trajectory) -> list[Turn]:
    return [turn for turn in trajectory.turns if turn.actor == "policy"]


def has_signal(group: Group, recipe: Recipe) -> bool:
    """Whether the episodes of a group differ in a compared reward. If not, the group gives no gradient. Rft learns from a
    group if an episode passed."""
    if recipe.algorithm == "rft":
        return any(verdict.passed and verdict.reward is not None for verdict in group.verdicts)
    compared: list[Sequence[float | None]] = [group.rewards]
    if recipe.advantage.credit == "step":
        rows = [row or [] for row in step_rewards(group)]
        compared += [[row[turn] if turn < len(row) else None for row in rows] for turn in range(max(map(len, rows)))]
    if recipe.advantage.credit == "state":
        plain = msgspec.structs.replace(recipe.advantage, scale="none")
        [turns] = state_advantages([step_rewards(group)], [_states(group)], plain)
        compared += [[0.0, value] for row in turns for value in row]
    if recipe.advantage.rewards == "each" and isinstance(recipe.reward, dict):
        scored = [verdict.parts if verdict.reward is not None else None for verdict in group.verdicts]
        compared += [[None if parts is None else parts[name] for parts in scored] for name in recipe.reward]
    return any(map(differ, compared))


def samples_of(groups: list[Group], recipe: Recipe) -> list[tuple[Sample, bool]]:
    """The samples of every scored episode, each with whether it is masked because its last reply was truncated. A group without
    signal gives no samples."""
    worth, by_turn = advantages_in(groups, recipe)
    return [
        (sample, recipe.episodes.mask_truncated and trajectory.stop is Stop.MAX_TOKENS)
        for group, values, turns in zip(groups, worth, by_turn, strict=True)
        if has_signal(group, recipe)
        for trajectory, reward, value, steps in zip(group.trajectories, group.rewards, values, turns, strict=True)
        if reward is not None
        for sample in from_trajectory(trajectory, value, steps)
    ]


def advantages_in(groups: list[Group], recipe: Recipe) -> tuple[list[list[float]], list[list[list[float]]]]:
    """The advantage of every episode of every group of a step, and of each of its turns if the recipe credits turns."""
    settings = recipe.advantage
    by_turn: list[list[list[float]]] = [[[] for _ in group.trajectories] for group in groups]
    if settings.credit == "step":
        by_turn = step_advantages([step_rewards(group) for group in groups], settings)
    if settings.rewards == "each" and isinstance(recipe.reward, dict):
        names = list(recipe.reward)
        parts = [
            [None if verdict.reward is None else [verdict.parts[name] for name in names] for verdict in group.verdicts]
            for group in groups
        ]
        worth = advantages_of_each(parts, list(recipe.reward.values()))
    else:
        worth = advantages([group.rewards for group in groups], settings)
    if settings.credit == "state":
        turns = state_advantages(
            [step_rewards(group) for group in groups], [_states(group) for group in groups], settings
        )
        by_turn = [
            [[value + settings.state_weight * turn for turn in row] for value, row in zip(values, rows, strict=True)]
            for values, rows in zip(worth, turns, strict=True)
        ]
    return worth, by_turn


def less(group: Group, taken: Mapping[str, float]) -> Group:
    """The group with its rewards less an amount per trajectory id."""
    pairs = zip(group.rewards, group.trajectories, strict=True)
    return group._replace(
        rewards=[None if reward is None else reward - taken.get(one.id, 0.0) for reward, one in pairs]
    )


def step_rewards(group: Group) -> list[list[float] | None]:
    """For each episode, the reward of each turn of the policy: the step rewards of the environment, plus the rest of the
    verdict at the end. None if the episode was not scored."""
    rows: list[list[float] | None] = []
    for trajectory, reward in zip(group.trajectories, group.rewards, strict=True):
        turns = len(_policy_turns(trajectory))
        steps = [*trajectory.rewards[:turns], *[0.0] * (turns - len(trajectory.rewards))]
        if reward is not None and steps:
            steps[-1] = steps[-1] + reward - sum(trajectory.rewards)
        rows.append(None if reward is None else steps)
    return rows


def _states(group: Group) -> list[list[str]]:
    """For each episode, the state in which each turn of the policy began."""
    return [states_of(trajectory) for trajectory in group.trajectories]


def states_of(trajectory: Trajectory) -> list[str]:
    """The state in which each turn of the policy began: that of the environment and what the policy was told since its last
    reply. If the environment has no state to show, the whole conversation until then."""
    mine = _policy_turns(trajectory)
    known = trajectory.states if len(trajectory.states) == len(mine) else None
    names: list[str] = []
    made: set[int] = set()
    for number, turn in enumerate(mine):
        seen = [index for first, end in turn.saw for index in range(first, end)]
        since = max(made.intersection(seen), default=-1)
        told = [index for index in seen if known is None or index > since]
        names.append(content_hash([known[number] if known else "", [_said(trajectory.items[i]) for i in told]]))
        made.update(turn.made)
    return names


def _said(item: Item) -> Json:
    """An item without the ids of calls, which differ between episodes that said the same."""
    return {name: value for name, value in msgspec.to_builtins(item).items() if name not in ("id", "call_id")}


def summary(groups: list[Group], recipe: Recipe, by_source: bool) -> "Metrics":
    """Metrics of a step: means over the scored episodes, and the number of unscored ones."""
    metrics = _means(groups)
    live = [has_signal(group, recipe) for group in groups]
    metrics["live_groups"] = statistics.fmean(live) if live else 0.0
    for source in sorted({group.source for group in groups}) if by_source else []:
        means = _means([group for group in groups if group.source == source])
        metrics |= {f"{source}/{name}": means[name] for name in ("reward", "passed") if name in means}
    return metrics


def _means(groups: list[Group]) -> "Metrics":
    mean = statistics.fmean
    episodes = [pair for group in groups for pair in zip(group.trajectories, group.verdicts, strict=True)]
    scored = [(trajectory, verdict) for trajectory, verdict in episodes if verdict.reward is not None]
    turns = [turn for trajectory, _ in episodes for turn in trajectory.turns]
    seen = sum(len(turn.context_ids) + len(turn.completion_ids) for turn in turns)
    metrics: Metrics = {"unscored": len(episodes) - len(scored), "seen": seen}
    if not scored:
        return metrics
    metrics["reward"] = mean(verdict.reward or 0.0 for _, verdict in scored)
    metrics["passed"] = mean(verdict.passed for _, verdict in scored)
    metrics["unsafe"] = mean(verdict.unsafe for _, verdict in scored)
    metrics["valid"] = mean(not trajectory.marked("format_error") for trajectory, _ in scored)
    metrics["truncated"] = mean(trajectory.stop is Stop.MAX_TOKENS for trajectory, _ in scored)
    for name in sorted({name for _, verdict in scored for name in verdict.parts}):
        metrics[f"part/{name}"] = mean(verdict.parts[name] for _, verdict in scored if name in verdict.parts)
    lengths = [turn.usage.completion_tokens for trajectory, _ in scored for turn in _policy_turns(trajectory)]
    if lengths:
        metrics["length"] = mean(lengths)
    return metrics
