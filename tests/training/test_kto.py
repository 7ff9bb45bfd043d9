"""KTO: the loss against TRL's trainer, thumbs from every source, resuming, and learning."""

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from tests.tiny import tiny, tokenizer
from tests.training.oracles import adapted, as_rows, gradients, kto_trainer
from tests.training.test_loops import (
    Reporter,
    assert_resumes_exactly,
    no_evaluation,
    recipe,
)
from tests.training.test_oracle_preferences import assert_moved_by, descent, side
from verigym.core.errors import BadInput, Refused
from verigym.core.records import (
    Example,
    Feedback,
    Item,
    Label,
    Mark,
    Message,
    Sample,
    Task,
    Trajectory,
    Turn,
    Verdict,
)
from verigym.model import lora
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.render import Renderer
from verigym.training import update
from verigym.training.data import RunRecords, rated, read_rows
from verigym.training.offline import train_kto
from verigym.training.recipe_groups import PreferenceLoss, Thumbs
from verigym.training.samples import rated_sample
from verigym.training.update import Rated, kto_update, logprobs_of

ROWS: list[Rated] = [
    # of several lengths, of one token, of several turns, of other prompts
    (side([40, 50, 51, 52], [1, 1, 1]), True),
    (side([41, 70, 71, 6, 6, 72], [1, 1, 0, 0, 1]), False),
    (side([42, 80], [1], first=3), False),
    (side([40, 60, 61], [1, 1]), True),
    (side([43, 44, 45, 46], [1, 1, 1]), False),
]


@pytest.fixture(autouse=True)
def no_bound_on_the_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "MAX_GRAD_NORM", float("inf"))


def as_thumbs(rows: list[Rated]) -> dict[str, Any]:
    """As TRL's collator writes a batch: each prompt also with the completion of the row before it."""
    samples = [sample for sample, _ in rows]
    mixed: list[Sample] = []
    for index, sample in enumerate(samples):
        own, other = sample.mask.index(1), samples[index - 1]
        start = other.mask.index(1)
        mixed.append(Sample(ids=sample.ids[:own] + other.ids[start:], mask=[0] * own + other.mask[start:], logprobs=[]))
    (inputs, mask), (others, other_mask) = as_rows(samples), as_rows(mixed)
    return {
        **inputs,
        "completion_mask": mask,
        **{f"KL_{name}": value for name, value in others.items()},
        "KL_completion_mask": other_mask,
        "label": torch.tensor([good for _, good in rows]),
    }


@pytest.mark.parametrize("budget", [10_000, 30], ids=["one micro-batch", "several"])
@pytest.mark.parametrize(
    ("beta", "weights"),
    [(0.1, Thumbs()), (0.5, Thumbs(desirable_weight=1.5, undesirable_weight=0.4))],
    ids=["usual", "weighted, beta 0.5"],
)
@pytest.mark.parametrize("moved", [False, True], ids=["the divergence is bounded by 0", "the divergence is above 0"])
def test_an_update_is_trls_in_value_and_gradient(
    moved: bool, beta: float, weights: Thumbs, budget: int, tmp_path: Path
) -> None:
    own, reference = (11, 5) if moved else (5, 11)
    fast, slow, other = adapted(seed=own), adapted(seed=own), adapted(seed=reference)
    before = lora.weights(fast)
    fast._verigym_budget = budget
    figures = kto_update(fast, descent(fast), ROWS, PreferenceLoss(beta=beta), weights, lora.weights(other))
    trainer = kto_trainer(
        slow, other, tmp_path, beta=beta,
        desirable_weight=weights.desirable_weight, undesirable_weight=weights.undesirable_weight,
    )  # fmt: skip
    theirs = trainer.compute_loss(slow, as_thumbs(ROWS))
    told = {name: values[-1] for name, values in trainer._metrics["eval"].items()}
    assert figures["loss"] == pytest.approx(theirs.item(), abs=1e-5, rel=1e-5)
    assert_moved_by(fast, before, gradients(theirs, lora.parameters(slow)))
    assert figures["kl"] == pytest.approx(told["kl"], abs=1e-4)
    assert (figures["kl"] > 0) == moved
    for name in ("chosen", "rejected"):
        assert figures[name] == pytest.approx(told[f"rewards/{name}"], abs=1e-4)
    assert figures["margin"] == pytest.approx(told["rewards/margins"], abs=1e-4)


