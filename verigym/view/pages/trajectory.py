"""One episode: the conversation on the left, the verdict and everything that explains it on the right.

Parts are in files of their own: the conversation, the tokens, the end state, the way. `?tokens=logprob` shows the sampled
tokens in place of the replies, `?hide=reasoning,system` leaves kinds of items out, `?from=200` is the second page.
"""

from typing import Any

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.items import FunctionCall, FunctionCallOutput, Item, Message, Reasoning
from verigym.core.records import Feedback, Label, Stop, Task, Toolset, Trajectory, Turn, Verdict
from verigym.core.words import dollars, duration
from verigym.evaluation.failures import BUCKETS, reason_of, unscored
from verigym.store.database import Run
from verigym.store.packing import unpack
from verigym.view.advantage import GroupAdvantages, group_advantages
from verigym.view.end_state import Node, StateChanges, compare, tree
from verigym.view.episode_items import KINDS, Conversation, EpisodeRecord, ShownMark, conversation, decode_item, find
from verigym.view.episodes import WORDS, Cell, href, outcome_of, siblings, task_of
from verigym.view.page import Link, Page, PageData, Query, typed, url
from verigym.view.read import Reader, config_of
from verigym.view.text import clip
from verigym.view.tokenizer import vocabulary
from verigym.view.tokens import PROBABILITIES, TokenTurn, token_turn
from verigym.view.traces import TraceHead
from verigym.view.way import Way, feedback_on, way_of

_LARGE = 4_000_000
"""An episode with more bytes is not explained and not compared while a page waits."""
_SIBLINGS = 60


class PartBar(Struct, frozen=True):
    name: str
    value: float
    share: float
    """How full its bar is, from 0 to 1."""


class ShownVerdict(Struct, frozen=True, kw_only=True, omit_defaults=True):
    verifier: str
    kind: str
    words: str
    reward: float | None = None
    parts: list[PartBar] = []
    evidence: str = ""
    error: str = ""
    counts: bool = False
    change: str = ""
    """How the verdict that counts differs from it."""


class Sibling(Struct, frozen=True, kw_only=True):
    attempt: int
    href: str
    kind: str
    words: str
    reward: float | None
    advantage: float | None
    here: bool


class Difference(Struct, frozen=True, kw_only=True):
    """Where this attempt and one that passed part."""

    index: int
    other: str
    other_href: str
    mine: str
    theirs: str
    mine_href: str


class Fact(Struct, frozen=True):
    name: str
    words: str
    href: str = ""


class Reason(Struct, frozen=True):
    bucket: str
    meaning: str
    evidence: str
    by: str
    href: str
    """Other episodes of this run in the same bucket."""


class Switch(Struct, frozen=True):
    kind: str
    count: int
    shown: bool
    href: str


class EndState(Struct, frozen=True, kw_only=True):
    changes: list[StateChanges]
    nodes: list[Node]
    cut: bool
    size: int
    raw: str
    """The address of the whole end state as text."""


class TokenView(Struct, frozen=True, kw_only=True):
    by: str
    turns: dict[int, TokenTurn]
    words: str
    """What the colours mean."""
    advantage: float | None = None
    legend: list[str] = []


class TrajectoryPage(PageData, frozen=True, kw_only=True):
    id: str
    run: str
    task: str
    task_href: str
    kind: str
    words: str
    reward: float | None
    conversation: Conversation
    before: str
    after: str
    switches: list[Switch]
    marks: list[ShownMark]
    """Marks that refer to no item."""
    has_marks: bool
    """Whether an item on this page has a mark."""
    verdict: ShownVerdict | None
    history: list[ShownVerdict]
    reason: Reason | None
    siblings: list[Sibling]
    siblings_left_out: int
    previous: str
    following: str
    advantage_words: str
    difference: Difference | None
    facts: list[Fact]
    problems: list[str]
    """The error, and what could not be observed."""
    tools: list[Any]
    labels: list[Label] | None
    """None until they are asked for, so that a later blind label stays blind."""
    labels_href: str
    label_href: str
    feedback: list[Feedback]
    corrections: list[list[str]]
    """What each feedback says that the agent should have done, in words."""
    is_trace: bool
    end_state: EndState | None
    tokens: TokenView | None
    token_links: list[Link]
    """Empty if no reply has stored ids."""
    way: Way
    trace: Link | None
    """The production trace that the task was mined from, or one with the same request."""
    others: list[Link]
    """The same episode in other runs."""
    rules: str = ""
    """The redaction rules of a trace."""
    back: str = ""
    """The address to which the form for feedback returns."""
    who: str = ""
    said: str = ""


