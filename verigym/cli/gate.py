"""gate, promote, rollback and policies: decide whether a version may replace the champion, and by which policy."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verigym.cli import complete, show
from verigym.cli.options import Cluster, Home, Json, env_option, group, workspace
from verigym.core.errors import BadInput, VerigymError
from verigym.core.words import counted, dollars

if TYPE_CHECKING:
    from verigym.api import Workspace
    from verigym.core.records import Check, Decision
    from verigym.workspace.gate_budget import GatePlan
    from verigym.workspace.workspace import WorkspaceFolder

Candidate = Annotated[
    str,
    typer.Argument(metavar="VERSION", help="Candidate version: id, name or latest", autocompletion=complete.versions),
]


def gate(
    candidate: Annotated[
        str,
        typer.Argument(
            metavar="VERSION", help="Candidate version: id, name or latest", autocompletion=complete.versions
        ),
    ] = "",
    champion: Annotated[
        str,
        typer.Option(
            "--champion", help="Version to compare with instead of the champion", autocompletion=complete.versions
        ),
    ] = "champion",
    policy: Annotated[
        str,
        typer.Option("--policy", help="Gate policy: default, quick, strict, or a YAML file (see verigym policies)"),
    ] = "default",
    environment: Annotated[
        str,
        env_option("Environment to compare on (default: the one it was trained on, or that of its newest report)"),
    ] = "",
    budget: Annotated[
        str,
        typer.Option(
            "--budget", metavar="LIMIT", help="Stop after so many minutes, calls or dollars: 10min, 500calls, $2"
        ),
    ] = "",
    like: Annotated[
        str,
        typer.Option(
            "--like",
            metavar="RUN",
            help="Sample replies as in this evaluation. That is a new test (default: as at the last look at both versions)",
            autocompletion=complete.runs,
        ),
    ] = "",
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Measure another seed as well and average it in. Not for greedy sampling"),
    ] = None,
    best_of: Annotated[
        str,
        typer.Option("--best-of", metavar="A,B,C", help="Judge the best of these versions, allowing for the choice"),
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print looks, episodes and cost, and measure nothing")
    ] = False,
    cluster: Cluster = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Measure a version and the champion until it is clear whether the version may replace it.
    Exit code 0 PROMOTE, 1 REJECT, 3 NEED MORE DATA, 2 error."""
    from verigym.gates.decide import EXIT

    names = list(dict.fromkeys(one.strip() for one in (candidate, *best_of.split(",")) if one.strip()))
    if not names:
        raise BadInput("Name a candidate: verigym gate VERSION, or several: verigym gate --best-of A,B,C")
    first, *others = names
    ws = workspace(home, cluster=cluster)
    if dry_run:
        plan = ws.plan_gate(
            first, champion=champion, policy=policy, environment=environment, like=like, seed=seed, best_of=others
        )
        if json:
            return show.as_json(plan)
        say_plan(plan, show.say, ws)
        return show.next_command("the same command without --dry-run")
    decision = ws.gate(
        first,
        champion=champion,
        policy=policy,
        environment=environment,
        budget=budget,
        like=like,
        seed=seed,
        best_of=others,
        on_plan=lambda plan: say_plan(plan, show.note, ws),
    )
    if json:
        show.as_json(decision)
    else:
        say_decision(ws, decision, decision.checks)
    raise typer.Exit(EXIT[decision.verdict])


def say_decision(ws: "Workspace", decision: "Decision", checks: "Sequence[Check]") -> None:
    """The checks, the decision in short, and what to type next."""
    from verigym.gates.decide import in_short

    words = in_short(decision)
    for role, id in (("candidate", decision.candidate), ("champion", decision.champion)):
        words = words.replace(f"{role} {id}", f"{role} {named(ws.folder, id)}")
    show.checks(checks)
    show.paragraph(show.command(words))
    candidate, champion = (typed(ws.folder, id) for id in (decision.candidate, decision.champion))
    if decision.verdict == "PROMOTE":
        return show.next_command(f"verigym promote {candidate}")
    show.next_command(f"verigym compare {champion} {candidate}" if decision.reports else f"verigym gate {candidate}")


def named(ws: "WorkspaceFolder", id: str | None) -> str:
    """`hacked (688e1db5dde3)`"""
    name = ws.find(id).name if id else ""
    return f"{name} ({id})" if name and name != id else id or "none"


def typed(ws: "WorkspaceFolder", id: str) -> str:
    """A version as a person types it in a command: by its name if that names no other version."""
    name = ws.find(id).name
    try:
        found = ws.find(name) if name else None
    except VerigymError:
        found = None
    return show.quote(name) if found is not None and found.id == id else id


def say_plan(plan: "GatePlan", say: Callable[[str], None], ws: "Workspace") -> None:
    """How replies are sampled, how many episodes the gate may run and what they may cost."""
    source = f" as in run {plan.like}" if plan.like else ""
    say(f"Replies are sampled{source}: {_sampling(plan.settings)}.")
    for suite, families in plan.left_out.items():
        say(
            f"{counted(families, 'family')} of {suite} chose this checkpoint of the candidate. The gate leaves them out."
        )
    if not plan.most:
        return say("Everything that the gate may ask for is measured already. It runs no episode.")
    cost = f", at most {dollars(plan.dollars)}" if plan.dollars is not None else ""
    candidate, champion = (named(ws.folder, id) for id in (plan.candidate, plan.champion))
    say(
        f"The gate compares {candidate} with {champion} on {plan.environment}, look by look: "
        f"{counted(plan.first, 'episode')} for the first look, at most {plan.most:,}{cost}."
    )
    if plan.least_gain:
        gains = "only gains" if plan.least_gain < 1 else "no gain, because they are too few"
        size = f" of about {100 * plan.least_gain:.0f} points or more" if plan.least_gain < 1 else ""
        say(f"  {counted(plan.families, 'family')} of {plan.suites[0].suite} can show {gains}{size}.")
    if plan.policy == "default" and len(plan.suites) > 1:
        say("  --policy quick has wider margins and needs fewer episodes.")
    for suite in plan.suites:
        done = f", {suite.done:,} are stored" if suite.done else ""
        say(
            f"  {suite.suite}: first look at {counted(suite.looks[0], 'task')}, at most {suite.tasks:,} "
            f"({suite.first:,} to {suite.most:,} episodes{done})"
        )


