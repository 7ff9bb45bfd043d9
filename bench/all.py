"""Runs every benchmark that this machine can run. Merges the figures into docs/benchmarks.json and renders the page from it."""

import datetime
import subprocess
import sys
from pathlib import Path

import msgspec
from figures import Figure, Measurement, read, render, write

HERE = Path(__file__).parent
DATA = HERE.parent / "docs" / "benchmarks.json"
PAGE = HERE.parent / "docs" / "reference" / "benchmarks.md"


def merge(stored: list[Measurement], figures: list[Figure], date: str) -> list[Measurement]:
    """The stored measurements. Those of the same machine, day and name are replaced."""
    fresh = {(one.machine, date, one.figure) for one in figures}
    kept = [one for one in stored if (one.machine, one.date, one.figure) not in fresh]
    added = [msgspec.convert({**msgspec.structs.asdict(one), "date": date}, Measurement) for one in figures]
    return sorted(kept + added, key=lambda one: (one.machine, one.date, one.figure))


def main() -> None:
    figures: list[Figure] = []
    failed: list[str] = []
    for script in sorted(HERE.glob("*.py")):
        if script.name in ("all.py", "figures.py", "view_store.py", "race_trl.py", "compare.py"):
            continue
        print(f"{script.name} ...", flush=True)
        done = subprocess.run([sys.executable, str(script), "--json", *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        figures += [msgspec.json.decode(line, type=Figure) for line in lines]
        print(done.stdout, end="")
        if done.returncode:
            failed.append(script.name)
    measurements = merge(read(DATA), figures, datetime.date.today().isoformat())
    write(DATA, measurements)
    PAGE.write_text(render(measurements))
    print(f"{len(figures)} figures in {DATA.name}" + (f". A goal was missed in: {', '.join(failed)}" if failed else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
