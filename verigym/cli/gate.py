"""gate, promote, rollback and policies: decide whether a version may replace the champion, and by which policy."""

from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import complete, show
from verigym.cli.options import Home, Json, env_option, group, workspace

Candidate = Annotated[
    str,
    typer.Argument(metavar="VERSION", help="Candidate version: id, name or latest", autocompletion=complete.versions),
]


def gate(
    candidate: Candidate,
    champion: Annotated[
        str,
        typer.Option(
            "--champion", help="Version to compare with instead of the champion", autocompletion=complete.versions
        ),
    ] = "champion",
    policy: Annotated[
        str, typer.Option("--policy", help="Gate policy: default, quick, or a YAML file (see verigym policies)")
    ] = "default",
    environment: Annotated[
        str, env_option("Environment to compare on (default: the most recent one that both were evaluated on)")
    ] = "",
    rescore: Annotated[
        bool, typer.Option("--rescore", help="Rescore both runs first if the verifier changed between the two reports")
    ] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Decide whether a version may replace the champion. Guardrail suites that were not measured yet are measured now.
    Exit code 0 PROMOTE, 1 REJECT, 3 NEED MORE DATA, 2 error."""
    from verigym.gates.decide import EXIT

    ws = workspace(home)
    decision = ws.gate(candidate, champion=champion, policy=policy, environment=environment, rescore=rescore)
    if json:
        show.as_json(decision)
    else:
        show.checks(decision.checks)
        show.paragraph(decision.words)
        show.next_command(
            f"verigym promote {decision.candidate}"
            if decision.verdict == "PROMOTE"
            else f"verigym compare {decision.champion} {decision.candidate}"
        )
    raise typer.Exit(EXIT[decision.verdict])


def promote(
    candidate: Candidate,
    override: Annotated[
        str,
        typer.Option(
            "--override",
            metavar="REASON",
            help="Promote whatever the gate decides. The reason is recorded in the ledger",
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
        entry = ws.promote(candidate, override=override, policy=policy)
    except NotPromoted as refused:
        decision = refused.decision
        if json:
            show.as_json(
                {"champion": decision.champion, "before": decision.champion, "entry": None, "decision": decision}
            )
        else:
            show.paragraph(decision.words)
            show.say(f"{ws.agent(decision.champion).label} stays champion. The decision is in the ledger")
            show.next_command(f"verigym compare {decision.champion} {decision.candidate}")
        raise typer.Exit(EXIT[decision.verdict]) from refused
    champion = ws.agent(entry.decision.candidate)
    named = f"{champion.label} ({champion.id})"
    if len(ws.ledger()) == earlier:
        if json:
            return show.as_json({"champion": champion.id, "before": champion.id, "entry": entry.seq})
        show.say(f"{named} is already champion (ledger entry {entry.seq}). Nothing was changed")
        return show.next_command("verigym models ledger")
    if entry.decision.kind == "first":
        if json:
            return show.as_json({"champion": champion.id, "before": "", "entry": None})
        show.say(f"{named} is the first champion. Nothing was compared")
        return show.next_command("verigym models ledger")
    if json:
        entries = {"entry": entry.seq, "decision": entry.decision}
        return show.as_json({"champion": champion.id, "before": entry.champion_before, **entries})
    show.say(f"{named} is now champion (ledger entry {entry.seq}). Before: {entry.champion_before}")
    show.next_command("verigym rollback   (undoes the promotion)")


def rollback(
    to: Annotated[
        str | None,
        typer.Argument(
            metavar="[VERSION]",
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
    show.say(f"{back.label} ({back.id}) is champion again (ledger entry {entry.seq}). Before: {entry.champion_before}")
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
    name: Annotated[str, typer.Argument(metavar="NAME", help="Policy: default, quick, or a YAML file")] = "default",
    json: Json = False,
) -> None:
    """Print a gate policy as YAML, to save and edit: verigym policies show default > mine.yaml"""
    from verigym.gates.policy import as_yaml, find_policy, hash_of

    policy = find_policy(name)
    if json:
        return show.as_json(policy)
    show.say(f"# Policy {policy.name} ({hash_of(policy)[:8]}). Fields: docs/how-to/gate.md")
    show.say(as_yaml(policy).rstrip())
