"""Gymnasium's toy_text: `gymnasium:Taxi-v4?size=200&val=100&seed=0&OPTION=VALUE`, one action in words per reply.

`size` and `val` are the numbers of training and held-out tasks. Other options go to `gymnasium.make` (`is_slippery=false`).
A task is a seed. Tasks with the same start (the map, the first hand) are one family, and the hash of the start decides the
split, so a start is never in both. `maps=6` gives FrozenLake a random map of 6 x 6 per task. Rewards of the steps are
Gymnasium's own. The verdict is whether the game was won.
"""

import contextlib
import functools
import importlib
import itertools
import json
import warnings
from collections.abc import Iterator
from typing import Any

import msgspec

from verigym.core.errors import BadInput, not_found
from verigym.core.records import Json, Task, Trajectory, Verdict, content_hash
from verigym.environments.bridges.about import Bridge, Package
from verigym.environments.bridges.find import name_and_options, stable, whole_number
from verigym.environments.bridges.gymnasium_worlds import GAMES, Game
from verigym.environments.bridges.install import require
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.verifiers.lift import lift
from verigym.verifiers.version import version

BRIDGE = Bridge(
    example="gymnasium:Taxi-v4",
    what="the games of Gymnasium's toy_text, in words",
    package=Package(
        name="gymnasium",
        version="1.4.0",
        place="folder",
        module="gymnasium",
        without_requirements=("gymnasium==1.4.0", "farama-notifications==0.0.6", "cloudpickle==3.1.2"),
        why="a folder of its own changes no other package, and its games need little more than numpy",
    ),
    licence="MIT",
    names=(
        "gymnasium:Taxi-v4",
        "gymnasium:FrozenLake-v1?maps=6&is_slippery=false",
        "gymnasium:CliffWalking-v1",
        "gymnasium:Blackjack-v1",
    ),
)
_SPLITS = ("val", "train")
_MOST = 10_000
_RANGE = 1_000_000
"""Seeds that one value of `seed` may use."""
_SEARCHED = 50
"""Seeds that are tried per task, before the starts count as exhausted."""
_TURNS = 100
"""Steps of a game for which Gymnasium has no limit."""


class World(msgspec.Struct, frozen=True):
    """What `gymnasium.make` is called with."""

    id: str
    options: str
    """JSON with sorted keys."""
    maps: int = 0
    """Side of the random map of a task. 0 for the map of the game."""

    @property
    def game(self) -> Game:
        return GAMES[self.id]


_idle: dict[World, list[Any]] = {}
"""Environments that no episode uses. `reset(seed=)` sets everything in them, and making one takes longer than an episode."""