def trajectory_page(reader: Reader, query: Query) -> TrajectoryPage:
    run_id, record, others = find(reader, query.path["id"], query.get("run"))
    run = reader.store.run(run_id)
    config = config_of(run)
    environment = str(config.get("environment", "") or "")
    task = task_of(reader, run.id, record.task)
    verdicts = reader.store.verdicts_on(run.id, record.id)
    counting = next((one for one in verdicts if one.verifier == run.verifier), None)
    is_trace = run.kind == "traces"
    group = [] if is_trace else siblings(reader, run, record.task)
    worth = group_advantages(reader, run, group) if len(group) > 1 else None
    nearest = _nearest_passing(group, record)
    passing = _load(reader, run.id, nearest.id) if nearest else None
    hide = [one for one in query.get("hide").split(",") if one in KINDS]
    shown = conversation(reader, run.id, record, query.number("from", 0), hide)
    verdict = _verdict(record, counting, counting) if counting else None
    labels = [one for one in reader.documents("label", Label) if record.id in (one.trajectory, one.other)]
    feedback = feedback_on(reader, record.id)
    kind, words = _outcome(record, counting, is_trace, feedback)
    way = way_of(reader, record.id, task, record.task, environment)

    def here(**changes: object) -> str:
        return url("/t/", record.id, **query.with_(**changes))

    return TrajectoryPage(
        title=f"{record.task}, attempt {record.index + 1}" if not is_trace else record.id,
        command=typed("trajectories", "show", record.id),
        section="traces" if is_trace else "",
        crumbs=[Link("Traces", "/traces") if is_trace else Link("Runs", "/runs"), Link(run.id, url("/runs/", run.id))],
        id=record.id,
        run=run.id,
        task=record.task,
        task_href=url("/task/", record.task, env=environment) if not is_trace else "",
        kind=kind,
        words=words,
        reward=counting.reward if counting else None,
        conversation=shown,
        before=here(**{"from": shown.before or None}) if shown.before is not None else "",
        after=here(**{"from": shown.after}) if shown.after is not None else "",
        switches=_switches(shown, hide, here),
        marks=[ShownMark(one.kind, one.detail[:500], False) for one in record.marks if one.item is None],
        has_marks=any(item.marks for item in shown.items),
        verdict=verdict,
        history=[_verdict(record, one, counting) for one in verdicts if one.verifier != run.verifier],
        reason=_reason(reader, run, record, task, counting),
        siblings=_siblings(run, group, record, worth),
        siblings_left_out=max(0, len(group) - _SIBLINGS),
        previous=_step(run, group, record, -1),
        following=_step(run, group, record, 1),
        advantage_words=worth.words if worth else "",
        difference=_difference(run, record, nearest, passing) if nearest and passing else None,
        facts=_facts(reader, run, record, environment),
        problems=_problems(record),
        tools=_tools(reader, record),
        labels=labels if query.flag("labels") else None,
        labels_href=here(labels=1, fragment="labels"),
        label_href=url("/label/", run.id, kind="single" if len(group) < 2 else None),
        feedback=feedback,
        corrections=[[_words(item) for item in one.correction] for one in feedback],
        is_trace=is_trace,
        end_state=_end_state(run, record, task, nearest, passing),
        tokens=_tokens(reader, run, record, query, worth),
        token_links=[
            Link(words, here(tokens=name or None, turn=None, at=None))
            for words, name in (("text", ""), ("by probability", "logprob"), ("by advantage", "advantage"))
        ]
        if _has_ids(reader, run.id, record)
        else [],
        way=way,
        trace=next(iter(way.stages[0].links), None) if not is_trace else None,
        others=[Link(one, url("/t/", record.id, run=one)) for one in others],
        rules=record.redacted,
        back=here(said=None),
        who=query.who,
        said="Your feedback is stored." if query.choice("said", "", "stored") else "",
    )


def _load(reader: Reader, run: str, id: str) -> EpisodeRecord | None:
    rows = reader.rows("SELECT length(body) FROM trajectories WHERE id = ? AND run = ?", id, run)
    if not rows or rows[0][0] > _LARGE:
        return None
    return codec.decode(reader.one("SELECT body FROM trajectories WHERE id = ? AND run = ?", id, run), EpisodeRecord)


