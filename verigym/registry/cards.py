"""A version's card as Markdown: what it is, how it was made, what was measured and decided, and what is unknown.

Everything on it comes from records that the caller passes in.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from verigym.core.records import Dataset, Estimate, Report, Version
from verigym.core.words import counted, with_interval
from verigym.evaluation.report import RATES
from verigym.registry.diff import examples_text
from verigym.registry.imports import KEY, UNKNOWN, ImportedWeights, imported_weights
from verigym.registry.ledger import LedgerEntry
from verigym.registry.versions import harness_text, kind_of, weights_label

_NOT_KNOWN = {
    "safety": "No safety suite was run. How it handles unsafe requests, or instructions hidden in tool results, is unknown. "
    "Run: verigym eval safety -m {id}",
    "retention": "No retention suite was run. How much general capability the change cost is unknown. "
    "Run: verigym eval retention -m {id}",
}
"""Environments that cover what the version's own suite does not, with the warning if they were not run."""

_ROLLING_BACK = (
    "`verigym rollback` restores the previous champion, `verigym rollback VERSION` any earlier one, and "
    "`verigym rollback {id}` this version if it was champion. Each rollback is one entry in the ledger. No files change."
)


class CardData(Struct, frozen=True, kw_only=True):
    version: Version
    parent: Version | None
    reports: Sequence[Report]
    """Oldest first."""
    entries: Sequence[LedgerEntry]
    """The whole ledger."""
    data: Dataset | None
    """The dataset it was trained on, if any."""


def card(about: CardData) -> str:
    version = about.version
    sections = {
        "What it is": _what(about),
        "How it was made": _made(about),
        "Measured": _measured(about),
        "Decisions": _decisions(about),
        "Limits": (f"- {line}" for line in _limits(about)),
        "Rolling back": [_ROLLING_BACK.format(id=version.id)],
        "Software": [f"- {name} {number}" for name, number in version.software.items()]
        or ["Not recorded, because an older verigym made it."],
    }
    parts = [f"# {version.label}", "", f"Version `{version.id}` of an agent, by Verigym."]
    for title, lines in sections.items():
        parts += ["", f"## {title}", "", *lines]
    return "\n".join(parts) + "\n"


def latest_by_suite(reports: Sequence[Report]) -> list[Report]:
    """The newest report on each suite, in the order of the suites' first run."""
    return list({report.suite.hash: report for report in reports}.values())


def figure(name: str, estimate: Estimate) -> str:
    """`67.5% (58.5% to 76.5%)`, or a plain number if the metric is not a rate."""
    if name == "success" or name.startswith("pass") or name in RATES.values():
        return with_interval(estimate.value, estimate.low, estimate.high)
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"


def _what(about: CardData) -> Iterator[str]:
    version = about.version
    yield f"- Kind: {kind_of(version)}"
    stored = ", in 4 bits (nf4)" if version.quantized else ""
    kept = ", whose parameters were all trained" if version.full else " (never modified)"
    yield f"- Base model: `{version.base}`{kept}{stored}"
    yield f"- {weights_label(version).capitalize()}: {f'`{version.adapter}`' if version.adapter else 'none'}"
    if version.constraints:
        yield f"- Replies are constrained to: `{version.constraints}`"
    if version.sampling is not None:
        settings = msgspec.structs.asdict(version.sampling)
        yield "- Sampling: " + ", ".join(f"{name} {value}" for name, value in settings.items() if value not in ([], ""))
    else:
        yield "- Sampling: set by the caller"
    if version.system_prompt is None:
        yield "- System prompt: the environment's own"
    else:
        yield from ("- System prompt:" + ("" if version.system_prompt else " none"), *_fenced(version.system_prompt))
    for tool, text in version.tool_descriptions.items():
        yield from (f"- Tool `{tool}` is described as:", *_fenced(text))
    if version.tools:
        yield f"- It brings the tools file `{version.tools}`"
    if version.examples:
        yield from (f"- {counted(len(version.examples), 'example')} before the task:", *_fenced(examples_text(version)))
    for name, text in version.skills.items():
        yield from (f"- Skill `{name}`:", *_fenced(text))
    if version.harness is not None:
        yield "- Harness: " + harness_text(version.harness)
    if version.program:
        yield f"- Program that drives it: `{version.program}`"


