"""The attention kernels compile for GPUs that are not here, for the heads of several models. Triton needs no GPU for that."""

import subprocess
import sys

import pytest

pytest.importorskip("triton", reason="Triton is not installed")
pytestmark = pytest.mark.slow

HEADS = {
    "SmolLM2": (3, 3, 64),
    "Qwen2.5-0.5B": (7, 2, 64),
    "Llama 1B": (4, 8, 64),
    "Llama 8B": (4, 8, 128),
    "MHA": (1, 8, 64),
    "Gemma 2 2B": (2, 4, 256),
}
"""Query heads to each head of keys and values, number of those, and the size of a head."""
BEGIN = """
import sys
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from verigym.model import expert_kernels, kernels, train_kernels

arch, *sizes = map(int, sys.argv[1:])
N, BF, F, I, L = "i32", "*bf16", "*fp32", "*i32", "*i64"


def made(kernel, signature, constants, warps, stages=2):
    names = kernel.arg_names
    even = [name for name in signature if signature[name].startswith("*") or name in ("layer", "apart", "inputs", "outputs")]
    source = ASTSource(
        fn=kernel,
        signature={name: signature.get(name, "constexpr") for name in names},
        constexprs={(names.index(name),): value for name, value in constants.items()},
        attrs={(names.index(name),): [["tt.divisibility", 16]] for name in even},
    )
    return triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_warps": warps, "num_stages": stages})
"""
DECODER = """
G, KV, D, WINDOW = sizes
CAP = 50.0 if WINDOW else 0
where = dict(base_ptr=BF, table_ptr=L, layer=N, apart=N, width=N, scale="fp32")
scores = dict(WINDOW=WINDOW, CAP=CAP)
shape = dict(G=G, KV=KV, D=D, PAGE=kernels.PAGE, UNIT=kernels.UNIT, N=64, DB=D, PRECISION="tf32", **scores)
members = kernels.Segments.members(G * KV, KV)
for together, whole in ((0, True), (0, False), (members, False)):
    part = BF if whole else F
    signature = dict(
        where, q_ptr=BF, out_ptr=BF, part_ptr=part, top_ptr=part, total_ptr=part, first_ptr=I, position_ptr=I, item_ptr=I,
        segments=N,
    )
    constants = dict(shape, SEGMENT=kernels.SEGMENT, MEMBERS=together, WHOLE=whole, M=kernels._tile(G))
    ptx = made(kernels._attend_segment, signature, constants, kernels.DECODE_WARPS).asm["ptx"]
    assert "wgmma" not in ptx, "rows that read together must be computed as rows that read alone"
    assert "cp.async.cg" in ptx, "keys and values are read ahead, 16 bytes at a time"
signature = dict(where, q_ptr=BF, out_ptr=BF, row_ptr=I, start_ptr=I, count_ptr=I, position_ptr=I)
made(kernels._attend, signature, dict(shape, M=64), 4)
constants = dict(H=G * KV, D=D, SEGMENT=kernels.SEGMENT, COMBINED=kernels.COMBINED, DB=D, WINDOW=WINDOW)
made(kernels._combine, dict(part_ptr=F, top_ptr=F, total_ptr=F, out_ptr=BF, position_ptr=I, segments=N), constants, 1)
signature = dict(
    qkv_ptr=BF, q_ptr=BF, base_ptr=BF, rope_ptr=F, rows_ptr=I, positions_ptr=I, table_ptr=L, q_norm_ptr=BF, k_norm_ptr=BF,
    layer=N, apart=N, width=N, last_turn=N, eps="fp32",
)
block = triton.next_power_of_2(G * KV + 2 * KV)
constants = dict(
    HEADS=G * KV, KV=KV, HALF=D // 2, PAGE=kernels.PAGE, UNIT=kernels.UNIT, NORM=True, BLOCK=block, HALF_BLOCK=D // 2
)
made(kernels._turn_and_keep, signature, constants, 4)
made(kernels._move, dict(base_ptr=BF, from_ptr=L, to_ptr=L, number=N, apart=N), dict(UNIT=kernels.UNIT, BLOCK=1024), 4)
for kernel in (train_kernels._attend, train_kernels._attend_back_q, train_kernels._attend_back_kv):
    pointers = dict(
        q_ptr=BF, k_ptr=BF, v_ptr=BF, ends_ptr=I, list_ptr=I, count_ptr=I, out_ptr=BF, lse_ptr=F, grad_ptr=BF, delta_ptr=F,
        dq_ptr=BF, sums_ptr=F, share_ptr=I, start_ptr=I, positions_ptr=I,
    )
    numbers = dict(length=N, width=N, scale="fp32", q_step=N, k_step=N, v_step=N, dq_step=N)
    constants = dict(H=G * KV, G=G, D=D, DB=D, B=64, PRECISION="tf32", STEPS=train_kernels._STEPS, **scores)
    known = kernel.arg_names
    signature = {name: kind for name, kind in (pointers | numbers).items() if name in known}
    made(kernel, signature, {name: value for name, value in constants.items() if name in known}, 4)
for plus in (False, True):
    signature = dict(x_ptr=BF, weight_ptr=BF, out_ptr=BF, size=N, eps="fp32", plus_ptr=BF)
    made(kernels._norm, signature, dict(PLUS=plus, BLOCK=2048), 8)
print("compiled")
"""


