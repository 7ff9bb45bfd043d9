"""The dry run: measures this machine, and estimates time, memory and cost of a training run from the model's shape.

    plan(TrainingLoad(prompts_per_step=64, ...), read_shape("smollm2-135m"), measure())

An upper estimate: it assumes that every reply has the maximum length and every group has signal.
The time is right within a factor of two (tests/training/test_plan.py compares it with measured runs). It tells whether a run
takes minutes or days, and whether it fits into memory.
"""

import bisect
import math
import time
from collections.abc import Callable

import msgspec
from msgspec import Struct

from verigym.model.shape import NF4_BITS, Shape

USABLE = 0.9
"""Usable share of the device's memory. The rest is for the driver, the allocator and other programs."""
GPU_LAYER_S = 70e-6
"""Fixed kernel time per layer and decoding step on a GPU, without memory transfers (docs/reference/benchmarks.md)."""
EPISODE_S = 2e-4
"""Python time per episode, spent once when it runs and once when it becomes a sample."""
PASSES = 8
"""How often the update reads or writes each activation."""
LOGIT_BYTES = {"cpu": 64 << 20}
"""Size of one chunk of logits. Its gradient needs the same again."""
CPU_TOKENS = 1024
"""Tokens per micro-batch on a CPU. More saves little time and takes more memory (docs/LOG.md)."""


class Device(Struct, frozen=True, kw_only=True):
    kind: str
    """`cpu` or `cuda`."""
    name: str
    memory: int
    """Total memory in bytes."""
    flops: float
    """Floating point operations per second of a large product, in the precision that models are loaded in."""
    bandwidth: float
    """Bytes per second that a large copy reads and writes."""


class TrainingLoad(Struct, frozen=True, kw_only=True):
    """The size of a training run, with the field names of a recipe."""

    prompts_per_step: int
    num_generations_per_prompt: int
    prompt_tokens: float
    """Mean tokens per prompt. A group computes and caches its prompt once."""
    max_tokens: int
    steps: int
    versions: int = 1
    """Versions that are sampled at the same time, each with a merged copy of the weights."""
    turns: float = 1.0
    """Mean replies per episode."""
    result_tokens: float = 0.0
    """Mean tokens that tools and users add to an episode after its prompt."""
    episode_tokens: int | None = None
    """Maximum sampled tokens per episode. None for the maximum of all its replies."""
    updates_per_batch: int = 1
    lora_rank: int = 16
    full: bool = False
    """Whether all parameters are trained."""
    checkpointing: bool = False
    """Whether the backward pass computes the layers again."""
    offload: bool = False
    """Whether the optimizer's states are in the memory of the CPU."""
    bits_per_weight: float | None = None
    """Bits per weight of the linear layers of a quantised base. None for the precision of the model."""
    moment_bytes: int = 8
    """Bytes of the optimizer's two moments per trained parameter: 8, or 2 in 8 bits."""
    adapter_parameters: int = 0
    """Parameters of the adapter. 0 to estimate them from the rank and the shape of a Llama."""
    eval_tasks: int = 0
    """Number of held-out tasks per evaluation. 0 if there are no evaluations."""
    eval_interval: int = 0
    """Steps between evaluations. 0 for the last step only."""
    samples: bool = True
    """Whether training samples episodes. If not, `max_tokens` is the length of a written reply."""
    teacher_weights: int = 0
    """Bytes of a teacher that is loaded beside the model."""
    teacher_active: int = 0
    """Parameters of a teacher in this process that process one token. 0 without one."""

    @property
    def episodes(self) -> int:
        return self.prompts_per_step * self.num_generations_per_prompt

    @property
    def reply_tokens(self) -> float:
        """Sampled tokens per episode, over all its replies."""
        most = self.max_tokens * self.turns
        return most if self.episode_tokens is None else min(most, self.episode_tokens)

    @property
    def sampled(self) -> int:
        """Sampled tokens per step."""
        return round(self.episodes * self.reply_tokens)

    @property
    def trained(self) -> int:
        """Tokens per update."""
        return round(self.prompts_per_step * self.prompt_tokens + self.episodes * self.result_tokens) + self.sampled

    @property
    def evaluations(self) -> int:
        if not self.eval_tasks:
            return 0
        return math.ceil(self.steps / self.eval_interval) if self.eval_interval else 1


