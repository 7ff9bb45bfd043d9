"""GRPO with TRL on an environment of Verigym: `python examples/trl_grpo.py [MODEL]`.

Without a model, it makes a tiny random one and trains one step on the CPU, to show that everything fits together. A real model
needs a chat template with tools. With Unsloth, load the model with `FastLanguageModel` and keep the rest.
"""

# pyright: reportPrivateImportUsage=false
import sys
from pathlib import Path
from typing import Any

import trl
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer

from verigym.bridges.trl import TrlEnvironment


def tiny() -> tuple[Any, Any]:
    """A random model with one token per byte and the chat template of Qwen3."""
    vocabulary = {byte: index for index, byte in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    raw: Any = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    raw.pre_tokenizer, raw.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    special = ["<|im_start|>", "<tool_call>", "</tool_call>", "<think>", "</think>"]
    tokenizer: Any = PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>", additional_special_tokens=special
    )
    tokenizer.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=32768,
    )
    return Qwen3ForCausalLM(config), tokenizer


def make_trainer(gym: TrlEnvironment, model: Any, tokenizer: Any, tasks: int, folder: str, **options: Any) -> Any:
    args = GRPOConfig(
        output_dir=folder,
        num_generations=2,
        max_tool_calling_iterations=gym.max_tool_calls,
        report_to="none",
        logging_steps=1,
        save_strategy="no",
        **options,
    )
    rewards: list[Any] = [gym.reward]
    return GRPOTrainer(
        model=model,
        args=args,
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(gym.rows(tasks)),
        environment_factory=gym.factory,
        reward_funcs=rewards,
    )


def main() -> None:
    gym = TrlEnvironment("toolcall", "train")
    if len(sys.argv) > 1:
        model, tokenizer = AutoModelForCausalLM.from_pretrained(sys.argv[1]), AutoTokenizer.from_pretrained(sys.argv[1])
        trainer = make_trainer(gym, model, tokenizer, 512, "trl-out", max_steps=50, per_device_train_batch_size=8)
    else:
        options: dict[str, Any] = {"max_steps": 1, "per_device_train_batch_size": 2, "max_completion_length": 16}
        trainer = make_trainer(gym, *tiny(), 1, "trl-out", use_cpu=True, bf16=False, **options)
    trainer.train()
    print(trainer.state.log_history[0])


if __name__ == "__main__":
    main()
