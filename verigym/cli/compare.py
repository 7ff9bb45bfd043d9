"""compare: two versions side by side."""

import difflib
from typing import Annotated, Any

import msgspec
import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, workspace
from verigym.core.errors import BadInput
from verigym.core.words import counted

_NUM_FAMILIES = 5


def register(app: typer.Typer) -> None:
    app.command()(compare)


def compare(
    champion: Annotated[str, typer.Argument(help="A version: before")],
    candidate: Annotated[str, typer.Argument(help="A version: after")],
    environment: Annotated[
        str, typer.Option("--environment", help="On its held-out tasks; default: the newest that both were measured on")
    ] = "",
    flips: Annotated[int, typer.Option("--flips", min=0, help="So many tasks gained and lost, with both replies")] = 3,
    task: Annotated[str, typer.Option("--show", help="Only this task: both conversations, before and after")] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Set two versions side by side, task by task, on held-out tasks that both were measured on."""
    from verigym.evaluation.changes import changes
    from verigym.evaluation.compare import compare as compare_reports
    from verigym.workspace.gate import shared_reports

    ws = workspace(home)
    before, after = ws.find(champion), ws.find(candidate)
    if before.id == after.id:
        raise BadInput(f"{champion} and {candidate} are one version ({before.id}); name two: verigym models list")
    theirs, ours = shared_reports(ws, after, before, environment)[::-1]
    if task:
        return _both(ws, theirs, ours, task, (before.label, after.label), json)
    found, moved = compare_reports(theirs, ours), changes(theirs, ours, level=0.975)
    if json:
        return show.as_json({**msgspec.to_builtins(found), "changes": moved})
    _success(found, before.label, after.label)
    _tests(found, moved, compare_reports(theirs, ours, level=0.975).success)
    _ratios(moved.ratios)
    _families(moved.families)
    _buckets(found, moved.buckets)
    for what, changed in (("gained", found.gained), ("lost", found.lost)):
        for flip in changed[:flips]:
            _flip(ws, what, flip)
        if len(changed) > flips:
            show.say(f"and {len(changed) - flips} more {what}: --flips {len(changed)}")
    first = next(iter([*found.lost, *found.gained]), None)
    if first is not None:
        show.say(f"both conversations of a task: verigym compare {before.id} {after.id} --show {first.task}")
    show.next_command(f"verigym gate {after.id}")


def comparison(found: Any, before: str, after: str) -> None:
    """A comparison in a few lines: success, the difference, failure buckets."""
    _success(found, before, after)
    delta = found.success
    show.say(f"difference {100 * delta.value:+.1f} points, at least {100 * delta.low:+.1f} with 95% confidence")
    show.say(f"p = {delta.p:.2g} ({delta.method})")
    _flips(found)
    if found.buckets:
        show.table([(name, *counts) for name, counts in found.buckets.items()], ("failure", "before", "after"))


def _success(found: Any, before: str, after: str) -> None:
    show.say(
        f"{counted(found.tasks, 'task')} of {counted(found.families, 'family')}, paired by task (suite {found.suite})"
    )
    rows = [
        (before, *show.figure("success", found.champion_success)),
        (after, *show.figure("success", found.candidate_success)),
    ]
    show.table(rows, ("version", "success", "95% interval"))


def _flips(found: Any) -> None:
    show.say(
        f"tasks gained {len(found.gained)}, lost {len(found.lost)}; unsafe {found.unsafe.champion} -> {found.unsafe.candidate}"
    )


def _tests(found: Any, moved: Any, two_sided: Any) -> None:
    """The difference with its interval, every test by its name, and errors counted the other way."""
    delta = found.success
    how = (
        f"clustered t, {delta.families - 1} degrees of freedom"
        if delta.families > 1
        else "one family: anything is possible"
    )
    show.say(
        f"difference {_points(delta.value)} points, 95% interval {_points(two_sided.low)} to {_points(two_sided.high)} ({how})"
    )
    show.say(f"at least {_points(delta.low)} points with 95% confidence, one-sided: what the gate asks")
    tests = [f"{_p(delta.p)} by {delta.method}"]
    if not delta.method.startswith("sign-flip"):
        tests.append(f"{_p(moved.sign_flip)} by sign-flip permutation over families")
    if found.mcnemar is not None:
        tests.append(f"{_p(found.mcnemar)} by McNemar's exact test, mid-p (tasks taken as independent)")
    show.paragraph("one-sided p, how often chance alone looks so good: " + "; ".join(tests))
    _flips(found)
    if found.dropped:
        other = found.with_errors_failed
        show.say(
            f"left out, not scored on one side or both: {counted(found.dropped, 'task')}; were each a failure of its side: "
            f"{_points(other.value)} points (at least {_points(other.low)})"
        )


def _ratios(found: Any) -> None:
    rows = [
        (
            name,
            *(
                show.dollars(side) if name.startswith("cost") else f"{side:.4g}"
                for side in (one.champion, one.candidate)
            ),
            f"{one.value:.2f}",
            f"{one.low:.2f} to {one.high:.2f}",
        )
        for name, one in found.items()
    ]
    if not rows:
        return show.say(
            "latency and tokens are missing in one of the reports; its eval command adds them and runs nothing again"
        )
    show.say("")
    show.table(rows, ("figure", "before", "after", "ratio", "95% interval"))
    if any(name.startswith("latency") for name in found):
        show.say("latency is that of each run, on its machine under its load: compare it where both were alike")


def _families(found: Any) -> None:
    """Those that moved most, both ways."""
    from verigym.evaluation.changes import CLAIM

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


def _buckets(found: Any, moved: Any) -> None:
    from verigym.evaluation.changes import CLAIM

    if not found.buckets:
        return
    beyond = {one.name: _beyond(one) for one in moved}
    show.say("")
    rows = [(name, *counts, beyond.get(name, "")) for name, counts in found.buckets.items()]
    show.table(rows, ("failure", "before", "after", "beyond chance"))
    show.say(f"beyond chance: by clustered t over families, Benjamini-Hochberg over {len(moved)} buckets, q <= {CLAIM}")


def _row(one: Any) -> tuple[Any, ...]:
    return one.name, f"{100 * one.champion:.0f}%", f"{100 * one.candidate:.0f}%", one.tasks, _beyond(one)


def _beyond(one: Any) -> str:
    from verigym.evaluation.changes import CLAIM

    return f"yes (q = {one.q:.2g})" if one.q <= CLAIM else "no"


def _flip(ws: Any, what: str, flip: Any) -> None:
    """What was asked, and the last reply of each side."""
    before, after = (ws.store.trajectory(id)[1] for id in (flip.champion, flip.candidate))
    asked = next((item.text for item in before.items if getattr(item, "role", "") == "user"), "")
    show.say("", f"{what}: {flip.task}")
    for name, text in (("asked", asked), ("before", before.reply), ("after", after.reply)):
        show.say(f"  {name:6}  {show.clip(text, 100) or '(empty)'}")


def _both(ws: Any, theirs: Any, ours: Any, task: str, names: tuple[str, str], json: bool) -> None:
    """Both conversations of a task, one below the other."""
    from verigym.core.errors import NotFound
    from verigym.evaluation.compare import look_at

    results = [{result.task: result for result in report.results} for report in (theirs, ours)]
    if task not in results[0]:
        near = difflib.get_close_matches(task, results[0], n=3, cutoff=0.3)
        raise NotFound(f'no task "{task}" in suite {ours.suite.name}; near it: {", ".join(near) or "none"}')
    flip = look_at((results[0][task], results[1][task]))
    found = []
    for report, id in ((theirs, flip.champion), (ours, flip.candidate)):
        if not id:
            raise NotFound(f"run {report.run} has no episode of {task}: it was never run")
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


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1g}"
