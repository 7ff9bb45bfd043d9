"""Kernels for decoding on a CPU, compiled on this machine when they are first used.

The source is cpu_kernels.cpp. The result is kept in the cache folder, under a name that depends on the source, the compiler, the
CPU and the content, so that a damaged file is compiled again. Without a C++ compiler, `library` returns None and torch computes
instead.

Shapes: N rows, I inputs, O outputs.
"""

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from ctypes import POINTER, Structure, byref, c_float, c_int, c_int32, c_int64, c_void_p
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from verigym.model.embedded import cache_folder

Bits = Literal[8, 16, 32]
"""32 for floats, 8 or 16 for integers with a scale per output and group of inputs. Those of 16 bits have 13 significant bits."""
_SOURCE = Path(__file__).with_name("cpu_kernels.cpp")
_COMPILERS = ("c++", "g++", "clang++")
_FLAGS = ("-O3", "-std=c++17", "-shared", "-fPIC", "-pthread", "-fno-math-errno", "-ffp-contract=fast")
_CPUS = ("-march=native", "-mcpu=native")
"""How a compiler is told to use all instructions of this CPU. Some compilers know only the second."""
_BUILD_S = 120
_POOL = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads")
"""The entries of an OpenMP library that the kernels use."""
_FLOATS: dict[str, Any] = {"dtype": torch.float32, "device": "cpu"}
"""For new tensors whose addresses the kernels get, whatever torch's defaults are."""


class Packed(NamedTuple):
    """A weight (O, I) as the kernels read it."""

    data: Tensor
    scales: Tensor
    """Empty for floats."""
    outputs: int
    inputs: int
    bits: Bits


class _Weight(Structure):
    _fields_ = (
        ("data", c_void_p),
        ("scales", c_void_p),
        ("bias", c_void_p),
        ("outputs", c_int64),
        ("inputs", c_int64),
        ("bits", c_int64),
    )


class _Layer(Structure):
    _fields_ = (
        *((name, _Weight) for name in ("qkv", "out", "gate_up", "down")),
        *((name, c_void_p) for name in ("norm_in", "norm_mid", "norm_attended", "norm_added", "norm_q", "norm_k")),
        ("window", c_int64),
        ("rope", c_int64),
        ("scaling", c_float),
        ("cap", c_float),
    )


class _Model(Structure):
    _fields_ = (
        ("layers", POINTER(_Layer)),
        ("norm", c_void_p),
        *((name, c_int64) for name in ("count", "hidden", "inner", "heads", "kv_heads", "size")),
        ("eps", c_float),
        ("gelu", c_int32),
    )


class _Prefix(Structure):
    _fields_ = (
        ("keys", c_void_p),
        ("values", c_void_p),
        *((name, c_int64) for name in ("length", "padded", "first", "count")),
    )


class _Batch(Structure):
    _fields_ = (
        *((name, c_void_p) for name in ("x", "cos", "sin", "keys", "values", "write", "order")),
        ("prefixes", POINTER(_Prefix)),
        *((name, c_int64) for name in ("rows", "positions", "prefix_count", "threads")),
    )


@functools.cache
def library() -> ctypes.CDLL | None:
    """The compiled kernels. None if they cannot be compiled here, or compute wrong results."""
    file = _built()
    if file is None:
        return None
    try:
        loaded = ctypes.CDLL(str(file))
        _declare(loaded)
    except (OSError, AttributeError):
        return None
    if (pool := _pool()) is not None:
        loaded.verigym_use_pool(pool)
    return loaded if _correct(loaded) else None


def _pool() -> ctypes.Array[c_void_p] | None:
    """The addresses of the entries of the OpenMP library that torch computes with. It is among the libraries of libtorch_cpu."""
    try:
        loaded = ctypes.CDLL(str(Path(torch.__file__).with_name("lib") / "libtorch_cpu.so"))
        return (c_void_p * 3)(*(ctypes.cast(getattr(loaded, name), c_void_p) for name in _POOL))
    except (OSError, AttributeError):
        return None


