"""The kernels for a CPU: the results of torch for all sizes, models and values, and torch alone where they cannot be compiled."""

import ctypes
import itertools
import os
import shutil
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.model.families import VOCABULARY, make, uneven
from verigym.core.generation import Generation
from verigym.model import cpu_kernels
from verigym.model.cpu_kernels import Bits
from verigym.model.llama_family import llama_model
from verigym.model.packed import PackedWeights
from verigym.policies.local.requests import Row
from verigym.policies.local.slots import SlotDecoder

needs_compiler = pytest.mark.skipif(cpu_kernels.library() is None, reason="no C++ compiler")
WINDOW: dict[str, Any] = {"sliding_window": 5, "layer_types": ["sliding_attention", "full_attention"]}
MODELS: dict[str, Callable[[], Any]] = {
    "llama with biases": lambda: make("Llama", attention_bias=True, mlp_bias=True),
    "mistral with a window": lambda: make("Mistral", sliding_window=5),
    "qwen2": lambda: make("Qwen2"),
    "qwen3 with a window": lambda: make("Qwen3", use_sliding_window=True, **WINDOW),
    "gemma": lambda: make("Gemma"),
    "gemma2": lambda: make("Gemma2", attn_logit_softcapping=3.0, **WINDOW),
    "gemma3": lambda: make("Gemma3", "TextConfig", **WINDOW),
}
HEADS = [(1, 1, 8), (3, 1, 20), (9, 3, 64), (4, 4, 80), (2, 1, 96), (14, 2, 18), (16, 1, 128), (2, 1, 256)]
"""Query heads, key-value heads, and their size."""


def decoded(model: Any, prompts: list[tuple[int, int]], steps: int) -> Tensor:
    """The logprobs of some steps. A prompt has a shared length and a length of its own."""
    llama = llama_model(model)
    assert llama is not None
    nobody: Any = None
    with torch.inference_mode():
        decoder = SlotDecoder(model, PackedWeights(llama))
        decoder.use_adapter(None)
        ids = [
            [*(5 * i % VOCABULARY for i in range(shared)), *(7 * i % VOCABULARY for i in range(own))]
            for shared, own in prompts
        ]
        rows = [
            Row(Generation(ids=each, shared=shared), nobody) for each, (shared, _) in zip(ids, prompts, strict=True)
        ]
        found = [decoder.prompt_logits(rows)]
        for step in range(steps):
            for number, row in enumerate(rows):
                row.ids.append((11 * number + 3 * step) % VOCABULARY)
            found.append(decoder.logits())
        return torch.stack(found[1:]).log_softmax(-1)


@needs_compiler
@pytest.mark.parametrize("name", MODELS)
def test_a_step_of_each_model_gives_the_logprobs_of_torch(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = uneven(MODELS[name]())
    with torch.no_grad():
        for path, parameter in model.named_parameters():
            if path.endswith("bias"):
                parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1)), alpha=0.2)
    prompts = [(shared, own) for shared in (0, 1, 15, 16, 17, 33) for own in (1, 4, 20)]
    found = decoded(model, prompts, 12)
    monkeypatch.setattr(cpu_kernels, "library", lambda: None)
    torch.testing.assert_close(found, decoded(model, prompts, 12), rtol=0, atol=1e-4)


