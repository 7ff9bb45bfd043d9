"""Plays episodes with OpenRLHF's own executor and a scripted engine: `python openrlhf_play.py ENVIRONMENT`.

The first episode follows the gold solution, the second does nothing, and the third has no room for a second reply.
Prints one line of JSON per episode: reward, score, the texts that the policy sampled and those that it read.
"""

import asyncio
import importlib.util
import itertools
import json
import sys
from pathlib import Path
from types import SimpleNamespace as Namespace

import trl

from verigym.bridges.episodes import shared
from verigym.bridges.openrlhf import agent_executor
from verigym.policies.render import Renderer

EXAMPLE = Path(__file__).parents[3] / "examples" / "trl_grpo.py"


def tokenizer_of():
    spec = importlib.util.spec_from_file_location("trl_grpo", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    _, tokenizer = example.tiny()
    tokenizer.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen2_5.jinja").read_text()
    return tokenizer


class Engine:
    """Stands for vLLM: it samples a script."""

    def __init__(self, tokenizer, replies):
        self.tokenizer, self.replies, self.prompts = tokenizer, list(replies), []

    async def generate(self, ids, params, multi_modal_data=None):
        self.prompts.append(list(ids))
        made = self.replies.pop(0)[: params.max_tokens]
        logprobs = [{token: Namespace(logprob=-0.5)} for token in made]
        text = self.tokenizer.decode(made, skip_special_tokens=False)
        return Namespace(outputs=[Namespace(token_ids=made, text=text, finish_reason="stop", logprobs=logprobs)])


async def main(environment):
    tokenizer, peer = tokenizer_of(), shared(environment)
    renderer, spec = Renderer(tokenizer), peer.spec
    task = next(task for task in peer.tasks if task.split == "val")
    tools = peer.tools(task)
    gold = [
        renderer.completion(
            [*reply] if not isinstance(reply, str) else renderer.read(tokenizer.encode(reply), [], "c"), (), tools
        )
        for reply in spec.gold_replies(task)
    ]
    end = [*tokenizer.encode("I am done.", add_special_tokens=False), renderer.end_id]
    executor = agent_executor(environment)()
    room = len(renderer.prompt(peer.items(task), tools)) + 70
    for replies, most in (([*gold, end], 20000), ([end] * spec.max_turns, 20000), (gold, room)):
        engine = Engine(tokenizer, replies)
        params = Namespace(max_tokens=64, logprobs=1)
        out = await executor.execute("prompt", task.id, params, most, tokenizer, engine)
        tokens, ranges = out["observation_tokens"], out["action_ranges"]
        assert len(out["rollout_log_probs"]) == len(tokens)
        # What the engine was asked with is the beginning of what will be trained on.
        assert all(prompt == tokens[: len(prompt)] for prompt in engine.prompts)
        read = [tokenizer.decode(tokens[a:b]) for (_, a), (b, _) in itertools.pairwise(ranges)]
        result = {"reward": out["reward"], "score": out["scores"], "turns": len(ranges), "read": read}
        print(json.dumps({**result, "open": len(peer.sessions), "end": tokenizer.decode(tokens[-60:])}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
