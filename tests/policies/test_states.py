"""Recurrent and hybrid models in the engine: rows of all lengths run together and get the tokens that they get alone."""

import asyncio
import random
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from tests.model.families import MAMBA, SEPARATE, VOCABULARY, make, with_adapter
from tests.model.lora_families import FAMILIES, nemotron_with_experts, shake
from verigym.core.generation import Completion, Generation
from verigym.core.records import Sampling
from verigym.model import lora
from verigym.policies.local import slots
from verigym.policies.local.engine import LocalEngine, PlainDecoder, decoder_for
from verigym.policies.local.slots import SlotDecoder, why_unsupported

FREE: dict[str, Any] = {"time_step_min": 1e-9}
"""Passes of Nemotron-H over several tokens raise time steps to this value, and steps of one token do not."""
MODELS: dict[str, Callable[[], Any]] = {
    "mamba": FAMILIES["mamba"],
    "mamba2": FAMILIES["mamba2"],
    "nemotron-h": lambda: make(
        "NemotronH",
        layers_block_type=["mamba", "attention", "mlp", "mamba"],
        num_hidden_layers=4,
        chunk_size=16,
        **MAMBA,
        **FREE,
    ),
    "nemotron-h with experts": lambda: nemotron_with_experts(**FREE),
    "qwen3.5": SEPARATE["qwen3.5"],
    "lfm2, with convolutions only": lambda: make("Lfm2", layer_types=["conv", "full_attention"]),
}
HEAD = [(7 * i) % 50 + 3 for i in range(21)]


def engine(model: Any, **settings: Any) -> LocalEngine:
    made = LocalEngine(model, **{"stop_ids": {-1}, **settings})
    made._decoders = [SlotDecoder(model, None)]
    return made


def run(engine: LocalEngine, requests: Sequence[Generation]) -> list[Completion]:
    async def all_at_once() -> list[Completion]:
        return await asyncio.gather(*map(engine.generate, requests))

    return asyncio.run(all_at_once())


def requests(count: int = 12, **settings: Any) -> list[Generation]:
    """Prompts of many lengths, half of them behind a prefix, some of them equal, and replies of many lengths."""
    draw = random.Random(5)
    tails = [[draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(1, 40))] for _ in range(count)]
    tails[2], tails[5] = tails[0], [*tails[4][:-1], 5]
    heads = [HEAD if i % 2 == 0 else [] for i in range(count)]
    return [
        Generation(
            ids=head + tail,
            shared=len(head),
            sampling=Sampling(**{"temperature": 1.0, "max_tokens": 3 + 5 * (i % 4), **settings}),
            seed=i,
        )
        for i, (head, tail) in enumerate(zip(heads, tails, strict=True))
    ]


@torch.no_grad()
def assert_logprobs_of_the_forward_pass(model: Any, asked: Sequence[Generation], made: Sequence[Completion]) -> None:
    for one, reply in zip(asked, made, strict=True):
        logits = model(input_ids=torch.tensor([one.ids + reply.ids])).logits[0].float()
        table = torch.log_softmax(logits / (one.sampling.temperature or 1.0), -1)[len(one.ids) - 1 :]
        expected = [float(table[t, token]) for t, token in enumerate(reply.ids)]
        assert reply.logprobs == pytest.approx(expected, abs=1e-4)


def ids_of(made: Sequence[Completion]) -> list[list[int]]:
    return [one.ids for one in made]


@pytest.mark.parametrize("name", MODELS)
def test_a_request_gets_the_tokens_it_gets_alone_and_the_logprobs_of_the_forward_pass(name: str) -> None:
    model, asked = MODELS[name](), requests()
    running = engine(model)
    together = run(running, asked)
    assert ids_of(run(running, asked[::-1])[::-1]) == ids_of(together), "in another order, with kept prefixes"
    assert [run(engine(model), [one])[0].ids for one in asked] == ids_of(together)
    assert ids_of(run(engine(model, max_batch=3), asked)) == ids_of(together)
    assert_logprobs_of_the_forward_pass(model, asked, together)
    greedy = requests(temperature=0.0)
    plain = LocalEngine(model, stop_ids={-1})
    plain._decoders = [PlainDecoder(model)]
    assert ids_of(run(engine(model), greedy)) == ids_of(run(plain, greedy))


@pytest.mark.parametrize("name", ["mamba", "nemotron-h"])
def test_requests_join_and_leave_while_others_run(name: str) -> None:
    model, asked = MODELS[name](), requests(max_tokens=25)
    running, sizes = engine(model), list[int]()
    decoder: Any = running._decoders[0]
    inner = decoder.logits
    decoder.logits = lambda: (sizes.append(len(decoder.rows)), inner())[1]

    async def trickle() -> list[Completion]:
        started = []
        for one in asked:
            begun = asyncio.Event()
            given = Generation(**{**fields(one), "on_tokens": lambda _, begun=begun: begun.set()})
            started.append(asyncio.create_task(running.generate(given)))
            await begun.wait()
        return await asyncio.gather(*started)

    made = asyncio.run(trickle())
    assert len(set(sizes)) > 3, "rows came and went one by one"
    assert ids_of(made) == [run(engine(model), [one])[0].ids for one in asked]


