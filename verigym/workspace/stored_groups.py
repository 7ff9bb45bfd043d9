"""Stored episodes as groups to train on: `data: RUN` for grpo and its variants.

The run can be one of this workspace, of a teacher, of a server such as vLLM, or an imported one. Each episode needs the token ids
and logprobs of its sampler, because training weights every token by how much likelier it is now.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.errors import Refused
from verigym.core.records import Message, Task, Trajectory, content_hash
from verigym.core.words import counted
from verigym.evaluation.suites import family_of
from verigym.training.environments import TrainingEnvironment
from verigym.training.groups import Group
from verigym.training.recipe import Recipe
from verigym.workspace.leak_check import check_held_out
from verigym.workspace.workspace import WorkspaceFolder

_LOOKED_AT = 8
"""Number of episodes whose tokens are read back."""


class StoredGroups(Struct, frozen=True, kw_only=True):
    run: str
    groups: list[Group]
    tasks: dict[str, list[Task]]
    """Environment to the tasks of its groups."""
    dropped: dict[str, int]
    """Reason to the number of episodes that cannot be used."""

    @property
    def families(self) -> set[str]:
        return {family_of(task) for tasks in self.tasks.values() for task in tasks}

    @property
    def hash(self) -> str:
        """Over the episodes and their rewards. More episodes or other verdicts make another training run."""
        return content_hash(
            [[[one.id for one in group.trajectories], [one.reward for one in group.verdicts]] for group in self.groups]
        )

    def __str__(self) -> str:
        episodes = sum(len(group.trajectories) for group in self.groups)
        words = f"{counted(len(self.groups), 'group')} of {counted(episodes, 'stored episode')} of run {self.run}"
        left_out = ", ".join(f"{count} {reason}" for reason, count in self.dropped.items())
        return words + (f" (left out: {left_out})" if left_out else "")


def stored_groups(ws: WorkspaceFolder, recipe: Recipe, environments: Sequence[TrainingEnvironment]) -> StoredGroups:
    """The groups of the run that `data` names. A training run has the groups of all its steps. Refuses held-out tasks, and runs
    whose episodes have no token ids or no rewards."""
    run = ws.store.run(recipe.data)
    children = [run]
    if run.kind == "train":
        children = [child for child in ws.store.runs(parent=run.id) if child.kind == "collect"]
    by_name = {each.name: each for each in environments}
    dropped: Counter[str] = Counter()
    groups: list[Group] = []
    tasks: dict[str, dict[str, Task]] = {}
    for child in children:
        source = str(child.config.get("environment", ""))
        if source not in by_name:
            raise Refused(
                f"data: run {child.id} is on {source or 'no environment'}, and the recipe trains in {', '.join(by_name)}. Name a "
                "run on that environment"
            )
        known = {task.id: task for task in ws.store.tasks(child.id)}
        held_out = next((task for task in known.values() if task.split != "train"), None)
        if held_out is not None:
            raise Refused(
                f'data: run {child.id} has episodes of the held-out task {held_out.id} (split "{held_out.split}"). Name a run on '
                "training tasks: verigym rollout --split train"
            )
        check_held_out(by_name[source].environment, list(known.values()))
        made = _groups_of(ws, child.id, source, by_name[source].verifier.name, dropped)
        groups += made
        tasks.setdefault(source, {}).update(
            {group.trajectories[0].task: known[group.trajectories[0].task] for group in made}
        )
    if not groups:
        raise Refused(_nothing(run.id, [child.id for child in children], dropped))
    return StoredGroups(
        run=run.id,
        groups=groups,
        tasks={source: list(of.values()) for source, of in tasks.items()},
        dropped=dict(dropped),
    )


def _groups_of(ws: WorkspaceFolder, run: str, source: str, verifier: str, dropped: Counter[str]) -> list[Group]:
    verdicts = {one.trajectory: one for one in ws.store.each_verdict(run, verifier)}
    by_task: dict[str, list[Trajectory]] = {}
    for trajectory in ws.store.each_trajectory(run):
        verdict = verdicts.get(trajectory.id)
        if verdict is None:
            dropped[f"without a verdict of {verifier}"] += 1
        elif verdict.reward is None or not trajectory.scorable:
            dropped["not scored"] += 1
        elif not _has_tokens(trajectory):
            dropped["without token ids and logprobs"] += 1
        else:
            by_task.setdefault(trajectory.task, []).append(trajectory)
    groups: list[Group] = []
    for _, of in sorted(by_task.items()):
        if len(of) < 2:
            dropped["alone in their group"] += len(of)
            continue
        attempts = sorted(of, key=lambda one: one.index)
        groups.append(Group(source, attempts, [verdicts[one.id] for one in attempts]))
    return groups


def _has_tokens(trajectory: Trajectory) -> bool:
    """Whether every reply of the policy has its token ids, their logprobs and its context."""
    mine = [turn for turn in trajectory.turns if turn.actor == "policy"]
    return bool(mine) and all(
        turn.completion_ids
        and len(turn.logprobs) == len(turn.completion_ids)
        and (turn.context_ids or turn.parent is not None)
        for turn in mine
    )


def _nothing(run: str, children: Sequence[str], dropped: Counter[str]) -> str:
    reasons = ", ".join(f"{count} {reason}" for reason, count in dropped.most_common()) or "it has no episodes"
    if any("verdict" in reason for reason in dropped):
        first = f"Score it first: verigym rescore {run}"
        if children != [run]:  # a training run has no episodes of its own
            first = f"Score each of its {counted(len(children), 'step')} first, such as: verigym rescore {children[0]}"
        return f"data: no group of run {run} can be trained on ({reasons}). {first}"
    return (
        f"data: no group of run {run} can be trained on ({reasons}). Sample at least two episodes per task with a model in this "
        f"process or a server that returns token ids, or imitate what passed: verigym data demos {run}, then algorithm: sft"
    )


def check_tokens(stored: StoredGroups, tokenizer: Any, model: str) -> None:
    """Refuses episodes of another tokenizer. Their first prompts must read as the task that they were given."""
    episodes = [group.trajectories[0] for group in stored.groups[:_LOOKED_AT]]
    size = len(tokenizer)
    for one in episodes:
        root = next(turn for turn in one.turns if turn.actor == "policy" and turn.context_ids)
        asked = next((item.text for item in one.items if isinstance(item, Message) and item.role == "user"), "")
        known = max(root.context_ids + root.completion_ids) < size
        text = tokenizer.decode(root.context_ids) if known else ""
        if not known or "".join(asked.split()) not in "".join(text.split()):
            raise Refused(
                f"data: the token ids of run {stored.run} are not those of {model}: the prompt of {one.id} does not read as its "
                f"task. Training needs episodes of the same tokenizer. Imitate what passed instead: verigym data demos "
                f"{stored.run}, then algorithm: sft"
            )


def with_stored_tasks(environments: Sequence[TrainingEnvironment], stored: StoredGroups) -> list[TrainingEnvironment]:
    return [msgspec.structs.replace(each, tasks=stored.tasks.get(each.name, [])) for each in environments]
