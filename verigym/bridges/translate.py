"""A recipe as the configuration of another trainer, for models that are too large for ours: `translate(recipe, "verl")`.

Each trainer has a file `to_*` with `settings(fields, plan)`. It asks `fields` for the fields of the recipe that it can express.
Everything else that the recipe sets is listed in words (`Translation.notes`) and never dropped in silence.
"""

import importlib
from collections.abc import Callable
from typing import Any

import msgspec

from verigym.bridges.episodes import PeerEnvironment
from verigym.core.errors import BadInput, not_found
from verigym.core.records import Json
from verigym.environments.load import find_by_verifier
from verigym.training.defaults import warmup
from verigym.training.recipe import Recipe, filled, with_defaults

TARGETS = {"nemo-rl": "NeMo RL", "verl": "verl", "prime-rl": "prime-rl", "openrlhf": "OpenRLHF"}
SAMPLING = ("grpo", "dr_grpo", "dapo", "gspo", "cispo", "rloo", "ppo")
EMBEDDED = {"smollm2-135m": "HuggingFaceTB/SmolLM2-135M-Instruct"}
_REASONS = {
    "start": "Train from a folder: verigym models export VERSION --merged, and name it as the model",
    "data": "It trains on new episodes",
    "agent": "It drives the episodes itself",
    "judge": "Its environments have no judge",
    "user": "Its environments have no model that plays the user",
    "reward_model": "The reward is the environment's verifier",
    "rehearse": "It has no rehearsal",
    "held_out_eval": "It evaluates the val split. Evaluate the result with verigym eval",
    "eval_tasks": "It evaluates the whole val split",
    "num_tasks": "Rows hold all training tasks",
    "part": "Rows hold all training tasks",
    "dollars_per_hour": "It does not compute costs",
    "trackers": "Set its own logger",
}


class Plan(msgspec.Struct, frozen=True):
    """What a configuration needs besides the recipe."""

    environments: dict[str, float]
    """Names of the environments with their shares."""
    max_turns: int
    has_tools: bool
    answers: bool = False
    """Whether the environment answers what the agent says (step or user)."""
    rows: str = "rows"
    """Folder of the rows."""
    context: int = 8192
    """Maximum tokens of a whole conversation."""

    @property
    def environment(self) -> str:
        return next(iter(self.environments))


class Translation(msgspec.Struct, frozen=True):
    target: str
    text: str
    """The file."""
    plan: Plan
    notes: list[str]
    """What the recipe sets and the trainer cannot express, or expresses differently. One sentence each."""


class Fields:
    """The fields of a recipe, and which of them were asked for."""

    def __init__(self, recipe: Recipe, target: str) -> None:
        self.recipe, self.target = recipe, target
        self.notes: list[str] = []
        self._asked: set[str] = set()

    def __call__(self, name: str) -> Any:
        """The value of a field, such as `loss.kl`. It counts as translated."""
        self._asked.add(name)
        value: Any = self.recipe
        for part in name.split("."):
            value = getattr(value, part)
        return value

    def note(self, name: str, words: str) -> None:
        """Says how a field differs. It counts as handled."""
        self._asked.add(name)
        self.notes.append(f"{name}: {_shown(self(name))}. {words}")

    def unset(self, name: str, default: str) -> None:
        """Says that the recipe leaves a field to Verigym, which computes it when it trains."""
        self._asked.add(name)
        self.notes.append(f"{name}: not set. Verigym computes it from model and data. {self.target} uses {default}")

    def number(self, name: str, default: str) -> Any:
        """The value of a field, or None with a note if the recipe does not set it."""
        value = self(name)
        if value is None:
            self.unset(name, default)
        return value

    def left(self) -> list[str]:
        """The fields that the recipe sets and nobody asked for, in words."""
        usual = dict(_leaves(filled(Recipe(model=self.recipe.model, algorithm=self.recipe.algorithm))))
        lines: list[str] = []
        for name, value in _leaves(self.recipe):
            if name in self._asked or value == usual[name]:
                continue
            reason = _REASONS.get(name) or f"No equivalent in {self.target} is known"
            lines.append(f"{name}: {_shown(value)}. {reason}")
        return lines


def translate(recipe: Recipe, target: str, rows: str = "rows", context: int = 8192) -> Translation:
    if target not in TARGETS:
        raise not_found("trainer", target, TARGETS)
    if recipe.algorithm not in SAMPLING:
        raise BadInput(
            f"algorithm: {recipe.algorithm} cannot be translated. Only methods that sample episodes can: {', '.join(SAMPLING)}. "
            "For the others, export the data (verigym data export) and use the trainer's own example"
        )
    plan = _plan(recipe, rows, context)
    if len(plan.environments) > 1 and target != "prime-rl":
        raise BadInput(
            f"environments: {TARGETS[target]} gets one environment per configuration. Name one with "
            "environment=NAME environments={}, or use --to prime-rl, which takes a mixture"
        )
    if plan.answers and target in ("verl", "nemo-rl"):
        raise BadInput(
            f"{plan.environment} answers the agent's messages (step or user). {TARGETS[target]} ends an episode at the first "
            "reply without a call. Use --to openrlhf or --to prime-rl"
        )
    fields = Fields(_with_defaults(recipe, plan.max_turns > 1), TARGETS[target])
    write: Callable[[Fields, Plan], str] = importlib.import_module(
        f"verigym.bridges.to_{target.replace('-', '_')}"
    ).text
    body = write(fields, plan)
    notes = [*fields.notes, *fields.left()]
    return Translation(target, _head(recipe, target, notes) + body, plan, notes)


