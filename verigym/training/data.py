"""Training data from a stored run: demonstrations (episodes to imitate) and preferences (pairs with a better episode).

Pure functions from records to rows, without torch. Each also counts the episodes that it looked at, kept, and dropped, with the
reason. `looked at` is the sum of all other counts. `dataset_files` reads rows from files. `workspace.datasets` stores rows.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import Example, Label, Preference, Task, ToolSpec, Trajectory, Verdict
from verigym.evaluation.suites import family_of
from verigym.rollout.replies import SplitTrajectory, cut, unfit, wording

Counts = dict[str, int]
ToolsOf = Callable[[str], list[ToolSpec]]
"""Returns the tools that a trajectory refers to by hash."""

_ROUNDING = 1e-9


class _Try(NamedTuple):
    """An episode that can be trained on."""

    id: str
    place: int
    reward: float
    passed: bool
    tokens: int
    tools: str
    cut: SplitTrajectory


def demonstrations(
    tasks: Iterable[Task],
    trajectories: Iterable[Trajectory],
    verdicts: Iterable[Verdict],
    tools_of: ToolsOf,
    *,
    per_task: int = 4,
    min_reward: float | None = None,
) -> tuple[list[Example], Counts]:
    """Rejection sampling: at most `per_task` passed episodes of each task, with the highest reward, then the shortest."""
    by_id, counts = _trainable(tasks), Counter[str]()
    made: list[Example] = []
    for task, group in _groups(by_id, trajectories, verdicts, counts):
        passed = [one for one in group if one.passed]
        good = [one for one in passed if min_reward is None or one.reward >= min_reward]
        unlike = _unlike(good)
        counts["not passed"] += len(group) - len(passed)
        counts["below min_reward"] += len(passed) - len(good)
        counts["twice"] += len(good) - len(unlike)
        counts["over per_task"] += len(unlike[per_task:])
        made += [_example(by_id[task], one, tools_of) for one in unlike[:per_task]]
    counts["kept"] = len(made)
    return made, _summed(counts)


def graded_pairs(
    tasks: Iterable[Task],
    trajectories: Iterable[Trajectory],
    verdicts: Iterable[Verdict],
    tools_of: ToolsOf,
    *,
    gap: float = 0.1,
    per_task: int = 4,
) -> tuple[list[Preference], Counts]:
    """Pairs the best episode of a task with its worst, the second best with the second worst, and so on, while their rewards
    differ by `gap` or more. Counts are of episodes. Each is in at most one pair, so `kept` is twice the number of pairs."""
    by_id, counts = _trainable(tasks), Counter[str]()
    made: list[Preference] = []
    for task, group in _groups(by_id, trajectories, verdicts, counts):
        unlike = _unlike(group)
        ends = list(zip(unlike[: len(unlike) // 2], unlike[::-1], strict=False))
        apart = [(best, worst) for best, worst in ends if _differ(best.reward - worst.reward, gap)]
        counts["twice"] += len(group) - len(unlike)
        counts["too close"] += 2 * (len(ends) - len(apart))
        counts["no partner"] += len(unlike) % 2
        counts["over per_task"] += 2 * len(apart[per_task:])
        for best, worst in apart[:per_task]:
            counts["kept"] += 2
            made.append(_preference(by_id[task], best, worst, best.reward - worst.reward, tools_of))
    return made, _summed(counts)


def labelled_pairs(
    tasks: Iterable[Task],
    trajectories: Iterable[Trajectory],
    verdicts: Iterable[Verdict],
    labels: Iterable[Label],
    tools_of: ToolsOf,
) -> tuple[list[Preference], Counts]:
    """Pairs from people's labels, oldest first. If a person labelled a pair twice, the newest label counts. A pair on which two
    people disagree is dropped. Counts are of labels. Labels on other runs are ignored."""
    by_id, episodes = _trainable(tasks), {one.id: one for one in trajectories}
    judged = {verdict.trajectory: verdict for verdict in verdicts}
    counts = Counter[str]()
    made: list[Preference] = []
    ours = [one for one in labels if one.trajectory in episodes and (not one.other or one.other in episodes)]
    for said in _by_pair(ours, counts):
        winners = {one.trajectory if one.judgement == "better" else one.other for one in said}
        if len(winners) > 1:
            counts["people disagree"] += len(said)
            continue
        ids = sorted((said[0].trajectory, said[0].other), key=lambda id: id not in winners)
        sides = [(episodes[id], judged.get(id)) for id in ids]
        reason = _incomparable(sides)
        counts[reason or "kept"] += 1
        counts["said before"] += len(said) - 1
        if not reason:
            best, worst = (_try(*side) for side in sides)
            made.append(_preference(by_id[sides[0][0].task], best, worst, 0.0, tools_of))
    return made, _summed(counts)


# -- which episodes -----------------------------------------------------------------------------------------------------


def _trainable(tasks: Iterable[Task]) -> dict[str, Task]:
    """Tasks by id. Refuses held-out tasks."""
    by_id = {task.id: task for task in tasks}
    held_out = [task for task in by_id.values() if task.split != "train"]
    if held_out:
        one = held_out[0]
        raise Refused(
            f'{len(held_out)} of {len(by_id)} tasks are held out (task "{one.id}" is in split "{one.split}"). Held-out tasks '
            "are never trained on. Use a run on training tasks: verigym rollout ENV -m MODEL --split train"
        )
    return by_id


def _groups(
    tasks: dict[str, Task], trajectories: Iterable[Trajectory], verdicts: Iterable[Verdict], counts: Counter[str]
) -> list[tuple[str, list[_Try]]]:
    """Episodes that can be trained on, grouped by task, prompt and tools, best first. Counts the others."""
    judged = {verdict.trajectory: verdict for verdict in verdicts}
    groups: dict[tuple[str, str, bytes], list[_Try]] = defaultdict(list)
    for one in trajectories:
        verdict = judged.get(one.id)
        reason = _unfit(one, verdict) or ("not scored" if verdict is None or verdict.reward is None else "")
        if reason:
            counts[reason] += 1
        else:
            made = _try(one, verdict)
            groups[one.task, one.tools, msgspec.json.encode(made.cut.prompt)].append(made)
    by_task = sorted(groups.items(), key=lambda pair: pair[0][0])
    assert all(key[0] in tasks for key in groups), "an episode of a task that is not in the run"
    return [(key[0], sorted(group, key=lambda one: (-one.reward, one.tokens, one.place))) for key, group in by_task]


def _unfit(one: Trajectory, verdict: Verdict | None) -> str:
    """Why an episode cannot be trained on. Empty if it can."""
    return unfit(one) or ("unsafe" if verdict is not None and verdict.unsafe else "")


def _try(one: Trajectory, verdict: Verdict | None) -> _Try:
    found = cut(one)
    assert found is not None
    tokens = sum(turn.usage.completion_tokens for turn in one.turns if turn.actor == "policy")
    reward = 0.0 if verdict is None or verdict.reward is None else verdict.reward
    return _Try(one.id, one.index, reward, verdict is not None and verdict.passed, tokens, one.tools, found)


def _unlike(group: Sequence[_Try]) -> list[_Try]:
    """The group without duplicate replies."""
    found: dict[bytes, _Try] = {}
    for one in group:
        found.setdefault(wording(one.cut.rest), one)
    return list(found.values())


def _differ(difference: float, gap: float) -> bool:
    return difference > 0 and difference >= gap - _ROUNDING


# -- labels -------------------------------------------------------------------------------------------------------------


def _by_pair(labels: Sequence[Label], counts: Counter[str]) -> list[list[Label]]:
    """The newest preference of each person for each pair. Counts the labels without a preference."""
    newest: dict[tuple[frozenset[str], str], Label] = {}
    for one in labels:
        if not one.other:
            counts["of one output"] += 1
            continue
        key = frozenset((one.trajectory, one.other)), one.who
        counts["replaced"] += key in newest
        newest[key] = one
    pairs: dict[frozenset[str], list[Label]] = defaultdict(list)
    for (pair, _), one in newest.items():
        if one.judgement in ("better", "worse"):
            pairs[pair].append(one)
        else:
            counts["same" if one.judgement == "same" else "skipped"] += 1
    return list(pairs.values())


def _incomparable(sides: Sequence[tuple[Trajectory, Verdict | None]]) -> str:
    """Why two episodes cannot form a pair. Empty if they can."""
    unfit = next(filter(None, (_unfit(*side) for side in sides)), "")
    if unfit:
        return unfit
    one, other = (_try(*side) for side in sides)
    if (one.cut.prompt, one.tools) != (other.cut.prompt, other.tools):
        return "other prompt"
    return "twice" if len(_unlike([one, other])) < 2 else ""


# -- rows ---------------------------------------------------------------------------------------------------------------


def _example(task: Task, one: _Try, tools_of: ToolsOf) -> Example:
    return Example(
        task=task.id,
        family=family_of(task),
        items=one.cut.prompt + one.cut.rest,
        made=one.cut.made,
        tools=tools_of(one.tools),
        source=one.id,
    )


def _preference(task: Task, best: _Try, worst: _Try, margin: float, tools_of: ToolsOf) -> Preference:
    return Preference(
        task=task.id,
        family=family_of(task),
        prompt=best.cut.prompt,
        chosen=best.cut.rest,
        rejected=worst.cut.rest,
        tools=tools_of(best.tools),
        margin=margin,
        source=f"{best.id} over {worst.id}",
    )


def _summed(counts: Counter[str]) -> Counts:
    """The counts in order: looked at, kept, then the reasons for drops, most frequent first."""
    drops = {name: count for name, count in counts.most_common() if count and name != "kept"}
    return {"looked at": counts["kept"] + sum(drops.values()), "kept": counts["kept"], **drops}
