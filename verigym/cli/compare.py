"""compare: two versions side by side."""

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from verigym.cli import complete, show
from verigym.cli.gate import typed
from verigym.cli.options import Home, Json, env_option, workspace
from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, Message
from verigym.core.words import counted, dollars, figure, percent, points

if TYPE_CHECKING:
    from verigym.core.records import Report, Version
    from verigym.evaluation.compare import Changes, Comparison, Flip, RateChange
    from verigym.evaluation.stats import Delta, Ratio
    from verigym.workspace.workspace import WorkspaceFolder

_NUM_FAMILIES = 5


def compare(
    champion: Annotated[
        str, typer.Argument(metavar="BEFORE", help="Baseline version", autocompletion=complete.versions)
    ],
    candidate: Annotated[str, typer.Argument(metavar="AFTER", help="New version", autocompletion=complete.versions)],
    environment: Annotated[
        str, env_option("Environment to compare on (default: the most recent one that both were evaluated on)")
    ] = "",
    flips: Annotated[
        int,
        typer.Option(
            "--flips",
            min=0,
            help="Show up to N tasks that only AFTER passes and N that only BEFORE passes, with both replies",
        ),
    ] = 3,
    task: Annotated[str, typer.Option("--show", metavar="TASK", help="Show both conversations of one task")] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Compare two versions task by task on held-out tasks that both were evaluated on."""
    from verigym.evaluation.compare import changes
    from verigym.evaluation.compare import compare as compare_reports
    from verigym.workspace.shared_reports import shared_reports

    ws = workspace(home).folder
    before, after = ws.find(champion), ws.find(candidate)
    if before.id == after.id:
        raise BadInput(f"{champion} and {candidate} are the same version ({before.id}). Name two: verigym models list")
    theirs, ours = shared_reports(ws, after, before, environment)[::-1]
    if task:
        return _both(ws, theirs, ours, task, (before.label, after.label), json)
    found, moved = compare_reports(theirs, ours), changes(theirs, ours, level=0.975)
    if json:
        return show.as_json({**msgspec.to_builtins(found), "changes": moved})
    _say_success(found, before.label, after.label)
    _tests(found, moved, compare_reports(theirs, ours, level=0.975).success)
    _ratios(moved.ratios)
    _families(moved.families)
    _buckets(found, moved.buckets)
    for what, changed in (("gained", found.gained), ("lost", found.lost)):
        for flip in changed[:flips]:
            _flip(ws, what, flip)
        if len(changed) > flips:
            show.say(f"and {len(changed) - flips} more {what} (--flips {len(changed)} shows all)")
    first = next(iter([*found.lost, *found.gained]), None)
    if first is not None:
        names = f"{typed(ws, before.id)} {typed(ws, after.id)}"
        both = show.command(f"verigym compare {names} --show {show.quote(first.task)}")
        show.say(f"both conversations of a task: {both}")
    show.next_command(_next(ws, after, found, ours))


def _next(ws: "WorkspaceFolder", after: "Version", found: "Comparison", report: "Report") -> str:
    """Ask the gate about a gain, see why there is none, or show the champion."""
    from verigym.registry import ledger

    if ledger.champion(ws.store) == after.id:
        return f"verigym report {typed(ws, after.id)}"
    if found.success.value <= 0:
        return f"verigym explain {show.quote(report.run)}"
    return f"verigym gate {typed(ws, after.id)}"


def comparison(result: "Comparison", before: str, after: str, indent: str = "") -> None:
    """A comparison in a few lines: success, the difference, failure buckets."""
    _say_success(result, before, after, indent)
    delta = result.success
    show.say(
        f"{indent}difference {points(delta.value)} points, at least {points(delta.low)} with 95% confidence",
        f"{indent}p = {delta.p:.2g} ({delta.method})",
    )
    _say_flips(result, indent)
    if result.buckets:
        rows = [(name, *counts) for name, counts in result.buckets.items()]
        show.table(rows, ("failure", "before", "after"), indent)


def _say_success(result: "Comparison", before: str, after: str, indent: str = "") -> None:
    size = f"{counted(result.tasks, 'task')} of {counted(result.families, 'family')}"
    show.say(f"{indent}{size}, paired by task (suite {result.suite})")
    rows = [
        (before, *figure("success", result.champion_success)),
        (after, *figure("success", result.candidate_success)),
    ]
    show.table(rows, ("version", "success", "95% interval"), indent)


def _say_flips(result: "Comparison", indent: str = "") -> None:
    unsafe = result.unsafe
    show.say(
        f"{indent}tasks gained {len(result.gained)}, lost {len(result.lost)}; "
        f"unsafe {unsafe.champion} -> {unsafe.candidate}"
    )


def _tests(found: "Comparison", moved: "Changes", two_sided: "Delta") -> None:
    """The difference with its interval, the tests by name, and the difference if errors counted as failures."""
    delta = found.success
    how = (
        f"clustered t, {delta.families - 1} degrees of freedom"
        if delta.families > 1
        else "one family, so the interval is unbounded"
    )
    show.say(
        f"difference {points(delta.value)} points, 95% interval {points(two_sided.low)} to {points(two_sided.high)} ({how})"
    )
    show.say(f"at least {points(delta.low)} points with 95% confidence, one-sided")
    tests = [f"{_p(delta.p)} by {delta.method}"]
    if not delta.method.startswith("sign-flip"):
        tests.append(f"{_p(moved.sign_flip)} by sign-flip permutation over families")
    if found.mcnemar is not None:
        tests.append(f"{_p(found.mcnemar)} by McNemar's exact test, mid-p (assumes independent tasks)")
    show.paragraph("one-sided p (how often chance alone gives such a result): " + ", ".join(tests))
    _say_flips(found)
    if found.dropped:
        other = found.with_errors_failed
        show.say(
            f"left out because one side has no score: {counted(found.dropped, 'task')}. Counted as failures: "
            f"{points(other.value)} points (at least {points(other.low)})"
        )


def _ratios(found: "Mapping[str, Ratio]") -> None:
    rows = [
        (
            name if name.startswith("latency") or name.endswith("success") else f"{name} (geometric mean)",
            *(dollars(side) if name.startswith("cost") else f"{side:.4g}" for side in (one.champion, one.candidate)),
            _times(one.value),
            f"{_bound(one.low, one.value)} to {_bound(one.high, one.value)}",
        )
        for name, one in found.items()
    ]
    if not rows:
        return show.say(
            "one report has no latency and tokens. Repeat its eval command to add them without running it again"
        )
    show.say("")
    show.table(rows, ("figure", "before", "after", "ratio", "95% interval"))
    if any(name.startswith("latency") for name in found):
        show.say("latency depends on the machine and its load: compare it only if both runs had the same")


def _times(factor: float) -> str:
    """`0.91`, `0.0004`"""
    return f"{factor:.2f}" if factor >= 0.1 else f"{factor:.1g}"


def _bound(factor: float, value: float) -> str:
    """A bound that is 100 times away from the value is unknown."""
    return _times(factor) if value / 100 <= factor <= 100 * value else "-"


def _families(found: "Sequence[RateChange]") -> None:
    """The families that changed most, in both directions."""
    from verigym.evaluation.compare import CLAIM
    from verigym.evaluation.stats import two_sided_p

    largest = max(one.tasks for one in found)
    if two_sided_p([0.0] * largest, [1.0] * largest, range(largest)) > CLAIM:
        return  # not even a family that changed in every task could be told from chance
    down = [one for one in found if one.candidate < one.champion][:_NUM_FAMILIES]
    up = [one for one in found if one.candidate > one.champion][:_NUM_FAMILIES]
    if not (down or up):
        return
    show.say("")
    show.table([_row(one) for one in [*up, *down[::-1]]], ("family", "before", "after", "tasks", "beyond chance"))
    sure = sum(one.q <= CLAIM for one in found)
    show.say(
        f"{sure} of {counted(len(found), 'family')} changed beyond chance (Benjamini-Hochberg over all, q <= {CLAIM})"
    )


def _buckets(found: "Comparison", moved: "Sequence[RateChange]") -> None:
    from verigym.evaluation.compare import CLAIM

    if not found.buckets:
        return
    beyond = {one.name: _beyond(one) for one in moved}
    show.say("")
    rows = [(name, *counts, beyond.get(name, "")) for name, counts in found.buckets.items()]
    show.table(rows, ("failure", "before", "after", "beyond chance"))
    show.say(f"beyond chance: by clustered t over families, Benjamini-Hochberg over {len(moved)} buckets, q <= {CLAIM}")


def _row(one: "RateChange") -> tuple[Any, ...]:
    return one.name, percent(one.champion, 0), percent(one.candidate, 0), one.tasks, _beyond(one)


def _beyond(one: "RateChange") -> str:
    from verigym.evaluation.compare import CLAIM

    return f"yes (q = {one.q:.2g})" if one.q <= CLAIM else "no"


def _flip(ws: "WorkspaceFolder", what: str, flip: "Flip") -> None:
    """The request, and of each side the first call that differs, or the last reply if the calls are the same."""
    before, after = (ws.store.trajectory(id)[1] for id in (flip.champion, flip.candidate))
    asked = next((item.text for item in before.items if isinstance(item, Message) and item.role == "user"), "")
    show.say("", f"{what}: {flip.task}")
    show.say(f"  prompt  {show.clip(asked, 100) or '(empty)'}")
    calls = [
        [f"{item.name} {item.arguments}" for item in side.items if isinstance(item, FunctionCall)]
        for side in (before, after)
    ]
    same = next((n for n, pair in enumerate(zip(*calls, strict=False)) if pair[0] != pair[1]), min(map(len, calls)))
    for name, side, made in zip(("before", "after"), (before, after), calls, strict=True):
        text = f"call {same + 1}: {made[same]}" if same < len(made) else side.reply
        if calls[0] != calls[1] and same >= len(made):
            text = f"no call {same + 1}: {side.reply or '(empty reply)'}"
        show.say(f"  {name:6}  {show.clip(text, 100) or '(empty)'}")


def _both(
    ws: "WorkspaceFolder", theirs: "Report", ours: "Report", task: str, names: tuple[str, str], json: bool
) -> None:
    """Both conversations of a task, one below the other."""
    from verigym.core.errors import NotFound
    from verigym.evaluation.compare import flip_of

    results = [{result.task: result for result in report.results} for report in (theirs, ours)]
    if task not in results[0]:
        near = difflib.get_close_matches(task, results[0], n=3, cutoff=0.3)
        raise NotFound(f'There is no task "{task}" in suite {ours.suite.name}. Similar: {", ".join(near) or "none"}')
    flip = flip_of((results[0][task], results[1][task]))
    found = []
    for report, id in ((theirs, flip.champion), (ours, flip.candidate)):
        if not id:
            raise NotFound(
                f"Run {report.run} has no episode of task {task}. "
                "Evaluate the version again: verigym eval ENV -m VERSION"
            )
        trajectory = ws.store.trajectory(id)[1]
        found.append((trajectory, ws.store.verdicts_on(report.run, id)))
    if json:
        return show.as_json(
            {
                side: {"trajectory": one, "verdicts": of}
                for side, (one, of) in zip(("before", "after"), found, strict=True)
            }
        )
    asked = next((one for one in ws.store.tasks(ours.run) if one.id == task), None)
    for side, name, (trajectory, verdicts) in zip(("before", "after"), names, found, strict=True):
        show.say(f"---- {side}: {name} " + "-" * 40)
        show.conversation(asked, trajectory, verdicts)
        show.say("")
    show.next_command(f"verigym explain {show.quote(ours.run)}")


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1g}"
