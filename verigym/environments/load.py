"""Loads an environment by name (a folder of this package) or by path (your own Python file, or a file of tasks).

There is no registry. The loader reads a module and reports what is missing in it. `ENV+FILE.jsonl` is an environment with the
tasks of a file added to its own. `ENV+FILE.yaml` is an environment with the tools of a tools file added to its own.
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
from typing import TYPE_CHECKING, Any

import msgspec

import verigym.environments
from verigym.core import codec
from verigym.core.errors import BadInput, VerigymError, not_found
from verigym.core.protocols import Verifier
from verigym.core.records import Item, Message, Task
from verigym.environments.bridges import find as bridges
from verigym.environments.call_rows import call_rows, expects_calls
from verigym.environments.mined import with_mined
from verigym.environments.training_sets import SHIPPED, declared_sets, with_training_sets
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, takes_calls
from verigym.policies import dialects
from verigym.tasks.files import SUFFIXES, is_task_file
from verigym.tasks.load import BadRow, load_split, load_tasks
from verigym.verifiers.by_data import BY_KEY, by_data
from verigym.verifiers.choice import Choice
from verigym.verifiers.ending import MINED, REGRESSIONS, is_regression
from verigym.verifiers.lift import lift, lift_group
from verigym.verifiers.match import exact_match
from verigym.verifiers.numeric import Numeric
from verigym.verifiers.state import StateDiff
from verigym.verifiers.version import version
from verigym.wire.items import read_items

if TYPE_CHECKING:
    from verigym.harness.tools_file import ToolsFile

_TOOLS_SUFFIXES = (".yaml", ".yml")
_OF_FILES = {
    name: lift(name, verify)
    for name, verify in {
        "exact_match": exact_match,
        "numeric": Numeric(),
        "choice": Choice(),
        "by_data": by_data,
    }.items()
}
"""Verifiers that you can choose for a file of tasks."""
_SUITES = {"val": "val"}
"""Suites of an environment that names none."""
_OPTIONS = {"tags": ("a tag", "easy"), "train": ("a training set", SHIPPED)}
"""What each value of an option is called, and an example."""
_ADDED = re.compile(r"mined_v([1-9][0-9]*)")
"""Split of added held-out tasks, with the version that added them."""


def names() -> list[str]:
    """Names of the shipped environments."""
    folders = (module.name for module in pkgutil.iter_modules(verigym.environments.__path__) if module.ispkg)
    return sorted(name for name in folders if name != "bridges")


def load_environment(where: str, bad: list[BadRow] | None = None) -> EnvironmentSpec:
    """Loads `toolcall`, `desk.py`, or a file of tasks: `questions.jsonl` for evaluation, `train.csv,val.parquet` also for
    training. `bfcl:simple_python` is an environment of another project. `+FILE` after any of them adds the tasks of a file, or
    the tools of a tools file (.yaml). `?tags=4x4,easy` at the end keeps only the tasks before it that have all these tags.
    `?train=grammar` has other training tasks than the shipped ones. Invalid rows of a file go to `bad`, if you pass it."""
    base, tags = _base_and_option(where, "tags")
    if tags:
        return _with_tags(load_environment(base, bad), where, tags)
    base, sets = _base_and_option(where, "train")
    if sets:
        environment = load_environment(base, bad)
        tasks = _checked(with_training_sets(environment, where, sets), where)
        return msgspec.structs.replace(environment, name=where, tasks=tasks)
    base, added = _base_and_file(where)
    if added:
        return _with_added(load_environment(base, bad), where, added, bad)
    base, tools = base_and_tools(where)
    if tools:
        return _with_tools(base, tools, where, bad)
    if bridges.is_bridge(where):
        return bridges.load(where)
    if is_task_file(where):
        return _from_tasks(where, bad)
    if where in names():
        return _from_module(importlib.import_module(f"verigym.environments.{where}"), where)
    if where.endswith(".py"):
        return _from_module(_import_file(Path(where)), where)
    if Path(where).exists():
        raise BadInput(
            f"{where}: this is not an environment. Name a Python file (.py) or a file of tasks ({', '.join(SUFFIXES)})"
        )
    bridges.refuse_unknown_prefix(where)
    raise not_found("environment", where, names(), "Or name a Python file (verigym init NAME writes one).")


def untagged(environment: EnvironmentSpec) -> EnvironmentSpec:
    """The environment with all of its tasks, if `?tags=` keeps only some of them."""
    base, added = base_and_added(environment.name)
    whole = f"{base}+{added}" if added else base
    return environment if whole == environment.name else load_environment(whole)


def environment_of(where: str, tasks: list[Task]) -> EnvironmentSpec:
    """The environment of a stored run, for its verifiers. If it was a file of tasks, the stored tasks are enough."""
    base, tools = base_and_tools(where)
    whole = base_and_added(where)[1] or base_and_added(base)[1] or bridges.is_bridge(base) or not is_task_file(base)
    return load_environment(where) if whole else _of_rows(where, tasks, _tools_file(tools) if tools else None)


def base_and_added(where: str) -> tuple[str, str]:
    """Splits `toolcall+more.jsonl` into `toolcall` and `more.jsonl`. The second is empty if nothing is added. A plus in the name
    of a folder, or of a task file that exists, is part of the name. Tags (`?tags=`) belong to neither."""
    base, added = _base_and_file(_base_and_option(where, "tags")[0])
    return _base_and_option(base, "tags")[0], added


def without_added(where: str) -> str:
    """The environment without an added file, with its tags."""
    rest = _base_and_option(where, "tags")[0]
    return _base_and_file(rest)[0] + where[len(rest) :]


def _base_and_file(where: str) -> tuple[str, str]:
    """As `base_and_added`, for a name without tags at its end. The base can have some."""
    for plus in re.finditer(r"\+", where) if is_task_file(where) and not Path(where).exists() else ():
        base, added = where[: plus.start()], where[plus.end() :]
        if _is_base(_base_and_option(base, "tags")[0]) and not re.match(r"[^+]*\.ya?ml(\+|$)", added):
            return base, added
    return where, ""


def base_and_tools(where: str) -> tuple[str, str]:
    """Splits `rows.jsonl+tools.yaml` into `rows.jsonl` and `tools.yaml`. The second is empty if no tools are added."""
    for plus in re.finditer(r"\+", where) if where.lower().endswith(_TOOLS_SUFFIXES) else ():
        base, tools = where[: plus.start()], where[plus.end() :]
        if _is_base(base) and not is_task_file(tools.partition("+")[0]):
            return base, tools
    return where, ""


def _base_and_option(where: str, option: str) -> tuple[str, list[str]]:
    """Splits `sudoku?tags=4x4,easy` into `sudoku` and the values of the option. In `sudoku?tags=4x4+more.jsonl` they belong to
    the environment before the plus. A bridge reads its options itself."""
    base, mark, values = where.rpartition(f"?{option}=")
    if not mark or bridges.is_bridge(where) or ("+" in values and (is_task_file(values) or option == "train")):
        return where, []
    tags, other, sets = values.replace("&", "?").partition("?train=" if option == "tags" else "?tags=")
    if other:
        tags, sets = (tags, sets) if option == "tags" else (sets, tags)
        raise BadInput(f"{where}: write the training set first, then the tags: {base}?train={sets}?tags={tags}")
    found = [value.strip() for value in values.split(",")]
    if not all(found):
        raise BadInput(
            f"{where}: {_OPTIONS[option][0]} is missing. Write it as in {base}?{option}={_OPTIONS[option][1]}"
        )
    return base, found


def _is_base(name: str) -> bool:
    """Whether something can be added to the environment of this name."""
    name = held_out_name(name)
    return (
        name in names()
        or name.endswith(".py")
        or is_task_file(name)
        or bridges.is_bridge(name)
        or bool(base_and_tools(name)[1])
    )


def held_out_name(where: str) -> str:
    """The name without training sets, which change no held-out task: `toolcall?tags=easy` for
    `toolcall?train=grammar?tags=easy`. Runs and reports on held-out tasks have this name."""
    return where if bridges.is_bridge(where) else re.sub(r"\?train=[^?+]*", "", where)


def name_of(environment: str) -> str:
    """The short name for files and proposals: `toolcall`, or `desk` for `a/desk.py+b/desk.jsonl`."""
    return Path(held_out_name(base_and_added(environment)[0]).partition(",")[0].strip()).stem


def regression_file(home: Path, environment: str) -> Path:
    """The file of the regressions that were accepted for an environment. Nobody trains on them."""
    return home / "mined" / f"{name_of(environment)}_{REGRESSIONS}.jsonl"


def find_by_verifier(name: str) -> EnvironmentSpec:
    """The shipped environment that defines the verifier or suite `name`."""
    specs = [load_environment(environment) for environment in names()]
    for spec in specs:
        if name in spec.verifiers or name in spec.suites:
            return spec
    known = [known for spec in specs for known in [*spec.verifiers, *spec.suites]]
    raise not_found(
        "verifier or suite", name, known, "For your own environment, set environment: FILE.py in the recipe."
    )


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise BadInput(f"{path}: the file does not exist. verigym init {path.stem} writes an environment to start from")
    spec = importlib.util.spec_from_file_location(f"verigym_user_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # resolves the type hints of its tools
    sys.path.insert(0, str(path.parent.resolve()))  # it can import modules beside it, as a script can
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the user's own file may raise anything
        line = _line_in(error, path)
        raise BadInput(f"{path}{line}: cannot be loaded: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent.resolve()))
        sys.path.append(str(path.parent.resolve()))  # for later imports, with the lowest priority
    return module


def _line_in(error: BaseException, path: Path) -> str:
    """` line 12` if the file itself raised, or else nothing."""
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
            f"{where}: an environment needs a class Environment with open(self, task). verigym init NAME writes an example"
        )
    if not callable(tasks):
        raise BadInput(f"{where}: an environment needs a function tasks(split) that returns a list of Task")
    verifiers = _verifiers(module, name, kind)
    _check_class(kind, where)
    try:
        toolbox = ToolBox(kind)
    except (TypeError, NameError, ValueError) as error:
        raise BadInput(
            f"{where}: the signature of a tool has no JSON schema: {error}. Use plain types such as str and int"
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
        explain=_function(module, "explain", "explain(task, trajectory, verdict), which returns a bucket", where),
        mined=_mining_rule(module, "mined", "mined(request, items)", where),
        mined_episode=_mining_rule(module, "mined_episode", "mined_episode(data, episode)", where),
        training_sets=declared_sets(module, where),
        agent=_agent(module, where),
        version=version(kind),
    )


def _agent(module: ModuleType, where: str) -> str:
    agent = getattr(module, "agent", "")
    if not isinstance(agent, str):
        raise BadInput(f"{where}: agent must be text, a command or module:function. It is {type(agent).__name__}")
    return agent


_METHODS = ("open", "close", "step", "user", "persona", "end_state", "blobs")
_OPTIONAL_METHODS = {
    "tools": "tools(self)",
    "call": "call(self, name, arguments)",
    "done": "done(self)",
    "step_reward": "step_reward(self)",
}
"""Methods that the harness calls, if the class has them."""


def _check_class(kind: type, where: str) -> None:
    """Raises BadInput for declarations that would fail later or be ignored."""
    names: dict[str, str] = {}
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        inner = found.__func__ if isinstance(found, staticmethod | classmethod) else found
        declared = getattr(inner, "__verigym_tool__", None)
        if name in _METHODS and not callable(found):
            raise BadInput(
                f"{where}: {name} must be a method, because the harness calls it, but it is {found!r}. Rename the attribute"
            )
        if declared is None:
            continue
        if name in _METHODS:
            raise BadInput(
                f"{where}: the method {name} cannot be a tool, because the harness calls it. Rename it and use @tool({name!r})"
            )
        if inner is not found:
            raise BadInput(
                f"{where}: the tool {name} is a static or class method. A tool must take self, the state of the episode"
            )
        if (shown := declared.name or name) in names:
            raise BadInput(
                f"{where}: the methods {names[shown]} and {name} have the same tool name {shown!r}. Rename one"
            )
        names[shown] = name
        if any(limit is not None and not limit > 0 for limit in (declared.seconds, declared.calls)):
            raise BadInput(
                f"{where}: a limit of the tool {name} is not above 0. Set seconds and calls above 0, or omit them"
            )
    if callable(getattr(kind, "step", None)) and (names or takes_calls(kind)):
        raise BadInput(
            f"{where}: the class Environment has step(reply) and tools ({', '.join(names) or 'call'}). Use only one of them"
        )
    for name, form in _OPTIONAL_METHODS.items():
        found = getattr(kind, name, None)
        if callable(found) and not hasattr(found, "__verigym_tool__") and not _fits(found, form.count(",")):
            raise BadInput(f"{where}: the harness calls {form}, but the method {name} has other parameters. Rename it")
    if callable(tools := getattr(kind, "tools", None)) and "tools" not in names.values() and not takes_calls(kind):
        raise BadInput(
            f"{where}: {tools.__name__}(self) lists tools, but nothing runs them. Add call(self, name, arguments)"
        )
    turns, system = getattr(kind, "max_turns", 8), getattr(kind, "system", "")
    if type(turns) is not int or turns < 1 or not isinstance(system, str):
        raise BadInput(f"{where}: max_turns must be a whole number of at least 1, and system must be text")


def _fits(method: Callable[..., Any], arguments: int) -> bool:
    """Whether a method can be called with this many positional arguments besides `self`."""
    try:
        inspect.signature(method).bind(*[None] * (arguments + 1))
    except TypeError:
        return False
    return True


def _verifiers(module: ModuleType, name: str, kind: type) -> dict[str, Verifier]:
    """Reads `verifiers`, or else `verify`, or else `verify_group`."""
    where = module.__file__ or name
    given: dict[str, Any] = getattr(module, "verifiers", None) or {"verify": getattr(module, "verify", None)}
    together: Any = getattr(module, "verify_group", None)
    if given == {"verify": None} and together is not None:
        return {"verify": lift_group(Path(name).stem, together)}
    if any(verify is None for verify in given.values()):
        raise BadInput(f"{where}: an environment needs a function verify(task, trajectory) that returns a reward")
    if any(isinstance(verify, StateDiff) for verify in given.values()) and not hasattr(kind, "end_state"):
        raise BadInput(
            f"{where}: StateDiff compares the end state, but the class Environment has no end_state(self). Add it"
        )
    return {key: lift(Path(name).stem if key == "verify" else key, verify) for key, verify in given.items()}


def _function(module: ModuleType, name: str, what: str, where: str) -> Any:
    found = getattr(module, name, None)
    if found is not None and not callable(found):
        raise BadInput(f"{where}: {name} is not a function. It must be {what}")
    return found


def _mining_rule(module: ModuleType, name: str, form: str, where: str) -> Any:
    """A rule of the module, or for a shipped environment of `mining.py` in its folder, which is not part of its version."""
    what = f"{form}, which returns the data of a task, or None"
    found = _function(module, name, what, where)
    beside = f"{module.__name__}.mining"
    if found is None and hasattr(module, "__path__") and importlib.util.find_spec(beside) is not None:
        found = _function(importlib.import_module(beside), name, what, where)
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
                    f"{where}: task {task.id} cannot be stored: {error}. Its data must be plain JSON"
                ) from error
        twice = len(found) - len({task.id for task in found})
        if twice:
            raise BadInput(
                f"{where}: {twice} tasks of split {split!r} have the id of another task. Give each task its own id"
            )
        return found

    return checked


def gold_from_data(task: Task) -> list[Item] | None:
    """The right reply if the task's data contains it: an expected call, a demonstration or an answer."""
    if "expected_tool" in task.data:
        return dialects.parse(dialects.write_call(task.data["expected_tool"], task.data.get("expected_args", {})))
    if "completion" in task.data and task.data.get("label") is not False:
        return read_items(task.data["completion"], "completion")
    if "answer" in task.data:
        answer = task.data["answer"]
        return [Message("assistant", str(answer[0] if isinstance(answer, list) else answer))]
    return None


