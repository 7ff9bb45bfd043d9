"""An environment as a taskset of verifiers (its v1 API), which prime-rl trains on too: `--env.taskset.id verigym-taskset`.

    vf-eval verigym-taskset --env.taskset.environment workplace --env.taskset.split val -m MODEL

The taskset brings a harness of its own. It runs in the process of verifiers, sends every model call to its interception server,
and runs calls on the live episode without a server of tools or a child process. The verdict is the reward `verigym`.
"""

# pyright: reportMissingImports=false
from collections.abc import Iterator
from typing import Any, ClassVar

import aiohttp
import verifiers.v1 as vf
from verifiers.v1.runtimes import ProgramResult

from verigym.bridges.episodes import PeerEnvironment, functions, shared, text_of
from verigym.core.errors import BadInput
from verigym.core.records import Json
from verigym.servers.environment_sessions import EnvironmentSession
from verigym.wire import chat
from verigym.wire.tools import ToolNames

_sessions: dict[str, tuple[PeerEnvironment, EnvironmentSession]] = {}
"""Episodes between the harness and the verdict, by the id of the trace."""


class VerigymData(vf.TaskData):
    environment: str = ""
    split: str = ""


class VerigymTasksetConfig(vf.TasksetConfig):
    environment: str = ""
    """Name or file of the environment."""
    split: str = "train"


class VerigymTask(vf.Task[VerigymData]):
    @property
    def key(self) -> str:
        return f"{self.data.environment}/{self.data.id}"

    @vf.reward(weight=1.0)
    async def verigym(self, trace: Any) -> float:
        """The reward of the environment's verifier. An episode without a verdict is an error of the rollout."""
        peer, session = _sessions.pop(trace.id)
        verdict = await peer.wait(peer.sessions.score(session))
        trace.record_metric("passed", float(verdict.passed))
        trace.record_metric("unsafe", float(verdict.unsafe))
        trace.info["verigym"] = {"evidence": verdict.evidence, "parts": verdict.parts, "stop": str(session.live.stop)}
        return float(verdict.reward or 0.0)


class VerigymTaskset(vf.Taskset[VerigymTask, VerigymTasksetConfig]):
    def load(self) -> Iterator[VerigymTask]:
        name, split = self.config.environment, self.config.split
        if not name:
            raise BadInput("The taskset has no environment. Add --env.taskset.environment NAME")
        peer = shared(name, split)
        for task in peer.tasks:
            prompt = text_of([item for item in peer.items(task) if getattr(item, "role", "") != "system"])
            data = VerigymData(id=task.id, name=task.id, prompt=prompt, environment=name, split=split)
            yield VerigymTask(data, self.config.task)


class VerigymHarnessConfig(vf.HarnessConfig):
    pass


class VerigymHarness(vf.Harness[VerigymHarnessConfig]):
    """Asks the model, runs its calls or passes on its words, until the episode is over."""

    APPENDS_SYSTEM_PROMPT: ClassVar[bool] = True
    EXECUTES_CODE: ClassVar[bool] = False
    NEEDS_CONTAINER: ClassVar[bool] = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: Any,
        **rest: Any,
    ) -> ProgramResult:
        peer = shared(data.environment, data.split)
        session = await peer.wait(peer.open(data.id))
        _sessions[trace.id] = (peer, session)
        live = session.live
        messages = chat.context(live.items, ToolNames([tool.name for tool in live.offer.tools], live.items))
        if data.system_prompt is not None:  # the run has a system prompt of its own
            messages = [
                {"role": "system", "content": data.system_prompt},
                *(m for m in messages if m["role"] != "system"),
            ]
        async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {secret}"}) as http:
            while live.stop is None:
                body: Json = {"model": ctx.model, "messages": messages}
                if tools := functions(live.offer.tools):
                    body["tools"] = tools
                async with http.post(f"{endpoint}/chat/completions", json=body, timeout=_NO_LIMIT) as answer:
                    if answer.status != 200:
                        return ProgramResult(exit_code=1, stdout="", stderr=(await answer.text())[-2000:])
                    reply = (await answer.json())["choices"][0]["message"]
                messages.append(reply)
                messages += await _act(peer, session, reply)
                session.count_reply()
        return ProgramResult(exit_code=0, stdout="", stderr="")

    async def cleanup(self, trace: Any, runtime: Any) -> None:
        """Releases an episode that nobody scored, because its rollout failed."""
        if trace.id in _sessions:
            peer, session = _sessions.pop(trace.id)
            await peer.wait(peer.sessions.release(session))


_NO_LIMIT = aiohttp.ClientTimeout(total=None)
"""The model may think for as long as verifiers lets it."""


async def _act(peer: PeerEnvironment, session: EnvironmentSession, reply: Json) -> list[Json]:
    """Runs the calls of a reply, or passes on its text. Returns the messages that follow it."""
    results: list[Json] = []
    for call in reply.get("tool_calls") or []:
        function = call["function"]
        output, _ = await peer.wait(
            session.call(function["name"], function.get("arguments") or "{}", call.get("id", ""))
        )
        results.append({"role": "tool", "tool_call_id": call.get("id", ""), "content": output})
    if results:
        return results
    said, over = await peer.wait(session.say(reply.get("content") or ""))
    return [] if over else [{"role": "user", "content": said}]


__all__ = ["VerigymHarness", "VerigymTaskset"]
