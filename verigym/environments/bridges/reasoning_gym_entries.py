"""Makes the entries of one reasoning-gym generator, in a process of its own. Reads the order from standard input.

Some generators iterate over sets, so their entries depend on the seed of Python's string hashes. The parent sets that seed, which
a running process cannot. Entries with the same problem share a family, also in other words. The hash of a family decides its
split, so training and held-out tasks share no problem, whatever the seed and the number of tasks. This script imports nothing
of Verigym.
"""

import contextlib
import hashlib
import json
import pickle
import re
import sys
from typing import Any

_TRIES = 4
"""Entries that are tried for each one that is wanted, because generators repeat questions."""
_HELD_OUT = 1 / 3
"""Share of families that are held out."""
_PROBE = 20
_TELLING = 0.8
"""Share of entries with metadata of their own, at which metadata tell problems apart."""
_UNTOLD = ("source_dataset", "source_index", "source_idx", "difficulty")
"""Metadata that does not describe the problem."""


def main() -> None:
    order = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):  # some generators print
        answer = _answer(order)
    with open(order["file"], "wb") as file:
        pickle.dump(answer, file)


def _answer(order: dict[str, Any]) -> dict[str, Any]:
    import reasoning_gym
    from reasoning_gym.factory import DATASETS

    name, config, wanted = order["name"], order["config"], {"train": order["size"], "val": order["val"]}
    if name not in DATASETS:
        return {"names": sorted(DATASETS)}
    most = _TRIES * round(max(wanted["train"] / (1 - _HELD_OUT), wanted["val"] / _HELD_OUT))
    try:
        probe = reasoning_gym.create_dataset(name, seed=0, size=_PROBE, **config)
        data = reasoning_gym.create_dataset(name, seed=order["seed"], size=most, **config)
    except Exception as error:
        options = sorted(set(DATASETS[name][1].__dataclass_fields__) - {"seed", "size"})
        return {"error": f"{type(error).__name__}: {error}", "options": options}
    problem = _told if len({_told(probe[index]) for index in range(_PROBE)}) >= _TELLING * _PROBE else _words
    splits: dict[str, list[tuple[int, str, dict[str, Any]]]] = {"train": [], "val": []}
    seen: set[str] = set()
    for index in range(most):
        if all(len(splits[split]) == wanted[split] for split in splits):
            break
        entry = data[index]
        family = hashlib.sha256(problem(entry).encode()).hexdigest()
        split = "val" if int(family[:8], 16) < _HELD_OUT * 16**8 else "train"
        if entry["question"] not in seen and len(splits[split]) < wanted[split]:
            seen.add(entry["question"])
            splits[split].append((index, family[8:24], entry))
    return {"entries": splits}


def _told(entry: dict[str, Any]) -> str:
    """The problem as the generator describes it, without its wording."""
    return repr(sorted((key, repr(value)) for key, value in entry["metadata"].items() if key not in _UNTOLD))


def _words(entry: dict[str, Any]) -> str:
    return " ".join(re.findall(r"\w+|[^\w\s]", entry["question"].casefold()))


if __name__ == "__main__":
    main()
