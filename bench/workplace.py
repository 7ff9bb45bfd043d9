"""workplace: what an episode costs: opening, state, a whole gold solution with lookups, verdict and commit, 10,000 at once.

    python bench/workplace.py

The policy is a script that plays each task's gold solution, so that all that is measured is Verigym. What passes is measured by
`collection.py`, with whose parts this is made.
"""

import gc
import time
import tracemalloc

from collection import costs, live
from figures import Figure, figure, finish, parser

from verigym.core.records import Task
from verigym.environments import workplace
from verigym.environments.load import load_environment


def opened(tasks: list[Task], count: int = 20_000) -> tuple[float, float]:
    """Milliseconds to open an episode, and the bytes that its state holds before anything is changed."""
    began = time.perf_counter()
    for place in range(count):
        workplace.Environment().open(tasks[place % len(tasks)])
    taken = 1e3 * (time.perf_counter() - began) / count
    tracemalloc.start()
    held = []
    for place in range(1000):
        environment = workplace.Environment()
        environment.open(tasks[place % len(tasks)])
        held.append(environment)
    size = tracemalloc.get_traced_memory()[0] / len(held)
    tracemalloc.stop()
    return taken, size


def main() -> None:
    args = parser(__doc__).parse_args()
    spec, train = load_environment("workplace"), workplace.tasks("train")
    found: list[Figure] = []
    memory = live(spec, train[:1250], 8) / 2**20  # first, while no memory is left over from anything
    found.append(figure("workplace, 10,000 episodes at once", memory, "MB in all", "<= 1000"))
    taken, size = opened(train)
    found.append(figure("workplace, opening an episode", taken, "ms", "<= 0.1"))
    found.append(figure("workplace, a state", size / 1024, "KB", "<= 20"))
    for concurrency in (64, 512):
        gc.collect()
        found += costs("workplace", spec, train, 2 if args.quick else 8, concurrency, "<= 2")
    finish(found, args)


if __name__ == "__main__":
    main()
