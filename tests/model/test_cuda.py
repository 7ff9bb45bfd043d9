"""The kernels on a GPU, against transformers: the engine's tokens and logprobs, the packed forward and its gradients."""

import asyncio
import random
from typing import Any

import pytest
import torch

from tests.model.families import (
    VOCABULARY,
    assert_same_gradients,
    gradients,
    make,
    packed,
    plain,
    uneven,
    with_adapter,
)
from tests.model.lora_families import shake
from tests.model.test_experts import MIXTURES
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sample, Sampling
from verigym.model import full, lora, nf4
from verigym.model.attention import Scores
from verigym.model.llama_family import llama_model
from verigym.model.lora import LoraConfig
from verigym.model.tree import pack
from verigym.policies.local.engine import LocalEngine
from verigym.training.recipe_groups import Optimizer
from verigym.training.update import make_optimizer, sft_update, updates_made

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
FAMILIES = ["Llama", "Qwen2", "Qwen3", "Gemma"]
MIXED: dict[str, Any] = {"layer_types": ["sliding_attention", "full_attention"]}
WINDOWED: dict[str, dict[str, Any]] = {
    "Mistral": {},
    "Qwen2": {"use_sliding_window": True, **MIXED},
    "Qwen3": {"use_sliding_window": True, **MIXED},
    "Gemma2": {"attn_logit_softcapping": 5.0, "final_logit_softcapping": 7.0, **MIXED},
    "Gemma3": MIXED,
}
"""Settings of families with sliding windows, soft caps and norms after attention and MLP."""

WIDE = LoraConfig(r=4, targets=("all", "embeddings", "head"))


def on_gpu(name: str, adapter: bool, config: LoraConfig = LoraConfig(r=4), **fields: Any) -> Any:
    sizes = {} if name.startswith("Qwen2") else {"head_dim": 16}
    settings = "TextConfig" if name == "Gemma3" else "Config"
    model = uneven(make(name, settings, **{**sizes, **MIXTURES.get(name, {}), **fields}))
    return (with_adapter(model, config) if adapter else model).cuda()


def prompts(count: int = 10) -> list[list[int]]:
    """Prompts of different lengths that share a beginning."""
    draw = random.Random(0)
    head = [draw.randrange(3, VOCABULARY) for _ in range(40)]
    return [[*head, *(draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(1, 60)))] for _ in range(count)]