class Memory(Struct, frozen=True, kw_only=True):
    """Memory use in bytes."""

    weights: float
    merged: float
    """The copy of the weights used for decoding, with the adapter merged in. For a 4-bit base, the layers that are dequantised at
    a time."""
    adapter: float
    """What is trained beside the weights: an adapter, or nothing else, with gradients and the optimizer's states."""
    cache: float
    """Keys and values of all tokens of a step."""
    activations: float
    """Activations of a micro-batch, which is as large as fits and has at least one episode."""
    logits: float
    least: float
    """Memory that is needed with a micro-batch of one episode."""
    usable: float
    """Usable memory of the device."""
    teacher: float = 0.0
    """The weights of a teacher that is loaded beside the model."""
    offloaded: float = 0.0
    """The optimizer's states in the memory of the CPU. They are not part of the rest."""

    @property
    def fits(self) -> bool:
        return self.least <= self.usable


class TrainingEstimate(Struct, frozen=True, kw_only=True):
    sampled_per_step: int
    """Maximum sampled tokens per step."""
    trained_per_step: int
    """Tokens processed by the updates of a step. Each prompt counts once per group and update."""
    sampled: int
    trained: int
    memory: Memory
    sampling_s: float
    """Sampling time per step."""
    update_s: float
    """Update time per step."""
    evaluation_s: float
    """Time per evaluation."""
    hours: float
    dollars: float
    advice: list[str]
    """If the run does not fit: settings to reduce, best first, each with the value at which it alone would be enough."""


def measure(device: str | None = None) -> Device:
    """Measures the device that models are loaded on in half a second, with a matrix product and a memory copy. Other programs
    on it make it look slower."""
    import torch

    from verigym.model.devices import default_device, default_dtype, memory, name_of, synchronize

    target = torch.device(device or default_device())
    gpu = target.type != "cpu"
    size, dtype = (8192 if gpu else 1024), default_dtype(target)
    a, b = (torch.randn(size, size, device=target).to(dtype) for _ in range(2))
    product = torch.empty_like(a)
    here, there = (torch.zeros((1 << 31) if gpu else (1 << 27), dtype=torch.uint8, device=target) for _ in range(2))

    product_s = _seconds(lambda: torch.mm(a, b, out=product), lambda: synchronize(target))
    copy_s = _seconds(lambda: there.copy_(here), lambda: synchronize(target))
    return Device(
        kind=target.type,
        name=name_of(target),
        memory=memory(target)[1],
        flops=2 * size**3 / product_s,
        bandwidth=2 * here.numel() / copy_s,
    )


def _seconds(work: Callable[[], object], wait: Callable[[], None], limit_s: float = 0.2) -> float:
    """The fastest of several runs, because other programs only add time. The first run is a warm-up and does not count."""
    work()
    wait()
    best, until = float("inf"), time.perf_counter() + limit_s
    while best == float("inf") or time.perf_counter() < until:
        began = time.perf_counter()
        work()
        wait()
        best = min(best, time.perf_counter() - began)
    return best


def plan(load: TrainingLoad, shape: Shape, device: Device, price_per_hour: float = 0.0) -> TrainingEstimate:
    sampled, trained = load.sampled if load.samples else 0, load.trained
    prompts = load.prompts_per_step if load.samples else 0
    sampling_s = _decoding_s(prompts, load.num_generations_per_prompt, load, shape, device)
    update_s = load.updates_per_batch * _update_s(load, shape, device) + EPISODE_S * load.episodes
    update_s += 2 * load.teacher_active * trained / device.flops
    evaluation_s = _decoding_s(load.eval_tasks, 1, load, shape, device)
    hours = (load.steps * (sampling_s + update_s) + load.evaluations * evaluation_s) / 3600
    memory = memory_of(load, shape, device)
    return TrainingEstimate(
        sampled_per_step=sampled,
        trained_per_step=trained * load.updates_per_batch,
        sampled=sampled * load.steps,
        trained=trained * load.updates_per_batch * load.steps,
        memory=memory,
        sampling_s=sampling_s,
        update_s=update_s,
        evaluation_s=evaluation_s,
        hours=hours,
        dollars=hours * price_per_hour,
        advice=[] if memory.fits else advice(load, shape, device),
    )