def _with_defaults(recipe: Recipe, several: bool) -> Recipe:
    """The recipe with the defaults that need no model. `several`: episodes have several replies."""
    average = "tokens" if several or recipe.algorithm != "grpo" else "sequences"
    return msgspec.structs.replace(
        recipe,
        loss=with_defaults(recipe.loss, {"average": average}),
        advantage=with_defaults(recipe.advantage, {"scale": "batch" if several else "group"}),
        optimizer=with_defaults(recipe.optimizer, {"warmup": warmup(recipe)}),
    )


def turns_of(fields: Fields, plan: Plan, name: str) -> None:
    """For trainers that leave the number of replies to the environment."""
    turns = fields("limits.turns")
    if turns is not None and turns != plan.max_turns:
        fields.note("limits.turns", f"{name} leaves it to the environment, which allows {plan.max_turns}")


def _plan(recipe: Recipe, rows: str, context: int) -> Plan:
    shares = dict(recipe.environments) or ({recipe.environment: 1.0} if recipe.environment else {})
    if not shares:
        named = recipe.reward if isinstance(recipe.reward, str) else next(iter(recipe.reward), "")
        if not named:
            raise BadInput("The recipe names no environment. Add environment: NAME")
        shares = {find_by_verifier(named).name: 1.0}
    specs = [PeerEnvironment(name).spec for name in shares]  # it refuses what no other trainer can drive
    turns, tools = max(spec.max_turns for spec in specs), any(spec.has_tools for spec in specs)
    answers = any(spec.steps or spec.scripted_user for spec in specs)
    return Plan(shares, turns, tools, answers, rows, context)


def model_of(fields: Fields) -> str:
    """The model as a hub knows it."""
    name: str = fields("model")
    if name in EMBEDDED:
        fields.note("model", f"{EMBEDDED[name]} is written, because only Verigym embeds it")
    return EMBEDDED.get(name, name)


def lora_of(fields: Fields) -> dict[str, Any] | None:
    """Rank, alpha, dropout and target modules. None if all parameters are trained."""
    adapter = fields("adapter")
    if adapter == "full":
        for name in ("lora.r", "lora.alpha", "lora.dropout", "lora.targets"):
            fields(name)
        return None
    targets = fields("lora.targets")
    known = targets == "all" or (isinstance(targets, list) and not {"all", "head", "embeddings"} & set(targets))
    if not known:
        fields.note("lora.targets", "All linear layers are written")
    return {
        "rank": fields("lora.r"),
        "alpha": fields("lora.alpha"),
        "dropout": fields("lora.dropout"),
        "targets": targets if isinstance(targets, list) and known else None,
    }


def reward_of(fields: Fields) -> None:
    """The bridges score with the environment's first verifier."""
    reward = fields("reward")
    for name in ("environment", "environments"):  # they are in the plan
        fields(name)
    if isinstance(reward, dict):
        fields.note("reward", "The environment's first verifier alone gives the reward")


def updates_of(fields: Fields, size: int) -> int:
    """The size of a batch of one update."""
    updates = fields("updates_per_batch") or 1
    if size % updates:
        fields.note("updates_per_batch", f"{size} cannot be divided by it, so the batches of updates differ")
    return max(1, size // updates)


def _leaves(group: msgspec.Struct, prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for field in msgspec.structs.fields(group):
        value = getattr(group, field.name)
        if isinstance(value, msgspec.Struct):
            found += _leaves(value, f"{prefix}{field.name}.")
        else:
            found.append((prefix + field.name, value))
    return found


def _shown(value: Any) -> str:
    return msgspec.json.encode(value).decode() if not isinstance(value, str) else value


def _head(recipe: Recipe, target: str, notes: list[str]) -> str:
    lines = [f"Written by verigym recipe translate for {TARGETS[target]}: {recipe.algorithm} of {recipe.model}."]
    lines += ["", "Not translated, or different:", *(f"- {note}" for note in notes)] if notes else []
    return "".join(f"# {line}".rstrip() + "\n" for line in lines) + "\n"


def nested(flat: Json) -> Json:
    """`{"a.b": 1}` as `{"a": {"b": 1}}`, without values that are None."""
    made: Json = {}
    for name, value in flat.items():
        if value is None:
            continue
        *groups, last = name.split(".")
        place = made
        for group in groups:
            place = place.setdefault(group, {})
        place[last] = value
    return made
