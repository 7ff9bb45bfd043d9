"""A resources server of NeMo Gym as an environment, tested with a small server that speaks its protocol."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.environments.bridges.gym_server import GymServer, row, write_rows
from tests.rollout.shop import AGENT
from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.protocols import Context
from verigym.core.records import Fault, FunctionCall, Task, Trajectory, Verdict
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode


async def play(spec: EnvironmentSpec, task: Task, replies: list[Any]) -> tuple[Trajectory, Verdict]:
    trajectory = await run_episode(spec, task, ScriptedPolicy([*replies, ""]), agent=AGENT, id="e", group="g")
    stored = codec.decode(codec.encode(trajectory), Trajectory)
    [verdict] = await spec.verifier.verify(task, [stored], Context())
    return trajectory, verdict


def call(number: Any, id: str = "c") -> list[FunctionCall]:
    return [FunctionCall(id, "add", f'{{"number": {number}}}')]


@pytest.mark.parametrize("mode", ["record", "session"])
def test_gold_scores_1_and_doing_nothing_0(mode: str, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", row(3), row(7, id="seven"))

    async def run() -> None:
        server = GymServer(stateful=mode == "session")
        async with server.serving() as url:
            spec = load_environment(f"nemogym:{url}#{rows}?verify={mode}")
            assert [task.id for task in spec.tasks("val")] == ["rows-1", "seven"] and spec.needs_task_tools
            for task in spec.tasks("val"):
                trajectory, gold = await play(spec, task, spec.gold_replies(task))
                _, nothing = await play(spec, task, ["I did nothing."])
                assert (gold.reward, gold.passed, nothing.reward) == (1.0, True, 0.0)
                assert [mark.kind for mark in trajectory.marks if mark.kind != "not_rescorable"] == ["executed"]
                assert trajectory.marked("not_rescorable") == (mode == "session")
            output = server.bodies[0]["response"]["output"]
            assert [item["type"] for item in output] == ["function_call", "function_call_output", "message"]
            assert output[2]["content"][0]["text"] == "Done."

    asyncio.run(run())


def test_a_stored_run_can_be_scored_again_if_the_verdict_needs_only_the_record(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", row(3))

    async def run() -> None:
        server = GymServer(stateful=False)
        async with server.serving() as url:
            spec = load_environment(f"nemogym:{url}#{rows}?verify=record")
            [task] = spec.tasks("val")
            trajectory, _ = await play(spec, task, spec.gold_replies(task))
            server.sessions.clear()
            [again] = await spec.verifier.verify(task, [trajectory], Context())
            assert again.passed

    asyncio.run(run())


def test_episodes_at_once_have_sessions_of_their_own(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", *(row(number) for number in range(1, 21)))

    async def run() -> None:
        server = GymServer(stateful=True)
        async with server.serving() as url:
            spec = load_environment(f"nemogym:{url}#{rows}")
            tasks = spec.tasks("val")
            plays = await asyncio.gather(*(play(spec, task, spec.gold_replies(task)) for task in tasks))
            assert all(verdict.passed for _, verdict in plays) and len(server.sessions) == 20

    asyncio.run(run())


def test_an_error_of_a_tool_is_shown_to_the_model_and_marked(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", row(3))

    async def run() -> None:
        async with GymServer(stateful=False).serving() as url:
            spec = load_environment(f"nemogym:{url}#{rows}?verify=record")
            trajectory, verdict = await play(spec, spec.tasks("val")[0], [call(-1), call('"x"', "d"), "Done."])
            assert [mark.kind for mark in trajectory.marks] == ["tool_error", "bad_arguments"]
            assert verdict.error is not None or verdict.reward == 0.0

    asyncio.run(run())


@pytest.mark.parametrize(
    ("path", "hangs", "fault"),
    [
        ("/seed_session", False, Fault.INFRASTRUCTURE),
        ("/add", False, Fault.INFRASTRUCTURE),
        ("/add", True, Fault.INFRASTRUCTURE),
        ("/verify", False, Fault.INFRASTRUCTURE),
    ],
)
def test_a_server_that_breaks_or_hangs_is_not_the_models_fault(
    path: str, hangs: bool, fault: Fault, tmp_path: Path
) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", row(3))

    async def run() -> None:
        server = GymServer(stateful=False)
        server.broken, server.hangs = path, hangs
        async with server.serving() as url:
            spec = load_environment(f"nemogym:{url}#{rows}?verify=record&seconds=2")
            trajectory, verdict = await play(spec, spec.tasks("val")[0], [call(3)])
            error = trajectory.error or verdict.error
            assert error is not None and error.fault is fault and verdict.reward is None
            assert ("in time" if hangs else "status 500") in error.message

    asyncio.run(run())


def test_a_server_that_is_gone_is_named(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", row(3))
    spec = load_environment(f"nemogym:http://127.0.0.1:9#{rows}")
    trajectory, verdict = asyncio.run(play(spec, spec.tasks("val")[0], [call(3)]))
    assert trajectory.error is not None and trajectory.error.fault is Fault.INFRASTRUCTURE and verdict.reward is None
    assert "http://127.0.0.1:9/seed_session" in trajectory.error.message


def test_two_files_are_training_and_held_out_rows(tmp_path: Path) -> None:
    train, val = write_rows(tmp_path / "a.jsonl", row(1), row(2)), write_rows(tmp_path / "b.jsonl", row(3))
    spec = load_environment(f"nemogym:http://127.0.0.1:9#{train},{val}?turns=4")
    assert [task.id for task in spec.tasks("train")] == ["a-1", "a-2"] and spec.max_turns == 4
    assert [task.id for task in spec.tasks("val")] == ["b-1"]


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("nemogym:ftp://x#rows.jsonl", "is not a URL of a server"),
        ("nemogym:http://127.0.0.1:9", "names no rows. Write nemogym:http://127.0.0.1:9#rows.jsonl"),
        ("nemogym:http://127.0.0.1:9#ROWS?verify=maybe", "verify must be record or session"),
        ("nemogym:http://127.0.0.1:9#ROWS?size=3", "there is no option size"),
        ("nemogym:http://127.0.0.1:9#ROWS?turns=0", "turns must be a whole number"),
    ],
)
def test_a_wrong_name_is_refused_in_words(where: str, words: str, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", row(3))
    with pytest.raises(BadInput) as error:
        load_environment(where.replace("ROWS", rows))
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (['{"prompt": "hi"}'], '"responses_create_params" with "input" is missing'),
        (["[1]"], "line 1"),
        (["{"], "line 1"),
        ([row(1, id=1), row(2, id=1)], "two rows have the id 1"),
        ([{"responses_create_params": {"input": 7}}], '"input"'),
    ],
)
def test_a_bad_row_is_named_with_its_line(rows: list[Any], words: str, tmp_path: Path) -> None:
    file = write_rows(tmp_path / "rows.jsonl", *rows)
    with pytest.raises(BadInput) as error:
        load_environment(f"nemogym:http://127.0.0.1:9#{file}")
    assert words in str(error.value) and ("rows.jsonl" in str(error.value))


def test_a_server_of_the_wheel_needs_the_wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VERIGYM_BRIDGES", str(tmp_path))
    with pytest.raises(BadInput, match="verigym bridges install nemogym"):
        load_environment("nemogym:workplace_assistant")
