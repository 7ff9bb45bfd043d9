"""One GRPO step of TRL with the trainer of the example: `python trl_step.py FOLDER`. Prints rewards and metrics.

A random model calls nothing, so its replies are scripted. TRL's own parser, tool loop, masks and loss do the rest.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", TRL_EXPERIMENTAL_SILENCE="1", TOKENIZERS_PARALLELISM="false")

import trl

from verigym.bridges.episodes import TASK
from verigym.bridges.trl import TrlEnvironment
from verigym.core.records import FunctionCall

EXAMPLE = Path(__file__).parents[3] / "examples" / "trl_grpo.py"


def main(folder):
    spec = importlib.util.spec_from_file_location("trl_grpo", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    gym = TrlEnvironment("workplace", "train")
    model, tokenizer = example.tiny()
    options = {"max_steps": 1, "per_device_train_batch_size": 2, "max_completion_length": 4096}
    trainer = example.make_trainer(gym, model, tokenizer, 1, folder, use_cpu=True, bf16=False, **options)
    task = gym.peer.task(gym.rows(1)[0][TASK])
    calls = [
        item
        for reply in gym.peer.spec.gold_replies(task)
        if not isinstance(reply, str)
        for item in reply
        if isinstance(item, FunctionCall)
    ]
    texts = [
        f'<tool_call>\n{{"name": "{call.name.replace(".", "_")}", "arguments": {call.arguments}}}\n</tool_call><|im_end|>'
        for call in calls
    ]
    asked = []

    def scripted(prompt_ids, *rest, **options):
        """The first sample follows the gold solution. The last one says something and ends."""
        turn = len(asked)
        asked.append(len(prompt_ids))
        text = texts[turn] if turn < len(texts) else "Done.<|im_end|>"
        replies = [text] * len(prompt_ids)
        if turn == 0:
            replies[-1] = "I will not.<|im_end|>"
        return [list(tokenizer(each, add_special_tokens=False)["input_ids"]) for each in replies], None

    trainer._generate_single_turn = scripted
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    trainer.train()
    changed = any(not before[name].equal(weight) for name, weight in model.named_parameters())
    log = trainer.state.log_history[0]
    print(
        json.dumps(
            {
                "trl": trl.__version__,
                "asked": asked,
                "calls": len(texts),
                "changed": changed,
                "open": len(gym.peer.sessions),
                "log": {key: value for key, value in log.items() if "reward" in key or "tool" in key or key == "loss"},
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
