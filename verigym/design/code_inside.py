"""The program that `code` runs in the sandbox, passed as the text of this file. Standard library only.

It calls one function of `code.py` for each row of `rows.json`. The first line of `out.jsonl` says whether the file was loaded.
Each result is written before the next row starts, so a row that the sandbox stops does not lose earlier results.
"""

import io
import json
import runpy
import signal
import sys
from pathlib import Path
from typing import Any


def _late(number: int, frame: Any) -> None:
    raise TimeoutError("it took too long")


def main() -> None:
    order = json.loads(Path("rows.json").read_text())
    with Path("out.jsonl").open("w") as out:
        run(order, out)


def run(order: Any, out: Any) -> None:
    sys.stdout = sys.stderr = io.StringIO()
    signal.signal(signal.SIGALRM, _late)
    try:
        signal.setitimer(signal.ITIMER_REAL, order["seconds"])
        function = runpy.run_path("code.py")[order["function"]]
    except BaseException as error:
        out.write(json.dumps({"broken": f"{type(error).__name__}: {error}"}) + "\n")
        return
    out.write("{}\n")
    out.flush()
    for row in order["rows"]:
        try:
            signal.setitimer(signal.ITIMER_REAL, order["seconds"])
            line = json.dumps({"value": function(**row)}, allow_nan=False)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except BaseException as error:
            signal.setitimer(signal.ITIMER_REAL, 0)
            line = json.dumps({"problem": f"{type(error).__name__}: {error}"[:500]})
        out.write(line + "\n")
        out.flush()


if __name__ == "__main__":
    main()
