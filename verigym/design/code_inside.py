"""What `code` runs inside the sandbox, passed as the text of this file: one function over many rows. Standard library only.

`rows.json` holds the order, `code.py` the user's file. The first line of `out.jsonl` says whether that could be loaded; each
row's outcome is one more, written before the next row begins: where the sandbox stops a row, those before it are not lost.
"""

import io
import json
import runpy
import signal
import sys
from pathlib import Path
from typing import Any


def _late(number: int, frame: Any) -> None:
    raise TimeoutError("it takes too long")


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
