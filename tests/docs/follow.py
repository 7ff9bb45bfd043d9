"""Follows a page to the letter: writes its files, types its commands in one shell, and compares what is printed.

A block ```` ```python shop.py ```` is a file. A block ```` ```console ```` holds commands, each after `$ `, and below each what
it prints (standard error too). `…` stands for what may differ (times, ids), and a line that is only `…` for any number of lines.
Blocks ```` ```console slow ```` run the embedded model and are followed by the slow tests alone; there any number may be another
one, since what a model says to the last digit depends on the machine. Servers of a page listen at port 8123 and after; the
test takes free ports instead, so that two pages never meet. What the shell itself says of its jobs is left out.

`python -m tests.docs.follow docs/tutorials/judge.md` follows a page and writes into it what the commands print now.
"""

import os
import random
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from msgspec import Struct

_BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_GAP = re.compile(r"(?<=\S) {2,}(?=\S)")
_PORT = re.compile(r"\b812[3-9]\b")
_DIFFERS = re.compile(
    r"(?<=quick: )[\d.]+(?= CPU-ms)|[\d.]+(?= ms on the clock)|(?<=[a-z]-)[0-9a-f]{8}\b|\b[0-9a-f]{12}\b|(?<=suite )[0-9a-f]{8}\b"
    r"|(?<=\[)[\d.]+(?= s\]$)|(?<=records in )[\d.]+(?= s)|(?<=^  took      )\d+(?= s)"
    r"|(?<=by )\w+, \d{4}-\d\d-\d\d \d\d:\d\d|\b\d{4}-\d\d-\d\dT[\d:.+]+"
    r"|(?<=traces-ingested/)[0-9a-f]{16}|(?<=@)[0-9a-f]{8}\b|(?<=\()[0-9a-f]{8}(?=\))|(?<=latency p50 s).*|(?<=latency p95 s).*"
)
"""Times and ids, which a page does not pin down."""
_JOB = re.compile(r"^\[\d+\][+-]?  .*\n", re.MULTILINE)
_MARK = "@@@ verigym follows @@@"
SECONDS = 900


class File(Struct, frozen=True):
    name: str
    text: str


class Command(Struct, frozen=True):
    typed: str
    expected: str
    place: tuple[int, int]
    """Where the expected output stands in the page."""
    slow: bool


def steps(page: str) -> list[File | Command]:
    """The files and commands of a page, in order. Code that names no file cannot be followed, and is refused."""
    found: list[File | Command] = []
    for block in _BLOCK.finditer(page):
        kind, *rest = block["info"].split() or [""]
        if kind == "console":
            found += _commands(block["body"], block.start("body"), slow="slow" in rest)
        elif rest:
            found.append(File(rest[0], block["body"]))
        elif kind:
            raise AssertionError(f"a {kind} block names no file: {block['body'][:60]!r}")
    return found


def _commands(body: str, start: int, slow: bool) -> list[Command]:
    typed = [match for match in re.finditer(r"^\$ (.*(?:\\\n.*)*)\n", body, re.MULTILINE)]
    assert typed and typed[0].start() == 0, f"a console block begins with a command: {body[:60]!r}"
    ends = [match.start() for match in typed[1:]] + [len(body)]
    return [
        Command(match[1], body[match.end() : end], (start + match.end(), start + end), slow)
        for match, end in zip(typed, ends, strict=True)
    ]


def follow(page: str, folder: Path, *, slow: bool) -> list[tuple[Command, str]]:
    """Each command with what it printed, typed in an empty folder into one shell."""
    ports = _free_ports(page)
    files: dict[str, str] = {}
    script, typed = ["exec 2>&1", "set -m", "trap 'kill $(jobs -p) 2>/dev/null' EXIT"], []
    for number, step in enumerate(steps(page)):
        if isinstance(step, File):
            kept = folder / f".step-{number}"
            kept.write_text(_with(ports, step.text))
            files[step.name] = step.text
            script.append(f"cp {kept.name} {step.name}")
        elif slow or not step.slow:
            script += [_with(ports, _until_ready(step.typed, files)), f"echo '{_MARK}'"]
            typed.append(step)
    environment = {name: value for name, value in os.environ.items() if name != "VERIGYM_HOME"}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=SECONDS,
    )
    back = {there: here for here, there in ports.items()}
    printed = [_with(back, _JOB.sub("", text)).lstrip("\n") for text in done.stdout.split(_MARK)]
    assert len(printed) == len(typed) + 1, f"the shell ended early:\n{done.stdout[-2000:]}"
    return list(zip(typed, printed[:-1], strict=True))


def _until_ready(typed: str, files: dict[str, str]) -> str:
    """The command with waits for its servers in place of a fixed time, which is too short on a busy machine."""
    started = [text for name, text in files.items() if re.search(rf"python3 {re.escape(name)}\b[^&]*&", typed)]
    ports = [port for text in started for port in dict.fromkeys(_PORT.findall(text))]
    waits = [f"until (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null; do sleep 0.1; done" for port in ports]
    return re.sub(r"sleep \d+$", "; ".join(["sleep 0.5", *waits]), typed) if waits else typed


def _free_ports(page: str) -> dict[str, str]:
    """Ports below those that the system gives away, so that nobody else gets one before the page's server starts."""
    free = (port for port in random.sample(range(10_000, 32_000), 1000) if _is_free(port))
    return {port: str(next(free)) for port in sorted(set(_PORT.findall(page)))}


def _is_free(port: int) -> bool:
    with socket.socket() as one:
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _with(ports: dict[str, str], text: str) -> str:
    for here, there in ports.items():
        text = re.sub(rf"\b{here}\b", there, text)
    return text


def agrees(expected: str, printed: str, *, numbers: bool = True) -> bool:
    """Whether what was printed is what the page shows, but for `…`, white space at the ends of lines, and numbers where they do
    not count. The width of a column does not count, because a time in another row can change it."""
    expected, printed = (_GAP.sub("  ", text) for text in (expected, printed))
    if not numbers:
        expected, printed = (
            re.sub(r"-?\d[\d.,]*|[ -]{2,}", " ", _DIFFERS.sub("…", text)) for text in (expected, printed)
        )
    lines = [
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*?") + r"\n"
        for line in expected.rstrip().splitlines()
    ]
    shown = "".join(f"{line.rstrip()}\n" for line in printed.rstrip().splitlines())
    return re.fullmatch("".join(lines), shown) is not None


def rewritten(page: str, followed: list[tuple[Command, str]]) -> str:
    """The page with what is printed now, where it does not agree."""
    for command, printed in sorted(followed, key=lambda each: -each[0].place[0]):
        if not agrees(command.expected, printed, numbers=not command.slow):
            first, last = command.place
            shown = "".join(f"{_DIFFERS.sub('…', line.rstrip())}\n" for line in printed.rstrip().splitlines())
            page = page[:first] + shown + page[last:]
    return page


if __name__ == "__main__":
    for name in (given for given in sys.argv[1:] if given != "--slow"):
        text = Path(name).read_text()
        with tempfile.TemporaryDirectory() as folder:
            Path(name).write_text(rewritten(text, follow(text, Path(folder), slow="--slow" in sys.argv)))