class _Reply:
    """The environment of a file of tasks. It has no tools and no state."""

    def open(self, task: Task) -> None: ...


def _from_tasks(where: str, bad: list[BadRow] | None) -> EnvironmentSpec:
    return _of_rows(where, _rows(where, bad), bad=bad, checked=True)


def _rows(where: str, bad: list[BadRow] | None) -> list[Task]:
    """Loads one file or two. In one file, rows without a split are held out. Two files are the training and held-out tasks."""
    train, comma, held_out = (part.strip() for part in where.partition(","))
    if comma:
        rows = [task for part in load_split(train, held_out, bad=bad) for task in part]
    else:
        rows = load_tasks(where, split="val", bad=bad)
    return rows


def _of_rows(
    where: str,
    rows: list[Task],
    file: "ToolsFile | None" = None,
    bad: list[BadRow] | None = None,
    checked: bool = False,
) -> EnvironmentSpec:
    """The environment of rows. With `checked`, rows that cannot be scored are refused, or go to `bad`."""
    calls = [expects_calls(task) for task in rows]
    if any(calls) and not all(calls):
        one = rows[calls.index(not calls[0])]
        raise BadInput(
            f"{where}: some rows have an expected_tool and others an answer ({one.id}). Put them into two files"
        )
    if all(calls) and (file is not None or not _of_shipped_tools(rows)):
        return call_rows(where, rows, _by_split, file, bad, checked)
    if all(calls):  # the tools of the shipped environment, on the task's own state
        base = load_environment("toolcall")
        return msgspec.structs.replace(
            base, name=where, tasks=_by_split(rows), suites=_SUITES, gold=gold_from_data, cheats=None
        )
    if checked:
        rows = _scorable(where, rows, bad)
    plain = all("answer" in task.data and BY_KEY.keys() & task.data.keys() == {"answer"} for task in rows)
    verifier = _OF_FILES["exact_match" if plain else "by_data"]
    spec = EnvironmentSpec(
        name=where,
        tasks=_by_split(rows),
        factory=_Reply,
        toolbox=ToolBox(_Reply),
        verifiers={verifier.name.partition("@")[0]: verifier, **_OF_FILES},
        suites=_SUITES,
        max_turns=1,
        gold=gold_from_data,
    )
    return _added_tools(spec, file) if file is not None else spec


