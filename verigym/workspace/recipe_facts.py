"""The facts that defaults of a recipe depend on: the size of the model, the length of gold replies, the turns of an episode.

Nothing is loaded or counted that the recipe says itself. Gold replies are tokenised as they are written. They are not played,
so no tool runs.
"""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from verigym.core.records import Dataset, Example, FunctionCall, Item, Message, Preference, Version
from verigym.evaluation.suites import pick
from verigym.policies.dialects.plain import call_text
from verigym.training.defaults import Facts, needs_gold, needs_model
from verigym.training.environments import TrainingEnvironment
from verigym.training.recipe import Recipe
from verigym.training.recipe_notes import notes
from verigym.workspace import datasets as data
from verigym.workspace.training_environments import training_environments, with_tasks
from verigym.workspace.workspace import WorkspaceFolder

_LOOKED_AT = 256
"""Number of tasks or rows whose replies are counted."""


def facts_of(
    ws: WorkspaceFolder,
    recipe: Recipe,
    parent: Version,
    environments: Sequence[TrainingEnvironment],
    dataset: Dataset | None,
) -> Facts:
    facts: dict[str, Any] = {"max_turns": _max_turns(recipe, parent, environments), "tasks": _num_tasks(environments)}
    if needs_model(recipe):
        from verigym.model.shape import read_shape

        ws.check_base(parent.base)
        shape = read_shape(parent.base)
        facts |= {"parameters": float(shape.parameters), "hidden": shape.hidden}
    if needs_gold(recipe):
        from verigym.model.load import load_tokenizer
        from verigym.policies.render import Renderer

        tokenizer = load_tokenizer(parent.base)
        facts["reasoning"] = Renderer(tokenizer).template.reasons
        episodes = list(_episodes(ws, recipe, environments, dataset))
        if episodes:
            lengths = [[_tokens(tokenizer, text) for text in replies] for replies in episodes]
            facts["reply_tokens"] = _percentile([length for episode in lengths for length in episode], 0.99)
            facts["sample_tokens"] = statistics.fmean(map(sum, lengths))
    return Facts(**facts)


def notes_of(recipe: Recipe, parent: Version) -> list[str]:
    """Settings of a recipe that have no effect. It needs no model."""
    environments = training_environments(recipe)
    environments = environments if recipe.data else with_tasks(environments, recipe)
    return notes(recipe, Facts(max_turns=_max_turns(recipe, parent, environments), tasks=_num_tasks(environments)))


def _max_turns(recipe: Recipe, parent: Version, environments: Sequence[TrainingEnvironment]) -> int:
    """The most replies of an episode, as `rollout/episode.py` counts them."""
    own = parent.harness.turns if parent.harness else 0
    return recipe.limits.turns or own or max((each.environment.max_turns for each in environments), default=1)


def _num_tasks(environments: Sequence[TrainingEnvironment]) -> int | None:
    return sum(len(each.tasks) for each in environments) or None


def _episodes(
    ws: WorkspaceFolder, recipe: Recipe, environments: Sequence[TrainingEnvironment], dataset: Dataset | None
) -> Iterable[list[str]]:
    """The replies of written episodes: rows of the data, or gold solutions of tasks spread over families."""
    if dataset is not None:
        for row, _ in zip(data.rows(ws, dataset), range(_LOOKED_AT), strict=False):
            if isinstance(row, Example):
                yield [_text(row.items[start:end]) for start, end in row.made]
            elif isinstance(row, Preference):
                yield [
                    _text([item for item in row.chosen if not isinstance(item, Message) or item.role == "assistant"])
                ]
        return
    for each in environments:
        for task in pick(list(each.tasks), _LOOKED_AT // len(environments), recipe.seed):
            replies = each.environment.gold_replies(task)
            if replies and replies[0]:
                yield [reply if isinstance(reply, str) else _text(reply) for reply in replies]


def _text(items: Iterable[Item]) -> str:
    """A reply as text. Its calls are written in the plain form, which is about as long as any other."""
    said = [item for item in items if isinstance(item, FunctionCall | Message)]
    return "\n".join(call_text(item) if isinstance(item, FunctionCall) else item.text for item in said)


def _tokens(tokenizer: Any, text: str) -> int:
    """With the token that ends the reply."""
    return len(tokenizer(text, add_special_tokens=False)["input_ids"]) + 1


def _percentile(values: Sequence[int], share: float) -> int:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
