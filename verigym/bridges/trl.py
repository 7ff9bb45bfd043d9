"""An environment for TRL's GRPOTrainer: rows, a class of environments for `environment_factory`, and a reward function.

    gym = TrlEnvironment("workplace", "train")
    GRPOTrainer(
        model=..., args=GRPOConfig(max_tool_calling_iterations=gym.max_tool_calls, ...),
        train_dataset=Dataset.from_list(gym.rows()), environment_factory=gym.factory, reward_funcs=[gym.reward],
    )

TRL reads the tools from the methods of a class, with type hints and docstrings, so `factory` is such a class. The reward is a
function and not `get_reward`, because the verdict needs the last message of the conversation. An episode without a verdict has
the reward None, which TRL leaves out of its group. This file imports nothing of TRL.
"""

import asyncio
import inspect
import keyword
import re
from collections.abc import Sequence
from typing import Any, Literal, Union

import msgspec

from verigym.bridges.episodes import TASK, PeerEnvironment, last_text
from verigym.core.errors import BadInput
from verigym.core.records import Json, ToolSpec
from verigym.servers.environment_sessions import EnvironmentSession, NoVerdict

_TYPES = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
_OWN = {"reset", "get_reward"}


class TrlEnvironment:
    def __init__(self, environment: str, split: str = "train") -> None:
        self.peer = peer = PeerEnvironment(environment, split)
        spec = peer.spec
        if spec.steps or spec.scripted_user:
            raise BadInput(
                f"{spec.name} answers the agent's messages (step or user). TRL ends an episode at the first reply without a "
                "call. Use it with OpenRLHF, OpenEnv or inspect"
            )
        if spec.needs_task_tools:
            raise BadInput(
                f"{spec.name} has other tools in each task. TRL offers all tasks the same tools. Use it with verl"
            )
        self.factory: type | None = _class_of(peer) if spec.tools else None
        """For `environment_factory`. None if the environment has no tools."""

    @property
    def max_tool_calls(self) -> int:
        """For `max_tool_calling_iterations`: the replies that the environment allows before the last."""
        return max(1, self.peer.spec.max_turns - 1)

    def rows(self, limit: int | None = None) -> list[Json]:
        """The tasks as rows of a dataset: `prompt` and `verigym_task`."""
        return [{"prompt": self.peer.messages(task), TASK: task.id} for task in self.peer.tasks[:limit]]

    async def reward(self, completions: Sequence[Any], environments: Any = None, **columns: Any) -> list[float | None]:
        """The rewards of completed episodes, for `reward_funcs`."""
        tasks = columns.get(TASK)
        if tasks is None:
            raise BadInput(f'The rows have no column "{TASK}". Make them with TrlEnvironment.rows()')
        played = environments if environments is not None else [None] * len(completions)
        rows = zip(completions, tasks, played, strict=True)
        return list(await asyncio.gather(*(self._reward(*row) for row in rows)))

    async def _reward(self, completion: Any, task: str, played: Any) -> float | None:
        session = played._take_session() if played is not None else await self.peer.wait(self.peer.open(task))
        said = completion if isinstance(completion, str) else last_text(completion)
        try:
            return (await self.peer.wait(self.peer.sessions.score(session, said))).reward
        except NoVerdict:
            return None


class _Episode:
    """TRL makes one for each rollout of a batch and resets it for the next batch. It takes public functions for tools."""

    peer: PeerEnvironment
    _session: EnvironmentSession | None = None

    def reset(self, **row: Any) -> None:
        if self._session is not None:  # the last rollout was not scored
            self.peer.run(self.peer.sessions.release(self._session))
        self._session = self.peer.run(self.peer.open(row[TASK]))

    def _take_session(self) -> EnvironmentSession:
        session, self._session = self._session, None
        assert session is not None, "reset() comes first"
        return session


def _class_of(peer: PeerEnvironment) -> type:
    taken = set(_OWN)
    methods: dict[str, Any] = {}
    for tool in peer.spec.tools:
        name = _python_name(tool.name, taken)
        taken.add(name)
        methods[name] = _method(peer, tool, name)
    kind = "".join(word.title() for word in re.findall(r"[A-Za-z0-9]+", peer.spec.name)) or "Environment"
    return type(f"Verigym{kind}", (_Episode,), {"peer": peer, **methods})


def _python_name(name: str, taken: set[str]) -> str:
    """A name for a method. TRL shows it to the model as the name of the tool."""
    made = re.sub(r"\W", "_", name).strip("_") or "tool"
    if made[0].isdigit() or keyword.iskeyword(made):
        made = f"tool_{made}"
    number, first = 1, made
    while made in taken:
        number += 1
        made = f"{first}_{number}"
    return made


def _method(peer: PeerEnvironment, tool: ToolSpec, name: str) -> Any:
    properties: Json = tool.parameters.get("properties", {})
    required = set(tool.parameters.get("required", []))
    order = sorted(properties, key=lambda each: each not in required)
    hints = {each: _hint(properties[each]) for each in order}

    async def call(self: _Episode, **arguments: Any) -> str:
        given = {key: value for key, value in arguments.items() if value is not None or key in required}
        assert self._session is not None, "reset() comes first"
        output, _ = await peer.wait(self._session.call(tool.name, msgspec.json.encode(given).decode()))
        return output

    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [
        inspect.Parameter(
            each, either, annotation=hints[each], default=inspect.Parameter.empty if each in required else None
        )
        for each in order
    ]
    call.__signature__ = inspect.Signature([inspect.Parameter("self", either), *parameters])  # type: ignore[attr-defined]
    call.__annotations__ = {**hints, "return": str}
    call.__name__ = call.__qualname__ = name
    told = [f"    {each}: {_line(properties[each].get('description') or each)}" for each in order]
    described = [_line(tool.description or tool.name), *(["", "Args:", *told] if told else []), "", "Returns:"]
    call.__doc__ = "\n".join([*described, "    The result of the call."])
    return call


def _hint(schema: Json) -> Any:
    """The type hint from which transformers makes the schema again."""
    if values := schema.get("enum"):
        return Literal[tuple(values)]
    if options := schema.get("anyOf"):
        return Union[tuple(_hint(each) for each in options)]  # noqa: UP007 (made at run time)
    kind = schema.get("type")
    if isinstance(kind, list):
        return Union[tuple(_TYPES.get(each, type(None)) for each in kind)]  # noqa: UP007 (made at run time)
    if kind == "array" and isinstance(items := schema.get("items"), dict) and "type" in items:
        return list[_hint(items)]
    return _TYPES.get(str(kind), Any)


def _line(text: str) -> str:
    return " ".join(text.split())