def learnt(count: int = 6) -> list[Sample]:
    draw = random.Random(2)
    return [
        Sample(ids=ids, mask=[0] * (len(ids) // 2) + [1] * (len(ids) - len(ids) // 2), logprobs=[])
        for ids in ([draw.randrange(3, VOCABULARY) for _ in range(20 + i)] for i in range(count))
    ]


def generations(asked: list[list[int]], *more: Sampling) -> list[Generation]:
    """Each prompt greedily, sampled, and with `more` settings."""
    settings = [Sampling(temperature=0.0, max_tokens=30), Sampling(temperature=0.7, max_tokens=30), *more]
    return [Generation(ids=ids, sampling=one, seed=i) for one in settings for i, ids in enumerate(asked)]


def assert_decoded_as_forward(model: Any, requests: list[Generation], engine: LocalEngine) -> list[Completion]:
    """Replies have the tokens and logprobs of the plain forward pass of `model`."""
    made = run(engine, requests)
    for request, one in zip(requests, made, strict=True):
        ids = torch.tensor([request.ids + one.ids]).cuda()
        with torch.inference_mode():
            logits = model(ids).logits[0, len(request.ids) - 1 : -1].float() / (request.sampling.temperature or 1.0)
        if not request.sampling.temperature:
            assert one.ids == logits.argmax(-1).tolist()
        found = logits.log_softmax(-1).gather(-1, ids[0, len(request.ids) :, None])[:, 0].tolist()
        assert one.logprobs == pytest.approx(found, abs=1e-4)
    return made


def run(engine: LocalEngine, requests: list[Generation]) -> list[Completion]:
    async def together() -> list[Completion]:
        return await asyncio.gather(*map(engine.generate, requests))

    return asyncio.run(together())


@pytest.mark.parametrize("adapter", [False, True], ids=["bare", "adapter"])
@pytest.mark.parametrize("name", [*FAMILIES, *MIXTURES])
def test_pages_and_graphs_decode_as_transformers_does(name: str, adapter: bool) -> None:
    model = on_gpu(name, adapter)
    draw = random.Random(0)
    head = [draw.randrange(3, VOCABULARY) for _ in range(40)]
    asked = [[*head, *(draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(1, 60)))] for _ in range(10)]
    engine = LocalEngine(model, stop_ids={-1})
    requests = generations(asked + asked[:3], Sampling(temperature=0.7, top_k=5, top_p=0.9, max_tokens=30))
    made = assert_decoded_as_forward(model, requests, engine)
    alone = [run(LocalEngine(model, stop_ids={-1}), [request])[0].ids for request in requests[10:16]]
    assert alone == [one.ids for one in made[10:16]]
    decoder: Any = engine._decoders[0]
    assert type(decoder).__name__ == "PagedDecoder", "graphs, not the slow decoder"
    assert decoder.pages.room == decoder.pages.total - 1


@pytest.mark.parametrize("window", [7, 700])
@pytest.mark.parametrize("name", WINDOWED)
def test_windows_and_caps_decode_as_transformers_does(name: str, window: int) -> None:
    """With one segment and with several. Rows alone have the tokens of rows that share segments."""
    model = on_gpu(name, True, sliding_window=window, max_position_embeddings=2048, **WINDOWED[name])
    draw = random.Random(0)
    head = [draw.randrange(3, VOCABULARY) for _ in range(1100)]
    long = [[*head, *(draw.randrange(3, VOCABULARY) for _ in range(number))] for number in (1, 9, 60, 424)]
    engine = LocalEngine(model, stop_ids={-1})
    assert_decoded_as_forward(model, generations(prompts()), engine)
    requests = generations(long)
    made = assert_decoded_as_forward(model, requests, engine)
    assert type(engine._decoders[0]).__name__ == "PagedDecoder", "graphs, not the slow decoder"
    alone = [run(LocalEngine(model, stop_ids={-1}), [request])[0].ids for request in requests]
    assert alone == [one.ids for one in made]


@pytest.mark.parametrize("name", WINDOWED)
def test_windows_and_caps_in_bfloat16_score_as_they_decode(name: str) -> None:
    """With the heads of 256 numbers that Gemma has."""
    sizes = {} if name == "Qwen2" else {"head_dim": 256}
    fields = {
        **sizes,
        **WINDOWED[name],
        "sliding_window": 100,
        "max_position_embeddings": 2048,
        "initializer_range": 0.05,
    }
    model = on_gpu(name, True, **fields).to(torch.bfloat16)
    assert llama_model(model) is not None
    draw = random.Random(0)
    asked = [[draw.randrange(3, VOCABULARY) for _ in range(number)] for number in (30, 300, 900)]
    requests = [Generation(ids=ids, sampling=Sampling(max_tokens=30), seed=1) for ids in asked]
    made = run(LocalEngine(model, stop_ids={-1}), requests)
    samples = [
        Sample(ids=ids + one.ids, mask=[0] * len(ids) + [1] * len(one.ids), logprobs=[])
        for ids, one in zip(asked, made, strict=True)
    ]
    scored = packed(model, samples)
    for (logprobs, _), one in zip(scored, made, strict=True):
        assert logprobs.tolist() == pytest.approx(one.logprobs, abs=0.1)
    assert all(gradient.isfinite().all() for gradient in gradients(model, [logprobs for logprobs, _ in scored]))


@pytest.mark.parametrize("name", [*FAMILIES, *MIXTURES])
def test_the_packed_forward_and_its_gradients_are_those_of_plain_rows(name: str) -> None:
    assert_packed_as_plain(on_gpu(name, True))


@pytest.mark.parametrize("window", [1, 7, 60])
@pytest.mark.parametrize("name", WINDOWED)
def test_windows_and_caps_train_as_transformers_does(name: str, window: int) -> None:
    model = on_gpu(name, True, sliding_window=window, **WINDOWED[name])
    assert llama_model(model) is not None
    assert_packed_as_plain(model)


def assert_packed_as_plain(model: Any) -> None:
    draw = random.Random(1)
    head = [draw.randrange(3, VOCABULARY) for _ in range(50)]
    samples: list[Sample] = []
    for _ in range(5):
        prompt = [*head, *(draw.randrange(3, VOCABULARY) for _ in range(20))]
        for _ in range(4):
            said = [draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(1, 40))]
            samples.append(Sample(ids=prompt + said, mask=[0] * len(prompt) + [1] * len(said), logprobs=[]))
    ours = [logprobs for logprobs, _ in packed(model, samples)]
    theirs = [plain(model, sample)[0] for sample in samples]
    for mine, reference in zip(ours, theirs, strict=True):
        assert torch.allclose(mine, reference, atol=1e-4)
    assert_same_gradients(gradients(model, ours), gradients(model, theirs))


