"""A room to leave, step by step: a reset/step environment that reads commands from the reply. For `build.py`."""

from verigym import Task, Trajectory

WAYS = {
    ("hall", "north"): "study",
    ("study", "south"): "hall",
    ("hall", "east"): "kitchen",
    ("kitchen", "west"): "hall",
}


def tasks(split: str) -> list[Task]:
    return []


class Environment:
    system = "Leave the house. Commands: go north|south|east|west, take key, open door. Reply with one command and nothing else."
    max_turns = 6

    def open(self, task: Task) -> None:
        self.place, self.key = "hall", False

    def step(self, reply: str) -> tuple[str, float, bool]:
        words = reply.strip().casefold().rstrip(".!").split()
        if len(words) != 2 or words[0] not in ("go", "take", "open"):
            return "I do not understand. Reply with one command.", -0.1, False
        verb, thing = words
        if verb == "go":
            if (self.place, thing) not in WAYS:
                return f"You cannot go {thing} from the {self.place}.", -0.1, False
            self.place = WAYS[self.place, thing]
            return f"You are in the {self.place}." + (" There is a key." if self._key_here else ""), 0.0, False
        if verb == "take":
            if thing != "key" or not self._key_here:
                return f"There is no {thing} here.", -0.1, False
            self.key = True
            return "You have the key.", 0.2, False
        if thing != "door" or self.place != "hall":
            return f"There is no {thing} here.", -0.1, False
        return ("The door opens. You are free.", 1.0, True) if self.key else ("The door is locked.", -0.1, False)

    @property
    def _key_here(self) -> bool:
        return self.place == "study" and not self.key


def verify(task: Task, trajectory: Trajectory) -> float:
    return 1.0 if trajectory.rewards and trajectory.rewards[-1] == 1.0 else 0.0
