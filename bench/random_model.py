"""Writes a folder with the architecture of nvidia/NVIDIA-Nemotron-Nano-9B-v2 and random weights, for runs without a network.

python bench/random_model.py FOLDER            the width of the 9B model, 8 of its 56 layers, in bfloat16
python bench/random_model.py FOLDER --small    a model of a few hundred thousand parameters, for the CPU

The layers are Mamba, MLP and attention. The tokenizer is learnt from the tasks of `toolcall`. Its chat template is that of the
tests. It has the channels of the original: it opens the thinking, and writes tools and calls between tags. The folder proves
that a recipe runs. It says nothing about what the real model learns.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import NemotronHConfig, NemotronHForCausalLM, PreTrainedTokenizerFast

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.policies.templates import NEMOTRON
from verigym.core.records import FunctionCall
from verigym.environments.load import load_environment
from verigym.model.load import default_device

LAYERS = "M-M-M*M-"
"""M is Mamba, - is an MLP, * is attention."""
KINDS = {"M": "linear_attention", "-": "mlp", "*": "full_attention"}
WIDE: dict[str, Any] = {
    "hidden_size": 4480,
    "intermediate_size": 15680,
    "num_attention_heads": 40,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "mamba_num_heads": 128,
    "mamba_head_dim": 80,
    "ssm_state_size": 128,
    "n_groups": 8,
}
SMALL: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "mamba_num_heads": 8,
    "mamba_head_dim": 16,
    "ssm_state_size": 16,
    "n_groups": 1,
    "chunk_size": 32,
}
SPECIAL = ["<unk>", "<s>", "</s>", "<SPECIAL_10>", "<SPECIAL_11>", "<SPECIAL_12>"]
TAGS = ["<think>", "</think>", "<TOOLCALL>", "</TOOLCALL>", "<AVAILABLE_TOOLS>", "</AVAILABLE_TOOLS>"]


def learnt_text() -> list[str]:
    """The tools, prompts and gold calls of `toolcall`, which the tokenizer learns its tokens from."""
    environment = load_environment("toolcall")
    lines = [
        json.dumps({"name": tool.name, "description": tool.description, "parameters": tool.parameters})
        for tool in environment.tools
    ] * 100
    for task in environment.tasks("train")[:500]:
        lines.append(str(task.prompt))
        lines += [
            json.dumps({"name": item.name, "arguments": item.arguments})
            for reply in environment.gold_replies(task)
            for item in reply
            if isinstance(item, FunctionCall)
        ]
    return lines


def make_tokenizer(size: int) -> Any:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer: Any = trainers.BpeTrainer(
        vocab_size=size - len(TAGS), show_progress=False, special_tokens=SPECIAL, initial_alphabet=letters
    )
    made.train_from_iterator(learnt_text(), trainer)
    made.add_tokens([AddedToken(tag, special=False, normalized=False) for tag in TAGS])
    wrapped: Any = PreTrainedTokenizerFast(
        tokenizer_object=made,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="<SPECIAL_12>",
        pad_token="<unk>",
        clean_up_tokenization_spaces=False,
    )
    wrapped.chat_template = NEMOTRON
    return wrapped


def make_model(tokenizer: Any, layers: str, small: bool, device: str, seed: int = 0) -> Any:
    config = NemotronHConfig(
        **(SMALL if small else WIDE),
        layers_block_type=[KINDS[letter] for letter in layers],
        vocab_size=len(tokenizer),
        max_position_embeddings=8192,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    torch.manual_seed(seed)
    with torch.device(device):
        model: Any = NemotronHForCausalLM(config)
    return model if small else model.to(torch.bfloat16)


def write(folder: Path, layers: str = LAYERS, small: bool = False, device: str | None = None) -> int:
    """Writes the folder, and returns the number of parameters."""
    tokenizer = make_tokenizer(600 if small else 4096)
    model = make_model(tokenizer, layers, small, device or default_device())
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return sum(parameter.numel() for parameter in model.parameters())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="Folder to write")
    parser.add_argument("--layers", default=LAYERS, help="One letter per layer: M, - or *")
    parser.add_argument("--small", action="store_true", help="A tiny model for the CPU")
    args = parser.parse_args()
    if not args.layers or set(args.layers) - set(KINDS):
        parser.error(f'--layers "{args.layers}" must be letters out of {" ".join(KINDS)}')
    count = write(args.folder, args.layers, args.small)
    print(f"{args.folder}: {count / 1e6:,.1f} million parameters, layers {args.layers}")


if __name__ == "__main__":
    main()
