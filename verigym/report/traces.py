"""The report of production traces: what people reported about them, and some conversations, failures first."""

from collections.abc import Iterator
from datetime import UTC, datetime

from verigym.core.records import Feedback, Item, Trajectory
from verigym.core.words import counted, percent
from verigym.report.document import Document, Example, Section, Side, Step, Table, asked, clipped, done, in_lines, typed
from verigym.report.production import of_traces
from verigym.store.rows import Run
from verigym.workspace.workspace import WorkspaceFolder

_NUM_EXAMPLES = 3
_NUM_FOLDED = 7
_ORDER = {"failure": 0, "success": 1, "": 2}


def traces_document(ws: WorkspaceFolder, run: Run) -> Document:
    feedback = _newest_feedback(ws)
    counts = {"failure": 0, "success": 0, "": 0}
    chosen: list[tuple[int, int, Trajectory, str]] = []
    for index, trace in enumerate(ws.store.each_trajectory(run.id)):
        told = feedback.get(trace.id)
        outcome = (told.outcome if told else "") or trace.outcome
        outcome = outcome if outcome in _ORDER else ""
        counts[outcome] += 1
        chosen.append((_ORDER[outcome], index, trace, outcome))
        chosen.sort(key=lambda one: one[:2])
        del chosen[_NUM_EXAMPLES + _NUM_FOLDED :]
    examples = [_example(trace, outcome, feedback.get(trace.id)) for _, _, trace, outcome in chosen]
    total, known = sum(counts.values()), counts["failure"] + counts["success"]
    share = f" ({percent(counts['failure'] / known)} of those with a known outcome)" if known else ""
    lead = f"{counted(total, 'conversation')}. {counted(counts['failure'], 'failure')} reported{share}."
    started = datetime.fromtimestamp(run.created, UTC).isoformat(timespec="seconds")
    what = [["run", run.id], ["kind", run.kind], ["started", started], ["conversations", f"{total:,}"]]
    outcomes = [["failure", counts["failure"]], ["success", counts["success"]], ["unknown", counts[""]]]
    sections = [
        Section("What it is", [Table(["", ""], [[name, clipped(value, 300)] for name, value in what])]),
        Section(
            "Outcomes", [Table(["outcome", "conversations"], [[str(name), f"{count:,}"] for name, count in outcomes])]
        ),
        Section("Conversations", [*examples[:_NUM_EXAMPLES]]),
        Section("More conversations", [*examples[_NUM_EXAMPLES:]], folded=True),
        Section(
            "What to do next",
            [
                Step(
                    "Turn the failures into tasks. ENV is the environment.",
                    typed("mine", "run", "ENV", "--run", run.id),
                )
            ],
        ),
    ]
    left = total - len(examples)
    return Document(
        title=run.id,
        name=run.id,
        kind="run",
        verdict=f"{counted(counts['failure'], 'failure')} reported" if total else "",
        lead=lead if total else "No conversation.",
        sections=[section for section in sections if section.blocks],
        left_out=[f"{counted(left, 'conversation')} ({len(examples)} are shown, failures first)"] if left else [],
        production=of_traces(trace for _, _, trace, _ in chosen) if total else "",
        store=str(ws.home),
    )


def _newest_feedback(ws: WorkspaceFolder) -> dict[str, Feedback]:
    return {one.trajectory: one for one in ws.store.documents("feedback", Feedback)}


def _example(trace: Trajectory, outcome: str, feedback: Feedback | None) -> Example:
    sides = [Side("what it did", done(trace)), *_told(feedback)]
    shown = {"failure": "failed", "success": "passed"}.get(outcome, "no feedback")
    return Example(shown, clipped(trace.id, 200), asked(trace), "", sides)  # pyright: ignore[reportArgumentType]


def _told(feedback: Feedback | None) -> Iterator[Side]:
    if feedback is None:
        return
    correction: list[Item] = feedback.correction
    parts = [feedback.intervention, feedback.note]
    parts += [f"It should have done:\n{in_lines(correction)}"] if correction else []
    text = "\n".join(part for part in parts if part)
    if text:
        yield Side("what was reported", clipped(text))
