"""init and check: write a new environment, and check its contract."""

from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Environment, Home, Json, num_option, workspace
from verigym.core.errors import BadInput

TEMPLATE = '''"""{name}: book meetings on a shared calendar. Replace the state, the tools, the tasks and verify with your own.

Try it:  verigym check {name}.py
"""

from verigym import Task, Trajectory, tool

PEOPLE = {{"train": ["Alex", "Dana", "Omar", "Mei"], "val": ["Priya", "Jonas"]}}
PHRASES = {{
    "train": ["Book {{who}} on {{day}} at {{time}}.", "Set up a meeting with {{who}} for {{day}}, {{time}}."],
    "val": [
        "I need to see {{who}} on {{day}} at {{time}}, please arrange it.",
        "{{who}} and I meet on {{day}} at {{time}}; put it into the calendar.",
        "Can {{who}} have {{time}} on {{day}}?",
        "Reserve {{time}} for {{who}}, {{day}}.",
        "On {{day}} I would like to talk to {{who}} at {{time}}.",
    ],
}}
SLOTS = [("Tuesday", "14:00"), ("Thursday", "09:30")]


def tasks(split: str) -> list[Task]:
    """A family is a group of similar tasks, here those with one phrase. It is never split. Hold out five families or more:
    the result on one family says little about another."""
    tasks = []
    for number, phrase in enumerate(PHRASES[split]):
        for who in PEOPLE[split]:
            for day, time in SLOTS:
                tasks.append(
                    Task(
                        id=f"{{split}}-{{len(tasks)}}",
                        prompt=phrase.format(who=who, day=day, time=time),
                        data={{
                            "events": {{f"{{day}} 18:00": "Robin"}},
                            "expected_tool": "create_event",
                            "expected_args": {{"attendee": who, "day": day, "time": time}},
                        }},
                        split=split,
                        family=f"{{split}}/{{number}}",
                    )
                )
    return tasks


class Environment:
    """The state of one episode. There is no base class, and episodes share nothing."""

    system = 'You book meetings. Reply with one JSON object: {{"tool": name, "args": {{...}}}}'
    max_turns = 2

    def open(self, task: Task) -> None:
        self.events = dict(task.data["events"])

    @tool
    def create_event(self, attendee: str, day: str, time: str) -> str:
        """Book a meeting. `time` is 24-hour HH:MM."""
        slot = f"{{day}} {{time}}"
        if slot in self.events:
            raise ValueError(f"{{slot}} is taken by {{self.events[slot]}}")
        self.events[slot] = attendee
        return f"booked {{attendee}} on {{slot}}"

    def end_state(self) -> dict:
        return {{"events": self.events}}


def verify(task: Task, trajectory: Trajectory) -> float:
    """1.0 passes. It reads only the record, never the live environment, so that stored runs can be rescored."""
    expected = task.data["expected_args"]
    booked = dict(task.data["events"])
    booked[f"{{expected['day']}} {{expected['time']}}"] = expected["attendee"]
    return 1.0 if trajectory.end_state.get("events") == booked else 0.0
'''


def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the environment. Writes NAME.py")],
    json: Json = False,
) -> None:
    """Write a small environment in one file to start from."""
    path = Path(name if name.endswith(".py") else f"{name}.py")
    if not path.stem.isidentifier():
        raise BadInput(f'"{path.stem}" is not a Python name. Use letters, digits and _')
    if path.exists():
        raise BadInput(f"{path} exists. Choose another name")
    if not path.parent.is_dir():
        raise BadInput(f"{path.parent}: no such folder. Create it first")
    path.write_text(TEMPLATE.format(name=path.stem))
    if json:
        return show.as_json({"file": str(path)})
    show.say(f"wrote {path}: tasks, state, one tool and verify in one file")
    show.next_command(f"verigym check {show.quote(path)}")


def check(
    environment: Environment,
    num: Annotated[
        int | None,
        num_option("Number of tasks to check, spread over splits and families (default: 40, or 8 with a sandbox)"),
    ] = None,
    all_tasks: Annotated[bool, typer.Option("--all", help="Check every task")] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Check an environment's contract without a model: gold solutions pass, cheats fail, state is isolated, nothing leaks.
    Checks a sample of the tasks unless you pass --all. Exit code 1 if a check fails."""
    from verigym.environments.load import load_environment
    from verigym.tasks.files import is_task_file
    from verigym.workspace import audit

    spec = load_environment(environment)
    sample, total = audit.sample_of(spec, num, all_tasks)
    on_check = None if json else lambda check: show.checks([check])
    checks = workspace(home).check(spec, n=num, all_tasks=all_tasks, on_check=on_check)
    failed = [check for check in checks if check.outcome == "fail"]
    if json:
        show.as_json(checks)
    else:
        show.say(f"{spec.name}: {f'{len(failed)} of {len(checks)} checks failed' if failed else 'the contract holds'}")
        if sample < total:
            show.say(f"checked a sample: {sample:,} of {total:,} tasks. --all checks every task")
        if not failed:
            judge = " --judge MODEL" if audit.asks_judge(spec) else ""
            show.next_command(f"verigym eval {show.quote(environment)} -m smollm2-135m{judge}")
        elif is_task_file(environment) and not spec.tasks("val"):
            show.next_command(f"verigym tasks split {show.quote(environment)}")
    raise typer.Exit(1 if failed else 0)
