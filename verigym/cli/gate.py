"""gate, promote and rollback: decide whether a version may replace the champion, promote it, undo a promotion."""

from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import complete, show
from verigym.cli.options import Home, Json, env_option, workspace
from verigym.core.errors import Refused
from verigym.core.records import Version

if TYPE_CHECKING:
    from verigym.workspace.workspace import WorkspaceFolder

Candidate = Annotated[
    str,
    typer.Argument(metavar="VERSION", help="Candidate version: id, name or latest", autocompletion=complete.versions),
]


def register(app: typer.Typer) -> None:
    app.command()(gate)
    app.command()(promote)
    app.command()(rollback)


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
    from verigym.gates.policy import find_policy
    from verigym.workspace import gate as gates

    demands = find_policy(policy)
    ws = workspace(home)
    version, current = _pair(ws, candidate, champion)
    if rescore:
        gates.rescored(ws, version, current, environment, show.episodes)
    decision = gates.gate(ws, version, current, demands, environment=environment, bars=show.episodes)
    gates.keep(ws, decision)
    if json:
        show.as_json(decision)
    else:
        show.checks(decision.checks)
        show.paragraph(decision.words)
        show.next_command(
            f"verigym promote {version.id}"
            if decision.verdict == "PROMOTE"
            else f"verigym compare {current.id} {version.id}"
        )
    raise typer.Exit(EXIT[decision.verdict])


def promote(
    candidate: Candidate,
    override: Annotated[
        str, typer.Option("--override", metavar="REASON", help="Promote against the gate and record the reason")
    ] = "",
    policy: Annotated[
        str, typer.Option("--policy", help="Gate policy (default: the one of the last decision about this version)")
    ] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Make a version the champion if the gate decides PROMOTE, or with a recorded reason.
    Exit code 0 if it is champion, 1 REJECT, 3 NEED MORE DATA, 2 error."""
    import msgspec

    from verigym.gates.decide import EXIT
    from verigym.gates.policy import DEFAULT, find_policy
    from verigym.workspace import gate as gates

    asked = find_policy(policy) if policy else None
    ws = workspace(home)
    version, current = _pair(ws, candidate, "champion", crown=True)
    if version.id == current.id:
        if json:
            return show.as_json({"champion": version.id, "before": "", "entry": None})
        show.say(f"{version.label} ({version.id}) is the first champion. Nothing was compared")
        return show.next_command("verigym models ledger")
    demands = asked or gates.last_policy(ws, version, current) or DEFAULT
    decision = gates.gate(ws, version, current, demands, bars=show.episodes)
    if override:
        decision = msgspec.structs.replace(decision, kind="override", why=override)
    entry = gates.settle(ws, decision, override)
    if entry is None:
        if json:
            show.as_json({"champion": current.id, "before": current.id, "entry": None, "decision": decision})
        else:
            show.paragraph(decision.words)
            show.say(f"{current.label} stays champion. The decision is in the ledger")
            show.next_command(f"verigym compare {current.id} {version.id}")
        raise typer.Exit(EXIT[decision.verdict])
    if json:
        return show.as_json({"champion": version.id, "before": current.id, "entry": entry.seq, "decision": decision})
    show.say(f"{version.label} ({version.id}) is now champion (ledger entry {entry.seq}). Before: {current.id}")
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
    from verigym.registry import ledger

    ws = workspace(home)
    back = ws.find(ledger.rollback_target(ledger.entries(ws.store), ws.find(to).id if to else None))
    if back.adapter:
        ws.adapter_folder(back.adapter)  # refuses a champion whose adapter is damaged or missing
    entry = ledger.rollback(ws.store, back.id, why=why)
    if json:
        return show.as_json({"champion": back.id, "before": entry.champion_before, "entry": entry.seq})
    show.say(f"{back.label} ({back.id}) is champion again (ledger entry {entry.seq}). Before: {entry.champion_before}")
    show.next_command("verigym models list")


def _pair(ws: "WorkspaceFolder", candidate: str, champion: str, crown: bool = False) -> tuple[Version, Version]:
    """The candidate and the version it is compared with. Without a champion that is its base model, which `crown` makes the
    first champion."""
    from verigym.registry import ledger

    version = ws.find(candidate)
    if champion != "champion" or ledger.champion(ws.store) is not None:
        return version, ws.find(champion)
    base = ws.agent(version.base)
    if base.id == version.id and not crown:
        raise Refused(
            f"No champion exists to compare with. verigym promote {version.id} makes this base agent the first champion"
        )
    return version, ws.champion(base) if crown else base
