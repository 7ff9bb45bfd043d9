"""What each rank needs, and when `shard: auto` divides the layers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.training.rank_models import recipe
from tests.training.test_plan import GPU_RUN, SHAPES
from verigym.core.errors import Refused
from verigym.training.plan import Device, memory_of
from verigym.training.rank_memory import RankSettings, check_divided, least_load, rank_plan, undividable

SHAPE = SHAPES["8B"]
FULL = replace(GPU_RUN, full=True)


def gpu(gigabytes: float) -> Device:
    return Device(kind="cuda", name="a GPU", memory=round(gigabytes * 1e9), flops=1e15, bandwidth=1e12)


def test_a_model_that_fits_is_not_divided() -> None:
    found = rank_plan(GPU_RUN, SHAPE, gpu(139), RankSettings(count=4))
    assert not found.divided and found.fits
    assert found.first.least == pytest.approx(memory_of(GPU_RUN, SHAPE, gpu(139)).least)
    assert found.other.least < found.first.least, "only rank 0 has keys and values and a merged copy"


def test_all_parameters_that_fit_no_rank_are_divided() -> None:
    device = gpu(80)
    assert not memory_of(FULL, SHAPE, device).fits
    found = rank_plan(FULL, SHAPE, device, RankSettings(count=4))
    assert found.divided and found.fits
    assert "4 ranks make the updates together, and each holds 1/4 of the layers" in found.lines[0]
    assert found.lines[1].endswith("72.0 GB each: fits")


def test_a_frozen_base_is_divided_only_if_engines_elsewhere_sample() -> None:
    device = gpu(14)
    here = rank_plan(GPU_RUN, SHAPE, device, RankSettings(count=8))
    assert not here.divided and not here.fits, "rank 0 has the whole model in any case"
    apart = rank_plan(GPU_RUN, SHAPE, device, RankSettings(count=8, samples_here=False))
    assert apart.divided and apart.fits and apart.first == apart.other


def test_the_settings_can_decide() -> None:
    assert rank_plan(GPU_RUN, SHAPE, gpu(139), RankSettings(count=2, shard="always")).divided
    assert not rank_plan(FULL, SHAPE, gpu(8), RankSettings(count=2, shard="never")).divided


@given(st.integers(2, 64), st.booleans(), st.booleans())
def test_more_ranks_never_need_more_memory_each(count: int, full: bool, here: bool) -> None:
    load = replace(GPU_RUN, full=full)
    few, many = (
        rank_plan(load, SHAPE, gpu(139), RankSettings(count=number, shard="always", samples_here=here))
        for number in (count, count + 1)
    )
    assert many.other.least < few.other.least and many.first.least < few.first.least
    assert few.other.weights > 0 and few.other.adapter > 0


def test_what_cannot_be_divided_is_named() -> None:
    assert undividable(recipe(algorithm="ppo")) == "algorithm: ppo"
    assert undividable(recipe(optimizer={"name": "adamw8bit"})) == "optimizer.name: adamw8bit"
    assert undividable(recipe(adapter="qlora")) == "adapter: qlora"
    assert not undividable(recipe())
    assert least_load(recipe(lora={"r": 8})).lora_rank == 8


def test_one_process_holds_the_whole_model() -> None:
    assert rank_plan(FULL, SHAPE, gpu(8), RankSettings(count=1)).lines == [
        "one process makes the updates and holds the whole model"
    ]


def test_a_recipe_that_cannot_be_divided_is_refused_with_a_way_out() -> None:
    check_divided(recipe())
    with pytest.raises(
        Refused, match=r"algorithm: ppo cannot be used with ranks that divide the model\. Use shard never"
    ):
        check_divided(recipe(algorithm="ppo"))