def _sampling(settings: dict[str, Any]) -> str:
    """`greedy, at most 64 tokens`"""
    temperature = settings.get("temperature", 1.0)
    others = [
        f"{name} {settings[name]}" for name in ("top_p", "top_k", "min_p", "stop", "constrain") if settings.get(name)
    ]
    how = "greedy" if temperature == 0 else f"temperature {temperature:g}"
    return ", ".join([how, *others, f"at most {settings.get('max_tokens', 256)} tokens a reply"])


def promote(
    candidate: Candidate,
    override: Annotated[
        str,
        typer.Option(
            "--override",
            metavar="REASON",
            help="Promote without asking the gate. The reason is recorded in the ledger",
        ),
    ] = "",
    policy: Annotated[
        str, typer.Option("--policy", help="Gate policy (default: the one of the last decision about this version)")
    ] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Make a version the champion if the gate decides PROMOTE, or with a recorded reason.
    Exit code 0 if it is champion, 1 REJECT, 3 NEED MORE DATA, 2 error."""
    from verigym.api_training import NotPromoted
    from verigym.gates.decide import EXIT

    ws = workspace(home)
    earlier = len(ws.ledger())
    try:
        entry = ws.promote(
            candidate, override=override, policy=policy, on_plan=lambda plan: say_plan(plan, show.note, ws)
        )
    except NotPromoted as refused:
        decision = refused.decision
        if json:
            show.as_json(
                {"champion": decision.champion, "before": decision.champion, "entry": None, "decision": decision}
            )
        else:
            show.say(f"{named(ws.folder, decision.champion)} stays champion. The decision is in the ledger")
            say_decision(ws, decision, [one for one in decision.checks if one.outcome in ("fail", "unclear")])
        raise typer.Exit(EXIT[decision.verdict]) from refused
    champion = ws.agent(entry.decision.candidate)
    name = f"{champion.label} ({champion.id})"
    if len(ws.ledger()) == earlier:
        if json:
            return show.as_json({"champion": champion.id, "before": champion.id, "entry": entry.seq})
        show.say(f"{name} is already champion (ledger entry {entry.seq}). Nothing was changed")
        return show.next_command("verigym models ledger")
    if entry.decision.kind == "first":
        if json:
            return show.as_json({"champion": champion.id, "before": "", "entry": None})
        show.say(f"{name} is the first champion. Nothing was compared")
        return show.next_command("verigym models ledger")
    if json:
        entries = {"entry": entry.seq, "decision": entry.decision}
        return show.as_json({"champion": champion.id, "before": entry.champion_before, **entries})
    show.say(f"{name} is now champion (ledger entry {entry.seq}). Before: {named(ws.folder, entry.champion_before)}")
    show.next_command("verigym rollback   (undoes the promotion)")


def rollback(
    to: Annotated[
        str | None,
        typer.Argument(
            metavar="VERSION",
            help="Earlier champion to return to (default: the previous one)",
            autocompletion=complete.versions,
        ),
    ] = None,
    why: Annotated[str, typer.Option("--why", help="Reason, recorded in the ledger")] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Make an earlier champion the champion again."""
    ws = workspace(home)
    entry = ws.rollback(to or "", why=why)
    back = ws.agent(entry.decision.candidate)
    if json:
        return show.as_json({"champion": back.id, "before": entry.champion_before, "entry": entry.seq})
    before = named(ws.folder, entry.champion_before)
    show.say(f"{back.label} ({back.id}) is champion again (ledger entry {entry.seq}). Before: {before}")
    show.next_command("verigym models list")


def list_policies(json: bool, home: Path | None = None) -> None:
    """List the shipped gate policies."""
    from verigym.gates.policy import POLICIES, hash_of

    if json:
        return show.as_json(list(POLICIES.values()))
    rows = [(policy.name, hash_of(policy)[:8], policy.primary, policy.planned_gain) for policy in POLICIES.values()]
    show.table(rows, ("policy", "hash", "primary", "planned gain"))
    show.next_command("verigym policies show default > my_policy.yaml")


policies = group("policies", "Gate policies: list (the default), show.", list_policies)


@policies.command("show")
def show_policy(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Policy: default, quick, strict, or a YAML file")
    ] = "default",
    json: Json = False,
) -> None:
    """Print a gate policy as YAML, to save and edit: verigym policies show default > mine.yaml"""
    from verigym.gates.policy import as_yaml, find_policy, hash_of

    policy = find_policy(name)
    if json:
        return show.as_json(policy)
    show.say(f"# Policy {policy.name} ({hash_of(policy)[:8]}). Fields: docs/how-to/gate.md")
    show.say(as_yaml(policy).rstrip())
