"""The dry run: held against runs that were measured, in time and memory; and its advice makes a run fit."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.model.shape import NF4_BITS, Shape
from verigym.training.plan import Device, TrainingEstimate, TrainingLoad, kept_per_token, memory_of, plan

H200 = Device(kind="cuda", name="NVIDIA H200", memory=139 << 30, flops=788e12, bandwidth=4.3e12)
CPU = Device(kind="cpu", name="2 cores", memory=24 << 30, flops=157e9, bandwidth=37e9)
GPU_RUN = TrainingLoad(prompts_per_step=64, num_generations_per_prompt=8, prompt_tokens=155, max_tokens=64, steps=100)
CPU_RUN = TrainingLoad(prompts_per_step=8, num_generations_per_prompt=8, prompt_tokens=155, max_tokens=40, steps=100)


def llama(hidden: int, inner: int, layers: int, heads: int, kv_heads: int, size: int = 2) -> Shape:
    head_size = hidden // heads
    inside = layers * (2 * hidden * hidden + 2 * hidden * kv_heads * head_size + 3 * hidden * inner)
    return Shape(
        name="llama",
        hidden=hidden,
        inner=inner,
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        head_size=head_size,
        vocabulary=49152,
        parameters=inside + 49152 * hidden,
        active=inside + 49152 * hidden,
        bytes_per_weight=size,
    )


SMOLLM2 = llama(576, 1536, 30, 9, 3)
SHAPES = {"135M": SMOLLM2, "1.5B": llama(2048, 8192, 22, 32, 8), "8B": llama(4096, 14336, 32, 32, 8)}


def near(found: float, measured: float) -> bool:
    """Within a factor of two."""
    return measured / 2 <= found <= measured * 2


def test_smollm2_on_an_h200_takes_what_was_measured() -> None:
    found = plan(GPU_RUN, SMOLLM2, H200)
    assert near(found.sampling_s, 0.25) and near(found.update_s, 0.19)


def test_smollm2_on_two_cores_takes_what_was_measured() -> None:
    found = plan(CPU_RUN, llama(576, 1536, 30, 9, 3, size=4), CPU)
    assert near(found.sampling_s, 6.2) and near(found.update_s, 13.5)


@pytest.mark.parametrize(("size", "seconds"), [("135M", 0.4448), ("1.5B", 0.9433), ("8B", 3.85)])
def test_larger_models_on_an_h200_take_what_was_measured(size: str, seconds: float) -> None:
    estimate = plan(GPU_RUN, SHAPES[size], H200)
    assert near(estimate.sampling_s + estimate.update_s, seconds)


@pytest.mark.parametrize(("size", "peak_gb"), [("135M", 8.97), ("1.5B", 27.2), ("8B", 54.06)])
def test_memory_on_an_h200_is_what_was_measured(size: str, peak_gb: float) -> None:
    memory = memory_of(GPU_RUN, SHAPES[size], H200)
    parts = memory.weights + memory.merged + memory.adapter + memory.cache + memory.activations + memory.logits
    assert near(parts / 1e9, peak_gb)
    assert memory.fits


def test_tokens_are_counted_once_a_group_for_prompts_and_once_an_update() -> None:
    found = plan(msgspec.structs.replace(CPU_RUN, updates_per_batch=2), SMOLLM2, CPU)
    assert (found.sampled_per_step, found.sampled) == (2560, 256_000)
    assert (found.trained_per_step, found.trained) == (2 * 3800, 2 * 380_000)


def test_hours_count_every_evaluation_and_dollars_are_hours_at_the_price() -> None:
    without = plan(CPU_RUN, SMOLLM2, CPU, price_per_hour=3.0)
    measured = plan(msgspec.structs.replace(CPU_RUN, eval_tasks=100, eval_interval=30), SMOLLM2, CPU)
    assert without.dollars == pytest.approx(3 * without.hours) and without.evaluation_s == 0
    assert measured.hours - without.hours == pytest.approx(4 * measured.evaluation_s / 3600)  # 30, 60, 90 and the last
    assert msgspec.structs.replace(CPU_RUN, eval_tasks=100).evaluations == 1


SMALL_GPU = msgspec.structs.replace(H200, name="a GPU of 24 GB", memory=24 << 30)


def test_a_run_that_fits_gets_no_advice() -> None:
    assert plan(GPU_RUN, SMOLLM2, SMALL_GPU).advice == []


def test_advice_names_what_to_reduce_in_order_with_the_figure_that_fits() -> None:
    large = msgspec.structs.replace(GPU_RUN, max_tokens=2048)
    found = plan(large, SHAPES["1.5B"], SMALL_GPU)
    assert not found.memory.fits
    assert [line.split(" (now")[0] for line in found.advice[1:]] == [
        "model",
        "max_tokens",
        "num_generations_per_prompt",
        "prompts_per_step",
    ]
    for line in found.advice[2:]:
        name, most = line.split(" ")[0], int(line.split("at most ")[1])
        assert memory_of(msgspec.structs.replace(large, **{name: most}), SHAPES["1.5B"], SMALL_GPU).fits
        assert not memory_of(msgspec.structs.replace(large, **{name: most + 1}), SHAPES["1.5B"], SMALL_GPU).fits


def test_where_the_weights_alone_are_too_much_only_a_smaller_model_helps() -> None:
    found = plan(GPU_RUN, SHAPES["8B"], SMALL_GPU).advice
    assert found[0].startswith("The run needs 36.0 GB, but a GPU of 24 GB has 23.2 GB usable")
    assert found[1].startswith("model (now 7.2 billion parameters): at most 3.9 billion")
    assert all(line.endswith("not enough by itself") for line in found[2:])


NARROW = msgspec.structs.replace(SHAPES["8B"], quantizable=SHAPES["8B"].parameters - 49152 * 4096)


def test_advice_for_an_adapter_names_4_bits_with_the_memory_that_they_need() -> None:
    found = plan(GPU_RUN, NARROW, SMALL_GPU).advice[1]
    less = memory_of(msgspec.structs.replace(GPU_RUN, bits_per_weight=NF4_BITS), NARROW, SMALL_GPU)
    assert less.fits and less.least < memory_of(GPU_RUN, NARROW, SMALL_GPU).least / 2
    assert found == f"adapter (now lora): qlora needs {less.least / 1e9:.1f} GB"
    assert not plan(msgspec.structs.replace(GPU_RUN, bits_per_weight=NF4_BITS), NARROW, SMALL_GPU).advice


def test_advice_for_all_parameters_names_what_is_not_used_yet() -> None:
    whole = msgspec.structs.replace(GPU_RUN, full=True)
    names = [line.split(" (now")[0] for line in plan(whole, NARROW, SMALL_GPU).advice[1:5]]
    assert names == ["full.checkpointing", "optimizer.name", "full.offload", "adapter"]
    saving = msgspec.structs.replace(whole, checkpointing=True, offload=True, moment_bytes=2)
    found = plan(saving, NARROW, SMALL_GPU)
    assert found.advice[1].startswith("adapter (now full): lora needs 35.8 GB, which is not enough") and found.advice[
        2
    ].startswith("model")


def test_all_parameters_in_bfloat16_take_20_bytes_each_of_which_16_can_be_on_the_cpu() -> None:
    whole = msgspec.structs.replace(GPU_RUN, full=True)
    here, there = (
        memory_of(msgspec.structs.replace(whole, offload=offload), NARROW, H200) for offload in (False, True)
    )
    assert here.weights + here.merged + here.adapter == 20 * NARROW.parameters and not here.offloaded
    assert there.weights + there.adapter == 4 * NARROW.parameters and there.offloaded == 16 * NARROW.parameters
    assert here.least - there.least == there.offloaded
    narrow = memory_of(msgspec.structs.replace(whole, moment_bytes=2), NARROW, H200)
    assert here.least - narrow.least == 6 * NARROW.parameters


def test_the_estimate_per_token_is_a_quarter_of_the_micro_batch_budget() -> None:
    pytest.importorskip("torch")
    from tests.tiny import tiny
    from verigym.model.shape import shape_of
    from verigym.training.update import bytes_per_token

    model = tiny().model
    shape = shape_of(model.config, "tiny", model.dtype.itemsize)
    assert 4 * kept_per_token(shape) == bytes_per_token(model)


runs = st.builds(
    TrainingLoad,
    prompts_per_step=st.integers(1, 512),
    num_generations_per_prompt=st.integers(2, 64),
    prompt_tokens=st.floats(1, 1e5),
    max_tokens=st.integers(1, 100_000),
    steps=st.integers(1, 10_000),
    lora_rank=st.integers(1, 256),
)


@given(runs, st.sampled_from(list(SHAPES.values())), st.sampled_from([H200, CPU, SMALL_GPU]))
def test_advice_appears_only_for_a_run_that_does_not_fit(wanted: TrainingLoad, shape: Shape, device: Device) -> None:
    found: TrainingEstimate = plan(wanted, shape, device, 1.0)
    assert bool(found.advice) == (not found.memory.fits)
    assert found.hours > 0 and found.memory.activations > 0
    more = plan(msgspec.structs.replace(wanted, max_tokens=wanted.max_tokens + 1), shape, device, 1.0)
    assert more.hours > found.hours and more.memory.least > found.memory.least
