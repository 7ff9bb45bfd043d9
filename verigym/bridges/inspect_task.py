# pyright: reportMissingImports=false
"""An environment as a task of inspect: its tasks are the samples, its tools the tools, and its verifier the scorer.

    # office.py
    from verigym.bridges.inspect_task import inspect_task
    from inspect_ai import task

    @task
    def office(split: str = "val"):
        return inspect_task("workplace", split)

Then `inspect eval office.py --model openai/...`. The loop here asks the model, lets inspect run the tools and passes on what the
model says. An episode that cannot be scored is an error of its sample, so inspect reports and retries it.
"""

from typing import Any

import msgspec
from inspect_ai import Task as InspectTask
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    execute_tools,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolCall, ToolDef, ToolParams

from verigym.bridges.episodes import PeerEnvironment, described
from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Task, ToolSpec
from verigym.servers.environment_sessions import EnvironmentSession


def inspect_task(environment: str, split: str = "val", limit: int | None = None) -> InspectTask:
    """The tasks of a split as a task of inspect. `limit` takes the first ones only."""
    peer = PeerEnvironment(environment, split)
    samples = [
        Sample(id=task.id, input=_messages(peer, task), metadata={"family": task.family}) for task in peer.tasks[:limit]
    ]
    running: dict[str, EnvironmentSession] = {}
    """Sessions by the id of the sample's run. Inspect writes the metadata of a sample as JSON, so they cannot be there."""

    @solver(name="verigym")
    def play() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            running[state.uuid] = session = await peer.wait(peer.open(str(state.sample_id)))
            await _play(peer, session, state)
            return state

        return solve

    @scorer(name="verigym", metrics={"passed": [accuracy(), stderr()], "reward": [mean(), stderr()]})
    def verdict() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            session = running.pop(state.uuid, None)
            if session is None:
                raise BadInput("The sample has no episode. The verifier needs the solver of this task: remove --solver")
            return await _score(peer, session)

        return score

    dataset, version = MemoryDataset(samples, name=peer.spec.name), peer.spec.version or 0
    return InspectTask(dataset=dataset, solver=play(), scorer=verdict(), name=peer.spec.name, version=version)


async def _play(peer: PeerEnvironment, session: EnvironmentSession, state: TaskState) -> None:
    """Asks the model, runs the calls of its reply or passes on its text, until the episode is over."""
    while session.live.stop is None and not state.completed:
        state.tools = [_tool(peer, session, tool) for tool in session.live.offer.tools]
        state.output = await get_model().generate(state.messages, state.tools)
        state.messages.append(state.output.message)
        if state.output.message.tool_calls:
            state.messages.extend((await execute_tools(state.messages, state.tools)).messages)
        else:
            said, over = await peer.wait(session.say(state.output.message.text))
            state.messages.extend([] if over else [ChatMessageUser(content=said)])
        session.count_reply()


async def _score(peer: PeerEnvironment, session: EnvironmentSession) -> Score:
    verdict = await peer.wait(peer.sessions.score(session))
    return Score(
        value={"passed": float(verdict.passed), "reward": float(verdict.reward or 0.0)},
        explanation=verdict.evidence or None,
        metadata={"unsafe": verdict.unsafe, "parts": verdict.parts, "stop": str(session.live.stop)},
    )


def _tool(peer: PeerEnvironment, session: EnvironmentSession, tool: ToolSpec) -> Tool:
    async def call(**arguments: Any) -> str:
        output, _ = await peer.wait(session.call(tool.name, msgspec.json.encode(arguments).decode()))
        return output

    return ToolDef(
        call,
        name=session.names.wire(tool.name),
        description=tool.description or tool.name,
        parameters=ToolParams.model_validate(described(tool.parameters)),
        parallel=False,
    ).as_tool()


def _messages(peer: PeerEnvironment, task: Task) -> list[Any]:
    return [message for item in peer.items(task) if (message := _message(item)) is not None]


def _message(item: Item) -> Any:
    if isinstance(item, FunctionCall):
        arguments = msgspec.json.decode(item.arguments or "{}")
        call = ToolCall(id=item.call_id, function=item.name.replace(".", "-"), arguments=arguments)
        return ChatMessageAssistant(content="", tool_calls=[call])
    if isinstance(item, FunctionCallOutput):
        return ChatMessageTool(content=item.output, tool_call_id=item.call_id)
    if isinstance(item, Message):
        kinds = {"user": ChatMessageUser, "assistant": ChatMessageAssistant}
        return kinds.get(item.role, ChatMessageSystem)(content=item.text)
    return None