@pytest.mark.parametrize("prompts", [False, True], ids=["step", "prompts"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(("experts", "chosen"), [(8, 2), (60, 4), (128, 8)])
def test_the_kernels_of_experts_compute_what_the_loop_does(
    experts: int, chosen: int, dtype: torch.dtype, prompts: bool
) -> None:
    from verigym.model import expert_kernels

    fields: Any = {"num_experts": experts, "num_experts_per_tok": chosen, "moe_intermediate_size": 192}
    model = make("Qwen2Moe", hidden_size=256, num_hidden_layers=1, shared_expert_intermediate_size=96, **fields)
    llama = llama_model(model.to(device="cuda", dtype=dtype))
    assert llama is not None
    [layer] = llama.layers
    mixture: Any = layer.mixture
    weights = [part.weight for part in layer.parts][2:]
    x, ready = (
        torch.randn(300, 256, generator=torch.Generator().manual_seed(seed)).to("cuda", dtype) for seed in (0, 1)
    )

    def added(rows: slice) -> torch.Tensor:
        made = x[rows].clone()
        expert_kernels.add_mixture(made, ready[rows], mixture, weights, prompts, llama.gelu)
        return made

    with torch.inference_mode():
        together, expected = added(slice(None)), x + mixture.forward(ready, weights)
        error = (together - expected).abs().amax(1)
        exact = dtype == torch.float32
        alike = error <= (1e-4 if exact else 0.05) * expected.abs().max()
        assert alike.float().mean() >= (1.0 if exact else 0.8), (
            "in bfloat16 experts tie, and torch may take another one"
        )
        tiles = expert_kernels.PROMPT_TILE if prompts else expert_kernels.STEP_TILE
        ids, _ = expert_kernels.choose(torch.nn.functional.linear(ready, mixture.router), chosen, True)
        for rows in (slice(7, 8), slice(20, 117)):
            some = [
                expert_kernels.multiply(
                    ready[each],
                    weights[-2],
                    expert_kernels.sort(ids[each], experts, tiles),
                    ids[each].numel(),
                    gated=True,
                ).view(-1, chosen, 192)
                for each in (slice(None), rows)
            ]
            assert torch.equal(some[0][rows], some[1]), "a row does not depend on the others"


def drawn(logits_V: torch.Tensor, count: int) -> torch.Tensor:
    from verigym.model.kernels import draw

    made = {"dtype": torch.int64, "device": "cuda"}
    tokens, which, seeds = torch.zeros(count, **made), torch.zeros(count, **made), torch.arange(count, **made)
    ones = torch.ones(count, device="cuda")
    draw(logits_V[None].cuda(), which.int(), ones, seeds, which.int(), tokens, torch.zeros_like(ones))
    return tokens.cpu()


@pytest.mark.parametrize(("heads", "kv_heads", "size"), [(9, 3, 64), (14, 2, 64), (32, 8, 128)])
def test_rows_that_read_a_segment_together_have_the_bits_of_rows_that_read_alone(
    heads: int, kv_heads: int, size: int
) -> None:
    from verigym.model import kernels

    torch.manual_seed(0)
    rows, length = 7, 3 * kernels.SEGMENT + 40
    pages = -(-length // kernels.PAGE)
    apart = pages * kv_heads * kernels.PAGE * size
    base = torch.randn(2 * apart, dtype=torch.bfloat16, device="cuda")
    places = torch.arange(pages, device="cuda") * (kv_heads * kernels.PAGE * size // kernels.UNIT)
    cache = kernels.Cache(base, kv_heads, size, apart, places.repeat(rows, 1))
    q = torch.randn(rows, heads, size, dtype=torch.bfloat16, device="cuda")
    positions = torch.full((rows,), length - 1, dtype=torch.int32, device="cuda")
    members = kernels.Segments.members(heads, kv_heads)
    chunks = [list(range(rows))[start : start + members] for start in range(0, rows, members)]
    items = [[segment, *some, *[-1] * (members - len(some))] for segment in range(3) for some in chunks]
    whole = {"dtype": torch.int32, "device": "cuda"}
    alone = kernels.Segments(4, torch.zeros(rows, **whole), torch.zeros(0, 1 + members, **whole))
    together = kernels.Segments(4, torch.full((rows,), 3, **whole), torch.tensor(items, **whole))
    mine, other = (kernels.attend_segments(q, cache, 0, positions, each, Scores(0.1)) for each in (together, alone))
    assert torch.equal(mine, other)
    k, v = (
        each.view(pages, kv_heads, kernels.PAGE, size).transpose(0, 1).flatten(1, 2)[:, :length]
        for each in base.chunk(2)
    )
    seen = torch.nn.functional.scaled_dot_product_attention(
        q.float()[:, :, None], k.float()[None], v.float()[None], scale=0.1, enable_gqa=True
    )
    torch.testing.assert_close(mine.float(), seen[:, :, 0], rtol=2e-2, atol=2e-2)


def test_lines_attend_as_the_tree_does() -> None:
    from verigym.model.lines import Lines
    from verigym.model.train_kernels import TreeKernel

    draw = random.Random(0)
    head = [draw.randrange(50) for _ in range(60)]
    rows = [[*head, *(draw.randrange(50) for _ in range(number))] for number in (300, 290, 140, 700)]
    samples = [Sample(ids=ids, mask=[0] + [1] * (len(ids) - 1), logprobs=[]) for ids in rows]
    [tree] = pack(samples, 1 << 20, device="cuda")
    torch.manual_seed(0)
    q, k, v = (torch.randn(len(tree.ids_N), heads, 64, dtype=torch.bfloat16, device="cuda") for heads in (8, 2, 2))
    grad = torch.randn_like(q)
    made: list[tuple[torch.Tensor, torch.Tensor]] = []
    each: Any
    for each in (Lines(tree), TreeKernel(tree.positions_N, tree.ends_N, torch.bfloat16)):
        out, kept = each.forward(q, k, v, Scores(0.125))
        made.append((out, each.backward(grad, q, k, v, out, kept, Scores(0.125))))
    for mine, other in zip(*made, strict=True):
        torch.testing.assert_close(mine.float(), other.float(), rtol=3e-2, atol=3e-2)


def test_what_has_no_weight_is_never_drawn() -> None:
    logits_V = torch.full((49152,), -40.0)
    logits_V[777] = 0.0
    assert (drawn(logits_V, 50_000) == 777).all()


def test_tokens_are_drawn_as_often_as_their_weight_says() -> None:
    logits_V = (torch.randn(200, generator=torch.Generator().manual_seed(0)) * 2).log_softmax(-1)
    count = 200_000
    expected = logits_V.exp() * count
    found = torch.bincount(drawn(logits_V, count), minlength=200)
    assert ((found - expected) ** 2 / expected).sum() < 270, "chi-square of 199 degrees: 270 has a chance of 1 in 1,000"


@pytest.mark.parametrize("name", [*FAMILIES, *MIXTURES])
def test_pages_and_graphs_decode_with_adapted_embeddings_and_head(name: str) -> None:
    model = on_gpu(name, True, WIDE)
    engine = LocalEngine(model, stop_ids={-1})
    first = assert_decoded_as_forward(model, generations(prompts()), engine)
    assert type(engine._decoders[0]).__name__ == "PagedDecoder", "graphs, not the slow decoder"
    sft_update(model, make_optimizer(model, 0.03), learnt())
    engine.refresh()
    second = assert_decoded_as_forward(model, generations(prompts()), engine)
    assert [one.ids for one in first] != [one.ids for one in second], "the graphs use the changed weights"


@pytest.mark.parametrize("name", [*FAMILIES, *MIXTURES])
def test_pages_and_graphs_decode_on_4_bit_weights(name: str) -> None:
    pytest.importorskip("bitsandbytes")

    def quantized() -> Any:
        model = on_gpu(name, False, hidden_size=64, intermediate_size=128)
        nf4.quantize(model, "cuda")
        return model

    ours, theirs = quantized(), quantized()
    nf4.dequantize(theirs)
    for model in (ours, theirs):
        lora.attach(model, LoraConfig(r=4))
        shake(model)
    assert any(isinstance(module, nf4.Nf4Linear) for module in ours.modules())
    engine = LocalEngine(ours, stop_ids={-1})
    first = assert_decoded_as_forward(theirs, generations(prompts()), engine)
    assert type(engine._decoders[0]).__name__ == "PagedDecoder", "graphs, not the slow decoder"
    found = [[logprobs for logprobs, _ in packed(model, learnt())] for model in (ours, theirs)]
    assert_same_gradients(gradients(ours, found[0]), gradients(theirs, found[1]))
    for model in (ours, theirs):
        sft_update(model, make_optimizer(model, 0.03), learnt())
    engine.refresh()
    second = assert_decoded_as_forward(ours, generations(prompts()), engine)
    assert [one.ids for one in first] != [one.ids for one in second], "the graphs use the changed adapter"


@pytest.mark.parametrize("optimizer", ["adamw", "adamw8bit"])
@pytest.mark.parametrize("offload", [False, True], ids=["on the GPU", "offloaded"])
def test_a_step_of_all_parameters_in_bfloat16_is_that_of_float32(optimizer: str, offload: bool) -> None:
    if optimizer == "adamw8bit":
        pytest.importorskip("bitsandbytes")
    rate, wanted = 1e-3, Optimizer(name=optimizer)  # type: ignore[arg-type]
    ours = on_gpu("Llama", False, hidden_size=128, intermediate_size=256).to(torch.bfloat16)
    theirs = on_gpu("Llama", False, hidden_size=128, intermediate_size=256).to(torch.bfloat16).float()
    full.begin(ours, full.FullSettings(checkpointing=True, offload=offload))
    full.begin(theirs)
    before = {name: parameter.detach().clone() for name, parameter in theirs.named_parameters()}
    figures = [
        sft_update(model, step, learnt())
        for model, step in ((ours, make_optimizer(ours, rate, wanted)), (theirs, make_optimizer(theirs, rate)))
    ]
    assert figures[0]["loss"] == pytest.approx(figures[1]["loss"], rel=0.02)
    assert figures[0]["grad_norm"] == pytest.approx(figures[1]["grad_norm"], rel=0.1)
    total = same = 0
    for name, parameter in ours.named_parameters():
        assert parameter.dtype == torch.bfloat16
        step, reference = parameter.float() - before[name], theirs.get_parameter(name) - before[name]
        clear = (reference.abs() > rate / 2) & (before[name].abs() < 0.1)  # a step that bfloat16 can show
        total += int(clear.sum())
        same += int((step.sign() == reference.sign())[clear].sum())
    assert total > 1000 and same > 0.95 * total


def test_8_bit_moments_on_a_gpu_resume_exactly() -> None:
    pytest.importorskip("bitsandbytes")

    def larger() -> tuple[Any, Any]:
        model = on_gpu("Llama", False, hidden_size=128, intermediate_size=256).to(torch.bfloat16)
        full.begin(model)
        return model, make_optimizer(model, 1e-3, Optimizer(name="adamw8bit"))

    (straight, first), (begun, second), (resumed, third) = larger(), larger(), larger()
    for _ in range(3):
        sft_update(straight, first, learnt())
    sft_update(begun, second, learnt())
    full.set_named_weights(resumed, full.named_weights(begun))
    third.load_state_dict(second.state_dict())
    assert updates_made(third) == 1
    for _ in range(2):
        sft_update(resumed, third, learnt())
    assert all(torch.equal(*both) for both in zip(straight.parameters(), resumed.parameters(), strict=True))
