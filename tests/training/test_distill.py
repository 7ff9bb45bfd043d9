"""On-policy distillation: the loss against a sum over the whole vocabulary, each teacher, resuming, and learning."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from aiohttp import web

from tests.policies.remote_server import Server, serving
from tests.rollout.shop import AGENT
from tests.tiny import tiny, tokenizer
from tests.training.oracles import assert_same, gradients, shake, slow_logprobs
from tests.training.test_loops import (
    CHAT,
    TASKS,
    Reporter,
    Rollouts,
    assert_resumes_exactly,
    fresh_policy,
    letters,
    recipe,
    rollouts_of,
    sampled_recipe,
)
from verigym.core.errors import BadInput, InfrastructureFailure, Refused
from verigym.core.records import Message, Sample, Trajectory, Turn
from verigym.model import lora
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.remote_scores import RemoteScores
from verigym.training.distill import students_of, train_distill
from verigym.training.environments import TrainingEnvironment
from verigym.training.groups import with_rewards
from verigym.training.losses import Totals, policy_loss, teacher_advantages
from verigym.training.recipe_groups import Distill, PolicyLoss
from verigym.training.teachers import (
    AdapterTeacher,
    ModelTeacher,
    SelfTeacher,
    ServerTeacher,
    StudentSample,
    Teacher,
    TeacherScores,
    check_vocabulary,
)
from verigym.training.update import Teaching, logprobs_of, policy_update

GOLD = msgspec.structs.replace(CHAT, gold=lambda task: f"gold {task.id}")
NO_VERDICT: Any = None


def environment(spec: Any = GOLD) -> TrainingEnvironment:
    return TrainingEnvironment(environment=spec, verifier=NO_VERDICT, tasks=TASKS)


# -- the loss -------------------------------------------------------------------------------------------------------


def test_the_expected_gradient_is_that_of_the_reverse_divergence() -> None:
    """Every token of the vocabulary as the sampled one, weighted by its probability, is the exact divergence."""
    generator = torch.Generator().manual_seed(0)
    logits_V = torch.randn(7, generator=generator, dtype=torch.float64, requires_grad=True)
    teacher_V = torch.log_softmax(torch.randn(7, generator=generator, dtype=torch.float64), -1)
    now_V = torch.log_softmax(logits_V, -1)
    exact = (now_V.exp() * (now_V - teacher_V)).sum()
    expected = torch.zeros_like(logits_V)
    divergence = 0.0
    for token in range(7):
        now_BS, mask_BS = torch.log_softmax(logits_V, -1)[token][None, None], torch.ones(1, 1, dtype=torch.bool)
        advantages, figures = teacher_advantages(teacher_V[token][None, None], now_BS, mask_BS, Distill(clip=0), 1)
        loss, _ = policy_loss(now_BS, mask_BS, advantages, PolicyLoss(), Totals(1, 1, 1))
        share = float(now_V[token].detach().exp())
        expected += share * torch.autograd.grad(loss, logits_V)[0]
        divergence += share * float(figures["teacher_kl"])
    assert divergence == pytest.approx(float(exact.detach()), rel=1e-12)
    assert torch.allclose(expected, torch.autograd.grad(exact, logits_V)[0], atol=1e-12)


def test_a_difference_beyond_the_bound_counts_as_the_bound() -> None:
    mask = torch.ones(1, 3, dtype=torch.bool)
    teacher, student = torch.tensor([[-9999.0, -1.0, -0.5]]), torch.tensor([[-1.0, -2.0, -0.5]])
    advantages, figures = teacher_advantages(teacher, student, mask, Distill(clip=4.0, kl=0.5), 3)
    assert advantages.tolist() == [[-2.0, 0.5, 0.0]]
    assert float(figures["teacher_clipped"]) == pytest.approx(1 / 3)
    assert float(figures["teacher_kl"]) == pytest.approx(1.0)


def sampled(seed: int, count: int = 5) -> list[Sample]:
    """Replies of different lengths with a gap, as a tool result leaves one."""
    generator = torch.Generator().manual_seed(seed)
    samples: list[Sample] = []
    for number in range(count):
        ids = torch.randint(6, 60, (9 + number,), generator=generator).tolist()
        mask = [0, 0, 0, 1, 1, 0, 1] + [1] * (2 + number)
        samples.append(Sample(ids=ids, mask=mask, logprobs=[0.0] * len(ids), advantage=0.3 * number - 0.5))
    return samples


@pytest.mark.parametrize("weight", [0.0, 0.7], ids=["teacher alone", "beside the reward"])
def test_an_update_is_the_formula_token_by_token(weight: float) -> None:
    """Value and every gradient, against a forward pass of each sample alone."""
    model, settings = tiny().model, Distill(teacher="t", kl=0.8, reward=weight, clip=3.0)
    lora.attach(model, lora.LoraConfig(r=4))
    shake(model, 3)
    samples = [
        msgspec.structs.replace(one, advantage=weight * one.advantage, logprobs=_spread(model, one))
        for one in sampled(1)
    ]
    teacher = logprobs_of(tiny(5).model, samples, 0.8)
    tokens = sum(sum(one.mask) for one in samples)
    loss = torch.zeros(())
    for one, theirs in zip(samples, teacher, strict=True):
        now = slow_logprobs(model, one, 0.8)
        gap = (torch.tensor(theirs) - now.detach()).clamp(-3, 3)
        loss = loss - ((one.advantage + 0.8 * gap) * torch.exp(now - now.detach())).sum() / tokens
    expected = gradients(loss, lora.parameters(model))
    figures = policy_update(
        model, torch.optim.SGD(lora.parameters(model), lr=0.0), samples, PolicyLoss(correction="none"),
        temperature=0.8, teaching=Teaching(teacher, settings),
    )  # fmt: skip
    assert figures["loss"] == pytest.approx(float(loss.detach()), rel=1e-5)
    norm = torch.stack([gradient.norm() for gradient in expected]).norm()
    scale = min(1.0, 1.0 / float(norm))
    assert_same([parameter.grad / scale for parameter in lora.parameters(model)], expected)  # type: ignore[operator]


@torch.no_grad()
def _spread(model: Any, sample: Sample) -> list[float]:
    now = iter(slow_logprobs(model, sample, 0.8).tolist())
    return [next(now) if scored else 0.0 for scored in sample.mask]


# -- teachers -------------------------------------------------------------------------------------------------------


def students(policy: LocalPolicy, **fields: Any) -> list[StudentSample]:
    settings = recipe(**{"algorithm": "distill", "distill": {"teacher": "self"}, "max_tokens": 6, **fields})
    rollouts = Rollouts(policy, settings, letters, ())
    groups = asyncio.run(rollouts.collect(1, 0, {"chat": TASKS[:2]}))
    return students_of([with_rewards(group, settings) for group in groups], settings)


def test_another_adapter_on_the_same_base_scores_as_its_own_model_would() -> None:
    policy = fresh_policy()
    shake(policy.model, 1)
    before, parameters = lora.weights(policy.model), [id(one) for one in lora.parameters(policy.model)]
    alone = tiny().model
    lora.attach(alone, lora.LoraConfig(r=3, alpha=5, top_layers=1))
    shake(alone, 2)
    adapter = lora.LoraAdapter(lora.LoraConfig(r=3, alpha=5, top_layers=1), lora.weights(alone))
    given = students(policy)
    scores = asyncio.run(AdapterTeacher(policy.model, adapter).score(given, 1.0))
    assert scores.logprobs == logprobs_of(alone, [one.sample for one in given])
    bare = asyncio.run(AdapterTeacher(policy.model, None).score(given, 1.0))
    assert bare.logprobs == logprobs_of(tiny().model, [one.sample for one in given])
    assert [id(one) for one in lora.parameters(policy.model)] == parameters, "the optimizer's parameters stay"
    assert all(torch.equal(weight, before[name]) for name, weight in lora.weights(policy.model).items())
    assert scores.tokens == sum(len(one.sample.ids) for one in given)


def test_the_self_teacher_reads_the_gold_solution_and_scores_the_same_tokens() -> None:
    policy = fresh_policy()
    start = lora.weights(policy.model)
    given = students(policy)
    teacher = SelfTeacher(policy.model, policy.render, [environment()], AGENT, weights=start, current=False)
    shake(policy.model, 4)  # the student moves on, the teacher stays at the start
    scores = asyncio.run(teacher.score(given, 1.0))
    fresh = fresh_policy()
    for one, row in zip(given, scores.logprobs, strict=True):
        task = next(task for task in TASKS if task.id == one.trajectory.task)
        told = (
            f"{task.prompt}\n\nA correct solution, for reference only:\ngold {task.id}\n\n"
            "Now give your own answer, in the format that is asked for."
        )
        prompt = fresh.render.prompt([Message("user", told)], [])
        reply = one.trajectory.turns[0].completion_ids
        sample = Sample(ids=prompt + reply, mask=[0] * len(prompt) + [1] * len(reply), logprobs=[])
        assert row == pytest.approx(slow_logprobs(fresh.model, sample).tolist(), abs=1e-5)
    current = SelfTeacher(policy.model, policy.render, [environment()], AGENT, weights=start, current=True)
    assert asyncio.run(current.score(given, 1.0)).logprobs != scores.logprobs


def test_a_prompt_that_cannot_be_made_again_is_not_scored() -> None:
    policy = fresh_policy()
    one = students(policy)[0]
    [turn] = one.trajectory.turns
    other = msgspec.structs.replace(turn, context_ids=[*turn.context_ids, 7])
    odd = StudentSample(
        msgspec.structs.replace(one.sample, ids=other.context_ids + turn.completion_ids),
        msgspec.structs.replace(one.trajectory, turns=[other]),
        one.source,
    )
    teacher = SelfTeacher(policy.model, policy.render, [environment()], AGENT, weights=None, current=False)
    assert [row is None for row in asyncio.run(teacher.score([odd, one], 1.0)).logprobs] == [True, False]


def test_the_self_teacher_needs_a_gold_solution_for_every_task() -> None:
    policy = fresh_policy()
    spec = msgspec.structs.replace(CHAT, gold=lambda task: None if task.id == "t3" else "yes")
    with pytest.raises(Refused, match='task "t3" has none'):
        SelfTeacher(policy.model, policy.render, [environment(spec)], AGENT, weights=None, current=False)


def test_a_teacher_with_other_token_ids_is_refused() -> None:
    check_vocabulary(tokenizer(), tokenizer(), "same")
    with pytest.raises(Refused, match=r"has another vocabulary.*same tokenizer"):
        check_vocabulary(tokenizer(), tokenizer("some words of another language"), "other")
    larger = tokenizer()
    larger.add_tokens(["<extra>"])
    check_vocabulary(tokenizer(), larger, "a teacher may know more")
    with pytest.raises(Refused, match=r"'<extra>' .* does not exist in the teacher"):
        check_vocabulary(larger, tokenizer(), "less")


def test_a_token_that_the_teacher_does_not_have_is_refused() -> None:
    sample = Sample(ids=[5, 10_000], mask=[0, 1], logprobs=[0.0, -1.0])
    trajectory = Trajectory(id="i", task="t0", group="g", turns=[Turn()])
    with pytest.raises(Refused, match="token id that big does not have"):
        asyncio.run(ModelTeacher(tiny().model, "big").score([StudentSample(sample, trajectory, "chat")], 1.0))


# -- steps ----------------------------------------------------------------------------------------------------------


class LostTeacher:
    """A server that went away."""

    async def score(self, samples: Sequence[StudentSample], temperature: float) -> TeacherScores:
        raise InfrastructureFailure("http://nowhere: no reply")


def run(
    policy: LocalPolicy, teacher: Teacher, folder: Path, reporter: Reporter, *, score: Any = letters, **fields: Any
) -> None:
    settings = sampled_recipe(**{"algorithm": "distill", "distill": {"teacher": "self"}, "steps": 4, **fields})
    rollouts = rollouts_of(policy, settings, score)
    asyncio.run(train_distill(policy.model, settings, rollouts, folder, teacher, report=reporter))


def teacher_of(kind: str, policy: LocalPolicy) -> Teacher:
    if kind == "self":
        start = lora.weights(policy.model)
        return SelfTeacher(policy.model, policy.render, [environment()], AGENT, weights=start, current=False)
    if kind == "current self":
        return SelfTeacher(policy.model, policy.render, [environment()], AGENT, weights=None, current=True)
    other = fresh_policy()
    shake(other.model, 9)
    if kind == "model":
        return ModelTeacher(other.model, "other")
    return AdapterTeacher(policy.model, lora.LoraAdapter(lora.LoraConfig(r=8, alpha=16), lora.weights(other.model)))


@pytest.mark.usefixtures("checkpoint_every_step")
@pytest.mark.parametrize("kind", ["self", "current self", "model", "adapter"])
def test_a_run_that_was_killed_ends_with_the_same_weights(kind: str, tmp_path: Path) -> None:
    fields: Any = {"updates_per_batch": 2, "distill": {"teacher": "self", "reward": 0.5}}

    def taught(policy: LocalPolicy, folder: Path, reporter: Reporter) -> None:
        run(policy, teacher_of(kind, policy), folder, reporter, **fields)

    assert_resumes_exactly(taught, tmp_path, dies_at=3, steps=4)


def test_a_lost_teacher_ends_the_step_and_changes_no_weight(tmp_path: Path) -> None:
    policy = fresh_policy()
    before = lora.weights(policy.model)
    with pytest.raises(InfrastructureFailure):
        run(policy, LostTeacher(), tmp_path, Reporter())
    assert all(torch.equal(weight, before[name]) for name, weight in lora.weights(policy.model).items())


def test_the_teacher_alone_needs_no_reward_and_counts_its_tokens(tmp_path: Path) -> None:
    def unscored(one: Trajectory) -> Any:
        return letters(one) if one.id.startswith("t0") else msgspec.structs.replace(letters(one), reward=None)

    policy, reporter = fresh_policy(), Reporter()
    fields: Any = {"num_generations_per_prompt": 1, "steps": 1, "prompts_per_step": 6}
    price = {"teacher": "self", "dollars_per_million_tokens": 2.0}
    run(policy, teacher_of("model", policy), tmp_path, reporter, score=unscored, distill=price, **fields)
    [metrics] = reporter.steps.values()
    assert metrics["unscored"] == 5 and "loss" in metrics and "live_groups" not in metrics
    assert metrics["teacher_tokens"] > 0 and metrics["untaught"] == 0
    assert metrics["teacher_cost"] == pytest.approx(2e-6 * metrics["teacher_tokens"])


def test_with_rewards_beside_the_teacher_the_best_reply_gains_most() -> None:
    """The advantage of the reward is part of the sample. The teacher's is added at the update."""
    alone = students(fresh_policy())
    both = students(fresh_policy(), distill={"teacher": "self", "reward": 0.5})
    assert {one.sample.advantage for one in alone} == {0.0}
    by_id = {one.trajectory.id: one.sample.advantage for one in both}
    assert sum(by_id.values()) == pytest.approx(0.0, abs=1e-6) and max(by_id.values()) > 0


