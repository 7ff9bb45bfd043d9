"""What a box does for its user, in bubblewrap and as a plain process alike; and what the plain one does not promise."""

import asyncio
import contextlib
import os
import secrets
import textwrap
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.protocols import Box, CommandResult, Sandbox
from verigym.sandbox import bubblewrap
from verigym.sandbox.box import CommandRunner, ProcessSandbox
from verigym.sandbox.bubblewrap import BubblewrapRunner
from verigym.sandbox.folder import Folder, FolderEntry
from verigym.sandbox.limits import SandboxLimits
from verigym.sandbox.open import why_not_isolated
from verigym.sandbox.plain import PlainRunner
from verigym.sandbox.tree import listing, process

SMALL = SandboxLimits(
    seconds=5, cpu_seconds=4, memory_mb=96, processes=24, file_mb=8, disk_mb=32, files=400, output_kb=64
)
ISOLATED = pytest.param(
    BubblewrapRunner,
    id="bubblewrap",
    marks=pytest.mark.skipif(bool(why_not_isolated()), reason=why_not_isolated() or "-"),
)
PLAIN = pytest.param(PlainRunner, id="plain")


@pytest.fixture(params=[ISOLATED, PLAIN])
def sandbox(request: pytest.FixtureRequest) -> ProcessSandbox:
    return ProcessSandbox(request.param(), SMALL)


def within(sandbox: Sandbox, do: Callable[[Box], Awaitable[Any]], files: Any = ()) -> Any:
    async def inside() -> Any:
        async with await sandbox.open(dict(files)) as box:
            return await do(box)

    return asyncio.run(inside())


def run(sandbox: Sandbox, program: str, *arguments: str, **options: Any) -> CommandResult:
    return within(sandbox, lambda box: box.run(["python3", "-c", textwrap.dedent(program), *arguments], **options))


def living(token: str) -> list[int]:
    found = []
    for pid in listing.now(fresh_s=0):
        with contextlib.suppress(OSError):
            if token in Path(f"/proc/{pid}/cmdline").read_text(errors="replace"):
                found.append(pid)
    return found


def test_a_program_finds_its_files_and_leaves_others(sandbox: ProcessSandbox) -> None:
    async def do(box: Box) -> tuple[CommandResult, bytes, CommandResult]:
        first = await box.run(["python3", "in/main.py"])
        made = await box.read("out/x")
        await box.write("out/x", "later")
        return first, made, await box.run(["cat", "out/x"])

    program = "import os; os.mkdir('out'); open('out/x', 'wb').write(b'\\xff'); print(open('in/data').read())"
    first, made, second = within(sandbox, do, {"in/main.py": program, "in/data": b"data"})
    assert (first.code, first.stop, first.stdout, first.stderr) == (0, "exit", "data\n", "")
    assert made == b"\xff" and second.stdout == "later" and 0 < first.seconds < 5


def test_standard_input_output_and_the_exit_code(sandbox: ProcessSandbox) -> None:
    ran = run(
        sandbox, "import sys; print(sys.stdin.read().upper()); print('no', file=sys.stderr); sys.exit(7)", stdin="é\n"
    )
    assert (ran.code, ran.stdout, ran.stderr, ran.stop) == (7, "É\n\n", "no\n", "exit")


def test_much_input_reaches_a_program_that_answers_meanwhile(sandbox: ProcessSandbox) -> None:
    ran = run(
        sandbox,
        "import sys\nn = 0\nfor line in sys.stdin: n += len(line); print()\nprint(n)",
        stdin="x" * 63 + "\n" * 1,
    )
    assert ran.stdout.split() == ["64"]
    big = "x" * (1 << 20)
    assert run(sandbox, "import sys; print(len(sys.stdin.read()))", stdin=big).stdout == f"{1 << 20}\n"


def test_a_program_need_not_read_its_input(sandbox: ProcessSandbox) -> None:
    assert run(sandbox, "print(1)", stdin="x" * (1 << 20)).stdout == "1\n"