def test_a_batch_with_thumbs_of_one_kind_has_no_margin() -> None:
    model = adapted()
    figures = kto_update(model, descent(model), [(sample, True) for sample, _ in ROWS], PreferenceLoss(), Thumbs())
    assert "margin" not in figures and "rejected" not in figures and "chosen" in figures


# -- data -----------------------------------------------------------------------------------------------------------


def episode(id: str, reply: str, **fields: Any) -> Trajectory:
    items: list[Item] = [Message("user", f"do {id[0]}"), Message("assistant", reply)]
    return Trajectory(id=id, task=id[0], group="g", items=items, turns=[Turn(made=[1])], **fields)


def records(*episodes: Trajectory, verdicts: list[Verdict] = [], split: str = "train") -> RunRecords:  # noqa: B006
    tasks = [Task(id=name, prompt=f"do {name}", split=split, family=f"family {name}") for name in "ab"]
    return RunRecords(tasks, episodes, verdicts, lambda hash: [])


def test_people_rate_episodes_by_labels_and_feedback() -> None:
    run = records(*(episode(f"{letter}{n}", f"{letter} {n}") for letter in "ab" for n in range(4)))
    labels = [
        Label(trajectory="a0", judgement="good", who="ann"),
        Label(trajectory="a1", judgement="good", who="ann"),
        Label(trajectory="a1", judgement="bad", who="ann"),
        Label(trajectory="a2", judgement="good", who="ann"),
        Label(trajectory="a2", judgement="bad", who="bob"),
        Label(trajectory="a3", judgement="better", other="a0", who="ann"),
        Label(trajectory="b3", judgement="skip", who="ann"),
    ]
    feedback = [Feedback(trajectory="b0", outcome="failure"), Feedback(trajectory="b1", note="hm")]
    rows, counts = rated(run, labels, feedback)
    assert {row.source: row.good for row in rows} == {"a0": True, "a1": False, "b0": False}
    assert counts == {"looked at": 8, "kept": 3, "not rated": 4, "people disagree": 1}
    assert rows[0].family == "family a" and rows[0].made == [(1, 2)]


def test_the_verifier_can_rate_instead_and_equal_episodes_count_once() -> None:
    episodes = [episode("a0", "same"), episode("a1", "same"), episode("b0", "other"), episode("b1", "third")]
    verdicts = [
        Verdict(trajectory="a0", reward=1.0, passed=True),
        Verdict(trajectory="a1", reward=1.0, passed=True),
        Verdict(trajectory="b0", reward=0.0),
        Verdict(trajectory="b1", reward=None),
    ]
    rows, counts = rated(records(*episodes, verdicts=verdicts), [], [], verdicts=True)
    assert [(row.source, row.good) for row in rows] == [("a0", True), ("b0", False)]
    assert counts["twice"] == 1 and counts["not rated"] == 1


def test_an_unsafe_episode_can_be_unlearnt_and_never_learnt() -> None:
    unsafe = [episode(id, f"harm {id}", marks=[Mark("unsafe")]) for id in ("a0", "a1")]
    labels = [Label(trajectory="a0", judgement="good"), Label(trajectory="a1", judgement="bad")]
    rows, counts = rated(records(*unsafe), labels, [])
    assert [row.source for row in rows] == ["a1"] and counts["unsafe"] == 1


