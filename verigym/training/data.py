"""Training data: demonstrations (episodes to imitate) and preferences (pairs with a better side), from a run or a file.

Pure functions from records to rows, without torch. Each also counts what it looked at, kept, and dropped, with the reason.
`looked at` is the sum of all other counts. `workspace.datasets` stores rows. A file has a common format (`tasks.rows`), or
Verigym wrote it, with one encoded `Example` or `Preference` per line.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, Refused
from verigym.core.records import (
    Example,
    Feedback,
    Item,
    Json,
    Label,
    Message,
    Preference,
    Task,
    ToolSpec,
    Trajectory,
    Verdict,
)
from verigym.evaluation.suites import family_of
from verigym.harness.tools import as_shown
from verigym.policies.render import replies
from verigym.rollout.replies import SplitTrajectory, cut, unfit, wording
from verigym.tasks.files import FileRow, rows_of
from verigym.tasks.load import load_tasks
from verigym.tasks.rows import shape_of

Counts = dict[str, int]
Rows = list[Example] | list[Preference]
_ROUNDING = 1e-9


class RunRecords(NamedTuple):
    tasks: Iterable[Task]
    trajectories: Iterable[Trajectory]
    verdicts: Iterable[Verdict]
    tools_of: Callable[[str], list[ToolSpec]]
    """Returns the tools that a trajectory refers to by hash."""


class _TrainableEpisode(NamedTuple):
    trajectory: Trajectory
    reward: float
    passed: bool
    parts: SplitTrajectory

    @property
    def rank(self) -> tuple[float, int, int]:
        """Sorts the highest reward first, then the shortest."""
        turns = [turn for turn in self.trajectory.turns if turn.actor == "policy"]
        return -self.reward, sum(turn.usage.completion_tokens for turn in turns), self.trajectory.index


def demonstrations(
    run: RunRecords, *, per_task: int = 4, min_reward: float | None = None
) -> tuple[list[Example], Counts]:
    """Rejection sampling: at most `per_task` passed episodes of each task, with the highest reward, then the shortest."""
    counts = Counter[str]()
    rows: list[Example] = []
    for task, group in _groups(run, counts):
        passed = [episode for episode in group if episode.passed]
        good = [episode for episode in passed if min_reward is None or episode.reward >= min_reward]
        unique = _unique(good)
        counts["not passed"] += len(group) - len(passed)
        counts["below min_reward"] += len(passed) - len(good)
        counts["twice"] += len(good) - len(unique)
        counts["over per_task"] += len(unique[per_task:])
        rows += [
            Example(
                items=parts.prompt + parts.rest,
                made=parts.replies,
                source=trajectory.id,
                **_common_fields(task, trajectory, run),
            )
            for trajectory, _, _, parts in unique[:per_task]
        ]
    counts["kept"] = len(rows)
    return rows, _summed(counts)


def graded_pairs(run: RunRecords, *, gap: float = 0.1, per_task: int = 4) -> tuple[list[Preference], Counts]:
    """Pairs the best episode of a task with its worst, the second best with the second worst, and so on, while their rewards
    differ by `gap` or more. Counts are of episodes. Each is in at most one pair, so `kept` is twice the number of pairs."""
    counts, least = Counter[str](), gap - _ROUNDING
    rows: list[Preference] = []
    for task, group in _groups(run, counts):
        unique = _unique(group)
        ends = list(zip(unique[: len(unique) // 2], unique[::-1], strict=False))
        apart = [
            (best, worst) for best, worst in ends if best.reward > worst.reward and best.reward - worst.reward >= least
        ]
        counts["twice"] += len(group) - len(unique)
        counts["too close"] += 2 * (len(ends) - len(apart))
        counts["no partner"] += len(unique) % 2
        counts["over per_task"] += 2 * len(apart[per_task:])
        rows += [_preference(task, *pair, pair[0].reward - pair[1].reward, run) for pair in apart[:per_task]]
    counts["kept"] = 2 * len(rows)
    return rows, _summed(counts)


def labelled_pairs(run: RunRecords, labels: Iterable[Label]) -> tuple[list[Preference], Counts]:
    """Pairs from people's labels, oldest first. If a person labelled a pair twice, the newest label counts. A pair on which two
    people disagree is dropped. Counts are of labels. Labels on other runs are ignored."""
    tasks, episodes = _trainable(run.tasks), {trajectory.id: trajectory for trajectory in _as_shown(run)}
    judged = {verdict.trajectory: verdict for verdict in run.verdicts}
    counts = Counter[str]()
    rows: list[Preference] = []
    ours = [label for label in labels if label.trajectory in episodes and (not label.other or label.other in episodes)]
    for pair in _by_pair(ours, counts):
        winners = {label.trajectory if label.judgement == "better" else label.other for label in pair}
        if len(winners) > 1:
            counts["people disagree"] += len(pair)
            continue
        ids = sorted((pair[0].trajectory, pair[0].other), key=lambda id: id not in winners)
        sides = [(episodes[id], judged.get(id)) for id in ids]
        reason = _incomparable(sides)
        counts[reason or "kept"] += 1
        counts["said before"] += len(pair) - 1
        if not reason:
            best, worst = (_episode(*side) for side in sides)
            rows.append(_preference(tasks[best.trajectory.task], best, worst, 0.0, run))
    return rows, _summed(counts)


def rated(
    run: RunRecords, labels: Iterable[Label], feedback: Iterable[Feedback], *, verdicts: bool = False
) -> tuple[list[Example], Counts]:
    """Episodes with a thumb up or down: labels good and bad, and feedback success and failure. If a person rated an episode
    twice, the newest rating counts. An episode on which two people disagree is dropped. With `verdicts`, the verifier decides
    instead of people. Counts are of episodes."""
    tasks, judged = _trainable(run.tasks), {verdict.trajectory: verdict for verdict in run.verdicts}
    said: dict[str, dict[str, bool]] = defaultdict(dict)
    for one in feedback:
        if one.outcome:
            said[one.trajectory][one.who] = one.outcome == "success"
    for label in labels:
        if not label.other and label.judgement in ("good", "bad"):
            said[label.trajectory][label.who] = label.judgement == "good"
    counts = Counter[str]()
    rows: list[Example] = []
    seen: set[bytes] = set()
    for one in _as_shown(run):
        verdict = judged.get(one.id)
        if verdicts:
            thumbs = set() if verdict is None or verdict.reward is None else {verdict.passed}
        else:
            thumbs = set(said.get(one.id, {}).values())
        reason = "not rated" if not thumbs else "people disagree" if len(thumbs) > 1 else _unfit(one, verdict)
        if reason == "unsafe" and thumbs == {False}:
            reason = ""  # what is unsafe may be unlearnt
        parts = cut(one)
        if reason or parts is None:
            counts[reason or "no reply"] += 1
            continue
        content = wording(parts.prompt + parts.rest) + bytes([*thumbs])
        counts["twice" if content in seen else "kept"] += 1
        if content not in seen:
            seen.add(content)
            task = tasks.get(one.task) or Task(id=one.task or one.id, prompt="")
            rows.append(
                Example(
                    items=parts.prompt + parts.rest,
                    made=parts.replies,
                    source=one.id,
                    good=thumbs.pop(),
                    **_common_fields(task, one, run),
                )
            )
    return rows, _summed(counts)


def _trainable(tasks: Iterable[Task]) -> dict[str, Task]:
    """Tasks by id. Refuses held-out tasks."""
    by_id = {task.id: task for task in tasks}
    held_out = [task for task in by_id.values() if task.split != "train"]
    if held_out:
        task = held_out[0]
        raise Refused(
            f'{len(held_out)} of {len(by_id)} tasks are held out (task "{task.id}" is in split "{task.split}"). Held-out tasks '
            "are never trained on. Use a run on training tasks: verigym rollout ENV -m MODEL --split train"
        )
    return by_id


def _groups(run: RunRecords, counts: Counter[str]) -> list[tuple[Task, list[_TrainableEpisode]]]:
    """Episodes that can be trained on, grouped by task, prompt and tools, best first. Counts the others."""
    tasks, judged = _trainable(run.tasks), {verdict.trajectory: verdict for verdict in run.verdicts}
    groups: dict[tuple[str, str, bytes], list[_TrainableEpisode]] = defaultdict(list)
    for one in _as_shown(run):
        verdict = judged.get(one.id)
        reason = _unfit(one, verdict) or ("not scored" if verdict is None or verdict.reward is None else "")
        if reason:
            counts[reason] += 1
        else:
            episode = _episode(one, verdict)
            groups[one.task, one.tools, msgspec.json.encode(episode.parts.prompt)].append(episode)
    by_task = sorted(groups.items(), key=lambda pair: pair[0][0])
    return [(tasks[key[0]], sorted(group, key=lambda episode: episode.rank)) for key, group in by_task]


def _unfit(trajectory: Trajectory, verdict: Verdict | None) -> str:
    """Why an episode cannot be trained on. Empty if it can."""
    return unfit(trajectory) or ("unsafe" if verdict is not None and verdict.unsafe else "")


def _episode(trajectory: Trajectory, verdict: Verdict | None) -> _TrainableEpisode:
    parts = cut(trajectory)
    assert parts is not None
    reward = 0.0 if verdict is None or verdict.reward is None else verdict.reward
    return _TrainableEpisode(trajectory, reward, verdict is not None and verdict.passed, parts)


def _unique(group: Sequence[_TrainableEpisode]) -> list[_TrainableEpisode]:
    """The group without duplicate replies."""
    unique: dict[bytes, _TrainableEpisode] = {}
    for episode in group:
        unique.setdefault(wording(episode.parts.rest), episode)
    return list(unique.values())


def _by_pair(labels: Sequence[Label], counts: Counter[str]) -> list[list[Label]]:
    """The newest preference of each person for each pair. Counts the labels without a preference."""
    newest: dict[tuple[frozenset[str], str], Label] = {}
    for label in labels:
        if not label.other:
            counts["of one output"] += 1
            continue
        key = frozenset((label.trajectory, label.other)), label.who
        counts["replaced"] += key in newest
        newest[key] = label
    pairs: dict[frozenset[str], list[Label]] = defaultdict(list)
    for (pair, _), label in newest.items():
        if label.judgement in ("better", "worse"):
            pairs[pair].append(label)
        else:
            counts["same" if label.judgement == "same" else "skipped"] += 1
    return list(pairs.values())


def _incomparable(sides: Sequence[tuple[Trajectory, Verdict | None]]) -> str:
    """Why two episodes cannot form a pair. Empty if they can."""
    if reason := next(filter(None, (_unfit(*side) for side in sides)), ""):
        return reason
    both = [_episode(*side) for side in sides]
    prompts = [(episode.parts.prompt, episode.trajectory.tools) for episode in both]
    if prompts[0] != prompts[1]:
        return "other prompt"
    return "twice" if len(_unique(both)) < 2 else ""


def _preference(
    task: Task, best: _TrainableEpisode, worst: _TrainableEpisode, margin: float, run: RunRecords
) -> Preference:
    return Preference(
        prompt=best.parts.prompt,
        chosen=best.parts.rest,
        rejected=worst.parts.rest,
        margin=margin,
        source=f"{best.trajectory.id} over {worst.trajectory.id}",
        **_common_fields(task, best.trajectory, run),
    )


def _common_fields(task: Task, trajectory: Trajectory, run: RunRecords) -> Json:
    tools = [msgspec.structs.replace(tool, recorded_as="") for tool in run.tools_of(trajectory.tools)]
    return {"task": task.id, "family": family_of(task), "tools": tools}


def _as_shown(run: RunRecords) -> Iterator[Trajectory]:
    """The episodes with the names of tools that the model saw. Records have other names if training renamed tools."""
    for one in run.trajectories:
        items = as_shown(one.items, run.tools_of(one.tools)) if one.tools else one.items
        yield one if items is one.items else msgspec.structs.replace(one, items=items)


def _summed(counts: Counter[str]) -> Counts:
    """The counts in order: looked at, kept, then the reasons for drops, most frequent first."""
    drops = {name: count for name, count in counts.most_common() if count and name != "kept"}
    return {"looked at": counts["kept"] + sum(drops.values()), "kept": counts["kept"], **drops}


def read_rows(path: Path, *, thumbs: bool = False) -> tuple[Rows, Counts]:
    """All rows of a file, which must be of one kind. Duplicates are dropped and counted. With `thumbs`, rows are demonstrations
    with a label, and bad ones are kept."""
    first = next((row.value for row in rows_of(path)), None)
    if isinstance(first, dict) and type(first.get("schema")) is int and "task" in first:  # Verigym wrote it
        kind = Example if "made" in first else Preference
        read = [_decoded(row, kind, path) for row in rows_of(path)]
    else:
        read = _from_tasks(load_tasks(path, split="train"), path, thumbs)
    counts = Counter[str]()
    unique: dict[bytes, Example | Preference] = {}
    for row in read:
        if row is None:
            counts["labelled bad"] += 1
            continue
        sides = (row.items,) if isinstance(row, Example) else (row.prompt, row.chosen, row.rejected)
        if thumbs and (not isinstance(row, Example) or row.good is None):
            raise BadInput(
                f'{path}, row "{row.task}": it has no thumb. Write {{"prompt", "completion", "label"}} with label true or false'
            )
        content = b"\n".join(map(wording, sides)) + (repr(row.good).encode() if isinstance(row, Example) else b"")
        counts["twice" if content in unique else "kept"] += 1
        unique.setdefault(content, row)
    return cast(Rows, list(unique.values())), {"looked at": len(read), "kept": len(unique), **counts}


def _decoded(row: FileRow, kind: type[Example] | type[Preference], path: Path) -> Example | Preference:
    try:
        if row.problem:
            raise BadInput(row.problem)
        record = codec.decode(msgspec.json.encode(row.value), kind)
        _check(record)
        return record
    except BadInput as error:
        raise BadInput(f"{path} {row.position}: {error}") from error


def _check(row: Example | Preference) -> None:
    if isinstance(row, Preference):
        for name, side in (("chosen", row.chosen), ("rejected", row.rejected)):
            if not replies(side):
                raise BadInput(f'"{name}" contains no reply of the assistant')
        return
    ends = [0, *(end for span in row.made for end in span), len(row.items)]
    if not row.made or ends != sorted(ends) or any(start == end for start, end in row.made):
        raise BadInput(
            f'"made" is {row.made}. It must list the replies as ranges of the {len(row.items)} items, in order, '
            "such as [[1, 2]]"
        )


def _from_tasks(tasks: Sequence[Task], path: Path, thumbs: bool = False) -> list[Example | Preference | None]:
    """The rows as records, with None for a demonstration that is labelled as bad, unless its thumb is wanted."""
    shape = shape_of(tasks[0])
    if shape not in ("demonstration", "preference"):
        raise BadInput(
            f'{path}: row "{tasks[0].id}" is neither a demonstration nor a preference. Use one of the forms '
            '{"prompt", "completion"}, {"messages"} or {"prompt", "chosen", "rejected"}'
        )
    read: list[Example | Preference | None] = []
    for task in tasks:
        if task.split != "train":
            raise Refused(
                f'{path}: row "{task.id}" is in split "{task.split}". Held-out tasks are never trained on. Remove it'
            )
        if (other := shape_of(task)) != shape:
            raise BadInput(
                f'{path}: row "{task.id}" is of kind {other}, but the first row is of kind {shape}. Use two files'
            )
        try:
            read.append(_row_of(task, shape, thumbs))
        except BadInput as error:
            raise BadInput(f'{path}, row "{task.id}": {error}') from error
    return read


def _row_of(task: Task, shape: str, thumbs: bool = False) -> Example | Preference | None:
    """The row as a record. None for a demonstration that is labelled as bad, unless its thumb is wanted."""
    data = task.data
    if shape == "demonstration" and data.get("label") is False and not thumbs:
        return None
    prompt: list[Item] = [Message("user", task.prompt)] if isinstance(task.prompt, str) else list(task.prompt)
    source = task.lineage[0] if task.lineage else task.id
    common: Json = {"task": task.id, "family": family_of(task), "tools": _tools(data.get("tools")), "source": source}
    if shape == "preference":
        chosen, rejected = (msgspec.convert(data[side], list[Item]) for side in ("chosen", "rejected"))
        preference = Preference(prompt=prompt, chosen=chosen, rejected=rejected, **common)
        _check(preference)
        return preference
    items = prompt + msgspec.convert(data["completion"], list[Item])
    made = replies(items, len(prompt))
    if not made:
        raise BadInput('"completion" contains no reply of the assistant')
    label = data.get("label")
    return Example(items=items, made=made, good=label if thumbs and isinstance(label, bool) else None, **common)


def _tools(value: Any) -> list[ToolSpec]:
    """Tools in the form of a Chat Completions or Responses request."""
    if value is None:
        return []
    try:
        specs = [tool.get("function", tool) for tool in value]
        return msgspec.convert([{k: v for k, v in spec.items() if v is not None} for spec in specs], list[ToolSpec])
    except (AttributeError, TypeError, msgspec.ValidationError) as error:
        raise BadInput(f'"tools" is not a list of {{"name", "description", "parameters"}}: {error}') from error
