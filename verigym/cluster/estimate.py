"""What a dry run says about a cluster: where processes run, memory per GPU, and the time of a step.

The figures are those of `training/plan.py` for one device of this machine, divided among the engines and ranks. It assumes that
other machines have the same devices.
"""

import math
from collections.abc import Sequence

from msgspec.structs import replace

from verigym.cluster.placement import Node, Placed, table
from verigym.cluster.settings import ClusterSettings
from verigym.core.words import counted
from verigym.model.shape import Shape
from verigym.training.plan import Device, TrainingLoad, memory_of, plan
from verigym.training.rank_memory import RankSettings, rank_plan


def summary(
    settings: ClusterSettings,
    placed: Sequence[Placed],
    nodes: Sequence[Node],
    load: TrainingLoad,
    shape: Shape,
    device: Device,
) -> list[str]:
    """The lines of a dry run."""
    engines, ranks = settings.engines, settings.learners.count
    lines = [f"machine  {line}" for line in table(placed, nodes)] if placed else []
    if engines is not None and engines.at:
        lines.append(
            f"engines  {counted(len(engines.at), 'engine')} of kind {engines.kind} at {', '.join(engines.at[:4])}"
        )
    lines += [f"ranks    {line}" for line in _rank_lines(settings, load, shape, device)]
    whole = plan(load, shape, device)
    sampling_s = whole.sampling_s
    if engines is not None:
        count = len(engines.at) or engines.count
        share = replace(load, prompts_per_step=math.ceil(load.prompts_per_step / count))
        sampling_s = plan(share, shape, device).sampling_s
        memory, gpus = memory_of(share, shape, device), max(1.0, engines.gpus_each)
        need = (memory.weights + memory.cache) / gpus
        fits = "fits" if need <= memory.usable else "DOES NOT FIT"
        lines.append(
            f"memory   an engine needs {need / 1e9:.2f} GB per device (weights {memory.weights / gpus / 1e9:.2f}, keys and "
            f"values {memory.cache / gpus / 1e9:.2f}), of {memory.usable / 1e9:.1f} GB: {fits}"
        )
    update_s = whole.update_s / ranks
    lines.append(
        f"step     {_seconds(sampling_s + update_s)}: {_seconds(sampling_s)} sampling, {_seconds(update_s)} update, if every "
        "device is like the one of this machine"
    )
    return lines


def _seconds(seconds: float) -> str:
    """An estimate with two digits, as `0.34 s`, `7.1 s` or `160 s`."""
    return f"{seconds:.2g} s" if seconds < 10 else f"{float(f'{seconds:.2g}'):,.0f} s"


def _rank_lines(settings: ClusterSettings, load: TrainingLoad, shape: Shape, device: Device) -> list[str]:
    learners = settings.learners
    here = settings.engines is None
    return rank_plan(
        load, shape, device, RankSettings(count=learners.count, shard=learners.shard, samples_here=here)
    ).lines
