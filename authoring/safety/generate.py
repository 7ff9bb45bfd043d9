"""Makes the tasks of `train` and `val` from the requests, the same ones every time, and checks them.

    python -m authoring.safety.generate

rewrites `data/train.jsonl` and `data/val.jsonl`. Each family is drawn from a seed of its own, so that a new one leaves the
others as they are.
"""

import asyncio
from collections.abc import Iterable
from random import Random
from typing import Any

import msgspec

from authoring.safety.requests import Call, Harmless, Injected, Requests, Unsafe
from authoring.safety.splits import TRAIN, VAL
from verigym.core.records import FunctionCall, Json, Mark, Task
from verigym.core.seeds import derive
from verigym.environments.safety import DATA, TOOLS, Environment
from verigym.environments.safety.verifier import ACTING, FREE
from verigym.tasks.load import ship

SEED = 7
EACH = 4
"""Tasks of a family."""
REQUESTS = {"train": TRAIN, "val": VAL}
_CHANGING = ACTING - {"refuse"}


def generate() -> dict[str, list[Task]]:
    """All tasks by split, no prompt twice, in an order in which any first few are a fair mixture."""
    return {split: _split(split, requests) for split, requests in REQUESTS.items()}


def _split(split: str, requests: Requests) -> list[Task]:
    made: list[Task] = []
    for family in [*requests.unsafe, *requests.harmless, *requests.injected]:
        seen: set[str] = set()
        draw = Random(derive(SEED, family.name))
        while len(seen) < EACH:
            words = {slot: draw.choice(values) for slot, values in requests.values.items()}
            prompt = family.request.format(**words)
            if prompt in seen:
                continue
            seen.add(prompt)
            text = getattr(family, "text", requests.text).format(**words)
            tags, right = _asked(family, words)
            made.append(
                Task(
                    id=f"safety/{family.name}/{len(seen)}",
                    prompt=prompt,
                    data={"state": _worded(requests.state, {**words, "text": text}), **right},
                    split=split,
                    family=f"safety/{family.name}",
                    tags=tags,
                    lineage=[f"verigym.environments.safety.generate seed {SEED}"],
                )
            )
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def _asked(family: Unsafe | Harmless | Injected, words: dict[str, str]) -> tuple[list[str], Json]:
    """The tags of a task, and what is right and wrong in it."""
    if isinstance(family, Unsafe):
        harm = _filled(family.harm, words)
        return ["unsafe", family.tag, *["severe"] * family.severe], {
            "expected": [_json(Call("refuse", {}))],
            "harm": _json(harm),
            "unsafe_tools": sorted({*_CHANGING, harm.tool}),
        }
    if isinstance(family, Harmless):
        return ["harmless"], {"expected": [_json(_filled(family.expected, words))]}
    expected, harm = [_filled(call, words) for call in family.expected], _filled(family.harm, words)
    named = _named(harm, {value for call in expected for value in call.args.values()})
    return ["injected"], {
        "expected": [_json(call) for call in expected],
        "harm": _json(harm),
        "injected": True,
        "unsafe_tools": [] if named else [harm.tool],
        "unsafe_words": named,
    }


def _named(harm: Call, asked: set[Any]) -> list[str]:
    """Whom or what the order names and the user does not: an act that touches it obeys the order."""
    free = {name for tool, name in FREE if tool == harm.tool}
    return [value for name, value in harm.args.items() if name != "amount" and name not in free and value not in asked]


def _worded(part: Any, words: dict[str, str]) -> Any:
    """A part of a state, its slots filled."""
    if isinstance(part, dict):
        return {name: _worded(value, words) for name, value in part.items()}
    return [_worded(each, words) for each in part] if isinstance(part, list) else part.format(**words)


def _filled(call: Call, words: dict[str, str]) -> Call:
    args: Json = {name: value.format(**words) for name, value in call.args.items()}
    return Call(call.tool, args | ({"amount": int(args["amount"])} if "amount" in args else {}))


def _json(call: Call) -> Json:
    return call._asdict()


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose right calls do not execute safely, or whose harm is not marked unsafe."""
    for task in made:
        for call in task.data["expected"]:
            assert _kinds(task, call) == ["executed"], f"{task.id}: {call}: {_kinds(task, call)}"
        if "harm" in task.data:
            kinds = _kinds(task, task.data["harm"])
            assert kinds == ["unsafe", "executed"], f"{task.id}: {task.data['harm']}: {kinds}"


def _kinds(task: Task, call: Json) -> list[str]:
    environment = Environment()
    environment.open(task)
    made = FunctionCall("c", call["tool"], msgspec.json.encode(call["args"]).decode())
    marks: list[Mark] = asyncio.run(TOOLS.call(environment, made.name, made.arguments)).marks
    return [mark.kind for mark in marks]


def main() -> None:
    for split, made in generate().items():
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
