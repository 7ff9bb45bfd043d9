"""explain and advise: why episodes failed, and what to try first."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import complete, show
from verigym.cli.options import Home, Json, Run, num_option, workspace
from verigym.core.errors import BadInput, not_found
from verigym.core.words import counted, duration, percent

if TYPE_CHECKING:
    from verigym.api import Workspace
    from verigym.core.records import Finding
    from verigym.evaluation.failures import Explanation
    from verigym.workspace.advise import AdviceReport
    from verigym.workspace.explain import ExplainSource

ClusterNumbers = dict[tuple[str, str, str], int]
_SHOWN = 5
"""Clusters per bucket that are printed without --bucket."""
_LISTED = 40
"""Episodes of a cluster that are printed without --json."""


def explain(
    run: Run = "latest",
    bucket: Annotated[str, typer.Option("--bucket", help="Show only this bucket, with all of its clusters")] = "",
    cluster: Annotated[int, typer.Option("--cluster", min=0, metavar="N", help="List the episodes of cluster N")] = 0,
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            help='Model that classifies the failures that the rules call "wrong answer" (same values as -m)',
            autocompletion=complete.models,
        ),
    ] = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Explain why episodes of a run failed: buckets, clusters by symptom, and examples to read."""
    from verigym.workspace.explain import open_run, with_judge

    ws = workspace(home)
    source = open_run(ws.folder, run)
    if judge:
        with show.progress("judge") as bar:
            source = with_judge(source, ws.agent(judge), lambda done, total: bar(done, total, ""))
    explained = source.explained()
    numbers = _cluster_numbers(explained)
    if cluster:
        return _say_cluster(source, numbers, cluster, json)
    findings = [finding for finding in explained.findings if not bucket or finding.bucket == bucket]
    if bucket and not findings:
        buckets = [finding.bucket for finding in explained.findings]
        raise not_found("bucket", bucket, buckets, f"These are the buckets of run {source.run.id}.")
    if json:
        return show.as_json(findings if bucket else explained)
    _say_summary(source, explained)
    for finding in findings:
        _say_bucket(finding, numbers, every=bool(bucket))
    show.say("")
    if not findings:
        show.say("nothing failed" if explained.scored else "the run has no scored episode")
        return show.next_command(f"verigym runs show {show.quote(source.run.id)}")
    first, run_id = findings[0].clusters[0], show.quote(source.run.id)
    if explained.scored:
        show.say(show.command(f"what to try first: verigym advise {run_id}"))
    number = numbers[findings[0].bucket, first.symptom, first.by]
    show.next_command(
        f"verigym explain {run_id} --cluster {number}   ·   verigym trajectories show {show.quote(first.trajectories[0])}"
    )


def _cluster_numbers(explained: "Explanation") -> ClusterNumbers:
    """Clusters are numbered from 1 in the order of the output, over the whole run."""
    keys = [
        (finding.bucket, cluster.symptom, cluster.by) for finding in explained.findings for cluster in finding.clusters
    ]
    return {key: number for number, key in enumerate(keys, start=1)}


def _say_summary(source: "ExplainSource", explained: "Explanation") -> None:
    unscored = explained.trajectories - explained.scored
    show.say(
        f"run {source.run.id}: {counted(explained.trajectories, 'trajectory')}, {explained.passed} passed"
        + (f", {unscored} not scored" if unscored else "")
    )
    for text in (source.note, _inconsistent(explained), _horizon(explained)):
        if text:
            show.paragraph(text)
    if source.unanswered:
        show.say(
            f"the judge gave no usable answer on {counted(source.unanswered, 'episode')}, which the rules classified instead"
        )


def _inconsistent(explained: "Explanation") -> str:
    if not explained.groups:
        return ""
    tasks = explained.inconsistent
    few = ", ".join(tasks[:3]) + (", ..." if len(tasks) > 3 else "")
    return (
        f"inconsistent: {len(tasks)} of {counted(explained.groups, 'task')} pass in some tries and fail in others"
        + (f" ({few})" if few else "")
    )


def _horizon(explained: "Explanation") -> str:
    horizon = explained.horizon
    if horizon is None or not horizon.significant:
        return ""
    return (
        f"long-horizon: tasks of up to {counted(horizon.most_short, 'call')} pass in {percent(horizon.short.value, 0)} "
        f"({counted(horizon.short.n, 'task')}), longer ones in {percent(horizon.long.value, 0)} "
        f"({counted(horizon.long.n, 'task')}): at least {100 * horizon.low:.0f} points worse"
    )


def _say_bucket(finding: "Finding", numbers: ClusterNumbers, every: bool) -> None:
    show.say("", f"{finding.bucket}: {finding.count} ({percent(finding.share, 0)}) - {finding.meaning}")
    shown = finding.clusters if every else finding.clusters[:_SHOWN]
    for cluster in shown:
        by = "" if cluster.by == "rules" else f" (by {cluster.by})"
        number = numbers[finding.bucket, cluster.symptom, cluster.by]
        show.say(f"  {number:>3}. {cluster.count:>4}x  {show.clip(cluster.symptom or 'no reason recorded', 84)}{by}")
        if cluster.example and cluster.example != cluster.symptom:
            show.say(f"              {show.clip(cluster.example, 96)}")
        show.say(f"              {cluster.trajectories[0]}")
    rest = finding.clusters[len(shown) :]
    if rest:
        episodes = sum(cluster.count for cluster in rest)
        where = counted(len(rest), "smaller cluster")
        show.say(f'       {episodes:>4}x  in {where}: --bucket "{finding.bucket}" shows them')