def fields(one: Generation) -> dict[str, Any]:
    return {"ids": one.ids, "shared": one.shared, "sampling": one.sampling, "seed": one.seed}


@pytest.mark.parametrize("name", ["mamba2", "nemotron-h"])
def test_a_request_that_is_cancelled_leaves_the_states_of_the_others_untouched(name: str) -> None:
    model, asked = MODELS[name](), requests(6, max_tokens=20, stop=["never said"])
    gone = threading.Event()

    async def cancel_the_third() -> list[Any]:
        loop = asyncio.get_running_loop()

        def decode(ids: list[int]) -> str:
            if len(ids) == 8 and not gone.is_set():  # on the thread of the engine, between two steps
                loop.call_soon_threadsafe(lambda: (running[2].cancel(), loop.call_soon(gone.set)))
                assert gone.wait(600)
            return ""

        busy = engine(model, decode=decode)
        running = [asyncio.create_task(busy.generate(one)) for one in asked]
        made = await asyncio.gather(*running, return_exceptions=True)
        return [*made, await busy.generate(asked[2])]

    *made, again = asyncio.run(cancel_the_third())
    alone = [run(engine(model), [one])[0].ids for one in asked]
    assert isinstance(made.pop(2), asyncio.CancelledError) and again.ids == alone.pop(2)
    assert ids_of(made) == alone


@pytest.mark.parametrize("name", ["mamba", "mamba2", "nemotron-h", "nemotron-h with experts"])
def test_adapters_take_turns_and_a_changed_one_is_seen_after_refresh(name: str) -> None:
    model, asked = MODELS[name](), requests(6)
    running = engine(model)
    bare = run(running, asked)
    config = lora.LoraConfig(r=4)
    running.adapters["bare"] = lora.LoraAdapter(config, {})
    for seed in (1, 2):
        other = MODELS[name]()
        lora.attach(other, config)
        shake(other, seed)
        running.adapters[f"v{seed}"] = lora.LoraAdapter(config, lora.weights(other))
    mixed = [Generation(**fields(one), version=["bare", "v1", "v2"][i % 3]) for i, one in enumerate(asked)]
    made = run(running, mixed)
    for version, adapter in running.adapters.items():
        lora.use(model, adapter)
        some = [(one, reply) for one, reply in zip(mixed, made, strict=True) if one.version == version]
        assert_logprobs_of_the_forward_pass(model, [one for one, _ in some], [reply for _, reply in some])
    with_adapter(model)
    running.refresh()
    changed = run(running, asked)
    assert_logprobs_of_the_forward_pass(model, asked, changed)
    assert ids_of(changed) != ids_of(bare)


def test_a_stop_id_ends_a_reply_and_its_slot_goes_to_another_row() -> None:
    model, asked = MODELS["nemotron-h"](), requests(max_tokens=15)
    whole = run(engine(model), asked)
    stop = whole[1].ids[4]
    made = run(engine(model, stop_ids={stop}), asked)
    for one, reply in zip(whole, made, strict=True):
        end = one.ids.index(stop) + 1 if stop in one.ids else len(one.ids)
        assert (reply.ids, reply.finish) == (one.ids[:end], "stop" if stop in one.ids else "length")


@pytest.mark.parametrize("name", ["mamba", "nemotron-h"])
def test_rows_go_on_after_memory_ran_out_without_sampling_anything_twice(name: str) -> None:
    model, asked = MODELS[name](), requests(8, max_tokens=9)
    running, sizes = engine(model), list[int]()
    decoder: Any = running._decoders[0]
    begin, advance = decoder.begin, decoder.advance

    def few(new: list[Any]) -> Any:
        sizes.append(len(new))
        return begin(new)

    def limited(steps: int) -> Any:
        if len(decoder.rows) > 3 and len(decoder.rows[0].ids) > 4:
            raise torch.OutOfMemoryError("too many")
        return advance(steps)

    decoder.begin, decoder.advance = few, limited
    made = run(running, asked)
    assert ids_of(made) == [run(engine(model), [one])[0].ids for one in asked]
    assert len(sizes) > 2 and running.max_batch < 8


def counted(decoder: Any) -> list[tuple[int, int]]:
    """The shapes of the prompts that a decoder computes from now on."""
    shapes: list[tuple[int, int]] = []
    inner = decoder._prefill
    decoder._prefill = lambda ids, *rest: (shapes.append(tuple(ids.shape)), inner(ids, *rest))[1]
    return shapes


