"""The agents of the tests: how each is started, what the model says to it, and what its episode should look like.

The model is a script that looks at the request: it buys two teas with the tool that the agent offers for it, then says so.
`ScriptedPolicy` speaks it as it is. `DictatedPolicy` makes a local model sample exactly these words, so that the ids, the
logprobs and the engine are real and the conversation is still known.
"""

import copy
import shlex
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from tests.rollout.shop import AGENT, Shop, passed
from tests.third_party.install import FOLDER, program_of, python_of
from verigym.agents.run import runner_of
from verigym.core.protocols import Context, Policy, Reply, Request
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Task, Toolset, Trajectory, Version
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.rollout.settings import EpisodeLimits, ProgramOptions, RunSettings
from verigym.verifiers.lift import lift

PROGRAMS = Path(__file__).parent / "programs"
PROMPT = "Buy two teas, then say: Done."
SAVED = "echo tea > basket.txt"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
CODE = 'Thought: I buy it.\n<code>\nprint(add(item="tea", count=2))\nfinal_answer("Done.")\n</code>'


class Folder:
    """An environment without tools: the agent works in its folder with tools of its own."""

    system = "You keep a shop."

    def open(self, task: Task) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="verigym-shop-")

    def workdir(self) -> str:
        return self._folder.name

    def end_state(self) -> dict[str, Any]:
        basket = Path(self._folder.name, "basket.txt")
        return {"basket": {"tea": 2} if basket.exists() and basket.read_text() == "tea\n" else {}}

    def close(self) -> None:
        self._folder.cleanup()


class AgentCase(Struct, frozen=True, kw_only=True):
    """An agent and its expected episode."""

    name: str
    package: str
    api: str
    """API in which it asks the model."""
    tools: str
    """How it reaches the environment: MCP, HTTP, or its own tools in the folder."""
    command: str
    parents: list[int | None]
    """The expected tree: the parent of each turn."""
    actors: list[str] = []
    """Actor of each turn. Empty: the policy alone."""
    tool_sets: int = 1
    """Different sets of tools that it offered to the model."""
    marks: dict[str, int] = field(default_factory=lambda: {"executed": 1})
    """Number of marks by kind."""
    environment: type = Shop
    words: str = "Done."
    """What the agent prints at its end."""

    @property
    def roots(self) -> int:
        return self.parents.count(None)


def _python(package: str, script: str, *words: str) -> str:
    return shlex.join([str(python_of(package)), str(PROGRAMS / script), *words]) + " {prompt}"


def _codex() -> str:
    provider = '{name="verigym",base_url="{base_url}",wire_api="responses",env_key="OPENAI_API_KEY"}'
    words = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--model", "verigym"]
    options = ["model_provider=verigym", f"model_providers.verigym={provider}", 'mcp_servers.shop={url="{mcp_url}"}']
    flags = [word for option in options for word in ("-c", option)]
    return shlex.join([str(program_of("codex")), *words, *flags]) + " {prompt}"


def _opencode() -> str:
    config = f"OPENCODE_CONFIG={PROGRAMS / 'opencode.json'}"
    return shlex.join(["env", config, str(program_of("opencode")), "run", "--model", "verigym/verigym"]) + " {prompt}"