@needs_compiler
@pytest.mark.parametrize(("heads", "kv_heads", "size"), HEADS)
@pytest.mark.parametrize("rows", [1, 3, 200])
def test_a_step_of_each_shape_gives_the_logprobs_of_torch(
    heads: int, kv_heads: int, size: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape: dict[str, Any] = {"num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": size}
    model = make("Llama", hidden_size=11 * heads, intermediate_size=37, **shape)
    prompts = [((0, 1, 17)[row % 3], 1 + row % 5) for row in range(rows)]
    found = decoded(model, prompts, 3)
    monkeypatch.setattr(cpu_kernels, "library", lambda: None)
    torch.testing.assert_close(found, decoded(model, prompts, 3), rtol=0, atol=1e-4)


@needs_compiler
@pytest.mark.filterwarnings("ignore:Mismatch dtype")
def test_norms_in_bfloat16_are_read_as_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    model = uneven(make("Qwen3"))
    for name, parameter in model.named_parameters():
        if "norm" in name:
            parameter.data = parameter.data.bfloat16()
    found = decoded(model, [(5, 3)], 3)
    monkeypatch.setattr(cpu_kernels, "library", lambda: None)
    torch.testing.assert_close(found, decoded(model, [(5, 3)], 3), rtol=0, atol=1e-4)


@needs_compiler
def test_large_scores_give_the_logprobs_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make("Gemma2", attn_logit_softcapping=None)
    with torch.no_grad():
        model.model.layers[1].self_attn.q_proj.weight.mul_(300)  # scores of several hundred: most weights are 0
    found = decoded(model, [(17, 9)], 4)
    monkeypatch.setattr(cpu_kernels, "library", lambda: None)
    torch.testing.assert_close(found, decoded(model, [(17, 9)], 4), rtol=0, atol=1e-3)


@needs_compiler
def test_nan_in_one_row_of_a_step_stays_there() -> None:
    model = make("Llama")
    prompts = [(10, number) for number in range(1, 9)]
    before = decoded(model, prompts, 1)[0]
    with torch.no_grad():
        model.model.embed_tokens.weight[55] = torch.nan  # only row 5 gets this token
    after = decoded(model, prompts, 1)[0]
    others = torch.arange(8) != 5
    assert after[5].isnan().all() and torch.equal(after[others], before[others])


@needs_compiler
@pytest.mark.parametrize(("bits", "near"), [(32, 1e-6), (16, 5e-4), (8, 2e-2)])
def test_products_of_odd_sizes_are_right(bits: Bits, near: float) -> None:
    draw = torch.Generator().manual_seed(0)
    for outputs, inputs, rows in itertools.product((1, 15, 33, 70), (1, 63, 65, 130, 300), (0, 1, 13, 200)):
        x, bias = torch.randn(rows, inputs, generator=draw), torch.randn(outputs, generator=draw)
        weight = torch.randn(outputs, inputs, generator=draw)
        found = cpu_kernels.linear(x, cpu_kernels.pack(weight, bits), bias)
        wanted, size = x.double() @ weight.double().T + bias, f"{outputs} outputs, {inputs} inputs, {rows} rows"
        torch.testing.assert_close(found.double(), wanted, rtol=0, atol=4 * near * inputs**0.5, msg=size)


@needs_compiler
@pytest.mark.parametrize(("bits", "largest"), [(16, (8191, 4095)), (8, (32767, 127))])
def test_integers_in_range_are_multiplied_exactly(bits: Bits, largest: tuple[int, int]) -> None:
    draw = torch.Generator().manual_seed(0)
    x, weight = (torch.randint(-most, most + 1, (20, 256), generator=draw).float() for most in largest)
    for each, most in zip((x, weight), largest, strict=True):
        each[:, ::64] = most  # so that the scale of each group is 1
        each[0], each[1] = most, -most  # the largest sums
    found = cpu_kernels.linear(x, cpu_kernels.pack(weight, bits))
    torch.testing.assert_close(found.double(), x.double() @ weight.double().T, rtol=1e-6, atol=512)


@needs_compiler
@pytest.mark.parametrize("bits", [32, 16, 8])
@pytest.mark.parametrize("value", [torch.nan, -torch.nan, torch.inf, -torch.inf])
def test_nan_and_infinity_do_not_become_numbers(value: float, bits: Bits) -> None:
    draw = torch.Generator().manual_seed(0)
    x, weight = torch.randn(5, 100, generator=draw), torch.randn(40, 100, generator=draw)
    wanted = cpu_kernels.linear(x, cpu_kernels.pack(weight, bits))
    other_x, other_weight = x.clone(), weight.clone()
    other_x[2, 70] = other_weight[33, 70] = value
    one = cpu_kernels.linear(other_x, cpu_kernels.pack(weight, bits))
    assert not one[2].isfinite().any() and torch.equal(one[[0, 1, 3, 4]], wanted[[0, 1, 3, 4]])
    other = cpu_kernels.linear(x, cpu_kernels.pack(other_weight, bits))
    assert not other[:, 33].isfinite().any()
    assert torch.equal(other[:, :33], wanted[:, :33]) and torch.equal(other[:, 34:], wanted[:, 34:])


@needs_compiler
@pytest.mark.parametrize("bits", [32, 16, 8])
@pytest.mark.parametrize("scale", [0.0, 1e-41, 1e-25, 1e15])
def test_tiny_and_huge_numbers_are_multiplied(scale: float, bits: Bits) -> None:
    draw = torch.Generator().manual_seed(0)
    x, weight = torch.randn(3, 70, generator=draw) * scale, torch.randn(9, 70, generator=draw) * scale
    found = cpu_kernels.linear(x, cpu_kernels.pack(weight, bits), torch.ones(9))
    wanted = x.double() @ weight.double().T + 1
    torch.testing.assert_close(found.double(), wanted, rtol=0, atol=0.05 * max(1e-4, float(wanted.abs().max()) - 1))


@needs_compiler
@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float64])
def test_the_default_type_of_torch_does_not_matter(kind: torch.dtype) -> None:
    x, weight, before = torch.ones(3, 70), torch.ones(9, 70), torch.get_default_dtype()
    try:
        torch.set_default_dtype(kind)
        assert cpu_kernels.library.__wrapped__() is not None
        ready = cpu_kernels.pack(weight, 8)
        found = cpu_kernels.linear(x, cpu_kernels.pack(weight))
    finally:
        torch.set_default_dtype(before)
    assert ready.scales.dtype == torch.float32 and found.dtype == torch.float32
    assert torch.equal(found, torch.full((3, 9), 70.0))


@pytest.fixture
def many_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(5)
    yield
    torch.set_num_threads(before)


