"""A shop floor of production for tests: traces of toolcall's workload, written by hand, with what people said of them."""

import itertools
from pathlib import Path
from typing import Any

from verigym.core.records import Failure, Feedback, FunctionCall, Item, Message, Trajectory, content_hash
from verigym.environments.load import load_environment
from verigym.mining import proposals
from verigym.mining.mine import MiningReport, mine
from verigym.policies.dialects import write_call
from verigym.workspace.workspace import WorkspaceFolder

RUN = "traces-counter"
TOOLCALL = load_environment("toolcall")
SMALL = """
from verigym.environments import toolcall
from verigym.environments.toolcall import Environment, gold, mined, verifiers

suites = {"small_eval": "val"}

def tasks(split):
    return toolcall.tasks(split)[:20]
"""
"""toolcall with few tasks of its own."""


def call(tool: str, **arguments: Any) -> str:
    """As a model without a tool channel writes it."""
    return write_call(tool, arguments)


def book(who: str, time: str, day: str = "Friday") -> str:
    return call("calendar.create_event", attendee=who, day=day, time=time)


def squeeze(who: str, words: str = "half past four in the afternoon") -> str:
    """A request of a phrasing that toolcall does not have."""
    return f"Could you squeeze {who} in on Friday at {words}?"


class Counter:
    """A workspace with a run of traces that grows."""

    def __init__(self, home: Path, environment: str = "") -> None:
        self.ws = WorkspaceFolder(home)
        if not environment:
            environment = str(home.parent / "small.py")
            Path(environment).write_text(SMALL)
        self.environment = load_environment(environment)
        offer = TOOLCALL.toolbox.offer({})
        self.tools = offer.hash
        self.ws.store.put("tools", offer.hash, offer)
        self._number = itertools.count(1)

    def trace(self, request: str | list[Item], *said: str | Item, run: str = RUN, **fields: Any) -> str:
        """A conversation that was stored; returns its id. What is said are assistant messages, or items."""
        key = f"{next(self._number):04}"
        asked: list[Item] = [Message("user", request)] if isinstance(request, str) else request
        replies = [Message("assistant", each) if isinstance(each, str) else each for each in said]
        fields = {"tools": self.tools, "source": f"day.jsonl:{key}", **fields}
        items = [Message("system", self.environment.system), *asked, *replies]
        self.ws.store.begin_run(run, "traces", {})
        self.ws.store.add(run, [Trajectory(id=f"{run}/{key}", task=key, group=key, items=items, **fields)])
        return f"{run}/{key}"

    def feedback(self, trace: str, **fields: Any) -> None:
        if isinstance(fields.get("correction"), str):
            fields["correction"] = [Message("assistant", fields["correction"])]
        said = Feedback(trajectory=trace, when=fields.pop("when", "2026-03-01T10:00:00"), **fields)
        self.ws.store.put("feedback", content_hash(said)[:16], said)

    def failed(self, request: str, did: str, right: str, **fields: Any) -> str:
        """A trace that a person corrected."""
        id = self.trace(request, did, **fields)
        self.feedback(id, outcome="failure", correction=right, who="ana", note="wrong")
        return id

    def mine(self, **options: Any) -> MiningReport:
        return mine(self.ws, self.environment, **options)

    def kept(self) -> proposals.ProposalSet:
        return proposals.read_proposals(self.ws, self.environment.name)

    @property
    def file(self) -> Path:
        return proposals.file_of(self.ws, self.environment.name)


def broken(kind: str, fault: Any) -> Failure:
    return Failure(fault, kind, "it broke")


def native(name: str, arguments: str, id: str = "c1") -> FunctionCall:
    return FunctionCall(id, name, arguments)
