"""What the sandbox costs and that nothing gets out: the escape suite, ms a run, runs a second, how late a time-out is."""

import asyncio
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

from figures import Figure, figure, finish, parser

from verigym.sandbox.box import CommandRunner, ProcessSandbox
from verigym.sandbox.bubblewrap import PATH, BubblewrapRunner
from verigym.sandbox.limits import SandboxLimits
from verigym.sandbox.open import why_not_isolated
from verigym.sandbox.plain import PlainRunner

args = parser(__doc__).parse_args()
NUM_RUNS = 20 if args.quick else 60
PYTHON = shutil.which("python3", path=PATH) or "python3"  # the same one for all: root's plain process sees no other
COMMAND = [PYTHON, "-c", "pass"]
CONTROLS = "test_the_same_program_gets_out_of_a_plain_process"


def escapes() -> Figure:
    """Hostile programs that were not held, of all; the controls, which prove that they could get out, are not counted."""
    chosen = "test_it_does_not_get_out" if args.quick else f"not {CONTROLS}"
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        suite = ["tests/sandbox/test_escape.py", "-k", chosen, f"--junit-xml={report}"]
        root = Path(__file__).parents[1]
        subprocess.run([sys.executable, "-m", "pytest", *suite], cwd=root, stdout=subprocess.DEVNULL)
        (found,) = ElementTree.parse(report).getroot()
    tried = int(found.attrib["tests"]) - int(found.attrib["skipped"])
    out = int(found.attrib["failures"]) + int(found.attrib["errors"])
    return figure("hostile programs that the sandbox does not hold", out, f"of {tried}", "<= 0")


async def one_after_another(way: CommandRunner) -> float:
    """Median milliseconds of a run in an open box."""
    took: list[float] = []
    async with await ProcessSandbox(way, SandboxLimits()).open() as box:
        for _ in range(NUM_RUNS):
            began = time.perf_counter()
            assert (await box.run(COMMAND)).code == 0
            took.append(time.perf_counter() - began)
    return 1e3 * statistics.median(took)


async def together(way: CommandRunner, num: int) -> float:
    """Runs a second, each in a box of its own, `num` at once."""
    sandbox = ProcessSandbox(way, SandboxLimits())

    async def worker() -> None:
        for _ in range(NUM_RUNS // num):
            async with await sandbox.open({"main.py": "pass"}) as box:
                assert (await box.run([PYTHON, "main.py"])).code == 0

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(num)))
    return NUM_RUNS // num * num / (time.perf_counter() - began)


async def late(way: CommandRunner) -> float:
    """Milliseconds from the time limit until all is gone, median."""
    took: list[float] = []
    async with await ProcessSandbox(way, SandboxLimits()).open() as box:
        for _ in range(NUM_RUNS // 4):
            began = time.perf_counter()
            await box.run([PYTHON, "-c", "import os, time; os.fork(); os.fork(); time.sleep(9)"], seconds=0.3)
            took.append(time.perf_counter() - began - 0.3)
    return 1e3 * statistics.median(took)


def bare() -> float:
    took: list[float] = []
    for _ in range(NUM_RUNS):
        began = time.perf_counter()
        subprocess.run(COMMAND, env={"PATH": PATH}, check=True)
        took.append(time.perf_counter() - began)
    return 1e3 * statistics.median(took)


figures: list[Figure] = [figure("python3 -c pass, no sandbox at all", bare(), "ms, median")]
ways: dict[str, CommandRunner] = {"a plain process with limits": PlainRunner()}
if why_not_isolated():
    print(f"without bubblewrap: {why_not_isolated()}", file=sys.stderr)
else:
    figures.append(escapes())
    ways = {"bubblewrap": BubblewrapRunner(), **ways}
for name, way in ways.items():
    figures += [
        figure(f"python3 -c pass in {name}", asyncio.run(one_after_another(way)), "ms, median"),
        figure(f"boxes opened, run and closed, 2 at once, {name}", asyncio.run(together(way, 2)), "a second"),
        figure(f"gone after a time-out, {name}", asyncio.run(late(way)), "ms after it, median", "<= 250"),
    ]
finish(figures, args)
