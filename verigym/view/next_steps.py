"""What to do next: rules over stored figures, each with a reason, a command and a page.

A rule is a function of the reader that answers with a step or None. The order of `RULES` is the order of importance. Figures that
need many documents are worked out again only if one was added. No model and no environment is asked.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from verigym.audit.labels import single_labels
from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import Label
from verigym.core.words import counted, percent
from verigym.evaluation.suites import MANY_VERSIONS
from verigym.mining.proposals import AcceptedBatch, MiningSummary, Review
from verigym.training.alarms import StoredAlarm
from verigym.view import heads
from verigym.view.feedback_index import feedback_index
from verigym.view.page import Step, url
from verigym.view.read import Reader, decoded, run_state

MOST = 5
_LABELS = 5000
"""Labels that are compared with their verdicts, the newest ones."""


class _ProposalHead(Struct):
    id: str
    environment: str


class _Traced(Struct):
    trajectories: list[str] = []


def next_steps(reader: Reader) -> list[Step]:
    """At most five steps, the most urgent first."""
    steps: list[Step] = []
    for rule in RULES:
        step = rule(reader)
        if step is not None:
            steps.append(step)
        if len(steps) == MOST:
            break
    return steps


def interrupted_run(reader: Reader) -> Step | None:
    sql = "SELECT id, kind, config FROM runs WHERE finished IS NULL AND parent = '' ORDER BY created DESC LIMIT 20"
    for id, kind, config in reader.rows(sql):
        if kind != "traces" and run_state(reader.home, id, None) == "interrupted":
            return Step(
                words=f"Resume the interrupted run {id}",
                why="It did not finish. The command that started it goes on where it stopped and repeats nothing.",
                command=_begun_by(reader, kind, decoded(config)),
                href=url("/training/" if kind == "train" else "/runs/", id),
            )
    return None


def _begun_by(reader: Reader, kind: str, config: Any) -> str:
    """The command that began a run, where its settings tell. Otherwise the command that lists runs."""
    settings = config if isinstance(config, dict) else {}
    environment, agent = str(settings.get("environment") or ""), str(settings.get("agent") or "")
    if kind not in ("eval", "rollout") or not environment or not agent:
        return "verigym runs list"
    options = [f"-n {settings['num_tasks']}"] if isinstance(settings.get("num_tasks"), int) else []
    options += [f"-k {settings['k']}"] if isinstance(settings.get("k"), int) and settings["k"] > 1 else []
    sampling = settings.get("sampling")
    for name, option in (("temperature", "--temperature"), ("max_tokens", "--max-tokens")):
        if isinstance(sampling, dict) and isinstance(sampling.get(name), int | float):
            options.append(f"{option} {sampling[name]}")
    if isinstance(sampling, dict) and sampling.get("weights"):
        options.append(f"--weights {sampling['weights']}")
    return " ".join([f"verigym {kind} {heads.quote(environment)} -m {heads.typed(reader, agent)}", *options])


def alarm_in_training(reader: Reader) -> Step | None:
    """An alarm of the newest training run, unless the gate has decided about what it made."""
    newest = reader.rows("SELECT id FROM runs WHERE kind = 'train' AND parent = '' ORDER BY created DESC LIMIT 1")
    if not newest:
        return None
    run = newest[0][0]
    made = {id for id, version in reader.versions().items() if version.recipe.get("run") == run}
    if made & {entry.decision.candidate for entry in heads.entries(reader)}:
        return None
    alarms: list[StoredAlarm] = [one for one in reader.documents("alarm", StoredAlarm) if one.run == run]
    if not alarms:
        return None
    last = max(alarms, key=lambda one: one.step)
    return Step(
        words=f"Look at an alarm in training run {run}: {last.kind}",
        why=f"At step {last.step}, {last.words}. {last.remedy[:1].upper()}{last.remedy[1:]}.",
        command=f"verigym runs show {heads.quote(run)}",
        href=url("/training/", run),
    )


def open_decision(reader: Reader) -> Step | None:
    """The newest candidate that the gate could not settle against the champion of now."""
    champion = heads.champion(reader)
    settled: set[str] = set()
    for entry in reversed(heads.entries(reader)[-500:]):
        decision = entry.decision
        if decision.candidate in settled or decision.candidate == champion:
            continue
        settled.add(decision.candidate)
        if decision.verdict != "NEED MORE DATA" or decision.champion != champion:
            continue
        stored = reader.entry(entry.seq).decision
        families = max((one.needed_families for one in stored.checks), default=0)
        tasks = max((one.needed for one in stored.checks), default=0)
        size = counted(families, "new family") + " of tasks" if families else counted(tasks, "task") if tasks else ""
        need = f"The gate could not decide. About {size} would settle it." if size else "The gate could not decide."
        return Step(
            words=f"Give the gate more data about {reader.label(decision.candidate)}",
            why=need,
            command=f"verigym gate {heads.typed(reader, decision.candidate)}",
            href=url("/gate/", str(entry.seq)),
        )
    return None


def promotion_waiting(reader: Reader) -> Step | None:
    """The gate allowed a promotion that nobody carried out."""
    champion = heads.champion(reader)
    last = heads.last_verdicts(reader)
    for entry in reversed(list(last.values())):
        decision = entry.decision
        open_now = decision.kind == "gate" and decision.champion == champion and not entry.moved
        if open_now and decision.verdict == "PROMOTE" and decision.candidate in reader.versions():
            return Step(
                words=f"Promote {reader.label(decision.candidate)}",
                why="The gate allows it, and nobody has done it yet.",
                command=f"verigym promote {heads.typed(reader, decision.candidate)}",
                href=url("/gate/", str(entry.seq)),
            )
    return None


def last_rejection(reader: Reader) -> Step | None:
    """Why the newest candidate was rejected, if nothing was decided after it."""
    known = heads.entries(reader)
    if not known or known[-1].decision.verdict != "REJECT" or known[-1].decision.kind != "gate":
        return None
    entry = known[-1]
    failed = [one.name for one in reader.entry(entry.seq).decision.checks if one.outcome == "fail"]
    why = f"{counted(len(failed), 'check')} failed: {', '.join(failed[:3])}{' and more' if len(failed) > 3 else ''}."
    sides = f"{heads.typed(reader, entry.decision.champion)} {heads.typed(reader, entry.decision.candidate)}"
    return Step(
        words=f"See why {reader.label(entry.decision.candidate)} was rejected",
        why=why if failed else "The gate decided against it.",
        command=f"verigym compare {sides}",
        href=url("/gate/", str(entry.seq)),
    )


def open_proposals(reader: Reader) -> Step | None:
    state = tuple(reader.state_of(kind) for kind in ("proposal", "review", "taken"))
    waiting: dict[str, int] = reader.kept("open proposals", state, lambda: _open_proposals(reader))
    if not waiting:
        return None
    environment, count = max(waiting.items(), key=lambda one: one[1])
    verb = "waits" if count == 1 else "wait"
    return Step(
        words=f"Review {counted(count, 'task')} mined from production",
        why=f"{counted(count, 'proposal')} for {environment} {verb} for a person. Accepted ones can be trained on and measured.",
        command=f"verigym mine review {heads.quote(environment)}",
        href=url("/mined/", environment),
    )


def _open_proposals(reader: Reader) -> dict[str, int]:
    """Environment to its proposals that nobody has answered."""
    answers: dict[str, str] = {}
    for review in reader.store.documents("review", Review):
        answers.update(dict.fromkeys(review.proposals, review.answer))
    taken: set[str] = set()
    for batch in reader.store.documents("taken", AcceptedBatch):
        taken |= {*batch.cases, *(task.id for task in batch.tasks)}
    counts: dict[str, int] = {}
    for document in reader.store.bodies("proposal"):
        if document.id in taken or answers.get(document.id, "open") != "open":
            continue
        try:
            environment = codec.decode(document.body, _ProposalHead).environment
        except BadInput:
            continue
        counts[environment] = counts.get(environment, 0) + 1
    return counts


def disagreements(reader: Reader) -> Step | None:
    found: tuple[int, str, str] = reader.kept(
        "disagreements", (reader.state_of("label"), reader.state_of("case")), lambda: _disagreements(reader)
    )
    count, run, environment = found
    if not count:
        return None
    return Step(
        words=f"Look at {counted(count, 'disagreement')} between people and the verifier",
        why="A person and the verifier judged the same output differently. One of them is wrong.",
        command=f"verigym audit run {heads.quote(environment or 'ENV')} {heads.quote(run)}",
        href=url("/audit/", environment) if environment else "/audit",
    )


def _disagreements(reader: Reader) -> tuple[int, str, str]:
    """Number of disagreements, and the run and the environment of the newest."""
    labels = single_labels(reader.store.documents("label", Label))
    sql = (
        "SELECT v.passed, v.run, r.config FROM verdicts v JOIN runs r ON r.id = v.run AND r.verifier = v.verifier "
        "WHERE v.trajectory = ? AND v.reward IS NOT NULL"
    )
    count, run, environment = 0, "", ""
    for id, label in list(labels.items())[-_LABELS:]:
        for passed, of_run, config in reader.rows(sql, id):
            if bool(passed) != (label.judgement == "good"):
                settings = decoded(config)
                environment = str(settings.get("environment") or "") if isinstance(settings, dict) else ""
                count, run = count + 1, of_run
    return count, run, environment


def worn_suite(reader: Reader) -> Step | None:
    known = heads.reports(reader)
    worn = max(heads.seen_by(reader).items(), key=lambda one: one[1], default=("", 0))
    if worn[1] <= MANY_VERSIONS:
        return None
    suite = next(one.suite for one in reversed(known.values()) if one.suite.hash == worn[0])
    return Step(
        words=f"Reserve new held-out tasks for {suite.environment}",
        why=f"{worn[1]} versions were measured on {suite.name}. The best of so many looks better than it is.",
        command=f"verigym suites show {heads.quote(suite.name)}",
        href="/suites",
    )


def unmeasured_champion(reader: Reader) -> Step | None:
    """The champion was measured on a suite that has a newer version by now."""
    champion = heads.champion(reader)
    mine = {one.suite.hash for one in heads.reports(reader).values() if one.agent == champion}
    if not champion or champion not in reader.versions():
        return None
    names = {
        (one.suite.environment, one.suite.name)
        for one in heads.reports(reader).values()
        if one.agent == champion and not one.is_guard
    }
    newest = {(one.suite.environment, one.suite.name): one for one in heads.reports(reader).values()}
    for key in sorted(names):
        report = newest[key]
        if report.suite.hash not in mine:
            return Step(
                words=f"Measure the champion on the newest version of {report.suite.name}",
                why="The suite or its verifier changed, and only other versions were measured since.",
                command=f"verigym eval {heads.quote(report.suite.environment)} -m {heads.typed(reader, champion)}",
                href="/suites",
            )
    if not mine:
        return Step(
            words="Measure the champion",
            why="It has no evaluation, so nothing can be compared with it.",
            command=f"verigym eval ENV -m {heads.typed(reader, champion)}",
            href=url("/versions/", champion),
        )
    return None


def unmined_corrections(reader: Reader) -> Step | None:
    state = tuple(reader.state_of(kind) for kind in ("feedback", "proposal", "mining"))
    count: int = reader.kept("unmined corrections", state, lambda: _unmined(reader))
    if not count:
        return None
    return Step(
        words=f"Mine {counted(count, 'conversation')} that people corrected",
        why="A correction says what is right, so it can become a task.",
        command="verigym mine run ENV",
        href="/traces?feedback=failure",
    )


def _unmined(reader: Reader) -> int:
    corrected = feedback_index(reader).with_kind("correction")
    if not corrected:
        return 0
    for document in reader.store.bodies("proposal"):
        try:
            corrected -= set(codec.decode(document.body, _Traced).trajectories)
        except BadInput:
            continue
    for summary in reader.store.documents("mining", MiningSummary):
        corrected -= set(summary.tasks) | set(summary.regressions)
        corrected -= {id for request in summary.unverifiable for id in request.trajectories}
    return len(corrected)


def failures_without_advice(reader: Reader) -> Step | None:
    """The champion fails tasks, and nothing was made from it since."""
    champion = heads.champion(reader)
    found = heads.of_version(reader, champion)
    if not found or found[0].success is None or found[0].success.value >= 1:
        return None
    report = found[0]
    assert report.success is not None
    if any(version.parent == champion for version in reader.versions().values()):
        return None
    if not heads.run_exists(reader, report.run):
        return None
    return Step(
        words=f"See why {reader.label(champion)} fails",
        why=f"It fails {percent(1 - report.success.value, 0)} of {report.suite.name}, and no version was made from it yet.",
        command=f"verigym advise {heads.quote(report.run)}",
        href=url("/failures/", report.run),
    )


RULES: tuple[Callable[[Reader], Step | None], ...] = (
    interrupted_run,
    alarm_in_training,
    last_rejection,
    open_decision,
    promotion_waiting,
    open_proposals,
    disagreements,
    unmeasured_champion,
    unmined_corrections,
    failures_without_advice,
    worn_suite,
)
