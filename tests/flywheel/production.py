"""Production traces for tests: requests of the example's office, answered wrongly, with what would have been right."""

from collections.abc import Sequence
from pathlib import Path

from verigym.core.records import Feedback, FunctionCall, Message, Task, Trajectory, content_hash
from verigym.environments.load import load_environment
from verigym.environments.toolcall import gold, tasks
from verigym.workspace.workspace import WorkspaceFolder

OFFICE = str(Path(__file__).parents[2] / "examples" / "office.py")


def requests(tool: str) -> list[Task]:
    """Of toolcall's training tasks, which the office has none of for this tool."""
    return [task for task in tasks("train") if task.data["expected_tool"] == tool]


def served(
    ws: WorkspaceFolder, asked: Sequence[Task], reply: str = "I cannot do that.", run: str = "traces-served"
) -> list[str]:
    """Each request as a trace that failed, with its correction; their ids."""
    system = load_environment(OFFICE).system
    ws.store.begin_run(run, "traces", {})
    ids = [f"{run}/{content_hash(task.prompt)[:16]}" for task in asked]
    ws.store.add(
        run,
        [
            Trajectory(
                id=id,
                task=id.rpartition("/")[2],
                group=id.rpartition("/")[2],
                items=[Message("system", system), Message("user", str(task.prompt)), Message("assistant", reply)],
                source="gateway",
            )
            for id, task in zip(ids, asked, strict=True)
        ],
    )
    for id, task in zip(ids, asked, strict=True):
        calls = [item for item in gold(task) if isinstance(item, FunctionCall)]
        said = Feedback(trajectory=id, outcome="failure", correction=list(calls), who="ana", when="2026-01-01T00:00:00")
        ws.store.put("feedback", content_hash(said)[:16], said)
    return ids
