"""Devices that are not here: what is asked of torch about them, and that nothing of it needs CUDA or Triton."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.model.families import make
from verigym.model import devices
from verigym.model.mamba_memory import prompt_tokens
from verigym.policies.local.engine import decoder_for
from verigym.policies.local.slots import SlotDecoder
from verigym.training.update import token_budget


@pytest.fixture
def accelerator(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes torch say that this machine has such an accelerator, with 8 GB of which 2 are free and 1 is held and not used."""

    def has(kind: str) -> torch.device:
        figures = SimpleNamespace(
            mem_get_info=lambda device: (2 << 30, 8 << 30),
            memory_reserved=lambda device: 3 << 30,
            memory_allocated=lambda device: 2 << 30,
            recommended_max_memory=lambda: 6 << 30,
            current_allocated_memory=lambda: 1 << 30,
            get_device_name=lambda device: "Arc",
            empty_cache=lambda: emptied.append(kind),
        )
        if kind == "mps":
            del figures.get_device_name
        monkeypatch.setattr(torch, kind, figures)
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
        monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
        monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device(kind))
        return torch.device(kind)

    emptied: list[str] = []
    return SimpleNamespace(has=has, emptied=emptied)


@pytest.mark.parametrize(
    ("kind", "dtype", "free", "name"),
    [("xpu", torch.bfloat16, 3 << 30, "Arc"), ("mps", torch.float32, 5 << 30, "mps of this computer")],
)
def test_an_accelerator_of_another_vendor_is_used(
    accelerator: Any, monkeypatch: pytest.MonkeyPatch, kind: str, dtype: torch.dtype, free: int, name: str
) -> None:
    device = accelerator.has(kind)
    assert devices.default_device() == kind and devices.default_dtype(kind) == dtype
    monkeypatch.setattr("os.sysconf", lambda key: 1 << 20 if key == "SC_PHYS_PAGES" else 1 << 14)
    assert devices.free_bytes(device) == free
    assert devices.name_of(device) == name
    devices.empty_cache(device)
    assert accelerator.emptied == [kind]
    assert prompt_tokens(device, 1 << 20) == free / 2 / (1 << 20)


def test_the_size_of_a_micro_batch_is_that_of_the_memory_of_any_accelerator(
    accelerator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make("Llama")
    on_cpu = token_budget(model)
    device = accelerator.has("xpu")
    monkeypatch.setattr(type(model), "device", property(lambda _: device))
    assert token_budget(model) > on_cpu


def test_kernels_need_cuda_and_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_triton", lambda: True)
    assert devices.has_kernels(torch.device("cuda"))
    assert not any(devices.has_kernels(torch.device(kind)) for kind in ("cpu", "mps", "xpu"))
    monkeypatch.setattr(devices, "_triton", lambda: False)
    assert not devices.has_kernels(torch.device("cuda")), "AMD's GPUs are `cuda` too, often without Triton"


def test_without_kernels_the_plain_decoder_is_used() -> None:
    assert isinstance(decoder_for(make("Llama"), 4, 64), SlotDecoder)


def test_without_an_accelerator_it_is_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
    assert devices.default_device() == "cpu" and devices.default_dtype("cpu") == torch.float32
    total = devices.memory(torch.device("cpu"))[1]
    assert total > 1 << 28


@pytest.mark.parametrize(("threads", "words"), [(1, "1 CPU thread"), (4, "4 CPU threads")])
def test_the_threads_of_a_cpu_are_counted(threads: int, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    assert devices.name_of(torch.device("cpu")) == words