def test_output_that_is_not_text_is_still_a_record(sandbox: ProcessSandbox) -> None:
    assert run(sandbox, "import os; os.write(1, b'a\\xffb\\x00')").stdout == "a\ufffdb\0"


def test_a_crash_has_the_code_a_shell_would_give(sandbox: ProcessSandbox) -> None:
    assert run(sandbox, "import os; os.kill(os.getpid(), 11)").code == 139


def test_a_command_that_does_not_exist_fails_in_words(sandbox: ProcessSandbox) -> None:
    ran = within(sandbox, lambda box: box.run(["nosuchcommand"]))
    assert ran.code and "nosuchcommand" in ran.stderr


@pytest.mark.parametrize(
    "command", [[], ["a\0b"], ["echo", "x" * (1 << 21)]], ids=["empty", "with a null byte", "too long"]
)
def test_a_command_that_cannot_be_run_is_refused(sandbox: ProcessSandbox, command: list[str]) -> None:
    with pytest.raises(BadInput):
        within(sandbox, lambda box: box.run(command))


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../../x", "a\0b", "."])
@pytest.mark.parametrize("do", [lambda b, p: b.read(p), lambda b, p: b.write(p, "x")], ids=["read", "write"])
def test_a_path_stays_in_the_box(sandbox: ProcessSandbox, do: Any, path: str) -> None:
    with pytest.raises(BadInput):
        within(sandbox, lambda box: do(box, path))


