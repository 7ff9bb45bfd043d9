"""The way of a failure: trace, feedback, proposal, review, task, versions, reports, decisions, as links in both directions.

From a production trace it leads forward to what came of it. From an evaluation episode it leads back, by the episode's task. Only
stored records are read: proposals, reviews, feedback, summaries of mining, versions with their families, reports, the ledger.
"""

from collections import defaultdict

from msgspec import Struct

from verigym.core.records import Feedback, Task
from verigym.mining.proposals import AcceptedBatch, MiningSummary, Proposal, Review
from verigym.view import heads
from verigym.view.page import Link, url
from verigym.view.read import Reader
from verigym.view.text import clip, moment

_MOST = 8
"""Links of one stage."""


class Stage(Struct, frozen=True, kw_only=True):
    name: str
    links: list[Link]
    more: int = 0
    """Links that are not listed."""
    here: bool = False
    """Whether the page that shows the way belongs to this stage."""


class Way(Struct, frozen=True, kw_only=True):
    stages: list[Stage]
    missing: list[str]
    """Why no task was made of a trace."""
    mined: bool = True
    """False if the task is older than its traces: they only have the same request."""

    @property
    def heading(self) -> str:
        return f"{'Where it came from' if self.mined else 'Where it was seen in production'}, and what came of it"

    @property
    def known(self) -> bool:
        return any(stage.links and not stage.here for stage in self.stages)


class _Mined(Struct):
    """What mining stored, by trace and by task."""

    proposals_of_trace: dict[str, list[Proposal]]
    proposals_of_task: dict[str, list[Proposal]]
    tasks_of_trace: dict[str, list[str]]
    traces_of_task: dict[str, list[str]]
    environment_of_task: dict[str, str]
    missing: dict[str, list[str]]
    feedback: dict[str, list[Feedback]]
    reviews: dict[str, list[Review]]
    taken: dict[str, str]
    """Task to when it was accepted."""


def way_of(reader: Reader, id: str, task: Task | None, task_id: str, environment: str) -> Way:
    """The way through an episode: `task` is what it was about, if the run stored it."""
    mined = _mined(reader, id, task_id)
    is_trace = bool(id in mined.tasks_of_trace or id in mined.proposals_of_trace or id in mined.feedback)
    is_trace = is_trace or id in mined.missing
    tasks = list(dict.fromkeys(mined.tasks_of_trace.get(id, []))) if is_trace else [task_id]
    proposals = mined.proposals_of_trace.get(id, []) if is_trace else mined.proposals_of_task.get(task_id, [])
    tasks += [one.id for one in proposals if one.is_task and one.id not in tasks]
    traces = [id] if is_trace else list(mined.traces_of_task.get(task_id, []))
    if not is_trace and task is not None:
        known = reader.store.known_trajectories([one for one in task.lineage if "/" in one][:20])
        traces += [one for one in task.lineage if one in known]
    traces = list(dict.fromkeys(traces))
    sources = {trace for one in proposals for trace in one.trajectories} | {
        one.removeprefix("trace ") for one in (task.lineage if task else [])
    }
    is_mined = is_trace or not traces or any(one in sources for one in traces)
    first = "Trace" if is_mined else "The same request in production"
    families = {one.task.family for one in proposals if one.task.family} | (
        {task.family} if task and task.family else set()
    )
    feedback = [(trace, one) for trace in traces for one in mined.feedback.get(trace, [])]
    reviews = [(one, review) for one in proposals for review in mined.reviews.get(one.id, [])]
    versions = [one for one in reader.versions().values() if families & set(one.families)]
    reports = _reports(reader, tasks)
    return Way(
        stages=[
            _stage(first, [Link(clip(one, 60), url("/t/", one)) for one in traces], is_trace),
            _stage("Feedback", [Link(_feedback(one), url("/t/", trace)) for trace, one in feedback]),
            _stage("Proposal", [Link(one.id, url("/mined/", one.environment, proposal=one.id)) for one in proposals]),
            _stage("Review", [
                Link(f"{review.answer} by {review.who or 'unknown'}", url("/mined/", one.environment, proposal=one.id))
                for one, review in reviews
            ]),
            _stage("Task", [
                Link(one, url("/task/", one, env=environment if not is_trace else mined.environment_of_task.get(one)))
                for one in tasks
            ], not is_trace),
            _stage("Trained on its family", [Link(one.label, url("/versions/", one.id)) for one in versions]),
            _stage("Measured", [Link(words, url("/runs/", run)) for words, run in reports.values()]),
            _stage("Decided", _decisions(reader, set(reports))),
        ],
        missing=list(dict.fromkeys(mined.missing.get(id, []))),
        mined=is_mined,
    )  # fmt: skip


def _stage(name: str, links: list[Link], here: bool = False) -> Stage:
    links = list(dict.fromkeys(links))
    return Stage(name=name, links=links[:_MOST], more=max(0, len(links) - _MOST), here=here)


def _feedback(one: Feedback) -> str:
    said = one.outcome or one.intervention or one.note or ("correction" if one.correction else "feedback")
    who = f" by {one.who}" if one.who else ""
    return clip(f"{said}{who}{f', {moment(one.when)}' if one.when else ''}", 60)