CASES = {
    case.name: case
    for case in [
        AgentCase(
            name="openai-agents", package="openai-agents", api="Responses", tools="MCP",
            command=_python("openai-agents", "openai_agents.py", "responses"), parents=[None, 0],
        ),
        AgentCase(
            name="openai-agents-chat", package="openai-agents", api="chat", tools="MCP",
            command=_python("openai-agents", "openai_agents.py", "chat"), parents=[None, 0],
        ),
        AgentCase(
            name="openai-agents-helper", package="openai-agents", api="Responses", tools="MCP",
            command=_python("openai-agents", "openai_agents.py", "responses-helper"), parents=[None, None, 1, 0],
            tool_sets=2, marks={"executed": 2},
        ),
        AgentCase(
            name="openai-agents-chat-helper", package="openai-agents", api="chat", tools="MCP",
            command=_python("openai-agents", "openai_agents.py", "chat-helper"), parents=[None, None, 1, 0],
            tool_sets=2, marks={"executed": 2},
        ),
        AgentCase(
            name="langgraph", package="langgraph", api="chat", tools="MCP",
            command=_python("langgraph", "langgraph_agent.py"), parents=[None, 0],
        ),
        AgentCase(
            name="pydantic-ai", package="pydantic-ai", api="chat", tools="MCP",
            command=_python("pydantic-ai", "pydantic_agent.py"), parents=[None, 0],
        ),
        AgentCase(
            name="smolagents-tools", package="smolagents", api="chat", tools="MCP",
            command=_python("smolagents", "smol_agent.py", "tools"), parents=[None, None],
            marks={"executed": 1, "new_root": 1},
        ),
        AgentCase(
            name="smolagents-code", package="smolagents", api="chat", tools="MCP",
            command=_python("smolagents", "smol_agent.py", "code"), parents=[None],
        ),
        AgentCase(
            name="mini-swe-agent", package="mini-swe-agent", api="chat", tools="its own bash",
            command=_python("mini-swe-agent", "mini_swe.py"), parents=[None, 0], environment=Folder, words="Submitted",
        ),
        AgentCase(
            name="anthropic", package="anthropic", api="Messages", tools="HTTP",
            command=_python("anthropic", "anthropic_loop.py", "whole"), parents=[None, 0],
        ),
        AgentCase(
            name="anthropic-stream", package="anthropic", api="Messages, streamed", tools="HTTP",
            command=_python("anthropic", "anthropic_loop.py", "stream"), parents=[None, 0],
        ),
        AgentCase(
            name="codex", package="codex", api="Responses, streamed", tools="MCP",
            command=_codex(), parents=[None, 0],
        ),
        AgentCase(
            name="opencode", package="opencode", api="chat, streamed", tools="MCP",
            command=_opencode(), parents=[None, None, 1], tool_sets=2, actors=["title", "policy", "policy"],
        ),
    ]
}  # fmt: skip


def answer(request: Request) -> list[Item]:
    """What the model says: one call of the tool that is needed next, or words."""
    names = [tool.name for tool in request.tools]
    told = " ".join(_text(item) for item in request.items if not isinstance(item, FunctionCall))
    results = sum(isinstance(item, FunctionCallOutput) for item in request.items)
    add = next((name for name in names if name.endswith("add")), None)
    if "ask_buyer" in names:
        return [_call("ask_buyer", input=PROMPT)] if not results else _words("Done.")
    if names == ["bash"]:
        return [_call("bash", command=SAVED if not results else SUBMIT)]
    if add is not None and "2 tea" not in told:
        return [_call(add, item="tea", count=2)]
    if "final_answer" in names:
        return [_call("final_answer", answer="Done.")]
    return _words(CODE if "<code>" in told else "Done." if names else "A title")


def _call(name: str, **arguments: Any) -> FunctionCall:
    return FunctionCall("c", name, msgspec.json.encode(arguments).decode())


def _words(text: str) -> list[Item]:
    return [Message("assistant", text)]


def _text(item: Item) -> str:
    return item.output if isinstance(item, FunctionCallOutput) else getattr(item, "text", "")


class DictatedPolicy:
    """A local model that samples what a script says, token by token."""

    def __init__(self, policy: Any, answer: Any = answer) -> None:
        self.policy, self._answer = policy, answer
        self.seen: list[list[int]] = []
        """For each reply, the ids that the engine got and sampled."""

    async def respond(self, request: Request) -> Reply:
        ids = self.policy.render.completion(self._answer(request), request.items, request.tools)
        dictated = copy.copy(self.policy)
        dictated.engine = _DictatedEngine(self, ids)
        return await dictated.respond(request)


