"""The engine against transformers' own `generate` and a plain forward, alone and in any company."""

import asyncio
import random
import threading
from collections.abc import Callable
from typing import Any

import pytest
import scipy.stats
import torch

from tests.model.families import SHARING, VOCABULARY, family, with_adapter
from tests.tiny import tiny
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling
from verigym.core.time_limit import TimeLimit
from verigym.model import lora
from verigym.model.llama_family import FusedWeights, llama_model
from verigym.model.packed import PackedWeights
from verigym.policies.local.engine import LocalEngine, PlainDecoder, decoder_for
from verigym.policies.local.slots import SlotDecoder

LOADED = tiny()
END = LOADED.tokenizer.eos_token_id
SYSTEM = [3, *range(40, 75), 2, 6]
GREEDY = Sampling(temperature=0.0, max_tokens=12)


DECODERS: dict[str, Callable[[Any], Any]] = {
    "fused": lambda model: SlotDecoder(model, FusedWeights(llama_model(model))),  # type: ignore[arg-type]
    "packed": lambda model: SlotDecoder(model, PackedWeights(llama_model(model))),  # type: ignore[arg-type]
    "slots": lambda model: SlotDecoder(model, None),
    "plain": PlainDecoder,
}
KINDS = list(DECODERS)


def engine(model: Any = None, kind: str = "fused", **settings: Any) -> LocalEngine:
    made = LocalEngine(model or LOADED.model, **{"stop_ids": {END}, **settings})
    made._decoders = [DECODERS[kind](made.model)]
    return made


def run(engine: LocalEngine, requests: list[Generation]) -> list[Completion]:
    async def all_at_once() -> list[Completion]:
        return await asyncio.gather(*map(engine.generate, requests))

    return asyncio.run(all_at_once())


def prompts(shared: bool, count: int = 20) -> list[Generation]:
    """Mixed lengths; a fourth of the prompts are asked for twice."""
    draw = random.Random(4)
    tails = [[draw.randrange(6, 100) for _ in range(draw.randrange(1, 30))] for _ in range(count)]
    tails[count // 2 : count // 2 + count // 4] = tails[: count // 4]
    ids = [SYSTEM + tail if shared else tail for tail in tails]
    return [
        Generation(ids=one, shared=len(SYSTEM) if shared else 0, sampling=GREEDY, seed=i) for i, one in enumerate(ids)
    ]


def sampled(requests: list[Generation], **sampling: Any) -> list[Generation]:
    given = Sampling(**{"max_tokens": 12, **sampling})
    return [Generation(ids=one.ids, shared=one.shared, sampling=given, seed=one.seed) for one in requests]


@torch.no_grad()
def reference(ids: list[int], model: Any = None, max_tokens: int = 12) -> list[int]:
    made = (model or LOADED.model).generate(
        torch.tensor([ids]), attention_mask=torch.ones(1, len(ids)), max_new_tokens=max_tokens, do_sample=False
    )
    return made[0, len(ids) :].tolist()


@torch.no_grad()
def cached_logprobs(prompt: list[int], completion: list[int], temperature: float, model: Any) -> list[float]:
    """Token by token through transformers' own cache: a recurrent model's state rounds differently from its pass over all."""
    cache, ids, found = None, prompt, []
    for token in completion:
        out = model(input_ids=torch.tensor([ids]), past_key_values=cache, use_cache=True)
        cache, ids = out.past_key_values, [token]
        found.append(float(torch.log_softmax(out.logits[0, -1].float() / temperature, -1)[token]))
    return found


@torch.no_grad()
def forward_logprobs(prompt: list[int], completion: list[int], temperature: float, model: Any = None) -> list[float]:
    logits = (model or LOADED.model)(input_ids=torch.tensor([prompt + completion])).logits[0].float()
    table = torch.log_softmax(logits / temperature, -1)
    return [float(table[len(prompt) - 1 + t, token]) for t, token in enumerate(completion)]


# -- the right tokens -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "fused"),
    [
        ("llama", SlotDecoder, True),
        ("qwen3", SlotDecoder, True),
        ("gemma", SlotDecoder, True),
        ("mistral", SlotDecoder, True),
        ("mistral with a window", SlotDecoder, True),
        ("qwen2 with a window", SlotDecoder, True),
        ("qwen3 with a window", SlotDecoder, True),
        ("gemma2", SlotDecoder, True),
        ("gemma3", SlotDecoder, True),
        ("qwen3 moe", SlotDecoder, True),
        ("nemotron-h", SlotDecoder, False),
        ("qwen3.5", SlotDecoder, False),
        ("gpt-oss", SlotDecoder, False),
        ("deepseek v3", PlainDecoder, False),
    ],
)
def test_each_kind_of_model_gets_its_decoder_and_the_slow_one_is_said(
    name: str, kind: type, fused: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    found = decoder_for(family(name), 8, 256)
    assert isinstance(found, kind) and (getattr(found, "fused", None) is not None) == fused
    said = capsys.readouterr().err
    assert ("uses the slow decoder" in said and "tokens/s" in said) == (kind is PlainDecoder)


@pytest.mark.parametrize("adapter", [False, True], ids=["bare", "adapter"])
@pytest.mark.parametrize("name", [*SHARING, "nemotron-h"])
def test_every_family_decodes_as_transformers_does(name: str, adapter: bool) -> None:
    """Greedy tokens of `generate`, and logprobs of a plain forward. A tie within rounding may go either way; none does here."""
    model = with_adapter(family(name)) if adapter else family(name)
    try:
        draw = random.Random(1)
        head = [draw.randrange(3, VOCABULARY) for _ in range(11)]
        asked = [[*head, *(draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(1, 9)))] for _ in range(12)]
        greedy = [Generation(ids=ids, shared=11, sampling=Sampling(temperature=0.0, max_tokens=10)) for ids in asked]
        warm = [
            Generation(ids=ids, shared=11, sampling=Sampling(temperature=0.8, max_tokens=10), seed=7) for ids in asked
        ]
        made = run(LocalEngine(model, stop_ids={2}), greedy + warm)
        assert [one.ids for one in made[:12]] == [reference(ids, model, 10) for ids in asked]
        for ids, one in zip(asked, made[12:], strict=True):
            plainly = cached_logprobs if name == "nemotron-h" else forward_logprobs
            assert one.logprobs == pytest.approx(plainly(ids, one.ids, 0.8, model), abs=1e-4)
    finally:
        lora.detach(model)


