"""The report of a version: the decision about it, success before and after, training, what it is, and next steps.

`verigym report 3` tells entry 3 of the ledger, `verigym report VERSION` the newest decision about the version.
"""

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import Decision, Json, Report, Version
from verigym.core.words import counted, figure
from verigym.draw.checks import interval_of_check
from verigym.draw.intervals import intervals
from verigym.draw.lines import Mark, lines
from verigym.draw.looks import looks
from verigym.gates.decide import in_short
from verigym.registry import ledger
from verigym.registry.imports import KEY, origin_words
from verigym.registry.versions import harness_text, kind_of
from verigym.report.comparison import (
    WIDTH,
    Pair,
    environment_file,
    label,
    left_out,
    make_pair,
    pair_sections,
    production,
)
from verigym.report.document import Block, Case, Checks, Document, Picture, Section, Step, Table, Words, typed
from verigym.report.subjects import VersionSubject
from verigym.training.alarms import StoredAlarm
from verigym.training.recipe import Recipe, filled, overlong_penalty
from verigym.workspace.shared_reports import shared_reports
from verigym.workspace.workspace import WorkspaceFolder

_ORDER = ("fail", "unclear", "pass", "skipped")
_NUM_ALARMS = 8
_NUM_REPORTS = 20


class _Subject(NamedTuple):
    ws: WorkspaceFolder
    version: Version
    entry: ledger.LedgerEntry | None
    """The decision that is told."""
    rival: Version | None
    """The version that it is compared with: the champion of the decision, or else its parent."""
    pair: Pair | None
    """Both on the same tasks."""


def decision_document(ws: WorkspaceFolder, asked: VersionSubject) -> Document:
    subject = _subject(ws, asked)
    decision = subject.entry.decision if subject.entry else None
    verdict = decision.verdict if decision else "NOT DECIDED"
    pair = subject.pair
    sections = [
        Section("The decision", list(_decision(subject))),
        Section("Look by look", list(_looks(decision)), folded=True, markdown=False),
        *(pair_sections(pair) if pair else []),
        Section("Training", list(_training(subject)), markdown=False),
        Section("What it is", list(_what(subject)), folded=bool(decision)),
        Section("Measurements", list(_measured(subject)), folded=bool(decision), markdown=False),
        Section("Policy of the gate", list(_policy(decision)), folded=True, markdown=False),
        Section("What to do next", [Step(words, command) for words, command in _steps(subject)]),
    ]
    return Document(
        title=label(ws, subject.version.id),
        name=label(ws, subject.version.id),
        kind="decision" if decision else "version",
        verdict=verdict,
        tone={"PROMOTE": "pass", "REJECT": "fail"}.get(verdict, "unclear"),  # pyright: ignore[reportArgumentType]
        lead=_lead(subject),
        sections=[section for section in sections if section.blocks],
        cases=list(_cases(subject)),
        left_out=left_out(pair) if pair else [],
        production=production(pair) if pair else "",
        store=str(ws.home),
        file=environment_file(ws, pair.after.run) if pair else "",
    )


def _subject(ws: WorkspaceFolder, asked: VersionSubject) -> _Subject:
    version, entry = asked
    other = (entry.decision.champion if entry else "") or version.parent
    rival = ws.store.get("version", other, Version) if other else None
    found = [ws.store.get("report", id, Report) for id in (entry.decision.reports[::-1] if entry else [])]
    sides = (found[0], found[1]) if len(found) == 2 and found[0] and found[1] else None
    if sides is None and rival is not None and rival.id != version.id:
        with contextlib.suppress(Refused):  # they were not measured on the same tasks
            after, before = shared_reports(ws, version, rival)
            sides = before, after
    return _Subject(ws, version, entry, rival, make_pair(ws, *sides) if sides else None)


def _lead(subject: _Subject) -> str:
    """The verdict with its reasons in short. Versions have their names instead of their ids."""
    if subject.entry is None:
        return "The gate was not asked about it."
    decision = subject.entry.decision
    if decision.kind == "override":
        return f"A person promoted it without the gate's consent: {subject.entry.why}"
    words = in_short(decision)
    for id in (decision.candidate, decision.champion):
        if id:
            words = words.replace(f"candidate {id}", f"candidate {label(subject.ws, id)}")
            words = words.replace(f"champion {id}", f"champion {label(subject.ws, id)}")
    return words.removeprefix(f"{decision.verdict}: ").removeprefix(f"{decision.verdict}. ")