def _decoding_s(prompts: int, rows_each: int, load: TrainingLoad, shape: Shape, device: Device) -> float:
    """Decoding time: the prompts once, then one step per token for all rows. Each step reads the weights once."""
    rows = prompts * rows_each
    if not rows:
        return 0.0
    prompt_s = prompts * load.prompt_tokens * _forward(load.prompt_tokens / 2, shape) / device.flops
    read = shape.active * shape.bytes_per_weight + rows * _context(load) * _kv(shape)
    latency_s = GPU_LAYER_S * shape.layers if device.kind != "cpu" else 0.0
    token_s = 2 * shape.active * rows / device.flops + read / device.bandwidth + latency_s
    results_s = rows * load.result_tokens * _forward(_context(load), shape) / device.flops
    return prompt_s + results_s + load.reply_tokens * token_s + EPISODE_S * rows


def _update_s(load: TrainingLoad, shape: Shape, device: Device) -> float:
    """Update time: a forward pass, and a backward pass to the inputs only. The base is frozen, so the total is twice the
    forward pass instead of three times."""
    context = _context(load)
    passes = (
        2 if not load.full else 4 if load.checkpointing else 3
    )  # the gradients of the weights, and layers computed again
    products = passes * (load.trained * _forward(context, shape) + 2 * _head(shape) * load.sampled) / device.flops
    return products + PASSES * load.trained * 4 * kept_per_token(shape) / device.bandwidth


def _context(load: TrainingLoad) -> float:
    """Mean tokens before a sampled token."""
    return load.prompt_tokens + (load.reply_tokens + load.result_tokens) / 2


def _forward(context: float, shape: Shape) -> float:
    """Operations per token in the layers: two per weight, and attention to `context` tokens."""
    return 2 * (shape.active - _head(shape)) + 4 * context * shape.layers * shape.heads * shape.head_size


def memory_of(load: TrainingLoad, shape: Shape, device: Device) -> Memory:
    weights, merged = _weights(load, shape)
    adapter = _trained(load, shape)
    cache, logits = load.trained * _kv(shape) if load.samples else 0, 2 * LOGIT_BYTES.get(device.kind, 512 << 20)
    usable = USABLE * device.memory
    fixed = weights + merged + adapter + cache + logits + load.teacher_weights
    sample = load.prompt_tokens + load.reply_tokens + load.result_tokens
    kept = _kept(load, shape)
    budget = CPU_TOKENS if device.kind == "cpu" else max(0.0, 0.7 * (usable - fixed) / (4 * kept_per_token(shape)))
    return Memory(
        weights=weights,
        merged=merged,
        adapter=adapter,
        cache=cache,
        activations=kept * min(load.trained, max(sample, budget)),
        logits=logits,
        least=fixed + kept * sample,
        usable=usable,
        teacher=load.teacher_weights,
        offloaded=_states(load, shape) if load.full and load.offload else 0.0,
    )


def _trained(load: TrainingLoad, shape: Shape) -> float:
    """Bytes of what is trained beside the weights of the model: an adapter with gradients and moments, or the gradients of all
    parameters, their moments and the copy in float32 of weights in half precision."""
    if not load.full:
        return (8 + load.moment_bytes) * (load.adapter_parameters or _adapter(shape, load.lora_rank))
    return shape.parameters * shape.bytes_per_weight + (0 if load.offload else _states(load, shape))


def _states(load: TrainingLoad, shape: Shape) -> float:
    """Bytes of the optimizer's states of all parameters: the moments, and copies in float32 of weights that are not, with the
    sums of their gradients."""
    copied = shape.bytes_per_weight < 4 or load.offload
    return shape.parameters * (load.moment_bytes + (8 if copied else 0))


def _kept(load: TrainingLoad, shape: Shape) -> float:
    """Bytes of activations per token. Without our own backward pass, a layer keeps about 12 vectors of the hidden size and 4 of
    the inner, or with activation checkpointing only its input."""
    if not load.full:
        return kept_per_token(shape)
    vectors = shape.hidden if load.checkpointing else 12 * shape.hidden + 4 * shape.inner
    return shape.layers * vectors * shape.bytes_per_weight


