"""Mined tasks: what mining proposes from failures in production, and the review in which a person answers one by one.

The answers are the same `Review` records as those of `verigym mine review`. Accepted tasks are added to the file by a command.
Playing a solution and proving an edit need the environment's code, so `worker.py` does both in a process of its own. That code
is a shipped environment, or a file that a run of this workspace named. The page shows its path, and the form sends it back.
"""

import functools
import os
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from msgspec import Struct

import verigym.environments
from verigym.core.errors import BadInput, NotFound, Refused, not_found, words_of
from verigym.core.records import content_hash
from verigym.core.words import counted
from verigym.environments.bridges.find import is_bridge
from verigym.environments.load import base_and_added, name_of, names
from verigym.mining import proposals as mining
from verigym.mining.proposals import MiningSummary, Proposal, ProposalSet, Review
from verigym.mining.review import ReviewSession, accept_edited, press
from verigym.registry.ledger import current_user
from verigym.view.conversation import Line, lines_of
from verigym.view.forms import Form, FormData
from verigym.view.page import Link, ListPage, Page, PageData, Query, typed, url
from verigym.view.read import Reader, decoded
from verigym.view.text import clip
from verigym.view.worker import PlayedEpisode, WorkAnswer, WorkRequest

_PAGE = 50
_TRACES = 12
"""Traces of a proposal that are listed."""
STATES = {"open": "open", "accepted": "accepted", "taken": "added", "rejected": "rejected", "missing": "not possible"}
"""States of proposals, and how a page names them."""
SOURCES = {
    "correction": "a person's correction",
    "twin": "a trace that succeeded",
    "": "a correction, or a trace that succeeded",
    "end state": "a known end state",
    "teacher": "a teacher that agrees with itself",
    "rubric": "a rubric",
    "regression": "not known. Only the bad ending is",
}
SAID = {
    "": "",
    "already": "This proposal had an answer already, so nothing was stored.",  # `_said` adds the name
    "back": "The answer is taken back. Answer again.",
    "nothing": "There is no answer to take back.",
    "edited": "Your edit was proven and the task is accepted.",
}


class MinedRow(Struct, frozen=True, kw_only=True):
    environment: str
    href: str
    review_href: str
    counts: dict[str, int]
    """By state."""


class MinedPage(PageData, frozen=True, kw_only=True):
    rows: list[MinedRow]


class ProposalRow(Struct, frozen=True, kw_only=True):
    id: str
    href: str
    kind: str
    side: str
    source: str
    bucket: str
    right: str
    request: str
    traces: int


class MissingRow(Struct, frozen=True, kw_only=True):
    reason: str
    count: int
    requests: list[Link]
    """Some of the requests, with their traces."""


class Played(Struct, frozen=True, kw_only=True):
    """An episode that was played to prove the task."""

    lines: list[Line]
    passed: bool
    reward: float | None
    evidence: str


class Answered(Struct, frozen=True, kw_only=True):
    answer: str
    who: str
    when: str
    note: str


