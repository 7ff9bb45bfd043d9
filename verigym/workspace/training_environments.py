"""Where a recipe trains: environments, each with its tasks, the verifier that is learnt from and the suite that is held out."""

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
from verigym.verifiers.reward_model import RewardModel
from verigym.verifiers.weighted import Weighted
from verigym.workspace.measure import judged_by, tasks_of


def training_environments(recipe: Recipe, reward_model: str = "") -> list[TrainingEnvironment]:
    """`reward_model` is the id of the version that the recipe names."""
    if recipe.environments:
        found = [_of_mixture(recipe, load_environment(name), weight) for name, weight in recipe.environments.items()]
        _check_used(recipe, [each.environment for each in found])
    else:
        found = [_only(recipe)]
    for each in found:
        if each.environment.needs_user and not recipe.user and (recipe.samples or each.split):
            raise Refused(
                f"{each.name} is a conversation with a user, whom a model has to play: name one by user in the recipe, "
                "or write the user's part: user(self, reply) in its Environment"
            )
    if reward_model:
        found = [msgspec.structs.replace(each, verifier=RewardModel(reward_model, each.verifier)) for each in found]
    return found


def rehearsed_of(recipe: Recipe) -> list[TrainingEnvironment]:
    """Where what the start says by itself is rehearsed; the weight is the share."""
    found: list[TrainingEnvironment] = []
    for name, share in recipe.rehearse.items():
        environment = load_environment(name)
        if environment.needs_user:
            raise Refused(f"rehearse: {name} is a conversation with a user whom a model plays, and cannot be rehearsed")
        tasks = tasks_of(environment, "train")
        check_held_out(environment, tasks)
        found.append(
            TrainingEnvironment(environment=environment, verifier=environment.verifier, weight=share, tasks=tasks)
        )
    return found


def with_tasks(environments: list[TrainingEnvironment], recipe: Recipe) -> list[TrainingEnvironment]:
    """With the training tasks of each, none of which is held out."""
    made: list[TrainingEnvironment] = []
    for each in environments:
        tasks = tasks_of(each.environment, "train")
        if recipe.part:
            tasks = take_part(tasks, parse_part(recipe.part))
        if not tasks:
            raise Refused(f"{each.name}: no training family falls into part {recipe.part}; divide into fewer parts")
        if recipe.num_tasks is not None:
            tasks = pick(tasks, recipe.num_tasks, recipe.seed)
        check_held_out(each.environment, tasks)
        made.append(msgspec.structs.replace(each, tasks=tasks))
    return made


def check_held_out(environment: EnvironmentSpec, tasks: list[Task]) -> None:
    """Held-out families are never trained on."""
    wrong = [task for task in tasks if task.split != "train"]
    if wrong:
        raise Refused(
            f'{environment.name}: tasks("train") holds {wrong[0].id} of split "{wrong[0].split}"; it is held out'
        )
    for split in set(environment.suites.values()):
        check_split(tasks, environment.tasks(split), prompts=not environment.steps)


def check_rows(environment: EnvironmentSpec, dataset: Dataset, rows: Iterable[Example | Preference]) -> None:
    """No row is of a family that is held out, or asks what a held-out task asks, word for word (a game's tasks may all do)."""
    held_out = [task for split in sorted(set(environment.suites.values())) for task in environment.tasks(split)]
    families = sorted({family_of(task) for task in held_out} & set(dataset.families))
    if families:
        raise Refused(
            f"data: {dataset.name} holds family {families[0]}, which {environment.name} holds out; "
            "held-out families are never trained on"
        )
    asked = {prompt_of(task): task for task in held_out} if not environment.steps else {}
    for row in rows:
        task = asked.get(_asks(row)) if asked else None
        if task is not None:
            raise Refused(
                f'data: {dataset.name} asks in "{row.task}" what {environment.name} holds out as {task.id}, word for word; '
                "held-out tasks are never trained on"
            )


def _asks(row: Example | Preference) -> str:
    """What a row asks, without the system prompt, as `prompt_of` a task."""
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
            raise not_found(what, name, known, f"These are the ones of {environment.name}.")
    environment = judged_by(environment, names[0] if names else "")
    verifier: Verifier = environment.verifier
    if isinstance(recipe.reward, dict) and names:
        verifier = Weighted({name: (weight, environment.verifiers[name]) for name, weight in recipe.reward.items()})
    return TrainingEnvironment(environment=environment, verifier=verifier, split=_split(recipe, environment))


def _of_mixture(recipe: Recipe, environment: EnvironmentSpec, weight: float) -> TrainingEnvironment:
    if isinstance(recipe.reward, dict):
        raise BadInput(
            "reward: several rewards are of one environment; in a mixture let each environment combine its own"
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
            raise not_found(what, str(name), sorted(known), "These are the ones of the mixture's environments.")


def _split(recipe: Recipe, environment: EnvironmentSpec) -> str:
    wanted, part = split_part(recipe.held_out_eval)
    split = next(iter(environment.suites.values()), "") if wanted == "all" else environment.suites.get(wanted, "")
    return f"{split} {part}" if split and part else split
