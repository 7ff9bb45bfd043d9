"""Writes `written.jsonl` and `later.jsonl`: failures written by hand, each with the bucket that its author gave it by reading.

    python -m tests.evaluation.labelled.build

The conversations in `first.py` and `later.py` are literal. The harness plays them (so that results, marks, stops and verdicts
are what they would be), and the label stands beside each; no rule of `evaluation/rules.py` is asked. `real.jsonl` holds
failures of SmolLM2 and of its adapters on `toolcall`, labelled in the same way. One person labelled all of them.
"""

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from tests.evaluation.labelled import asked, first, later
from tests.evaluation.labelled.words import Case, Cut
from verigym.core.protocols import Context, Reply, Request
from verigym.core.records import Item, Message, Task, Turn, Version
from verigym.environments.load import environment_of, load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.policies import dialects
from verigym.policies.dialects.markup import HERMES, MISTRAL
from verigym.rollout.episode import run_episode
from verigym.sandbox.open import open_sandbox
from verigym.workspace.measure import judged_by

HERE = Path(__file__).parent


class Said:
    """A policy that says these replies, in whatever dialect they are written."""

    def __init__(self, replies: tuple[Any, ...]) -> None:
        self.replies = replies

    async def respond(self, request: Request) -> Reply:
        place = len(request.turns)
        said = self.replies[min(place, len(self.replies) - 1)]
        if isinstance(said, Exception):
            raise said
        text, cut = (said.text, True) if isinstance(said, Cut) else (said, False)
        reader = HERMES.parse if "<tool_call>" in text else MISTRAL.parse if "[TOOL_CALLS]" in text else dialects.parse
        items: list[Item] = reader(text, f"call_{place}") if request.tools else [Message("assistant", text)]
        turn = Turn(parent=place - 1 if place else None, agent="written", finish="length" if cut else "stop")
        return Reply(items=items, turn=turn)


async def _play(environment: EnvironmentSpec, task: Task, case: Case, number: int) -> dict[str, Any]:
    place = f"written/{environment.name.rsplit('/', 1)[-1].removesuffix('.py')}/{number:02}"
    trajectory = await run_episode(
        environment, task, Said(case.replies), agent=Version(base="written"), id=place, group=place
    )
    [verdict] = await environment.verifier.verify(task, [trajectory], Context(sandbox=open_sandbox()))
    assert not verdict.passed, f"{place}: a failure that passes"
    return row(case.bucket, task, trajectory, verdict)


def row(bucket: str, task: Task, trajectory: Any, verdict: Any) -> dict[str, Any]:
    """A line of the files; what nothing reads (turns, ids, times) is left out."""
    bare = msgspec.structs.replace(trajectory, turns=[], seconds=0.0, seed=0)
    return {"bucket": bucket, "task": task, "trajectory": bare, "verdict": verdict}


def _worlds() -> dict[str, list[tuple[EnvironmentSpec, list[Task], list[Case]]]]:
    toolcall = load_environment("toolcall")
    shop, library, maze, notes = (
        load_environment(str(HERE / f"{name}.py")) for name in ("shop", "library", "maze", "notes")
    )
    before = [
        (shop, asked.SHOP, first.IN_SHOP),
        (library, asked.LIBRARY, first.IN_LIBRARY),
        (maze, asked.MAZE, first.IN_MAZE),
        (toolcall, asked.OFFICE, first.IN_TOOLCALL),
    ]
    for verifier, (tasks, cases) in first.PLAIN.items():
        before.append((judged_by(environment_of("quiz.jsonl", tasks), verifier), tasks, cases))
    numbers = judged_by(environment_of("quiz.jsonl", asked.NUMBERS), "numeric")
    after = [
        (notes, asked.NOTEBOOK, later.IN_NOTES),
        (shop, asked.SHOP, later.IN_SHOP),
        (maze, asked.MAZE, later.IN_MAZE),
        (numbers, asked.NUMBERS, later.NUMBERS),
    ]
    return {"written": before, "later": after}


def main() -> None:
    for name, worlds in _worlds().items():
        lines: list[bytes] = []
        for environment, tasks, cases in worlds:
            by_id = {task.id: task for task in tasks}
            for case in cases:
                lines.append(msgspec.json.encode(asyncio.run(_play(environment, by_id[case.task], case, len(lines)))))
        (HERE / f"{name}.jsonl").write_bytes(b"\n".join(lines) + b"\n")
        print(f"{name}.jsonl: {len(lines)} failures")


if __name__ == "__main__":
    main()
