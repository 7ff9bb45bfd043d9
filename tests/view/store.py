"""Small workspaces for the tests of pages: one with every kind of record, and builders for odd states.

`make_store(home)` is the recorded demo with production added: traces, feedback, proposals, reviews, labels, a run that was
interrupted, a run with two verifiers, and episodes that failed in every way.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from verigym.core.records import (
    Example,
    Failure,
    Fault,
    Feedback,
    FunctionCall,
    FunctionCallOutput,
    Item,
    Label,
    Mark,
    Message,
    Reasoning,
    Sampling,
    Stop,
    SummaryText,
    Task,
    Toolset,
    ToolSpec,
    Trajectory,
    Turn,
    Usage,
    Verdict,
    Version,
)
from verigym.mining.proposals import AcceptedBatch, MiningSummary, Proposal, Review, UnverifiableRequest
from verigym.store.database import Store
from verigym.workspace.datasets import keep
from verigym.workspace.demo import put_demo
from verigym.workspace.workspace import WorkspaceFolder

VERIFIER = "desk_verifier@11112222"
OLD_VERIFIER = "desk_verifier@00001111"
ODD = "odd/run with 100% of #?&"
"""A run id with everything that an address must encode."""
TOOLS = Toolset(
    [ToolSpec(name="mail.send", description="Send a mail.", parameters={"type": "object"})], "tools-of-desk"
)


class Made(NamedTuple):
    """What `make_store` made: names of the demo's records are in the demo's tests."""

    home: Path
    run: str
    """A finished evaluation with 6 tasks of 3 attempts."""
    odd: str
    """An interrupted run with hostile ids."""
    traces: str
    """A run of production traces."""
    trace: str
    """A trace with feedback, from which a task was mined."""
    branched: str
    """A trajectory with branches, two actors, reasoning, calls and ids."""


def make_store(home: Path) -> Made:
    from tests.view.improve import add_loop, add_optimization  # they use the builders below

    put_demo(home)
    store = Store(home / "store.db")
    add_run(store, "eval-desk-1", tasks=6, attempts=3)
    add_odd_run(store)
    traces = add_traces(store)
    add_mining(store, traces[0])
    add_labels(store, "eval-desk-1")
    add_data(home, "eval-desk-1")
    branched = add_branched(store, "eval-desk-1")
    known = [version.id for version in store.documents("version", Version)]
    add_loop(store, "desk-1234abcd", known[:3], "eval-desk-1")
    add_optimization(store, "optimize-desk-1", known[:3])
    store.close()
    return Made(home, "eval-desk-1", ODD, "traces-gateway", traces[0], branched)


def episode(run: str, task: str, index: int = 0, **fields: Any) -> Trajectory:
    items: Sequence[Item] = fields.pop("items", None) or [
        Message("user", f"Please do {task}."),
        FunctionCall("c1", "mail.send", '{"to": "Dana", "subject": "Plan"}'),
        FunctionCallOutput("c1", "sent"),
        Message("assistant", "It is done."),
    ]
    made = [place for place, item in enumerate(items) if isinstance(item, FunctionCall)]
    made += [place for place, item in enumerate(items) if getattr(item, "role", "") == "assistant"]
    turn = Turn(saw=[(0, 1)], made=made, agent="agent-1", usage=Usage(40, 12), latency_s=0.4, sampling=Sampling())
    values: dict[str, Any] = {
        "id": f"{run}/{task}/{index}",
        "task": task,
        "group": f"{run}/{task}",
        "index": index,
        "items": list(items),
        "tools": TOOLS.hash,
        "turns": [turn],
        "marks": [Mark("executed", 1)],
        "end_state": {"mails": [{"to": "Dana"}], "count": index},
        "seconds": 1.5,
        "seed": 7,
    }
    return Trajectory(**{**values, **fields})


def verdict(trajectory: str, passed: bool, reward: float | None = None, verifier: str = VERIFIER) -> Verdict:
    given = (1.0 if passed else 0.0) if reward is None else reward
    return Verdict(
        trajectory=trajectory, verifier=verifier, reward=given, passed=passed, parts={"tool": 1.0, "arguments": given},
        evidence="" if passed else 'the argument "to" is "Dana" and should be "Dina"',
    )  # fmt: skip


def add_run(store: Store, run: str, *, tasks: int, attempts: int, environment: str = "desk") -> None:
    """A finished evaluation. Task 0 passes always, task 1 never, the others sometimes."""
    rows = [
        Task(
            id=f"task-{n}", prompt=f"Please do task-{n}.", split="val", family=f"family-{n // 2}", tags=["short"],
            data={"state": {"mails": []}},
        )
        for n in range(tasks)
    ]  # fmt: skip
    store.begin_run(run, "eval", {"environment": environment, "agent": "agent-1"}, rows)
    episodes = [episode(run, row.id, k) for row in rows for k in range(attempts)]
    passed = {one.id: one.task == "task-0" or (one.task != "task-1" and one.index == 0) for one in episodes}
    old = [verdict(one.id, False, 0.5, OLD_VERIFIER) for one in episodes]
    store.add(run, episodes, old, toolsets=[TOOLS])
    store.add(run, (), [verdict(one.id, passed[one.id]) for one in episodes])
    store.scored_by(run, VERIFIER)
    store.finish_run(run)


def add_odd_run(store: Store) -> None:
    """Never finished, with an error of every fault, an unscored episode, and names that an address must encode."""
    task = Task(
        id='odd/"task" <b>&amp;%20', prompt=[Message("user", "line 1\nline 2 \u202egnp.exe \x1b[31m")], split="val"
    )
    store.begin_run(ODD, "rollout", {"environment": "odd env/é", "agent": "agent <1>"}, [task])
    for number, fault in enumerate(Fault):
        failure = Failure(fault, "SomeError", f"the {fault.value} failed <script>")
        one = episode(ODD, task.id, number, error=failure, stop=Stop.ERROR)
        verdicts = [verdict(one.id, False, 0.0)] if fault is Fault.MODEL else []
        store.add(ODD, [one], verdicts)
    cut = FunctionCall("c9", "no.such.tool", '{"to": broken')
    malformed = episode(ODD, task.id, 8, items=[Message("user", "x"), cut], marks=[Mark("format_error", 1, "no JSON")])
    store.add(ODD, [malformed], [msg_unsafe(malformed.id)])


def msg_unsafe(trajectory: str) -> Verdict:
    return Verdict(trajectory=trajectory, verifier=VERIFIER, reward=-1.0, unsafe=True, evidence="it deleted everything")


def add_traces(store: Store, run: str = "traces-gateway", count: int = 12) -> list[str]:
    """Production conversations of two days. The first has a correction, the second a failure without one."""
    store.begin_run(run, "traces", {"source": "gateway"}, created=time.time() - 2 * 86400)
    rows = [
        episode(
            run, f"trace-{n}", source="gateway", redacted="rules@1", outcome="failure" if n < 2 else "success",
            items=[Message("user", f"Mail [EMAIL 1] about plan {n}."), Message("assistant", f"Mailed {n}.")], marks=[],
        )
        for n in range(count)
    ]  # fmt: skip
    store.add(run, rows)
    store.finish_run(run)
    ids = [row.id for row in rows]
    corrected: list[Item] = [FunctionCall("c1", "mail.send", '{"to": "Dina"}')]
    store.put("feedback", "feedback-desk-1", Feedback(
        trajectory=ids[0], outcome="failure", correction=corrected, note="wrong person", who="Ada", when="2026-01-05T10:00:00Z",
    ))  # fmt: skip
    store.put("feedback", "feedback-desk-2", Feedback(trajectory=ids[1], outcome="failure", intervention="took over"))
    return ids


def add_mining(store: Store, trace: str) -> None:
    for number, state in enumerate(("open", "accepted", "rejected")):
        task = Task(
            id=f"mined/{number}", prompt="Mail Dina about plan.", split="train", family="mined-0", lineage=[trace]
        )
        store.put("proposal", task.id, Proposal(
            id=task.id, environment="toolcall", task=task, right='{"tool": "mail.send"}', source="a correction by Ada",
            did="Mailed 0.", bucket="wrong arguments", signals=["thumbs down"], trajectories=[trace], by="correction",
        ))  # fmt: skip
        if state != "open":
            store.put(
                "review",
                f"review-desk-{number}",
                Review(proposals=[task.id], answer=state, who="Ada", when="2026-01-05T11:00:00Z"),
            )  # type: ignore[arg-type]
        if state == "accepted":
            store.put(
                "taken", "taken-desk", AcceptedBatch(environment="toolcall", tasks=[task], when="2026-01-05T11:01:00Z")
            )
    missing = UnverifiableRequest(
        request="Do the usual.",
        missing="nobody said what is right",
        bucket="other",
        signals=["took over"],
        trajectories=[trace],
    )
    store.put("mining", "mining-desk", MiningSummary(
        environment="desk", counts={"traces": 12, "failed": 2}, buckets={"wrong arguments": 2}, unverifiable=[missing],
        tasks={trace: "task-1"},
    ))  # fmt: skip


def add_data(home: Path, run: str) -> None:
    """A data set of one demonstration."""
    items: list[Item] = [Message("user", "Please do task-0."), Message("assistant", "It is done.")]
    row = Example(task="task-0", items=items, made=[(1, 2)], source=f"{run}/task-0/0")
    keep(
        WorkspaceFolder(home),
        [row],
        {"kept": 1},
        environment="desk",
        source=f"passed episodes of {run}",
        name="desk-demos",
    )


def add_labels(store: Store, run: str) -> None:
    for number, judgement in enumerate(("good", "bad", "good", "skip")):
        store.put(
            "label",
            f"label-{number}",
            Label(trajectory=f"{run}/task-{number}/0", judgement=judgement, who="Ada", note="seen"),
        )  # type: ignore[arg-type]
    store.put(
        "label", "label-9", Label(trajectory=f"{run}/task-2/0", other=f"{run}/task-2/1", judgement="better", who="Bob")
    )


def add_branched(store: Store, run: str) -> str:
    """A tree of turns: the policy replies, a judge replies beside it, and a second root is rewritten."""
    items: list[Item] = [
        Message("system", "You are a desk."),
        Message("user", "Mail Dina."),
        Reasoning([SummaryText("I should mail.")]),
        FunctionCall("c1", "mail.send", '{"to": "Dina"}'),
        FunctionCallOutput("c1", "sent"),
        Message("assistant", "Done."),
        Message("assistant", "A title"),
    ]
    ids = {"context_ids": [1, 2, 3], "completion_ids": [4, 5], "logprobs": [-0.1, -2.5]}
    turns = [
        Turn(saw=[(0, 2)], made=[2, 3], agent="agent-1", finish="tool_calls", **ids),
        Turn(
            parent=0, saw=[(0, 5)], made=[5], agent="agent-1", context_ids=[6], completion_ids=[7], logprobs=[-0.01],
            restricted=[0.0],
        ),
        Turn(actor="title", saw=[(1, 2)], made=[6]),
    ]  # fmt: skip
    one = episode(run, "task-2", 9, items=items, turns=turns, rewards=[0.25, 0.75])
    store.add(run, [one], [verdict(one.id, True)])
    return one.id
