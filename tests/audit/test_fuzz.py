"""Nonsense at every door: a few thousand cases of `bench/fuzz.py`, and that a crash would be seen and cut down."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'bench'}"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=1000, env=environment, cwd=ROOT)


def test_nothing_that_is_fed_in_crashes_and_no_row_is_lost() -> None:
    done = python("bench/fuzz.py", "--quick")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "crashes: 0 cases" in done.stdout


PLANTED = """
import json, sys, tempfile
from pathlib import Path
import fuzz

def feed(call):
    if '"count": 2' in call.arguments:
        raise KeyError("planted")
    return 0

def lossy(file):
    return fuzz.feed_file(fuzz.File("tasks.jsonl", b'{"prompt": "a", "answer": 1}\\n{"prompt": "b", "answer": 2}')) + 1

fuzz.DOORS = {"calls": (fuzz.a_call, feed), "files": (fuzz.a_file, lossy)}
sys.argv = ["fuzz.py", "--quick"]
fuzz.main()
"""


def test_a_crash_and_a_lost_row_are_counted_and_shown_with_what_is_needed_to_see_them_again() -> None:
    done = python("-c", PLANTED)
    assert done.returncode == 1
    assert "# feed(Call(name='note', arguments='\"count\": 2'))" in done.stderr
    assert "python bench/fuzz.py --case calls:" in done.stderr
    assert "crash in calls:" in done.stderr and "KeyError: 'planted'" in done.stderr
    assert "rows lost: 1 in files:0" in done.stderr
    assert "rows of task files lost: 2500 rows  (goal <= 0: MISSED)" in done.stdout