def products(loaded: ctypes.CDLL, times: int = 1) -> list[Tensor]:
    """Products in which every thread has work."""
    draw = torch.Generator().manual_seed(0)
    x, weight = torch.randn(30, 100, generator=draw), torch.randn(500, 100, generator=draw)
    ready = cpu_kernels._pack(loaded, weight, 32, None)
    return [cpu_kernels._linear(loaded, x, ready, None) for _ in range(times)]


@needs_compiler
@pytest.mark.timeout(60)
def test_several_callers_with_more_threads_than_cores_get_the_same_bits(many_threads: None, tmp_path: Path) -> None:
    """With the threads of torch, and with threads of its own in a second copy of the library."""
    shared, file = cpu_kernels.library(), cpu_kernels._built()
    assert shared is not None and file is not None
    own = ctypes.CDLL(str(shutil.copy(file, tmp_path / "own.so")))
    cpu_kernels._declare(own)
    torch.set_num_threads(1)
    wanted = products(shared)[0]
    found: list[Tensor] = []

    def call(loaded: ctypes.CDLL) -> None:
        torch.set_num_threads(5)
        found.extend(products(loaded, 10))

    callers = [threading.Thread(target=call, args=(loaded,), daemon=True) for loaded in (shared, own, shared, own)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(found) == 40 and all(torch.equal(each, wanted) for each in found)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="there is no list of loaded libraries")
def test_the_threads_are_those_of_torch() -> None:
    if "/torch/lib/libgomp" not in Path("/proc/self/maps").read_text():
        pytest.skip("torch computes with other threads")
    assert cpu_kernels._pool() is not None


@needs_compiler
def test_a_step_on_several_threads_gives_the_same_logprobs(many_threads: None) -> None:
    model = make("Llama", num_key_value_heads=4, head_dim=64)
    prompts = [(17, 1 + row % 20) for row in range(100)]
    found = decoded(model, prompts, 4)
    torch.set_num_threads(1)
    torch.testing.assert_close(found, decoded(model, prompts, 4), rtol=0, atol=1e-4)


@needs_compiler
def test_a_forked_process_does_not_wait_for_threads_that_it_does_not_have(many_threads: None) -> None:
    loaded = cpu_kernels.library()
    assert loaded is not None
    products(loaded)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(20)
        products(loaded)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a compiler that is not asked to optimise."""
    monkeypatch.setenv("VERIGYM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(cpu_kernels, "_FLAGS", ("-O0", *cpu_kernels._FLAGS[1:]))
    return tmp_path / "cache"


def program(path: Path, lines: str) -> str:
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


COMPILERS = {
    "it fails": "exit 1",
    "it makes nothing": "exit 0",
    "it makes something else": 'for last; do :; done; echo text > "$last"',
    "it never ends": "sleep 20 & sleep 20",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", COMPILERS)
def test_a_compiler_that_does_not_work_gives_no_kernels(
    name: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", program(tmp_path / "cxx", COMPILERS[name]))
    monkeypatch.setattr(cpu_kernels, "_BUILD_S", 0.3)
    began = time.monotonic()
    assert cpu_kernels.library.__wrapped__() is None
    assert time.monotonic() - began < 15
    assert {file.suffix for file in (cache / "kernels").iterdir()} <= {".so"}, "no temporary file is left"


def test_no_compiler_gives_no_kernels(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cpu_kernels.library.__wrapped__() is None


@needs_compiler
def test_a_cache_that_cannot_be_written_gives_no_kernels(cache: Path) -> None:
    cache.write_text("a file")
    assert cpu_kernels.library.__wrapped__() is None


@needs_compiler
def test_no_home_folder_gives_no_kernels(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("VERIGYM_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", home)
    assert cpu_kernels.library.__wrapped__() is None


@needs_compiler
@pytest.mark.parametrize("compiler", ["a-name-that-does-not-exist", "c++ -O1"])
def test_another_compiler_is_found_if_cxx_is_not_a_program(
    compiler: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", compiler)
    assert cpu_kernels.library.__wrapped__() is not None


@needs_compiler
def test_a_compiler_may_know_only_one_of_the_flags_for_a_cpu(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = 'case "$*" in *-march=native*) exit 1;; esac\nc++ $(echo "$@" | sed s/-mcpu=native/-march=native/)'
    monkeypatch.setenv("CXX", program(tmp_path / "cxx", lines))
    assert cpu_kernels.library.__wrapped__() is not None


@needs_compiler
@pytest.mark.parametrize("left", [0.0, 0.5], ids=["empty", "cut off"])
def test_a_damaged_file_is_compiled_again(left: float, cache: Path) -> None:
    file = cpu_kernels._built()
    assert file is not None
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * left)])
    assert cpu_kernels.library.__wrapped__() is not None
    assert cpu_kernels._built() == file and len(file.read_bytes()) == len(content)


@needs_compiler
def test_several_processes_may_compile_at_once(cache: Path) -> None:
    found: list[ctypes.CDLL | None] = []
    callers = [threading.Thread(target=lambda: found.append(cpu_kernels.library.__wrapped__())) for _ in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(found) == 2 and None not in found
