"""The escape suite: hostile programs, and none gets out. It runs against bubblewrap, where this machine has it."""

import asyncio
import contextlib
import os
import platform
import secrets
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.hostile import HOSTILE, WRAP, Hostile
from verigym.core.errors import BadInput
from verigym.core.protocols import CommandResult
from verigym.sandbox.box import ProcessBox, ProcessSandbox
from verigym.sandbox.bubblewrap import BubblewrapRunner
from verigym.sandbox.limits import SandboxLimits
from verigym.sandbox.open import why_not_isolated
from verigym.sandbox.tree import listing

pytestmark = [
    pytest.mark.skipif(bool(why_not_isolated()), reason=why_not_isolated() or "-"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the programs call x86_64's system calls by number"),
]
SMALL = SandboxLimits(
    seconds=5, cpu_seconds=4, memory_mb=96, processes=24, file_mb=8, disk_mb=32, files=400, output_kb=64
)
REPO = Path(__file__).parents[2]
ROOT = os.geteuid() == 0


def run(program: str, limits: SandboxLimits = SMALL, *arguments: str, **options: Any) -> CommandResult:
    """In a box of its own, which is gone afterwards."""

    async def inside() -> CommandResult:
        async with await ProcessSandbox(BubblewrapRunner(), limits).open() as box:
            return await box.run(["python3", "-c", textwrap.dedent(program), *arguments], **options)

    return asyncio.run(inside())


def living(token: str) -> list[int]:
    """Processes of this machine whose command line holds a word."""
    found = []
    for pid in listing.now(fresh_s=0):
        with contextlib.suppress(OSError):
            if token in Path(f"/proc/{pid}/cmdline").read_text(errors="replace") and pid != os.getpid():
                found.append(pid)
    return found


class Targets:
    """What hostile programs are after. `reached` says which of them were."""

    def __init__(self, folder: Path) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.abstract, self.unix = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        name = f"verigym-{secrets.token_hex(4)}"
        self.abstract.bind(f"\0{name}")
        self.unix.bind(str(folder / "s"))
        for server in (self.tcp, self.abstract, self.unix, self.udp):
            server.setblocking(False)
            if server is not self.udp:
                server.listen()
        secret = folder / "secret"
        secret.write_text("the secret")
        self.shm = Path("/dev/shm") / name
        self.shm.write_text("x")
        self.box = folder / "verigym-box-other"
        self.box.mkdir()
        (self.box / "work").mkdir()
        self.victim = subprocess.Popen(["sleep", "60"])
        self.open = os.open(secret, os.O_RDONLY)
        os.set_inheritable(self.open, True)
        self.names = {
            "PORT": self.tcp.getsockname()[1],
            "UDP_PORT": self.udp.getsockname()[1],
            "ABSTRACT": name,
            "UNIX": str(folder / "s"),
            "SECRET": str(secret),
            "LINK": f"./link-{name}",
            "HARD": f"./hard-{name}",
            "HOME": str(Path.home()),
            "REPO": str(REPO),
            "SHARED": str(folder),
            "SHM": name,
            "BOX": str(self.box),
            "TOKEN": os.environ["VERIGYM_TEST_SECRET"],
            "PARENT": os.getpid(),
            "VICTIM": self.victim.pid,
            "HOSTNAME": socket.gethostname(),
        }

    def program(self, hostile: Hostile) -> str:
        """With its targets; the token is not in the text, which everybody may read in a list of processes."""
        names = "".join(f"{name} = {value!r}\n" for name, value in self.names.items() if name != "TOKEN")
        token = "import sys\nTOKEN = sys.stdin.readline().strip()\n"
        return names + token + WRAP.replace("{body}", textwrap.indent(hostile.body, "    "))

    def reached(self) -> list[str]:
        found = [] if self.victim.poll() is None else ["victim"]
        for name, server in {"tcp": self.tcp, "abstract": self.abstract, "unix": self.unix}.items():
            with contextlib.suppress(BlockingIOError):
                server.accept()[0].close()
                found.append(name)
        with contextlib.suppress(BlockingIOError):
            self.udp.recv(10)
            found.append("udp")
        return found

    def close(self) -> None:
        for server in (self.tcp, self.udp, self.abstract, self.unix):
            server.close()
        self.victim.kill()
        self.victim.wait()
        self.shm.unlink()
        os.close(self.open)


@pytest.fixture
def targets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Targets]:
    monkeypatch.setenv("VERIGYM_TEST_SECRET", secrets.token_hex(16))
    # Not pytest's folder, which only its user may enter: what is out of reach must be so by the sandbox.
    folder = Path(f"/tmp/verigym-targets-{secrets.token_hex(4)}")
    folder.mkdir(mode=0o755)
    found = Targets(folder)
    yield found
    found.close()
    subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_it_does_not_get_out(hostile: Hostile, targets: Targets) -> None:
    ran = run(targets.program(hostile), stdin=targets.names["TOKEN"])
    assert ran.stop == "exit" and ran.stdout.splitlines()[-1].startswith("IN"), ran
    assert targets.reached() == []


