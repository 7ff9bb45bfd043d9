import asyncio
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from verigym.core.errors import BadInput, EnvironmentFailure, InfrastructureFailure
from verigym.harness.state_tools import ToolResult
from verigym.harness.toolkinds.replay import Recording, Replay


class Counted:
    """A live tool that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self) -> ToolResult:
        self.calls += 1
        await asyncio.sleep(0.01)
        return ToolResult(output=f"answer {self.calls}", failed=self.calls > 5)


def recording(path: Path, **settings: object) -> Recording:
    return Recording(path, Replay(file=path.name, **settings))  # type: ignore[arg-type]


def test_a_call_is_made_once_however_often_it_is_asked(tmp_path: Path) -> None:
    live, path = Counted(), tmp_path / "calls.jsonl"

    async def main() -> list[ToolResult]:
        record = recording(path)
        given = [{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1, "b": 2}]
        return await asyncio.gather(*(record.answer("t", arguments, "", live) for arguments in given))

    assert [result.output for result in asyncio.run(main())] == ["answer 1"] * 3 and live.calls == 1
    assert asyncio.run(recording(path).answer("t", {"b": 2, "a": 1}, "", live)).output == "answer 1"
    assert live.calls == 1 and len(path.read_text().splitlines()) == 1


def test_other_tools_arguments_and_histories_are_other_calls(tmp_path: Path) -> None:
    live, record = Counted(), recording(tmp_path / "calls.jsonl")

    async def main() -> None:
        await record.answer("t", {}, "", live)
        await record.answer("u", {}, "", live)
        await record.answer("t", {"a": None}, "", live)
        await record.answer("t", {}, "after another call", live)

    asyncio.run(main())
    assert live.calls == 4


def test_a_failure_of_the_server_is_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"

    async def broken() -> ToolResult:
        raise InfrastructureFailure("gone")

    with pytest.raises(InfrastructureFailure):
        asyncio.run(recording(path).answer("t", {}, "", broken))
    assert asyncio.run(recording(path).answer("t", {}, "", Counted())).output == "answer 1"


def test_a_missing_call_can_be_an_error(tmp_path: Path) -> None:
    path, live = tmp_path / "calls.jsonl", Counted()
    asyncio.run(recording(path).answer("t", {"a": "ä"}, "", live))
    record = recording(path, miss="fail")
    assert asyncio.run(record.answer("t", {"a": "ä"}, "", live)).output == "answer 1"
    with pytest.raises(EnvironmentFailure, match="is not in the record"):
        asyncio.run(record.answer("t", {"a": 2}, "", live))
    assert live.calls == 1
    with pytest.raises(BadInput, match="Record it first"):
        recording(tmp_path / "none.jsonl", miss="fail")


def test_a_line_that_was_cut_off_by_a_kill_is_skipped(tmp_path: Path) -> None:
    path, live = tmp_path / "calls.jsonl", Counted()
    asyncio.run(recording(path).answer("t", {"a": 1}, "", live))
    with path.open("ab") as file:
        file.write(b'{"tool": "t", "argu')
    assert asyncio.run(recording(path).answer("t", {"a": 2}, "", live)).output == "answer 2"
    again = recording(path)
    outputs = [asyncio.run(again.answer("t", {"a": number}, "", live)).output for number in (1, 2)]
    assert outputs == ["answer 1", "answer 2"] and live.calls == 2


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello\n")
    with pytest.raises(BadInput, match="is not a record of calls"):
        recording(path)


def test_two_processes_make_a_call_once(tmp_path: Path) -> None:
    code = textwrap.dedent("""
        import asyncio, sys
        from pathlib import Path
        from verigym.harness.state_tools import ToolResult
        from verigym.harness.toolkinds.replay import Recording, Replay
        folder = Path(sys.argv[1])
        record = Recording(folder / "calls.jsonl", Replay(file="calls.jsonl"))
        def call(number):
            async def live():
                with open(folder / "made.txt", "a") as file:
                    file.write(f"{number}\\n")
                await asyncio.sleep(0.05)
                return ToolResult(output=number)
            return record.answer("t", {"n": number}, "", live)
        async def main():
            await asyncio.gather(*(call(number % 10) for number in range(40)))
        asyncio.run(main())
    """)
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(3)]
    assert [process.wait(120) for process in running] == [0, 0, 0]
    assert sorted((tmp_path / "made.txt").read_text().split()) == sorted(map(str, range(10)))