def test_held_out_tasks_are_refused() -> None:
    with pytest.raises(Refused, match="held out"):
        rated(records(episode("a0", "x"), split="val"), [Label(trajectory="a0", judgement="good")], [])


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_file_of_prompts_completions_and_labels_is_read_as_thumbs(tmp_path: Path) -> None:
    file = written(
        tmp_path / "thumbs.jsonl",
        {"prompt": "Schöne Grüße?", "completion": "ja", "label": True},
        {"prompt": "Schöne Grüße?", "completion": "nein", "label": False},
        {"prompt": "Schöne Grüße?", "completion": "nein", "label": False},
        {
            "prompt": [{"role": "user", "content": "hi"}],
            "completion": [{"role": "assistant", "content": "no"}],
            "label": False,
        },
    )
    rows, counts = read_rows(file, thumbs=True)
    assert [row.good for row in rows if isinstance(row, Example)] == [True, False, False]
    assert counts["twice"] == 1
    kept, _ = read_rows(file)
    assert [row.good for row in kept if isinstance(row, Example)] == [None], "as demonstrations, bad ones are left out"


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "a", "completion": "b"},
        {"prompt": "a", "completion": "b", "label": "yes"},
        {"prompt": "a", "chosen": "b", "rejected": "c"},
    ],
    ids=["no label", "a word", "a pair"],
)
def test_a_row_without_a_thumb_is_refused(row: Any, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no thumb"):
        read_rows(written(tmp_path / "rows.jsonl", row), thumbs=True)


# -- the loop -------------------------------------------------------------------------------------------------------


def conversations(draw: random.Random, count: int) -> list[Example]:
    """Digits get a thumb up, letters a thumb down, whatever was asked."""
    rows: list[Example] = []
    for number in range(count):
        good = number % 2 == 0
        said = "".join(draw.choices("0123456789" if good else "abcdefgh", k=draw.randrange(2, 6)))
        asked = "".join(draw.choices("abcdefgh ", k=4))
        items: list[Item] = [Message("user", asked), Message("assistant", said)]
        rows.append(Example(task=f"t{number}", items=items, made=[(1, 2)], good=good))
    return rows


def thumbs(count: int, seed: int = 3) -> list[Rated]:
    render = Renderer(tokenizer())
    return [rated_sample(render, row) for row in conversations(random.Random(seed), count)]


def run(model: Any, folder: Path, reporter: Reporter, rows: list[Rated], **fields: Any) -> None:
    settings = recipe(**{"algorithm": "kto", "data": "d", "prompts_per_step": 6, "learning_rate": 5e-3, **fields})
    asyncio.run(
        train_kto(
            model, settings, rows, folder, reference=None, evaluate=no_evaluation, report=reporter
        )
    )  # fmt: skip


@pytest.mark.usefixtures("checkpoint_every_step")
def test_a_run_that_was_killed_ends_with_the_same_weights(tmp_path: Path) -> None:
    rows = thumbs(20)

    def rated(policy: LocalPolicy, folder: Path, reporter: Reporter) -> None:
        run(policy.model, folder, reporter, rows)

    assert_resumes_exactly(rated, tmp_path, dies_at=4, steps=6)


def test_replies_with_a_thumb_up_become_likelier_than_those_with_a_thumb_down(tmp_path: Path) -> None:
    """Measured on rows that it never saw."""
    loaded = tiny(hidden=64)
    lora.attach(loaded.model, lora.LoraConfig(r=8, alpha=16), seed=1)
    unseen = thumbs(60, seed=9)

    def gap() -> float:
        means = [sum(row) / len(row) for row in logprobs_of(loaded.model, [sample for sample, _ in unseen])]
        up = [mean for mean, (_, good) in zip(means, unseen, strict=True) if good]
        down = [mean for mean, (_, good) in zip(means, unseen, strict=True) if not good]
        return sum(up) / len(up) - sum(down) / len(down)

    before, reporter = gap(), Reporter()
    run(loaded.model, tmp_path, reporter, thumbs(100), steps=40, prompts_per_step=10)
    assert gap() > before + 1.0
    assert reporter.steps[40]["told_apart"] > 0.9 and reporter.steps[40]["margin"] > 0


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"data": ""}, "verigym data thumbs RUN"),
        ({"prompts_per_step": 1}, "prompts_per_step must be at least 2"),
        ({"preference": {"smoothing": 0.1}}, "preference.smoothing has no effect on kto"),
        ({"preference": {"objective": "ipo"}}, "preference.objective has no effect on kto"),
        ({"kto": {"desirable_weight": 0}}, "kto.desirable_weight"),
        ({"algorithm": "dpo", "kto": {"desirable_weight": 2}}, "kto cannot be used with dpo"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        recipe(**{"algorithm": "kto", "data": "d", **fields})


def test_a_demonstration_is_stored_as_before() -> None:
    plain = Example(task="t", items=[], made=[])
    assert "good" not in msgspec.to_builtins(plain)
