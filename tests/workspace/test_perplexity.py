"""Perplexity is what transformers' own loss says, passage by passage; it is found again, and refused where nobody can see it."""

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from tests.workspace.desk import Bench
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Version
from verigym.environments.retention import Passage, passages
from verigym.model import lora
from verigym.workspace.perplexity import PerplexityReport, perplexity

SHORT = [Passage(id="a", kind="story", text="The cat sat."), Passage(id="b", kind="list", text="One, two and three.")]


def tuned(bench: Bench) -> Version:
    """The tiny model with an adapter that is far from nothing."""
    policy: Any = bench.ws.load_base(str(bench.model))
    lora.attach(policy.model, lora.LoraConfig(r=2), 1)
    with torch.no_grad():
        for parameter in lora.parameters(policy.model):
            parameter.copy_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(5)) / 4)
    adapter = bench.ws.keep_adapter(policy.model, str(bench.model))
    return bench.ws.register(Version(base=str(bench.model), adapter=adapter, name="tuned"))


def by_transformers(model: Any, tokenizer: Any, text: str) -> float:
    ids = tokenizer(text, return_tensors="pt").input_ids
    with torch.no_grad():
        return model(input_ids=ids, labels=ids).loss.item()


def test_there_are_60_passages_of_plain_english_in_ten_kinds() -> None:
    found = passages()
    assert len({each.id for each in found}) == len({each.text for each in found}) == 60
    assert len({each.kind for each in found}) == 10
    assert [each.id for each in found if not 60 <= len(each.text.split()) <= 120] == []


def test_nats_are_those_of_transformers_own_loss_with_and_without_an_adapter(fresh: Bench) -> None:
    base = fresh.ws.agent(str(fresh.model))
    for version in (base, tuned(fresh)):
        report = perplexity(fresh.ws, version, SHORT)
        policy: Any = fresh.ws.policy(version)
        for each in SHORT:
            wanted = by_transformers(policy.model, policy.render.tokenizer, each.text)
            assert report.nats[each.id] == pytest.approx(wanted, abs=1e-4)
            assert report.tokens[each.id] == len(each.text) - 1  # a token a letter, and nothing predicts the first
        assert report.mean == pytest.approx(sum(report.nats.values()) / 2)
    assert perplexity(fresh.ws, base, SHORT).mean != pytest.approx(report.mean, abs=1e-3)


def test_who_is_beside_whom_does_not_matter(bench: Bench) -> None:
    base = bench.ws.agent(str(bench.model))
    together = perplexity(bench.ws, base)
    assert len(together.nats) == 60 and all(0 < value < 20 for value in together.nats.values())
    alone = perplexity(bench.ws, base, [passages()[7]])
    assert together.nats[passages()[7].id] == pytest.approx(alone.nats[passages()[7].id], abs=1e-4)


def test_a_report_is_found_again_by_its_content_without_the_model(fresh: Bench) -> None:
    base = fresh.ws.agent(str(fresh.model))
    made = perplexity(fresh.ws, base, SHORT)
    assert fresh.ws.store.documents("perplexity", PerplexityReport) == [made]
    fresh.ws._local = None
    fresh.ws.policy = lambda version: pytest.fail("the model was opened again")  # type: ignore[method-assign]
    assert perplexity(fresh.ws, base, SHORT) == made
    with pytest.raises(pytest.fail.Exception, match="opened again"):
        perplexity(fresh.ws, base, SHORT[:1])
    with pytest.raises(pytest.fail.Exception, match="opened again"):
        perplexity(fresh.ws, msgspec.structs.replace(base, adapter="0" * 64, id="other"), SHORT)


def test_a_server_and_a_reward_model_are_refused_in_words(fresh: Bench) -> None:
    remote = fresh.ws.agent("http://localhost:1/v1#qwen")
    with pytest.raises(Refused, match=r"behind a server.*its perplexity cannot be measured"):
        perplexity(fresh.ws, remote)
    scorer = msgspec.structs.replace(tuned(fresh), recipe={"algorithm": "reward"}, id="r")
    with pytest.raises(Refused, match="cannot answer"):
        perplexity(fresh.ws, scorer, SHORT)


def test_no_passage_and_one_of_a_single_token_are_refused(fresh: Bench) -> None:
    base = fresh.ws.agent(str(fresh.model))
    with pytest.raises(Refused, match="at least one passage"):
        perplexity(fresh.ws, base, [])
    with pytest.raises(BadInput, match='"x" is too short'):
        perplexity(fresh.ws, base, [Passage(id="x", kind="odd", text="x")])
    assert fresh.ws.store.documents("perplexity", PerplexityReport) == []


def test_a_version_that_was_ruined_costs_more_nats(fresh: Bench, tmp_path: Path) -> None:
    base, ruined = fresh.ws.agent(str(fresh.model)), tuned(fresh)
    nats = [perplexity(fresh.ws, version, SHORT).mean for version in (base, ruined)]
    assert all(math.isfinite(value) for value in nats) and nats[0] != nats[1]
