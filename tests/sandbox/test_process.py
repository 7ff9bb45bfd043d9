"""Long processes in a box, such as agents: variables, output in a file, one address of the host, and nothing left at the end."""

import asyncio
import contextlib
import os
import secrets
import socket
import sys
import time
import venv
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.test_box import ISOLATED, PLAIN, living
from verigym.core.errors import BadInput
from verigym.core.protocols import CommandResult
from verigym.sandbox.box import ProcessBox, ProcessSandbox
from verigym.sandbox.bubblewrap import BubblewrapRunner
from verigym.sandbox.limits import SandboxLimits
from verigym.sandbox.open import why_not_isolated
from verigym.sandbox.plain import PlainRunner
from verigym.sandbox.process import AGENT_LIMITS, BoxProcess
from verigym.sandbox.runner import CommandRunner
from verigym.sandbox.setup import find_program, program_paths

needs_bubblewrap = pytest.mark.skipif(bool(why_not_isolated()), reason=why_not_isolated() or "-")


@pytest.fixture(params=[ISOLATED, PLAIN])
def runner(request: pytest.FixtureRequest) -> CommandRunner:
    return request.param()


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "output"


def lived(
    runner: CommandRunner,
    output: Path,
    command: list[str],
    meanwhile: Callable[[ProcessBox, BoxProcess], Awaitable[Any]] | None = None,
    limits: SandboxLimits = AGENT_LIMITS,
    files: Any = (),
    **options: Any,
) -> CommandResult:
    async def inside() -> CommandResult:
        with open(output, "wb") as file:
            async with await ProcessSandbox(runner, limits).open(dict(files)) as box:
                process = await box.start(command, file.fileno(), **options)
                if meanwhile:
                    await meanwhile(box, process)
                return await process.wait()

    return asyncio.run(asyncio.wait_for(inside(), 120))


async def text_in(output: Path, text: str) -> None:
    while text not in output.read_text():
        await asyncio.sleep(0.01)


