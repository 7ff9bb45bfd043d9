"""An environment as an agent of OpenRLHF, over as many turns as it needs. Its `--train.agent_func_path` names a file like this:

    from verigym.bridges.openrlhf import agent_executor

    AgentExecutor = agent_executor("workplace")

The rows (`rows.openrlhf_rows`) name a task in `label`. Prompt and feedback are written with the model's own chat template, and
calls are read in its dialect. Ids are only appended. A template that writes the past differently later is refused.
"""

# pyright: reportMissingImports=false
import contextvars
import weakref
from typing import Any

import numpy as np
from openrlhf.utils.agent import AgentInstanceBase, MultiTurnAgentExecutor

from verigym.bridges.episodes import PeerEnvironment, shared
from verigym.core.errors import BadInput
from verigym.core.records import Json, Turn, Verdict
from verigym.policies.render import Renderer
from verigym.servers.environment_sessions import EnvironmentSession


def agent_executor(environment: str, split: str = "train,val") -> type[MultiTurnAgentExecutor]:
    """The class that OpenRLHF looks for. Splits are separated by commas."""

    class AgentExecutor(MultiTurnAgentExecutor):
        def __init__(self) -> None:
            super().__init__(AgentInstance)
            self._peer = shared(environment, split)

        async def execute(
            self,
            prompt: str,
            label: str,
            sampling_params: Any,
            max_length: int,
            hf_tokenizer: Any,
            *rest: Any,
            **more: Any,
        ) -> Json:
            episode = _Episode(self._peer, _renderer(hf_tokenizer))
            token = _current.set(episode)
            try:
                response = await super().execute(
                    prompt, label, sampling_params, max_length, hf_tokenizer, *rest, **more
                )
                if episode.verdict is None:  # the context was full before the episode was over
                    verdict = await episode.end()
                    response.update(reward=float(verdict.reward or 0.0), scores=float(verdict.passed))
                return response
            finally:
                _current.reset(token)
                await episode.release()

    return AgentExecutor


_current: contextvars.ContextVar["_Episode"] = contextvars.ContextVar("episode")
_renderers: "weakref.WeakKeyDictionary[Any, Renderer]" = weakref.WeakKeyDictionary()


def _renderer(tokenizer: Any) -> Renderer:
    if tokenizer not in _renderers:
        _renderers[tokenizer] = Renderer(tokenizer)
    return _renderers[tokenizer]


class _Episode:
    """One episode, which lasts longer than the agent that OpenRLHF makes for it."""

    def __init__(self, peer: PeerEnvironment, renderer: Renderer) -> None:
        self._peer, self._renderer = peer, renderer
        self._session: EnvironmentSession | None = None
        self._context: list[int] = []
        """All ids so far."""
        self._gained: list[int] = []
        """The ids since the last reply."""
        self.verdict: Verdict | None = None

    @property
    def _open(self) -> EnvironmentSession:
        assert self._session is not None, "reset() comes first"
        return self._session

    async def begin(self, label: str) -> str:
        """Opens the task and returns the prompt that the model continues."""
        self._session = session = await self._peer.wait(self._peer.open(label))
        self._context = self._gained = self._renderer.prompt(session.live.items, session.live.offer.tools)
        return self._renderer.decode(self._context)

    async def act(self, text: str) -> str:
        """Acts on a reply. Returns the text that follows it, or nothing at the end."""
        session, renderer = self._open, self._renderer
        live, tools = session.live, session.live.offer.tools
        ids = renderer.tokenizer.encode(text, add_special_tokens=False) or [renderer.end_id]
        items = renderer.read(ids, tools, f"call_{len(live.items)}", context=self._context)
        parent = next((i for i, turn in reversed([*enumerate(live.session.log.turns)]) if turn.actor == "policy"), None)
        turn = Turn(parent=parent, context_ids=self._gained, completion_ids=ids)
        await self._peer.wait(session.reply(turn, items))
        session.count_reply()
        if live.stop is not None:
            await self.end()
            return ""
        own = [turn for turn in live.session.log.turns if turn.actor == "policy"]
        added = renderer.extend(live.items, live.offer.tools, own)
        if added is None:
            raise BadInput(
                "The chat template of this model writes the past differently after a reply (such as without its thinking). "
                "OpenRLHF can only append to a conversation. Use a template that keeps the past, or an environment of one reply"
            )
        self._context, self._gained = [*self._context, *ids, *added], added
        return renderer.decode(added)

    async def end(self) -> Verdict:
        self.verdict = await self._peer.wait(self._peer.sessions.score(self._open))
        return self.verdict

    async def release(self) -> None:
        if self._session is not None and self.verdict is None:
            await self._peer.wait(self._peer.sessions.release(self._session))


class AgentInstance(AgentInstanceBase):
    """What OpenRLHF makes for each prompt."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._episode = _current.get()

    async def reset(self, states: Json, **kwargs: Any) -> Json:
        return {"observation": await self._episode.begin(states["label"])}

    async def step(self, states: Json, **kwargs: Any) -> Json:
        feedback = await self._episode.act(states["action_text"])
        verdict = self._episode.verdict
        return {
            "rewards": np.float64(verdict.reward or 0.0) if verdict is not None else np.float64(0.0),
            "scores": float(verdict.passed) if verdict is not None else 0.0,
            "environment_feedback": feedback,
            "done": verdict is not None,
            "sampling_params": states.get("sampling_params"),
            "extra_logs": {"unsafe": float(verdict.unsafe)} if verdict is not None else {},
        }
