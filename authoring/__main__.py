"""`python -m authoring build [ENV ...]`: generates the rows of the shipped environments, checks and writes them."""

import argparse
import sys
import time

from authoring import engine
from verigym.environments import shipped


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m authoring", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="Generate the rows, check gold solutions and cheats, write the files")
    build.add_argument("environments", nargs="*", metavar="ENV", help="Environments to build (default: all)")
    build.add_argument("--check-only", action="store_true", help="Write nothing. Fail if the shipped rows differ")
    build.add_argument("--no-play", action="store_true", help="Skip the episodes of gold solutions and cheats")
    options = parser.parse_args()
    unknown = sorted(set(options.environments) - set(engine.ENVIRONMENTS))
    if unknown:
        parser.error(f"no environment {unknown[0]!r}. Choose from: {', '.join(engine.ENVIRONMENTS)}")
    try:
        for name in options.environments or engine.ENVIRONMENTS:
            _build(name, options.check_only, not options.no_play)
    except engine.CheckFailed as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _build(name: str, check_only: bool, play: bool) -> None:
    builder = engine.builder(name)
    if builder.write_data is not None and not check_only:
        builder.write_data()
    for split in builder.sizes:
        start = time.monotonic()
        tasks = builder.tasks(split)
        if play:
            builder.verify(tasks)
        if check_only and shipped.rows(name, split) != engine.encoded(tasks):
            raise engine.CheckFailed(f"{name} {split}: the shipped rows differ. Run python -m authoring build {name}")
        if not check_only:
            engine.write(name, split, tasks)
        families = len({task.family for task in tasks})
        print(f"{name} {split}: {len(tasks)} tasks, {families} families ({time.monotonic() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