def _decision(subject: _Subject) -> Iterator[Block]:
    if subject.entry is None:
        return
    entry, decision = subject.entry, subject.entry.decision
    against = label(subject.ws, subject.rival.id) if subject.rival else "no champion"
    policy = f", policy {decision.policy['name']}" if decision.policy.get("name") else ""
    yield Words(f"Against {against}{policy}. Ledger entry {entry.seq}, {entry.when}, by {entry.who}.", dim=True)
    rows = sorted(decision.checks, key=lambda check: _ORDER.index(check.outcome))
    drawn = [row for row in map(interval_of_check, rows) if row is not None]
    if drawn:
        caption = (
            "Each check against its margin. The shaded part is beyond the margin. The thick end of a line is the bound that the "
            "check compares with its margin."
        )
        yield Picture(intervals(drawn, width=WIDTH), caption)
    if rows:
        yield Checks(rows)
    elif decision.words:
        yield Words(decision.words)


def _looks(decision: Decision | None) -> Iterator[Block]:
    for check in decision.checks if decision else []:
        if len(check.looks) > 1 and any(one.boundary > 0 for one in check.looks):
            yield Picture(looks(check.looks, p=check.figures.get("p"), title=check.name, width=WIDTH))


def _policy(decision: Decision | None) -> Iterator[Block]:
    if decision and decision.policy:
        rows = [[name, str(value)] for name, value in _flat(decision.policy).items()]
        yield Table(["setting", "value"], rows)
        if decision.policy_hash:
            yield Words(f"Hash of the policy: {decision.policy_hash}", dim=True)


def _training(subject: _Subject) -> Iterator[Block]:
    run = subject.version.recipe.get("run", "")
    yield from training_blocks(subject.ws, run)


def training_blocks(ws: WorkspaceFolder, run: str) -> Iterator[Block]:
    """Reward, held-out success on an axis of its own, and the alarms on them."""
    history = ws.store.metrics(run) if run else {}
    reward, success = (
        {float(step): one[name] for step, one in history.items() if name in one}
        for name in ("reward", "held_out_success")
    )
    if not reward and not success:
        return
    alarms = [one for one in ws.store.documents("alarm", StoredAlarm) if one.run == run]
    marks = [Mark(float(one.step), one.kind, "reward") for one in alarms]
    bands = {"held-out success": {step: (value, value, value) for step, value in success.items()}} if success else None
    curves = {"reward": reward} if reward else {}
    drawn = lines(curves, x="training step", y="reward", width=WIDTH, marks=marks, bands=bands, bands_y="success")
    yield Picture(drawn)
    if reward and success:
        yield Words("Training pays for reward. If reward rises while held-out success falls, mend the reward.")
    for one in sorted(alarms, key=lambda alarm: alarm.step)[:_NUM_ALARMS]:
        yield Words(f"Alarm at step {one.step}, {one.kind}: {one.words}. What to do: {one.remedy}")
    if len(alarms) > _NUM_ALARMS:
        yield Words(f"{counted(len(alarms) - _NUM_ALARMS, 'more alarm')}. See verigym runs show {run}.", dim=True)


