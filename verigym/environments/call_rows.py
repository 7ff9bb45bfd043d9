"""The environment of rows that expect tool calls, with tools of their own or of a tools file.

    {"prompt", "expected_tool", "expected_args"}      one reply with one call
    {"responses_create_params": {"input", "tools"}, "ground_truth": [{"name", "arguments"}]}      several calls

A tool of a row that no tools file implements has only a schema. Its calls are recorded and scored, and not executed.
"""

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from verigym.core.errors import BadInput, EnvironmentFailure, not_found
from verigym.core.records import FunctionCall, Item, Json, Message, Task, ToolSpec
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.state_tools import arguments_reader, read_tools
from verigym.harness.tools import ToolBox
from verigym.policies import dialects
from verigym.tasks.load import BadRow
from verigym.verifiers.by_data import BY_KEY
from verigym.verifiers.expected_calls import ExpectedCalls, expected_calls
from verigym.verifiers.lift import lift
from verigym.verifiers.toolcall import tool_call_verifier

if TYPE_CHECKING:
    from verigym.harness.tools_file import ToolsFile

_FORM = 'Without a tool channel of your own, a call is one JSON object and nothing else: {"tool": name, "args": {...}}'
_ONE = f"You are an assistant with tools. Answer the request with the one right tool call. {_FORM}"
_SEVERAL = (
    f"You are an assistant with tools. Do what the request asks with tool calls, then say that you are done. {_FORM}"
)
_RECORDED = "The call was recorded. This tool returns no data."
_MOST_TURNS = 32
_REMEDY = 'Add "tools" to the row (a list of JSON schemas), or name a tools file: ENV+tools.yaml (verigym init --openapi SPEC)'


class RowTools:
    """The state of one row. Tools of the row that a tools file has are left to the file."""

    implemented: frozenset[str] = frozenset()

    def open(self, task: Task) -> None:
        self._tools = read_tools(task.data.get("tools") or [])

    def tools(self) -> list[Any]:
        return [each for each in self._tools if each.spec.name not in self.implemented]

    def call(self, name: str, arguments: Json) -> str:
        return _RECORDED


def expects_calls(task: Task) -> bool:
    """Whether calls decide. `ground_truth` beside an answer is an ordinary key."""
    data = task.data
    return "expected_tool" in data or ("ground_truth" in data and BY_KEY.keys().isdisjoint(data))


def call_rows(
    where: str,
    rows: list[Task],
    tasks: Callable[[list[Task]], Callable[[str], list[Task]]],
    file: "ToolsFile | None",
    bad: list[BadRow] | None = None,
    checked: bool = True,
) -> EnvironmentSpec:
    """The environment. Rows that cannot be scored are refused, or go to `bad`."""
    several = "ground_truth" in rows[0].data
    other = next((task for task in rows if ("ground_truth" in task.data) is not several), None)
    if other is not None:
        raise BadInput(
            f"{where}: some rows have an expected_tool and others a ground_truth ({_place(other)}). Put them into two files"
        )
    sound = _sound(where, rows, file, bad) if checked else rows
    read_only = tuple(sorted(file.read_only)) if file is not None else ()
    verifier = (
        lift("expected_calls", ExpectedCalls(read_only)) if several else lift("tool_call_verifier", tool_call_verifier)
    )
    kind = type("RowTools", (RowTools,), {"implemented": frozenset(file.tools if file is not None else ())})
    longest = max((len(expected_calls(task.data["ground_truth"])) for task in sound), default=1) if several else 0
    prompted = any(_has_system(task) for task in sound)
    spec = EnvironmentSpec(
        name=where,
        tasks=tasks(sound),
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={verifier.name.partition("@")[0]: verifier},
        suites={"val": "val"},
        system="" if prompted else _SEVERAL if several else _ONE,
        max_turns=min(max(longest + 1, 8 if file is not None else 2), _MOST_TURNS) if several else 1,
        gold=_gold,
        cheats=_cheats if several else None,
    )
    if file is None:
        return spec
    from verigym.harness.with_tools import with_tools  # loaded only when a tools file is

    return with_tools(spec, file)


def _gold(task: Task) -> Any:
    if "ground_truth" in task.data:
        calls: list[Item] = [
            FunctionCall(f"call_{at}", call.name, _json(call.arguments))
            for at, call in enumerate(expected_calls(task.data["ground_truth"]))
        ]
        return [calls, "Done."] if calls else ["Done."]
    return dialects.parse(dialects.write_call(task.data["expected_tool"], task.data.get("expected_args", {})))


def _cheats(task: Task) -> list[Any]:
    """A claim without a call, the calls without arguments, and every call twice."""
    calls = expected_calls(task.data["ground_truth"])
    if not calls:
        return []
    twice: list[Item] = [
        FunctionCall(f"call_{at}", call.name, _json(call.arguments)) for at, call in enumerate([*calls, *calls])
    ]
    empty: list[Item] = [FunctionCall(f"call_{at}", call.name, "{}") for at, call in enumerate(calls) if call.arguments]
    return ["Done.", [twice, "Done."], *([[empty, "Done."]] if empty else [])]


def _sound(where: str, rows: list[Task], file: "ToolsFile | None", bad: list[BadRow] | None) -> list[Task]:
    """The rows that can be scored: every expected call is one of an offered tool, with arguments that fit its schema."""
    offered = {name: tool.spec for name, tool in file.tools.items()} if file is not None else {}
    readers: dict[str, Any] = {}
    sound: list[Task] = []
    for task in rows:
        try:
            _check(task, offered, readers)
        except (BadInput, EnvironmentFailure) as error:
            if bad is None:
                raise BadInput(f"{_place(task, where)}: {error}") from error
            bad.append(BadRow(where, _place(task), str(error), task))
            continue
        sound.append(task)
    if not sound:
        raise BadInput(
            f"{where}: none of {len(rows)} rows can be scored. The first: {bad[-len(rows)].reason if bad else ''}"
        )
    return sound


def _check(task: Task, offered: dict[str, ToolSpec], readers: dict[str, Any]) -> None:
    own = {each.spec.name: each.spec for each in read_tools(task.data.get("tools") or [])}
    specs = {**own, **offered}
    if "ground_truth" in task.data:
        try:
            expected = [(call.name, call.arguments) for call in expected_calls(task.data["ground_truth"])]
        except ValueError as error:
            raise BadInput(str(error)) from error
    else:
        expected = [(task.data["expected_tool"], task.data.get("expected_args", {}))]
    if not specs:
        what = f'the tool "{expected[0][0]}"' if expected else "tools"
        raise BadInput(f"the row expects a call of {what}, but nothing offers it. {_REMEDY}")
    for name, arguments in expected:
        if name not in specs:
            raise BadInput(
                str(not_found("tool", name, specs, "The row expects it. Correct the name, or offer the tool."))
            )
        reader = readers.get(name) if name not in own else arguments_reader(specs[name])
        reader = readers.setdefault(name, arguments_reader(specs[name])) if reader is None else reader
        try:
            reader(arguments)
        except ValueError as error:
            raise BadInput(
                f"the expected arguments of {name} do not fit its schema, so no call can pass: {error}. Correct one of them"
            ) from error


def _json(arguments: Json) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _has_system(task: Task) -> bool:
    items: Sequence[Item] = task.prompt if isinstance(task.prompt, list) else []
    return any(isinstance(item, Message) and item.role in ("system", "developer") for item in items)


def _place(task: Task, file: str = "") -> str:
    """Where a row is: `rows.jsonl:3`, or the file and its id."""
    return task.lineage[0] if task.lineage else f"{file} {task.id}".strip()