@pytest.mark.parametrize(
    ("do", "said"),
    [
        (lambda b: b.read("nosuch"), "No such file"),
        (lambda b: b.read("no/such"), "No such file"),
        (lambda b: b.write("file/x", ""), "goes through a link or a file"),
        (lambda b: b.write("folder", ""), "Is a directory"),
        (lambda b: b.read("folder"), "not a plain file"),
    ],
    ids=["no file", "no folder", "through a file", "over a folder", "of a folder"],
)
def test_what_cannot_be_read_or_written_is_said(sandbox: ProcessSandbox, do: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        within(sandbox, do, {"file": "", "folder/x": ""})


def test_a_box_that_cannot_be_filled_is_deleted(sandbox: ProcessSandbox, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(BadInput):
        within(sandbox, lambda box: box.read("x"), {"/etc/x": ""})
    assert list(tmp_path.iterdir()) == []


def test_a_box_is_gone_when_closed_and_seen_by_nobody_else(
    sandbox: ProcessSandbox, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def do(box: Box) -> int:
        (folder,) = tmp_path.iterdir()
        return folder.stat().st_mode & 0o777

    assert within(sandbox, do, {"a/b/c": "x"}) == 0o700
    assert list(tmp_path.iterdir()) == []


def test_two_boxes_do_not_share(sandbox: ProcessSandbox) -> None:
    async def inside() -> str:
        async with await sandbox.open({"x": "one"}) as one, await sandbox.open() as two:
            await one.run(["touch", "y"])
            return (await two.run(["ls"])).stdout

    assert asyncio.run(inside()) == ""


def test_all_that_is_in_a_box_is_listed_as_it_is_and_no_link_is_followed(sandbox: ProcessSandbox) -> None:
    program = """
        import os
        os.umask(0o022)
        os.makedirs("shut/inner/empty")
        os.symlink("/etc", "link")
        os.mkfifo("pipe", 0o600)
        open(b"\\xff name\\n", "w").close()
        for path in ("secret", "shut/inner/x"):
            open(path, "wb").write(b"\\xfe\\n")
            os.chmod(path, 0)
        os.chmod("shut", 0o100)
    """

    async def inside() -> dict[str, FolderEntry]:
        async with await sandbox.open({"a b/ü.txt": "text"}) as box:
            assert (await box.run(["python3", "-c", textwrap.dedent(program)])).stderr == ""
            return await box.list()

    assert asyncio.run(inside()) == {
        ".": FolderEntry("folder", 0o700),
        "a b": FolderEntry("folder", 0o755),
        "a b/ü.txt": FolderEntry("file", 0o644, b"text"),
        "link": FolderEntry("link", 0o777, b"/etc"),
        "pipe": FolderEntry("other", 0o600),
        "secret": FolderEntry("file", 0, b"\xfe\n"),
        "shut": FolderEntry("folder", 0o100),
        "shut/inner": FolderEntry("folder", 0o755),
        "shut/inner/empty": FolderEntry("folder", 0o755),
        "shut/inner/x": FolderEntry("file", 0, b"\xfe\n"),
        "\ufffd name\n": FolderEntry("file", 0o644),
    }


@pytest.mark.parametrize(
    "make",
    ["for n in $(seq 9); do : > $n; done", "echo 0123456789 > x", "mkdir -p $(yes a/ | head -n 40 | tr -d '\\n')"],
)
def test_a_box_that_holds_too_much_is_not_listed(sandbox: ProcessSandbox, make: str) -> None:
    async def inside(most_files: int, most_bytes: int) -> None:
        async with await sandbox.open() as box:
            assert (await box.run(["bash", "-c", make])).stderr == ""
            await box.list(most_files, most_bytes)

    with pytest.raises(BadInput, match="cannot be listed"):
        asyncio.run(inside(8, 10))


def test_a_box_that_no_disk_takes_is_nobodys_program(sandbox: ProcessSandbox, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/nosuch/folder")
    with pytest.raises(InfrastructureFailure, match="The sandbox could not create a working folder"):
        asyncio.run(sandbox.open())


def test_a_box_that_is_called_off_while_it_is_made_is_deleted(
    sandbox: ProcessSandbox, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def inside() -> None:
        opening = asyncio.create_task(sandbox.open({str(n): "x" for n in range(300)}))
        while not list(tmp_path.iterdir()):
            await asyncio.sleep(0)
        opening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await opening
        assert opening.cancelled()

    asyncio.run(inside())
    assert list(tmp_path.iterdir()) == []


def test_a_run_may_have_more_or_less_time(sandbox: ProcessSandbox) -> None:
    ran = run(sandbox, "import time; time.sleep(60)", seconds=0.3)
    assert ran.stop == "time" and ran.code is None and "0.3 s" in ran.stderr and 0.3 <= ran.seconds < 50


def test_the_event_loop_goes_on_and_boxes_run_together(sandbox: ProcessSandbox) -> None:
    num = sandbox.pool._max_workers

    async def times() -> list[int]:
        async with await sandbox.open() as box:
            ran = await box.run(["sh", "-c", "date +%s%N; sleep 2; date +%s%N"])
            return [int(line) for line in ran.stdout.split()]

    async def inside() -> tuple[int, list[list[int]]]:
        beats = 0
        runs = asyncio.gather(*(times() for _ in range(num)))
        while not runs.done():
            await asyncio.sleep(0.01)
            beats += 1
        return beats, await runs

    beats, runs = asyncio.run(inside())
    assert beats > 10
    assert max(began for began, _ in runs) < min(ended for _, ended in runs)


def test_commands_of_one_box_may_be_started_together(sandbox: ProcessSandbox) -> None:
    async def do(box: Box) -> list[int | None]:
        return [ran.code for ran in await asyncio.gather(*(box.run(["sleep", "0.1"]) for _ in range(3)))]

    assert within(sandbox, do) == [0, 0, 0]


def test_a_busy_event_loop_does_not_stop_the_clock(sandbox: ProcessSandbox) -> None:
    async def do(box: Box) -> float:
        running = asyncio.create_task(box.run(["sleep", "600"], seconds=0.3))
        await asyncio.sleep(0.05)
        time.sleep(3)
        return (await running).seconds

    assert within(sandbox, do) < 2.9


def test_a_sandbox_serves_one_event_loop_after_another(sandbox: ProcessSandbox) -> None:
    assert [run(sandbox, "print(1)").stdout for _ in range(2)] == ["1\n", "1\n"]


@pytest.mark.parametrize("how", ["cancel", "close"])
def test_a_run_that_is_called_off_is_gone(sandbox: ProcessSandbox, how: str) -> None:
    token = secrets.token_hex(16)
    script = "import os, time; os.fork(); os.fork() or os.setsid(); time.sleep(60)"

    async def inside() -> None:
        box = await sandbox.open()
        running = asyncio.create_task(box.run(["python3", "-c", script, token], seconds=60))
        while len(living(token)) < 4:
            await asyncio.sleep(0.02)
        if how == "close":
            await box.close()
            assert (await running).stop == "killed"
            return
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert living(token) == []
        await box.close()

    asyncio.run(inside())
    assert living(token) == []


def test_a_run_that_waits_for_its_turn_can_be_called_off(sandbox: ProcessSandbox) -> None:
    async def do(box: Box) -> int:
        running = [asyncio.create_task(box.run(["sleep", "3"])) for _ in range(sandbox.pool._max_workers)]
        await asyncio.sleep(0.05)
        waiting = asyncio.create_task(box.run(["sleep", "60"]))
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        free = sum(task.done() for task in running)
        await asyncio.gather(*running)
        return free

    assert within(sandbox, do) == 0, "it waited for the others to end"


def test_no_variable_of_the_host_is_seen(sandbox: ProcessSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    ran = run(sandbox, "import os; print(sorted(os.environ))")
    known = "'HOME', 'LANG', 'OMP_NUM_THREADS', 'PATH', 'PWD', 'PYTHONHASHSEED', 'TMPDIR', 'USER'"
    assert ran.stdout.strip().replace(", 'VERIGYM_BOX'", "") == f"[{known}]"


# The limits, as a plain process keeps them; the escape suite has those of bubblewrap.


@pytest.fixture
def plain() -> ProcessSandbox:
    return ProcessSandbox(PlainRunner(), SMALL)


@pytest.mark.parametrize("end", ["os._exit(3)", "time.sleep(60)"], ids=["exit", "time-out"])
@pytest.mark.parametrize(
    "daemon",
    ["time.sleep(60)", "os.setsid()\n    if os.fork(): os._exit(0)\n    time.sleep(60)"],
    ids=["child", "daemon"],
)
def test_a_plain_process_leaves_no_process(plain: ProcessSandbox, daemon: str, end: str) -> None:
    token = secrets.token_hex(16)
    ran = run(plain, f"import os, time\nif os.fork() == 0:\n    {daemon}\ntime.sleep(.1)\n{end}", token, seconds=0.8)
    assert (ran.code, ran.stop) in ((3, "exit"), (None, "time"))
    assert living(token) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's daemons are found by a variable, which these gave up")
def test_as_root_a_plain_process_cannot_hide_from_being_killed(plain: ProcessSandbox) -> None:
    seconds = f"60.{secrets.randbelow(10**12)}"
    ran = run(plain, f"""
        import os
        if os.fork() == 0:
            os.setsid()
            if os.fork(): os._exit(0)
            os.execvpe("sleep", ["sleep", "{seconds}"], {{}})
        __import__("time").sleep(0.2)
    """)  # fmt: skip
    assert ran.code == 0 and living(f"sleep\0{seconds}") == []


def test_a_plain_fork_bomb_stays_small_and_ends(plain: ProcessSandbox) -> None:
    token = secrets.token_hex(16)
    ran = run(plain, "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", token, seconds=1)
    assert ran.code is None and ran.stop in ("time", "killed") and living(token) == []


def test_plain_memory_is_limited_for_one_and_for_all(plain: ProcessSandbox) -> None:
    ran = run(plain, "try: bytearray(200 << 20)\nexcept MemoryError: print('refused')")
    assert ran.stdout == "refused\n"
    ran = run(
        plain,
        "import os, time\nfor _ in range(8): os.fork() or (bytearray(b'x') * (30 << 20), time.sleep(9))\ntime.sleep(9)",
    )
    assert ran.stop == "memory"


def test_plain_output_files_and_processor_time_are_limited(plain: ProcessSandbox) -> None:
    assert run(plain, "while True: print('x' * 999)").stop == "output"
    assert run(plain, "open('x', 'wb').write(bytes(9 << 20))").code == 1
    assert (
        run(plain, "import time\nfor n in range(9**9): open(str(n), 'w').close(); time.sleep(.0001)").stop == "killed"
    )
    assert run(ProcessSandbox(PlainRunner(), SandboxLimits(cpu_seconds=0.2)), "while True: pass").stop == "time"


def test_a_plain_process_is_not_isolated_and_says_so(plain: ProcessSandbox, tmp_path: Path) -> None:
    assert not plain.isolated
    assert run(plain, "print(len(open('/etc/passwd').read()) > 0)").stdout == "True\n"


# Parts.


def test_counting_stops_at_the_limit_and_bears_what_vanishes(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = Folder()
    for n in range(5):
        (folder.work / str(n)).write_bytes(bytes(8192))
    assert folder.used(100) == (5 * 8192, 5) and folder.used(3)[1] == 4
    folder.delete()
    assert folder.used(100) == (0, 0)


def test_a_folder_deeper_than_any_path_is_full_and_can_be_deleted(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = Folder()
    here = os.open(folder.work, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("deep", dir_fd=here)
        here, above = os.open("deep", os.O_RDONLY, dir_fd=here), here
        os.close(above)
    os.close(here)
    assert folder.used(10_000)[1] == 10_001
    folder.delete()
    assert list(tmp_path.iterdir()) == []


def test_folders_that_would_be_slow_to_delete_are_full_long_before_the_longest_path(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = Folder()
    folder.work.joinpath(*"d" * 200).mkdir(parents=True)
    assert folder.used(10_000)[1] == 200
    folder.work.joinpath(*"d" * 300).mkdir(parents=True)
    assert folder.used(10_000)[1] == 10_001
    folder.delete()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o000, 0o100, 0o500], ids=oct)
def test_folders_without_permissions_are_deleted(tmp_path: Path, monkeypatch: Any, mode: int) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = Folder()
    (folder.work / "outer" / "inner").mkdir(parents=True)
    (folder.work / "outer" / "inner" / "file").write_text("text")
    for path in (folder.work / "outer" / "inner", folder.work / "outer", folder.work):
        path.chmod(mode)
    folder.delete()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_moved_while_it_is_deleted_is_reported(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = Folder()
    (folder.work / "inner").mkdir()
    (tmp_path / "away").mkdir()
    unlink, done = os.rmdir, []

    def move_first(name: str, *, dir_fd: int | None = None) -> None:
        if not done:
            done.append(os.rename(folder.work, tmp_path / "away" / "work"))
        unlink(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "rmdir", move_first)
    with pytest.raises(InfrastructureFailure, match="changed while it was deleted"):
        folder.delete()


def test_a_process_that_is_gone_is_no_process() -> None:
    assert process(2**22 + 1) is None
    own = process(os.getpid())
    assert own and own.threads >= 1 and own.resident > 1 << 20 and not own.ended


@pytest.mark.parametrize("way", [ISOLATED])
def test_bubblewrap_that_does_not_start_is_an_infrastructure_failure(
    way: type[CommandRunner], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho no namespaces for you >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(InfrastructureFailure, match="no namespaces for you"):
        run(ProcessSandbox(way(), SMALL), "pass")


def test_a_machine_that_cannot_start_a_process_is_an_infrastructure_failure() -> None:
    class Full:
        isolated = True

        def start(self, folder: Folder, command: Sequence[str], *rest: Any) -> Any:
            raise OSError(11, "Resource temporarily unavailable")

    full: Any = Full()
    with pytest.raises(InfrastructureFailure, match=r"could not start a command: .*temporarily unavailable"):
        run(ProcessSandbox(full, SMALL), "pass")


def test_an_old_kernel_counts_all_processes_of_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert BubblewrapRunner()._others() == 1
    monkeypatch.setattr(bubblewrap, "_COUNTED_BY_NAMESPACE", False)
    assert BubblewrapRunner()._others() > 1
