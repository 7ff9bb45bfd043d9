"""Which two reports a comparison means: versions, reports or runs by id or name, and why two of them cannot be compared.

The rules are those of `verigym compare`: the newest reports on one suite with equal sampling. They are applied to heads of
reports, so no result of a task is decoded.
"""

import difflib
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any, NamedTuple

from verigym.core.errors import NotFound
from verigym.core.records import Report, Version
from verigym.evaluation.compare import Comparison
from verigym.view import heads
from verigym.view.comparison import ComparisonFigures, figures_of
from verigym.view.heads import ReportHead
from verigym.view.page import typed
from verigym.view.read import Reader, config_of
from verigym.workspace.shared_reports import SETTINGS

_LARGE = 2000
"""Tasks above which a comparison is worked out beside the page."""
_KEPT = 4
"""Comparisons whose figures are kept in memory."""


class Side(NamedTuple):
    """What was asked for: one report, or a version with all of its reports."""

    text: str
    agent: str
    reports: list[ReportHead]
    """Newest first."""
    exact: bool
    """Whether a report or a run was named, not a version."""


class Refusal(NamedTuple):
    words: str
    commands: list[str]
    """What makes them comparable."""


class Compared(NamedTuple):
    champion: Report
    candidate: Report
    figures: ComparisonFigures

    @property
    def comparison(self) -> Comparison:
        """Bounds are one-sided at 95%."""
        return self.figures.comparison


def side(reader: Reader, text: str) -> Side:
    """A version, report or run by id, name or unique prefix. `champion` and `latest` are versions."""
    reports = heads.reports(reader)
    if text in reports:
        return Side(text, reports[text].agent, [reports[text]], True)
    of_run = [one for one in reports.values() if one.run == text]
    if of_run:
        return Side(text, of_run[-1].agent, of_run[::-1], True)
    versions = reader.versions()
    version = _version(reader, versions, text)
    if version is not None:
        return Side(text, version.id, _of(reader, version.id), False)
    near = [id for id in reports if len(text) >= 4 and id.startswith(text)]
    near += [one.id for one in reports.values() if len(text) >= 4 and one.run.startswith(text)]
    if len(set(near)) == 1:
        return Side(text, reports[near[0]].agent, [reports[near[0]]], True)
    names = [*(one.label for one in versions.values()), *(one.run for one in reports.values()), *versions, *reports]
    close = difflib.get_close_matches(text, names, n=3, cutoff=0.5)
    hint = f" Similar: {', '.join(close)}." if close else ""
    raise NotFound(f'No version, report or evaluation is called "{text[:80]}".{hint} List them: verigym models list')


def _version(reader: Reader, versions: dict[str, Version], text: str) -> Version | None:
    if text == "champion":
        return versions.get(reader.champion())
    if text == "latest" and versions:
        return list(versions.values())[-1]
    if text in versions:
        return versions[text]
    named = [one for one in versions.values() if text and one.name == text]
    near = [one for one in versions.values() if len(text) >= 4 and one.id.startswith(text)]
    return named[-1] if named else near[0] if len(near) == 1 else None


def _of(reader: Reader, agent: str) -> list[ReportHead]:
    return [one for one in heads.reports(reader).values() if one.agent == agent][::-1]


def shared(reader: Reader, before: Side, after: Side, suite: str = "") -> list[tuple[ReportHead, ReportHead]]:
    """The newest pair of reports for each suite that both were measured on with equal settings. `suite` is a name or hash.
    Guardrail suites come last."""
    chosen: dict[str, tuple[ReportHead, ReportHead]] = {}
    for ours, theirs in _pairs(before, after):
        if ours.suite.hash != theirs.suite.hash or ours.suite.hash in chosen or ours.id == theirs.id:
            continue
        if suite and suite not in (ours.suite.name, ours.suite.hash, ours.suite.environment):
            continue
        if (before.exact and after.exact) or _alike(reader, ours, theirs):
            chosen[ours.suite.hash] = theirs, ours
    return sorted(chosen.values(), key=lambda pair: pair[0].is_guard)


def _pairs(before: Side, after: Side) -> Iterator[tuple[ReportHead, ReportHead]]:
    """After and before, newest first."""
    return ((ours, theirs) for ours in after.reports for theirs in before.reports)


def _alike(reader: Reader, one: ReportHead, other: ReportHead, fields: tuple[str, ...] = SETTINGS) -> bool:
    settings = [stored_config(reader, report.run) for report in (one, other)]
    return all(settings[0].get(field) == settings[1].get(field) for field in fields)


