"""Runs every benchmark that this machine can run and merges the figures into docs/reference/benchmarks.md."""

import datetime
import re
import subprocess
import sys
from pathlib import Path

import msgspec
from figures import Figure

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "reference" / "benchmarks.md"
HEAD = """# Benchmarks

Made by `make bench`, which runs every script of `bench/` that the machine can and adds its rows here; rows of another machine
or day stay. Anyone can run a script alone: `python bench/startup.py --json`.

| machine | date | figure | value | unit | goal | met | peer | peer's value | times better |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def row(one: Figure, date: str) -> str:
    peer = f"{one.peer_value:.4g}" if one.peer_value is not None else ""
    ratio = f"{one.ratio:.2f}" if one.ratio is not None else ""
    met = ("yes" if one.ok else "NO") if one.goal else ""
    cells = [one.machine, date, one.figure, f"{one.value:.4g}", one.unit, one.goal, met, one.peer, peer, ratio]
    return "| " + " | ".join(cells) + " |"


def merge(page: str, figures: list[Figure], date: str) -> str:
    """The page with these rows in place of the same machine's rows of the same day and name."""
    rows = [line for line in page.splitlines() if re.match(r"\| (?!machine|---)", line)]
    fresh = {(one.machine, date, one.figure) for one in figures}
    kept = [line for line in rows if tuple(cell.strip() for cell in line.split("|")[1:4]) not in fresh]
    return HEAD + "\n".join(sorted(kept + [row(one, date) for one in figures])) + "\n"


def main() -> None:
    figures: list[Figure] = []
    failed: list[str] = []
    for script in sorted(HERE.glob("*.py")):
        if script.name in ("all.py", "figures.py"):
            continue
        print(f"{script.name} ...", flush=True)
        done = subprocess.run([sys.executable, str(script), "--json", *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        figures += [msgspec.json.decode(line, type=Figure) for line in lines]
        print(done.stdout, end="")
        if done.returncode:
            failed.append(script.name)
    page = PAGE.read_text() if PAGE.exists() else HEAD
    PAGE.write_text(merge(page, figures, datetime.date.today().isoformat()))
    print(f"{len(figures)} figures in {PAGE.name}" + (f"; a goal was missed in: {', '.join(failed)}" if failed else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
