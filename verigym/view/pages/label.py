"""Label: a person judges outputs by keys, in pairs or one at a time, and does not see what the verifier thinks.

The page holds no verdict, reward, agent, order, index or id. Its address has a place in the session instead. The outputs, their
sides and the stored labels are those of `verigym label`. A press is stored before the next output is shown, and once only.
"""

import functools
import itertools
import re
import statistics
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from verigym.audit import labels
from verigym.audit.labels import TAKEN_BACK, LabelPair, LabelSession
from verigym.core import codec
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import Label, Toolset, content_hash
from verigym.core.words import counted
from verigym.registry.ledger import current_user
from verigym.rollout.replies import cut
from verigym.store.database import Run
from verigym.view.conversation import Line, compared, lines_of
from verigym.view.forms import Form, FormData, Next
from verigym.view.page import ListPage, Page, PageData, Query, typed, url
from verigym.view.read import Reader, config_of, decoded
from verigym.view.text import clip
from verigym.workspace.audit import KINDS, outputs_of

_PAGE = 50
_SESSIONS = 8
"""Sessions whose selection of outputs is remembered."""
_BREAK_S = 300.0
"""A longer time between two answers is a break."""
_PLACES = re.compile(r"/(?:label|mined-review)/[A-Za-z0-9%._~/-]*(?:\?[A-Za-z0-9%._~=&+-]*)?")
"""Addresses to which the form with the name leads back."""
WORDS = {
    "better": "left is better",
    "worse": "right is better",
    "same": "the same",
    "good": "good",
    "bad": "bad",
    "skip": "skipped",
}


class Session(NamedTuple):
    """What is asked: outputs of a run, chosen and placed by a seed."""

    run: str
    environment: str
    kind: str
    n: int
    seed: int
    asked: list[LabelPair]

    @property
    def keys(self) -> dict[str, labels.Judgement]:
        return labels.KEYS if self.kind == "pair" else labels.SINGLE_KEYS

    @property
    def fields(self) -> dict[str, str]:
        return {"run": self.run, "kind": self.kind, "n": str(self.n), "seed": str(self.seed)}

    def address(self, at: int | None = None, **more: object) -> str:
        given = {"kind": self.kind, "n": self.n, "seed": self.seed, "at": at, **more}
        return url("/label/", self.run, **given)


class LabelRun(Struct, frozen=True, kw_only=True):
    id: str
    kind: str
    environment: str
    episodes: int
    created: float
    labels: int
    yours: int
    pairs_href: str
    """Empty if every task has one attempt, so that there are no pairs."""
    single_href: str


class LabelRunsPage(ListPage, frozen=True, kw_only=True):
    rows: list[LabelRun]


class LabelPage(PageData, frozen=True, kw_only=True):
    """One pair or one output. Nothing here says what a verifier or another person thinks of it."""

    kind: str
    who: str
    """Empty if the name is not known yet. The page then asks for it."""
    suggested: str = ""
    """A name to suggest."""
    done: bool = False
    at: int = 0
    """Place in the session, from 0."""
    total: int = 0
    answered: int = 0
    prompt: list[Line] = []
    outputs: list[list[Line]] = []
    tools: list[str] = []
    """Name and description of each tool that was offered."""
    pace_s: float = 0.0
    """Typical seconds per answer. 0 if too few answers are known."""
    left_s: float = 0.0
    last: str = ""
    """The person's own last answer in this session."""
    counts: list[str] = []
    """The person's answers: `good 12`."""
    hidden: dict[str, str] = {}
    """Fields of every form on the page."""
    marks: bool = False
    marks_href: str = ""
    audit_href: str = ""
    next_command: str = ""
    here: str = ""
    said: str = ""


SAID = {
    "": "",
    "already": "This place had your answer already, so nothing was stored. Press u to take your last answer back.",
    "back": "Your answer is taken back. Answer again.",
    "reason": "Your reason is stored with your last answer.",
    "nothing": "There is no answer to change.",
}