def _make(world: World, seed: int) -> Any:
    """An environment for a seed: an idle one, or a new one."""
    with contextlib.suppress(IndexError, KeyError):
        return _idle[world].pop()
    require("gymnasium")
    gymnasium: Any = importlib.import_module("gymnasium")
    options = json.loads(world.options)
    if world.maps:
        lake: Any = importlib.import_module("gymnasium.envs.toy_text.frozen_lake")
        options["desc"] = lake.generate_random_map(world.maps, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice to use a newer version
        return gymnasium.make(world.id, disable_env_checker=True, **options)


def _keep(world: World, env: Any) -> None:
    if not world.maps:  # a map belongs to one task
        _idle.setdefault(world, []).append(env)


class Play:
    """One game."""

    world: World
    env: Any = None

    def open(self, task: Task) -> None:
        seed = int(task.data["seed"])
        self.env = _make(self.world, seed)
        self.total, self.steps, self.ended, self.won = 0.0, 0, False, False
        self.env.reset(seed=seed)

    def step(self, reply: str) -> tuple[str, float, bool]:
        game = self.world.game
        action = action_in(reply, game.actions)
        if action is None:
            return f"Write one action, alone on the last line: {', '.join(game.actions)}.", 0.0, False
        observation, reward, terminated, truncated, _ = self.env.step(action)
        reward = float(reward)
        self.total, self.steps, self.ended = self.total + reward, self.steps + 1, terminated or truncated
        self.won = bool(terminated) and game.won(self.env.unwrapped, reward)
        return game.describe(self.env.unwrapped, observation), reward, self.ended

    def end_state(self) -> Json:
        return {"return": self.total, "steps": self.steps, "ended": bool(self.ended), "won": self.won}

    def close(self) -> None:
        if self.env is not None:
            _keep(self.world, self.env)
            self.env = None


def action_in(reply: str, actions: tuple[str, ...]) -> int | None:
    """The number of the action on the last line of a reply, or None. A sentence that mentions an action is not an action."""
    lines = reply.strip().splitlines()
    word = lines[-1].strip(" \t.,!*`\"'").lower() if lines else ""
    return actions.index(word) if word in actions else None


def won_game(task: Task, trajectory: Trajectory) -> Verdict:
    """1 for a game that was won, otherwise 0. The return of Gymnasium is a part of the verdict."""
    end = trajectory.end_state
    won = bool(end["won"])
    how = "won" if won else "lost" if end["ended"] else "not finished"
    words = f"the game was {how} after {end['steps']} steps with a return of {end['return']:g}"
    return Verdict(
        reward=float(won), passed=won, parts={"return": end["return"], "steps": float(end["steps"])}, evidence=words
    )


def load(where: str, rest: str) -> EnvironmentSpec:
    name, options = name_and_options(where, rest)
    if name not in GAMES:
        raise not_found("game of Gymnasium's toy_text", name, GAMES)
    package = require("gymnasium")
    size = whole_number(where, options, "size", 200, 1, _MOST)
    val = whole_number(where, options, "val", 100, 1, _MOST)
    first = whole_number(where, options, "seed", 0, 0, 1000) * _RANGE
    turns = whole_number(where, options, "turns", 0, 0, 100_000)
    maps = whole_number(where, options, "maps", 0, 0, 20)
    if maps and not name.startswith("FrozenLake"):
        raise BadInput(f'"{where}": only FrozenLake has maps. Remove maps')
    world = World(name, stable(options), maps)
    steps = _checked(where, world)
    kind = type("Environment", (Play,), {"world": world, "__module__": __name__})

    def tasks(split: str) -> list[Task]:
        return list(_tasks(world, first, size, val)[split]) if split in _SPLITS else []

    return EnvironmentSpec(
        name=where,
        tasks=tasks,
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={"won_game": lift("won_game", won_game)},
        suites={"val": "val"},
        system=f"Play a game. Write one action, alone on the last line of your reply: {', '.join(world.game.actions)}.",
        max_turns=turns or steps,
        gold=functools.partial(gold, world),
        cheats=cheats,
        version=f"{version(Play)}-gymnasium-{package}",
    )


def _checked(where: str, world: World) -> int:
    """The limit of steps. Raises BadInput if Gymnasium refuses the options."""
    try:
        env = _make(world, 0)
        env.reset(seed=0)
    except (TypeError, ValueError, KeyError, AssertionError) as error:
        words = str(error).replace("\n", " ")[:300]
        raise BadInput(f'"{where}": Gymnasium refuses these options: {words}. Remove or correct them') from error
    _keep(world, env)
    return env.spec.max_episode_steps or _TURNS


def gold(world: World, task: Task) -> list[str] | None:
    """What a planner plays that knows the rules of the game. None where it loses, because luck decides too."""
    env, seed = _make(world, int(task.data["seed"])), int(task.data["seed"])
    try:
        observation, _ = env.reset(seed=seed)
        policy, replies = _plan(world, seed if world.maps else 0), list[str]()
        while True:
            action = policy(observation)
            replies.append(world.game.actions[action])
            observation, reward, terminated, truncated, _ = env.step(action)
            if terminated or truncated or len(replies) >= _MOST:
                return replies if terminated and world.game.won(env.unwrapped, float(reward)) else None
    finally:
        _keep(world, env)


def cheats(task: Task) -> list[Any]:
    """Claims instead of actions, and actions with more around them."""
    return ["I won the game.", ["Done."] * 3, f"The answer is: {task.data['start']}"]


@functools.lru_cache(maxsize=256)
def _plan(world: World, seed: int) -> Any:
    env = _make(world, seed)
    try:
        return world.game.plan(env.unwrapped)
    finally:
        _keep(world, env)


# -- tasks ----------------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=32)
def _tasks(world: World, first: int, size: int, val: int) -> dict[str, tuple[Task, ...]]:
    """Tasks of both splits. Every start comes once while there are others. A game with one start has held-out tasks only."""
    wanted, found = {"train": size, "val": val}, {"train": list[Task](), "val": list[Task]()}
    repeats: dict[str, list[Task]] = {"train": [], "val": []}
    seen: set[str] = set()
    for task in itertools.islice(_by_seed(world, first), _SEARCHED * (size + val)):
        chosen = repeats if task.family in seen else found
        seen.add(task.family)
        if len(chosen[task.split]) < wanted[task.split]:
            chosen[task.split].append(task)
        if all(len(found[split]) >= wanted[split] for split in _SPLITS):
            break
    if len(seen) == 1:
        held_out = itertools.islice(_by_seed(world, first), val if _by_luck(world) else 1)
        return {"train": (), "val": tuple(msgspec.structs.replace(task, split="val") for task in held_out)}
    if _by_luck(world):
        found = {split: [*found[split], *repeats[split]][: wanted[split]] for split in _SPLITS}
    return {split: tuple(found[split]) for split in _SPLITS}


def _by_luck(world: World) -> bool:
    """Whether two seeds with the same start can differ."""
    env = _make(world, 0)
    table = getattr(env.unwrapped, "P", None)
    _keep(world, env)
    fickle = bool(getattr(env.unwrapped, "fickle_passenger", False))
    return table is None or fickle or any(len(each) > 1 for by in table.values() for each in by.values())


def _by_seed(world: World, first: int) -> Iterator[Task]:
    for seed in itertools.count(first):
        env = _make(world, seed)
        observation, _ = env.reset(seed=seed)
        start = world.game.start(env.unwrapped, observation)
        shown = world.game.describe(env.unwrapped, observation)
        _keep(world, env)
        family = f"{world.id}-{content_hash([world.id, start])[:12]}"
        yield Task(
            id=f"{world.id}-{seed}-{content_hash(world.options + str(world.maps))[:4]}",
            prompt=f"{world.game.rules}\n\n{shown}",
            data={"seed": seed, "start": start},
            split="val" if int(content_hash(family)[:8], 16) % 3 == 0 else "train",
            family=family,
            lineage=[f"gymnasium:{world.id} seed {seed} {world.options}"],
        )
