"""Training sets: training tasks with a name, which `ENV?train=NAME` uses instead of the shipped ones.

An environment declares them as `training_sets = {"name": function}`. Held-out tasks have no sets.
"""

import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any

from verigym.core.errors import BadInput, not_found
from verigym.core.records import Task
from verigym.harness.environment import EnvironmentSpec

SHIPPED = "shipped"
"""Name of the training tasks that `tasks("train")` returns, in `ENV?train=shipped,NAME`."""


def declared_sets(module: ModuleType, where: str) -> dict[str, Callable[[], list[Task]]]:
    """The training sets of the module, or for a shipped environment of `training_sets.py` in its folder, which is not part of
    its version: the tasks of a run are."""
    beside = f"{module.__name__}.training_sets"
    holder = module
    if hasattr(module, "__path__") and importlib.util.find_spec(beside) is not None:
        holder = importlib.import_module(beside)
    sets: Any = getattr(holder, "training_sets", {})
    if not isinstance(sets, dict) or not all(isinstance(name, str) and callable(make) for name, make in sets.items()):
        raise BadInput(f"{where}: training_sets must be a dict from a name to a function that returns a list of Task")
    if SHIPPED in sets:
        raise BadInput(f'{where}: the training set "{SHIPPED}" is that of tasks("train"). Rename yours')
    return sets


def with_training_sets(base: EnvironmentSpec, where: str, sets: list[str]) -> Callable[[str], list[Task]]:
    """The tasks of a split, where the training tasks are those of the named sets, in this order."""
    known = {SHIPPED: lambda: base.tasks("train"), **base.training_sets}
    for name in sets:
        if name not in known:
            raise not_found(f"training set of {base.name}", name, known)
    if twice := next((name for name in sets if sets.count(name) > 1), ""):
        raise BadInput(f"{where}: the training set {twice} is named twice. Remove one")

    def tasks(split: str) -> list[Task]:
        return base.tasks(split) if split != "train" else [task for name in sets for task in known[name]()]

    return tasks
