"""Python functions over rows: in the sandbox, many rows a process, or in this process where the spec says so.

A row whose function raises, takes too long or returns what is no JSON is a row with a problem, never the end of the others.
"""

import asyncio
import functools
import inspect
import runpy
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput, words_of
from verigym.core.protocols import Sandbox
from verigym.core.records import Json
from verigym.design import code_inside

_INSIDE = inspect.getsource(code_inside)
_ROWS = 250
"""In one process; several run at once."""
_STOPPED_S = 60.0
"""A process that is still at it then is stopped; the row that it was at has a problem, the others begin again."""


class CallResult(NamedTuple):
    value: Any = None
    problem: str = ""


async def call(
    file: Path, function: str, rows: Sequence[Json], *, sandbox: Sandbox, in_process: bool, seconds: float
) -> list[CallResult]:
    """What the function returns for each row, whose keys are its arguments."""
    if in_process:
        found = _function(file, function)
        return await asyncio.to_thread(lambda: [_here(found, row) for row in rows])  # it may run a loop of its own
    parts = [rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS)]
    return [
        one
        for part in await asyncio.gather(*(_apart(file, function, p, sandbox, seconds) for p in parts))
        for one in part
    ]


async def _apart(file: Path, function: str, rows: Sequence[Json], sandbox: Sandbox, seconds: float) -> list[CallResult]:
    called: list[CallResult] = []
    async with await sandbox.open({"code.py": file.read_bytes()}) as box:
        while len(called) < len(rows):
            left = rows[len(called) :]
            await box.write("rows.json", msgspec.json.encode({"function": function, "rows": left, "seconds": seconds}))
            await box.write("out.jsonl", b"")
            ran = await box.run(["python3", "-c", _INSIDE], seconds=max(_STOPPED_S, 2 * seconds))
            lines = (await box.read("out.jsonl")).split(b"\n")[:-1]
            loaded, *told = [msgspec.json.decode(line) for line in lines] or [
                {"broken": f"{ran.stop} {ran.stderr[-300:]}"}
            ]
            if "broken" in loaded:
                raise BadInput(f"{file}: cannot be run in the sandbox: {loaded['broken']}")
            called += [CallResult(one.get("value"), one.get("problem", "")) for one in told]
            if len(told) < len(left) and not (told and ran.stop == "time"):  # the row that it was at
                said = "its process ended" if ran.stop == "exit" else f"stopped by the sandbox: {ran.stop}"
                called.append(CallResult(problem=said))
    return called


@functools.cache
def _function(file: Path, name: str) -> Any:
    try:
        return runpy.run_path(str(file))[name]
    except (Exception, SystemExit) as error:  # the user's own file may raise anything
        raise BadInput(f"{file}: cannot be loaded: {type(error).__name__}: {words_of(error)}") from error


def _here(function: Any, row: Json) -> CallResult:
    try:
        return CallResult(codec.plain(function(**row)))
    except (Exception, SystemExit) as error:
        return CallResult(problem=f"{type(error).__name__}: {words_of(error)}"[:500])
