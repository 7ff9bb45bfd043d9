"""gate, promote, rollback: may it ship, ship it, take it back."""

from typing import Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, workspace
from verigym.core.errors import Refused
from verigym.core.records import Version

Candidate = Annotated[str, typer.Argument(help="A version: id, name or latest")]


def register(app: typer.Typer) -> None:
    app.command()(gate)
    app.command()(promote)
    app.command()(rollback)


def gate(
    candidate: Candidate,
    champion: Annotated[
        str, typer.Option("--champion", help="Compare with this version instead of the champion")
    ] = "champion",
    json: Json = False,
    home: Home = None,
) -> None:
    """Decide whether a version may replace the champion. Exit code 0 PROMOTE, 1 REJECT, 3 NEED MORE DATA, 2 error."""
    from verigym.flywheel.gate import gate as ask
    from verigym.gates.decide import EXIT

    ws = workspace(home)
    version, current = _pair(ws, candidate, champion)
    decision = ask(ws, version, current)
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
    override: Annotated[str, typer.Option("--override", help="Promote against the gate; the reason is recorded")] = "",
    home: Home = None,
) -> None:
    """Make a version the champion, if the gate says PROMOTE (or with a recorded reason)."""
    import msgspec

    from verigym.flywheel.gate import gate as ask
    from verigym.gates.decide import EXIT
    from verigym.registry import ledger

    ws = workspace(home)
    version, current = _pair(ws, candidate, "champion", crown=True)
    if version.id == current.id:
        show.say(
            f"{version.name or version.id} ({version.id}) is champion; the first one has nothing to be compared with"
        )
        return show.next_command("verigym models ledger")
    decision = ask(ws, version, current)
    if override:
        decision = msgspec.structs.replace(decision, kind="override", why=override)
    elif decision.verdict != "PROMOTE":
        ledger.record(ws.store, decision, moves=False)
        show.paragraph(decision.words)
        show.say(f"{current.name or current.id} stays champion; the decision is in the ledger")
        raise typer.Exit(EXIT[decision.verdict])
    entry = ledger.promote(ws.store, decision, why=override)
    show.say(
        f"{version.name or version.id} ({version.id}) is champion now (ledger entry {entry.seq}); before: {current.id}"
    )
    show.next_command("verigym rollback   (takes it back)")


def rollback(
    to: Annotated[str | None, typer.Argument(help="An earlier champion; default the one before")] = None,
    why: Annotated[str, typer.Option("--why", help="Kept in the ledger")] = "",
    home: Home = None,
) -> None:
    """Make an earlier champion the champion again."""
    from verigym.registry import ledger, versions

    ws = workspace(home)
    target = versions.resolve(ws.store, to).id if to else None
    entry = ledger.rollback(ws.store, target, why=why)
    back = versions.resolve(ws.store, entry.champion_after or "")
    show.say(
        f"{back.name or back.id} ({back.id}) is champion again (ledger entry {entry.seq}); before: {entry.champion_before}"
    )
    show.next_command("verigym models list")


def _pair(ws: Any, candidate: str, champion: str, crown: bool = False) -> tuple[Version, Version]:
    """The candidate and who it is up against. Where no champion was crowned yet, that is its base model, which `crown`
    makes the first."""
    from verigym.registry import ledger

    version = ws.known(candidate)
    if champion != "champion" or ledger.champion(ws.store) is not None:
        return version, ws.known(champion)
    base = ws.agent(version.base)
    if base.id == version.id and not crown:
        raise Refused(
            f"there is no champion yet to compare with; verigym promote {version.id} makes this base agent the first"
        )
    return version, ws.champion(base) if crown else base
