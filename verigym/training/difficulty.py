"""Difficulty memory: how often each task passed lately, and which tasks to draw next.

A task that always passes or never passes teaches a group nothing. So tasks are drawn by p(1 - p), where p is the running pass
rate, and tasks that are solved pause for some steps. The memory is read from stored episodes only, so a resumed run draws the
same tasks. It needs no torch.
"""

import random
from collections.abc import Sequence

from msgspec import Struct

from verigym.core.records import Task
from verigym.store.database import Store
from verigym.training.recipe_groups import Difficulty


class TaskRate(Struct):
    """What is known of one task: decayed counts of its attempts, and the last step that tried it."""

    passed: float = 0.0
    failed: float = 0.0
    attempts: int = 0
    """All attempts, not decayed."""
    last: int = 0

    @property
    def rate(self) -> float:
        """The mean of a Beta distribution with the prior Beta(1, 1): one half if the task was never tried."""
        return (1 + self.passed) / (2 + self.passed + self.failed)


class DifficultyMemory:
    """The running pass rates of a run's tasks, by (environment, task)."""

    def __init__(self, settings: Difficulty = Difficulty()) -> None:
        self.settings = settings
        self.rates: dict[tuple[str, str], TaskRate] = {}
        self.step = 0
        """The last step that it knows."""

    def add(self, step: int, key: tuple[str, str], passed: int, failed: int) -> None:
        """Adds the attempts of one group. What was known before counts less, because the weights have changed."""
        known = self.rates.setdefault(key, TaskRate())
        known.passed = self.settings.decay * known.passed + passed
        known.failed = self.settings.decay * known.failed + failed
        known.attempts += passed + failed
        known.last = step

    def read(self, store: Store, run: str, before: int) -> None:
        """Adds the stored episodes of the steps before this one that it does not know yet."""
        for step in range(self.step + 1, before):
            name = f"{run}/step-{step:04d}"
            for child in store.runs_from(name):
                if child.id[len(name) : len(name) + 1] not in ("", ".", "-"):
                    continue
                counts: dict[str, list[int]] = {}
                for one in store.statuses(child.id, str(child.config.get("verifier", "")) or child.verifier):
                    if one.reward is not None:
                        counts.setdefault(one.task, [0, 0])[0 if one.passed else 1] += 1
                for task, (passed, failed) in sorted(counts.items()):
                    self.add(step, (str(child.config.get("environment", "")), task), passed, failed)
        self.step = max(self.step, before - 1)

    def weight(self, key: tuple[str, str]) -> float:
        rate = self.rates[key].rate if key in self.rates else 0.5
        return rate * (1 - rate) + self.settings.floor

    def paused(self, key: tuple[str, str], step: int) -> bool:
        """Whether the task is solved and was tried lately."""
        known = self.rates.get(key)
        return known is not None and known.rate >= self.settings.solved and step - known.last <= self.settings.pause

    def draw(self, source: str, tasks: Sequence[Task], count: int, step: int, chance: random.Random) -> list[Task]:
        """Draws distinct tasks in proportion to their weights. Paused ones fill up if there are too few others, the longest
        paused first."""
        keys = [(source, task.id) for task in tasks]
        order = sorted(
            (self.paused(key, step), self._rank(key, step, chance.random()), index) for index, key in enumerate(keys)
        )
        return [tasks[index] for *_, index in order[:count]]

    def _rank(self, key: tuple[str, str], step: int, uniform: float) -> float:
        """A sort key. Of tasks that are not paused, the smallest are a weighted draw without replacement (Efraimidis and
        Spirakis 2006)."""
        if self.paused(key, step):
            return float(self.rates[key].last)
        return -(uniform ** (1 / self.weight(key)))

    def metrics(self, num_tasks: int, step: int) -> dict[str, float]:
        """How many tasks were tried, and how many pause."""
        paused = sum(self.paused(key, step) for key in self.rates)
        return {"tried_tasks": len(self.rates) / max(1, num_tasks), "paused_tasks": paused / max(1, num_tasks)}


BANDS = (("never passed", 0.0), ("under 20%", 0.2), ("20% to 50%", 0.5), ("50% to 80%", 0.8), ("80% and more", 1.01))
"""Names of ranges of pass rates, each with its upper end."""


def bands(rates: Sequence[TaskRate]) -> dict[str, int]:
    """How many tasks lie in each range of decayed pass rates, without the prior."""
    counts = {name: 0 for name, _ in BANDS}
    for one in rates:
        share = one.passed / (one.passed + one.failed)
        counts[next(name for name, top in BANDS if share < top or share == top == 0.0)] += 1
    return counts