# -- learning -------------------------------------------------------------------------------------------------------


def in_digits(trajectory: Trajectory) -> Any:
    share = sum(letter.isdigit() for letter in trajectory.reply) / 3
    return msgspec.structs.replace(letters(trajectory), reward=share, passed=share == 1)


def digit_teacher(hidden: int = 32) -> Any:
    """A model that says digits: its output layer prefers them."""
    model = tiny(hidden=hidden).model
    ids = [tokenizer().convert_tokens_to_ids(digit) for digit in "0123456789"]
    with torch.no_grad():
        weight = model.get_output_embeddings().weight
        bias = torch.zeros(len(weight))
        bias[ids] = 8.0
        model.lm_head.bias = torch.nn.Parameter(bias, requires_grad=False)
    return model


@pytest.mark.parametrize("kind", ["a better model", "self"])
def test_the_student_comes_to_agree_with_its_teacher(kind: str, tmp_path: Path) -> None:
    policy, reporter = fresh_policy(), Reporter()
    teacher = ModelTeacher(digit_teacher(), "digits") if kind == "a better model" else teacher_of("self", policy)
    fields: Any = {"steps": 24, "max_tokens": 3, "prompts_per_step": 4, "num_generations_per_prompt": 12}
    run(policy, teacher, tmp_path, reporter, score=in_digits, **fields)
    steps = list(reporter.steps.values())

    def mean(rows: list[dict[str, float]], name: str) -> float:
        return sum(row[name] for row in rows) / len(rows)

    assert mean(steps[-4:], "teacher_kl") < 0.7 * mean(steps[:3], "teacher_kl")
    if kind == "a better model":
        assert mean(steps[:3], "reward") < 0.2 < 0.4 < mean(steps[-4:], "reward")