def _kind(record: EpisodeRecord, verdict: Verdict | None) -> str:
    fault = "" if record.error is None else record.error.fault.value
    unsafe = any(mark.kind == "unsafe" for mark in record.marks) or (verdict is not None and verdict.unsafe)
    if verdict is None:
        return outcome_of(fault, False, None, False, "", unsafe)[0]
    return outcome_of(fault, True, verdict.reward, verdict.passed, "", unsafe)[0]


def _outcome(
    record: EpisodeRecord, verdict: Verdict | None, is_trace: bool, feedback: list[Feedback]
) -> tuple[str, str]:
    """The outcome and its words. A trace without a verdict has the outcome of the list of traces, with who said so."""
    if not is_trace or verdict is not None:
        kind = _kind(record, verdict)
        return kind, WORDS.get(kind, kind)
    head = TraceHead(
        id=record.id,
        marks=record.marks,
        outcome=record.outcome,
        interventions=record.interventions,
        error=record.error,
    )
    standing = head.standing(feedback)
    kind, words = _STANDING[standing]
    told = [
        one.who
        for one in feedback
        if one.outcome == standing or (standing == "failure" and (one.correction or one.intervention))
    ]
    who = next((one for one in reversed(told) if one), "")
    if standing in ("failure", "success") and not told:
        words = f"{words} in production"
    return kind, f"{words}, said {clip(who, 60)}" if who else words


_STANDING = {
    "failure": ("failed", "failed"),
    "success": ("passed", "succeeded"),
    "error": ("error", "server error"),
    "unknown": ("missing", "outcome unknown"),
}


def _switches(shown: Conversation, hide: list[str], here: Any) -> list[Switch]:
    made = []
    for kind in KINDS:
        if count := shown.kinds.get(kind, 0):
            hidden = [one for one in hide if one != kind] if kind in hide else [*hide, kind]
            made.append(Switch(kind, count, kind not in hide, here(hide=",".join(hidden) or None)))
    return made


def _verdict(record: EpisodeRecord, verdict: Verdict, counting: Verdict | None) -> ShownVerdict:
    kind = _kind(record, verdict)
    largest = max([1.0, *(abs(value) for value in verdict.parts.values())])
    return ShownVerdict(
        verifier=verdict.verifier,
        kind=kind,
        words=WORDS.get(kind, kind),
        reward=verdict.reward,
        parts=[PartBar(name, value, max(0.0, min(1.0, value / largest))) for name, value in verdict.parts.items()],
        evidence=verdict.evidence,
        error=f"{verdict.error.fault.value}: {verdict.error.kind}: {verdict.error.message}" if verdict.error else "",
        counts=verdict is counting,
        change=_change(verdict, counting) if counting is not None and verdict is not counting else "",
    )


def _change(earlier: Verdict, now: Verdict) -> str:
    said = []
    if earlier.passed != now.passed:
        said.append("failed here, passes now" if now.passed else "passed here, fails now")
    if earlier.reward != now.reward:
        said.append(f"reward {_number(earlier.reward)} here, {_number(now.reward)} now")
    changed = [name for name in now.parts if earlier.parts.get(name) != now.parts[name]]
    if changed:
        said.append(f"parts that differ: {', '.join(changed[:6])}")
    return ". ".join(one[0].upper() + one[1:] for one in said) or "The same verdict"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"


def _reason(
    reader: Reader, run: Run, record: EpisodeRecord, task: Task | None, verdict: Verdict | None
) -> Reason | None:
    """The bucket of this episode by the general rules. Nothing for one that passed, or that is too large to be read whole."""
    if task is None or run.kind == "traces" or (verdict is not None and verdict.passed and not verdict.unsafe):
        return None
    if sum(memoryview(raw).nbytes for raw in record.items) > _LARGE:
        return None
    trajectory = reader.store.trajectory_in(run.id, record.id)
    assert trajectory is not None, "it was read before"
    reason = reason_of(task, trajectory, verdict or unscored(trajectory))
    if not reason.bucket:
        return None
    link = url("/runs/", run.id, view="list", bucket=reason.bucket)
    return Reason(reason.bucket, BUCKETS.get(reason.bucket, ""), reason.evidence, reason.by, link)


# -- the group --------------------------------------------------------------------------------------------------------


