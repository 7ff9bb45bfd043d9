"""Questions about documents that have to be found first. For `build.py`."""

from verigym import Task, Trajectory, tool
from verigym.core.records import Verdict

DOCUMENTS = {
    "leave-policy": "Staff may take 28 days of leave a year. Unused days lapse on 31 March. Parental leave is 20 weeks.",
    "travel-policy": "Trains are second class. Flights need the approval of a head of unit. The daily allowance is 46 euros.",
    "badge-rules": "A lost badge is reported to the front desk within two hours. A new badge costs 15 euros.",
    "it-handbook": "Passwords have at least 14 characters. Laptops are replaced every four years. Call extension 7788 for help.",
    "canteen": "Lunch is served from 11:45 to 14:00. On Fridays there is fish. Guests pay 9 euros.",
    "fire-drill": "Assembly point is the car park behind building C. The drill is on the first Tuesday of each quarter.",
}


def tasks(split: str) -> list[Task]:
    return []


class Environment:
    system = "Answer from the company's documents. Search, read what looks right, then answer in one short sentence."
    max_turns = 5

    def open(self, task: Task) -> None: ...

    @tool("docs.search")
    def search(self, query: str) -> str:
        """Names of the documents that hold all words of the query."""
        words = query.casefold().split()
        found = [name for name, text in DOCUMENTS.items() if all(word in f"{name} {text}".casefold() for word in words)]
        return ", ".join(found) or "no results"

    @tool("docs.read")
    def read(self, name: str) -> str:
        """The text of a document."""
        if name not in DOCUMENTS:
            raise ValueError(f"there is no document {name}")
        return DOCUMENTS[name]


def verify(task: Task, trajectory: Trajectory) -> Verdict:
    answer = str(task.data["answer"])
    passed = answer.casefold() in trajectory.reply.casefold() and bool(trajectory.calls)
    return Verdict(
        reward=float(passed),
        passed=passed,
        evidence=f'expected "{answer}" in the answer, got "{trajectory.reply[:120]}"',
    )