def _of_shipped_tools(rows: list[Task]) -> bool:
    """Whether the rows expect calls of the tools of `toolcall` and bring no tools."""
    own = {tool.name for tool in load_environment("toolcall").tools}
    return all(task.data.get("expected_tool") in own and not task.data.get("tools") for task in rows)


def _scorable(where: str, rows: list[Task], bad: list[BadRow] | None) -> list[Task]:
    """Refuses rows of NeMo Gym that say nothing about the right reply, or puts them into `bad`."""
    sound: list[Task] = []
    for task in rows:
        if "responses_create_params" not in task.data or BY_KEY.keys() & task.data.keys() or "completion" in task.data:
            sound.append(task)
            continue
        keys = ", ".join(key for key in task.data if key not in ("responses_create_params", "tools")) or "none"
        reason = (
            f'the row has nothing to score a reply by. Add "ground_truth" (a list of calls) or "answer". Other keys: {keys}. '
            "If a resources server of NeMo Gym scores it, use that server"
        )
        if bad is None:
            raise BadInput(f"{task.lineage[0] if task.lineage else where}: {reason}")
        bad.append(BadRow(where, task.lineage[0] if task.lineage else task.id, reason, task))
    if not sound:
        raise BadInput(
            f"{where}: none of {len(rows)} rows can be scored. The first: {bad[-len(rows)].reason if bad else ''}"
        )
    return sound