class _DictatedEngine:
    def __init__(self, policy: DictatedPolicy, ids: list[int]) -> None:
        self._policy, self._ids = policy, ids

    async def generate(self, generation: Any) -> Any:
        sampling = msgspec.structs.replace(generation.sampling, max_tokens=len(self._ids))
        dictated = msgspec.structs.replace(generation, matcher=_Dictation(self._ids), sampling=sampling)
        reply = await self._policy.policy.engine.generate(dictated)
        self._policy.seen.append(generation.ids + reply.ids)
        return reply


class _Dictation:
    """Allows one token at each place."""

    def __init__(self, ids: list[int]) -> None:
        self._ids, self._place = ids, 0

    def allowed(self, vocabulary: int) -> Any:
        import torch

        mask = torch.zeros(vocabulary, dtype=torch.bool)
        mask[self._ids[self._place]] = True
        return mask

    def took(self, id: int) -> None:
        self._place += 1


def local_model(answer: Any = answer) -> DictatedPolicy:
    """A tiny model that says what the script says. Its window holds the prompts of coding agents, and its decoder is the one that
    needs little memory for them."""
    from tests.tiny import tiny
    from verigym.policies.local.engine import PlainDecoder
    from verigym.policies.local.policy import LocalPolicy

    text = (PROGRAMS.parents[2] / "ARCHITECTURE.md").read_text()
    policy = LocalPolicy(tiny(window=1 << 17, text=text))
    policy.engine._decoders.append(PlainDecoder(policy.model))
    return DictatedPolicy(policy, answer)


def spec_of(case: AgentCase) -> EnvironmentSpec:
    return EnvironmentSpec(
        name="shop",
        tasks=lambda split: [],
        factory=case.environment,
        toolbox=ToolBox(case.environment),
        verifiers={"passed": lift("passed", passed)},
        suites={},
        system="You keep a shop.",
    )


class Played(Struct):
    """An episode of a real agent, with its output."""

    trajectory: Trajectory
    engine_ids: list[list[int]]
    blobs: dict[str, bytes]
    tool_sets: dict[str, Toolset]

    @property
    def ids(self) -> list[list[int]]:
        """For each turn, the ids from its root to its end."""
        return [self.ids_until(index) for index in range(len(self.trajectory.turns))]

    def ids_until(self, index: int | None) -> list[int]:
        if index is None:
            return []
        turn = self.trajectory.turns[index]
        return self.ids_until(turn.parent) + turn.context_ids + turn.completion_ids

    def output(self, name: str) -> str:
        return self.blobs.get(self.trajectory.blobs.get(name, ""), b"").decode("utf-8", "replace")


async def play(case: AgentCase, policy: Policy, seconds: float = 240.0, *, sandbox: bool = False) -> Played:
    """Runs one episode of an agent."""
    agent: Version = msgspec.structs.replace(AGENT, program=case.command)
    options = ProgramOptions(sandbox=sandbox, readable=(str(FOLDER / case.package),) if sandbox else ())
    environment = spec_of(case)
    settings = RunSettings(limits=EpisodeLimits(seconds=seconds), program=options)
    blobs: dict[str, bytes] = {}
    tool_sets: dict[str, Toolset] = {}

    def keep(data: bytes) -> str:
        blobs[str(len(blobs))] = data
        return str(len(blobs) - 1)

    async with runner_of(environment, agent, settings, Context()) as run:
        trajectory = await run(
            environment, Task(id="t", prompt=PROMPT), policy, settings,
            agent=agent, id="r/t/0", group="r/t", keep_blob=keep,
            keep_tools=lambda toolset: tool_sets.update({toolset.hash: toolset}),
        )  # fmt: skip
    return Played(trajectory, getattr(policy, "seen", []), blobs, tool_sets)