@pytest.mark.parametrize("shared", [False, True], ids=["alone", "shared prefix"])
@pytest.mark.parametrize("max_batch", [64, 3], ids=["all at once", "three at a time"])
@pytest.mark.parametrize("kind", KINDS)
def test_greedy_tokens_are_those_of_generate(kind: str, max_batch: int, shared: bool) -> None:
    requests = prompts(shared)
    made = run(engine(kind=kind, max_batch=max_batch), requests)
    assert [one.ids for one in made] == [reference(request.ids) for request in requests]


@pytest.mark.parametrize("shared", [False, True], ids=["alone", "shared prefix"])
@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.0, 1.8])
def test_logprobs_are_those_of_a_plain_forward(temperature: float, shared: bool) -> None:
    requests = sampled(prompts(shared, 8), temperature=temperature)
    for request, made in zip(requests, run(engine(), requests), strict=True):
        slow = forward_logprobs(request.ids, made.ids, temperature or 1.0)
        assert made.logprobs == pytest.approx(slow, abs=1e-4)


def test_logprobs_are_untruncated_where_top_p_truncates() -> None:
    requests = sampled(prompts(True, 6), temperature=1.0, top_p=0.5)
    for request, made in zip(requests, run(engine(), requests), strict=True):
        assert made.logprobs == pytest.approx(forward_logprobs(request.ids, made.ids, 1.0), abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_gives_the_same_tokens_alone_and_in_any_company(kind: str) -> None:
    requests = sampled(prompts(True) + prompts(False), temperature=1.2, top_p=0.9)
    together = run(engine(kind=kind), requests)
    alone = [run(engine(kind=kind), [request])[0] for request in requests]
    assert [one.ids for one in together] == [one.ids for one in alone]
    backwards = run(engine(kind=kind, max_batch=5), requests[::-1])[::-1]
    assert [one.ids for one in backwards] == [one.ids for one in alone]


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_that_leaves_early_does_not_disturb_those_that_stay(kind: str) -> None:
    lengths = [2, 9, 4, 12, 1, 7, 12, 3]
    requests = [
        Generation(ids=[10 + i, *range(40, 50)], sampling=Sampling(temperature=0.0, max_tokens=length))
        for i, length in enumerate(lengths)
    ]
    made = run(engine(kind=kind), requests)
    assert [one.ids for one in made] == [reference(one.ids, max_tokens=one.sampling.max_tokens) for one in requests]


def test_all_decoders_sample_the_same_tokens() -> None:
    requests = sampled(prompts(True) + prompts(False), temperature=1.0)
    fused, packed, slots, alone = ([one.ids for one in run(engine(kind=kind), requests)] for kind in KINDS)
    assert fused == packed == slots == alone


def test_requests_that_come_while_others_run_join_them() -> None:
    requests = sampled(prompts(True, 12), temperature=1.0, max_tokens=30)

    async def trickle(engine: LocalEngine) -> list[Completion]:
        running = []
        for request in requests:
            running.append(asyncio.create_task(engine.generate(request)))
            await asyncio.sleep(0.003)
        return await asyncio.gather(*running)

    made = asyncio.run(trickle(engine()))
    assert [one.ids for one in made] == [run(engine(), [request])[0].ids for request in requests]


def test_greedy_and_sampled_requests_do_not_mix_up() -> None:
    requests = [
        one for pair in zip(prompts(True), sampled(prompts(True), temperature=1.5), strict=True) for one in pair
    ]
    made = run(engine(), requests)
    assert [one.ids for one in made[::2]] == [reference(request.ids) for request in requests[::2]]
    assert [one.ids for one in made[1::2]] == [run(engine(), [request])[0].ids for request in requests[1::2]]


# -- the right distribution -------------------------------------------------------------------------------------------


def draws(prompt: list[int], count: int, sampling: Sampling) -> list[int]:
    one_token = [Generation(ids=prompt, sampling=sampling, seed=seed) for seed in range(count)]
    return [made.ids[0] for made in run(engine(max_batch=1000), one_token)]


@pytest.mark.parametrize("temperature", [0.6, 1.0, 1.7])
def test_tokens_are_drawn_from_the_models_distribution(temperature: float) -> None:
    count, prompt = 4000, SYSTEM[:7]
    found = draws(prompt, count, Sampling(temperature=temperature, max_tokens=1))
    with torch.no_grad():
        logits = LOADED.model(input_ids=torch.tensor([prompt])).logits[0, -1].double()
    expected = (torch.softmax(logits / temperature, -1) * count).tolist()
    common = [token for token, times in enumerate(expected) if times >= 5]
    observed = [found.count(token) for token in common] + [sum(token not in common for token in found)]
    wanted = [expected[token] for token in common] + [count - sum(expected[token] for token in common)]
    assert len(common) > 5
    assert scipy.stats.chisquare(observed, wanted).pvalue > 1e-3


def test_top_p_keeps_the_fewest_tokens_that_reach_it_in_their_own_proportions() -> None:
    count, prompt, top_p = 3000, SYSTEM[:9], 0.6
    found = draws(prompt, count, Sampling(temperature=1.0, top_p=top_p, max_tokens=1))
    with torch.no_grad():
        chances = torch.softmax(LOADED.model(input_ids=torch.tensor([prompt])).logits[0, -1].double(), -1)
    order = chances.argsort(descending=True).tolist()
    kept = next(order[:n] for n in range(1, len(order)) if chances[order[:n]].sum() >= top_p)
    assert set(found) <= set(kept) and len(kept) > 2
    wanted = chances[kept] / chances[kept].sum() * count
    assert scipy.stats.chisquare([found.count(token) for token in kept], wanted.tolist()).pvalue > 1e-3


def test_top_k_and_min_p_keep_the_likeliest() -> None:
    prompt = SYSTEM[:9]
    with torch.no_grad():
        chances = torch.softmax(LOADED.model(input_ids=torch.tensor([prompt])).logits[0, -1] / 0.8, -1)
    order = chances.argsort(descending=True).tolist()
    assert set(draws(prompt, 300, Sampling(temperature=0.8, top_k=3, max_tokens=1))) == set(order[:3])
    near = {token for token in order if chances[token] >= 0.4 * chances[order[0]]}
    assert set(draws(prompt, 300, Sampling(temperature=0.8, min_p=0.4, max_tokens=1))) == near and len(near) > 1


@pytest.mark.parametrize("kind", KINDS)
def test_truncated_logprobs_stand_beside_those_of_the_whole_distribution(kind: str) -> None:
    free, cut = (
        sampled(prompts(True, 2), max_tokens=5),
        sampled(prompts(True, 2), top_k=2, temperature=0.9, max_tokens=5),
    )
    made = run(engine(kind=kind), free + cut)
    assert all(not one.restricted for one in made[:2])
    for request, one in zip(cut, made[2:], strict=True):
        assert one.logprobs == pytest.approx(forward_logprobs(request.ids, one.ids, 0.9), abs=1e-4)
        assert len(one.restricted) == len(one.ids)
        for t, (whole, rest) in enumerate(zip(one.logprobs, one.restricted, strict=True)):
            with torch.no_grad():
                logits = LOADED.model(input_ids=torch.tensor([request.ids + one.ids[:t]])).logits[0, -1] / 0.9
            share = torch.softmax(logits, -1).topk(2).values.sum().log().item()
            assert rest == pytest.approx(whole - share, abs=1e-4)


def test_another_seed_is_another_sample() -> None:
    requests = [Generation(ids=SYSTEM, sampling=Sampling(max_tokens=10), seed=seed) for seed in range(20)]
    assert len({tuple(one.ids) for one in run(engine(), requests)}) > 15


# -- the end of a request ---------------------------------------------------------------------------------------------


def test_a_stop_id_ends_the_completion_and_is_part_of_it() -> None:
    whole = reference(SYSTEM)
    stop = whole[3]
    (made,) = run(engine(stop_ids={stop}), [Generation(ids=SYSTEM, sampling=GREEDY)])
    assert made.ids == whole[: whole.index(stop) + 1]
    assert (made.finish, len(made.logprobs)) == ("stop", len(made.ids))


def test_a_stop_text_ends_the_completion_where_it_is_complete() -> None:
    whole = reference(SYSTEM)
    text = LOADED.tokenizer.decode(whole[2:5])
    stopping = Sampling(temperature=0.0, max_tokens=12, stop=["never said", text])
    (made,) = run(engine(decode=LOADED.tokenizer.decode), [Generation(ids=SYSTEM, sampling=stopping)])
    assert (made.ids, made.finish) == (whole[:5], "stop")


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_a_completion_ends_at_its_token_limit(limit: int) -> None:
    (made,) = run(engine(), [Generation(ids=SYSTEM, sampling=Sampling(temperature=0.0, max_tokens=limit))])
    assert (made.ids, made.finish) == (reference(SYSTEM)[:limit], "length")


def test_a_completion_ends_where_the_window_is_full() -> None:
    small = engine(tiny(window=20).model)
    requests = [
        Generation(ids=SYSTEM[:length], sampling=Sampling(temperature=0.0, max_tokens=50))
        for length in (17, 19, 20, 25)
    ]
    made = run(small, requests)
    assert [(len(one.ids), one.finish) for one in made] == [
        (3, "length"),
        (1, "length"),
        (0, "context_full"),
        (0, "context_full"),
    ]


def test_a_request_that_is_cancelled_leaves_the_others_untouched() -> None:
    requests = sampled(prompts(True, 6), temperature=1.0, max_tokens=25, stop=["never said"])
    gone = threading.Event()

    async def cancel_third() -> list[Any]:
        loop = asyncio.get_running_loop()

        def decode(ids: list[int]) -> str:
            if len(ids) == 8 and not gone.is_set():  # in the engine's own thread, in the middle of the batch
                loop.call_soon_threadsafe(lambda: (running[2].cancel(), loop.call_soon(gone.set)))
                assert gone.wait(600)
            return ""

        busy = engine(decode=decode)
        running = [asyncio.create_task(busy.generate(request)) for request in requests]
        made = await asyncio.gather(*running, return_exceptions=True)
        again = await busy.generate(requests[2])
        return [*made, again]

    *made, again = asyncio.run(cancel_third())
    alone = [run(engine(), [request])[0].ids for request in requests]
    assert isinstance(made[2], asyncio.CancelledError)
    assert [one.ids for i, one in enumerate(made) if i != 2] == [ids for i, ids in enumerate(alone) if i != 2]
    assert again.ids == alone[2]


def test_a_request_cancelled_before_it_began_is_never_computed() -> None:
    async def begin() -> Completion:
        idle = engine()
        early = asyncio.create_task(idle.generate(Generation(ids=[5, 9], sampling=Sampling(max_tokens=500))))
        await asyncio.sleep(0)
        early.cancel()
        return await idle.generate(Generation(ids=SYSTEM, sampling=GREEDY))

    assert asyncio.run(begin()).ids == reference(SYSTEM)


@pytest.mark.parametrize("kind", KINDS)
def test_waiting_for_other_requests_does_not_count_as_time_of_the_episode(kind: str) -> None:
    """With room for one request, the others wait, far longer than their limit. The first token starts the clock."""
    requests = prompts(False, 4)
    asked, go_on = threading.Event(), threading.Event()

    async def episode(busy: LocalEngine, request: Generation, waits: list[float]) -> Completion:
        def begun(waited_s: float) -> None:
            waits.append(waited_s)
            limit.pause()  # a slow machine may take its time from here: only the queue is tested

        limit = TimeLimit(0.2, begun)
        async with limit:
            return await busy.generate(request)

    async def all_at_once() -> tuple[list[Completion], list[list[float]]]:
        busy, waits = engine(kind=kind, max_batch=1), [[] for _ in requests]
        begin = busy._decoders[0].begin

        def held_up(new: list[Any]) -> Any:
            asked.set()
            assert go_on.wait(600)
            return begin(new)

        busy._decoders[0].begin = held_up  # type: ignore[method-assign]
        running = [asyncio.create_task(episode(busy, one, wait)) for one, wait in zip(requests, waits, strict=True)]
        while not asked.is_set():
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.5)  # longer than the limit
        assert not any(task.done() for task in running)
        go_on.set()
        return await asyncio.gather(*running), waits

    replies, waits = asyncio.run(all_at_once())
    assert [one.ids for one in replies] == [run(engine(kind=kind), [one])[0].ids for one in requests]
    assert all(len(one) == 1 and one[0] >= 0.5 for one in waits)