def _built() -> Path | None:
    """The file of the compiled kernels, which is compiled if it does not exist."""
    compiler = next(filter(None, map(shutil.which, [os.environ.get("CXX", ""), *_COMPILERS])), None)
    if compiler is None or os.name != "posix":
        return None
    try:
        about = [_SOURCE.read_text("utf-8"), compiler, *_FLAGS, *_CPUS, platform.machine(), _cpu()]
        key = _hash("\0".join(about).encode())
        folder = cache_folder() / "kernels"
        for file in folder.glob(f"cpu-{key}-*.so"):
            if file.stem.endswith(_hash(file.read_bytes())):
                return file
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as work:
            made = Path(work) / "cpu.so"
            for cpu in _CPUS:
                command = [compiler, *_FLAGS, cpu, str(_SOURCE), "-o", str(made)]
                none = subprocess.DEVNULL
                done = subprocess.run(command, stdin=none, stdout=none, stderr=none, timeout=_BUILD_S)
                if done.returncode == 0:
                    return made.replace(folder / f"cpu-{key}-{_hash(made.read_bytes())}.so")
    except (OSError, RuntimeError, subprocess.TimeoutExpired):  # RuntimeError: there is no home folder
        pass
    return None


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _cpu() -> str:
    """The instructions of this CPU, as far as they can be read."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def _declare(loaded: ctypes.CDLL) -> None:
    loaded.verigym_pack.argtypes = [c_void_p, c_int64, c_int64, c_int64, c_void_p, c_void_p, c_int]
    loaded.verigym_linear.argtypes = [POINTER(_Weight), c_void_p, c_int64, c_void_p, c_int]
    loaded.verigym_step.argtypes = [POINTER(_Model), POINTER(_Batch)]
    for entry in (loaded.verigym_pack, loaded.verigym_linear, loaded.verigym_step):
        entry.restype = c_int


def _check(status: int) -> None:
    if status:
        raise MemoryError("the decoder can't allocate memory")


def _correct(loaded: ctypes.CDLL) -> bool:
    """Whether products of a few odd sizes are right."""
    draw = torch.Generator("cpu").manual_seed(0)
    x, weight = (torch.randn(rows, 200, generator=draw, **_FLOATS) for rows in (15, 70))
    wanted = x.double() @ weight.double().T
    nearest: dict[Bits, float] = {32: 1e-5, 16: 1e-3, 8: 1e-2}
    for bits, near in nearest.items():
        found = _linear(loaded, x, _pack(loaded, weight, bits, None), None)
        if not (found - wanted).abs().max() <= near * wanted.abs().max():
            return False
    return True


def pack(weight_OI: Tensor, bits: Bits = 32, into: Packed | None = None) -> Packed:
    """Packs a weight, into the memory of an earlier one of the same shape if there is one."""
    loaded = library()
    assert loaded is not None
    return _pack(loaded, weight_OI, bits, into)


def _pack(loaded: ctypes.CDLL, weight_OI: Tensor, bits: Bits, into: Packed | None) -> Packed:
    weight_OI = _floats(weight_OI)
    outputs, inputs = weight_OI.shape
    if into is None or (into.outputs, into.inputs, into.bits) != (outputs, inputs, bits):
        panel, group = loaded.verigym_panel(), loaded.verigym_group()
        padded, groups = -(-outputs // panel) * panel, -(-inputs // group)
        with torch.inference_mode(False):
            if bits == 32:
                into = Packed(torch.empty(padded * inputs, **_FLOATS), torch.empty(0, **_FLOATS), outputs, inputs, bits)
            else:
                kind = torch.int8 if bits == 8 else torch.int16
                data = torch.empty(padded * groups * group, dtype=kind, device="cpu")
                into = Packed(data, torch.empty(padded * groups, **_FLOATS), outputs, inputs, bits)
    addresses = into.data.data_ptr(), into.scales.data_ptr()
    _check(loaded.verigym_pack(weight_OI.data_ptr(), outputs, inputs, bits, *addresses, torch.get_num_threads()))
    return into


def linear(x_NI: Tensor, weight: Packed, bias: Tensor | None = None) -> Tensor:
    """`F.linear` with a packed weight, (N, O)."""
    loaded = library()
    assert loaded is not None
    return _linear(loaded, x_NI, weight, bias)


def _linear(loaded: ctypes.CDLL, x_NI: Tensor, weight: Packed, bias: Tensor | None) -> Tensor:
    assert x_NI.shape[1] == weight.inputs
    x_NI, bias = _floats(x_NI), None if bias is None else _floats(bias)
    y_NO = x_NI.new_empty(len(x_NI), weight.outputs)
    address = None if bias is None else bias.data_ptr()
    given = byref(_weight(weight, address)), x_NI.data_ptr(), len(x_NI), y_NO.data_ptr(), torch.get_num_threads()
    if y_NO.numel():
        _check(loaded.verigym_linear(*given))
    return y_NO


def _floats(tensor: Tensor) -> Tensor:
    """The tensor as the kernels read it."""
    return tensor.float().contiguous()


def _weight(packed: Packed, bias: int | None) -> _Weight:
    return _Weight(packed.data.data_ptr(), packed.scales.data_ptr(), bias, packed.outputs, packed.inputs, packed.bits)


class Rows(NamedTuple):
    """Rows of a step that have a common prefix."""

    keys: Sequence[Packed]
    """By layer and head, (P16, D). Empty without a prefix."""
    values: Sequence[Packed]
    """(D, P16)."""
    length: int
    rows: list[int]


class Steps:
    """Decoding steps of all layers of a model, with its packed weights."""

    def __init__(self, llama: Any, weights: Sequence[Sequence[Packed]]) -> None:
        """`weights` by layer: qkv, out, gate_up, down."""
        self._ropes = list({layer.rope: None for layer in llama.layers})
        self._kept: list[Tensor] = [each for packed in weights for part in packed for each in (part.data, part.scales)]
        """Keeps tensors alive whose addresses the kernels have."""
        made = [self._layer(layer, each) for layer, each in zip(llama.layers, weights, strict=True)]
        self._layers = (_Layer * len(made))(*made)
        self._model = _Model(
            self._layers,
            self._address(llama.norm),
            len(made),
            llama.embedding.shape[1],
            weights[0][3].inputs,
            llama.heads,
            llama.kv_heads,
            llama.head_size,
            llama.eps,
            llama.gelu,
        )

    def _layer(self, layer: Any, weights: Sequence[Packed]) -> _Layer:
        parts = zip(weights, layer.joined, strict=True)
        after, heads = layer.norms_after or (None, None), layer.head_norms or (None, None)
        norms = [layer.norm_in, layer.norm_mid, *after, *heads]
        return _Layer(
            *(_weight(packed, self._address(part.bias)) for packed, part in parts),
            *map(self._address, norms),
            layer.scores.window or 0,
            self._ropes.index(layer.rope),
            layer.scores.scaling,
            layer.scores.cap or 0.0,
        )

    def _address(self, tensor: Tensor | None) -> int | None:
        if tensor is None:
            return None
        self._kept.append(_floats(tensor))
        return self._kept[-1].data_ptr()

    def run(
        self,
        x_NH: Tensor,
        turns: Any,
        slots: tuple[Sequence[Tensor], Sequence[Tensor]],
        write: list[int],
        rows: list[Rows],
    ) -> None:
        """Computes the last hidden states of new tokens in place, and stores their keys and values at the positions `write` of
        their slots. `slots` has the keys and values of layers, (R, K, T, D)."""
        loaded = library()
        assert loaded is not None and x_NH.is_contiguous() and x_NH.dtype == torch.float32
        turned = [[turns[rope][part].contiguous() for rope in self._ropes] for part in (0, 1)]
        kept = [_addresses(each) for each in (*turned, *slots)]
        prefixes = (_Prefix * len(rows))()
        first = 0
        for place, each in enumerate(rows):
            keys, values = (_addresses([packed.data for packed in part]) for part in (each.keys, each.values))
            kept += [keys, values]
            padded = each.keys[0].outputs if each.keys else 0
            prefixes[place] = _Prefix(keys.data_ptr(), values.data_ptr(), each.length, padded, first, len(each.rows))
            first += len(each.rows)
        order = torch.tensor([row for each in rows for row in each.rows], dtype=torch.int64, device="cpu")
        places = torch.tensor(write, dtype=torch.int64, device="cpu")
        batch = _Batch(
            x_NH.data_ptr(),
            *(each.data_ptr() for each in kept[:4]),
            places.data_ptr(),
            order.data_ptr(),
            prefixes,
            len(x_NH),
            slots[0][0].shape[2],
            len(rows),
            torch.get_num_threads(),
        )
        _check(loaded.verigym_step(byref(self._model), byref(batch)))


def _addresses(tensors: Sequence[Tensor]) -> Tensor:
    return torch.tensor([each.data_ptr() for each in tensors], dtype=torch.int64, device="cpu")