def runs_page(reader: Reader, query: Query) -> LabelRunsPage:
    kinds = ", ".join("?" for _ in KINDS)
    where = f"parent = '' AND kind IN ({kinds})"
    total = reader.one(f"SELECT count(*) FROM runs WHERE {where}", *KINDS) or 0
    skip, part = query.part(total, _PAGE, functools.partial(url, "/label"))
    given = [label for _, label in _labels(reader) if label.note != TAKEN_BACK]

    def has_several(run: str) -> bool:
        return reader.one("SELECT 1 FROM trajectories WHERE run = ? AND place > 0 LIMIT 1", run) is not None

    rows: list[LabelRun] = []
    for run in reader.newest_runs(where, _PAGE, skip, *KINDS):
        own = [label for label in given if label.trajectory.startswith(f"{run.id}/")]
        rows.append(LabelRun(
            id=run.id,
            kind=run.kind,
            environment=str(config_of(run).get("environment", "")),
            episodes=run.trajectories,
            created=run.created,
            labels=len(own),
            yours=sum(label.who == query.who for label in own) if query.who else 0,
            pairs_href=url("/label/", run.id) if has_several(run.id) else "",
            single_href=url("/label/", run.id, kind="single"),
        ))  # fmt: skip
    return LabelRunsPage(
        title="Label outputs",
        command="verigym label RUN",
        rows=rows,
        **part,
        empty="" if rows else "No run has outputs to judge yet. Run some episodes first.",
        fill=[] if rows else ["verigym rollout notes -m smollm2-135m -k 4", "verigym eval notes -m smollm2-135m"],
    )


def label_page(reader: Reader, query: Query) -> LabelPage:
    try:
        session = _session(reader, query.path["run"], query.given)
    except NothingToAsk as error:
        return _nothing(query, str(error))
    title = "Which output is better?" if session.kind == "pair" else "Is this output good?"
    flag = ["--single"] if session.kind == "single" else []
    command = ["label", session.run, *flag, "-n", str(session.n), "--seed", str(session.seed)]
    marks = query.flag("marks")
    if not query.who:
        return LabelPage(
            title=title, command=typed(*command), kind=session.kind, who="", suggested=current_user(),
            here=session.address(query.number("at", 0) if query.get("at") else None),
        )  # fmt: skip
    own = _own(reader, session, query.who)
    open_places = [place for place, pair in enumerate(session.asked) if not own.is_answered(pair)]
    at = query.number("at", open_places[0] if open_places else len(session.asked))
    done = at >= len(session.asked)
    if done and open_places:
        at, done = open_places[0], False
    prompt, outputs, tools = ([], [], []) if done else _shown(reader, session, session.asked[at])
    if marks and len(outputs) == 2:
        outputs = list(compared(*outputs))
    last = own.last_place(session)
    said = SAID[query.choice("said", *SAID)]
    if last >= 0 and not done and not query.get("at") and not said:  # as after the back button
        said = "Your last answer was stored. u takes it back."
    return LabelPage(
        title="Done for now" if done else title,
        command=typed(*command, "--who", query.who),
        kind=session.kind,
        who=query.who,
        done=done,
        at=at,
        total=len(session.asked),
        answered=len(session.asked) - len(open_places),
        prompt=prompt,
        outputs=outputs,
        tools=tools,
        pace_s=own.pace_s,
        left_s=own.pace_s * len(open_places),
        last=WORDS[own.newest[_key(session.asked[last])].judgement] if last >= 0 else "",
        counts=_counts(session, own),
        hidden=session.fields | {"at": str(at), "last": str(last), "marks": "1" if marks else ""},
        marks=marks,
        marks_href="" if session.kind == "single" else session.address(at, marks=None if marks else 1),
        audit_href=url("/audit/", session.environment) if session.environment else url("/audit"),
        next_command=_next_command(session),
        here=session.address(at, marks=1 if marks else None),
        said=said,
    )


class NothingToAsk(Refused):
    """A run without outputs of the wanted kind."""


def _nothing(query: Query, words: str) -> LabelPage:
    """The page of a run that has nothing to judge in this way, with the other way."""
    run, kind = query.path["run"], query.choice("kind", "pair", "single")
    other = "single" if kind == "pair" else "pair"
    return LabelPage(
        title="Nothing to judge",
        command=typed("label", run, *(["--single"] if kind == "single" else [])),
        kind=kind,
        who=query.who,
        audit_href=url("/label/", run, kind=other) if kind == "pair" else url("/label"),
        empty=words,
        fill=[typed("label", run, "--single")] if kind == "pair" else [],
    )