EXPERTS = {"Mixtral": (8, 2), "Qwen2-MoE": (60, 4), "Qwen3-MoE": (128, 8)}
"""Experts, and those that a token chooses."""
MIXTURE = """
experts, K = sizes
block = triton.next_power_of_2(experts)
signature = dict(logits_ptr=BF, id_ptr=I, score_ptr=F, experts=N)
made(expert_kernels._choose, signature, dict(K=K, NORM=True, BLOCK=block, K_BLOCK=K), 1)
for tile in (expert_kernels.STEP_TILE, expert_kernels.PROMPT_TILE):
    signature = dict(id_ptr=I, pair_ptr=I, expert_ptr=I, pairs=N)
    made(expert_kernels._sort, signature, dict(M=tile, BLOCK=1024), 4)
    for gated, share in ((True, K), (False, 1)):
        for number, exact in ((BF, False), (F, True)):
            signature = dict(
                x_ptr=number, weight_ptr=number, out_ptr=number, pair_ptr=I, expert_ptr=I, inputs=N, outputs=N
            )
            size, precision = (32, "ieee") if exact else (64, "tf32")
            constants = dict(SHARE=share, GATED=gated, GELU=False, M=tile, N=size, D=size, PRECISION=precision)
            ptx = made(expert_kernels._multiply, signature, constants, 4, 3).asm["ptx"]
            assert exact or "cp.async.cg" in ptx, "weights are read ahead, 16 bytes at a time"
            assert tile == 64 or "wgmma" not in ptx, "a step has the same instructions on every GPU"
signature = dict(x_ptr=BF, part_ptr=BF, score_ptr=F, shared_ptr=BF, gate_ptr=BF, size=N)
made(expert_kernels._combine, signature, dict(K=K, SHARED=True, BLOCK=1024), 4)
print("compiled")
"""


def compiled(code: str, arch: int, *sizes: int) -> None:
    given = [str(number) for number in (arch, *sizes)]
    done = subprocess.run([sys.executable, "-c", BEGIN + code, *given], capture_output=True, text=True)
    assert "compiled" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("window", [0, 4096], ids=["full", "with a window and a soft cap"])
def test_the_kernels_compile(name: str, arch: int, window: int) -> None:
    compiled(DECODER, arch, *HEADS[name], window)


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("name", EXPERTS)
def test_the_kernels_of_experts_compile(name: str, arch: int) -> None:
    compiled(MIXTURE, arch, *EXPERTS[name])
