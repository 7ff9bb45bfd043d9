"""CUDA kernels of the decoder, in Triton: norm, rotary embedding with the write into the cache, paged attention, the gate, and
token sampling. Each compiles in about a second at its first use. The whole model is never compiled.

Shapes: N tokens, H query heads, K key-value heads, D head size, W pages of a row's table, V vocabulary. A page has the keys and
values of PAGE positions in all layers. Pages lie in blocks, which are tensors of their own: `block[2 * layer, page, head, place]`
are keys, and those at `2 * layer + 1` are values. `table[r, p // PAGE]` says where the page of position p of row r begins: the
distance of its first number in the first layer from the tensor `base`, in units of UNIT numbers. So blocks can come and go, and
graphs stay valid. Writes past the end of a row go to page 0, which belongs to no row.

Attention over a long context is computed in segments of SEGMENT positions, which are then combined, so that a few rows fill the
GPU. The segments of a row depend on its own positions only, and so do its results. A full segment that several rows share is read
once for all of them. In a layer with a sliding window, a row computes and combines only the segments that overlap its window.
WINDOW and CAP are 0 without a window or a soft cap of the scores, and their instructions are then not compiled.
"""

# pyright: reportMissingImports=false, reportIndexIssue=false, reportPossiblyUnboundVariable=false
# Only CUDA builds of torch include Triton. A kernel is launched by indexing it.
from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from verigym.model.attention import Scores

PAGE = 16
UNIT = 16
"""Numbers in a unit of distance between a page and `base`."""
SEGMENT = 512
COMBINED = 8
"""Segments that are combined at a time."""
PLACES = 64
"""Positions that a program looks at together."""
DECODE_WARPS = 4
DECODE_STAGES = 2


@triton.jit
def _norm(x_ptr, weight_ptr, out_ptr, size, eps, plus_ptr, PLUS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * size + place, place < size, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x) / size + eps)
    weight = tl.load(weight_ptr + place, place < size, other=0.0).to(tl.float32)
    made = x * scale * weight
    if PLUS:
        made += tl.load(plus_ptr + row * size + place, place < size, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * size + place, made, place < size)


