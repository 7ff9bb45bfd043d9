"""gate, promote, rollback: may it ship, ship it, take it back."""

from typing import Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, workspace
from verigym.core.errors import Refused
from verigym.core.records import Version

Candidate = Annotated[str, typer.Argument(help="A version: id, name or latest")]
Policy = Annotated[
    str, typer.Option("--policy", help="What it demands: default, quick, or a YAML file (verigym policy prints one)")
]


def register(app: typer.Typer) -> None:
    app.command()(gate)
    app.command()(policy)
    app.command()(promote)
    app.command()(rollback)


def gate(
    candidate: Candidate,
    champion: Annotated[
        str, typer.Option("--champion", help="Compare with this version instead of the champion")
    ] = "champion",
    policy: Policy = "default",
    environment: Annotated[
        str, typer.Option("--environment", help="Whose reports; default: the newest that both have")
    ] = "",
    rescore: Annotated[
        bool,
        typer.Option(
            "--rescore", help="Where the verifier changed between the two reports: score both runs again first"
        ),
    ] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Decide whether a version may replace the champion. Guardrail suites that are not measured yet are measured.
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


def policy(
    name: Annotated[str, typer.Argument(help="default, quick, or a YAML file")] = "default",
    json: Json = False,
) -> None:
    """Print what the gate demands, whole, as a file to start from: verigym policy default > mine.yaml"""
    from verigym.gates.policy import as_yaml, find_policy, hash_of

    found = find_policy(name)
    if json:
        return show.as_json(found)
    show.say(f"# As the policy {found.name} ({hash_of(found)[:8]}). What each field means: docs/how-to/gate.md")
    show.say(as_yaml(found).rstrip())


def promote(
    candidate: Candidate,
    override: Annotated[str, typer.Option("--override", help="Promote against the gate; the reason is recorded")] = "",
    policy: Annotated[
        str, typer.Option("--policy", help="As for gate; default: the one by which this version was judged last")
    ] = "",
    home: Home = None,
) -> None:
    """Make a version the champion, if the gate says PROMOTE (or with a recorded reason)."""
    import msgspec

    from verigym.gates.decide import EXIT
    from verigym.gates.policy import DEFAULT, find_policy
    from verigym.workspace import gate as gates

    asked = find_policy(policy) if policy else None
    ws = workspace(home)
    version, current = _pair(ws, candidate, "champion", crown=True)
    if version.id == current.id:
        show.say(f"{version.label} ({version.id}) is champion; the first one has nothing to be compared with")
        return show.next_command("verigym models ledger")
    demands = asked or gates.last_policy(ws, version, current) or DEFAULT
    decision = gates.gate(ws, version, current, demands, bars=show.episodes)
    if override:
        decision = msgspec.structs.replace(decision, kind="override", why=override)
    entry = gates.settle(ws, decision, override)
    if entry is None:
        show.paragraph(decision.words)
        show.say(f"{current.label} stays champion; the decision is in the ledger")
        raise typer.Exit(EXIT[decision.verdict])
    show.say(f"{version.label} ({version.id}) is champion now (ledger entry {entry.seq}); before: {current.id}")
    show.next_command("verigym rollback   (takes it back)")


def rollback(
    to: Annotated[str | None, typer.Argument(help="An earlier champion; default the one before")] = None,
    why: Annotated[str, typer.Option("--why", help="Kept in the ledger")] = "",
    home: Home = None,
) -> None:
    """Make an earlier champion the champion again."""
    from verigym.registry import ledger

    ws = workspace(home)
    back = ws.find(ledger.way_back(ledger.entries(ws.store), ws.find(to).id if to else None))
    if back.adapter:
        ws.adapter_folder(back.adapter)  # a champion that cannot be opened helps nobody
    entry = ledger.rollback(ws.store, back.id, why=why)
    show.say(f"{back.label} ({back.id}) is champion again (ledger entry {entry.seq}); before: {entry.champion_before}")
    show.next_command("verigym models list")


def _pair(ws: Any, candidate: str, champion: str, crown: bool = False) -> tuple[Version, Version]:
    """The candidate and who it is up against. Where no champion was crowned yet, that is its base model, which `crown`
    makes the first."""
    from verigym.registry import ledger

    version = ws.find(candidate)
    if champion != "champion" or ledger.champion(ws.store) is not None:
        return version, ws.find(champion)
    base = ws.agent(version.base)
    if base.id == version.id and not crown:
        raise Refused(
            f"there is no champion yet to compare with; verigym promote {version.id} makes this base agent the first"
        )
    return version, ws.champion(base) if crown else base
