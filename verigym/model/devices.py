"""What differs between the devices that a model can be on: a CPU, CUDA, and the accelerators of AMD, Intel and Apple.

torch calls AMD's GPUs `cuda`, Intel's `xpu` and Apple's `mps`. Our kernels and CUDA graphs need CUDA and Triton (`has_kernels`).
Every other device runs the plain path, in torch alone.
"""

import functools
import importlib.util
import os
from typing import Any

import torch

from verigym.core.words import counted

HALF = ("cuda", "xpu")
"""Devices with fast bfloat16."""


def default_device() -> str:
    """The device that models are loaded on: the accelerator of this machine, or the CPU."""
    if torch.cuda.is_available():
        return "cuda"
    found = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    return "cpu" if found is None else found.type


def default_dtype(device: str | torch.device) -> torch.dtype:
    """bfloat16 on GPUs that compute fast with it. float32 on the others and on CPUs, where half precision is slow or missing."""
    return torch.bfloat16 if torch.device(device).type in HALF else torch.float32


@functools.cache
def _triton() -> bool:
    return importlib.util.find_spec("triton") is not None


def has_kernels(device: torch.device) -> bool:
    return device.type == "cuda" and _triton()


def memory(device: torch.device) -> tuple[int, int]:
    """The bytes that this process can still use on a device, and all of its bytes. Memory that torch holds and does not use
    counts as free. Apple's GPUs share the memory of the computer."""
    if device.type in ("cpu", "mps"):
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        if device.type == "cpu":
            return total, total
        mps: Any = torch.mps
        total = min(total, mps.recommended_max_memory() or total)
        return max(0, total - mps.current_allocated_memory()), total
    api: Any = getattr(torch, device.type)
    free, total = api.mem_get_info(device)
    return free + api.memory_reserved(device) - api.memory_allocated(device), total


def free_bytes(device: torch.device) -> int:
    return memory(device)[0]


def name_of(device: torch.device) -> str:
    if device.type == "cpu":
        return counted(torch.get_num_threads(), "CPU thread")
    api: Any = getattr(torch, device.type)
    return api.get_device_name(device) if hasattr(api, "get_device_name") else f"{device.type} of this computer"


def synchronize(device: torch.device) -> None:
    """Waits for the work on a device."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def empty_cache(device: torch.device) -> None:
    """Gives memory back that torch holds and does not use."""
    api: Any = getattr(torch, device.type)
    if hasattr(api, "empty_cache"):
        api.empty_cache()
