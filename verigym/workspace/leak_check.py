"""Finds held-out tasks in what a version is or was trained on. Training and the gate ask here.

Training refuses families and prompts that an environment of its recipe holds out. A file of rows names no environment, so the
gate also compares the prompts of a version's datasets with those of its own suites. `gates/held_out.py` compares families.
"""

from collections.abc import Iterable, Iterator, Sequence

from verigym.core.errors import NotFound, Refused, VerigymError
from verigym.core.records import Dataset, Example, Item, Message, Preference, Report, Task, Version
from verigym.core.words import counted
from verigym.environments.load import load_environment, untagged
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.render import replies
from verigym.tasks.leaks import check_split, family_of, prompt_of
from verigym.workspace import datasets as data
from verigym.workspace.shared_reports import GUARDS
from verigym.workspace.workspace import WorkspaceFolder

Rows = Iterable[Example | Preference]
_SHOWN = 3


def check_held_out(environment: EnvironmentSpec, tasks: list[Task]) -> None:
    """Refuses to train on held-out families. `?tags=` leaves out tasks of both sides, so all held-out tasks are compared."""
    wrong = [task for task in tasks if task.split != "train"]
    if wrong:
        raise Refused(
            f'{environment.name}: tasks("train") contains the held-out task {wrong[0].id} of split "{wrong[0].split}". Remove it'
        )
    whole = untagged(environment)
    for split in set(whole.suites.values()):
        check_split(tasks, whole.tasks(split), prompts=not whole.steps)


def check_rows(environment: EnvironmentSpec, dataset: Dataset, rows: Rows) -> None:
    """Refuses rows of a held-out family, and rows with the prompt of a held-out task."""
    whole = untagged(environment)
    held_out = _held_out(whole)
    families = sorted({family_of(task) for task in held_out} & set(dataset.families))
    if families:
        raise Refused(
            f"data: {dataset.name} contains family {families[0]}, which is held out in {whole.name}. "
            "Held-out families are never trained on. Remove its rows"
        )
    for row, task in _shared(whole, held_out, rows):
        raise Refused(
            f'data: {dataset.name}: row "{row.task}" has the prompt of the held-out task {task.id} of {whole.name}. '
            "Held-out tasks are never trained on. Remove the row"
        )


def check_versions(
    ws: WorkspaceFolder, versions: Sequence[Version], suites: Sequence[tuple[str, EnvironmentSpec, Sequence[Task]]]
) -> list[str]:
    """Refuses versions that were trained on a prompt of these suites (name, environment, tasks). Returns the datasets whose rows
    are gone, so that nobody can compare them."""
    gone: list[str] = []
    checked: set[str] = set()
    for version in versions:
        for dataset in _datasets(ws, version):
            if dataset.id in checked:
                continue
            checked.add(dataset.id)
            try:
                rows = list(data.rows(ws, dataset))
            except NotFound:
                gone.append(dataset.name)
                continue
            for suite, environment, tasks in suites:
                seen = {task.id for _, task in _shared(environment, tasks, rows)}
                if seen:
                    named = ", ".join(sorted(seen)[:_SHOWN]) + (", ..." if len(seen) > _SHOWN else "")
                    raise Refused(
                        f"Version {version.id} was trained on dataset {dataset.name}, which has the prompts of "
                        f'{counted(len(seen), "task")} of suite "{suite}" ({named}). Gate it on a suite it never saw, or train '
                        "it without these rows"
                    )
    return gone


def leak_warnings(ws: WorkspaceFolder, dataset: Dataset, rows: Rows, trained: Iterable[str]) -> Iterator[str]:
    """What the gate would refuse: prompts that a guardrail suite holds out, or an environment on which this workspace has
    reports. Those in `trained` are checked by training itself."""
    imported = {one.id for one in ws.store.bodies("imported")}
    reported = [one.suite.environment for one in ws.store.documents("report", Report) if one.run not in imported]
    rows = list(rows)
    for name in sorted({*GUARDS, *reported} - set(trained)):
        try:
            environment = load_environment(name)
            seen = {task.id for _, task in _shared(environment, _held_out(environment), rows)}
        except VerigymError:  # its file is gone or broken, and the gate could not use it either
            continue
        if seen:
            yield (
                f"data: {dataset.name} has the prompts of {counted(len(seen), 'held-out task')} of {name}, such as "
                f"{min(seen)}. The gate will refuse the version there. Remove these rows"
            )


class HeldOutPrompts:
    """The prompts that guardrail suites hold out, and those of an environment and of environments with reports here."""

    def __init__(self, ws: WorkspaceFolder, environment: str = "") -> None:
        reported = {one.suite.environment for one in ws.store.documents("report", Report)}
        self._tasks: dict[str, str] = {}
        for name in sorted({*GUARDS, *reported, environment} - {""}):
            try:
                loaded = untagged(load_environment(name))
                tasks = _held_out(loaded) if not loaded.steps else []
            except VerigymError:  # its file is gone or broken, and nobody can be measured on it either
                continue
            self._tasks |= {prompt_of(task): f"task {task.id} of {name}" for task in tasks}

    def found_in(self, row: Example | Preference) -> str:
        """Which held-out task has the prompt of a row. Empty if none has."""
        found = next((self._tasks[prompt] for prompt in _prompts(row) if prompt in self._tasks), "")
        return f'row "{row.task}" has the prompt of the held-out {found}' if found else ""


def _held_out(environment: EnvironmentSpec) -> list[Task]:
    return [task for split in sorted(set(environment.suites.values())) for task in environment.tasks(split)]


def _datasets(ws: WorkspaceFolder, version: Version) -> Iterator[Dataset]:
    """The datasets that the version and those that it was trained from were trained on."""
    seen: set[str] = set()
    while version.id not in seen:
        seen.add(version.id)
        dataset = ws.store.get("dataset", version.data_hash, Dataset) if version.data_hash else None
        if dataset is not None:
            yield dataset
        version = ws.store.get("version", version.parent, Version) or version


def _shared(
    environment: EnvironmentSpec, tasks: Sequence[Task], rows: Rows
) -> Iterator[tuple[Example | Preference, Task]]:
    """Rows with the prompt of a task. The tasks of a game can share a prompt, so its prompts say nothing."""
    asked = {prompt_of(task): task for task in tasks} if not environment.steps else {}
    for row in rows if asked else ():
        for prompt in _prompts(row):
            if prompt in asked:
                yield row, asked[prompt]


def _prompts(row: Example | Preference) -> set[str]:
    """What a row asks, comparable with `prompt_of` a task: all until the reply that is trained on, and until the first reply,
    which is trained on with `sft.replies: every`."""
    if isinstance(row, Preference):
        return {_asks(row.prompt)}
    first = min([start for start, _ in (*row.made, *replies(row.items))])
    return {_asks(row.items[: row.made[0][0]]), _asks(row.items[:first])}


def _asks(prompt: Sequence[Item]) -> str:
    """A prompt without the system prompt."""
    asked = [item for item in prompt if not (isinstance(item, Message) and item.role in ("system", "developer"))]
    match asked:
        case [Message(role="user") as only]:
            return only.text
    return prompt_of(Task(id="", prompt=asked))
