"""Keeps checkpoints of a training run: the last ones and the best one. Says when to stop early, and which checkpoint to use.

The resume state of a run is something else: `training/loop.py` writes it every few seconds and it goes away with the run. A kept
checkpoint has only the weights, as an adapter of the workspace. A kill between two lines leaves at most an adapter that no record
names, which `verigym gc` deletes.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from verigym.core.records import Version
from verigym.core.words import counted, percent, size
from verigym.registry.checkpoints import KIND, SCORES, KeptCheckpoint, best_of, kept_checkpoints
from verigym.registry.versions import version_id
from verigym.training.recipe import Recipe
from verigym.workspace.workspace import WorkspaceFolder

Metrics = Mapping[str, float]
VersionOf = Callable[[str, int], Version]
"""Maps an adapter and a step to the version that they make."""


class CheckpointKeeper:
    """Keeps the checkpoints of one run. Its answers depend only on the stored metrics, so a resumed run gets the same ones."""

    def __init__(
        self,
        ws: WorkspaceFolder,
        recipe: Recipe,
        run: str,
        base: str,
        version_of: VersionOf,
        families: Iterable[str] = (),
    ) -> None:
        """`families` are those of the held-out tasks that give the scores."""
        self.ws, self.recipe, self.run, self.base, self._version_of = ws, recipe, run, base, version_of
        self._families = sorted(families)

    def keep(self, model: Any, step: int, metrics: Metrics) -> None:
        """Keeps the weights of a step if it is one to keep, then drops the checkpoints that are no longer wanted."""
        settings = self.recipe.checkpoints
        if not self.recipe.has_checkpoint(step) or not (settings.keep or settings.chooses):
            return
        adapter = self.ws.keep_adapter(model, self.base)
        version = self._version_of(adapter, step)
        num_bytes = sum(file.stat().st_size for file in self.ws.adapter_folder(adapter).iterdir())
        version = msgspec.structs.replace(version, id=version_id(version))
        checkpoint = KeptCheckpoint(
            run=self.run,
            step=step,
            version=version,
            score=score_of(metrics),
            bytes=num_bytes,
            families=self._families,
        )
        self.ws.store.put(KIND, checkpoint.name, checkpoint)
        every = [one for one in kept_checkpoints(self.ws.store, self.run) if one.step <= step]
        best = best_of(every)
        wanted = {one.step for one in every[-max(settings.keep, 1) :]} | ({best.step} if best else set())
        for one in every:
            if one.step not in wanted:
                drop(self.ws, one)

    def stops_at(self, history: Mapping[int, Metrics]) -> int | None:
        """The step at which training stops early, by the metrics so far. None if it goes on."""
        patience = self.recipe.checkpoints.patience
        if not patience:
            return None
        best: tuple[float, ...] = ()
        waited = 0
        still = self.recipe.critic.warmup if self.recipe.algorithm == "ppo" else 0
        """Steps at the beginning in which the weights do not change."""
        for step in sorted(history):
            if not (score := score_of(history[step])):
                continue
            best, waited = (score, 0) if score > best or step <= still else (best, waited + 1)
            if waited == patience and step < self.recipe.steps:
                return step
        return None

    def chosen(self, history: Mapping[int, Metrics]) -> KeptCheckpoint | None:
        """The checkpoint that becomes the version, if it was chosen by held-out tasks. None for the weights of the last step."""
        stopped = self.stops_at(history)
        every = [one for one in kept_checkpoints(self.ws.store, self.run) if stopped is None or one.step <= stopped]
        if self.recipe.checkpoints.choose == "best":
            return best_of(every)
        return next((one for one in every if one.step == stopped), None)

    def finish(self) -> None:
        """Drops what was needed only until the version was made."""
        if not self.recipe.checkpoints.keep:
            forget_kept(self.ws, self.run)


def checkpoint_lines(ws: WorkspaceFolder, run: str) -> list[str]:
    """What became of the checkpoints of a run: which was chosen, on what, and which are kept."""
    record, history, kept = ws.store.run(run), ws.store.metrics(run), kept_checkpoints(ws.store, run)
    try:
        recipe = msgspec.convert(record.config.get("recipe"), Recipe)
    except msgspec.ValidationError:
        return []
    lines: list[str] = []
    version = ws.store.get("trained", run, Version)
    last, chosen = max(history, default=0), version.recipe.get("step") if version is not None else None
    if version is not None and last < recipe.steps:
        evaluations = counted(recipe.checkpoints.patience, "evaluation")
        lines.append(f"training stopped after step {last} of {recipe.steps}: {evaluations} without a new best")
    if chosen:
        found = _percent(score_of(history.get(chosen, {})))
        lines.append(
            f"step {chosen} became the version{found and f': held-out success {found} on {recipe.evaluated_on}'}. "
            "The gate leaves the families of that suite out"
        )
    best = best_of(kept)
    if not chosen and best is not None and best.step < last and best.score > score_of(history.get(last, {})):
        now, then = _percent(score_of(history.get(last, {}))), _percent(best.score)
        lines.append(
            f"step {best.step} was better on held-out tasks ({then}, last {now}). Use it as {best.name}, or set "
            "checkpoints.choose=best"
        )
    if kept:
        total = sum({one.version.adapter: one.bytes for one in kept}.values())
        lines.append(f"kept checkpoints ({size(total)}): {', '.join(one.name for one in kept)}")
    return lines


def _percent(score: tuple[float, ...]) -> str:
    return percent(score[0]) if score else ""


def score_of(metrics: Metrics) -> tuple[float, ...]:
    """How good a step is: held-out success, and held-out reward between steps of equal success. Empty if it was not evaluated."""
    return tuple(metrics[name] for name in SCORES if name in metrics)


def drop(ws: WorkspaceFolder, checkpoint: KeptCheckpoint) -> None:
    """Deletes a checkpoint. Its adapter stays if a version or another checkpoint has it."""
    ws.store.delete(KIND, checkpoint.name)
    adapter = checkpoint.version.adapter
    if adapter not in used_adapters(ws):
        ws.forget_adapter(adapter)


def forget_kept(ws: WorkspaceFolder, run: str) -> None:
    """Deletes all kept checkpoints of a run."""
    for checkpoint in kept_checkpoints(ws.store, run):
        drop(ws, checkpoint)


def used_adapters(ws: WorkspaceFolder) -> set[str]:
    """The adapters that a version or a kept checkpoint has."""
    versions = [version for kind in ("version", "trained") for version in ws.store.documents(kind, Version)]
    versions += [one.version for one in kept_checkpoints(ws.store)]
    return {version.adapter for version in versions}
