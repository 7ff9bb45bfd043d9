"""A tiny random Llama with a character tokenizer, made in memory: everything that a real model has, in milliseconds."""

import string
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from verigym.model.load import LoadedModel

MARKERS = ["<pad>", "<unk>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
"""Each is one token; `<|end|>` is the end token."""
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def tokenizer(text: str = "") -> PreTrainedTokenizerFast:
    """A token for each character. With `text`, tokens are pieces of words that are common in it, and bytes."""
    if text:
        return _wrapped(_pieces(text))
    letters = [*MARKERS, *sorted(set(string.printable) - set("\r\x0b\x0c\t"))]
    made = Tokenizer(models.WordLevel({text: id for id, text in enumerate(letters)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split(Regex("(?m)."), "isolated")
    made.decoder = decoders.Fuse()
    return _wrapped(made)


def _pieces(text: str) -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer: Any = trainers.BpeTrainer(
        vocab_size=4000, show_progress=False, special_tokens=MARKERS, initial_alphabet=letters
    )
    made.train_from_iterator(text.splitlines(keepends=True), trainer)
    return made


def _wrapped(made: Tokenizer) -> PreTrainedTokenizerFast:
    made.add_special_tokens(MARKERS)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token="<|end|>",
        pad_token="<pad>",
        unk_token="<unk>",
        clean_up_tokenization_spaces=False,
    )
    wrapped.chat_template = TEMPLATE
    return wrapped


def tiny(seed: int = 0, *, window: int = 1024, hidden: int = 32, layers: int = 2, text: str = "") -> LoadedModel:
    """The same weights for the same seed. `text` makes a tokenizer with larger tokens, for long prompts."""
    letters: Any = tokenizer(text)
    config = LlamaConfig(
        vocab_size=len(letters),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=window,
        initializer_range=0.2,
        pad_token_id=letters.pad_token_id,
        bos_token_id=None,
        eos_token_id=letters.eos_token_id,
        tie_word_embeddings=False,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config)
    return LoadedModel(model.float().requires_grad_(False).eval(), letters, "tiny")
