"""An environment as a user writes one: a few tools, an end state, a verifier of its own, and no rule for mining."""

from typing import Any

from verigym import Task, Trajectory, tool

SHELVES = [
    {"A1": {"hinge": 40, "bolt": 12}, "B2": {"lamp": 7}, "C3": {"cable": 19, "fuse": 30}},
    {"North": {"tulip": 25, "rose": 60}, "South": {"fern": 14}, "Gate": {"moss": 33, "ivy": 8}},
    {"Rack 1": {"oboe": 3, "lute": 9}, "Rack 2": {"drum": 11}, "Rack 3": {"harp": 2, "horn": 16}},
]


def tasks(split: str) -> list[Task]:
    """One stocktaking per warehouse."""
    side = {"train": SHELVES[:2], "val": SHELVES[2:]}[split]
    return [
        Task(
            id=f"warehouse/{split}/{index}",
            prompt=f"Count what lies on {next(iter(shelves))} and change nothing. ({split} {index})",
            data={"shelves": shelves, "expected_shelves": shelves},
            split=split,
            family=f"warehouse/{split}/{index}",
        )
        for index, shelves in enumerate(side)
    ]


class Environment:
    system = "You run a warehouse. Look first, then move or write off what you are asked to, and nothing else."
    max_turns = 6

    def open(self, task: Task) -> None:
        self.shelves = {name: dict(goods) for name, goods in task.data["shelves"].items()}

    def end_state(self) -> dict[str, Any]:
        return {"shelves": self.shelves}

    @tool("stock.look")
    def look(self, shelf: str) -> str:
        """What lies on a shelf."""
        return ", ".join(f"{count} {name}" for name, count in self._shelf(shelf).items()) or "nothing"

    @tool("stock.move")
    def move(self, goods: str, count: int, source: str, target: str) -> str:
        """Move goods from one shelf to another."""
        shelf, other = self._shelf(source), self._shelf(target)
        if shelf.get(goods, 0) < count:
            raise ValueError(f"{source} has {shelf.get(goods, 0)} {goods}")
        shelf[goods] -= count
        other[goods] = other.get(goods, 0) + count
        return f"moved {count} {goods} to {target}"

    @tool("stock.write_off")
    def write_off(self, goods: str, count: int, shelf: str) -> str:
        """Write off broken goods."""
        held = self._shelf(shelf)
        if held.get(goods, 0) < count:
            raise ValueError(f"{shelf} has {held.get(goods, 0)} {goods}")
        held[goods] -= count
        return f"wrote off {count} {goods}"

    def _shelf(self, name: str) -> dict[str, int]:
        if name not in self.shelves:
            raise ValueError(f'there is no shelf "{name}"; shelves: {", ".join(self.shelves)}')
        return self.shelves[name]


def verify(task: Task, trajectory: Trajectory) -> float:
    return float(trajectory.end_state.get("shelves") == task.data["expected_shelves"])
