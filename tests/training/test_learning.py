"""The loops learn: a tiny model, from scratch, in seconds. What was learnt is measured by what the model then does."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.model.families import MAMBA, make
from tests.rollout.shop import AGENT
from tests.tiny import tiny, tokenizer
from verigym.core.records import Example, Message, Preference, Sampling, Task, Trajectory, Verdict
from verigym.core.seeds import derive
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.model import lora
from verigym.model.load import LoadedModel
from verigym.model.logprobs import scores
from verigym.model.tree import pack
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.render import Renderer
from verigym.rollout.episode import run_episode
from verigym.rollout.settings import RunSettings
from verigym.training.groups import Group, Source
from verigym.training.grpo import train_grpo
from verigym.training.offline import train_dpo, train_reward, train_sft
from verigym.training.recipe import Recipe, make_recipe
from verigym.training.samples import example_samples, preference_pair, reward_pair
from verigym.training.update import Pair, logprobs_of

TASKS = [Task(id=f"t{n}", prompt=f"digits for {word}") for n, word in enumerate(["tea", "jam", "milk", "salt", "egg"])]


class Chat:
    """The reply is all there is."""

    def open(self, task: Task) -> None: ...


CHAT = EnvironmentSpec(
    name="chat", tasks=lambda split: TASKS, factory=Chat, toolbox=ToolBox(Chat), verifiers={}, suites={}, max_turns=1
)


def policy(loaded: LoadedModel | None = None, head: bool = False) -> LocalPolicy:
    loaded = loaded or tiny(hidden=64)  # narrower, no logit could be large enough to be sure of a token
    lora.attach(loaded.model, lora.LoraConfig(r=8, alpha=16, head=head), seed=1)
    return LocalPolicy(loaded)


def recipe(algorithm: str, **fields: Any) -> Recipe:
    given = {"model": "tiny", "algorithm": algorithm, "reward": "digits", "prompts_per_step": 4, "learning_rate": 1e-2}
    return make_recipe({**given, **fields}, [], "r.yaml")


async def no_evaluation(step: int) -> dict[str, float]:
    return {}


def three_digits(trajectory: Trajectory) -> Verdict:
    """Passed where the reply is three digits; each that is one earns a part."""
    right = [letter.isdigit() for letter in trajectory.reply]
    passed = len(right) == 3 and all(right)
    return Verdict(trajectory=trajectory.id, verifier="digits", reward=sum(right) / max(3, len(right)), passed=passed)


def train(own: LocalPolicy, settings: Recipe, folder: Path) -> list[dict[str, float]]:
    """The metrics of every step of the GRPO family."""
    found: list[dict[str, float]] = []
    assert settings.max_tokens is not None
    sampling = Sampling(temperature=settings.temperature, max_tokens=settings.max_tokens)

    async def group(step: int, name: str, task: Task) -> Group:
        episodes = [
            run_episode(
                CHAT, task, own, RunSettings(sampling=sampling, seed=derive(settings.seed, step, task.id, i)),
                agent=AGENT, id=f"{task.id}/{i}", group=task.id,
            )
            for i in range(settings.num_generations_per_prompt)
        ]  # fmt: skip
        made = list(await asyncio.gather(*episodes))
        return Group(name, made, [three_digits(one) for one in made])

    async def collect(step: int, number: int, picked: Mapping[str, list[Task]]) -> list[Group]:
        return await asyncio.gather(*(group(step, name, task) for name, tasks in picked.items() for task in tasks))

    rollouts: Any = SimpleNamespace(
        sources=[Source("chat", 1.0, TASKS)],
        collect=collect,
        evaluate=no_evaluation,
        weights_changed=lambda step: own.weights_changed(f"run@{step}"),
    )
    reference = lora.weights(own.model)
    training = train_grpo(
        own.model, settings, rollouts, folder, reference=reference, report=lambda step, metrics: found.append(metrics)
    )
    asyncio.run(training)
    return found


def mean(steps: Sequence[dict[str, float]], name: str) -> float:
    return sum(metrics[name] for metrics in steps) / len(steps)


@pytest.mark.parametrize("algorithm", ["grpo", "dr_grpo", "dapo", "gspo", "cispo", "rloo"])
def test_a_policy_learns_from_its_own_episodes_what_the_verifier_wants(algorithm: str, tmp_path: Path) -> None:
    """Far from its start, which rloo would stay near by default."""
    loss = {"kl": 0.0} if algorithm == "rloo" else {}
    settings = recipe(algorithm, steps=45, max_tokens=3, num_generations_per_prompt=8, updates_per_batch=2, loss=loss)
    steps = train(policy(), settings, tmp_path)
    assert mean(steps[:3], "passed") < 0.05
    assert mean(steps[-5:], "passed") > 0.9


def test_with_one_update_per_batch_nothing_is_clipped(tmp_path: Path) -> None:
    steps = train(policy(), recipe("grpo", steps=30, max_tokens=3), tmp_path)
    assert mean(steps[-5:], "passed") > 0.9
    assert max(metrics.get("mismatch", 0.0) for metrics in steps) < 1e-4
    assert all(metrics.get("clipped", 0.0) == 0 for metrics in steps)


def test_a_heavy_divergence_holds_the_policy_where_it_started(tmp_path: Path) -> None:
    free, held = (
        train(policy(), recipe("grpo", steps=30, max_tokens=3, loss={"kl": kl}), tmp_path / str(kl))
        for kl in (1e-6, 3.0)
    )
    assert mean(held[-5:], "kl") < 0.1 * mean([one for one in free if "kl" in one][-5:], "kl")
    assert mean(held[-5:], "passed") < 0.2 < mean(free[-5:], "passed")


# -- from written data ----------------------------------------------------------------------------------------------

ANSWERS = ["Here is tea.", "No jam today!", '{"tool": "milk"}', "salt & pepper", "egg-free"]


def answers(own: LocalPolicy, tasks: Sequence[Task], max_tokens: int = 30) -> list[str]:
    """What the model says when it is sure of itself."""
    own.weights_changed("trained")

    async def ask() -> list[Trajectory]:
        greedy = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=max_tokens))
        return await asyncio.gather(
            *(run_episode(CHAT, task, own, greedy, agent=AGENT, id="i", group="g") for task in tasks)
        )

    return [one.reply for one in asyncio.run(ask())]


def test_sft_learns_demonstrations_by_heart_their_ends_included(tmp_path: Path) -> None:
    own, render = policy(), Renderer(tokenizer())
    examples = [
        Example(task=task.id, items=[Message("user", str(task.prompt)), Message("assistant", answer)], made=[(1, 2)])
        for task, answer in zip(TASKS, ANSWERS, strict=True)
    ]
    samples = [sample for example in examples for sample in example_samples(render, example)]
    assert not set(answers(own, TASKS)) & set(ANSWERS)
    losses: list[float] = []
    settings = recipe("sft", steps=60, prompts_per_step=5)
    asyncio.run(
        train_sft(own.model, settings, samples, tmp_path, evaluate=no_evaluation,
                  report=lambda step, metrics: losses.append(metrics["loss"]))
    )  # fmt: skip
    assert losses[-1] < 0.1 * losses[0]
    assert answers(own, TASKS) == ANSWERS


def chats(draw: random.Random, count: int) -> list[Preference]:
    """Digits are preferred to letters, whatever was asked."""

    def some(of: str) -> str:
        return "".join(draw.choices(of, k=draw.randrange(2, 6)))

    return [
        Preference(
            task=f"t{n}",
            prompt=[Message("user", some("abcdefgh "))],
            chosen=[Message("assistant", some("0123456789"))],
            rejected=[Message("assistant", some("abcdefgh"))],
        )
        for n in range(count)
    ]


def likelier(model: Any, pairs: Sequence[Pair]) -> float:
    """The share of pairs whose chosen reply is the likelier one, token for token."""
    found = [sum(row) / len(row) for row in logprobs_of(model, [side for pair in pairs for side in pair])]
    return sum(chosen > rejected for chosen, rejected in zip(found[::2], found[1::2], strict=True)) / len(pairs)


@pytest.mark.parametrize("objective", ["sigmoid", "ipo"])
def test_dpo_makes_the_kind_of_reply_that_is_preferred_the_likelier_one(objective: str, tmp_path: Path) -> None:
    """Measured on pairs that it never saw, of which it would rather have said the other reply."""
    own, render, draw = policy(), Renderer(tokenizer()), random.Random(3)
    seen, others = ([preference_pair(render, pair) for pair in chats(draw, count)] for count in (100, 120))
    unseen = [pair for pair in others if not likelier(own.model, [pair])]
    assert len(unseen) > 30
    start = lora.weights(own.model)
    steps: list[dict[str, float]] = []
    preference = {"objective": objective, "beta": 0.1}  # ipo by default moves only half a nat per token
    settings = recipe("dpo", data="pairs", steps=40, prompts_per_step=10, learning_rate=5e-3, preference=preference)
    asyncio.run(
        train_dpo(own.model, settings, seen, tmp_path, reference=start, evaluate=no_evaluation,
                  report=lambda step, metrics: steps.append(metrics))
    )  # fmt: skip
    assert likelier(own.model, unseen) > 0.9
    assert mean(steps[-5:], "told_apart") > 0.9 and mean(steps[-5:], "margin") > steps[0]["margin"]


def test_a_reward_model_tells_pairs_apart_that_it_never_saw(tmp_path: Path) -> None:
    own, render, draw = policy(head=True), Renderer(tokenizer()), random.Random(3)
    seen, unseen = ([reward_pair(render, pair) for pair in chats(draw, count)] for count in (100, 60))

    @torch.no_grad()
    def told_apart(pairs: Sequence[Pair]) -> float:
        [packed] = pack([side for pair in pairs for side in pair], 100_000)
        found = dict(zip(packed.samples, scores(own.model, packed).tolist(), strict=True))
        return sum(found[2 * i] > found[2 * i + 1] for i in range(len(pairs))) / len(pairs)

    before = told_apart(unseen)
    settings = recipe("reward", data="pairs", steps=40, prompts_per_step=10, learning_rate=5e-3)
    steps: list[dict[str, float]] = []
    asyncio.run(
        train_reward(own.model, settings, [(pair, 0.0) for pair in seen], tmp_path, evaluate=no_evaluation,
                     report=lambda step, metrics: steps.append(metrics))
    )  # fmt: skip
    assert before < 0.8 and told_apart(unseen) > 0.95
    assert steps[-1]["loss"] < 0.3 * steps[0]["loss"]


# -- layers that carry a state along --------------------------------------------------------------------------------


def nemotron() -> LoadedModel:
    letters = tokenizer()
    model = make(
        "NemotronH",
        layers_block_type=["mamba", "attention", "mlp"],
        num_hidden_layers=3,
        vocab_size=len(letters),
        pad_token_id=letters.pad_token_id,
        eos_token_id=letters.eos_token_id,
        **MAMBA,
    )
    return LoadedModel(model, letters, "nemotron")


def test_a_nemotron_h_makes_steps_of_grpo(tmp_path: Path) -> None:
    own = policy(nemotron())
    start = lora.weights(own.model)
    steps = train(own, recipe("grpo", steps=2, max_tokens=3, loss={"kl": 0.01}), tmp_path)
    assert all(one["mismatch"] < 1e-3 and one["grad_norm"] > 0 for one in steps if "loss" in one)
    assert any("loss" in one for one in steps)
    assert any(not torch.equal(weight, start[name]) for name, weight in lora.weights(own.model).items())


def test_a_nemotron_h_learns_from_written_data(tmp_path: Path) -> None:
    own, render = policy(nemotron()), Renderer(tokenizer())
    pairs = [preference_pair(render, pair) for pair in chats(random.Random(1), 8)]
    losses: dict[str, list[float]] = {"sft": [], "dpo": []}
    asyncio.run(
        train_sft(own.model, recipe("sft", steps=8), [chosen for chosen, _ in pairs], tmp_path / "sft",
                  evaluate=no_evaluation, report=lambda step, metrics: losses["sft"].append(metrics["loss"]))
    )  # fmt: skip
    asyncio.run(
        train_dpo(own.model, recipe("dpo", data="pairs", steps=8), pairs, tmp_path / "dpo", reference=None,
                  evaluate=no_evaluation, report=lambda step, metrics: losses["dpo"].append(metrics["loss"]))
    )  # fmt: skip
    assert all(found[-1] < found[0] for found in losses.values())