def _with_tools(base: str, tools: str, where: str, bad: list[BadRow] | None) -> EnvironmentSpec:
    file = _tools_file(tools)
    if is_task_file(base) and not base_and_added(base)[1]:
        return _of_rows(where, _rows(base, bad), file, bad, checked=True)
    return _added_tools(load_environment(base, bad), file, name=where)


def _tools_file(path: str) -> "ToolsFile":
    from verigym.harness.tools_file import ToolsFile  # loaded only when a tools file is

    return ToolsFile(Path(path))


def _added_tools(environment: EnvironmentSpec, file: "ToolsFile", name: str = "") -> EnvironmentSpec:
    from verigym.harness.with_tools import with_tools

    return with_tools(environment, file, name=name)


def _by_split(rows: list[Task]) -> Callable[[str], list[Task]]:
    return lambda split: [task for task in rows if task.split == split]


def _with_tags(base: EnvironmentSpec, where: str, tags: list[str]) -> EnvironmentSpec:
    """Keeps only the tasks that have all tags. A split without such tasks is empty, but one of them must have some."""

    def tasks(split: str) -> list[Task]:
        return [task for task in base.tasks(split) if set(tags) <= set(task.tags)]

    splits = ["train", *base.suites.values()]
    if not any(map(tasks, splits)):
        known = {tag for split in splits for task in base.tasks(split) for tag in task.tags}
        unknown = [tag for tag in tags if tag not in known]
        if unknown:
            raise not_found(
                f"tag in {base.name}", unknown[0], known, f"List them with: verigym tasks stats {base.name}"
            )
        raise BadInput(f"{where}: no task of {base.name} has all of these tags. Name fewer")
    return msgspec.structs.replace(base, name=where, tasks=tasks)