# -- recipes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "distill.teacher is missing"),
        ({"distill": {"teacher": "big", "weights": "current"}}, "works only with `teacher: self`"),
        ({"distill": {"teacher": "big"}, "episodes": {"dynamic_rounds": 2}}, "dynamic_rounds has no effect"),
        ({"distill": {"teacher": "big"}, "loss": {"kl": 0.1, "kl_in": "reward"}}, "kl_in: reward` has no effect"),
        ({"distill": {"teacher": "big"}, "reward_model": "rm"}, "reward_model has no effect"),
        ({"distill": {"teacher": "big", "reward": 1}, "num_generations_per_prompt": 1}, "must be at least 2"),
        ({"distill": {"teacher": "self"}, "tools": {"shuffle": True}}, "`tools` and `distill.teacher: self`"),
        ({"algorithm": "grpo", "distill": {"teacher": "big"}}, "distill cannot be used with grpo"),
        ({"distill": {"teacher": "big", "kl": 0}}, "distill.kl"),
        ({"distill": {"tutor": "big"}}, "tutor"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        recipe(**{"algorithm": "distill", **fields})


def test_other_recipes_keep_their_stored_form() -> None:
    from verigym.training.recipe import recipe_json

    assert "distill" not in recipe_json(recipe(algorithm="grpo"))
    written = recipe_json(recipe(algorithm="distill", distill={"teacher": "self"}))
    assert written["distill"] == {"teacher": "self"}


# -- a teacher behind a server --------------------------------------------------------------------------------------


def served(model: Any, spell: Any) -> Any:
    """Answers as vLLM does, with the logprobs of a model and tokens as `spell` writes them."""

    async def handle(request: web.Request) -> web.StreamResponse:
        choices: list[Any] = []
        for index, ids in enumerate((await request.json())["prompt"]):
            sample = Sample(ids=ids, mask=[0] + [1] * (len(ids) - 1), logprobs=[])
            [row] = logprobs_of(model, [sample])
            told = [
                {str(id): {"logprob": value, "decoded_token": spell(id)}}
                for id, value in zip(ids[1:], row, strict=True)
            ]
            choices.append({"index": index, "prompt_logprobs": [None, *told]})
        return web.json_response({"choices": choices})

    return handle


def scored_by_server(policy: LocalPolicy, handle: Any) -> tuple[list[StudentSample], TeacherScores]:
    given = students(policy)

    async def run() -> TeacherScores:
        async with serving(Server((handle,))) as address:
            scores = RemoteScores(address, "big", retries=0)
            try:
                return await ServerTeacher(scores, policy.render, "big").score(given, 1.0)
            finally:
                await scores.close()

    return given, asyncio.run(run())


def test_a_server_scores_as_the_same_model_here_would() -> None:
    policy = fresh_policy()
    given, scores = scored_by_server(policy, served(tiny(5).model, lambda id: policy.render.decode([id])))
    here = asyncio.run(ModelTeacher(tiny(5).model, "here").score(given, 1.0))
    assert scores.tokens == here.tokens
    for row, wanted in zip(scores.logprobs, here.logprobs, strict=True):
        assert row == pytest.approx(wanted, abs=1e-5)


def test_a_server_with_another_tokenizer_is_refused() -> None:
    policy = fresh_policy()
    with pytest.raises(Refused, match=r"big has another vocabulary. Token id .* same tokenizer"):
        scored_by_server(policy, served(tiny(5).model, lambda id: f"word{id}"))


def test_an_episode_that_the_server_cannot_hold_is_no_fault_of_the_student() -> None:
    async def full(request: web.Request) -> web.StreamResponse:
        return web.json_response({"error": {"message": "maximum context length is 8"}}, status=400)

    with pytest.raises(InfrastructureFailure, match=r"does not fit into the context of big.*max-model-len"):
        scored_by_server(fresh_policy(), full)