def stored_config(reader: Reader, run: str) -> dict[str, Any]:
    """The settings of a run. Empty if it was deleted."""
    body = reader.one("SELECT config FROM runs WHERE id = ?", run)
    return config_of(body) if body is not None else {}


def refusal(reader: Reader, before: Side, after: Side) -> Refusal:
    """Why the two cannot be compared, and the commands that make them comparable."""
    labels = [_label(reader, one) for one in (before, after)]
    for ours, theirs in _pairs(before, after):
        if ours.suite.verifier != theirs.suite.verifier and _alike(reader, ours, theirs, (*SETTINGS, "tasks")):
            words = (
                f"{labels[0]} was scored by {theirs.suite.verifier} and {labels[1]} by {ours.suite.verifier}, on tasks of "
                f"{ours.suite.environment}. Score both by the present verifier. That takes no model."
            )
            return Refusal(words, [typed("rescore", one.run) for one in (theirs, ours)])
    if before.exact and after.exact and before.reports and after.reports:
        theirs, ours = before.reports[0], after.reports[0]
        if theirs.id == ours.id:
            return Refusal("Both sides are the same report. Choose another one.", [])
        words = (
            f'{labels[0]} was measured on "{theirs.suite.name}" ({theirs.suite.hash[:8]}) and {labels[1]} on '
            f'"{ours.suite.name}" ({ours.suite.hash[:8]}). Their tasks or verifiers differ. Evaluate both on one suite.'
        )
        return Refusal(words, list(_evals(reader, before, after)))
    words = f"{labels[0]} and {labels[1]} have no report on the same held-out tasks with the same settings."
    return Refusal(words, list(_evals(reader, before, after)))


def _label(reader: Reader, one: Side) -> str:
    return reader.label(one.agent) if not one.exact else one.text


def _evals(reader: Reader, before: Side, after: Side) -> Iterator[str]:
    """Evaluate one as the other was evaluated."""
    model = next(iter([*before.reports, *after.reports]), None)
    if model is None:
        yield from (f"verigym eval ENV -m {heads.typed(reader, one.agent)}" for one in (before, after))
        return
    missing = after if before.reports else before
    config = stored_config(reader, model.run)
    sampling = config.get("sampling")
    sampling = sampling if isinstance(sampling, dict) else {}
    options = (
        f"-n {_number(config.get('num_tasks')) or model.suite.tasks} -k {_number(config.get('k')) or model.repeats}"
    )
    for name, option in (("temperature", "--temperature"), ("max_tokens", "--max-tokens")):
        if isinstance(sampling.get(name), int | float):
            options += f" {option} {sampling[name]}"
    if sampling.get("weights"):
        options += f" --weights {sampling['weights']}"
    yield f"verigym eval {heads.quote(model.suite.environment)} -m {heads.typed(reader, missing.agent)} {options}"


def compared_soon(reader: Reader, before: ReportHead, after: ReportHead, wait_s: float = 1.5) -> Compared | None:
    """The comparison, or None if it takes longer than `wait_s`. It is then worked out in a thread, and a later call has it."""
    if before.suite.tasks <= _LARGE:
        return compared(reader, before, after)
    working: dict[tuple[str, str], Future[Compared]] = reader.kept("comparisons at work", None, dict)
    key = before.id, after.id
    future = working.get(key)
    if future is None:
        future = working[key] = Future()
        work = threading.Thread(target=_work, args=(future, reader, before, after), name="verigym-compare", daemon=True)
        work.start()
    try:
        made = future.result(wait_s)
    except TimeoutError:
        return None
    except BaseException:
        working.pop(key, None)
        raise
    working.pop(key, None)
    return made


def _work(future: Future[Compared], reader: Reader, before: ReportHead, after: ReportHead) -> None:
    try:
        future.set_result(compared(reader, before, after))
    except BaseException as error:
        future.set_exception(error)


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def compared(reader: Reader, before: ReportHead, after: ReportHead) -> Compared:
    """Both reports and what changed between them. Reports never change, so a comparison is worked out once and stored."""
    known: dict[tuple[str, str], ComparisonFigures] = reader.kept("compared", None, dict)
    key = before.id, after.id
    champion, candidate = heads.report(reader, before.id), heads.report(reader, after.id)
    if champion is None or candidate is None:
        raise NotFound("One of the two reports was deleted. Choose another one")
    if (figures := known.get(key)) is None:
        state = f"{before.created} {after.created}"
        figures = reader.derived.compared(
            before.id, after.id, lambda: figures_of(champion, candidate), ComparisonFigures, state=state
        )
        while len(known) >= _KEPT:
            known.pop(next(iter(known)), None)
        known[key] = figures
    return Compared(champion, candidate, figures)
