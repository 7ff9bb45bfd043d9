"""A folder of notes: other names of tools, an end state, and a verifier that names no parts. For `build.py`."""

from typing import Any

from verigym import Task, Trajectory, tool
from verigym.core.records import Verdict

NOTES = {"todo.txt": "buy paint\ncall Mona", "budget.txt": "rent 900\nfood 350", "old/trip.txt": "Lisbon, 3 to 9 May"}


def tasks(split: str) -> list[Task]:
    return []


class Environment:
    system = "You keep a folder of notes. Use the tools, then say in a few words what you did or found."
    max_turns = 6

    def open(self, task: Task) -> None:
        self.notes = dict(NOTES)

    def end_state(self) -> dict[str, Any]:
        return {"notes": self.notes}

    def _known(self, path: str) -> str:
        if path not in self.notes:
            raise FileNotFoundError(f"no such note: {path}")
        return path

    @tool
    def list_notes(self) -> str:
        """Names of all notes."""
        return "\n".join(self.notes)

    @tool
    def read_note(self, path: str) -> str:
        """The text of a note."""
        return self.notes[self._known(path)]

    @tool
    def write_note(self, path: str, text: str) -> str:
        """Write a note anew."""
        self.notes[path] = text
        return "written"

    @tool
    def append_line(self, path: str, line: str) -> str:
        """Add a line to a note."""
        self.notes[self._known(path)] += f"\n{line}"
        return "added"

    @tool(unsafe_if=lambda self, path: not path.startswith("old/"))
    def delete_note(self, path: str) -> str:
        """Delete a note; only old ones may be."""
        del self.notes[self._known(path)]
        return "deleted"


def verify(task: Task, trajectory: Trajectory) -> Verdict:
    if "answer" in task.data:
        passed = str(task.data["answer"]).casefold() in trajectory.reply.casefold()
        return Verdict(reward=float(passed), passed=passed, evidence=f"expected {task.data['answer']}")
    passed = trajectory.end_state.get("notes") == task.data["notes"]
    return Verdict(
        reward=float(passed), passed=passed, evidence="" if passed else "the notes are not as they should be"
    )
