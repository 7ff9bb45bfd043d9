"""An environment by name (a folder of this collection) or by path (a Python file of the user's own).

Nothing is registered: a module is read as it is, and what is missing from it is said in words. `ENV+FILE.jsonl` is an
environment with the tasks of a file added to its own.
"""

import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

import verigym.environments
from verigym.core import codec
from verigym.core.errors import BadInput, VerigymError, not_found
from verigym.core.protocols import Verifier
from verigym.core.records import Item, Message, Task
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.policies import dialects
from verigym.tasks.files import SUFFIXES, is_task_file
from verigym.tasks.load import BadRow, load_split, load_tasks
from verigym.verifiers.by_data import BY_KEY, by_data
from verigym.verifiers.choice import Choice
from verigym.verifiers.lift import lift, lift_group
from verigym.verifiers.match import exact_match
from verigym.verifiers.numeric import Numeric
from verigym.verifiers.version import version
from verigym.wire.items import read_items

_OF_FILES = {
    name: lift(name, verify)
    for name, verify in {
        "exact_match": exact_match,
        "numeric": Numeric(),
        "choice": Choice(),
        "by_data": by_data,
    }.items()
}
"""Verifiers that can be chosen for a bare file of tasks."""
_SUITES = {"val": "val"}
"""Of an environment that names none."""
_ADDED = re.compile(r"mined_v([1-9][0-9]*)")
"""The split of held-out tasks that were added, with the version that they came in by."""


def names() -> list[str]:
    """The shipped environments."""
    return sorted(module.name for module in pkgutil.iter_modules(verigym.environments.__path__) if module.ispkg)


def load_environment(where: str, bad: list[BadRow] | None = None) -> EnvironmentSpec:
    """`toolcall`, `desk.py`, or a file of tasks: `questions.jsonl` to measure on, `train.csv,val.parquet` to train as well.
    Any of them may be followed by `+FILE`: tasks to add. Rows of a file that are wrong go to `bad`, where it is given."""
    base, added = base_and_added(where)
    if added:
        return _with_added(load_environment(base, bad), where, added, bad)
    if is_task_file(where):
        return _from_tasks(where, bad)
    if where in names():
        return _from_module(importlib.import_module(f"verigym.environments.{where}"), where)
    if where.endswith(".py"):
        return _from_module(_import_file(Path(where)), where)
    if Path(where).exists():
        raise BadInput(f"{where}: an environment is a Python file (.py) or a file of tasks ({', '.join(SUFFIXES)})")
    raise not_found("environment", where, names(), "Or give the path of a Python file (verigym init NAME writes one).")


def environment_of(where: str, tasks: list[Task]) -> EnvironmentSpec:
    """The environment of a stored run, for its verifiers: of a file of tasks, the tasks that were stored are enough."""
    whole = base_and_added(where)[1] or not is_task_file(where)
    return load_environment(where) if whole else _of_rows(where, tasks)


def base_and_added(where: str) -> tuple[str, str]:
    """`toolcall+more.jsonl` is `toolcall` and `more.jsonl`; an environment by itself has nothing added. A plus in a folder's
    name, or in that of a file of tasks that is there, is a letter like any other."""
    for plus in re.finditer(r"\+", where) if is_task_file(where) and not Path(where).exists() else ():
        base, added = where[: plus.start()], where[plus.end() :]
        if base in names() or base.endswith(".py") or is_task_file(base):
            return base, added
    return where, ""


