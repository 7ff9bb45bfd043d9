"""The environments of a recipe, each with its training tasks, its verifier and its held-out suite."""

from collections.abc import Iterable

import msgspec

from verigym.core.errors import BadInput, Refused, not_found
from verigym.core.protocols import Verifier
from verigym.core.records import Dataset, Example, Message, Preference, Task
from verigym.environments.load import find_by_verifier, load_environment
from verigym.evaluation.suites import parse_part, pick, split_part, take_part
from verigym.harness.environment import EnvironmentSpec
from verigym.tasks.leaks import check_split, family_of, prompt_of
from verigym.training.environments import TrainingEnvironment
from verigym.training.recipe import Recipe
from verigym.verifiers.combine import Weighted
from verigym.verifiers.reward_model import RewardModel
from verigym.workspace.measure import judged_by, tasks_of


def training_environments(recipe: Recipe, reward_model: str = "") -> list[TrainingEnvironment]:
    """The environments that a recipe trains in. `reward_model` is the id of the version that the recipe names."""
    if recipe.environments:
        found = [_of_mixture(recipe, load_environment(name), weight) for name, weight in recipe.environments.items()]
        _check_used(recipe, [each.environment for each in found])
    else:
        found = [_only(recipe)]
    for each in found:
        if each.environment.needs_user and not recipe.user and (recipe.samples or each.split):
            raise Refused(
                f"{each.name} simulates a user, which needs a model. Set user in the recipe, "
                "or write a method user(self, reply) in its Environment"
            )
    if reward_model:
        found = [msgspec.structs.replace(each, verifier=RewardModel(reward_model, each.verifier)) for each in found]
    return found


def rehearsed_of(recipe: Recipe) -> list[TrainingEnvironment]:
    """The environments to rehearse. The weight of each is its share."""
    found: list[TrainingEnvironment] = []
    for name, share in recipe.rehearse.items():
        environment = load_environment(name)
        if environment.needs_user:
            raise Refused(f"rehearse: {name} simulates a user with a model, so it cannot be rehearsed. Remove it")
        tasks = tasks_of(environment, "train")
        check_held_out(environment, tasks)
        found.append(
            TrainingEnvironment(environment=environment, verifier=environment.verifier, weight=share, tasks=tasks)
        )
    return found


def with_tasks(environments: list[TrainingEnvironment], recipe: Recipe) -> list[TrainingEnvironment]:
    """The environments with their training tasks. Refuses held-out tasks."""
    made: list[TrainingEnvironment] = []
    for each in environments:
        tasks = tasks_of(each.environment, "train")
        if recipe.part:
            tasks = take_part(tasks, parse_part(recipe.part))
        if not tasks:
            raise Refused(f"{each.name}: part {recipe.part} contains no training family. Use fewer parts")
        if recipe.num_tasks is not None:
            tasks = pick(tasks, recipe.num_tasks, recipe.seed)
        check_held_out(each.environment, tasks)
        made.append(msgspec.structs.replace(each, tasks=tasks))
    return made


def check_held_out(environment: EnvironmentSpec, tasks: list[Task]) -> None:
    """Refuses to train on held-out families."""
    wrong = [task for task in tasks if task.split != "train"]
    if wrong:
        raise Refused(
            f'{environment.name}: tasks("train") contains the held-out task {wrong[0].id} of split "{wrong[0].split}". Remove it'
        )
    for split in set(environment.suites.values()):
        check_split(tasks, environment.tasks(split), prompts=not environment.steps)


def check_rows(environment: EnvironmentSpec, dataset: Dataset, rows: Iterable[Example | Preference]) -> None:
    """Refuses rows of a held-out family, and rows with the prompt of a held-out task. The tasks of a game can share a prompt."""
    held_out = [task for split in sorted(set(environment.suites.values())) for task in environment.tasks(split)]
    families = sorted({family_of(task) for task in held_out} & set(dataset.families))
    if families:
        raise Refused(
            f"data: {dataset.name} contains family {families[0]}, which is held out in {environment.name}. "
            "Held-out families are never trained on. Remove its rows"
        )
    asked = {prompt_of(task): task for task in held_out} if not environment.steps else {}
    for row in rows:
        task = asked.get(_asks(row)) if asked else None
        if task is not None:
            raise Refused(
                f'data: {dataset.name}: row "{row.task}" has the prompt of the held-out task {task.id} of {environment.name}. '
                "Held-out tasks are never trained on. Remove the row"
            )


def _asks(row: Example | Preference) -> str:
    """The prompt of a row without the system prompt, comparable with `prompt_of` a task."""
    prompt = row.items[: row.made[0][0]] if isinstance(row, Example) else row.prompt
    said = [item for item in prompt if not (isinstance(item, Message) and item.role in ("system", "developer"))]
    match said:
        case [Message(role="user") as only]:
            return only.text
    return prompt_of(Task(id="", prompt=said))


def _only(recipe: Recipe) -> TrainingEnvironment:
    names = list(recipe.reward) if isinstance(recipe.reward, dict) else [recipe.reward] if recipe.reward else []
    environment = load_environment(recipe.environment) if recipe.environment else find_by_verifier(names[0])
    for what, name, known in (
        *(("reward", name, environment.verifiers) for name in names),
        ("held_out_eval", split_part(recipe.held_out_eval)[0], {**environment.suites, "all": ""}),
    ):
        if name and name not in known:
            raise not_found(what, name, known, f"These belong to {environment.name}.")
    environment = judged_by(environment, names[0] if names else "")
    verifier: Verifier = environment.verifier
    if isinstance(recipe.reward, dict) and names:
        verifier = Weighted({name: (weight, environment.verifiers[name]) for name, weight in recipe.reward.items()})
    return TrainingEnvironment(environment=environment, verifier=verifier, split=_split(recipe, environment))


def _of_mixture(recipe: Recipe, environment: EnvironmentSpec, weight: float) -> TrainingEnvironment:
    if isinstance(recipe.reward, dict):
        raise BadInput(
            "reward: several rewards cannot be combined with several environments. "
            "Combine the rewards inside each environment"
        )
    if recipe.reward in environment.verifiers:
        environment = judged_by(environment, recipe.reward)
    split = _split(recipe, environment)
    return TrainingEnvironment(environment=environment, verifier=environment.verifier, weight=weight, split=split)


def _check_used(recipe: Recipe, environments: list[EnvironmentSpec]) -> None:
    for what, name, of in (
        ("reward", recipe.reward, lambda each: each.verifiers),
        ("held_out_eval", split_part(recipe.held_out_eval)[0], lambda each: {**each.suites, "all": ""}),
    ):
        known = {one for environment in environments for one in of(environment)}
        if name and name not in known:
            raise not_found(what, str(name), sorted(known), "These belong to the environments of the mixture.")


def _split(recipe: Recipe, environment: EnvironmentSpec) -> str:
    wanted, part = split_part(recipe.held_out_eval)
    split = next(iter(environment.suites.values()), "") if wanted == "all" else environment.suites.get(wanted, "")
    return f"{split} {part}" if split and part else split