class ProposalView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One proposal with everything that a reviewer needs."""

    id: str
    state: str
    kind: str
    """task, regression or case"""
    side: str
    """`to train on` or `held out`"""
    family: str
    bucket: str
    signals: list[str]
    request: list[Line]
    did: str
    did_lines: list[Line] = []
    """The conversation of the first trace."""
    rules: str = ""
    """The redaction rules of that trace."""
    right: str
    source: str
    by: str
    needs_person: bool = False
    traces: list[Link]
    num_traces: int
    reviews: list[Answered] = []
    editable: bool = False
    right_played: Played | None = None
    did_played: Played | None = None
    missing: str = ""
    """Why it could not be played or proven."""
    text: str = ""
    """The edit that was not proven."""


class EnvironmentPage(ListPage, frozen=True, kw_only=True):
    environment: str
    state: str
    states: list[tuple[str, str, int, bool]]
    """Words, address, number, whether it is shown."""
    rows: list[ProposalRow] = []
    missing: list[MissingRow] = []
    proposal: ProposalView | None = None
    review_href: str = ""
    summary: str = ""


class ReviewPage(PageData, frozen=True, kw_only=True):
    environment: str
    who: str
    suggested: str = ""
    proposal: ProposalView | None = None
    """None at the end."""
    place: int = 0
    waiting: int = 0
    counts: dict[str, int] = {}
    """Answers by state."""
    hidden: dict[str, str] = {}
    last: str = ""
    """The proposal that this person answered last."""
    list_href: str = ""
    add_command: str = ""
    """Adds the accepted tasks to the file."""
    here: str = ""
    said: str = ""
    code: str = ""
    """The file that Play runs. Empty if there is none that may be run here."""
    no_code: str = ""
    """Why there is none, and what to do."""


# -- reading --------------------------------------------------------------------------------------------------------


class _ProposalHead(Struct, frozen=True):
    environment: str


def proposed_environments(reader: Reader) -> set[str]:
    """Environments with proposals."""

    def read() -> set[str]:
        return {one.environment for _, one in reader.each_document("proposal", _ProposalHead)}

    return reader.kept("proposed environments", reader.state_of("proposal"), read)


def _environments(reader: Reader) -> list[str]:
    """Environments with proposals or a summary of mining."""
    return sorted(
        proposed_environments(reader) | {one.environment for one in reader.documents("mining", MiningSummary)}
    )


def known_proposals(reader: Reader, environment: str) -> ProposalSet:
    if environment not in _environments(reader):
        raise not_found("mined environment", environment, _environments(reader), "Propose tasks: verigym mine run ENV")
    files = [mining.file_of(reader.folder, environment), mining.rubric_file(reader.folder, environment)]
    files.append(mining.regression_file(reader.home, environment))
    changed = [file.stat().st_mtime_ns if file.exists() else 0 for file in files]
    state = (*(reader.state_of(kind) for kind in ("proposal", "review", "taken")), *changed)
    return reader.kept(f"proposals of {environment}", state, lambda: mining.read_proposals(reader.folder, environment))


def _where(reader: Reader, environment: str) -> str:
    """The environment as commands name it, for the commands that a page shows."""
    return _own(reader, environment) or environment


def _own(reader: Reader, environment: str) -> str:
    """The environment whose code may be run: the shipped one of this name, or the one that the newest run of this workspace
    named. Proposals hold only the short name. A run that was imported names a file of somebody else. Empty without any."""
    if environment in names():
        return environment

    def read() -> list[str]:
        sql = (
            "SELECT config FROM runs WHERE kind IN ('rollout', 'eval', 'collect') "
            "AND id NOT IN (SELECT id FROM documents WHERE kind = 'imported') ORDER BY rowid DESC"
        )
        configs = [decoded(config) for (config,) in reader.rows(sql)]
        found = [config.get("environment") for config in configs if isinstance(config, dict)]
        return list(dict.fromkeys(base_and_added(name)[0] for name in found if name and isinstance(name, str)))

    state = *reader.rows("SELECT count(*), max(rowid) FROM runs")[0], reader.state_of("imported")
    own = reader.kept("environments of own runs", state, read)
    return next((name for name in own if name_of(name) == environment), "")


def _code(reader: Reader, environment: str) -> str:
    """What a worker loads, as a whole path: a person sees which code runs. Raises `Refused` if it may not be run from here."""
    where = _own(reader, environment)
    if not where:
        raise Refused(
            f"No run that this workspace made names the file of {clip(environment, 100)}, so the view does not run it. "
            "Play and edit in a terminal, where you name the file: verigym mine review ENV"
        )
    if where in names():
        return str(Path(verigym.environments.__path__[0]).absolute() / where)
    return where if is_bridge(where) else ",".join(os.path.abspath(one.strip()) for one in where.split(","))


def mined_page(reader: Reader, query: Query) -> MinedPage:
    rows = [
        MinedRow(
            environment=name,
            href=url("/mined/", name),
            review_href=url("/mined-review/", name),
            counts=dict(Counter(known.state(id) for id in known.proposals)),
        )
        for name in _environments(reader)
        for known in [known_proposals(reader, name)]
    ]
    return MinedPage(
        title="Mined tasks",
        command="verigym mine list",
        rows=rows,
        empty="" if rows else "No task was mined yet. Mining turns failures in production traces into tasks.",
        fill=[] if rows else ["verigym ingest LOGS.jsonl", "verigym mine run ENV"],
    )


def environment_page(reader: Reader, query: Query) -> EnvironmentPage:
    name = query.path["environment"]
    known, summary = known_proposals(reader, name), mining.last_summary(reader.folder, name)
    state = query.choice("state", "open", *STATES)
    counts = Counter(known.state(id) for id in known.proposals)
    counts["missing"] = len(summary.unverifiable) if summary else 0
    wanted = query.get("proposal")
    if wanted and wanted not in known.proposals:
        raise not_found("proposal", wanted, list(known.proposals)[-5:], typed("mine", "list", name))
    if not query.get("state") and not wanted and not counts["open"]:
        state = next((one for one in STATES if counts[one]), "open")
    listed = [] if state == "missing" else known.by_state(state)  # type: ignore[arg-type] (a state of proposals)
    skip, part = query.part(len(listed), _PAGE, functools.partial(url, "/mined/", name, state=state))
    return EnvironmentPage(
        title=f"Mined task {clip(wanted, 60)}" if wanted else f"Mined tasks of {name}",
        command=typed("mine", "show", wanted) if wanted else typed("mine", "list", name),
        crumbs=[Link("Mined tasks", url("/mined")), *([Link(name, url("/mined/", name))] if wanted else [])],
        environment=name,
        state=state,
        states=[(words, url("/mined/", name, state=one), counts[one], one == state) for one, words in STATES.items()],
        rows=[] if wanted else [_row(known, one) for one in listed[skip : skip + _PAGE]],
        missing=_missing(summary) if state == "missing" and summary and not wanted else [],
        proposal=_view(reader, known, known.proposals[wanted]) if wanted else None,
        review_href=url("/mined-review/", name, proposal=wanted or None) if counts["open"] else "",
        summary=_summary(summary),
        **part,
        empty="" if wanted or counts[state] else f"No proposal of {name} is {STATES[state]}.",
        fill=[] if wanted or counts[state] else [typed("mine", "run", _where(reader, name))],
    )


def _summary(summary: MiningSummary | None) -> str:
    if summary is None:
        return ""
    counts = summary.counts
    traces = counted(counts.get("traces", 0), "trace")
    buckets = ", ".join(f"{bucket} {count}" for bucket, count in list(summary.buckets.items())[:6])
    return f"The last mining read {traces}. Failed attempts: {counts.get('failed', 0):,}" + (
        f" ({buckets})." if buckets else "."
    )


def _row(known: ProposalSet, proposal: Proposal) -> ProposalRow:
    return ProposalRow(
        id=proposal.id,
        href=url("/mined/", proposal.environment, proposal=proposal.id),
        kind=_kind(proposal),
        side=_side(known.task(proposal.id).split, proposal),
        source=SOURCES.get(proposal.by, proposal.by),
        bucket=proposal.bucket,
        right=clip(known.right(proposal.id), 120),
        request=clip(" ".join(line.text for line in _prompt(proposal)), 120),
        traces=len(proposal.trajectories),
    )


def _missing(summary: MiningSummary) -> list[MissingRow]:
    """Requests without a task, grouped by what is missing."""
    grouped: dict[str, list[Link]] = defaultdict(list)
    for one in summary.unverifiable:
        reason = one.missing.partition(":")[0] if ":" in one.missing else one.missing
        grouped[clip(reason, 240)].append(
            Link(clip(one.request, 90), url("/t/", one.trajectories[0]) if one.trajectories else "")
        )
    rows = [MissingRow(reason=reason, count=len(links), requests=links[:5]) for reason, links in grouped.items()]
    return sorted(rows, key=lambda row: -row.count)


def _kind(proposal: Proposal) -> str:
    return "case" if proposal.case is not None else "task" if proposal.is_task else "regression"


def _side(split: str, proposal: Proposal) -> str:
    if proposal.case is not None:
        return "tests the verifier"
    if not proposal.is_task:
        return "a guardrail, never trained on"
    return "to train on" if split == "train" else f"held out ({split})" if split != mining.HELD_OUT else "held out"


def _prompt(proposal: Proposal) -> list[Line]:
    prompt = proposal.task.prompt
    return [Line(role="user", kind="user", text=prompt)] if isinstance(prompt, str) else lines_of(prompt)


def _view(reader: Reader, known: ProposalSet, proposal: Proposal) -> ProposalView:
    trace = next((one for id in proposal.trajectories[:3] if (one := _trace(reader, id)) is not None), None)
    if proposal.case is not None:
        trace = proposal.case.trajectory
    answer = reader.workers.remembered(_played_name(known, proposal)) or WorkAnswer()
    edited = reader.workers.remembered(f"edit {proposal.id}") or WorkAnswer()
    return ProposalView(
        id=proposal.id,
        state=STATES[known.state(proposal.id)],
        kind=_kind(proposal),
        side=_side(known.task(proposal.id).split, proposal),
        family=known.task(proposal.id).family,
        bucket=proposal.bucket,
        signals=proposal.signals,
        request=_prompt(proposal),
        did=proposal.did,
        did_lines=lines_of(trace.items) if trace is not None else [],
        rules=trace.redacted if trace is not None else "",
        right=known.right(proposal.id),
        source=proposal.source,
        by=SOURCES.get(proposal.by, proposal.by),
        needs_person=proposal.needs_person,
        traces=[Link(id, url("/t/", id)) for id in proposal.trajectories[:_TRACES]],
        num_traces=len(proposal.trajectories),
        reviews=[
            Answered(answer=one.answer, who=one.who, when=one.when, note=one.note)
            for one in known.reviews.get(proposal.id, [])
        ],
        editable=proposal.case is None and proposal.is_task,
        right_played=_played(answer.right),
        did_played=_played(answer.did),
        missing=edited.missing or answer.missing,
        text=edited.text,
    )


def _trace(reader: Reader, id: str) -> Any:
    try:
        return reader.store.trajectory(id)[1]
    except NotFound:
        return None


def _played(played: PlayedEpisode | None) -> Played | None:
    if played is None:
        return None
    verdict = played.verdict
    return Played(lines=lines_of(played.items), passed=verdict.passed, reward=verdict.reward, evidence=verdict.evidence)


def _played_name(known: ProposalSet, proposal: Proposal) -> str:
    return f"play {proposal.id} {content_hash([known.task(proposal.id), known.right(proposal.id)])[:16]}"


# -- review ---------------------------------------------------------------------------------------------------------


def review_page(reader: Reader, query: Query) -> ReviewPage:
    name = query.path["environment"]
    known = known_proposals(reader, name)
    waiting = known.by_state("open")
    wanted = query.get("proposal")
    if wanted and wanted not in known.proposals:
        raise not_found("proposal", wanted, [one.id for one in waiting][:5], typed("mine", "list", name))
    current = known.proposals[wanted] if wanted else None if query.flag("end") else next(iter(waiting), None)
    ids = [one.id for one in waiting]
    counts = Counter(known.state(id) for id in known.proposals)
    last = _last(known, query.who) if query.who else ""
    here = url("/mined-review/", name, proposal=current.id if current else None, end=1 if query.flag("end") else None)
    code = no_code = ""
    try:
        code = _code(reader, name)
    except Refused as error:
        no_code = words_of(error)
    return ReviewPage(
        title=f"Review the tasks of {name}" if current and query.who else f"Review of {name}",
        command=typed("mine", "review", _where(reader, name)),
        environment=name,
        who=query.who,
        suggested="" if query.who else current_user(),
        proposal=_view(reader, known, current) if current and query.who else None,
        place=ids.index(current.id) + 1 if current and current.id in ids else 0,
        waiting=len(waiting),
        counts={STATES[state]: counts[state] for state in STATES if counts[state]},
        hidden={"environment": name, "proposal": current.id if current else "", "last": last, "code": code},
        last=last,
        list_href=url("/mined/", name),
        add_command=typed("mine", "review", _where(reader, name)) if counts["accepted"] else "",
        here=here,
        said=_said(known, query),
        code=code,
        no_code=no_code,
    )


def _said(known: ProposalSet, query: Query) -> str:
    said, answered = query.choice("said", *SAID), query.get("answered")
    if said == "already" and known.reviews.get(answered):
        return f"Already answered by {clip(known.reviews[answered][-1].who, 60) or 'somebody'}, so nothing was stored."
    return SAID[said]


def _last(known: ProposalSet, who: str) -> str:
    """The proposal that this person answered last, if the answer still stands and is not in the file."""
    found, when = "", ""
    for id, reviews in known.reviews.items():
        review = reviews[-1]
        if review.who == who and review.answer != "open" and known.state(id) != "taken" and review.when >= when:
            found, when = id, review.when
    return found


def _asked(reader: Reader, form: FormData, name: str = "proposal") -> tuple[ProposalSet, Proposal]:
    known = known_proposals(reader, form.get("environment"))
    id = form.get(name)
    if id not in known.proposals:
        raise NotFound(f'No proposal is named "{clip(id, 100)}". Nothing was written. Open the review again')
    return known, known.proposals[id]


def _who(form: FormData) -> str:
    if not form.query.who:
        raise BadInput("A review needs a name. Nothing was written. Open the page again and give yours")
    return form.query.who


def save(reader: Reader, form: FormData) -> str:
    """Stores one answer, or takes the last one back. The same press twice stores one review."""
    who, key = _who(form), form.get("key")
    environment = form.get("environment")
    if key == "u":
        return _undo(reader, form, who)
    if key not in ("a", "r", "s"):
        raise BadInput(f'"{clip(key, 20)}" is not an answer here. Use one of: a, r, s, u')
    known, proposal = _asked(reader, form)
    already = known.state(proposal.id) != "open"
    if not already:
        session = ReviewSession(who=who, proposals=[proposal])
        _, review = press(session, key, form.get("note", most=2000).strip())
        already = review is not None and not _put(reader, known, proposal, review)
    return _next(environment, known, proposal, "already" if already and key != "s" else "")


def _next(environment: str, known: ProposalSet, proposal: Proposal, said: str) -> str:
    """The next open proposal after this one. The end comes after the last, also if some were skipped."""
    order = list(known.proposals)
    later = [id for id in order[order.index(proposal.id) + 1 :] if known.state(id) == "open"]
    answered = proposal.id if said == "already" else None
    if later:
        return url("/mined-review/", environment, proposal=later[0], said=said, answered=answered)
    return url("/mined-review/", environment, end=1, said=said, answered=answered)


def _undo(reader: Reader, form: FormData, who: str) -> str:
    environment = form.get("environment")
    if not form.get("last"):
        return url("/mined-review/", environment, proposal=form.get("proposal"), said="nothing")
    known, proposal = _asked(reader, form, "last")
    reviews = known.reviews.get(proposal.id, [])
    if known.state(proposal.id) == "taken" or not reviews or reviews[-1].who != who:
        raise Refused(
            f"{proposal.id} cannot be taken back: it was added to the file, or somebody else answered. Nothing was written"
        )
    if reviews[-1].answer != "open":
        session = ReviewSession(who=who, proposals=[proposal], answers=[reviews[-1].answer])
        _, review = press(session, "u")
        assert review is not None
        _put(reader, known, proposal, review)
    return url("/mined-review/", environment, proposal=proposal.id, said="back")


def _put(reader: Reader, known: ProposalSet, proposal: Proposal, review: Review) -> bool:
    """Stores a review. Its id names the answer that it follows, so two presses at once are one review. Returns whether it is the
    one that was stored."""
    id = content_hash([proposal.id, len(known.reviews.get(proposal.id, []))])[:32]
    store = reader.writable.store
    store.put("review", id, review)
    return store.get("review", id, Review) == review


def play(reader: Reader, form: FormData) -> str:
    """Plays what is right and what the agent did, in a process of its own. Nothing is written."""
    known, proposal = _asked(reader, form)
    answer = reader.workers.ask(_request(reader, form, proposal, "play"))
    reader.workers.remember(_played_name(known, proposal), answer)
    return url("/mined-review/", proposal.environment, proposal=proposal.id, fragment="played")


def edit(reader: Reader, form: FormData) -> str:
    """Accepts a proposal with another right outcome, if that can be proven."""
    who, text = _who(form), form.get("text").strip()
    known, proposal = _asked(reader, form)
    if not text:
        raise BadInput("The right outcome is empty. Nothing was written. Write a call as JSON, or the right text")
    if proposal.case is not None or not proposal.is_task:
        raise Refused("Only a task can be edited, not a case or a regression. Nothing was written")
    if known.state(proposal.id) != "open":
        return _next(proposal.environment, known, proposal, "already")
    answer = reader.workers.ask(_request(reader, form, proposal, "edit", text))
    if answer.task is None:
        reader.workers.remember(f"edit {proposal.id}", WorkAnswer(missing=f"Not accepted. {answer.missing}", text=text))
        return url("/mined-review/", proposal.environment, proposal=proposal.id, fragment="edit")
    reader.workers.remember(f"edit {proposal.id}", None)
    _, review = accept_edited(ReviewSession(who=who, proposals=[proposal]), answer.task, text)
    now = mining.read_proposals(reader.writable, proposal.environment)  # the proof took seconds
    stored = now.state(proposal.id) == "open" and _put(reader, now, proposal, review)
    return _next(proposal.environment, now, proposal, "edited" if stored else "already")


def _request(reader: Reader, form: FormData, proposal: Proposal, action: Any, text: str = "") -> WorkRequest:
    """Work on the code that the person saw on the page."""
    code = _code(reader, proposal.environment)
    if form.get("code") != code:
        raise Refused(
            f"The page did not show {clip(code, 400)}, which would be run now. Nothing was run or written. "
            "Open the review again and look at the path beside the button"
        )
    own = _own(reader, proposal.environment)
    where = own if own in names() else code
    return WorkRequest(
        home=str(reader.home.absolute()), environment=where, proposal=proposal.id, action=action, text=text
    )


PAGES = [
    Page("/mined", mined_page, "mined.html", "mined"),
    Page("/mined/{environment:path}", environment_page, "mined_environment.html", "mined"),
    Page("/mined-review/{environment:path}", review_page, "mined_review.html", "mined"),
]
FORMS = [
    Form("/mined-review/save", save),
    Form("/mined-review/play", play),
    Form("/mined-review/edit", edit),
]
