"""BFCL: `bfcl:CATEGORY?train=0.5`, the Berkeley Function Calling Leaderboard (version 4) with its own checkers.

`bfcl:simple_python,multiple` joins categories, so that a gate can judge all of them as one suite. A question offers functions
and takes one reply. A conversation has several turns of the user and objects that the calls change. `train` is the share of
families that are for training. With `train=0` the whole category is held out. The verdict comes from the record alone. Calls of
a conversation are repeated on fresh objects and compared with bfcl-eval's functions.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, Item, Json, Task, Trajectory, Verdict
from verigym.environments.bridges import bfcl_rows
from verigym.environments.bridges.about import Bridge, Package
from verigym.environments.bridges.bfcl_package import Instances, module
from verigym.environments.bridges.find import name_and_options, share_for_training
from verigym.environments.bridges.install import require
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, ToolResult
from verigym.verifiers.lift import lift
from verigym.verifiers.version import version

BRIDGE = Bridge(
    example="bfcl:simple_python",
    what="the Berkeley Function Calling Leaderboard, version 4",
    package=Package(
        name="bfcl-eval",
        version="2026.3.23",
        place="folder",
        module="bfcl_eval",
        without_requirements=("bfcl-eval==2026.3.23", "mpmath==1.3.0"),
        why="it pins an old numpy and the SDKs of all vendors, which its checkers do not need",
    ),
    licence="Apache-2.0",
    names=("bfcl:simple_python", "bfcl:live_simple", "bfcl:multi_turn_base"),
)
_STEPS = 20
"""Replies with calls that BFCL allows for one turn of the user."""
_NOT_RUN = ("bad_arguments", "unknown_tool", "tool_limit")
"""Marks of calls that the harness did not pass on."""
_SHOWN = 500


class Question:
    """One question. Its functions do not exist, so a call is only written down."""

    max_turns = 1

    def open(self, task: Task) -> None:
        self.task = task

    def tools(self) -> list[Json]:
        return bfcl_rows.question_tools(self.task)

    def call(self, name: str, arguments: Json) -> str:
        return "noted"


class Conversation:
    """One conversation. Each episode has objects of its own."""

    max_turns = 8 * (_STEPS + 1)

    def open(self, task: Task) -> None:
        self.task, self.turn, self.steps = task, 0, 0
        self.instances = _instances(task)

    def tools(self) -> list[Json]:
        return bfcl_rows.conversation_tools(self.task, self.turn)

    def call(self, name: str, arguments: Json) -> ToolResult:
        output, ran = self.instances.call(name, [], arguments)
        return ToolResult(output=output, failed=not ran)

    def done(self) -> bool:
        """A model that calls without end is stopped."""
        self.steps += 1
        return self.steps > _STEPS

    def user(self, reply: str) -> str | None:
        self.turn, self.steps = self.turn + 1, 0
        turns = self.task.data["turns"]
        return turns[self.turn - 1] if self.turn <= len(turns) else None


def _instances(task: Task) -> Instances:
    data = task.data
    return Instances(data["classes"], data["config"], long_context="long_context" in data["category"])


def load(where: str, rest: str) -> EnvironmentSpec:
    package = require("bfcl")
    category, options = name_and_options(where, rest)
    share = share_for_training(where, options, 0.5)
    if options:
        raise BadInput(f'"{where}": there is no option {next(iter(options))}. The only option is train')
    names = category.split(",")
    if len(set(names)) < len(names):
        raise BadInput(f'"{where}": a category is named twice. Remove one')
    tasks = [task for name in names for task in bfcl_rows.category_tasks(name, share)]
    kinds = {Conversation if name in bfcl_rows.MULTI else Question for name in names}
    if len(kinds) > 1:
        raise BadInput(
            f'"{where}": conversations (multi_turn_...) and questions cannot be joined. Use two environments'
        )
    [kind] = kinds
    return EnvironmentSpec(
        name=where,
        tasks=lambda split: [task for task in tasks if task.split == split],
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={"bfcl": lift("bfcl", BfclScore(package))},
        suites={"val": "val"},
        max_turns=kind.max_turns,
        gold=gold,
        cheats=cheats,
        version=f"{version(kind)}-bfcl-eval-{package}",
    )


def gold(task: Task) -> Any:
    """The calls that BFCL accepts. No call where none fits, and any call where BFCL asks only for one."""
    category = task.data["category"]
    if category in bfcl_rows.MULTI:
        return bfcl_rows.gold_conversation(task)
    if category.endswith("irrelevance"):
        return "None of the functions can do this."
    return bfcl_rows.gold_calls(task) or [_bare_call(task)]


def cheats(task: Task) -> list[Any]:
    """The right calls without their arguments, and words instead of calls."""
    category = task.data["category"]
    if category in bfcl_rows.MULTI:
        return [["Done."] * (len(task.data["turns"]) + 1)]
    if category.endswith("relevance"):
        return [] if not task.data["function"] else [[_bare_call(task)]] if "irrelevance" in category else ["Done."]
    calls = [FunctionCall(f"call_{at}", next(iter(each)), "{}") for at, each in enumerate(task.data["truth"])]
    return [calls, "Done."] if any(each[name] for each in task.data["truth"] for name in each) else ["Done."]


def _bare_call(task: Task) -> FunctionCall:
    return FunctionCall("call_0", task.data["function"][0]["name"], "{}")


# -- verdicts -------------------------------------------------------------------------------------------------------------


class BfclScore(msgspec.Struct, frozen=True):
    """Pass or fail, as BFCL decides."""

    package: str

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        category = task.data["category"]
        if category in bfcl_rows.MULTI:
            return _conversation_verdict(task, trajectory)
        reason = _relevance(task, trajectory) if category.endswith("relevance") else _calls(task, trajectory)
        return Verdict(reward=float(not reason), passed=not reason, evidence=reason or "the calls are right")


def _arguments(call: FunctionCall) -> Json | None:
    try:
        given = codec.read_json(call.arguments or "{}")
    except Exception:  # not JSON, or too deep
        return None
    return given if isinstance(given, dict) else None


def _relevance(task: Task, trajectory: Trajectory) -> str:
    called = any(_arguments(call) is not None for call in trajectory.calls)
    if task.data["category"].endswith("irrelevance"):
        return "a function was called, but none of them fits" if called else ""
    return "" if called else "no function was called, but one of them fits"


def _calls(task: Task, trajectory: Trajectory) -> str:
    """Why the calls are wrong. Empty if they are right."""
    if not trajectory.calls:
        return "no function was called"
    output: list[Json] = []
    for call in trajectory.calls:
        arguments = _arguments(call)
        if arguments is None:
            return f"the arguments of {call.name} are not a JSON object"
        output.append({call.name: arguments})
    category = task.data["category"]
    language = module("constants.enums").Language[bfcl_rows.language_of(category)]
    check: Callable[..., Json] = module("eval_checker.ast_eval.ast_checker").ast_checker
    try:
        found = check(task.data["function"], output, task.data["truth"], language, category, "verigym")
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return f"BFCL's checker cannot read the arguments: {type(error).__name__}: {error}"[:_SHOWN]
    return "" if found["valid"] else f"{found['error_type']}: {found['error']}"[:_SHOWN]


def _conversation_verdict(task: Task, trajectory: Trajectory) -> Verdict:
    truth, turns = task.data["truth"], _by_turn(trajectory)
    right, reason = _turns_right(task, turns, truth)
    if not reason and len(turns) != len(truth):
        reason = f"the conversation ended in turn {len(turns)} of {len(truth)}"
    passed = not reason
    parts = {"turns": right / len(truth)}
    return Verdict(reward=float(passed), passed=passed, parts=parts, evidence=reason or "every turn is right")


def _turns_right(task: Task, turns: list[list[tuple[FunctionCall, bool]]], truth: list[list[str]]) -> tuple[int, str]:
    """How many turns are right before the first that is wrong, and what is wrong with it."""
    checker = module("eval_checker.multi_turn_eval.multi_turn_checker")
    model, expected = _instances(task), _instances(task)
    results: list[str] = []
    for number, (calls, right_calls) in enumerate(zip(turns, truth, strict=False)):
        results += [_repeated(model, call, ran) for call, ran in calls]
        right_results = [expected.call(*bfcl_rows.read_call(text))[0] for text in right_calls]
        if not right_calls:
            continue
        if not calls:
            return number, f"turn {number + 1}: no function was called"
        for found in (
            checker.state_checker(model.by_class, expected.by_class),
            checker.response_checker(results, right_results, number),
        ):
            if not found["valid"]:
                details = found.get("details", {})
                told = details.get("differences") or details.get("missing_items")
                return number, f"turn {number + 1}: {found['error_message']} {told}"[:_SHOWN]
    return min(len(turns), len(truth)), ""


def _repeated(instances: Instances, call: FunctionCall, ran: bool) -> str:
    arguments = _arguments(call)
    if not ran or arguments is None:
        return "Error during execution: the call was refused"
    return instances.call(call.name, [], arguments)[0]


def _by_turn(trajectory: Trajectory) -> list[list[tuple[FunctionCall, bool]]]:
    """The calls of the policy in each turn of the user, and whether the harness passed them on."""
    refused = {mark.item for mark in trajectory.marks if mark.kind in _NOT_RUN}
    turns: list[list[tuple[FunctionCall, bool]]] = [[]]
    for turn in trajectory.turns:
        made: list[tuple[int, Item]] = [(index, trajectory.items[index]) for index in turn.made]
        if turn.actor == "user":
            turns += [[] for _, item in made[:1]]
        else:
            turns[-1] += [(item, index not in refused) for index, item in made if isinstance(item, FunctionCall)]
    return turns
