"""What tests of training have in common: a tiny model as a folder, small environments as files, a recipe of two steps."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from tests.tiny import tiny
from verigym.cli.main import app
from verigym.core.records import Dataset, Example, Json, Message, Preference, Sampling, Version
from verigym.environments.load import load_environment
from verigym.rollout.settings import RunSettings
from verigym.training import loop
from verigym.training.recipe import Recipe, make_recipe
from verigym.workspace import datasets as data
from verigym.workspace import measure as stages
from verigym.workspace.train import OnStep, nothing, train
from verigym.workspace.workspace import WorkspaceFolder

LETTERS = "abcdefghijkl"
HEAD = """
from verigym import Task
from verigym.core.records import Verdict

def tasks(split):
    return [
        Task(id=f"{split}/{letter}", prompt=f"{split} {letter}", data={"answer": letter}, split=split, family=f"{split}-{letter}")
        for letter in "abcdefghijkl"
    ]

suites = {"desk_eval": "val"}
"""
DESK = (
    HEAD
    + """
class Environment:
    max_turns = 1
    def open(self, task): ...

def letters(task, trajectory):
    share = sum(each.islower() for each in trajectory.reply) / 8
    return Verdict(reward=share, passed=share >= 0.25, parts={"lower": share})

def short(task, trajectory):
    return 1 - len(trajectory.reply) / 16

verifiers = {"letters": letters, "short": short}
"""
)
"""A reply should be of small letters; of every group some do better than others."""
WALK = (
    HEAD
    + """
class Environment:
    max_turns = 3
    def open(self, task): ...
    def step(self, reply):
        return "go on", sum(each.islower() for each in reply) / 8, False

def verify(task, trajectory):
    return sum(trajectory.rewards)
"""
)
"""Three steps, each with a reward."""


def desk(verify: str, name: str = "verify") -> str:
    """An environment whose verifier has this body."""
    return (
        HEAD
        + f"class Environment:\n    max_turns = 1\n    def open(self, task): ...\ndef {name}(task, trajectory):\n    {verify}\n"
    )


def save_tiny(folder: Path, seed: int = 0) -> Path:
    made = tiny(seed, window=4096)
    made.model.save_pretrained(folder)
    made.tokenizer.save_pretrained(folder)
    return folder


class Bench:
    """A workspace, a model and environments to train in."""

    def __init__(self, place: Path, model: Path) -> None:
        self.place, self.model = place, model
        place.mkdir(exist_ok=True)
        self.ws = WorkspaceFolder(place / "home")
        self.desk = self.file("desk.py", DESK)

    def file(self, name: str, text: str) -> str:
        (self.place / name).write_text(text)
        return str(self.place / name)

    def recipe(self, algorithm: str = "grpo", **fields: Any) -> Recipe:
        """Two steps of two tasks, four tries each; a field that is None is left out."""
        sampled = algorithm not in ("sft", "dpo", "kto", "reward")
        plain: Json = {
            "model": str(self.model),
            "algorithm": algorithm,
            "environment": self.desk,
            "steps": 2,
            "prompts_per_step": 2,
            "learning_rate": 0.01,
            "max_tokens": 8,
            "lora": {"r": 2},
            "eval_interval": 1,
        }
        plain |= {"num_generations_per_prompt": 4} if sampled else {}
        plain |= {} if algorithm == "reward" else {"held_out_eval": "desk_eval", "eval_tasks": 3}
        given = {key: value for key, value in {**plain, **fields}.items() if value is not None}
        return make_recipe(given, [], "a test")

    def train(self, algorithm: str = "grpo", on_step: OnStep = nothing, **fields: Any) -> tuple[Version, str]:
        return train(self.ws, self.recipe(algorithm, **fields), on_step)

    def metrics(self, run: str) -> dict[int, dict[str, float]]:
        return self.ws.store.metrics(run)

    def children(self, run: str) -> list[str]:
        return sorted(child.id for child in self.ws.store.runs(parent=run))

    def rollout(self, k: int = 6, split: str = "train") -> str:
        environment = load_environment(self.desk)
        setting = RunSettings(k=k, sampling=Sampling(max_tokens=80))  # long enough for some to end by themselves
        return stages.rollout(
            self.ws,
            environment,
            self.ws.agent(str(self.model)),
            environment.tasks(split),
            setting,
            name=f"tries-{split}",
        )

    def pairs(self) -> Dataset:
        return data.from_rewards(self.ws, self.rollout())

    def thumbs(self) -> Dataset:
        return data.from_thumbs(self.ws, self.rollout(), verdicts=True)

    def demos(self) -> Dataset:
        return data.from_demonstrations(self.ws, self.rollout(), per_task=2)

    def shell(self, *words: str, code: int = 0) -> str:
        """A command as it is typed; its words."""
        done = CliRunner().invoke(app, [*words], env={"VERIGYM_HOME": str(self.ws.home)})
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == code, done.output
        return done.output

    def nothing_was_begun(self) -> bool:
        """No run, no adapter, no checkpoint."""
        files = [each for name in ("adapters", "checkpoints") for each in self.ws.home.glob(f"{name}/*")]
        return not files and not self.ws.store.runs(parent=None)

    def recipe_file(self, algorithm: str = "grpo", **fields: Any) -> str:
        """The same recipe as a file, which a command can be given (JSON is YAML)."""
        recipe = msgspec.to_builtins(self.recipe(algorithm, **fields))
        return self.file(
            f"{algorithm}.yaml", json.dumps({key: value for key, value in recipe.items() if value is not None})
        )


def assert_a_killed_run_ends_in_the_same_weights(fresh: Bench, monkeypatch: pytest.MonkeyPatch, **fields: Any) -> None:
    """A run of three steps of grpo that is killed after the second and repeated has the weights of one that was not."""
    monkeypatch.setattr(loop, "CHECKPOINT_S", 0.0)
    monkeypatch.setattr(loop, "CHECKPOINT_SHARE", 0)
    whole = Bench(fresh.place / "whole", fresh.model)
    recipe = fresh.recipe("grpo", steps=3, **fields)
    wanted, _ = train(whole.ws, recipe)

    class Killed(Exception):
        pass

    def die(step: int, *_: Any) -> None:
        if step == 2:
            raise Killed

    with pytest.raises(Killed):
        train(fresh.ws, recipe, die)
    assert train(fresh.ws, recipe)[0].adapter == wanted.adapter


def example(family: str, text: str = "abc") -> Example:
    return Example(
        task=family, family=family, items=[Message("user", f"say {text}"), Message("assistant", text)], made=[(1, 2)]
    )


def preference(family: str) -> Preference:
    asked, chosen, rejected = Message("user", family), Message("assistant", "yes"), Message("assistant", "NO")
    return Preference(task=family, family=family, prompt=[asked], chosen=[chosen], rejected=[rejected])


def keep(ws: WorkspaceFolder, *rows: Example | Preference, name: str = "") -> Dataset:
    return data.keep(ws, list(rows), {"kept": len(rows)}, environment="desk", source="a test", name=name)  # type: ignore[arg-type]
