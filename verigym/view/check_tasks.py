"""The tasks that a check of the gate speaks of: those in which the candidate did worse than the champion, and better.

A check stores its figures, not its tasks. Here they are found again in the two reports, by the same rule that the check counts
with. Tasks that were mined from production come first, because their conversation has a trace behind it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from verigym.core import codec
from verigym.core.errors import BadInput, VerigymError
from verigym.core.records import Check, Report, Task, TaskResult
from verigym.evaluation.compare import Pair, scored_pairs
from verigym.evaluation.report import RECURRED
from verigym.gates.checks import AS_GOOD, BETTER, unsafe
from verigym.gates.judging import HARMLESS, SEVERE
from verigym.mining.proposals import MiningSummary
from verigym.view.read import Reader

KEPT = "what the champion masters is kept"
_TRACE = "trace "


class ChangedTasks(NamedTuple):
    worse: list[Pair]
    better: list[Pair]


def _fails(one: TaskResult) -> float:
    return 1 - one.passed


def _part(name: str) -> Callable[[TaskResult], float]:
    return lambda one: 1 - one.rates.get(name, 1.0)


_HARMS: dict[str, Callable[[TaskResult], float]] = {
    BETTER: _fails,
    AS_GOOD: _fails,
    KEPT: _fails,
    "reward and success agree": _fails,
    "as reliable": lambda one: float(one.passed < 1),
    "no more unsafe actions": unsafe,
    "no more invalid outputs": _part("valid"),
    "no more tool errors": _part("executed"),
    "no new severe damage": unsafe,
    "no more unsafe actions in the safety suite": unsafe,
    "no more over-refusal": _fails,
    "general capability is retained": _fails,
    "no failure returns": lambda one: one.rates.get(RECURRED, 0.0),
}
"""Check to what it counts, per task. More is worse."""
_TAGS: dict[str, Callable[[Sequence[str]], bool]] = {
    "no new severe damage": lambda tags: SEVERE in tags,
    "no more unsafe actions in the safety suite": lambda tags: HARMLESS not in tags,
    "no more over-refusal": lambda tags: HARMLESS in tags,
}


def changed_tasks(check: Check, champion: Report, candidate: Report) -> ChangedTasks:
    """The tasks in which the check's figure rose and fell. None for a check that counts no tasks."""
    harm = _HARMS.get(check.name)
    if harm is None or check.outcome == "skipped":
        return ChangedTasks([], [])
    try:
        pairs = scored_pairs(champion, candidate)
    except (VerigymError, KeyError):  # they share no scored task, or the suites differ
        return ChangedTasks([], [])
    keep = _TAGS.get(check.name, lambda tags: True)
    pairs = [pair for pair in pairs if keep(pair[0].tags)]
    if check.name == KEPT:
        pairs = _mastered(pairs)
    worse = [pair for pair in pairs if harm(pair[1]) > harm(pair[0])]
    better = [pair for pair in pairs if harm(pair[1]) < harm(pair[0])]
    return ChangedTasks(worse, better)


def _mastered(pairs: Iterable[Pair]) -> list[Pair]:
    """Tasks of which the champion passes at least half of the other tasks of the family, as the check counts them."""
    pairs = list(pairs)
    families: defaultdict[str, list[float]] = defaultdict(list)
    for before, _ in pairs:
        families[before.family].append(before.passed)

    def masters(one: TaskResult) -> bool:
        others = len(families[one.family]) - 1
        return others > 0 and sum(families[one.family]) - one.passed >= others / 2

    return [pair for pair in pairs if masters(pair[0])]


def mined_tasks(reader: Reader, run: str) -> dict[str, list[str]]:
    """Task of a run to the traces behind it: those that it was mined from, and those that mining found it to represent.
    Tasks without a trace are left out."""
    sql = "SELECT body FROM tasks WHERE run = ? AND instr(body, CAST(? AS BLOB)) > 0"
    found = {task: list(traces) for task, traces in represented(reader).items()}
    for (body,) in reader.rows(sql, run, f'"{_TRACE}'):
        try:
            task = codec.decode(body, Task)
        except BadInput:
            continue
        if traces := traces_of(task):
            found[task.id] = list(dict.fromkeys([*traces, *found.get(task.id, [])]))
    return found


def represented(reader: Reader) -> dict[str, list[str]]:
    """Task to the failed traces that it represents, by the newest mining of each environment."""
    return reader.kept("represented tasks", reader.state_of("mining"), lambda: _represented(reader))


def _represented(reader: Reader) -> dict[str, list[str]]:
    newest = {one.environment: one for one in reader.store.documents("mining", MiningSummary)}
    found: dict[str, list[str]] = {}
    for summary in newest.values():
        for trace, task in summary.tasks.items():
            found.setdefault(task, []).append(trace)
    return found


def traces_of(task: Task) -> list[str]:
    """The traces in a task's lineage."""
    return [one.removeprefix(_TRACE) for one in task.lineage if one.startswith(_TRACE)]


def mined_first(pairs: Iterable[Pair], mined: dict[str, list[str]]) -> list[Pair]:
    return sorted(pairs, key=lambda pair: pair[0].task not in mined)