def norm(x_NH: Tensor, weight: Tensor, eps: float, plus_NH: Tensor | None = None) -> Tensor:
    """The norm of each row, added to `plus_NH` if it is given."""
    out = torch.empty_like(x_NH)
    size = x_NH.shape[-1]
    block = triton.next_power_of_2(size)
    plus = x_NH if plus_NH is None else plus_NH
    _norm[(len(x_NH),)](
        x_NH, weight, out, size, eps, plus, PLUS=plus_NH is not None, BLOCK=block,
        num_warps=min(8, max(1, block // 256)),
    )  # fmt: skip
    return out


@triton.jit
def _gate(x_ptr, out_ptr, size, GELU: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(x_ptr + row * 2 * size + place, place < size, other=0.0).to(tl.float32)
    up = tl.load(x_ptr + row * 2 * size + size + place, place < size, other=0.0).to(tl.float32)
    if GELU:
        inner = 0.7978845608028654 * (gate + 0.044715 * gate * gate * gate)
        gate = gate * tl.sigmoid(2 * inner)
    else:
        gate = gate * tl.sigmoid(gate)
    tl.store(out_ptr + row * size + place, gate * up, place < size)


def gate(gate_up_NI: Tensor, gelu: bool) -> Tensor:
    rows, size = gate_up_NI.shape[0], gate_up_NI.shape[1] // 2
    out = gate_up_NI.new_empty(rows, size)
    _gate[(rows, triton.cdiv(size, 1024))](gate_up_NI, out, size, GELU=gelu, BLOCK=1024)
    return out


@triton.jit
def _turn_and_keep(
    qkv_ptr, q_ptr, base_ptr, rope_ptr, rows_ptr, positions_ptr, table_ptr, q_norm_ptr, k_norm_ptr,
    layer, apart, width, last_turn, eps,
    HEADS: tl.constexpr, KV: tl.constexpr, HALF: tl.constexpr, PAGE: tl.constexpr, UNIT: tl.constexpr, NORM: tl.constexpr,
    BLOCK: tl.constexpr, HALF_BLOCK: tl.constexpr,
):  # fmt: skip
    token = tl.program_id(0).to(tl.int64)
    row = tl.load(rows_ptr + token).to(tl.int64)
    position = tl.load(positions_ptr + token).to(tl.int64)
    page = tl.load(table_ptr + row * width + tl.minimum(position // PAGE, width - 1)) * UNIT + layer
    D: tl.constexpr = 2 * HALF
    head = tl.arange(0, BLOCK)[:, None]
    place = tl.arange(0, HALF_BLOCK)[None, :]
    inside = (head < HEADS + 2 * KV) & (place < HALF)
    at = qkv_ptr + token * (HEADS + 2 * KV) * D + head * D + place
    first = tl.load(at, inside, other=0.0).to(tl.float32)
    second = tl.load(at + HALF, inside, other=0.0).to(tl.float32)
    is_q = head < HEADS
    is_v = head >= HEADS + KV
    if NORM:
        scale = tl.rsqrt((tl.sum(first * first, 1) + tl.sum(second * second, 1)) / D + eps)[:, None]
        known = place < HALF
        qa = tl.load(q_norm_ptr + place, known, other=0.0).to(tl.float32)
        qb = tl.load(q_norm_ptr + HALF + place, known, other=0.0).to(tl.float32)
        ka = tl.load(k_norm_ptr + place, known, other=0.0).to(tl.float32)
        kb = tl.load(k_norm_ptr + HALF + place, known, other=0.0).to(tl.float32)
        first = tl.where(is_v, first, first * scale * tl.where(is_q, qa, ka))
        second = tl.where(is_v, second, second * scale * tl.where(is_q, qb, kb))
    turn = rope_ptr + tl.minimum(position, last_turn) * D + place
    cos = tl.where(is_v, 1.0, tl.load(turn, place < HALF, other=0.0))
    sin = tl.where(is_v, 0.0, tl.load(turn + HALF, place < HALF, other=0.0))
    a = first * cos - second * sin
    b = second * cos + first * sin
    q_at = q_ptr + (token * HEADS + head) * D + place
    tl.store(q_at, a, inside & is_q)
    tl.store(q_at + HALF, b, inside & is_q)
    slot = page + (head - HEADS) * PAGE * D + (position % PAGE) * D + place
    is_k = inside & (head >= HEADS) & (head < HEADS + KV)
    tl.store(base_ptr + slot, a, is_k)
    tl.store(base_ptr + slot + HALF, b, is_k)
    slot += apart - KV * PAGE * D
    tl.store(base_ptr + slot, a, inside & is_v)
    tl.store(base_ptr + slot + HALF, b, inside & is_v)


class Cache(NamedTuple):
    """Where keys and values are."""

    base: Tensor
    kv_heads: int
    head_size: int
    apart: int
    """Numbers between the keys and the values of a page: those of all pages of a block in one layer."""
    table: Tensor
    """(rows, W), int64"""

    def layer(self, number: int) -> int:
        """Numbers between the first layer and this one."""
        return 2 * number * self.apart


def turn_and_keep(
    qkv: Tensor, cache: Cache, layer: int, rope: Tensor, rows_N: Tensor, positions_N: Tensor, heads: int,
    norms: tuple[Tensor, Tensor] | None, eps: float,
) -> Tensor:  # fmt: skip
    """Applies the rotary embedding. Returns the queries, (N, H, D), and writes keys and values into the cache."""
    kv, size = cache.kv_heads, cache.head_size
    q = qkv.new_empty(len(qkv), heads, size)
    q_norm, k_norm = norms or (qkv, qkv)
    _turn_and_keep[(len(qkv),)](
        qkv, q, cache.base, rope, rows_N, positions_N, cache.table, q_norm, k_norm, cache.layer(layer), cache.apart,
        cache.table.shape[1], len(rope) - 1, eps,
        HEADS=heads, KV=kv, HALF=size // 2, PAGE=PAGE, UNIT=UNIT, NORM=norms is not None,
        BLOCK=triton.next_power_of_2(heads + 2 * kv), HALF_BLOCK=triton.next_power_of_2(size // 2), num_warps=4,
    )  # fmt: skip
    return q


@triton.jit
def capped(scores, CAP: tl.constexpr):
    """`CAP * tanh(scores / CAP)`. Scores and result are in units of log 2."""
    return (2 * tl.sigmoid(scores * (2 * 0.6931471805599453 / CAP)) - 1) * (CAP * 1.4426950408889634)


@triton.jit
def _attend(
    q_ptr, base_ptr, table_ptr, out_ptr, row_ptr, start_ptr, count_ptr, position_ptr, layer, apart, width, scale,
    G: tl.constexpr, KV: tl.constexpr, D: tl.constexpr, PAGE: tl.constexpr, UNIT: tl.constexpr,
    M: tl.constexpr, N: tl.constexpr, DB: tl.constexpr, PRECISION: tl.constexpr, WINDOW: tl.constexpr, CAP: tl.constexpr,
):  # fmt: skip
    """Prompts: a tile of queries of one row, over all positions up to their own."""
    tile = tl.program_id(0)
    kv_head = tl.program_id(1)
    row = tl.load(row_ptr + tile).to(tl.int64)
    start = tl.load(start_ptr + tile).to(tl.int64)
    count = tl.load(count_ptr + tile)
    first = tl.load(position_ptr + tile)
    m = tl.arange(0, M)
    token = m // G
    d = tl.arange(0, DB)
    n = tl.arange(0, N)
    q_at = ((start + token) * KV * G + kv_head * G + m % G) * D
    asked = (token < count)[:, None] & (d < D)[None, :]
    q = tl.load(q_ptr + q_at[:, None] + d[None, :], asked, other=0.0)
    top = tl.full([M], -float("inf"), tl.float32)
    total = tl.zeros([M], tl.float32)
    gathered = tl.zeros([M, DB], tl.float32)
    end = first + count
    begun = 0
    if WINDOW:
        begun = tl.maximum(first - WINDOW + 1, 0) // N * N
    for begin in range(begun, end, N):
        place = begin + n
        held = place < end
        page = tl.load(table_ptr + row * width + tl.minimum(place // PAGE, width - 1), held, other=0) * UNIT + layer
        at = page + kv_head * PAGE * D + (place % PAGE) * D
        inside = held[:, None] & (d < D)[None, :]
        keys = tl.load(base_ptr + at[:, None] + d[None, :], inside, other=0.0)
        scores = tl.dot(q, tl.trans(keys), input_precision=PRECISION) * (scale * 1.4426950408889634)
        if CAP > 0:
            scores = capped(scores, CAP)
        seen = place[None, :] <= (first + token)[:, None]
        if WINDOW:
            seen = seen & (place[None, :] > (first + token - WINDOW)[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        safe = new_top
        if WINDOW:  # a block before the window of a query adds nothing
            safe = tl.where(new_top == -float("inf"), 0.0, new_top)
        weights = tl.exp2(scores - safe[:, None])
        fade = tl.exp2(top - safe)
        total = total * fade + tl.sum(weights, 1)
        values = tl.load(base_ptr + apart + at[:, None] + d[None, :], inside, other=0.0)
        gathered = gathered * fade[:, None] + tl.dot(weights.to(values.dtype), values, input_precision=PRECISION)
        top = new_top
    tl.store(out_ptr + q_at[:, None] + d[None, :], gathered / total[:, None], asked)


@triton.jit
def _look(
    q, keys, values, place, held, outside, top, total, gathered, scale,
    PRECISION: tl.constexpr, WINDOW: tl.constexpr, CAP: tl.constexpr,
):  # fmt: skip
    """Adds some positions to the weighted sum of a tile of queries. Those up to `outside` are before a query's window."""
    scores = tl.dot(q, tl.trans(keys), input_precision=PRECISION) * (scale * 1.4426950408889634)
    if CAP > 0:
        scores = capped(scores, CAP)
    seen = held[None, :]
    if WINDOW:
        seen = seen & (place[None, :] > outside[:, None])
    scores = tl.where(seen, scores, -float("inf"))
    new_top = tl.maximum(top, tl.max(scores, 1))
    safe = new_top
    if WINDOW:  # positions before the window of a query add nothing
        safe = tl.where(new_top == -float("inf"), 0.0, new_top)
    weights = tl.exp2(scores - safe[:, None])
    fade = tl.exp2(top - safe)
    total = total * fade + tl.sum(weights, 1)
    gathered = gathered * fade[:, None] + tl.dot(weights.to(values.dtype), values, input_precision=PRECISION)
    return new_top, total, gathered


@triton.jit
def _keep(out_ptr, part_ptr, top_ptr, total_ptr, row, head, segment, segments, top, total, gathered, D: tl.constexpr,
          DB: tl.constexpr, WHOLE: tl.constexpr):  # fmt: skip
    d = tl.arange(0, DB)
    asked = (row >= 0)[:, None] & (d < D)[None, :]
    if WHOLE:
        tl.store(out_ptr + head[:, None] * D + d[None, :], gathered / total[:, None], asked)
    else:
        part = head * segments + segment
        tl.store(part_ptr + part[:, None] * D + d[None, :], gathered, asked)
        tl.store(top_ptr + part, top, row >= 0)
        tl.store(total_ptr + part, total, row >= 0)


@triton.jit
def _attend_segment(
    q_ptr, base_ptr, table_ptr, out_ptr, part_ptr, top_ptr, total_ptr, first_ptr, position_ptr, item_ptr,
    layer, apart, width, segments, scale,
    G: tl.constexpr, KV: tl.constexpr, D: tl.constexpr, PAGE: tl.constexpr, UNIT: tl.constexpr, SEGMENT: tl.constexpr,
    MEMBERS: tl.constexpr, WHOLE: tl.constexpr, M: tl.constexpr, N: tl.constexpr, DB: tl.constexpr,
    PRECISION: tl.constexpr, WINDOW: tl.constexpr, CAP: tl.constexpr,
):  # fmt: skip
    """Decoding: the queries of one row in one of its segments or, with MEMBERS, those of several rows in a segment that they
    share, as two tiles. With WHOLE, the row has one segment only, and the result is stored. Otherwise the result of the segment
    is."""
    kv_head = tl.program_id(1)
    m = tl.arange(0, M)
    if MEMBERS:
        item = item_ptr + tl.program_id(0) * (MEMBERS + 1)
        segment = tl.load(item)
        reader = tl.load(item + 1).to(tl.int64)
        row = tl.load(item + 1 + m // G, m < MEMBERS // 2 * G, other=-1).to(tl.int64)
        end = (segment + 1) * SEGMENT
    else:
        reader = tl.program_id(0).to(tl.int64)
        row = tl.where(m < G, reader, -1)
        segment = tl.load(first_ptr + reader) + tl.program_id(2)
        end = tl.load(position_ptr + reader) + 1
    start = segment * SEGMENT
    end = tl.minimum(end, start + SEGMENT)
    outside = row
    if MEMBERS:
        row2 = tl.load(item + 1 + MEMBERS // 2 + m // G, m < MEMBERS // 2 * G, other=-1).to(tl.int64)
        outside2 = row2
    if WINDOW:
        outside = tl.load(position_ptr + row, row >= 0, other=2147483647) - WINDOW
        before = tl.min(outside, 0)
        if MEMBERS:
            outside2 = tl.load(position_ptr + row2, row2 >= 0, other=2147483647) - WINDOW
            before = tl.minimum(before, tl.min(outside2, 0))
        start = tl.maximum(start, (before + 1) // N * N)
    if (segment >= 0) & (start < end):
        d = tl.arange(0, DB)
        n = tl.arange(0, N)
        head = row * KV * G + kv_head * G + m % G
        q = tl.load(q_ptr + head[:, None] * D + d[None, :], (row >= 0)[:, None] & (d < D)[None, :], other=0.0)
        top = tl.full([M], -float("inf"), tl.float32)
        total = tl.zeros([M], tl.float32)
        gathered = tl.zeros([M, DB], tl.float32)
        if MEMBERS:
            head2 = row2 * KV * G + kv_head * G + m % G
            q2 = tl.load(q_ptr + head2[:, None] * D + d[None, :], (row2 >= 0)[:, None] & (d < D)[None, :], other=0.0)
            top2 = tl.full([M], -float("inf"), tl.float32)
            total2 = tl.zeros([M], tl.float32)
            gathered2 = tl.zeros([M, DB], tl.float32)
        for begin in range(start, end, N):
            place = begin + n
            held = place < end
            page = tl.load(table_ptr + reader * width + place // PAGE, held, other=0) * UNIT + layer
            at = page + kv_head * PAGE * D + (place % PAGE) * D
            inside = held[:, None] & (d < D)[None, :]
            keys = tl.load(base_ptr + at[:, None] + d[None, :], inside, other=0.0)
            values = tl.load(base_ptr + apart + at[:, None] + d[None, :], inside, other=0.0)
            top, total, gathered = _look(
                q, keys, values, place, held, outside, top, total, gathered, scale, PRECISION, WINDOW, CAP
            )  # fmt: skip
            if MEMBERS:
                top2, total2, gathered2 = _look(
                    q2, keys, values, place, held, outside2, top2, total2, gathered2, scale, PRECISION, WINDOW, CAP
                )  # fmt: skip
        _keep(out_ptr, part_ptr, top_ptr, total_ptr, row, head, segment, segments, top, total, gathered, D, DB, WHOLE)
        if MEMBERS:
            _keep(
                out_ptr, part_ptr, top_ptr, total_ptr, row2, head2, segment, segments, top2, total2, gathered2, D, DB, WHOLE
            )  # fmt: skip


@triton.jit
def _combine(
    part_ptr, top_ptr, total_ptr, out_ptr, position_ptr, segments,
    H: tl.constexpr, D: tl.constexpr, SEGMENT: tl.constexpr, COMBINED: tl.constexpr, DB: tl.constexpr, WINDOW: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    head = row * H + tl.program_id(1)
    position = tl.load(position_ptr + row)
    count = position // SEGMENT + 1
    first = 0
    if WINDOW:
        first = tl.maximum(position - WINDOW + 1, 0) // SEGMENT
    s = tl.arange(0, COMBINED)
    d = tl.arange(0, DB)
    top = -float("inf")
    total = 0.0
    gathered = tl.zeros([DB], tl.float32)
    for begin in range(first, count, COMBINED):
        segment = begin + s
        part = head * segments + segment
        tops = tl.load(top_ptr + part, segment < count, other=-float("inf"))
        totals = tl.load(total_ptr + part, segment < count, other=0.0)
        inside = (segment < count)[:, None] & (d < D)[None, :]
        parts = tl.load(part_ptr + part[:, None] * D + d[None, :], inside, other=0.0)
        new_top = tl.maximum(top, tl.max(tops, 0))
        weights = tl.exp2(tops - new_top)
        fade = tl.exp2(top - new_top)
        total = total * fade + tl.sum(totals * weights, 0)
        gathered = gathered * fade + tl.sum(parts * weights[:, None], 0)
        top = new_top
    tl.store(out_ptr + head * D + d, gathered / total, d < D)


@triton.jit
def _move(base_ptr, from_ptr, to_ptr, number, apart, UNIT: tl.constexpr, BLOCK: tl.constexpr):
    """Copies one page, in one layer, to another place."""
    layer = tl.program_id(1).to(tl.int64) * apart
    source = tl.load(from_ptr + tl.program_id(0)) * UNIT + layer
    target = tl.load(to_ptr + tl.program_id(0)) * UNIT + layer
    place = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)
    numbers = tl.load(base_ptr + source + place, place < number)
    tl.store(base_ptr + target + place, numbers, place < number)


class Tiles:
    """The tiles of a prefill. Each tile is a run of at most `tokens` queries of one row."""

    def __init__(self, runs: list[tuple[int, int, int]], groups: int, device: torch.device) -> None:
        """`runs` are (row, first position, number of queries), in the order of the flat queries."""
        self.rows = 16 if groups > 32 else 64
        tokens = max(1, self.rows // groups)
        cut: list[tuple[int, int, int, int]] = []
        at = 0
        for row, position, count in runs:
            for done in range(0, count, tokens):
                cut.append((row, at + done, min(tokens, count - done), position + done))
            at += count
        self.fields = torch.tensor(cut, dtype=torch.int32, device=device).T.contiguous()


def attend(q_NHD: Tensor, cache: Cache, layer: int, tiles: Tiles, scores: Scores) -> Tensor:
    """Attention of the queries of prompts over the pages of their row."""
    heads, size = q_NHD.shape[1:]
    out = torch.empty_like(q_NHD)
    row, start, count, position = tiles.fields
    exact = q_NHD.dtype == torch.float32
    _attend[(len(position), cache.kv_heads)](
        q_NHD, cache.base, cache.table, out, row, start, count, position, cache.layer(layer), cache.apart,
        cache.table.shape[1], scores.scaling,
        G=heads // cache.kv_heads, KV=cache.kv_heads, D=size, PAGE=PAGE, UNIT=UNIT, M=tiles.rows,
        N=64 if not exact else 32, DB=max(16, triton.next_power_of_2(size)), PRECISION="ieee" if exact else "tf32",
        WINDOW=scores.window or 0, CAP=scores.cap or 0, num_warps=4, num_stages=2,
    )  # fmt: skip
    return out


class Segments(NamedTuple):
    """How the rows of a step are cut. All rows have at most `most` segments."""

    most: int
    first: Tensor
    """The number of the first segment of each row that is not in `items`, int32."""
    items: Tensor
    """(I, 1 + members), int32: the number of a full segment and the rows that share it. -1 is nothing."""

    @staticmethod
    def members(heads: int, kv_heads: int) -> int:
        """Number of rows that can read a segment together, half of them in each tile."""
        groups = heads // kv_heads
        return 2 * (_tile(groups) // groups)


def _tile(groups: int) -> int:
    """Queries of a tile. It is the same for one row and for several, so that their results are."""
    return max(16, triton.next_power_of_2(groups))


def attend_segments(
    q_BHD: Tensor, cache: Cache, layer: int, positions_B: Tensor, segments: Segments, scores: Scores
) -> Tensor:
    """Attention of one query per row, at `positions_B`, over the pages of its row."""
    rows, heads, size = q_BHD.shape
    groups = heads // cache.kv_heads
    out = torch.empty_like(q_BHD)
    exact = q_BHD.dtype == torch.float32
    whole = segments.most == 1
    window = scores.window or 0
    number = {"device": q_BHD.device, "dtype": torch.float32}
    parts = out if whole else torch.empty(rows, heads, segments.most, size, **number)
    tops, totals = (out if whole else torch.empty(rows, heads, segments.most, **number) for _ in range(2))

    def launch(grid: tuple[int, ...], members: int) -> None:
        _attend_segment[grid](
            q_BHD, cache.base, cache.table, out, parts, tops, totals, segments.first, positions_B, segments.items,
            cache.layer(layer), cache.apart, cache.table.shape[1], segments.most, scores.scaling,
            G=groups, KV=cache.kv_heads, D=size, PAGE=PAGE, UNIT=UNIT, SEGMENT=SEGMENT, MEMBERS=members, WHOLE=whole,
            M=_tile(groups), N=PLACES if not exact else 32, DB=max(16, triton.next_power_of_2(size)),
            PRECISION="ieee" if exact else "tf32", WINDOW=window, CAP=scores.cap or 0, num_warps=DECODE_WARPS,
            num_stages=DECODE_STAGES,
        )  # fmt: skip

    if len(segments.items):
        launch((len(segments.items), cache.kv_heads, 1), segments.items.shape[1] - 1)
    launch((rows, cache.kv_heads, segments.most), 0)
    if not whole:
        _combine[(rows, heads)](
            parts, tops, totals, out, positions_B, segments.most,
            H=heads, D=size, SEGMENT=SEGMENT, COMBINED=COMBINED, DB=max(16, triton.next_power_of_2(size)),
            WINDOW=window, num_warps=1,
        )  # fmt: skip
    return out


def move(cache: Cache, layers: int, source_P: Tensor, target_P: Tensor) -> None:
    """Copies pages. Sources and targets are places as in the table, int64."""
    number = cache.kv_heads * PAGE * cache.head_size
    _move[(len(source_P), 2 * layers, triton.cdiv(number, 1024))](
        cache.base, source_P, target_P, number, cache.apart, UNIT=UNIT, BLOCK=1024
    )


@triton.jit
def _consider(logits_ptr, at, vocabulary, cold, greedy, bits, best, best_at, best_x, top, total):
    """Processes one block of a row's tokens: updates the best score at each place and the running sum of exponentials."""
    x = tl.load(logits_ptr + at, at < vocabulary, other=-float("inf")).to(tl.float32) * cold
    new_top = tl.maximum(top, x)
    safe = tl.where(new_top == -float("inf"), 0.0, new_top)
    total = total * tl.exp(top - safe) + tl.exp(x - safe)
    # Gumbel noise is -log of an exponential variable, which is -log(1 - uniform). The noise that wins is that of a tiny uniform:
    # float32 is fine there and coarse near 1, and 1 - uniform would round to 1, so a series stands for the logarithm.
    uniform = tl.minimum((bits.to(tl.uint32).to(tl.float32) + 0.5) * 2.3283064365386963e-10, 0.99999994)
    series = uniform * (1.0 + uniform * (0.5 + uniform * (0.33333334 + uniform * 0.25)))
    waited = tl.where(uniform < 0.01, series, -tl.log(1.0 - uniform))
    score = x - tl.where(greedy, 0.0, tl.log(waited))
    better = score > best
    best_x = tl.where(better, x, best_x)
    best_at = tl.where(better, at, best_at)
    best = tl.where(better, score, best)
    return best, best_at, best_x, new_top, total


@triton.jit
def _draw(
    logits_ptr, which_ptr, temperature_ptr, seed_ptr, count_ptr, token_ptr, logprob_ptr, vocabulary, stride,
    BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    logits_ptr += tl.load(which_ptr + row).to(tl.int64) * stride
    temperature = tl.load(temperature_ptr + row)
    seed = tl.load(seed_ptr + row)
    count = tl.load(count_ptr + row).to(tl.uint32)
    greedy = temperature == 0.0
    cold = 1.0 / tl.where(greedy, 1.0, temperature)
    place = tl.arange(0, BLOCK)
    best = tl.full([BLOCK], -float("inf"), tl.float32)
    best_at = tl.zeros([BLOCK], tl.int32)
    best_x = tl.zeros([BLOCK], tl.float32)
    top = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    for begin in range(0, vocabulary, 4 * BLOCK):
        at = begin + place
        a, b, c, d = tl.philox(seed, at.to(tl.uint32), count, count * 0, count * 0)
        best, best_at, best_x, top, total = _consider(
            logits_ptr, at, vocabulary, cold, greedy, a, best, best_at, best_x, top, total)  # fmt: skip
        best, best_at, best_x, top, total = _consider(
            logits_ptr, at + BLOCK, vocabulary, cold, greedy, b, best, best_at, best_x, top, total)  # fmt: skip
        best, best_at, best_x, top, total = _consider(
            logits_ptr, at + 2 * BLOCK, vocabulary, cold, greedy, c, best, best_at, best_x, top, total)  # fmt: skip
        best, best_at, best_x, top, total = _consider(
            logits_ptr, at + 3 * BLOCK, vocabulary, cold, greedy, d, best, best_at, best_x, top, total)  # fmt: skip
    peak = tl.max(top, 0)
    norm = peak + tl.log(tl.sum(total * tl.exp(top - peak), 0))
    highest = tl.max(best, 0)
    token = tl.min(tl.where(best == highest, best_at, 2147483647), 0)
    logit = tl.max(tl.where(best_at == token, best_x, -float("inf")), 0)
    tl.store(token_ptr + row, token)
    tl.store(logprob_ptr + row, logit - norm)


def draw(
    logits: Tensor, which_B: Tensor, temperature_B: Tensor, seed_B: Tensor, count_B: Tensor, token_B: Tensor,
    logprob_B: Tensor,
) -> None:  # fmt: skip
    """Draws one token for each row from row `which` of the logits: the largest logit / temperature + Gumbel noise.
    The noise depends only on the row's seed and its number of drawn tokens. At temperature 0 there is no noise."""
    _draw[(len(token_B),)](
        logits, which_B, temperature_B, seed_B, count_B, token_B, logprob_B, logits.shape[1], logits.stride(0),
        BLOCK=1024, num_warps=8,
    )  # fmt: skip