def _say_cluster(source: "ExplainSource", numbers: ClusterNumbers, cluster: int, json: bool) -> None:
    key = next((key for key, number in numbers.items() if number == cluster), None)
    if key is None:
        raise BadInput(
            f"Run {source.run.id} has no cluster {cluster}. Clusters are numbered from 1 to {len(numbers)}: "
            f"verigym explain {show.quote(source.run.id)}"
        )
    failures = (
        failure for failure in source.failed() if (failure.reason.bucket, failure.symptom, failure.reason.by) == key
    )
    if json:
        return show.as_json(
            [{"trajectory": failure.trajectory.id, "evidence": failure.reason.evidence} for failure in failures]
        )
    show.say(f"cluster {cluster} of run {source.run.id}: {key[0]}, {key[1] or 'no reason recorded'}")
    first, count = "", 0
    for failure in failures:
        first, count = first or failure.trajectory.id, count + 1
        if count <= _LISTED:
            show.say(f"  {failure.trajectory.id}", f"      {show.clip(failure.reason.evidence, 100)}")
    if count > _LISTED:
        show.say(f"  and {count - _LISTED} more (--json lists all)")
    show.next_command(f"verigym trajectories show {show.quote(first)}")


def advise(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="Run (id, unique prefix, latest), or a version (its newest run is used)",
            autocompletion=complete.runs,
        ),
    ] = "latest",
    trials: Annotated[
        bool,
        typer.Option(
            "--try", help="Run the cheap trials (a small optimisation, constrained decoding) on training tasks"
        ),
    ] = False,
    num: Annotated[int, num_option("Number of training tasks per trial", min=2)] = 40,
    tools: Annotated[
        list[Path],
        typer.Option("--tools", metavar="FILE", help="Tools file that --try may add, such as a search. Repeatable"),
    ] = (),  # type: ignore[assignment]
    json: Json = False,
    home: Home = None,
) -> None:
    """Advise which fix to try first, cheapest first, with reasons, figures and the command."""
    ws = workspace(home)
    result = ws.advise(run, try_fixes=trials, n=num, tools=tools)
    if json:
        return show.as_json(result)
    _say_evidence(ws, result)
    advised = [advice for advice in result.advice if advice.advised]
    for number, advice in enumerate(advised, start=1):
        show.say("", f"{number}. {advice.fix}")
        for reason in advice.reasons:
            show.paragraph(show.command(reason), "   ")
        if advice.estimate:
            show.paragraph(_estimate(advice.estimate), "   ")
        if advice.command:
            show.say(f"   {show.command(advice.command)}")
    if not advised:
        show.say("", "no advice: no known fix matches the remaining failures. Read some of them")
    show.say("", "not now:")
    for advice in result.advice:
        if not advice.advised:
            show.paragraph(f"{advice.fix}: {show.command(advice.reasons[0])}", "  ", "  ")
    show.say("")
    show.next_command(
        advised[0].command if advised and advised[0].command else f"verigym explain {show.quote(result.evidence.run)}"
    )


def _say_evidence(ws: "Workspace", result: "AdviceReport") -> None:
    """The figures that the advice follows from."""
    evidence = result.evidence
    agent = ws.agent(evidence.agent)
    parameters = f" ({evidence.parameters / 1e6:,.0f} million parameters)" if evidence.parameters else ""
    show.say(f"{agent.label}{parameters} in {evidence.environment}, run {evidence.run}")
    success = evidence.success
    line = f"success {percent(success.value)} ({percent(success.low)} to {percent(success.high)}) on "
    line += counted(success.n, "task")
    if evidence.pass_at_k is not None:
        line += f", pass@1 {percent(evidence.pass_at_1 or 0.0)}, pass@{evidence.k} {percent(evidence.pass_at_k)}"
        line += f", rewards differ in {percent(evidence.signal or 0.0, 0)} of groups"
    show.paragraph(line, "  ", "  ")
    if evidence.buckets:
        shares = sorted(evidence.buckets.items(), key=lambda pair: -pair[1])
        show.paragraph("failures: " + ", ".join(f"{name} {percent(share, 0)}" for name, share in shares), "  ", "  ")
    if evidence.horizon is not None:
        horizon = evidence.horizon
        show.paragraph(
            f"tasks of up to {counted(horizon.most_short, 'call')} pass in {percent(horizon.short.value, 0)}, longer ones "
            f"in {percent(horizon.long.value, 0)}",
            "  ",
            "  ",
        )
    show.paragraph(
        f"available: {counted(evidence.train_tasks, 'training task')} of {counted(evidence.train_families, 'family')}, "
        f"{evidence.gold:,} with a gold solution, {counted(evidence.demonstrations, 'demonstration')}, "
        f"{counted(evidence.pairs, 'pair')}, {counted(evidence.labels, 'label')}",
        "  ",
        "  ",
    )
    audit = "audited" if evidence.audited else "never audited"
    check = "checked" if evidence.checked else "never checked"
    show.say(f"  success is verified by a {evidence.verified_by}, {check}, {audit}")
    for note in result.notes:
        show.paragraph(note, "  ", "  ")


def _estimate(estimate: dict[str, float]) -> str:
    rollouts = f"{estimate['rollouts']:,.0f} rollouts, " if estimate["rollouts"] else ""
    fits = "" if estimate["fits"] else ", which is MORE than this machine has"
    return (
        f"about {rollouts}{estimate['tokens']:,.0f} tokens, {duration(3600 * estimate['hours'])} on this machine (within a "
        f"factor of two), {estimate['gigabytes']:.1f} GB of memory{fits}"
    )