def _what(subject: _Subject) -> Iterator[Block]:
    version, recipe = subject.version, subject.version.recipe
    parent = subject.ws.store.get("version", version.parent, Version) if version.parent else None
    rows = {"version": version.id, "base model": version.base, "kind": kind_of(version), "made": version.made}
    if parent is not None:
        rows["made from"] = f"{parent.label} ({parent.id})"
    if "optimize" in recipe:
        search = recipe["optimize"]
        rows["optimised by"] = f"{search.get('change', '?')}, run {search.get('run', '?')}"
    if words := origin_words(version):
        rows["trained elsewhere"] = words
    recipe = {name: value for name, value in recipe.items() if name not in ("optimize", KEY)}
    if recipe:
        rows["trained with"] = f"{recipe.get('algorithm', '?')}, run {recipe.get('run', '?')}"
        rows["trained on"] = f"{counted(len(version.families), 'family')} of tasks"
        rows["recipe"] = ", ".join(f"{name} {value}" for name, value in _settings(recipe).items())
    rows["champion"] = "yes" if ledger.champion(subject.ws.store) == version.id else "no"
    if version.harness is not None:
        rows["harness"] = harness_text(version.harness)
    rows |= {"program": version.program, "tools file": version.tools[:12]}
    rows["examples"] = counted(len(version.examples), "example") if version.examples else ""
    rows["skills"] = ", ".join(version.skills)
    yield Table(["", ""], [[name, str(value)] for name, value in rows.items() if value])


def _measured(subject: _Subject) -> Iterator[Block]:
    """Every report of the version, the newest first."""
    reports = [one for one in subject.ws.store.documents("report", Report) if one.agent == subject.version.id]
    rows = []
    for one in reversed(reports):
        name = next(iter(one.metrics), "")
        value, interval = figure(name, one.metrics[name]) if name else ("none", "")
        rows.append([one.suite.name, f"{name} {value} ({interval})".strip(), f"{len(one.suite.tasks):,}", one.run])
    if rows:
        yield Table(["suite", "result with 95% interval", "tasks", "run"], rows[:_NUM_REPORTS])
    if len(rows) > _NUM_REPORTS:
        yield Words(f"{counted(len(rows) - _NUM_REPORTS, 'older report')} not shown.", dim=True)


def _settings(recipe: Json) -> Json:
    """The settings of a recipe that are not the usual ones: `{"steps": 60, "episodes.overlong_penalty": 3.0}`."""
    usual = _flat(msgspec.to_builtins(filled(Recipe(model="", algorithm=recipe.get("algorithm", "grpo")))))
    told = ("model", "algorithm", "start", "name", "run")
    return {key: one for key, one in _flat(recipe).items() if key not in told and one != usual.get(key, "")}


def _flat(settings: Json, prefix: str = "") -> Json:
    inner = [
        _flat(one, f"{key}.") if isinstance(one, dict) else {f"{prefix}{key}": one} for key, one in settings.items()
    ]
    return {key: one for settings in inner for key, one in settings.items()}


def _steps(subject: _Subject) -> Iterator[tuple[str, str]]:
    """What to do, and the command."""
    version, decision = subject.version, subject.entry.decision if subject.entry else None
    if decision is None:
        yield "Ask the gate whether it may replace the champion.", typed("gate", version.id)
    elif ledger.champion(subject.ws.store) == version.id:
        yield "It is the champion. Serve it.", "verigym serve"
        yield "If it disappoints, take it back.", "verigym rollback"
    elif decision.verdict == "PROMOTE":
        yield "It passed every check. Make it the champion.", typed("promote", version.id)
    elif decision.verdict == "NEED MORE DATA":
        yield decision.words, typed("gate", version.id)
    else:
        hacked = any(one.outcome == "fail" and one.words.startswith("reward hacking") for one in decision.checks)
        if hacked and subject.pair is not None:
            if overlong_penalty(version.recipe):
                words = (
                    "Its reward pays for short replies. Lower episodes.overlong_penalty or remove it, and train again."
                )
                yield words, "verigym train RECIPE"
            else:
                words = "Its reward pays for the wrong thing. Test the verifier, mend the reward and train again."
                yield words, typed("audit", "run", subject.pair.after.suite.environment)
        yield "Do not ship it. Compare it with the champion.", typed("compare", decision.champion, version.id)
    if subject.pair is not None:
        yield "See why its episodes failed.", typed("explain", subject.pair.after.run)


def _cases(subject: _Subject) -> Iterator[Case]:
    """One for each check. A check that is not settled is an error, so that no CI system takes it for passed."""
    decision = subject.entry.decision if subject.entry else None
    for check in decision.checks if decision else []:
        group = f"gate.{check.suite}" if check.suite else "gate"
        yield Case(name=check.name, group=group, outcome=check.outcome, words=check.words)
