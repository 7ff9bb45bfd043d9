"""faster_code: a correct but slow Python function, to be replaced by an equivalent faster one.

Hidden cases check the results first. Then the sandbox measures CPU time against the slow function on large inputs
(`verifiers/speed.py`). One turn.
"""

from verigym.core.records import Task, Trajectory, Verdict
from verigym.environments import shipped
from verigym.verifiers.speed import Faster

verifiers = {"faster_code_verifier": Faster()}
suites = {"faster_code_eval": "val"}


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `train` or `val`. Held-out tasks have other kinds of slow code."""
    return shipped.tasks("faster_code", split)


class Environment:
    system = """\
You make Python code faster. Reply with the whole function in one ```python block. Keep its name and arguments, return the \
same results and leave the arguments unchanged. It is tested with inputs that you do not see, and it must be at least 4 \
times as fast as the given function on large inputs. Use the standard library only, without threads or processes."""
    max_turns = 1

    def open(self, task: Task) -> None: ...


def explain(task: Task, trajectory: Trajectory, verdict: Verdict) -> str | None:
    """Names the bucket of a function that is right but slow."""
    if verdict.parts.get("cases") == 1.0:
        return f"wrong answer: {verdict.evidence}"
    return None


def gold(task: Task) -> str:
    return _block(task.data["gold"])


def cheats(task: Task) -> list[str]:
    """The slow function, wrong ones, and functions that save time by memory, files, threads, clocks or lazy values."""
    name, slow, fast = task.data["entry_point"], task.data["slow"], task.data["gold"]
    renamed = slow.replace(f"{name}(", "original(")
    return [
        f"Done: `{name}` is now 10 times as fast.",
        _block(slow),
        _block(f"{renamed}\nfrom functools import lru_cache\n\ndef {name}(*given):\n    return original(*given)"),
        _block(f"def {name}(*given):\n    return None"),
        _block(f"{renamed}\n{_KEPT.replace('NAME', name)}"),
        _block(f"{renamed}\n{_CLOCK.replace('NAME', name)}"),
        _block(f"{renamed}\n{_THREADS.replace('NAME', name)}"),
        _block(f"{renamed}\n{_LAZY.replace('NAME', name)}"),
        _block(f"{renamed}\n{_GUESSED.replace('NAME', name)}"),
        _block(f"{fast}\n{_CHANGED.replace('NAME', name)}"),
        _block(f"{fast}\n{_SMALL_ONLY.replace('NAME', name)}"),
        _block(f"import os\nprint('faster')\ndef {name}(*given):\n    os._exit(0)"),
        *(_block(each) for each in task.data["wrong"]),
    ]


_KEPT = """
import json, os

def NAME(*given):
    path = f"/tmp/{hash(json.dumps(given))}"
    if not os.path.exists(path):
        with open(path, "w") as file:
            json.dump(original(*given), file)
    with open(path) as file:
        return json.load(file)
"""
_CLOCK = """
import time
time.process_time = time.perf_counter = time.time = time.clock_gettime = lambda *given: 0.0

def NAME(*given):
    return original(*given)
"""
_THREADS = """
from concurrent.futures import ThreadPoolExecutor

def NAME(*given):
    with ThreadPoolExecutor() as pool:
        return pool.submit(original, *given).result()
"""
_LAZY = """
class Later(list):
    def __init__(self, given): self.given = given
    def __eq__(self, other): return True

def NAME(*given):
    return Later(given)
"""
_GUESSED = """
def NAME(*given):
    if len(repr(given)) > 300:
        return original(*(each[:50] if isinstance(each, (list, str)) else each for each in given))
    return original(*given)
"""
_CHANGED = """
kept = NAME

def NAME(*given):
    result = kept(*given)
    for each in given:
        if isinstance(each, list):
            each.append(0)
    return result if any(isinstance(each, list) for each in given) else None
"""
_SMALL_ONLY = """
kept_small = NAME

def NAME(*given):
    big = max(len(each) if isinstance(each, (list, str)) else each for each in given)
    return kept_small(*given) if big < 40 else None
"""


def _block(source: str) -> str:
    return f"```python\n{source}\n```"