def _weights(load: TrainingLoad, shape: Shape) -> tuple[float, float]:
    """Bytes of the weights, and of their copy for decoding. A 4-bit base has no copy: it makes the weights of a layer when it
    needs them, and two layers are there at a time."""
    if load.bits_per_weight is None:
        copied = shape.parameters - _head(shape) if load.samples and not load.full else 0
        return shape.parameters * shape.bytes_per_weight, load.versions * copied * shape.bytes_per_weight
    rest = (shape.parameters - shape.quantizable) * shape.bytes_per_weight
    made = 2 * shape.quantizable / max(shape.layers, 1) * shape.bytes_per_weight
    return rest + shape.quantizable * load.bits_per_weight / 8, made


def kept_per_token(shape: Shape) -> int:
    """Bytes per token that the backward pass keeps. Measured peaks (docs/reference/benchmarks.md) are a quarter of what
    `training/update.py` allows, because its value must also hold for unusual models."""
    return shape.layers * (3 * shape.hidden + shape.inner) * shape.bytes_per_weight


def _kv(shape: Shape) -> int:
    """Bytes of keys and values per token."""
    return 2 * shape.layers * shape.kv_heads * shape.head_size * shape.bytes_per_weight


def _head(shape: Shape) -> int:
    return shape.vocabulary * shape.hidden


def _adapter(shape: Shape, rank: int) -> int:
    """Number of adapter parameters, from the inputs and outputs of the seven linear modules of each layer."""
    queries, keys = shape.heads * shape.head_size, shape.kv_heads * shape.head_size
    ends = 4 * shape.hidden + 2 * queries + 2 * keys + 3 * (shape.hidden + shape.inner)
    return rank * shape.layers * ends


def advice(load: TrainingLoad, shape: Shape, device: Device) -> list[str]:
    """Settings to reduce, in the order in which to try them. The first ones harm the result least."""
    memory = memory_of(load, shape, device)
    over = memory.least - memory.usable
    first = (
        f"The run needs {_gb(memory.least)}, but {device.name} has {_gb(memory.usable)} usable. Reduce in this order:"
    )
    room = (memory.weights + memory.merged - over) / 2 / shape.bytes_per_weight
    model = f"at most {room / 1e9:.2g} billion parameters" if room > 0 else "no smaller model is enough by itself"
    lines = [
        first,
        *_ways(load, shape, device),
        f"model (now {shape.parameters / 1e9:.2g} billion parameters): {model}",
    ]
    for name, least in (("max_tokens", 1), ("num_generations_per_prompt", 2), ("prompts_per_step", 1)):
        now = getattr(load, name)

        def too_large(value: int, name: str = name) -> bool:
            return not memory_of(msgspec.structs.replace(load, **{name: value}), shape, device).fits

        fitting = bisect.bisect_left(range(least, now + 1), True, key=too_large)
        most = f"at most {least + fitting - 1}" if fitting else "not enough by itself"
        lines.append(f"{name} (now {now}): {most}")
    return lines


def _ways(load: TrainingLoad, shape: Shape, device: Device) -> list[str]:
    """Other ways to train the same model, each with the memory that it needs by itself."""
    if load.full:
        ways = [
            ("full.checkpointing", "false", "true", {"checkpointing": True}),
            ("optimizer.name", "adamw", "adamw8bit", {"moment_bytes": 2}),
            ("full.offload", "false", "true", {"offload": True}),
            ("adapter", "full", "lora", {"full": False}),
        ]
    else:
        ways = [("adapter", "lora", "qlora", {"bits_per_weight": NF4_BITS})] if shape.quantizable else []
    lines: list[str] = []
    for name, now, other, fields in ways:
        changed = msgspec.structs.replace(load, **fields)
        if changed != load:
            memory = memory_of(changed, shape, device)
            enough = "" if memory.fits else ", which is not enough by itself"
            lines.append(f"{name} (now {now}): {other} needs {_gb(memory.least)}{enough}")
    return lines


def _gb(size: float) -> str:
    return f"{size / 1e9:.1f} GB"
