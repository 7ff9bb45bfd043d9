"""Plays trajectories with verl's own ToolAgentLoop and reward manager, and a scripted engine: `python verl_play.py FOLDER`.

The first trajectory follows the gold solution, the second does nothing. Prints one line of JSON for each.
"""

import asyncio
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import torch
import verl
import yaml
from hydra import compose, initialize_config_dir
from verl import DataProto
from verl.experimental.agent_loop.agent_loop import DictConfigWrap, ToolListWrap
from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop
from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
from verl.tools.tool_registry import load_all_tools
from verl.trainer.ppo.reward import get_custom_reward_fn
from verl.utils.dataset.rl_dataset import RLHFDataset
from verl.workers.rollout.replica import TokenOutput

from verigym.bridges.episodes import shared
from verigym.bridges.rows import verl_rows, verl_tools
from verigym.core.records import FunctionCall
from verigym.policies.render import Renderer

EXAMPLE = Path(__file__).parents[3] / "examples" / "trl_grpo.py"
NAME = "workplace"


def tokenizer_of():
    spec = importlib.util.spec_from_file_location("trl_grpo", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    _, tokenizer = example.tiny()
    tokenizer.chat_template = (Path(example.trl.__file__).parent / "chat_templates" / "qwen2_5.jinja").read_text()
    return tokenizer


class Engine:
    def __init__(self, replies):
        self.replies = list(replies)

    async def generate(self, request_id, prompt_ids, sampling_params, **rest):
        made = self.replies.pop(0)
        return TokenOutput(token_ids=made, log_probs=[-0.5] * len(made), stop_reason="completed")


def configuration(folder):
    overrides = [
        "actor_rollout_ref.model.path=none",
        f"actor_rollout_ref.rollout.multi_turn.tool_config_path={folder}/tools.yaml",
        "actor_rollout_ref.rollout.multi_turn.format=hermes",
        "actor_rollout_ref.rollout.multi_turn.max_assistant_turns=10",
        "data.max_response_length=20000",
        "data.max_prompt_length=20000",
        "reward.custom_reward_function.path=pkg://verigym.bridges.verl",
        "reward.custom_reward_function.name=compute_score",
    ]
    with initialize_config_dir(str(Path(verl.__file__).parent / "trainer" / "config"), version_base=None):
        return compose("ppo_trainer", overrides)


async def main(folder):
    peer, tokenizer = shared(NAME), tokenizer_of()
    Path(folder, "tools.yaml").write_text(yaml.safe_dump(verl_tools(peer, NAME)))
    row = verl_rows(peer, NAME, "val")[0]
    config, renderer = configuration(folder), Renderer(tokenizer)
    tools = load_all_tools(config.actor_rollout_ref.rollout.multi_turn.tool_config_path, None)
    task = peer.task(row["reward_model"]["ground_truth"])
    gold = [
        renderer.completion(reply, (), peer.tools(task))
        for reply in peer.spec.gold_replies(task)
        if not isinstance(reply, str) and any(isinstance(item, FunctionCall) for item in reply)
    ]
    end = [*tokenizer.encode("Done.", add_special_tokens=False), renderer.end_id]
    for replies in ([*gold, end], [end]):
        loop = ToolAgentLoop(
            DictConfigWrap(config), Engine(replies), tokenizer, None, RLHFDataset, DictConfigWrap(config.data),
            tools=ToolListWrap(tools),
        )  # fmt: skip
        extra = json.loads(json.dumps(row["extra_info"]))
        given = {"raw_prompt": row["prompt"], "tools_kwargs": extra["tools_kwargs"], "extra_info": extra}
        output = await loop.run({}, **given)
        manager = NaiveRewardManager(config, tokenizer, get_custom_reward_fn(config))
        result = await manager.run_single(data_of(row, output, extra))
        sampled = sum(output.response_mask)
        print(
            json.dumps(
                {
                    **result,
                    "turns": output.num_turns,
                    "sampled": sampled == sum(map(len, replies)),
                    "tools": len({call["function"]["name"] for message in output.extra_fields.get("verigym_messages", [])
                                  for call in message.get("tool_calls", [])}),
                    "open": len(peer.sessions),
                }
            ),
            flush=True,
        )  # fmt: skip


def data_of(row, output, extra):
    """What verl's agent loop worker sends to the reward worker, in another process."""
    fields = json.loads(json.dumps(output.extra_fields))
    responses = torch.tensor([output.response_ids])
    attention = torch.ones(1, len(output.prompt_ids) + len(output.response_ids), dtype=torch.long)
    more = {
        "data_source": row["data_source"],
        "reward_model": row["reward_model"],
        "extra_info": extra,
        "tool_extra_fields": fields,
        "__num_turns__": output.num_turns,
    }
    arrays = {}
    for key, value in more.items():
        arrays[key] = np.empty(1, dtype=object)
        arrays[key][0] = value
    return DataProto.from_dict(tensors={"responses": responses, "attention_mask": attention}, non_tensors=arrays)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