def _reports(reader: Reader, tasks: list[str]) -> dict[str, tuple[str, str]]:
    """Report to its words and its run: those of runs that played one of the tasks."""
    runs: set[str] = set()
    for task in tasks[:_MOST]:
        runs |= {run for (run,) in reader.rows("SELECT DISTINCT run FROM trajectories WHERE task = ?", task)}
    found = [head for head in heads.reports(reader).values() if head.run in runs]
    return {head.id: (f"{reader.label(head.agent)} on {head.suite.name}", head.run) for head in reversed(found)}


def _decisions(reader: Reader, reports: set[str]) -> list[Link]:
    """The newest first."""
    if not reports:
        return []
    if reader.links_are_current():
        found = {one.id for report in reports for one in reader.derived.links_to("report", report, by="decision")}
        numbers = sorted(map(int, found), reverse=True)
        verdicts = {seq: reader.entry(seq).decision.verdict for seq in numbers[:_MOST]}
        return [Link(f"{seq}: {verdicts.get(seq, '')}", url("/gate/", str(seq))) for seq in numbers]
    links: list[Link] = []
    for entry in reversed(heads.entries(reader)):
        decision = entry.decision
        used = {*decision.reports, *(one for each in decision.measured for one in (each.candidate, each.champion))}
        if reports & used:
            links.append(Link(f"{entry.seq}: {decision.verdict}", url("/gate/", str(entry.seq))))
    return links


def _mined(reader: Reader, id: str, task: str) -> _Mined:
    """What mining stored about an episode and its task. Without the derived index, all of it is read and kept."""
    if reader.links_are_current():
        return _linked(reader, id, task)
    kinds = ("proposal", "mining", "feedback", "review", "taken")
    return reader.kept("the way", tuple(reader.state_of(kind) for kind in kinds), lambda: _read(reader))


def _linked(reader: Reader, id: str, task: str) -> _Mined:
    store, derived = reader.store, reader.derived
    made = _Mined(*(defaultdict(list) for _ in range(4)), {}, *(defaultdict(list) for _ in range(3)), {})  # type: ignore[arg-type]
    near = [*derived.links_to("trajectory", id, by="proposal"), *derived.links_to("task", task, by="proposal")]
    for name in dict.fromkeys(one.id for one in near):
        proposal = store.get("proposal", name, Proposal)
        if proposal is None:
            continue
        made.proposals_of_task[proposal.id].append(proposal)
        made.environment_of_task[proposal.id] = proposal.environment
        for trace in proposal.trajectories:
            made.proposals_of_trace[trace].append(proposal)
            made.traces_of_task[proposal.id].append(trace)
        for link in derived.links_to("proposal", name, by="review"):
            review = store.get("review", link.id, Review)
            made.reviews[name] += [review] if review is not None else []
    newest = {one.environment: one for one in reader.documents("mining", MiningSummary)}
    for summary in newest.values():
        if id in summary.tasks:
            made.tasks_of_trace[id].append(summary.tasks[id])
            made.environment_of_task.setdefault(summary.tasks[id], summary.environment)
        for request in summary.unverifiable:
            if id in request.trajectories:
                made.missing[id].append(request.missing)
    made.traces_of_task[task] += [one.id for one in derived.links_to("task", task, by="trajectory")]
    for trace in dict.fromkeys([id, *made.traces_of_task[task]][:_MOST]):
        for link in derived.links_to("trajectory", trace, by="feedback"):
            feedback = store.get("feedback", link.id, Feedback)
            made.feedback[trace] += [feedback] if feedback is not None else []
    return made


def _read(reader: Reader) -> _Mined:
    store = reader.store
    made = _Mined(*(defaultdict(list) for _ in range(4)), {}, *(defaultdict(list) for _ in range(3)), {})  # type: ignore[arg-type]
    for proposal in store.documents("proposal", Proposal):
        made.proposals_of_task[proposal.id].append(proposal)
        made.environment_of_task[proposal.id] = proposal.environment
        for trace in proposal.trajectories:
            made.proposals_of_trace[trace].append(proposal)
            made.traces_of_task[proposal.id].append(trace)
    newest = {summary.environment: summary for summary in store.documents("mining", MiningSummary)}
    for summary in newest.values():
        for trace, task in summary.tasks.items():
            made.tasks_of_trace[trace].append(task)
            made.traces_of_task[task].append(trace)
            made.environment_of_task.setdefault(task, summary.environment)
        for request in summary.unverifiable:
            for trace in request.trajectories:
                made.missing[trace].append(request.missing)
    for feedback in store.documents("feedback", Feedback):
        made.feedback[feedback.trajectory].append(feedback)
    for review in store.documents("review", Review):
        for id in review.proposals:
            made.reviews[id].append(review)
    for batch in store.documents("taken", AcceptedBatch):
        made.taken |= {task.id: batch.when for task in batch.tasks}
    return made


def feedback_on(reader: Reader, trajectory: str) -> list[Feedback]:
    return _mined(reader, trajectory, "").feedback.get(trajectory, [])