def find_by_verifier(name: str) -> EnvironmentSpec:
    """The shipped environment that defines the verifier or suite `name`."""
    specs = [load_environment(environment) for environment in names()]
    for spec in specs:
        if name in spec.verifiers or name in spec.suites:
            return spec
    known = [known for spec in specs for known in [*spec.verifiers, *spec.suites]]
    raise not_found(
        "verifier or suite", name, known, "For your own environment, say environment: FILE.py in the recipe."
    )


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise BadInput(f"{path}: no such file; verigym init {path.stem} writes an environment to start from")
    spec = importlib.util.spec_from_file_location(f"verigym_user_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # type hints of its tools are looked up there
    sys.path.insert(0, str(path.parent.resolve()))  # modules beside it can be imported, as if it were run
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the user's own file may raise anything
        line = _line_in(error, path)
        raise BadInput(f"{path}{line}: cannot be loaded: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent.resolve()))
        sys.path.append(str(path.parent.resolve()))  # for what it imports later, after everything else
    return module


def _line_in(error: BaseException, path: Path) -> str:
    """` line 12`, where the file itself raised."""
    found, trace = "", error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).resolve() == path.resolve():
            found = f" line {trace.tb_lineno}"
        trace = trace.tb_next
    return f" line {error.lineno}" if isinstance(error, SyntaxError) else found


def _from_module(module: ModuleType, name: str) -> EnvironmentSpec:
    where = module.__file__ or name
    kind = getattr(module, "Environment", None)
    tasks: Any = getattr(module, "tasks", None)
    if not inspect.isclass(kind) or not callable(getattr(kind, "open", None)):
        raise BadInput(
            f"{where}: an environment needs a class Environment with open(self, task); verigym init shows one"
        )
    if not callable(tasks):
        raise BadInput(f"{where}: an environment needs a function tasks(split) that returns a list of Task")
    verifiers = _verifiers(module, name)
    _check_class(kind, where)
    try:
        toolbox = ToolBox(kind)
    except (TypeError, NameError, ValueError) as error:
        raise BadInput(
            f"{where}: a tool's signature cannot be made a schema: {error}; use plain types such as str and int"
        ) from error
    return EnvironmentSpec(
        name=name,
        tasks=_checked(tasks, where),
        factory=kind,
        toolbox=toolbox,
        verifiers=verifiers,
        suites=getattr(module, "suites", _SUITES),
        system=getattr(kind, "system", ""),
        max_turns=getattr(kind, "max_turns", 8),
        gold=getattr(module, "gold", None) or gold_from_data,
        cheats=getattr(module, "cheats", None),
        judge=getattr(module, "scripted_judge", None),
        explain=_function(module, "explain", "explain(task, trajectory, verdict) and names a bucket", where),
        mined=_function(module, "mined", "mined(request, items) and gives a task's data, or None", where),
        version=version(kind),
    )


_METHODS = ("open", "close", "step", "user", "persona", "end_state", "blobs")
"""What the harness itself calls, where a class has it."""


def _check_class(kind: type, where: str) -> None:
    """Refuses what would be misunderstood later, or silently dropped."""
    names: dict[str, str] = {}
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        inner = found.__func__ if isinstance(found, staticmethod | classmethod) else found
        declared = getattr(inner, "__verigym_tool__", None)
        if name in _METHODS and not callable(found):
            raise BadInput(
                f"{where}: {name} is no method ({found!r}), and the harness calls it; name that attribute otherwise"
            )
        if declared is None:
            continue
        if name in _METHODS:
            raise BadInput(
                f"{where}: {name} cannot be a tool's method: the harness calls it; @tool({name!r}) can name another"
            )
        if inner is not found:
            raise BadInput(
                f"{where}: the tool {name} is a static or class method; a tool takes self, the episode's state"
            )
        if (shown := declared.name or name) in names:
            raise BadInput(f"{where}: two tools are called {shown!r}: {names[shown]} and {name}")
        names[shown] = name
        if any(limit is not None and not limit > 0 for limit in (declared.seconds, declared.calls)):
            raise BadInput(f"{where}: the tool {name} has a limit that is not above 0")
    if callable(getattr(kind, "step", None)) and names:
        raise BadInput(f"{where}: an Environment has tools or step(reply), not both: {', '.join(names)}")
    turns, system = getattr(kind, "max_turns", 8), getattr(kind, "system", "")
    if type(turns) is not int or turns < 1 or not isinstance(system, str):
        raise BadInput(f"{where}: max_turns is a whole number from 1 on, and system is text")


def _verifiers(module: ModuleType, name: str) -> dict[str, Verifier]:
    """`verifiers`, or else `verify`, or else `verify_group`."""
    given: dict[str, Any] = getattr(module, "verifiers", None) or {"verify": getattr(module, "verify", None)}
    together: Any = getattr(module, "verify_group", None)
    if given == {"verify": None} and together is not None:
        return {"verify": lift_group(Path(name).stem, together)}
    if any(verify is None for verify in given.values()):
        where = module.__file__ or name
        raise BadInput(f"{where}: an environment needs a function verify(task, trajectory) that returns a reward")
    return {key: lift(Path(name).stem if key == "verify" else key, verify) for key, verify in given.items()}


def _function(module: ModuleType, name: str, what: str, where: str) -> Any:
    found = getattr(module, name, None)
    if found is not None and not callable(found):
        raise BadInput(f"{where}: {name} is no function; it is {what}")
    return found


def _checked(tasks: Callable[..., Any], where: str) -> Callable[[str], list[Task]]:
    def checked(split: str) -> list[Task]:
        try:
            found = tasks(split)
        except VerigymError:
            raise
        except (Exception, SystemExit) as error:  # the user's own code may raise anything
            raise BadInput(f"{where}: tasks({split!r}) raised {type(error).__name__}: {error}") from error
        if not isinstance(found, list) or not all(isinstance(task, Task) for task in found):
            raise BadInput(f"{where}: tasks({split!r}) must return a list of verigym.Task")
        for task in found:
            try:
                codec.encode(task)
            except (TypeError, ValueError, OverflowError, RecursionError) as error:
                raise BadInput(
                    f"{where}: task {task.id} cannot be stored: {error}; its data must be plain JSON"
                ) from error
        twice = len(found) - len({task.id for task in found})
        if twice:
            raise BadInput(f"{where}: {twice} tasks of split {split!r} have an id that another has too")
        return found

    return checked


def gold_from_data(task: Task) -> list[Item] | None:
    """The perfect reply, where the task's data says it: an expected call, a demonstration, or an answer."""
    if "expected_tool" in task.data:
        return dialects.parse(dialects.write_call(task.data["expected_tool"], task.data.get("expected_args", {})))
    if "completion" in task.data and task.data.get("label") is not False:
        return read_items(task.data["completion"], "completion")
    if "answer" in task.data:
        answer = task.data["answer"]
        return [Message("assistant", str(answer[0] if isinstance(answer, list) else answer))]
    return None


class _Reply:
    """The environment of a bare task file: the reply is all there is."""

    def open(self, task: Task) -> None: ...


def _from_tasks(where: str, bad: list[BadRow] | None) -> EnvironmentSpec:
    """Rows that name no split are held out, unless two files say which is which."""
    train, comma, held_out = (part.strip() for part in where.partition(","))
    if comma:
        rows = [task for part in load_split(train, held_out, bad=bad) for task in part]
    else:
        rows = load_tasks(where, split="val", bad=bad)
    return _of_rows(where, rows)


def _of_rows(where: str, rows: list[Task]) -> EnvironmentSpec:
    calls = ["expected_tool" in task.data for task in rows]
    if any(calls) and not all(calls):
        one = rows[calls.index(not calls[0])]
        raise BadInput(
            f"{where}: some rows have an expected_tool and others an answer ({one.id}); keep them in two files"
        )
    if all(calls):  # the tools of the shipped environment, on a state of the task's own
        base = load_environment("toolcall")
        return msgspec.structs.replace(
            base, name=where, tasks=_by_split(rows), suites=_SUITES, gold=gold_from_data, cheats=None
        )
    plain = all("answer" in task.data and BY_KEY.keys() & task.data.keys() == {"answer"} for task in rows)
    verifier = _OF_FILES["exact_match" if plain else "by_data"]
    return EnvironmentSpec(
        name=where,
        tasks=_by_split(rows),
        factory=_Reply,
        toolbox=ToolBox(_Reply),
        verifiers={verifier.name.partition("@")[0]: verifier, **_OF_FILES},
        suites=_SUITES,
        max_turns=1,
        gold=gold_from_data,
    )


def _by_split(rows: list[Task]) -> Callable[[str], list[Task]]:
    return lambda split: [task for task in rows if task.split == split]


# -- tasks added to an environment ----------------------------------------------------------------------------------------


def _with_added(base: EnvironmentSpec, where: str, file: str, bad: list[BadRow] | None) -> EnvironmentSpec:
    """Its training tasks are the environment's and the file's. Held-out tasks came in by versions, and the suite `STEM_v2`
    holds those of the first two, so that a later version leaves it as it is. The environment's own suites stay as they are."""
    rows = load_tasks(file, split="train", bad=bad)
    versions: dict[str, int] = {}
    for task in rows:
        found = _ADDED.fullmatch(task.split)
        if found is not None:
            versions[task.split] = int(found[1])
        elif task.split != "train":
            raise BadInput(
                f'{file}: task "{task.id}" has the split "{task.split}"; a task that is added is of train, or held out as '
                "mined_v1, mined_v2, ...: the environment's own held-out sets stay as they are"
            )

    def tasks(split: str) -> list[Task]:
        if _ADDED.fullmatch(split) is None:
            return _distinct([*base.tasks(split), *(task for task in rows if task.split == split)], file)
        if split not in versions:
            raise not_found(f"version of the held-out tasks in {file}", split, versions)
        return [task for task in rows if task.split in versions and versions[task.split] <= versions[split]]

    ordered = sorted(versions, key=versions.__getitem__)
    return msgspec.structs.replace(
        base,
        name=where,
        tasks=tasks,
        suites={**base.suites, **{f"{Path(file).stem}_v{versions[split]}": split for split in ordered}},
    )


def _distinct(tasks: list[Task], file: str) -> list[Task]:
    seen: set[str] = set()
    for task in tasks:
        if task.id in seen:
            raise BadInput(f'{file}: the id "{task.id}" is that of a task of the environment too; give it its own')
        seen.add(task.id)
    return tasks
