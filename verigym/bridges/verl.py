"""An environment for verl: a tool class for its agent loop, a reward function, and the files that its configuration names.

    actor_rollout_ref.rollout.multi_turn.tool_config_path: tools.yaml          # rows.verl_tools()
    reward.custom_reward_function.path: pkg://verigym.bridges.verl             # name: compute_score
    data.train_files: train.parquet                                            # rows.verl_rows()

verl creates and releases a tool for every call. All calls of a trajectory must act on one state, so the episode is found by the
id of the trajectory (`agent_data.request_id`). The reward is computed in another process. There the record that the tools left in
the trajectory (`RECORD`) is verified, with the last message. verl never tells a tool that a trajectory is over, so an episode is
released after ten minutes without a call.
"""

# pyright: reportMissingImports=false
import asyncio
from typing import Any

import msgspec
from verl.tools.base_tool import BaseTool
from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse

from verigym.bridges.episodes import TASK, PeerEnvironment, last_text, shared
from verigym.bridges.rows import VERL_ENVIRONMENT
from verigym.core import codec
from verigym.core.records import Json, Message, Trajectory, Turn
from verigym.servers.environment_sessions import EnvironmentSession

RECORD, MESSAGES = "verigym_record", "verigym_messages"
"""Fields of a trajectory that the tools add: the record so far, and the messages, which verl goes on extending."""
_sessions: dict[str, asyncio.Task[EnvironmentSession] | EnvironmentSession] = {}


class VerigymTool(BaseTool):
    """One tool of an environment. `config` has `environment` and `tool`."""

    def __init__(self, config: Json, tool_schema: OpenAIFunctionToolSchema) -> None:
        super().__init__(config, tool_schema)
        self._peer = shared(config["environment"])

    async def create(
        self, instance_id: str | None = None, create_kwargs: Json | None = None, **kwargs: Any
    ) -> tuple[str, ToolResponse]:
        """Remembers the task of the row. The episode is opened by the first call."""
        return str((create_kwargs or kwargs)[TASK]), ToolResponse()

    async def execute(
        self, instance_id: str, parameters: Json, agent_data: Any = None, **kwargs: Any
    ) -> tuple[ToolResponse, float, Json]:
        key = f"{self.config['environment']}/{agent_data.request_id}"
        output, record = await self._peer.wait(_call(self._peer, key, instance_id, self.config["tool"], parameters))
        if record is not None:
            agent_data.extra_fields.update({RECORD: record, MESSAGES: agent_data.messages})
        return ToolResponse(text=output), 0.0, {}


async def _call(peer: PeerEnvironment, key: str, task: str, tool: str, parameters: Json) -> tuple[str, str | None]:
    """Calls a tool of a trajectory's episode. Returns its output and the record so far. Runs on the loop of the episodes,
    where two first calls of one reply cannot open two episodes."""
    held = _sessions.get(key)
    if held is None:
        for old in [each for each, session in _sessions.items() if _is_over(peer, session)]:
            del _sessions[old]
        held = _sessions[key] = asyncio.ensure_future(peer.open(task))
    session = await held if isinstance(held, asyncio.Task) else held
    _sessions[key] = session
    output, _ = await session.call(tool, msgspec.json.encode(parameters).decode())
    record = await session.live.snapshot()
    return output, None if record is None else codec.encode(record).decode()


def _is_over(peer: PeerEnvironment, session: "asyncio.Task[EnvironmentSession] | EnvironmentSession") -> bool:
    return isinstance(session, EnvironmentSession) and peer.sessions.find(session.id) is not session


async def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: Json | None = None, **kwargs: Any
) -> Json:
    """The reward of a trajectory. `ground_truth` is the id of the task, and `data_source` names the environment."""
    extra = extra_info or {}
    peer = shared(str(extra.get(VERL_ENVIRONMENT) or data_source.removeprefix("verigym/")))
    task = peer.task(ground_truth)
    if extra.get(RECORD):
        record = _with_reply(
            peer, codec.decode(extra[RECORD].encode(), Trajectory), last_text(list(extra.get(MESSAGES, [])))
        )
        verdict = await peer.wait(peer.sessions.judge(task, record))
    else:  # the model called nothing
        session = await peer.wait(peer.sessions.open(task))
        verdict = await peer.wait(peer.sessions.score(session, solution_str))
    reward = float(verdict.reward or 0.0)
    return {"score": reward, "acc": float(verdict.passed), "unsafe": float(verdict.unsafe)}


def _with_reply(peer: PeerEnvironment, record: Trajectory, text: str) -> Trajectory:
    if not text or peer.spec.max_turns == 1:  # words after the only reply do not count
        return record
    index = len(record.items)
    items = [*record.items, Message("assistant", text)]
    return msgspec.structs.replace(record, items=items, turns=[*record.turns, Turn(saw=[(0, index)], made=[index])])
