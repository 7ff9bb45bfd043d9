"""Constrained decoding: which tokens may come next, so that a reply follows its grammar (see grammars)."""

import functools
from typing import Any

import llguidance
import llguidance.hf
import llguidance.numpy
import msgspec
import numpy as np
import torch
from torch import Tensor

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import ToolSpec
from verigym.policies import grammars
from verigym.policies.render import Renderer


class Constraints:
    """The constraints of one model. Each is compiled once. Every reply gets its own matcher."""

    def __init__(self, render: Renderer, vocabulary: int) -> None:
        self._render = render
        tokenizer = render.tokenizer
        self._tokenizer = llguidance.hf.from_tokenizer(tokenizer, vocabulary, sorted(render.stop_ids))
        self._added = {str(token): id for id, token in tokenizer.added_tokens_decoder.items()}
        self._compiled = functools.lru_cache(maxsize=64)(self._compile)

    def matcher(self, constrain: str, tools: list[ToolSpec]) -> "Matcher | None":
        """The matcher of a reply under `Sampling.constrain`. None without a constraint. `call` is like `tools`, but the reply
        must be a call. It is for single requests, not for a version."""
        if constrain in ("tools", "call"):
            if not tools:
                return None
            names = self._render.template.offer(tools).names
            shown = [msgspec.structs.replace(tool, name=self._render.shown_name(tool.name, names)) for tool in tools]
            grammar = grammars.of_tools(self._render.dialect, shown, self._added.get, must=constrain == "call")
        else:
            grammar = grammars.of_schema(read_schema(constrain))
        return Matcher(self._compiled(grammar).deep_copy())

    def _compile(self, grammar: str) -> llguidance.LLMatcher:
        found = llguidance.LLMatcher(self._tokenizer, llguidance.LLMatcher.grammar_from_lark(grammar), log_level=0)
        if found.is_error():
            raise BadInput(f"The constraint cannot be compiled: {found.get_error()}. Change the JSON schema")
        return found


class Matcher:
    """The position of a reply in its grammar."""

    def __init__(self, inner: llguidance.LLMatcher) -> None:
        self._inner = inner

    def allowed(self, vocabulary: int) -> Tensor:
        """Which tokens may come next, as (V,) bools."""
        bits = llguidance.numpy.allocate_token_bitmask(1, vocabulary)
        llguidance.numpy.fill_next_token_bitmask(self._inner, bits)
        return torch.from_numpy(np.unpackbits(bits.view(np.uint8)[0], bitorder="little")[:vocabulary].astype(bool))

    def took(self, id: int) -> None:
        self._inner.consume_token(id)


def read_schema(text: str) -> dict[str, Any]:
    try:
        found = codec.read_json(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise BadInput(f'The constraint is neither "tools" nor a JSON schema: {text[:80]}')
    return found