def _made(about: CardData) -> Iterator[str]:
    version, parent = about.version, about.parent
    if version.made:
        yield f"- When: {version.made}"
    if parent is not None:
        yield f"- From: `{parent.id}` ({parent.name or parent.base})"
    recipe, data = version.recipe, about.data
    if "optimize" in recipe:
        search = recipe["optimize"]
        yield (
            f"- By optimisation, run `{search.get('run', '?')}`, seed {search.get('seed', '?')}: {search.get('change', '?')}. "
            f"It was chosen on training tasks of {len(version.families)} families"
        )
    recipe = {name: value for name, value in recipe.items() if name not in ("optimize", KEY)}
    if (origin := imported_weights(version)) is not None:
        yield from _imported(origin, data)
        return
    if not recipe:
        yield "- Without training"
        return
    trained = parent is None or version.adapter != parent.adapter
    origin = "By training" if trained else "Without training. Its parent's weights were trained"
    yield f"- {origin} with {recipe.get('algorithm', '?')}, run `{recipe.get('run', '?')}`, seed {recipe.get('seed', '?')}"
    source = f"dataset {data.name}, {data.rows} rows ({data.source})" if data else "tasks of the environment"
    yield f"- Data: {source}, {len(version.families)} families, hash `{version.data_hash[:12]}`"
    shown = {"algorithm", "run", "seed", "data"}
    plain = {key: value for key, value in recipe.items() if isinstance(value, str | int | float) and key not in shown}
    settings = ", ".join(f"{name} {value}" for name, value in plain.items() if value not in ("", 0))
    yield f"- Recipe: {settings} (full recipe: `verigym models show {version.id} --json`)"


def _imported(origin: ImportedWeights, data: Dataset | None) -> Iterator[str]:
    yield f"- Elsewhere, by {origin.trained_by}. Imported from `{origin.folder}`"
    if data is not None:
        yield f"- Data, as the importer says: dataset {data.name}, {data.rows} rows ({data.source})"
    else:
        yield f"- Data: {UNKNOWN}"
    if origin.note:
        yield f"- Note of the importer: {origin.note}"
    if origin.named_base:
        yield f"- Base model that the files name: `{origin.named_base}`"
    yield "- Imported files:"
    yield from (f"    - `{name}`, sha256 `{sha256}`" for name, sha256 in origin.files.items())


def _measured(about: CardData) -> Iterator[str]:
    reports = latest_by_suite(about.reports)
    if not reports:
        yield f"Never measured. Run: `verigym eval ENV -m {about.version.id}`"
        return
    for index, report in enumerate(reports):
        suite = report.suite
        yield from ([""] if index else [])
        yield (
            f"On {suite.name} (environment {suite.environment}): {len(suite.tasks)} held-out tasks of {len(suite.families)} "
            f"families, {counted(report.repeats, 'try')} each, judged by {suite.verifier}. "
            f"Report `{report.id}`, suite `{suite.hash[:12]}`."
        )
        yield from ("", "| figure | value (95% interval) |", "| --- | --- |")
        yield from (f"| {name} | {figure(name, estimate)} |" for name, estimate in report.metrics.items())
        if report.errors:
            yield from ("", f"{report.errors} episodes could not be scored and are not included.")


def _decisions(about: CardData) -> Iterator[str]:
    id = about.version.id
    current = about.entries[-1].champion_after if about.entries else None
    other = f"The champion is {current}." if current else "No champion exists yet."
    yield "It is the champion." if current == id else f"It is not the champion. {other}"
    yield ""
    judged = [entry for entry in about.entries if entry.decision.candidate == id and entry.decision.checks]
    for entry in about.entries:
        decision = entry.decision
        if id not in (decision.candidate, decision.champion):
            continue
        side = "candidate" if decision.candidate == id else "champion"
        why = f" Why: {entry.why}." if entry.why else ""
        yield (
            f"- Entry {entry.seq}, {entry.when}, by {entry.who}: {decision.kind}, {decision.verdict} "
            f"`{decision.candidate}` against `{decision.champion or 'none'}` (it was the {side}).{why}"
        )
    if judged:
        yield from ("", f"Last decision of the gate (entry {judged[-1].seq}): {judged[-1].decision.words}")


def _limits(about: CardData) -> Iterator[str]:
    version = about.version
    reports = latest_by_suite(about.reports)
    seen = {report.suite.environment for report in reports}
    if reports:
        yield (
            "The figures cover only the tasks and verifiers named above. They say nothing about other work or about anything a "
            "verifier does not check."
        )
    for environment, warning in _NOT_KNOWN.items():
        applies = environment != "retention" or version.adapter  # unchanged weights have forgotten nothing
        if environment not in seen and applies:
            yield warning.format(id=version.id)
    for report in reports:
        if len(report.suite.families) < 20:
            yield (
                f"{report.suite.name} has only {len(report.suite.families)} families, so its intervals are wide, "
                "and another set of families may give different figures."
            )
    if (origin := imported_weights(version)) is not None and not origin.data:
        yield (
            f"Its weights were trained elsewhere ({UNKNOWN}). They may have been trained on the held-out tasks. Then the figures "
            "above are too good."
        )
    if version.families:
        how = "made with" if "algorithm" not in version.recipe and version.recipe else "trained on"
        yield f"It was {how} {len(version.families)} families. Its results on those do not measure it."
    if version.is_remote:
        yield "Its base model runs behind a server. The server's owner may change it without a trace here."
    else:
        yield "Its base model is known only by name. Its files are not checked for changes."


def _fenced(text: str) -> list[str]:
    """A code block that the text cannot close. Nothing for an empty text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return ["", fence, *text.splitlines(), fence] if text else []
