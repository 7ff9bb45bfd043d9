"""The difficulty of a training run's tasks, from its stored episodes: how many pass how often, and which are hardest."""

import msgspec
from msgspec import Struct

from verigym.core.words import counted, percent
from verigym.training.difficulty import DifficultyMemory, TaskRate, bands
from verigym.training.recipe import Recipe
from verigym.workspace.workspace import WorkspaceFolder


class DifficultyReport(Struct, frozen=True, kw_only=True):
    run: str
    steps: int
    bands: dict[str, int]
    """Range of pass rates to the number of tasks in it."""
    paused: int
    """Tasks that are solved and pause at the next step. 0 if the run draws uniformly."""
    tasks: list[tuple[str, str, TaskRate]]
    """Environment, task and its rate, hardest first."""

    @property
    def lines(self) -> list[str]:
        if not self.tasks:
            return []
        ranges = ", ".join(f"{count} {name}" for name, count in self.bands.items() if count)
        paused = f". {counted(self.paused, 'solved task')} pause" if self.paused else ""
        return [f"difficulty of {counted(len(self.tasks), 'task')} that it tried: {ranges}{paused}"]

    @property
    def rows(self) -> list[tuple[str, str, str, int, int]]:
        """Environment, task, running pass rate, attempts, last step."""
        return [
            (source, task, percent(one.passed / (one.passed + one.failed), 0), one.attempts, one.last)
            for source, task, one in self.tasks
        ]


def difficulty_report(ws: WorkspaceFolder, run: str) -> DifficultyReport:
    """What the stored episodes of a training run say about its tasks. Empty for other runs."""
    try:
        recipe = msgspec.convert(ws.store.run(run).config.get("recipe"), Recipe)
    except msgspec.ValidationError:
        return DifficultyReport(run=run, steps=0, bands={}, paused=0, tasks=[])
    memory, last = DifficultyMemory(recipe.difficulty), max(ws.store.metrics(run), default=0)
    if recipe.samples:
        memory.read(ws.store, run, last + 1)
    draws = recipe.difficulty.draw == "signal"
    return DifficultyReport(
        run=run,
        steps=last,
        bands=bands(list(memory.rates.values())),
        paused=sum(memory.paused(key, last + 1) for key in memory.rates) if draws else 0,
        tasks=sorted(
            ((source, task, one) for (source, task), one in memory.rates.items()),
            key=lambda row: (row[2].rate, -row[2].attempts, row[:2]),
        ),
    )
