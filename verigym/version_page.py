"""A version as one HTML page: what it is, the decision about it, success before and after, training, failures, next steps.

The page holds everything that it shows. It loads nothing, has no scripts, and follows the reader's light or dark mode. Every text
of a model, a task or a person is escaped.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from verigym.core.errors import NotFound, Refused
from verigym.core.records import Json, Message, Report, Task, Trajectory, Version
from verigym.core.words import counted, percent, points, with_interval
from verigym.draw.bars import bars
from verigym.draw.lines import lines
from verigym.draw.svg import escape
from verigym.evaluation.compare import Comparison, Flip, compare
from verigym.present import Table, block_html
from verigym.registry import ledger
from verigym.registry.versions import harness_text, kind_of
from verigym.tasks.files import write_beside, write_whole
from verigym.training.recipe import Recipe, overlong_penalty
from verigym.workspace.shared_reports import shared_reports
from verigym.workspace.workspace import WorkspaceFolder

_OUTCOMES = {"fail": "failed", "unclear": "unclear", "pass": "passed", "skipped": "not asked"}
"""Outcome to its word, in the order in which checks are listed."""
_CURVES = {"reward": "reward", "held_out_success": "held-out success"}
_DECIDED = ("gate", "override")  # kinds of decisions about a candidate
_WIDTH = 480  # of a picture; on a phone its text can still be read
_LONGEST = 1500  # characters of a text that are shown
_STYLE = Path(__file__).with_suffix(".css")


class _Subject(NamedTuple):
    ws: WorkspaceFolder
    version: Version
    entry: ledger.LedgerEntry | None
    """The newest decision about it."""
    rival: Version | None
    """The version that it is compared with: the champion of the decision, or else its parent."""
    sides: tuple[Report, Report] | None
    """Before and after, on the same tasks."""
    comparison: Comparison | None


def write_page(ws: WorkspaceFolder, version: Version | None = None, file: Path | None = None) -> Path:
    """Writes the page of a version and returns its path. Overwrites nothing. The default version is the candidate of the newest
    decision. The default file is reports/NAME.html in the workspace, with a number if another page has that name."""
    version = version or _newest_candidate(ws)
    if file is not None and file.exists():
        raise Refused(f"{file} exists. Nothing was written. Name another file")
    body = page(ws, version).encode()
    if file is None:
        name = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in version.label)
        return write_beside(ws.home / "reports" / f"{name[:80]}.html", body)
    write_whole(file, lambda out: out.write(body))
    return file


def _newest_candidate(ws: WorkspaceFolder) -> Version:
    for entry in reversed(ledger.entries(ws.store)):
        if entry.decision.kind in _DECIDED:
            return ws.find(entry.decision.candidate)
    raise NotFound("The gate has decided about no version yet. Name a version: verigym report VERSION")


def page(ws: WorkspaceFolder, version: Version) -> str:
    subject = _subject(ws, version)
    verdict = subject.entry.decision.verdict if subject.entry else "NOT DECIDED"
    colour = {"PROMOTE": "pass", "REJECT": "fail"}.get(verdict, "unclear")
    sections = {
        "What it is": _what(subject),
        "The decision": _decision(subject),
        "Success before and after": _success(subject),
        "Training": _training(subject),
        "Failures before and after": _failures(subject),
        "Tasks that changed": _tasks(subject),
        "What to do next": (f"{_p(words)}<pre>{escape(command)}</pre>" for words, command in _steps(subject)),
    }
    told = {title: "".join(parts) for title, parts in sections.items()}
    body = "".join(f"<h2>{title}</h2>{text}" for title, text in told.items() if text)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(version.label)}: {verdict}</title><style>{_STYLE.read_text()}</style></head><body>"
        f'<h1>{escape(version.label)}</h1><div class="verdict {colour}">{verdict}</div>{body}</body></html>\n'
    )


def _subject(ws: WorkspaceFolder, version: Version) -> _Subject:
    entries = [one for one in ledger.entries(ws.store) if one.decision.candidate == version.id]
    entry = next((one for one in reversed(entries) if one.decision.kind in _DECIDED), None)
    other = (entry.decision.champion if entry else "") or version.parent
    rival = ws.store.get("version", other, Version) if other else None
    found = [ws.store.get("report", id, Report) for id in (entry.decision.reports[::-1] if entry else [])]
    sides = (found[0], found[1]) if len(found) == 2 and found[0] and found[1] else None
    if sides is None and rival is not None:
        with contextlib.suppress(Refused):  # they were not measured on the same tasks
            after, before = shared_reports(ws, version, rival)
            sides = before, after
    return _Subject(ws, version, entry, rival, sides, compare(*sides) if sides else None)


def _what(subject: _Subject) -> Iterator[str]:
    version, recipe = subject.version, subject.version.recipe
    parent = subject.ws.store.get("version", version.parent, Version) if version.parent else None
    rows = {"version": version.id, "base model": version.base, "kind": kind_of(version), "made": version.made}
    if parent is not None:
        rows["made from"] = f"{parent.label} ({parent.id})"
    if "optimize" in recipe:
        search = recipe["optimize"]
        rows["optimised by"] = f"{search.get('change', '?')}, run {search.get('run', '?')}"
    recipe = {name: value for name, value in recipe.items() if name != "optimize"}
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
    yield block_html(Table(("", ""), [row for row in rows.items() if row[1]]))


def _settings(recipe: Json) -> Json:
    """The settings of a recipe that are not the usual ones: `{"steps": 60, "episodes.overlong_penalty": 3.0}`."""
    usual = _flat(msgspec.to_builtins(Recipe(model="", algorithm="grpo")))
    told = ("model", "algorithm", "start", "name", "run")
    return {key: one for key, one in _flat(recipe).items() if key not in told and one != usual.get(key, "")}


def _flat(settings: Json, prefix: str = "") -> Json:
    inner = [
        _flat(one, f"{key}.") if isinstance(one, dict) else {f"{prefix}{key}": one} for key, one in settings.items()
    ]
    return {key: one for settings in inner for key, one in settings.items()}


def _decision(subject: _Subject) -> Iterator[str]:
    if subject.entry is None:
        yield _p("The gate was not asked about it.")
        return
    entry, decision = subject.entry, subject.entry.decision
    against = subject.rival.label if subject.rival else "no champion"
    policy = f", policy {decision.policy['name']}" if decision.policy.get("name") else ""
    yield _p(f"Against {against}{policy}. Ledger entry {entry.seq}, {entry.when}, by {entry.who}.", "dim")
    if decision.kind == "override":
        yield _p(f"A person promoted it without the gate's consent: {entry.why}")
    rows = [
        f'<tr><td class="{one.outcome}">{_OUTCOMES[one.outcome]}</td>'
        f"<td><b>{escape(one.name)}</b><br>{escape(one.words)}</td></tr>"
        for one in sorted(decision.checks, key=lambda check: list(_OUTCOMES).index(check.outcome))
    ]
    yield f"<table>{''.join(rows)}</table>" if rows else _p(decision.words)


def _success(subject: _Subject) -> Iterator[str]:
    found, rival = subject.comparison, subject.rival
    if found is None or rival is None:
        return
    sides = {f"before: {rival.label}": found.champion_success}
    sides |= {f"after: {subject.version.label}": found.candidate_success}
    rows = {name: (one.value, one.low, one.high) for name, one in sides.items()}
    yield bars(rows, most=1.0, label=lambda share: percent(share, 0), width=_WIDTH)
    told = ", ".join(f"{name} {with_interval(*row)}" for name, row in rows.items())
    yield _p(f"Success, {told}. The lines and the brackets are 95% intervals.")
    yield _p(
        f"The difference is {points(found.success.value)} points on {counted(found.tasks, 'held-out task')} of "
        f"{counted(found.families, 'family')} ({found.suite}). Tasks gained: {len(found.gained)}, lost: {len(found.lost)}."
    )


def _training(subject: _Subject) -> Iterator[str]:
    run = subject.version.recipe.get("run", "")
    history = subject.ws.store.metrics(run) if run else {}
    curves = {name: {float(step): one[name] for step, one in history.items() if name in one} for name in _CURVES}
    drawn = {_CURVES[name]: curve for name, curve in curves.items() if curve}
    if drawn:
        yield lines(drawn, x="training step", width=_WIDTH)
        yield _p("Training pays for reward. If reward rises while held-out success falls, mend the reward.")


def _failures(subject: _Subject) -> Iterator[str]:
    found = subject.comparison
    if found is not None and found.buckets:
        rows = [(name, *counts) for name, counts in found.buckets.items()]
        yield block_html(Table(("failure", "before", "after"), rows))


def _tasks(subject: _Subject) -> Iterator[str]:
    """Three tasks whose outcome changed, one of the rarer kind among them."""
    found, sides, store = subject.comparison, subject.sides, subject.ws.store
    if found is None or sides is None:
        return
    gained, lost = [("gained", flip) for flip in found.gained], [("lost", flip) for flip in found.lost]
    few, most = sorted((gained, lost), key=len)
    tasks = {task.id: task for task in store.tasks(sides[1].run)}
    for title, flip in [*most[:2], *few[:1], *most[2:]][:3]:
        try:
            before, after = (store.trajectory(id)[1] for id in (flip.champion, flip.candidate))
        except NotFound:  # the run was removed
            continue
        yield _task(title, flip, tasks.get(flip.task), before, after)


def _task(title: str, flip: Flip, task: Task | None, before: Trajectory, after: Trajectory) -> str:
    asked = [item.text for item in before.items if isinstance(item, Message) and item.role == "user"]
    data = task.data if task is not None else {}
    wanted = f"Expected: {data['expected_tool']} {_json(data.get('expected_args'))}" if "expected_tool" in data else ""
    sides = "".join(
        f"<div>{_p(name, 'dim')}<pre>{escape(one.reply[:_LONGEST] or '(empty)')}</pre></div>"
        for name, one in (("before", before), ("after", after))
    )
    return (
        f'<div class="task"><b class="{"pass" if title == "gained" else "fail"}">{title}</b> '
        f'<span class="dim">{escape(flip.task)}</span>{_p(asked[-1][:_LONGEST] if asked else "")}'
        f'{_p(wanted, "dim")}<div class="sides">{sides}</div></div>'
    )


def _steps(subject: _Subject) -> Iterator[tuple[str, str]]:
    """What to do, and the command."""
    version, decision = subject.version, subject.entry.decision if subject.entry else None
    if decision is None:
        yield "Ask the gate whether it may replace the champion.", f"verigym gate {version.id}"
    elif ledger.champion(subject.ws.store) == version.id:
        yield "It is the champion. Serve it.", "verigym serve"
        yield "If it disappoints, take it back.", "verigym rollback"
    elif decision.verdict == "PROMOTE":
        yield "It passed every check. Make it the champion.", f"verigym promote {version.id}"
    elif decision.verdict == "NEED MORE DATA":
        yield decision.words, f"verigym gate {version.id}"
    else:
        hacked = any(one.outcome == "fail" and one.words.startswith("reward hacking") for one in decision.checks)
        if hacked and subject.sides is not None:
            if overlong_penalty(version.recipe):
                words = (
                    "Its reward pays for short replies. Lower episodes.overlong_penalty or remove it, and train again."
                )
                yield words, "verigym train RECIPE"
            else:
                words = "Its reward pays for the wrong thing. Test the verifier, mend the reward and train again."
                yield words, f"verigym audit run {subject.sides[1].suite.environment}"
        yield "Do not ship it. Compare it with the champion.", f"verigym compare {decision.champion} {version.id}"
    if subject.sides is not None:
        yield "See why its episodes failed.", f"verigym explain {subject.sides[1].run}"


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _p(text: str, kind: str = "") -> str:
    return f"<p{f' class={kind!r}' if kind else ''}>{escape(text)}</p>" if text else ""