# -- tasks added to an environment ----------------------------------------------------------------------------------------


def _with_added(base: EnvironmentSpec, where: str, file: str, bad: list[BadRow] | None) -> EnvironmentSpec:
    """Adds training tasks to those of the environment. Held-out tasks have versions. The suite `STEM_v2` contains the first two
    versions, so a later version does not change it. The suites of the environment do not change."""
    rows = load_tasks(file, split="train", bad=bad)
    versions: dict[str, int] = {}
    for task in rows:
        found = _ADDED.fullmatch(task.split)
        if found is not None:
            versions[task.split] = int(found[1])
        elif (task.split == REGRESSIONS) != is_regression(task):
            raise BadInput(
                f'{file}: task "{task.id}" must be in the split "{REGRESSIONS}" if it says how an episode must not end, and '
                "in another split if it does not. Change its split"
            )
        elif task.split not in ("train", REGRESSIONS):
            raise BadInput(
                f'{file}: task "{task.id}" has the split "{task.split}". The held-out tasks of an environment cannot change. '
                "Use train, or mined_v1, mined_v2, ... for added held-out tasks"
            )

    def tasks(split: str) -> list[Task]:
        if split == REGRESSIONS:
            return [task for task in rows if task.split == REGRESSIONS]
        if _ADDED.fullmatch(split) is None:
            return _distinct([*base.tasks(split), *(task for task in rows if task.split == split)], file)
        if split not in versions:
            raise not_found(f"version of the held-out tasks in {file}", split, versions)
        return [task for task in rows if task.split in versions and versions[task.split] <= versions[split]]

    ordered = sorted(versions, key=versions.__getitem__)
    suites = {f"{Path(file).stem}_v{versions[split]}": split for split in ordered}
    if any(task.split == REGRESSIONS for task in rows):
        suites[Path(file).stem] = REGRESSIONS
    added = msgspec.structs.replace(base, name=where, tasks=tasks, suites={**base.suites, **suites})
    return with_mined(added) if any(MINED in task.data for task in rows) else added


def _distinct(tasks: list[Task], file: str) -> list[Task]:
    seen: set[str] = set()
    for task in tasks:
        if task.id in seen:
            raise BadInput(f'{file}: the id "{task.id}" already belongs to a task of the environment. Use another id')
        seen.add(task.id)
    return tasks
