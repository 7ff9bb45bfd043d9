"""A reward model in this process gives what transformers' own classifier of the same weights gives, whoever is beside whom."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaForSequenceClassification

from tests.tiny import tiny
from verigym.core.errors import BadInput
from verigym.core.records import Item, Message, ToolSpec, Trajectory
from verigym.model import lora, lora_files
from verigym.policies.local.scorer import LocalScorer
from verigym.policies.render import Renderer

TOOL = ToolSpec(
    name="add", description="Adds.", parameters={"type": "object", "properties": {"item": {"type": "string"}}}
)


def reward_model(seed: int = 3) -> Any:
    """A tiny model whose adapter and head are far from zero."""
    model = tiny().model
    lora.attach(model, lora.LoraConfig(r=4, alpha=8, head=True), seed)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.copy_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model


def classifier(model: Any) -> Any:
    """The same weights as transformers knows them: the adapter merged, the head as `score`."""
    config = type(model.config)(**{**model.config.to_dict(), "num_labels": 1})
    made = LlamaForSequenceClassification(config).float().eval()
    own = model.state_dict()
    merged = {
        name.replace(".base.weight", ".weight"): weight
        for name, weight in own.items()
        if not name.endswith((".a", ".b"))
    }
    for name, module in lora.modules(model):
        merged[f"{name}.weight"] = module.base.weight + module.scale * module.b @ module.a
    merged.pop("lm_head.weight")
    head = lora.head(model)
    assert head is not None
    made.load_state_dict({**merged, "score.weight": head.detach()[None]})
    return made


def said(*texts: str) -> Trajectory:
    items: list[Item] = [Message("user" if place % 2 == 0 else "assistant", text) for place, text in enumerate(texts)]
    return Trajectory(id=texts[-1], task="t", group="g", items=items)


EPISODES = [
    said("Say a", "aaa"),
    said("Say a", "aab, and much more of it than the others have"),
    said("Say b", ""),
    said("Say a", "aaa", "again", "bbb"),
    said("Something else altogether, so that nothing is shared?", "no"),
]


@pytest.fixture(scope="module")
def model() -> Any:
    return reward_model()


@pytest.fixture(scope="module")
def scorer(model: Any) -> LocalScorer:
    return LocalScorer(model, Renderer(tiny().tokenizer), "r1")


def score(scorer: LocalScorer, *episodes: Trajectory) -> list[float]:
    return asyncio.run(scorer.score(episodes))


@pytest.mark.parametrize("tools", [[], [TOOL]], ids=["bare", "tools"])
def test_scores_are_those_of_transformers_classifier(model: Any, scorer: LocalScorer, tools: list[ToolSpec]) -> None:
    plain, render = classifier(model), Renderer(tiny().tokenizer)
    with torch.no_grad():
        wanted = [plain(torch.tensor([render.whole(one.items, tools)])).logits.item() for one in EPISODES]
    found = score(scorer.offered(tools), *EPISODES)
    assert found == pytest.approx(wanted, abs=2e-5) and len(set(found)) == len(found)


def test_who_is_scored_beside_whom_does_not_matter(scorer: LocalScorer) -> None:
    together = score(scorer, *EPISODES)
    assert [score(scorer, one)[0] for one in EPISODES] == pytest.approx(together, abs=1e-5)
    assert score(scorer, *reversed(EPISODES)) == pytest.approx(together[::-1], abs=1e-5)
    assert score(scorer, *EPISODES * 60) == pytest.approx(together * 60, abs=1e-5), "more than a batch"
    assert score(scorer) == []


def test_many_may_ask_at_once(scorer: LocalScorer) -> None:
    async def ask() -> list[list[float]]:
        return await asyncio.gather(*(scorer.offered([]).score([one]) for one in EPISODES))

    assert [one for [one] in asyncio.run(ask())] == pytest.approx(score(scorer, *EPISODES), abs=1e-5)


def test_a_reward_model_is_opened_from_its_adapter(model: Any, scorer: LocalScorer, tmp_path: Path) -> None:
    base = tiny()
    base.model.save_pretrained(tmp_path / "base")
    base.tokenizer.save_pretrained(tmp_path / "base")
    lora_files.save(model, tmp_path / "adapter", "base")
    opened = LocalScorer.open(str(tmp_path / "base"), tmp_path / "adapter", "r1")
    assert score(opened, *EPISODES) == pytest.approx(score(scorer, *EPISODES), abs=1e-5)

    plain = tiny().model
    lora.attach(plain, lora.LoraConfig(r=2))
    lora_files.save(plain, tmp_path / "answers", "base")
    with pytest.raises(
        BadInput, match=r"a1 is not a reward model\. Its adapter has no reward head\. Train one with algorithm: reward"
    ):
        LocalScorer.open(str(tmp_path / "base"), tmp_path / "answers", "a1")
