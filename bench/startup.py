"""How long a person waits before anything happens: `verigym --help`, `import verigym`, loading the embedded model."""

import resource
import statistics
import subprocess
import sys
import time

from figures import figure, finish, parser

args = parser(__doc__).parse_args()


def cpu_s(*command: str) -> float:
    """User and system time of one run of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


help_s = statistics.median(cpu_s(sys.executable, "-m", "verigym.cli.main", "--help") for _ in range(5))
import_s = statistics.median(cpu_s(sys.executable, "-c", "import verigym") for _ in range(5))
seen = subprocess.run(
    [sys.executable, "-c", "import sys, verigym; print('torch' in sys.modules)"],
    check=True,
    capture_output=True,
    text=True,
)
figures = [
    figure("verigym --help", help_s, "CPU s, median of 5", "<= 0.4"),
    figure("import verigym", import_s, "CPU s, median of 5"),
    figure("torch modules loaded by import verigym", float(seen.stdout.strip() == "True"), "modules", "<= 0"),
]

from verigym.model.load import load  # noqa: E402 (after the measurements that must not have torch loaded)

load("smollm2-135m")  # pulled and converted, where that was not done yet
started = time.perf_counter()
load("smollm2-135m")
figures.append(figure("load smollm2-135m from the cache", time.perf_counter() - started, "s", "<= 3"))
finish(figures, args)
