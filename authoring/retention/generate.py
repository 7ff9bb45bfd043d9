"""Makes the tasks of `val`, the same ones every time, and checks them.

    python -m authoring.retention.generate

rewrites `data/val.jsonl`. Each task is drawn from a seed of its own, so that a new family leaves the others as they are.
`data/passages.jsonl` is written by hand.
"""

from collections.abc import Iterable
from random import Random

from authoring.retention.families import FAMILIES, Asked, Family
from verigym.core.records import Item, Message, Task, Trajectory
from verigym.core.seeds import derive
from verigym.environments.retention import DATA, cheats, gold, right
from verigym.environments.retention.rules import asked_of, retention_verifier
from verigym.tasks.load import ship

SEED = 7
EACH = 5
"""Tasks of a family."""
SHOWN = {"instruction": 0, "arithmetic": 2, "reading": 2, "format": 2}
"""Earlier questions with right answers that stand before the one that counts: small models need to see the form."""


def generate() -> list[Task]:
    """All tasks, nothing asked twice, in an order in which any first few are a fair mixture."""
    made: list[Task] = []
    seen: set[str] = set()
    for kind, families in FAMILIES.items():
        for family in families:
            for place in range(EACH):
                draw = Random(derive(SEED, kind, family.__name__, place))
                shown = [_unseen(family, draw, set()) for _ in range(SHOWN[kind])]
                prompt, data = _unseen(family, draw, {*seen, *(asked for asked, _ in shown)})
                seen.add(prompt)
                made.append(
                    Task(
                        id=f"retention/{family.__name__}/{place + 1}",
                        prompt=[*_examples(shown), Message("user", prompt)] if shown else prompt,
                        data=data,
                        split="val",
                        family=f"retention/{family.__name__}",
                        tags=[kind],
                        lineage=[f"verigym.environments.retention.generate seed {SEED}"],
                    )
                )
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def _unseen(family: Family, draw: Random, seen: set[str]) -> Asked:
    asked = family(draw)
    while asked[0] in seen:
        asked = family(draw)
    return asked


def _examples(shown: list[Asked]) -> list[Item]:
    """What was asked before, and the right answers to it."""
    pairs = [(Message("user", prompt), Message("assistant", right(data))) for prompt, data in shown]
    return [message for pair in pairs for message in pair]


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose gold reply does not pass, or where something that is no answer does."""
    for task in made:
        assert _passes(task, gold(task)[0].text), f"{task.id}: the gold reply does not pass"
        for cheat in ["", asked_of(task), *cheats(task)]:
            assert not _passes(task, cheat), f"{task.id}: {cheat[:80]!r} passes"


def _passes(task: Task, reply: str) -> bool:
    said = Trajectory(id="a", task=task.id, group="g", items=[Message("assistant", reply)])
    return retention_verifier(task, said).passed


def main() -> None:
    made = generate()
    check(made)
    ship(DATA, "val", made)


if __name__ == "__main__":
    main()