# -- changing weights and failing models ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_adapter_is_seen_after_refresh(kind: str) -> None:
    model = tiny().model
    running = engine(model, kind)
    requests = prompts(True, 6)
    before = run(running, requests)
    lora.attach(model, lora.LoraConfig(r=4))
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.normal_(std=0.2, generator=torch.Generator().manual_seed(0))
    running.refresh()
    after = run(running, requests)
    assert [one.ids for one in after] == [reference(request.ids, model) for request in requests]
    assert [one.ids for one in after] != [one.ids for one in before]
    assert after[0].logprobs == pytest.approx(forward_logprobs(requests[0].ids, after[0].ids, 1.0, model), abs=1e-4)


@pytest.mark.parametrize("calls", [0, 1, 4], ids=["in the prefix", "in the prompt", "in a later step"])
def test_an_exception_in_the_model_reaches_everyone_who_waits_and_the_engine_goes_on(calls: int) -> None:
    model = tiny().model
    left = calls

    def fail(*_: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise RuntimeError("out of memory")

    running = engine(model, "slots", max_batch=4)
    hook = model.base_model.register_forward_pre_hook(fail)
    requests = prompts(True, 8)

    async def gather() -> list[Any]:
        return await asyncio.gather(*map(running.generate, requests), return_exceptions=True)

    found = asyncio.run(gather())
    assert {(type(one), str(one)) for one in found} == {(RuntimeError, "out of memory")}
    hook.remove()
    assert [one.ids for one in run(running, requests)] == [reference(request.ids) for request in requests]


# -- several adapters, little memory --------------------------------------------------------------------------------


def made_adapter(seed: int) -> lora.LoraAdapter:
    model = tiny().model
    lora.attach(model, lora.LoraConfig(r=4))
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.normal_(std=0.2, generator=torch.Generator().manual_seed(seed))
    found = lora.config_of(model)
    assert found is not None
    return lora.LoraAdapter(found, lora.weights(model))


@pytest.mark.parametrize("kind", KINDS)
def test_adapters_are_served_side_by_side_or_in_turns(kind: str) -> None:
    """Requests of three versions, mixed: each gets the tokens of its own weights; more versions than sides take turns."""
    model = tiny().model
    running = engine(model, kind)
    running.adapters = {f"v{seed}": made_adapter(seed) for seed in range(5)}
    asked = [(ids.ids, f"v{i % 5}") for i, ids in enumerate(prompts(True, 15))]
    requests = [Generation(ids=ids, shared=len(SYSTEM), sampling=GREEDY, version=version) for ids, version in asked]
    made = run(running, requests)
    wanted: list[list[int]] = []
    for ids, version in asked:
        other = tiny().model
        lora.use(other, running.adapters[version])  # type: ignore[arg-type]
        wanted.append(reference(ids, other))
    assert [one.ids for one in made] == wanted
    assert len({tuple(ids) for ids in wanted}) > 5
    assert len(running._decoders) == (4 if kind in ("fused", "packed") else 1)


def test_a_bare_request_beside_an_adapter_is_bare() -> None:
    running = engine()
    running.adapters = {"v": made_adapter(3)}
    requests = [Generation(ids=SYSTEM, sampling=GREEDY, version=version) for version in ("", "v", "")]
    bare, worn, again = run(running, requests)
    assert bare.ids == again.ids == reference(SYSTEM) != worn.ids


@pytest.mark.parametrize("kind", KINDS)
def test_the_models_own_adapter_is_back_after_another_version(kind: str) -> None:
    model = tiny().model
    lora.use(model, made_adapter(7))
    trained, running = lora.parameters(model), engine(model, kind)
    running.adapters = {"v": made_adapter(3)}
    asked = (Generation(ids=SYSTEM, sampling=GREEDY, version=version) for version in ("", "v", "", "v", ""))
    own, other, *later = [run(running, [one])[0].ids for one in asked]
    assert own == reference(SYSTEM, model) != other and later == [own, other, own]
    assert all(one is before for one, before in zip(lora.parameters(model), trained, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_out_of_memory_halves_the_batch_and_goes_on_without_sampling_anything_twice(kind: str) -> None:
    running = engine(kind=kind)
    decoder = running._decoders[0]
    seen: list[int] = []
    for name in ("begin", "advance"):
        inner = getattr(decoder, name)

        def step(given: Any, inner: Any = inner, name: str = name) -> Any:
            rows = len(given) if name == "begin" else len(decoder.rows)
            if rows > 3:
                raise torch.OutOfMemoryError("too many")
            seen.append(rows)
            return inner(given)

        setattr(decoder, name, step)
    requests = [Generation(ids=[*SYSTEM, 20 + i], sampling=Sampling(max_tokens=9), seed=i) for i in range(8)]
    made = run(running, requests)
    assert [one.ids for one in made] == [run(engine(kind=kind), [request])[0].ids for request in requests]
    assert running.max_batch <= 3 and max(seen) <= 3


def test_one_request_that_does_not_fit_fails_alone() -> None:
    running = engine()
    decoder = running._decoders[0]
    inner = decoder.begin

    def begin(new: list[Any]) -> Any:
        if any(len(row.request.ids) > 60 for row in new):
            raise torch.OutOfMemoryError("too long")
        return inner(new)

    decoder.begin = begin
    requests = [*prompts(False, 3), Generation(ids=[5] * 70, sampling=GREEDY)]

    async def gather() -> list[Any]:
        return await asyncio.gather(*map(running.generate, requests), return_exceptions=True)

    *made, failed = asyncio.run(gather())
    assert isinstance(failed, torch.OutOfMemoryError)
    assert [one.ids for one in made] == [reference(request.ids) for request in requests[:3]]


def test_rows_of_several_prefixes_run_together() -> None:
    heads = [SYSTEM, SYSTEM[::-1], SYSTEM[:9]]
    requests = [
        Generation(ids=[*head, 20 + i, 30], shared=len(head), sampling=GREEDY) for i in range(4) for head in heads
    ]
    running = engine()
    sizes: list[int] = []
    decoder: Any = running._decoders[0]
    inner = decoder.logits
    decoder.logits = lambda: (sizes.append(len(decoder.rows)), inner())[1]
    made = run(running, requests)
    assert [one.ids for one in made] == [reference(request.ids) for request in requests]
    assert max(sizes) > len(requests) - 4  # one or another may end with its first token


def test_many_requests_leave_no_more_behind_than_a_few() -> None:
    """Slots, prefixes and rows of the past are reused or forgotten."""
    running = engine(max_batch=32)
    decoder: Any = running._decoders[0]

    def held() -> tuple[int, int, int]:
        return len(decoder.rows), len(decoder.prefixes), sum(buffer.numel() for buffer in decoder.slot_keys.values())

    def wave(number: int) -> None:
        short, head = Sampling(max_tokens=3), [3, 10 + number % 40]
        run(running, [Generation(ids=[*head, 20 + i], shared=2, sampling=short, seed=i) for i in range(64)])

    for number in range(12):
        wave(number)
    before = held()
    for number in range(40):
        wave(number)
    rows, prefixes, numbers = held()
    assert rows == 0 and prefixes <= 9 and numbers == before[2]
