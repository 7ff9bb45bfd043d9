"""explain, advise: why episodes fail, and what to try first."""

from typing import Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.live import duration
from verigym.cli.options import Home, Json, workspace
from verigym.core.errors import BadInput, not_found
from verigym.core.words import counted

Run = Annotated[str, typer.Argument(help="A run: id, beginning of an id, or latest")]
_SHOWN = 5
"""Clusters of a bucket that are shown without asking."""
_LISTED = 40
"""Episodes of a cluster that are listed without --json."""


def register(app: typer.Typer) -> None:
    app.command()(explain)
    app.command()(advise)


def explain(
    run: Run = "latest",
    bucket: Annotated[str, typer.Option("--bucket", help="Only this bucket, with all of its clusters")] = "",
    cluster: Annotated[int, typer.Option("--cluster", min=0, help="List the episodes of cluster N")] = 0,
    judge: Annotated[
        str, typer.Option("--judge", help='Model that is asked about what the rules leave as "wrong answer", as for -m')
    ] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Why episodes of a run failed: buckets, clusters by symptom, examples to read."""
    from verigym.workspace.explain import open_run, with_judge

    ws = workspace(home)
    source = open_run(ws, run)
    if judge:
        with show.progress("judge") as bar:
            source = with_judge(source, ws.agent(judge), lambda done, total: bar(done, total, ""))
    found = source.explained()
    numbered = _numbered(found)
    if cluster:
        return _list(source, numbered, cluster, json)
    findings = [one for one in found.findings if not bucket or one.bucket == bucket]
    if bucket and not findings:
        raise not_found(
            "bucket", bucket, [one.bucket for one in found.findings], f"These are the ones of run {source.run.id}."
        )
    if json:
        return show.as_json(findings if bucket else found)
    _head(source, found)
    for finding in findings:
        _bucket(finding, numbered, every=bool(bucket))
    show.say("")
    if not findings:
        show.say("nothing failed" if found.scored else "there is no episode in it")
        return show.next_command(f"verigym runs show {show.quote(source.run.id)}")
    first, run_id = findings[0].clusters[0], show.quote(source.run.id)
    show.say(f"what to try first: verigym advise {run_id}")
    number = numbered[findings[0].bucket, first.symptom, first.by]
    show.next_command(
        f"verigym explain {run_id} --cluster {number}   ·   verigym trajectories show {show.quote(first.trajectories[0])}"
    )


def _numbered(found: Any) -> dict[tuple[str, str, str], int]:
    """Clusters are numbered as they are printed, over the whole run."""
    keys = [(finding.bucket, one.symptom, one.by) for finding in found.findings for one in finding.clusters]
    return {key: number for number, key in enumerate(keys, start=1)}


def _head(source: Any, found: Any) -> None:
    lost = found.trajectories - found.scored
    show.say(
        f"run {source.run.id}: {counted(found.trajectories, 'trajectory')}, {found.passed} passed"
        + (f", {lost} not scored" if lost else "")
    )
    for words in (source.note, _inconsistent(found), _horizon(found)):
        if words:
            show.paragraph(words)
    if source.unanswered:
        show.say(f"the judge gave no usable answer on {counted(source.unanswered, 'episode')}; there the rules decide")


def _inconsistent(found: Any) -> str:
    if not found.groups:
        return ""
    few = ", ".join(found.inconsistent[:3]) + (", ..." if len(found.inconsistent) > 3 else "")
    return (
        f"inconsistent: {len(found.inconsistent)} of {counted(found.groups, 'task')} pass in some tries and fail in others"
        + (f" ({few})" if few else "")
    )


def _horizon(found: Any) -> str:
    it = found.horizon
    if it is None or not it.found:
        return ""
    return (
        f"long-horizon: tasks of up to {counted(it.most_short, 'call')} pass in {100 * it.short.value:.0f}% "
        f"({counted(it.short.n, 'task')}), longer ones in {100 * it.long.value:.0f}% "
        f"({counted(it.long.n, 'task')}); at least {100 * it.low:.0f} points worse"
    )


def _bucket(finding: Any, numbered: dict[tuple[str, str, str], int], every: bool) -> None:
    show.say("", f"{finding.bucket}: {finding.count} ({100 * finding.share:.0f}%) - {finding.meaning}")
    shown = finding.clusters if every else finding.clusters[:_SHOWN]
    for one in shown:
        by = "" if one.by == "rules" else f" (by {one.by})"
        number = numbered[finding.bucket, one.symptom, one.by]
        show.say(f"  {number:>3}. {one.count:>4}x  {show.clip(one.symptom or 'no reason recorded', 84)}{by}")
        if one.example and one.example != one.symptom:
            show.say(f"              {show.clip(one.example, 96)}")
        show.say(f"              {one.trajectories[0]}")
    rest = finding.clusters[len(shown) :]
    if rest:
        episodes = sum(one.count for one in rest)
        show.say(f'       {episodes:>4}x  in {len(rest)} smaller clusters: --bucket "{finding.bucket}" shows them')


def _list(source: Any, numbered: dict[tuple[str, str, str], int], cluster: int, json: bool) -> None:
    key = next((key for key, number in numbered.items() if number == cluster), None)
    if key is None:
        raise BadInput(
            f"run {source.run.id} has no cluster {cluster}; they are numbered from 1 to {len(numbered)}: "
            f"verigym explain {show.quote(source.run.id)}"
        )
    found = (one for one in source.failed() if (one.reason.bucket, one.symptom, one.reason.by) == key)
    if json:
        return show.as_json([{"trajectory": one.trajectory, "evidence": one.reason.evidence} for one in found])
    show.say(f"cluster {cluster} of run {source.run.id}: {key[0]}, {key[1] or 'no reason recorded'}")
    first, count = "", 0
    for one in found:
        first, count = first or one.trajectory, count + 1
        if count <= _LISTED:
            show.say(f"  {one.trajectory}", f"      {show.clip(one.reason.evidence, 100)}")
    if count > _LISTED:
        show.say(f"  and {count - _LISTED} more: --json lists all of them")
    show.next_command(f"verigym trajectories show {show.quote(first)}")


def advise(
    run: Annotated[
        str, typer.Argument(help="A run (id, beginning of an id, latest), or a version: then its newest run")
    ] = "latest",
    trials: Annotated[
        bool,
        typer.Option("--try", help="Run the cheap trials (a prompt variant, constrained decoding) on training tasks"),
    ] = False,
    n: Annotated[int, typer.Option("-n", min=2, help="Training tasks of a trial")] = 40,
    json: Json = False,
    home: Home = None,
) -> None:
    """What to try first, with reasons, figures and the command: the lightest fix first."""
    from verigym.flywheel.trials import try_out
    from verigym.workspace.advise import advise_on, open_subject

    subject = open_subject(workspace(home), run)
    notes: list[str] = []
    if trials:
        with show.episodes("trials") as bar:
            notes = try_out(subject, n, on_progress=bar).notes
    found = advise_on(subject, notes)
    if json:
        return show.as_json(found)
    _measured(subject, found)
    advised = [one for one in found.advice if one.advised]
    for place, one in enumerate(advised, start=1):
        show.say("", f"{place}. {one.fix}")
        for reason in one.reasons:
            show.paragraph(reason, "   ")
        if one.estimate:
            show.paragraph(_takes(one.estimate), "   ")
        if one.command:
            show.say(f"   {one.command}")
    if not advised:
        show.say("", "nothing is advised: the failures that are left fit no fix that is known here; read some")
    show.say("", "not now:")
    for one in found.advice:
        if not one.advised:
            show.paragraph(f"{one.fix}: {one.reasons[0]}", "  ", "  ")
    show.say("")
    show.next_command(
        advised[0].command if advised and advised[0].command else f"verigym explain {show.quote(subject.run.id)}"
    )


def _measured(subject: Any, found: Any) -> None:
    """The figures that decide."""
    it, agent = found.evidence, subject.agent
    size = f" ({it.parameters / 1e6:,.0f} million parameters)" if it.parameters else ""
    show.say(f"{agent.label}{size} in {it.environment}, run {it.run}")
    low, high = 100 * it.success.low, 100 * it.success.high
    line = f"success {100 * it.success.value:.1f}% ({low:.1f}% to {high:.1f}%) on {counted(it.success.n, 'task')}"
    if it.pass_at_k is not None:
        line += f"; pass@1 {100 * it.pass_at_1:.1f}%, pass@{it.k} {100 * it.pass_at_k:.1f}%"
        line += f"; rewards differ in {100 * it.signal:.0f}% of groups"
    show.paragraph(line, "  ", "  ")
    if it.buckets:
        shares = sorted(it.buckets.items(), key=lambda pair: -pair[1])
        show.paragraph("failures: " + ", ".join(f"{name} {100 * share:.0f}%" for name, share in shares), "  ", "  ")
    if it.horizon is not None:
        show.paragraph(
            f"tasks of up to {counted(it.horizon.most_short, 'call')} pass in {100 * it.horizon.short.value:.0f}%, longer ones "
            f"in {100 * it.horizon.long.value:.0f}%",
            "  ",
            "  ",
        )
    show.paragraph(
        f"at hand: {counted(it.train_tasks, 'training task')} of {counted(it.train_families, 'family')}, {it.gold:,} with a gold "
        f"solution; {counted(it.demonstrations, 'demonstration')}, {counted(it.pairs, 'pair')}, {counted(it.labels, 'label')}",
        "  ",
        "  ",
    )
    audit = "audited" if it.audited else "never audited"
    show.say(f"  success is verified by a {it.verified_by}, {'checked' if it.checked else 'never checked'}, {audit}")
    for note in found.notes:
        show.paragraph(note, "  ", "  ")


def _takes(estimate: dict[str, float]) -> str:
    rollouts = f"{estimate['rollouts']:,.0f} rollouts, " if estimate["rollouts"] else ""
    fits = "" if estimate["fits"] else ", which is MORE than there is"
    return (
        f"about {rollouts}{estimate['tokens']:,.0f} tokens, {duration(3600 * estimate['hours'])} on this machine (within a "
        f"factor of two), {estimate['gigabytes']:.1f} GB of memory{fits}"
    )
