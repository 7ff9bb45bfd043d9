"""trajectories: the episodes of a run, listed, and shown as conversations."""

from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import mine, show
from verigym.cli.options import Home, Json, Run, group, num_option, workspace
from verigym.core.records import Message, Trajectory


def list_all(json: bool, home: Path | None) -> None:
    """The trajectories of the newest run."""
    if not workspace(home).folder.store.runs():
        if json:
            return show.as_json([])
        show.say("no runs yet")
        return show.next_command("verigym quickstart")
    list_trajectories(json=json, home=home)


trajectories = group("trajectories", "Episodes of a run: list (the default, for the newest run), show.", list_all)


@trajectories.command("list")
def list_trajectories(
    run: Run = "latest",
    failed: Annotated[bool, typer.Option("--failed", help="List only episodes that did not pass")] = False,
    num: Annotated[int, num_option("Number of trajectories to print. --json prints all")] = 20,
    every: Annotated[bool, typer.Option("--all", help="Print every trajectory")] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """List the trajectories of a run with their verdicts."""
    ws = workspace(home).folder
    record = ws.store.run(run, kinds=("rollout", "eval", "collect", "traces"))
    verdicts = {verdict.trajectory: verdict for verdict in ws.store.verdicts(record.id)}
    listed = [
        trajectory
        for trajectory in ws.store.trajectories(record.id)
        if not failed or not (trajectory.id in verdicts and verdicts[trajectory.id].passed)
    ]
    if json:
        return show.as_json(
            [{"trajectory": trajectory, "verdict": verdicts.get(trajectory.id)} for trajectory in listed]
        )
    rows = []
    shown = listed if every else listed[:num]
    for trajectory in shown:
        verdict = verdicts.get(trajectory.id)
        reward = "-" if verdict is None or verdict.reward is None else f"{verdict.reward:.2f}"
        outcome = trajectory.outcome or "unknown" if record.kind == "traces" else "failed"
        if verdict is not None:
            outcome = "passed" if verdict.passed else "failed" if verdict.reward is not None else "not scored"
        request = show.clip(first_request(trajectory), 50)
        rows.append((trajectory.id, outcome, reward, request, show.clip(trajectory.reply, 50)))
    show.table(rows, ("trajectory", "outcome", "reward", "request", "reply"))
    if len(shown) < len(listed):
        show.say(f"and {len(listed) - len(shown):,} more (--all shows all)")
    if listed:
        show.next_command(f"verigym trajectories show {show.quote(listed[0].id)}")


def first_request(trajectory: Trajectory) -> str:
    """What the user asked first."""
    return next((item.text for item in trajectory.items if isinstance(item, Message) and item.role == "user"), "")


@trajectories.command("show")
def show_trajectory(
    id: Annotated[str, typer.Argument(metavar="TRAJECTORY", help="Trajectory: id or unique prefix")],
    json: Json = False,
    home: Home = None,
) -> None:
    """Show an episode as a conversation with its verdicts. For a production trace also its source and what was mined."""
    ws = workspace(home).folder
    run, trajectory = ws.store.trajectory(id)
    verdicts = ws.store.verdicts_on(run, trajectory.id)
    is_trace = ws.store.run(run).kind == "traces"
    if json:
        came = {"came": mine.outcome_of_trace(ws, trajectory.id)} if is_trace else {}
        return show.as_json({"trajectory": trajectory, "verdicts": verdicts, **came})
    task = next((task for task in ws.store.tasks(run) if task.id == trajectory.task), None)
    show.conversation(task, trajectory, verdicts)
    if is_trace:
        return mine.say_trace(ws, trajectory)
    show.next_command(f"verigym explain {show.quote(run)}")