@pytest.mark.parametrize("hostile", [one for one in HOSTILE if one.control], ids=lambda hostile: hostile.name)
def test_the_same_program_gets_out_of_a_plain_process(hostile: Hostile, targets: Targets, tmp_path: Path) -> None:
    if hostile.control == "root" and not ROOT:
        pytest.skip("only root gets there")
    ran = subprocess.run(
        [sys.executable, "-c", targets.program(hostile)],
        input=targets.names["TOKEN"],
        capture_output=True,
        text=True,
        cwd=REPO if "LINK" not in hostile.body and "HARD" not in hostile.body else targets.box,
        close_fds=False,
    )
    assert ran.stdout.splitlines()[-1:] and ran.stdout.splitlines()[-1].startswith("OUT"), ran


# What it can use up: the limits hold, the host is unharmed, and nothing is left.


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n    os.fork()",
        "while True:\n    if os.fork() == 0: os.setsid()",
        "while True:\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork(): os._exit(0)",
    ],
    ids=["plain", "each in a session of its own", "all of them daemons"],
)
def test_a_fork_bomb_stays_small_and_ends(body: str) -> None:
    token = f"bomb-{secrets.token_hex(8)}"
    program = "import os, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True:\n  try:\n"
    most = 0

    async def watched() -> CommandResult:
        nonlocal most
        async with await ProcessSandbox(BubblewrapRunner(), SMALL).open() as box:
            text = program + textwrap.indent(body, "    ") + "\n  except OSError: pass"
            bomb = asyncio.create_task(box.run(["python3", "-c", text, token], seconds=1.5))
            while not bomb.done():
                most = max(most, await asyncio.to_thread(lambda: len(living(token))))
                await asyncio.sleep(0.02)
            return await bomb

    ran = asyncio.run(watched())
    assert ran.code is None and ran.stop in ("time", "killed") and ran.seconds < 5
    assert 4 < most <= SMALL.processes + 2  # bubblewrap's own two hold the command line too
    assert living(token) == []


def test_a_thread_bomb_is_refused_more_threads() -> None:
    ran = run("""
        import threading, time
        threading.stack_size(1 << 16)
        for n in range(1000):
            try: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            except RuntimeError: print(n); break
    """)
    assert ran.code == 0 and 10 < int(ran.stdout) < SMALL.processes


def test_one_process_is_refused_more_memory_than_the_limit() -> None:
    ran = run("""
        kept = []
        try:
            while True: kept.append(b"x" * (1 << 20))
        except MemoryError: print(len(kept))
    """)
    assert ran.code == 0 and 20 < int(ran.stdout) < SMALL.memory_mb


def test_many_processes_below_the_limit_are_killed_for_their_sum() -> None:
    ran = run("""
        import os, time
        for _ in range(8):
            if os.fork() == 0: kept = b"x" * (30 << 20); time.sleep(60)
        time.sleep(60)
    """)
    assert ran.stop == "memory" and ran.code is None and "96 MB" in ran.stderr


def test_memory_that_processes_share_counts_once() -> None:
    ran = run("""
        import os, time
        kept = b"x" * (40 << 20)
        children = [os.fork() for _ in range(3)]
        time.sleep(0.4)
    """)
    assert ran.code == 0