def _session(reader: Reader, run: str, given: Mapping[str, str]) -> Session:
    query = Query({}, given)
    kind = query.choice("kind", "pair", "single")
    n, seed = query.number("n", 50, least=1, most=10_000), query.number("seed", 0)
    rows = reader.rows("SELECT id, verifier, finished, config FROM runs WHERE id = ?", run)
    if not rows or not reader.one("SELECT 1 FROM trajectories WHERE run = ? LIMIT 1", run):
        stored = reader.store.run(run, kinds=KINDS)  # says what is wrong, or finds a prefix
        if stored.id == run:
            raise Refused(f"Run {run} has no outputs yet. Repeat the command that started it to resume")
        raise NotFound(f'No run is named "{run}". Did you mean {stored.id}?')
    id, verifier, finished, config = rows[0]
    size = reader.one("SELECT count(*) FROM trajectories WHERE run = ?", id) if finished is None else -1
    settings = decoded(config)
    environment = str(settings.get("environment", "") if isinstance(settings, dict) else "")
    state = (id, verifier, finished, size, kind, n, seed)
    slot = int(content_hash([id, kind, n, seed])[:8], 16) % _SESSIONS
    asked = reader.kept(f"label session {slot}", state, lambda: _asked(reader, id, kind, n, seed))
    return Session(id, environment, kind, n, seed, asked)


def _asked(reader: Reader, id: str, kind: str, n: int, seed: int) -> list[LabelPair]:
    """The outputs that `verigym label` asks about."""
    run: Run = reader.store.run(id, kinds=KINDS)
    if kind == "single":
        try:
            outputs = outputs_of(reader.folder, run, n, seed)
        except Refused as error:
            raise NothingToAsk(str(error)) from error
        episodes = outputs.trajectories
        asked = [LabelPair(episodes[one].task, one) for one in outputs.ids if cut(episodes[one]) is not None]
        if not asked:
            raise NothingToAsk(f"Run {id} has no episode in which the model replied. Find out why: verigym explain")
        return asked
    tasks = [task for (task,) in reader.rows("SELECT DISTINCT task FROM trajectories WHERE run = ?", id)]
    pairs = labels.make_pairs_of_tasks(tasks, lambda task: reader.store.each_trajectory(id, task), n, seed)
    if not pairs:
        raise NothingToAsk(
            f"Run {id} has no task with two different outputs, so there is no pair to compare. Judge single outputs instead, or "
            "run several episodes per task (verigym rollout -k 4)."
        )
    return pairs


def _shown(reader: Reader, session: Session, pair: LabelPair) -> tuple[list[Line], list[list[Line]], list[str]]:
    """The prompt, the outputs from left to right, and the tools."""
    outputs: list[list[Line]] = []
    prompt: list[Line] = []
    tools: set[str] = set()
    for id in filter(None, (pair.left, pair.right)):
        episode = reader.store.trajectory_in(session.run, id)
        parts = cut(episode) if episode is not None else None
        if episode is None or parts is None:
            raise Refused("An output of this session is no longer stored. Begin a new session with another seed")
        prompt = prompt or lines_of(parts.prompt)
        outputs.append(lines_of(episode.items[len(parts.prompt) :]))
        tools.add(episode.tools)
    offered = reader.store.get("tools", tools.pop(), Toolset) if len(tools) == 1 and tools != {""} else None
    named = [f"{tool.name}: {tool.description}" for tool in offered.tools] if offered is not None else []
    return prompt, outputs, named


# -- answers --------------------------------------------------------------------------------------------------------


class Own(NamedTuple):
    """The labels of one person on the outputs of a session."""

    newest: dict[frozenset[str], Label]
    order: list[frozenset[str]]
    """Outputs in the order of their newest label."""
    number: Counter[frozenset[str]]
    """Labels of each pair, taken back or not."""
    pace_s: float

    def is_answered(self, pair: LabelPair) -> bool:
        label = self.newest.get(_key(pair))
        return label is not None and label.note != TAKEN_BACK

    def last_place(self, session: Session) -> int:
        """Place of the last answer that stands. -1 without any."""
        places = {_key(pair): place for place, pair in enumerate(session.asked)}
        standing = [key for key in self.order if self.newest[key].note != TAKEN_BACK]
        return places[standing[-1]] if standing else -1


def _labels(reader: Reader) -> list[tuple[float, Label]]:
    """All labels with the time at which they were stored, oldest first."""

    def read() -> list[tuple[float, Label]]:
        return [(one.created, codec.decode(one.body, Label)) for one in reader.store.bodies("label")]

    return reader.kept("labels", reader.state_of("label"), read)


