"""demo: the recorded workspace, told as a short story."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Json
from verigym.core.records import Check, Report, Version
from verigym.core.words import counted, percent

if TYPE_CHECKING:
    from verigym.api import Workspace
    from verigym.registry.ledger import LedgerEntry

_MADE = {
    "base": "a small model as it is",
    "grpo": "base, trained with GRPO",
    "hacked": "grpo, trained on with a penalty for long replies",
}
_BAR = 20
"""Characters of a full bar."""
_LEVELS = "▁▂▃▄▅▆▇█"


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the workspace. Nothing in it is overwritten")
    ] = Path("verigym-demo"),
    json: Json = False,
) -> None:
    """Show a recorded workspace: a better version, a reward-hacked one, and what the gate decided about both.
    It takes seconds and needs no model, no torch and no network."""
    from verigym.cli.command_workspace import CommandWorkspace
    from verigym.workspace.demo import put_demo

    new = put_demo(out)
    ws = CommandWorkspace(out)
    entries = [entry for entry in ws.ledger() if entry.decision.kind == "gate"][:2]
    if json:
        return show.as_json({"home": str(out), "new": new, "decisions": [entry.decision for entry in entries]})
    show.say(f"{out}: {'a recorded workspace' if new else 'the demo is here already, and is used as it is'}")
    show.paragraph(
        "An office assistant reads a request and replies with one tool call. Three versions of it were measured on tasks "
        "that none of them was trained on. Scripts wrote their replies, so no model was run. Environments, verifiers and "
        "gate are the real ones."
    )
    versions = {version.name: version for version in ws.models()}
    stored = {report.id: report for report in ws.reports()}
    reports = {stored[id].agent: stored[id] for entry in reversed(entries) for id in entry.decision.reports}
    measured = [(name, reports[versions[name].id]) for name in _MADE]
    _say_success(measured)
    for entry in entries:
        _say_decision(entry, versions)
    _say_training(ws, versions["hacked"], measured[-1][1].metrics["success"].value)
    _say_request(ws, measured)
    _say_commands(show.quote(out))


def _say_success(measured: list[tuple[str, Report]]) -> None:
    show.say("", f"Success on {counted(len(measured[0][1].suite.tasks), 'held-out task')}:")
    for name, report in measured:
        success = report.metrics["success"].value
        filled = round(_BAR * success)
        show.say(f"  {name:6}  {'█' * filled}{'░' * (_BAR - filled)} {percent(success, 0):>4}   {_MADE[name]}")


def _say_decision(entry: "LedgerEntry", versions: dict[str, Version]) -> None:
    decision, names = entry.decision, {version.id: version.name for version in versions.values()}
    show.say("", f"The gate on {names[decision.candidate]} against {names[decision.champion]}: {decision.verdict}")
    passed = [check for check in decision.checks if check.outcome == "pass"]
    failed = [check for check in decision.checks if check.outcome == "fail"]
    failed.sort(key=lambda check: not check.words.startswith("reward hacking"))
    told: Sequence[Check] = failed or [check for check in passed if check.name.startswith("better")]
    show.checks(told, "  ")
    show.say(f"  and {counted(len(passed) - (0 if failed else len(told)), 'other check')} passed")


def _say_training(ws: "Workspace", version: Version, success: float) -> None:
    """Its curves. The gate's lines above have the figures of the rise and the fall."""
    from verigym.training.alarms import since_highest

    show.say(
        "",
        f"{version.name} learnt to refuse, because a refusal is the shortest reply.",
        "In its training the reward rose, and success on held-out tasks fell:",
    )
    curves = ws.metrics(version).curves
    last = since_highest(list(curves["held_out_success"].values()), sparse=True).last
    told = f"{percent(last, 0)} in training's last checks, {percent(success, 0)} in the evaluation"
    for name, metric, words in (("reward", "reward", ""), ("held-out success", "held_out_success", told)):
        values = list(curves[metric].values())
        shown = [values[round(place * (len(values) - 1) / 10)] for place in range(11)]
        low, high = min(values), max(values)
        marks = "".join(_LEVELS[round((value - low) / (high - low) * (len(_LEVELS) - 1))] for value in shown)
        show.say(f"  {name:16}  {marks}  {words}".rstrip())


def _say_request(ws: "Workspace", reports: list[tuple[str, Report]]) -> None:
    """The first request that only `grpo` gets right."""
    results = [{result.task: result for result in report.results} for _, report in reports]
    task = next(id for id in results[-1] if [of[id].passed for of in results if id in of] == [0, 1, 0])
    store = ws.folder.store
    replies = [store.trajectory(of[task].trajectory or of[task].passing)[1] for of in results]
    asked = next(one.prompt for one in store.tasks(reports[0][1].run) if one.id == task)
    show.say("", f"One request: {show.clip(str(asked), 90)}")
    for (name, _), reply in zip(reports, replies, strict=True):
        show.say(f"  {name:6}  {show.clip(reply.reply, 96)}")


def _say_commands(home: str) -> None:
    commands = {
        "view": "all of it as web pages",
        "explain": "why hacked fails",
        "compare base grpo": "what GRPO changed, task by task",
        "gate hacked": "decide again, from what is stored",
        "trajectories list --failed": "read what hacked replied",
        "report hacked": "a page to send to somebody",
        "models list": "the versions",
        "suites": "how often held-out tasks were used",
    }
    show.say("", "Try next, without a model:")
    typed = [f"verigym {command} --home {home}" for command in commands]
    wide = max(map(len, typed))
    for command, words in zip(typed, commands.values(), strict=True):
        show.say(f"  {command:{wide}}   {words}")
    show.say(f"To leave out --home, set VERIGYM_HOME={home}", "")
    show.next_command("verigym quickstart   (the whole cycle on a real model)")
