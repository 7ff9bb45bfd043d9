"""The environments of a recipe, each with its training tasks, its verifier and its held-out suite."""

import msgspec

from verigym.core.errors import BadInput, Refused, not_found
from verigym.core.protocols import Verifier
from verigym.environments.load import find_by_verifier, load_environment
from verigym.evaluation.suites import parse_part, pick, split_part, take_part
from verigym.harness.environment import live_tools
from verigym.training.environments import TrainingEnvironment
from verigym.training.recipe import Recipe
from verigym.verifiers.combine import Weighted
from verigym.verifiers.reward_model import RewardModel
from verigym.workspace.leak_check import check_held_out
from verigym.workspace.measure import judged_by, tasks_of


def without_live_tools(recipe: Recipe, environments: list[TrainingEnvironment]) -> list[TrainingEnvironment]:
    """Refuses environments whose tools call a live server. Training makes thousands of calls, and repeats them."""
    for each in environments if not recipe.allow_live_tools else ():
        if each.environment.tools_files and (live := live_tools(each.environment)):
            raise Refused(
                f"{each.name}: training would call live tools ({', '.join(live[:3])}). Set replay: calls.jsonl in the tools "
                "file, so that each call is made once, or set allow_live_tools: true in the recipe"
            )
    return environments


def training_environments(recipe: Recipe, reward_model: str = "") -> list[TrainingEnvironment]:
    """The environments that a recipe trains in. `reward_model` is the id of the version that the recipe names."""
    shares = recipe.reward if isinstance(recipe.reward, dict) else {}
    rewards = list(shares) or ([recipe.reward] if isinstance(recipe.reward, str) and recipe.reward else [])
    if not rewards and not recipe.environments and not recipe.environment:
        return []  # it trains on written data alone
    if recipe.environments and shares:
        raise BadInput(
            "reward: several rewards cannot be combined with several environments. "
            "Combine the rewards inside each environment"
        )
    if recipe.environments:
        mixture = [(load_environment(name), weight) for name, weight in recipe.environments.items()]
    else:
        mixture = [(load_environment(recipe.environment) if recipe.environment else find_by_verifier(rewards[0]), 1.0)]
    suite, part = split_part(recipe.evaluated_on)
    verifiers = [name for environment, _ in mixture for name in environment.verifiers]
    suites = [*(name for environment, _ in mixture for name in environment.suites), "all"]
    for field, name, known in (*(("reward", name, verifiers) for name in rewards), ("held_out_eval", suite, suites)):
        if name and name not in known:
            owner = "the environments of the mixture" if recipe.environments else mixture[0][0].name
            raise not_found(field, name, sorted(set(known)), f"These belong to {owner}.")
    trained: list[TrainingEnvironment] = []
    for spec, weight in mixture:
        environment = judged_by(spec, rewards[0] if rewards and rewards[0] in spec.verifiers else "")
        verifier: Verifier = environment.verifier
        if shares:
            verifier = Weighted({name: (share, spec.verifiers[name]) for name, share in shares.items()})
        if reward_model:
            verifier = RewardModel(reward_model, verifier)
        split = next(iter(spec.suites.values()), "") if suite == "all" else spec.suites.get(suite, "")
        if spec.needs_user and not recipe.user and (recipe.samples or split):
            raise Refused(
                f"{spec.name} simulates a user, which needs a model. Set user in the recipe, "
                "or write a method user(self, reply) in its Environment"
            )
        split = f"{split} {part}" if split and part else split
        trained.append(TrainingEnvironment(environment=environment, verifier=verifier, weight=weight, split=split))
    return trained


def rehearsed_of(recipe: Recipe) -> list[TrainingEnvironment]:
    """The environments to rehearse. The weight of each is its share."""
    rehearsed: list[TrainingEnvironment] = []
    for name, share in recipe.rehearse.items():
        environment = load_environment(name)
        if environment.needs_user:
            raise Refused(f"rehearse: {name} simulates a user with a model, so it cannot be rehearsed. Remove it")
        tasks = tasks_of(environment, "train")
        check_held_out(environment, tasks)
        verifier = environment.verifier
        rehearsed.append(TrainingEnvironment(environment=environment, verifier=verifier, weight=share, tasks=tasks))
    return rehearsed


def with_tasks(environments: list[TrainingEnvironment], recipe: Recipe) -> list[TrainingEnvironment]:
    """The environments with their training tasks. Refuses held-out tasks."""
    complete: list[TrainingEnvironment] = []
    for each in environments:
        tasks = tasks_of(each.environment, "train")
        if recipe.part:
            tasks = take_part(tasks, parse_part(recipe.part))
        if not tasks:
            raise Refused(f"{each.name}: part {recipe.part} contains no training family. Use fewer parts")
        if recipe.num_tasks is not None:
            tasks = pick(tasks, recipe.num_tasks, recipe.seed)
        check_held_out(each.environment, tasks)
        complete.append(msgspec.structs.replace(each, tasks=tasks))
    return complete
