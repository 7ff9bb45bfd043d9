"""Calls a Python function for many rows, in the sandbox or (if the spec says so) in this process.

If the function raises, takes too long or returns something that is not JSON, only that row has a problem.
"""

import asyncio
import functools
import inspect
import json
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
"""Rows per process. Several processes run at once."""
_STOPPED_S = 60.0
"""Time limit of a process. Its current row gets a problem, and the rows after it are run again."""


class CallResult(NamedTuple):
    value: Any = None
    problem: str = ""


async def call(
    file: Path, function: str, rows: Sequence[Json], *, sandbox: Sandbox, in_process: bool, seconds: float
) -> list[CallResult]:
    """The function's result for each row. The keys of a row are its arguments."""
    if in_process:
        loaded = _function(file, function)
        return await asyncio.to_thread(lambda: [_here(loaded, row) for row in rows])  # it may run its own event loop
    parts = [rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS)]
    results = await asyncio.gather(*(_boxed(file, function, part, sandbox, seconds) for part in parts))
    return [result for part in results for result in part]


async def _boxed(file: Path, function: str, rows: Sequence[Json], sandbox: Sandbox, seconds: float) -> list[CallResult]:
    called: list[CallResult] = []
    async with await sandbox.open({"code.py": file.read_bytes()}) as box:
        while len(called) < len(rows):
            left = rows[len(called) :]
            await box.write("rows.json", msgspec.json.encode({"function": function, "rows": left, "seconds": seconds}))
            await box.write("out.jsonl", b"")
            ran = await box.run(["python3", "-c", _INSIDE], seconds=max(_STOPPED_S, 2 * seconds))
            lines = (await box.read("out.jsonl")).split(b"\n")[:-1]
            broken = {"broken": f"{ran.stop} {ran.stderr[-300:]}"}
            loaded, *results = [codec.plain(json.loads(line)) for line in lines] or [broken]
            if "broken" in loaded:
                raise BadInput(f"{file} cannot be run in the sandbox: {loaded['broken']}")
            called += [CallResult(result.get("value"), result.get("problem", "")) for result in results]
            if len(results) < len(left) and not (results and ran.stop == "time"):  # the current row ended the process
                problem = "its process ended" if ran.stop == "exit" else f"stopped by the sandbox: {ran.stop}"
                called.append(CallResult(problem=problem))
    return called


@functools.cache
def _function(file: Path, name: str) -> Any:
    try:
        return runpy.run_path(str(file))[name]
    except (Exception, SystemExit) as error:  # the user's file may raise anything
        raise BadInput(f"{file} cannot be loaded: {type(error).__name__}: {words_of(error)}") from error


def _here(function: Any, row: Json) -> CallResult:
    try:
        return CallResult(codec.plain(function(**row)))
    except (Exception, SystemExit) as error:
        return CallResult(problem=f"{type(error).__name__}: {words_of(error)}"[:500])
