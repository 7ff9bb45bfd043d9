"""How the verdicts of `Faster` depend on how busy the machine is: `python bench/speed_noise.py [REPEATS]`.

Measures four slow functions of `faster_code` against functions of known speed: the slow one itself, the gold solution, and
gold solutions that also do a part of the slow work. Each is raced REPEATS times on the machine as it is, and as often beside
three busy loops per processor. Prints the range of ratios and the share of verdicts that agree with the majority.
"""

import collections
import inspect
import os
import random
import subprocess
import sys
from typing import Any

from verigym.core.records import Task
from verigym.environments import faster_code
from verigym.verifiers import speed_inside
from verigym.verifiers.speed import Faster

KINDS = ("distinct", "prefix_sums", "best_stretch", "counts")
WORK = {"the slow function": None, "70% of the input twice": 0.7, "50% of the input twice": 0.5, "gold solution": 0.0}
_BUSY = "while True: sum(range(10**6))"


def source(task: Task, part: float | None) -> str:
    """A function that is right, and does the slow work on this part of its input first."""
    name, slow, fast = task.data["entry_point"], task.data["slow"], task.data["gold"]
    if not part:
        return slow if part is None else fast
    slow, fast = slow.replace(f"{name}(", "slow("), fast.replace(f"{name}(", "fast(")
    return f"{slow}\n{fast}\ndef {name}(items):\n    slow(items[: int(len(items) * {part})])\n    return fast(items)\n"


def raced(task: Task, text: str, seed: int) -> tuple[float, bool]:
    """The ratio of the first round, and the verdict after as many rounds as it takes."""
    order = {**task.data, "entry": task.data["entry_point"], "source": text, "seed": seed, "times": Faster().times}
    made: dict[str, Any] = {}
    exec(task.data["make"], made)
    draw = random.Random(f"{seed} 0")
    inputs = [made["make"](draw, size) for size in task.data["sizes"]]
    slow_s, _ = speed_inside.measured(task.data["slow"], order, inputs, 60.0)
    fast_s, _ = speed_inside.measured(text, order, inputs, 60.0)
    return slow_s / fast_s, speed_inside.race({**order, "slow_seconds": 60.0})["faster"]


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    sys.argv[1:] = ["driver", inspect.getsource(speed_inside)]
    tasks = {task.family.split("/")[-1]: task for task in faster_code.tasks("train")}
    cores = len(os.sched_getaffinity(0))
    print(f"{cores} processors, {repeats} repeats, limit {Faster().times:g} times\n")
    print(
        f"{'slow function':14} {'reply':24} {'ratio as it is':>16} {'ratio if busy':>16}  {'verdicts that agree':>20}"
    )
    for kind in KINDS:
        for words, part in WORK.items():
            text = source(tasks[kind], part)
            found = [[raced(tasks[kind], text, number) for number in range(repeats)]]
            loops = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(3 * cores)]
            try:
                found.append([raced(tasks[kind], text, number) for number in range(repeats)])
            finally:
                for loop in loops:
                    loop.kill()
                    loop.wait()
            ranges = [f"{min(ratio for ratio, _ in one):.1f} to {max(ratio for ratio, _ in one):.1f}" for one in found]
            [(_, agreeing)] = collections.Counter(verdict for one in found for _, verdict in one).most_common(1)
            print(f"{kind:14} {words:24} {ranges[0]:>16} {ranges[1]:>16}  {agreeing:>9} of {2 * repeats}", flush=True)


if __name__ == "__main__":
    main()
