"""Measures the speed of this machine in about half a second with a matrix product and a memory copy."""

import os
import time
from collections.abc import Callable

from msgspec import Struct


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


def measure(device: str | None = None) -> Device:
    """Measures the device that models are loaded on. Other programs on it make it look slower."""
    import torch

    from verigym.model.load import default_device, default_dtype

    target = torch.device(device or default_device())
    gpu = target.type == "cuda"
    size, dtype = (8192 if gpu else 1024), default_dtype(target.type)
    a, b = (torch.randn(size, size, device=target).to(dtype) for _ in range(2))
    product = torch.empty_like(a)
    here, there = (torch.zeros((1 << 31) if gpu else (1 << 27), dtype=torch.uint8, device=target) for _ in range(2))

    def wait() -> None:
        if gpu:
            torch.cuda.synchronize(target)

    product_s = _seconds(lambda: torch.mm(a, b, out=product), wait)
    copy_s = _seconds(lambda: there.copy_(here), wait)
    return Device(
        kind=target.type,
        name=torch.cuda.get_device_name(target) if gpu else f"{torch.get_num_threads()} CPU threads",
        memory=torch.cuda.mem_get_info(target)[1] if gpu else os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
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