def test_shared_anonymous_memory_is_counted() -> None:
    ran = run("""
        import mmap, time
        kept = []
        for _ in range(6):
            kept.append(mmap.mmap(-1, 32 << 20)); kept[-1].write(b"x" * (32 << 20)); time.sleep(0.02)
        time.sleep(60)
    """)
    assert ran.stop == "memory"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize(
    "chunk",
    ["b'x' * 65536", "b'line\\n' * 1000", "bytes(range(128, 256)) * 99"],
    ids=["one line", "lines", "not text"],
)
def test_endless_output_is_cut_and_the_rest_kept(stream: str, chunk: str) -> None:
    ran = run(f"import sys\nwhile True: sys.{stream}.buffer.write({chunk})")
    kept, limit = getattr(ran, stream), SMALL.output_kb << 10
    assert ran.stop == "output" and ran.code is None and limit // 4 <= len(kept) <= limit + 100


def test_output_that_was_cut_is_never_a_normal_end() -> None:
    ran = run(f"import sys; sys.stdout.write('x' * {(SMALL.output_kb << 10) + 1})")
    assert ran.stop == "output" and len(ran.stdout) == SMALL.output_kb << 10


@pytest.mark.parametrize(
    "how",
    ["f.write(bytes(1 << 20))", "f.truncate(1 << 40)", "f.seek(1 << 40); f.write(b'x')"],
    ids=["written", "sparse", "far out"],
)
def test_a_huge_file_is_refused(how: str) -> None:
    ran = run(f"""
        f = open("big", "wb", buffering=0)
        try:
            while True: {how}
        except OSError as error: print(error.errno, __import__("os").stat("big").st_size)
    """)
    assert ran.code == 0 and int(ran.stdout.split()[0]) == 27 and int(ran.stdout.split()[1]) <= SMALL.file_mb << 20


@pytest.mark.parametrize("place", [".", "/tmp", "/dev/shm"])
def test_many_large_files_are_stopped(place: str) -> None:
    ran = run(f"""
        import time
        for n in range(100):
            open(f"{place}/{{n}}", "wb").write(bytes(4 << 20)); time.sleep(0.01)
    """)
    assert ran.stop == "killed" and "MB" in ran.stderr


def test_files_that_no_folder_lists_are_stopped_too() -> None:
    if Path("/tmp").stat().st_dev == Path("/dev/shm").stat().st_dev:
        pytest.skip("the host's /tmp is in memory")
    ran = run("""
        import os, time
        kept = []
        for n in range(100):
            kept.append(open("x", "wb")); os.unlink("x"); kept[-1].write(bytes(4 << 20)); time.sleep(0.02)
    """)
    assert ran.stop == "killed" and "wrote more than 32 MB" in ran.stderr


@pytest.mark.parametrize(
    "make",
    ["open(str(n), 'w').close()", "os.mkdir(str(n))", "os.symlink('x', str(n))", "os.mkdir('d'); os.chdir('d')"],
    ids=["files", "folders", "links", "depth"],
)
def test_very_many_files_are_stopped(make: str) -> None:
    ran = run(f"import os, time\nfor n in range(10**6):\n    {make}\n    time.sleep(0.0001)")
    assert ran.stop == "killed" and "more than 400 files" in ran.stderr


def test_open_files_are_limited() -> None:
    ran = run("""
        kept = []
        try:
            while True: kept.append(open("/dev/null"))
        except OSError as error: print(error.errno, len(kept))
    """)
    assert ran.stdout.split()[0] == "24" and int(ran.stdout.split()[1]) < 256


def test_processor_time_is_of_all_processes_together() -> None:
    ran = run("import os\nos.fork(); os.fork()\nwhile True: pass", SMALL, seconds=1)  # 0.8 s of processor time
    assert ran.stop == "time" and ran.code is None


def test_a_processor_hog_alone_is_stopped_before_its_wall_time() -> None:
    limits = SandboxLimits(seconds=600, cpu_seconds=0.3)
    ran = run("while True: pass", limits)
    assert ran.stop == "time" and ran.seconds < 300 and "processor" in ran.stderr


