"""optimize: improve the prompt, examples, tools, skills and harness of an agent, without training weights."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import complete, show
from verigym.cli.options import (
    Concurrency,
    Environment,
    EvalTokens,
    Home,
    Json,
    Judge,
    Limit,
    Model,
    Price,
    RequireSandbox,
    RunOptions,
    SkipBad,
    Temperature,
    User,
    Verifier,
    workspace,
)
from verigym.core.words import counted, percent, points

if TYPE_CHECKING:
    from verigym.api import Workspace
    from verigym.optimize.records import CandidateFigures, Optimization, OptimizePlan

_OTHERS = 6
"""Candidates below the front that are printed without --json."""


def optimize(
    environment: Environment,
    model: Model,
    budget: Annotated[int, typer.Option("--budget", min=1, metavar="N", help="Maximum number of episodes")] = 200,
    reflect: Annotated[
        str,
        typer.Option(
            "--reflect",
            metavar="MODEL",
            help="Model that reads failures and proposes texts (same values as -m, or none). Default: the agent's base model",
            autocompletion=complete.models,
        ),
    ] = "",
    only: Annotated[
        str,
        typer.Option(
            "--only",
            metavar="PARTS",
            help="Parts that may change, separated by commas: prompt, examples, tools, skills, harness (default: all)",
        ),
    ] = "",
    gold: Annotated[
        bool,
        typer.Option("--gold/--no-gold", help="Use gold solutions of training tasks as examples and for reflection"),
    ] = True,
    tools: Annotated[
        list[Path],
        typer.Option(
            "--tools", metavar="FILE", help="Tools file that a candidate may bring, such as a search. Repeatable"
        ),
    ] = (),  # type: ignore[assignment]
    temperature: Temperature = 0.0,
    max_tokens: EvalTokens = None,
    seed: Annotated[
        int, typer.Option("--seed", help="Random seed for the split of the training tasks, sampling and reflection")
    ] = 0,
    verifier: Verifier = "",
    user: User = "",
    judge: Judge = "",
    limit: Limit = (),  # type: ignore[assignment]
    price: Price = "",
    concurrency: Concurrency = 512,
    require_sandbox: RequireSandbox = False,
    skip_bad: SkipBad = False,
    gate: Annotated[
        bool, typer.Option("--gate", help="Ask the gate about the best version. Exit codes as of verigym gate")
    ] = False,
    policy: Annotated[
        str, typer.Option("--policy", help="Gate policy for --gate: default, quick, strict, or a YAML file")
    ] = "default",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print tasks, episodes and tokens, and run nothing")
    ] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Improve an agent without training: prompt, examples, tool descriptions, skills and harness settings.
    Uses only training tasks. Every candidate is a version. If interrupted, repeat the command to resume."""
    from verigym.cli.eval import open_environment

    ws = workspace(home, create=True)
    options = RunOptions(
        model=model, temperature=temperature, max_tokens=max_tokens, seed=seed, verifier=verifier, user=user, judge=judge,
        limit=limit, price=price, concurrency=concurrency, require_sandbox=require_sandbox, skip_bad=skip_bad, home=home,
    )  # fmt: skip
    spec = open_environment(environment, options)
    settings = options.settings(ws, ws.agent(model))
    parts = tuple(part.strip() for part in only.split(",") if part.strip())
    if dry_run:
        plan = ws.plan_optimize(
            spec,
            model,
            budget=budget,
            reflect=reflect,
            parts=parts,
            gold=gold,
            tools=tools,
            seed=seed,
            settings=settings,
        )
        if json:
            return show.as_json(plan)
        _say_plan(plan)
        return show.next_command("the same command without --dry-run")
    result = ws.optimize(
        spec,
        model,
        budget=budget,
        reflect=reflect,
        parts=parts,
        gold=gold,
        tools=tools,
        seed=seed,
        settings=settings,
        on_message=show.note,
    )
    if json and not gate:
        return show.as_json(result)
    if not json:
        say_result(ws, result)
    if gate:
        return _gate(ws, result, policy, json)
    if result.improved:
        return show.next_command(gate_command(ws, result))
    show.next_command(f"verigym advise {result.agent}")