def _own(reader: Reader, session: Session, who: str) -> Own:
    asked = {_key(pair) for pair in session.asked}
    newest: dict[frozenset[str], Label] = {}
    number: Counter[frozenset[str]] = Counter()
    times: list[float] = []
    for created, label in _labels(reader):
        key = frozenset((label.trajectory, label.other))
        if label.who != who or key not in asked:
            continue
        newest.pop(key, None)
        newest[key] = label
        number[key] += 1
        if label.note != TAKEN_BACK:
            times.append(created)
    gaps = [after - before for before, after in itertools.pairwise(times[-21:]) if 0 < after - before < _BREAK_S]
    return Own(newest, list(newest), number, statistics.median(gaps) if len(gaps) >= 3 else 0.0)


def _key(pair: LabelPair) -> frozenset[str]:
    return frozenset((pair.left, pair.right))


def _counts(session: Session, own: Own) -> list[str]:
    given = Counter(own.newest[_key(pair)].judgement for pair in session.asked if own.is_answered(pair))
    return [f"{WORDS[judgement]} {given[judgement]}" for judgement in session.keys.values() if given[judgement]]


def _next_command(session: Session) -> str:
    if session.kind == "single":
        return typed("audit", "run", session.environment or "ENV", session.run)
    return typed("data", "pairs", session.run, "--labels")


def save(reader: Reader, form: FormData) -> str:
    """Stores one answer, takes one back, or adds a reason to one. The same press twice stores one label."""
    session = _session(reader, form.get("run"), form.fields)
    who = form.query.who
    if not who:
        raise BadInput("Labels need a name. Nothing was stored. Open the page again and give yours")
    key = form.get("key")
    at, last = _place(form, "at", session, len(session.asked)), _place(form, "last", session, -1)
    own, marks = _own(reader, session, who), 1 if form.get("marks") else None
    if key in ("u", "n"):
        given = own.newest.get(_key(session.asked[last])) if last >= 0 else None
        if given is None:
            return session.address(at, marks=marks, said="nothing")
        if given.note == TAKEN_BACK:  # a second press
            return session.address(last, marks=marks, said="back")
        after = LabelSession(who=who, pairs=[session.asked[last]], keys=session.keys, answers=[given.judgement])
        label = labels.explain(after, form.get("reason")) if key == "n" else labels.press(after, "u")[1]
        if label is None:
            raise BadInput("The reason is empty. Nothing was stored. Write one, or go on with the next output")
        if label.note != given.note:
            _put(reader, session.asked[last], label, own)
        return session.address(at if key == "n" else last, marks=marks, said="reason" if key == "n" else "back")
    if key not in session.keys:
        raise BadInput(f'"{key[:20]}" is not an answer here. Use one of: {", ".join(session.keys)}')
    if not 0 <= at < len(session.asked):
        raise Refused(
            f"This session has {counted(len(session.asked), 'place')}, and {at + 1} is not one of them. Nothing was stored. "
            f"Open the page again: {session.address()}"
        )
    pair = session.asked[at]
    already = own.is_answered(pair)
    if not already:
        _, label = labels.press(LabelSession(who=who, pairs=[pair], keys=session.keys), key)
        assert label is not None
        _put(reader, pair, label, own)
    rest = [*range(at + 1, len(session.asked)), *range(at)]
    following = next((place for place in rest if not own.is_answered(session.asked[place])), len(session.asked))
    return session.address(following, marks=marks, said="already" if already else None)


def _place(form: FormData, name: str, session: Session, missing: int) -> int:
    text = form.get(name) or str(missing)
    try:
        place = int(text)
    except ValueError:
        raise BadInput(f'"{name}" must be a whole number, and is "{clip(text, 40)}". Nothing was stored') from None
    if name == "last" and not -1 <= place < len(session.asked):
        return -1
    return place


def _put(reader: Reader, pair: LabelPair, label: Label, own: Own) -> None:
    """Stores a label. Its id names the answer that it follows, so two presses at once are one label."""
    id = content_hash([pair.left, pair.right, label.who, own.number[_key(pair)]])[:32]
    reader.writable.store.put("label", id, label)


def name(reader: Reader, form: FormData) -> Next:
    """Keeps the name of the person in a cookie."""
    who = " ".join(form.get("who", most=200).split())
    if not who:
        raise BadInput("The name is empty. Go back and write one, so that others know whose answers these are")
    address = form.get("next")
    return Next(address if _PLACES.fullmatch(address) else url("/label"), who)


PAGES = [
    Page("/label", runs_page, "label_runs.html", "label"),
    Page("/label/{run:path}", label_page, "label.html", "label"),
]
FORMS = [Form("/label/save", save), Form("/label/name", name)]