@pytest.mark.parametrize("name", ["mamba2", "nemotron-h", "qwen3.5"])
def test_the_state_after_a_prefix_is_computed_once_and_continued(name: str) -> None:
    running = engine(MODELS[name]())
    shapes = counted(running._decoders[0])
    sampling = Sampling(temperature=1.0, max_tokens=6)
    asked = [Generation(ids=[*HEAD, 9, 4 + i // 4], shared=len(HEAD), sampling=sampling, seed=i) for i in range(16)]
    first = run(running, asked)
    assert ids_of(run(running, asked)) == ids_of(first), "rows work on copies of the state"
    assert shapes.count((1, len(HEAD))) == 1
    assert sum(rows * length for rows, length in shapes) <= len(HEAD) + 2 * 16 * 2
    running.refresh()
    assert ids_of(run(running, asked)) == ids_of(first)
    assert shapes.count((1, len(HEAD))) == 2, "new weights need it again"


def test_the_first_mamba_computes_whole_prompts_and_equal_ones_once() -> None:
    """Its layers start several tokens from zeros."""
    running = engine(MODELS["mamba"]())
    decoder: Any = running._decoders[0]
    assert not decoder.shares
    shapes, waiting = counted(decoder), running._gather
    running._gather = lambda: (waiting(), waiting())[0]
    sampling = Sampling(temperature=1.0, max_tokens=6)
    asked = [Generation(ids=[*HEAD, 9, 4 + i // 4], shared=len(HEAD), sampling=sampling, seed=i) for i in range(8)]
    assert len({tuple(one.ids) for one in run(running, asked)}) > 2
    assert sum(rows for rows, _ in shapes) <= 4 and {length for _, length in shapes} == {len(HEAD) + 2}


def test_recurrent_layers_get_no_padding_and_few_tokens_of_prompts_at_a_time() -> None:
    decoder: Any = SlotDecoder(MODELS["mamba2"](), None)
    prompts = [(1,), (2,), (3, 4), (5, 6), (7, 8), (9, 8, 7)]
    assert list(map(len, decoder._together(prompts))) == [2, 3, 1]
    decoder.prompt_tokens = lambda: 4
    assert list(map(len, decoder._together(prompts))) == [2, 2, 1, 1]


@pytest.mark.parametrize("name", ["mamba2", "nemotron-h"])
def test_slots_grow_with_the_replies_and_are_given_back(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "_AHEAD", 1)
    monkeypatch.setattr(slots, "_GROW", 16)
    model, asked = MODELS[name](), requests(max_tokens=70)
    running = engine(model)
    made = run(running, asked)
    assert_logprobs_of_the_forward_pass(model, asked, made)
    decoder: Any = running._decoders[0]
    decoder.release()
    assert decoder.slot_states, "few bytes are kept"
    monkeypatch.setattr(slots, "_LARGE", 0.0)
    decoder.release()
    assert not decoder.slot_states and not decoder.slot_keys and decoder.room == (0, 0)
    assert ids_of(run(running, asked)) == ids_of(made)


def test_queries_of_long_prompts_are_computed_in_blocks_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    model, asked = make("Gemma2", attn_logit_softcapping=5.0, sliding_window=9), requests()
    whole = run(engine(model), asked)
    monkeypatch.setattr(slots, "_SCORES", 1)
    blocks: list[int] = []
    inner = slots._SlotPass._block
    monkeypatch.setattr(slots._SlotPass, "_block", lambda *given: (blocks.append(given[5]), inner(*given))[1])
    made = run(engine(model), asked)
    assert ids_of(made) == ids_of(whole) and {0, 16} <= set(blocks)
    assert_logprobs_of_the_forward_pass(model, asked, made)


def test_attention_sinks_take_their_share() -> None:
    model, asked = SEPARATE["gpt-oss"](), requests()
    with torch.no_grad():
        for layer in model.model.layers:
            layer.self_attn.sinks.normal_(std=2.0, generator=torch.Generator().manual_seed(0))
    made = run(engine(model), asked)
    assert [run(engine(model), [one])[0].ids for one in asked] == ids_of(made)
    assert_logprobs_of_the_forward_pass(model, asked, made)


def test_a_model_whose_steps_differ_gets_the_slow_decoder(capsys: pytest.CaptureFixture[str]) -> None:
    model = MODELS["nemotron-h"]()
    assert why_unsupported(model) == ""

    def differ(_: Any, given: dict[str, Any], output: Any) -> Any:
        if given["input_ids"].shape[1] == 1:
            output.last_hidden_state *= torch.linspace(0, 2, output.last_hidden_state.shape[-1])
        return output

    model.base_model.register_forward_hook(
        lambda module, _, given, output: differ(module, given, output), with_kwargs=True
    )
    assert isinstance(decoder_for(model, 8, 256), PlainDecoder)
    assert "its layers give different results" in capsys.readouterr().err