def _say_plan(plan: "OptimizePlan") -> None:
    show.say(f"{plan.agent} in {plan.environment}: at most {counted(plan.episodes, 'episode')}")
    show.say(
        f"  {counted(plan.feedback_tasks, 'training task')} to learn from failures, "
        f"{plan.selection_tasks:,} of other families to choose by. No held-out task",
        f"  a new candidate is first measured on {counted(plan.batch, 'task')}, the better half on twice as many",
        f"  about {plan.prompt_tokens:,} prompt tokens and at most {plan.completion_tokens:,} sampled tokens, if prompts "
        "stay as they are",
        f"  what may change: {', '.join(plan.parts)}",
        f"  reflection by {plan.reflect}" if plan.reflect else "  no reflection model",
    )


def say_result(ws: "Workspace", result: "Optimization") -> None:
    """The Pareto front as a table, what else was tried, and what the best version gained."""
    agent = ws.agent(result.agent)
    measured = counted(len(result.candidates) - 1, "candidate")
    show.say(
        f"{agent.label} in {result.environment}: {measured}, {result.episodes:,} of "
        f"{counted(result.budget, 'episode')} used, run {result.id}"
    )
    if result.reflections:
        show.say(f"{counted(result.reflections, 'reflection')}, {result.reflection_tokens:,} tokens")
    show.say("", f"Pareto front of success, tokens and safety on {counted(result.tasks, 'training task')}:")
    header = ("version", "change", "tasks", "success", "tokens/episode", "unsafe")
    show.table([_row(one) for one in result.front], header)
    rest = [one for one in result.candidates if not one.front]
    if rest:
        show.say("", "not on the front, or left after fewer tasks:")
        show.table([_row(one) for one in rest[:_OTHERS]], header)
        if len(rest) > _OTHERS:
            show.say(f"and {len(rest) - _OTHERS} more (--json lists all)")
    for note in result.notes:
        show.paragraph(f"note: {note}")
    show.say("")
    if not result.improved:
        show.paragraph(
            f"No candidate is better than {agent.label} on {counted(result.tasks, 'training task')}. Raise --budget, name a "
            "stronger --reflect model, or train"
        )
        return
    show.paragraph(
        f"best: {result.best}, success {percent(result.before, 0)} to {percent(result.after, 0)} "
        f"({points(result.after - result.before, 0)} points, {points(result.low, 0)} to {points(result.high, 0)}) on "
        f"{counted(result.tasks, 'training task')}. It was chosen on these tasks, so expect less on held-out ones. "
        "The gate measures those"
    )


def _row(one: "CandidateFigures") -> tuple[str, str, int, str, str, str]:
    return one.version, one.change, one.tasks, percent(one.success), f"{one.tokens:,.0f}", percent(one.unsafe)


def gate_command(ws: "Workspace", result: "Optimization") -> str:
    """The command that asks the gate about the best version."""
    from verigym.registry import ledger

    champion = ledger.champion(ws.folder.store)
    against = "" if champion == result.agent else f" --champion {result.agent}"
    return f"verigym gate {result.best}{against} -e {show.quote(result.environment)}"


def _gate(ws: "Workspace", result: "Optimization", policy: str, json: bool) -> None:
    from verigym.cli.gate import say_decision, say_plan
    from verigym.gates.decide import EXIT

    if not result.improved:
        if json:
            show.as_json({"optimization": result, "decision": None})
        raise typer.Exit(1)
    decision = ws.gate(
        result.best,
        champion=result.agent,
        policy=policy,
        environment=result.environment,
        on_plan=lambda plan: say_plan(plan, show.note, ws),
    )
    if json:
        show.as_json({"optimization": result, "decision": decision})
    else:
        show.say("")
        say_decision(ws, decision, decision.checks)
    raise typer.Exit(EXIT[decision.verdict])
