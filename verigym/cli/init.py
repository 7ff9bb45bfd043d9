"""init, check: write an environment, and try its contract."""

from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Environment, Home, Json, workspace
from verigym.core.errors import BadInput

TEMPLATE = '''"""{name}: book meetings on a shared calendar. Replace the state, the tools, the tasks and verify by your own.

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
    """A family is what tasks have in common: here, the phrase. It never crosses a split. Hold out five or more: what one
    family shows says little about the next."""
    made = []
    for number, phrase in enumerate(PHRASES[split]):
        for who in PEOPLE[split]:
            for day, time in SLOTS:
                made.append(
                    Task(
                        id=f"{{split}}-{{len(made)}}",
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
    return made


class Environment:
    """The state of one episode. Nothing to inherit; nothing is shared between two episodes."""

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
    """1.0 passes. It sees the record alone, never the live environment, so that every stored run can be scored again."""
    expected = task.data["expected_args"]
    booked = dict(task.data["events"])
    booked[f"{{expected['day']}} {{expected['time']}}"] = expected["attendee"]
    return 1.0 if trajectory.end_state.get("events") == booked else 0.0
'''


def register(app: typer.Typer) -> None:
    app.command()(init)
    app.command()(check)


def init(name: Annotated[str, typer.Argument(help="Name of the environment; NAME.py is written")]) -> None:
    """Write an environment to start from."""
    path = Path(name if name.endswith(".py") else f"{name}.py")
    if not path.stem.isidentifier():
        raise BadInput(f'"{path.stem}" is not a Python name; take letters, digits and _')
    if path.exists():
        raise BadInput(f"{path} exists and is left alone; take another name")
    if not path.parent.is_dir():
        raise BadInput(f"{path.parent}: no such folder; make it first")
    path.write_text(TEMPLATE.format(name=path.stem))
    show.say(f"wrote {path}: tasks, state, one tool and verify, all in one file")
    show.next_command(f"verigym check {show.quote(path)}")


def check(environment: Environment, json: Json = False, home: Home = None) -> None:
    """Try an environment's contract with no model: gold passes, cheats fail, state is isolated, nothing leaks."""
    from verigym.environments.load import load_environment
    from verigym.tasks.files import is_task_file
    from verigym.workspace import audit

    spec = load_environment(environment)
    found = audit.check(workspace(home), spec, lambda one: None if json else show.checks([one]))
    failed = [one for one in found if one.outcome == "fail"]
    if json:
        show.as_json(found)
    else:
        show.say(f"{spec.name}: {f'{len(failed)} of {len(found)} checks failed' if failed else 'the contract holds'}")
        if not failed:
            judge = " --judge MODEL" if audit.asks_judge(spec) else ""
            show.next_command(f"verigym eval {show.quote(environment)} -m smollm2-135m{judge}")
        elif is_task_file(environment) and not spec.tasks("val"):
            show.next_command(f"verigym tasks split {show.quote(environment)}")
    raise typer.Exit(1 if failed else 0)