@pytest.mark.parametrize(
    "body",
    [
        "time.sleep(60)",
        "[signal.signal(n, signal.SIG_IGN) for n in range(1, 32) if n not in (9, 19)]; time.sleep(60)",
        "os.close(1); os.close(2); time.sleep(60)",
        "os.close(0); os.close(1); os.close(2); os.setsid() if os.fork() else 0; time.sleep(60)",
        "print('partial', end='', flush=True); time.sleep(60)",
        "os.kill(os.getpid(), signal.SIGSTOP)",
    ],
    ids=["sleeps", "ignores signals", "closes its output", "closes all and leaves", "half a line", "stops itself"],
)
def test_what_does_not_end_is_ended_and_gone(body: str) -> None:
    token = secrets.token_hex(16)
    seconds = 3 if "partial" in body else 0.6  # time to print it on a busy machine
    ran = run(f"import os, signal, time\n{body}", SMALL, token, seconds=seconds)
    assert ran.stop == "time" and ran.code is None and seconds <= ran.seconds < 50
    assert ("partial" in ran.stdout) == ("partial" in body)
    assert living(token) == []


@pytest.mark.parametrize("end", ["os._exit(3)", "os.abort()", "time.sleep(60)"], ids=["exit", "crash", "time-out"])
@pytest.mark.parametrize(
    "daemon",
    [
        "time.sleep(60)",
        "os.setsid(); time.sleep(60)",
        "os.setsid()\n    if os.fork(): os._exit(0)\n    [os.close(n) for n in range(3)]\n    time.sleep(60)",
        "signal.signal(signal.SIGHUP, signal.SIG_IGN); os.setpgid(0, 0); os.environ.clear(); time.sleep(60)",
        "os.execvpe('sleep', ['sleep', '60.' + sys.argv[1]], {})",
    ],
    ids=["child", "session", "daemon", "nohup", "another program"],
)
def test_no_process_is_left(daemon: str, end: str) -> None:
    token = str(secrets.randbelow(10**18) + 10**18)
    child = f"if os.fork() == 0:\n    {daemon}\n    os._exit(0)\n"
    seconds = 0.8 if "sleep" in end else 60
    ran = run(f"import os, signal, sys, time\n{child}time.sleep(.1)\n{end}", SMALL, token, seconds=seconds)
    assert (ran.code, ran.stop) == {"os._exit(3)": (3, "exit"), "os.abort()": (134, "exit")}.get(end, (None, "time"))
    assert living(token) == []


def test_zombies_are_limited_and_gone() -> None:
    ran = run("""
        import os
        n = 0
        try:
            while True:
                if os.fork() == 0: os._exit(0)
                n += 1
        except OSError: print(n)
    """)
    assert ran.code == 0 and int(ran.stdout) < SMALL.processes


def test_signals_to_everybody_stay_inside(targets: Targets) -> None:
    ran = run("""
        import contextlib, os, signal
        for pid in (-1, 1, os.getppid()):
            with contextlib.suppress(OSError): os.kill(pid, signal.SIGKILL)
        print('alive')
    """)
    assert ran.stdout == "alive\n" and ran.code == 0 and targets.reached() == []
    ran = run("import os, signal; os.killpg(0, signal.SIGKILL)")
    assert ran.code == 137 and targets.reached() == []


def test_a_crash_leaves_no_core() -> None:
    async def inside() -> tuple[CommandResult, CommandResult]:
        async with await ProcessSandbox(BubblewrapRunner(), SMALL).open() as box:
            return await box.run(["python3", "-c", "import os; os.abort()"]), await box.run(["ls", "-A"])

    crashed, listed = asyncio.run(inside())
    assert crashed.code == 134 and listed.stdout == ""


def test_nothing_survives_the_death_of_verigym_itself(tmp_path: Path) -> None:
    token = secrets.token_hex(16)
    program = f"""
import asyncio
from verigym.sandbox.open import open_sandbox
async def main():
    box = await open_sandbox(require=True).open()
    script = "import os, time, sys; os.fork(); os.fork() or os.setsid(); time.sleep(60)"
    await box.run(["python3", "-c", script, "{token}"], seconds=60)
asyncio.run(main())
"""
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=REPO, env=os.environ | {"TMPDIR": str(tmp_path)})
    until(lambda: len([pid for pid in living(token) if pid != parent.pid]) >= 4)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    until(lambda: living(token) == [])


def until(true: Any, seconds: float = 600) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.02)


