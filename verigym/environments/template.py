"""desk: book meetings on a shared calendar. Replace the state, the tools, the tasks and verify with your own.

Try it:  verigym check desk.py
"""

from verigym import Task, Trajectory, tool

PEOPLE = {"train": ["Alex", "Dana", "Omar", "Mei"], "val": ["Priya", "Jonas"]}
PHRASES = {
    "train": ["Book {who} on {day} at {time}.", "Set up a meeting with {who} for {day}, {time}."],
    "val": [
        "I need to see {who} on {day} at {time}, please arrange it.",
        "{who} and I meet on {day} at {time}; put it into the calendar.",
        "Can {who} have {time} on {day}?",
        "Reserve {time} for {who}, {day}.",
        "On {day} I would like to talk to {who} at {time}.",
    ],
}
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
                        id=f"{split}-{len(tasks)}",
                        prompt=phrase.format(who=who, day=day, time=time),
                        data={
                            "events": {f"{day} 18:00": "Robin"},
                            "expected_tool": "create_event",
                            "expected_args": {"attendee": who, "day": day, "time": time},
                        },
                        split=split,
                        family=f"{split}/{number}",
                    )
                )
    return tasks


class Environment:
    """The state of one episode. There is no base class, and episodes share nothing."""

    system = 'You book meetings. Reply with one JSON object: {"tool": name, "args": {...}}'
    max_turns = 2

    def open(self, task: Task) -> None:
        self.events = dict(task.data["events"])

    @tool
    def create_event(self, attendee: str, day: str, time: str) -> str:
        """Book a meeting. `time` is 24-hour HH:MM."""
        slot = f"{day} {time}"
        if slot in self.events:
            raise ValueError(f"{slot} is taken by {self.events[slot]}")
        self.events[slot] = attendee
        return f"booked {attendee} on {slot}"

    def end_state(self) -> dict:
        return {"events": self.events}


def verify(task: Task, trajectory: Trajectory) -> float:
    """1.0 passes. It reads only the record, never the live environment, so that stored runs can be rescored."""
    expected = task.data["expected_args"]
    booked = dict(task.data["events"])
    booked[f"{expected['day']} {expected['time']}"] = expected["attendee"]
    return 1.0 if trajectory.end_state.get("events") == booked else 0.0
