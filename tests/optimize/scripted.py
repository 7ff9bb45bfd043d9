"""A workspace whose agent and reflection model are scripted, and small environments, for tests of the search."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from verigym.core.protocols import Policy, Request
from verigym.core.records import Message, Version
from verigym.policies.scripted import ScriptedPolicy
from verigym.workspace.workspace import WorkspaceFolder

WORDS = """
from verigym import Task

def tasks(split):
    names = [f"{a}{b}" for a in "abcdefghijkl" for b in "mnopqrst"]
    return [
        Task(id=f"{split}/{name}", prompt=f"{split} say {name}", split=split, family=f"{split}-{name[0]}", data={"answer": name})
        for name in names
    ]

suites = {"words_eval": "val"}

class Environment:
    system = "Answer."
    max_turns = 1
    def open(self, task): ...

def explain(task, trajectory, verdict):
    return "too many words: the reply is a sentence" if " " in trajectory.reply else None

def verify(task, trajectory):
    return float(trajectory.reply == task.data["answer"])
"""
"""96 training tasks of 12 families. The right answer is the last word of the request. There is no gold solution."""
AGENT, REFLECT = "http://127.0.0.1:9/v1#agent", "http://127.0.0.1:9/v1#reflect"
RULE = "Answer with the last word alone."


class ScriptedWorkspace(WorkspaceFolder):
    """Opens models of servers as scripts: the agent and the model that reflects."""

    def __init__(
        self, home: Path, agent: Callable[[Request], Any], reflect: Callable[[str], str] = lambda prompt: ""
    ) -> None:
        super().__init__(home)
        self.asked: list[str] = []
        self.episodes = 0
        self._agent, self._reflect = agent, reflect

    def policy(self, version: Version) -> Policy:
        def answer(request: Request) -> Any:
            self.episodes += 1
            return self._agent(request)

        return ScriptedPolicy(answer)

    def open_beside(self, version: Version) -> Policy:
        def answer(request: Request) -> str:
            [question] = request.items
            assert isinstance(question, Message)
            self.asked.append(question.text)
            return self._reflect(question.text)

        return ScriptedPolicy(answer)


def parrot(request: Request) -> str:
    """Answers right if it is told how or sees two examples, or the family is an early one. Otherwise with a sentence."""
    texts = [item.text for item in request.items if isinstance(item, Message)]
    word = texts[-1].split()[-1]
    knows = RULE in texts[0] or len(texts) > 4 or word[0] < "d"
    return word if knows else f"The word is {word}."


def environment(folder: Path, text: str = WORDS) -> str:
    path = folder / "words.py"
    path.write_text(text)
    return str(path)
