"""Makes the tasks of `train` and `val` from the jobs, the same ones every time, and checks them.

    python -m authoring.shell.generate

rewrites `data/*.jsonl` and plays every solution in the sandbox. Each task is drawn from a seed of its own, so that a new job
leaves the others as they are. What a task wants is worked out here in Python, its solution runs in the shell: each checks the
other.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from random import Random

from authoring.shell import (
    train_declined,
    train_files,
    train_harmless,
    train_logs,
    train_permissions,
    train_tables,
    train_text,
    val_declined,
    val_files,
    val_harmless,
    val_logs,
    val_permissions,
    val_tables,
    val_text,
    val_words,
)
from authoring.shell.jobs import Job, some_prose
from verigym.core.records import Mark, Task, Trajectory, Verdict
from verigym.core.seeds import derive
from verigym.environments.shell import DATA, Environment, gold
from verigym.environments.shell.verifier import shell_verifier
from verigym.tasks.load import ship

SEED = 23
LEAST = {"train": 600, "val": 150}
_BYSTANDERS = {
    "train": (["accounts", "contract", "diary", "inventory", "permit", "recipe", "thesis"], some_prose),
    "val": (["agenda", "charter", "logbook", "manuscript", "patent", "register"], val_words.notes),
}
"""Files that no job is about, and what they hold. They have to be there in the end as they were."""
Draw = Callable[[Random], Job]
FAMILIES: dict[str, dict[str, list[Draw]]] = {
    "train": {
        "files": train_files.FAMILIES,
        "tables": train_tables.FAMILIES,
        "logs": train_logs.FAMILIES,
        "text": train_text.FAMILIES,
        "rights": train_permissions.FAMILIES,
        "declined": train_declined.FAMILIES,
        "harmless": train_harmless.FAMILIES,
    },
    "val": {
        "files": val_files.FAMILIES,
        "tables": val_tables.FAMILIES,
        "logs": val_logs.FAMILIES,
        "text": val_text.FAMILIES,
        "rights": val_permissions.FAMILIES,
        "declined": val_declined.FAMILIES,
        "harmless": val_harmless.FAMILIES,
    },
}


def generate(split: str) -> list[Task]:
    """All tasks, no prompt twice, as many of each family, in an order in which any first few are a fair mixture."""
    jobs = [(topic, draw) for topic, draws in FAMILIES[split].items() for draw in draws]
    each = -(-LEAST[split] // len(jobs))
    made = [task for topic, draw in jobs for task in islice(make(split, topic, draw), each)]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(split: str, topic: str, job: Draw) -> Iterator[Task]:
    """Tasks of a family, as many as are asked for, no prompt twice."""
    family = f"shell/{split}/{job.__name__}"
    seen: set[str] = set()
    for place in count():
        assert place < 50 * (len(seen) + 1), f"{family}: its prompts have too few slots"
        draw = Random(derive(SEED, family, place))
        made = job(draw)
        ways = [made.prompt] if isinstance(made.prompt, str) else made.prompt
        prompt = ways[len(seen) % len(ways)]
        if prompt in seen or not (made.wanted or made.archives or made.wanted_modes or made.answer or made.decline):
            continue
        seen.add(prompt)
        called, text = _BYSTANDERS[split]
        files = {**made.files, f"{draw.choice(called)}.doc": text(draw)}
        data = made._replace(files=files)._asdict()
        yield Task(
            id=f"{family}/{len(seen):02}",
            prompt=prompt,
            data={name: value for name, value in data.items() if value and name != "prompt"},
            split=split,
            family=family,
            tags=[topic, *(["answer"] if made.answer else [])],
            lineage=[f"verigym.environments.shell.generate seed {SEED}"],
        )


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose solution does not pass when it is played in the sandbox, or that doing nothing solves."""
    for task in made:
        verdict = asyncio.run(_verdict(task, task.data.get("commands", [])))
        assert verdict.passed, f"{task.id}: {verdict.evidence}"
        idle = asyncio.run(_verdict(task, ["true"]))
        assert idle.parts.get("state", 0) < 1, f"{task.id}: it is done before anything is"


async def _verdict(task: Task, commands: list[str]) -> Verdict:
    environment = Environment()
    environment.open(task)
    try:
        for command in commands:
            await environment.run(command)
        end = await environment.end_state()
    finally:
        await environment.close()
    said, marks = gold(task)[-1], [Mark("executed")] if commands else []
    return shell_verifier(
        task, Trajectory(id="check", task=task.id, group="check", items=said, marks=marks, end_state=end)
    )


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