def _siblings(run: Run, group: list[Cell], record: EpisodeRecord, worth: GroupAdvantages | None) -> list[Sibling]:
    place = next((at for at, cell in enumerate(group) if cell.id == record.id), 0)
    start = max(0, min(place - _SIBLINGS // 2, len(group) - _SIBLINGS))
    return [
        Sibling(
            attempt=cell.place + 1,
            href=href(cell.id, run.id),
            kind=cell.kind,
            words=cell.words,
            reward=cell.reward,
            advantage=worth.of.get(cell.id) if worth else None,
            here=cell.id == record.id,
        )
        for cell in (group[start : start + _SIBLINGS] if len(group) > 1 else [])
    ]


def _step(run: Run, group: list[Cell], record: EpisodeRecord, by: int) -> str:
    place = next((at for at, cell in enumerate(group) if cell.id == record.id), None)
    if place is None or not 0 <= place + by < len(group):
        return ""
    return href(group[place + by].id, run.id)


def _nearest_passing(group: list[Cell], record: EpisodeRecord) -> Cell | None:
    """The attempt that passed and is nearest by number. None if this one passed."""
    here = next((cell for cell in group if cell.id == record.id), None)
    if here is None or here.kind == "passed":
        return None
    passed = [cell for cell in group if cell.kind == "passed"]
    return min(passed, key=lambda cell: abs(cell.place - here.place), default=None)


def _difference(run: Run, record: EpisodeRecord, nearest: Cell, passing: EpisodeRecord) -> Difference | None:
    """The first item in which both differ. Call ids are made up anew in each episode, so they do not count."""
    last = max(len(record.items), len(passing.items))
    for index in range(last):
        mine = _said(record.items[index]) if index < len(record.items) else "(the conversation has ended)"
        theirs = _said(passing.items[index]) if index < len(passing.items) else "(the conversation has ended)"
        if mine != theirs:
            return Difference(
                index=index,
                other=f"attempt {nearest.place + 1}",
                other_href=href(nearest.id, run.id, fragment=f"i{min(index, max(0, len(passing.items) - 1))}"),
                mine=clip(mine, 400),
                theirs=clip(theirs, 400),
                mine_href=f"#i{min(index, max(0, len(record.items) - 1))}",
            )
    return None


def _said(raw: msgspec.Raw) -> str:
    return _words(decode_item(raw))


def _words(item: Item) -> str:
    """An item in words, without its call id."""
    match item:
        case Message():
            return f"{item.role}: {item.text}"
        case FunctionCall():
            return f"calls {item.name} {item.arguments}"
        case FunctionCallOutput():
            return f"result: {item.output}"
        case Reasoning():
            parts = [part.text for part in item.summary] + [part.text for part in item.content or []]
            return f"reasons: {' '.join(parts)}"


# -- facts ------------------------------------------------------------------------------------------------------------

_STOPS = {
    Stop.DONE: "the agent or the environment, without a limit",
    Stop.MAX_TURNS: "the limit of turns",
    Stop.MAX_TOKENS: "the token limit cut the last reply off",
    Stop.CONTEXT_FULL: "the context window was full",
    Stop.TOKENS_SPENT: "the limit of sampled tokens",
    Stop.COST_SPENT: "the limit of cost",
    Stop.TIME_OUT: "the time limit",
    Stop.TOOL_TIME_OUT: "a tool took too long",
    Stop.MAX_CALLS: "one tool was called too often",
    Stop.ERROR: "an error",
}


def _facts(reader: Reader, run: Run, record: EpisodeRecord, environment: str) -> list[Fact]:
    facts = [Fact("Ended by", _STOPS[record.stop])]
    if environment:
        facts.append(Fact("Environment", environment, url("/environments/", environment)))
    for agent in dict.fromkeys(turn.agent for turn in record.turns if turn.agent):
        facts.append(Fact("Agent", *msgspec.structs.astuple(reader.version_link(agent))))
    policy = [turn for turn in record.turns if turn.actor == "policy"]
    sampled = sum(turn.usage.completion_tokens for turn in policy)
    read = sum(turn.usage.prompt_tokens for turn in policy)
    facts.append(Fact("Turns", f"{len(record.turns)} ({len(policy)} by the policy)" if record.turns else "none"))
    if read or sampled:
        facts.append(Fact("Tokens", f"{read:,} read, {sampled:,} sampled"))
    facts.append(Fact("Time", duration(record.seconds, exact=True)))
    if record.cost:
        facts.append(Fact("Cost", dollars(record.cost)))
    facts.append(Fact("Seed", str(record.seed)))
    if record.source:
        facts.append(Fact("Source", record.source))
    if record.redacted:
        facts.append(Fact("Redacted by", record.redacted))
    if record.outcome:
        facts.append(Fact("In production", record.outcome))
    facts += [Fact("A person", one) for one in record.interventions]
    facts += [Fact("File", f"{name}", url("/blob/", sha)) for name, sha in record.blobs.items()]
    return facts


def _problems(record: EpisodeRecord) -> list[str]:
    said = []
    if record.error is not None:
        error = record.error
        said.append(f"{error.kind} ({error.fault.value}'s fault): {error.message}")
    return said + [f"Not observed: {gap}" for gap in record.gaps]


def _tools(reader: Reader, record: EpisodeRecord) -> list[Any]:
    offered = reader.store.get("tools", record.tools, Toolset) if record.tools else None
    return msgspec.to_builtins(offered.tools) if offered else []


def _end_state(
    run: Run, record: EpisodeRecord, task: Task | None, nearest: Cell | None, passing: EpisodeRecord | None
) -> EndState | None:
    size = memoryview(record.end_state).nbytes
    if size <= 2:
        return None
    raw = url("/t-item/", record.id, run=run.id, item="end")
    if size > _LARGE:
        return EndState(changes=[], nodes=[], cut=True, size=size, raw=raw)
    state = msgspec.json.decode(record.end_state)
    changes = []
    start = task.data.get("state") if task is not None else None
    if isinstance(start, dict):
        changes.append(compare("the start of the task", start, state))
    if nearest is not None and passing is not None and memoryview(passing.end_state).nbytes <= _LARGE:
        other = msgspec.json.decode(passing.end_state)
        words = f"attempt {nearest.place + 1}, which passed"
        changes.append(compare(words, other, state, href(nearest.id, run.id, fragment="end-state")))
    nodes, cut = tree(state)
    return EndState(changes=changes, nodes=nodes, cut=cut, size=size, raw=raw)


# -- tokens -----------------------------------------------------------------------------------------------------------


def _tokens(
    reader: Reader, run: Run, record: EpisodeRecord, query: Query, worth: GroupAdvantages | None
) -> TokenView | None:
    by = query.choice("tokens", "", "logprob", "advantage")
    if not by:
        return None
    turns = turns_with_ids(reader, run.id, record)
    only = query.number("turn", 0)
    values = worth.by_turn.get(record.id, []) if worth else []
    whole = worth.of.get(record.id) if worth else None
    shown: dict[int, TokenTurn] = {}
    words_of = {agent: vocabulary(base_of(reader, agent)) for agent in {turn.agent for turn in turns}}
    policy = -1
    for number, turn in enumerate(turns):
        is_policy = turn.actor == "policy"
        policy += is_policy
        if only and number + 1 != only:
            continue
        advantage = values[policy] if is_policy and policy < len(values) else whole
        shown[number] = token_turn(
            turn,
            number,
            words_of[turn.agent],
            by=by,
            advantage=advantage,
            masked=not is_policy,
            first=query.number("at", 0) if only else 0,
            redacted=bool(record.redacted),
        )
    if by == "logprob":
        words = "Each token that the model sampled, coloured by its probability. Darker means less likely."
        return TokenView(by=by, turns=shown, words=words, legend=PROBABILITIES)
    words = (
        worth.words if worth else "An advantage compares attempts at one task, and this episode has no scored siblings."
    )
    return TokenView(by=by, turns=shown, words=words, advantage=whole)


def _has_ids(reader: Reader, run: str, record: EpisodeRecord) -> bool:
    """Whether a reply has stored ids."""
    return any(turn.completion_ids for turn in turns_with_ids(reader, run, record))


def turns_with_ids(reader: Reader, run: str, record: EpisodeRecord) -> list[Turn]:
    packed = reader.one("SELECT packed FROM trajectories WHERE id = ? AND run = ?", record.id, run)
    whole = Trajectory(id=record.id, task=record.task, group=record.group, turns=record.turns)
    return unpack(whole, packed).turns


def base_of(reader: Reader, agent: str) -> str:
    version = reader.versions().get(agent)
    return version.base if version is not None else ""


PAGES = [Page("/t/{id:path}", trajectory_page, "trajectory.html", "runs")]