def test_a_network_of_its_own_works_inside() -> None:
    ran = run("""
        import socket
        server = socket.create_server(("127.0.0.1", 0))
        socket.create_connection(server.getsockname()).send(b"hello")
        print(server.accept()[0].recv(9))
    """)
    assert ran.stdout == "b'hello'\n"


# What it leaves in the box for us to fall over.


def after(program: str, then: Any) -> Any:
    """What `then(box)` gives after a program ran in the box."""

    async def inside() -> Any:
        async with await ProcessSandbox(BubblewrapRunner(), SMALL).open({"own": "x"}) as box:
            ran = await box.run(["python3", "-c", textwrap.dedent(program)])
            assert ran.code == 0, ran
            return await then(box)

    return asyncio.run(inside())


@pytest.fixture
def host_file(tmp_path: Path) -> Path:
    path = tmp_path / "dear"
    path.write_text("dear")
    return path


def refused(box: ProcessBox, do: Any) -> Any:
    async def inside() -> str:
        with pytest.raises(BadInput) as error:
            await do(box)
        return str(error.value)

    return inside()


def test_a_planted_link_is_not_read(host_file: Path) -> None:
    said = after(f"import os; os.symlink({str(host_file)!r}, 'a')", lambda box: refused(box, lambda b: b.read("a")))
    assert "Links are not followed" in said


@pytest.mark.parametrize(
    "do", [lambda b: b.read("d/dear"), lambda b: b.write("d/dear", "changed")], ids=["read", "write"]
)
def test_a_planted_link_to_a_folder_is_not_entered(do: Any, host_file: Path) -> None:
    said = after(f"import os; os.symlink({str(host_file.parent)!r}, 'd')", lambda box: refused(box, do))
    assert "Links are not followed" in said and host_file.read_text() == "dear"


def test_writing_where_a_link_was_planted_replaces_the_link(host_file: Path) -> None:
    async def write(box: ProcessBox) -> bytes:
        await box.write("a", "new")
        return await box.read("a")

    assert after(f"import os; os.symlink({str(host_file)!r}, 'a')", write) == b"new"
    assert host_file.read_text() == "dear"


def test_a_hard_link_is_cut_before_it_is_written() -> None:
    async def write(box: ProcessBox) -> bytes:
        await box.write("other", "new")
        return await box.read("own")

    assert after("import os; os.link('own', 'other')", write) == b"x"


def test_closing_deletes_links_and_not_what_they_point_to(host_file: Path) -> None:
    async def nothing(box: ProcessBox) -> None: ...

    after(
        f"""
        import os
        for place in (".", "/tmp", "/dev/shm"):
            os.symlink({str(host_file.parent)!r}, place + "/folder"); os.symlink({str(host_file)!r}, place + "/file")
            os.symlink("/", place + "/root"); os.symlink(".", place + "/loop")
        """,
        nothing,
    )
    assert host_file.read_text() == "dear"


@pytest.mark.parametrize(
    "program",
    ["os.mkfifo('a')", "os.mkdir('a')", "socket.socket(socket.AF_UNIX).bind('a')"],
    ids=["pipe", "folder", "socket"],
)
def test_reading_what_is_no_file_is_refused_at_once(program: str) -> None:
    began = time.monotonic()
    after(f"import os, socket; {program}", lambda box: refused(box, lambda b: b.read("a")))
    assert time.monotonic() - began < 300


def test_a_folder_of_odd_permissions_names_and_depth_is_deleted() -> None:
    async def top(box: ProcessBox) -> Path:
        return box._folder.top

    path = after(
        """
        import os
        os.mkdir("shut"); open("shut/x", "w"); os.mkdir("shut/in"); open("shut/in/x", "w")
        os.chmod("shut/in", 0); os.chmod("shut", 0)
        os.mkdir(b"\\xff\\n"); open(b"\\xff\\n/\\xfe", "w"); os.mkfifo("pipe"); os.mkdir("-rf")
        os.chmod("/tmp", 0); os.chmod("/dev/shm", 0o200)
        os.mkdir("deep"); os.chdir("deep")
        for _ in range(12): os.mkdir("d" * 200); os.chdir("d" * 200)
        os.chmod("/box", 0)
        """,
        top,
    )
    assert not path.exists()