def test_it_gets_its_variables_and_input_and_no_others_and_writes_to_the_file(
    runner: CommandRunner, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOST_SECRET", "s3cret")
    program = (
        "import os, sys; print(sys.stdin.read(), os.environ['GIVEN'], os.environ.get('HOST_SECRET'), file=sys.stderr)"
    )
    ended = lived(
        runner, output, ["python3", "main.py"], files={"main.py": program}, env={"GIVEN": "é"}, stdin="the prompt"
    )
    assert (ended.code, ended.stop) == (0, "exit") and output.read_text() == "the prompt é None\n"


def test_its_output_is_in_the_file_while_it_runs_and_its_files_can_be_read(runner: CommandRunner, output: Path) -> None:
    async def meanwhile(box: ProcessBox, process: BoxProcess) -> None:
        await text_in(output, "working")
        assert await box.read("made") == b"data"
        await box.write("go", "")

    program = """if True:
        import os, time
        open("made", "w").write("data")
        print("working", flush=True)
        while not os.path.exists("go"):
            time.sleep(0.01)
        raise SystemExit(3)
    """
    assert lived(runner, output, ["python3", "-c", program], meanwhile).code == 3


def test_killing_it_ends_everything_that_it_started(runner: CommandRunner, output: Path) -> None:
    token = secrets.token_hex(8)

    async def meanwhile(box: ProcessBox, process: BoxProcess) -> None:
        await text_in(output, "started")
        assert living(token)
        await process.kill()

    program = f"""if True: # {token}
        import subprocess, time
        subprocess.Popen(['sh', '-c', 'sleep 600; true', '{token}'], start_new_session=True)
        print('started', flush=True)
        time.sleep(600)
    """
    ended = lived(runner, output, ["python3", "-c", program], meanwhile)
    assert (ended.code, ended.stop) == (None, "killed") and "the caller ended it" in ended.stderr and not living(token)


def test_closing_the_box_ends_it(runner: CommandRunner, output: Path) -> None:
    token = secrets.token_hex(8)

    async def inside() -> CommandResult:
        with open(output, "wb") as file:
            async with await ProcessSandbox(runner, AGENT_LIMITS).open() as box:
                process = await box.start(["python3", "-c", f"import time; time.sleep(600) # {token}"], file.fileno())
            assert not living(token)
            return await process.wait()

    assert asyncio.run(inside()).stop == "killed"


@pytest.mark.parametrize(
    ("program", "limits", "stop"),
    [
        ("import time; time.sleep(600)", SandboxLimits(seconds=0.5), "time"),
        ("while True: print('x' * 1000)", SandboxLimits(seconds=60, cpu_seconds=60, output_kb=64), "output"),
        ("open('big', 'wb').write(b'x' * (40 << 20)); import time; time.sleep(600)",
         SandboxLimits(seconds=60, disk_mb=8), "killed"),
    ],
    ids=["time", "output", "disk"],
)  # fmt: skip
def test_a_limit_ends_it_and_the_result_names_the_limit(
    runner: CommandRunner, output: Path, program: str, limits: SandboxLimits, stop: str
) -> None:
    ended = lived(runner, output, ["python3", "-c", program], limits=limits)
    assert (ended.code, ended.stop) == (None, stop) and ended.stderr.startswith("[sandbox] killed: ")


@contextlib.asynccontextmanager
async def echo() -> AsyncIterator[int]:
    """A server on the loopback of the host that answers in capital letters."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.readline()).upper())
        writer.write_eof()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


ASK = """if True:
    import socket, sys
    for port in sys.argv[1:]:
        try:
            one = socket.create_connection(("127.0.0.1", int(port)), 20)
            one.sendall(b"hello\\n")
            print(one.makefile().read().strip())
        except OSError:
            print("refused")
"""


def asked(runner: CommandRunner, output: Path, reach: bool, network: bool = False) -> list[str]:
    async def inside() -> None:
        async with echo() as first, echo() as second:
            with open(output, "wb") as file:
                async with await ProcessSandbox(runner, AGENT_LIMITS).open() as box:
                    process = await box.start(
                        ["python3", "-c", ASK, str(first), str(second)],
                        file.fileno(),
                        reach=[f"127.0.0.1:{first}"] if reach else [],
                        network=network,
                    )
                    assert (await process.wait()).code == 0

    asyncio.run(inside())
    return output.read_text().split()


@needs_bubblewrap
def test_it_reaches_one_address_of_the_host_and_no_other(output: Path) -> None:
    assert asked(BubblewrapRunner(), output, reach=True) == ["HELLO", "refused"]


@needs_bubblewrap
def test_without_an_address_it_reaches_nothing(output: Path) -> None:
    assert asked(BubblewrapRunner(), output, reach=False) == ["refused", "refused"]


@needs_bubblewrap
def test_with_the_network_it_reaches_everything(output: Path) -> None:
    assert asked(BubblewrapRunner(), output, reach=True, network=True) == ["HELLO", "HELLO"]


def test_a_plain_process_reaches_everything(output: Path) -> None:
    assert asked(PlainRunner(), output, reach=True) == ["HELLO", "HELLO"]


@needs_bubblewrap
def test_many_at_once_each_have_their_own_way_to_the_address(tmp_path: Path) -> None:
    async def one(number: int, port: int) -> str:
        output = tmp_path / str(number)
        with open(output, "wb") as file:
            async with await ProcessSandbox(BubblewrapRunner(), AGENT_LIMITS).open() as box:
                words = ["python3", "-c", ASK, str(port)]
                await (await box.start(words, file.fileno(), reach=[f"127.0.0.1:{port}"])).wait()
        return output.read_text().strip()

    async def all_of_them() -> list[str]:
        async with echo() as port:
            return await asyncio.gather(*(one(number, port) for number in range(8)))

    assert asyncio.run(all_of_them()) == ["HELLO"] * 8


@needs_bubblewrap
def test_an_address_where_nobody_listens_is_refused_like_a_closed_port(output: Path) -> None:
    with socket.socket() as bound:  # nobody else gets its port, and it does not listen
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        lived(BubblewrapRunner(), output, ["python3", "-c", ASK, str(port)], reach=[f"127.0.0.1:{port}"])
    assert output.read_text().strip() == "refused"


@pytest.mark.parametrize(
    "wrong", ["localhost", "127.0.0.1:", ":80", "127.0.0.1:0", "127.0.0.1:70000", "a:b", "127.0.0.1:80"]
)
def test_an_address_that_is_none_is_refused(wrong: str, output: Path) -> None:
    if why_not_isolated():
        pytest.skip(why_not_isolated())
    with pytest.raises(BadInput, match=r"is not an address|cannot open port 80"):
        lived(BubblewrapRunner(), output, ["python3", "-c", ""], reach=[wrong])


def test_a_program_that_is_not_installed_is_refused_by_name(runner: CommandRunner, output: Path) -> None:
    with pytest.raises(BadInput, match='"nosuchagent" is not installed'):
        lived(runner, output, ["nosuchagent", "exec"])
    with pytest.raises(BadInput, match="empty"):
        lived(runner, output, [])


@needs_bubblewrap
def test_a_program_of_a_virtual_environment_finds_its_packages_and_nothing_else(tmp_path: Path, output: Path) -> None:
    tmp_path.chmod(0o755)
    for folder in tmp_path.parents:
        if folder != Path("/tmp") and os.access(folder, os.W_OK) and folder.is_relative_to("/tmp"):
            folder.chmod(0o755)
    home = tmp_path / "home"
    venv.create(home / "agent", symlinks=True)
    (home / "secret").write_text("s3cret")
    site = next((home / "agent").glob("lib/python*/site-packages"))
    (site / "agentlib.py").write_text("WORD = 'found'")
    program = home / "agent" / "bin" / "my-agent"
    program.write_text(
        f"#!{home}/agent/bin/python\nimport agentlib, os\nprint(agentlib.WORD, os.path.exists('{home}/secret'))\n"
    )
    program.chmod(0o755)
    assert lived(BubblewrapRunner(), output, [str(program)]).code == 0, output.read_text()
    assert output.read_text().split() == ["found", "False"]


def test_a_program_in_the_home_folder_does_not_open_the_home_folder(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "agent"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert program_paths(program) == [program]
    (tmp_path / "lib" / "node_modules").mkdir(parents=True)
    assert program_paths(program) == [tmp_path]


def test_a_program_of_the_system_needs_no_other_folder() -> None:
    assert find_program(["sh", "-c", "true"], {"A": "b"}, "/usr/bin:/bin") == (["sh", "-c", "true"], {"A": "b"}, ())


@needs_bubblewrap
def test_a_killed_verigym_leaves_no_process(tmp_path: Path) -> None:
    token = secrets.token_hex(8)
    program = f"""if True:
        import asyncio
        from verigym.sandbox.box import ProcessSandbox
        from verigym.sandbox.bubblewrap import BubblewrapRunner
        from verigym.sandbox.process import AGENT_LIMITS
        async def main():
            box = await ProcessSandbox(BubblewrapRunner(), AGENT_LIMITS).open()
            program = "import time; print('started', flush=True); time.sleep(600) # {token}"
            await (await box.start(["python3", "-c", program], 1)).wait()
        asyncio.run(main())
    """

    async def killed() -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}
        )
        assert process.stdout and await process.stdout.readline() == b"started\n"
        process.kill()
        await process.wait()

    tmp_path.chmod(0o755)
    asyncio.run(killed())
    end = time.monotonic() + 60
    while living(token) and time.monotonic() < end:
        time.sleep(0.05)
    assert not living(token)
