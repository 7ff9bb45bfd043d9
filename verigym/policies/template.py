"""What a model's chat template makes of a conversation, as text; and what kind of template it is, found out by trying it.

Tools, calls and results go through the template where it writes calls in a dialect that is known, and in the plain dialect
where it does not. A template that refuses a conversation is given it in simpler forms first. Ids are `render`'s.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Json, Message, ToolSpec
from verigym.policies import dialects
from verigym.policies import template_messages as conversation
from verigym.policies import text_chat as plain
from verigym.policies.dialects import Dialect, thinking
from verigym.policies.dialects.plain import DIALECT as PLAIN
from verigym.policies.special_tokens import SpecialTokens, mark
from verigym.wire.tools import ToolNames

DEFAULT_TEMPLATE = (
    "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + eos_token + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)
"""For a tokenizer that has none."""
STAND_IN = conversation.tool(ToolSpec(name=""), mark("tool"))
"""One short tool in place of all: enough to see where the template puts them."""
_OFFERS_KEPT, _OUTLINES_KEPT = 8, 512


class ToolOffer(Struct, frozen=True):
    """The tools of a run as the template takes them."""

    tools: list[ToolSpec]
    names: ToolNames
    written: list[Json]
    prompts: dict[bytes, list[int]] = {}
    """By items: the ids of a conversation that was asked for lately."""
    heads: dict[str, list[int]] = {}
    """By system prompt: the ids that every conversation begins with."""
    outlines: dict[bytes, str] = {}
    """By digest of the items: see `ChatTemplate.outline`."""


class ChatTemplate:
    def __init__(self, tokenizer: Any, literals: SpecialTokens) -> None:
        if not tokenizer.chat_template:
            tokenizer.chat_template = DEFAULT_TEMPLATE
        self._tokenizer, self._literals = tokenizer, literals
        self._name = tokenizer.name_or_path or "this model"
        self._offers: list[ToolOffer] = []
        self._takes_reasoning = "reasoning_content" in str(tokenizer.chat_template)
        self._takes_system = self._try([Message("system", "."), Message("user", ".")]) is not None
        self.end, self.closing = self._end_of_turn()
        self.dialect = self._find_dialect()

    def outline(self, items: Sequence[Item], offer: ToolOffer) -> str:
        """The conversation up to where the next reply begins, with `STAND_IN` for its tools. Each is asked for twice, as
        where a turn has come to and as where the next one came from, and so the last ones are kept."""
        key = hashlib.sha256(msgspec.json.encode(items)).digest()
        if key not in offer.outlines:
            if len(offer.outlines) == _OUTLINES_KEPT:
                del offer.outlines[next(iter(offer.outlines))]
            offer.outlines[key] = self.text(items, offer, reply=True, brief=True)
        return offer.outlines[key]

    def text(self, items: Sequence[Item], offer: ToolOffer, *, reply: bool, brief: bool = False) -> str:
        """The conversation, up to where the next reply begins when there is to be a `reply`. `brief`: without what the
        tools say."""
        refusal: Exception | None = None
        tools = [STAND_IN] if brief and offer.tools else offer.written
        for messages in self._ways(items, offer, brief):
            try:
                return self._apply(messages, tools if self.dialect is not PLAIN else [], reply)
            except Exception as error:  # a template is other people's code
                refusal = error
        raise BadInput(f"{self._name}: its chat template refuses the conversation: {refusal}") from refusal

    def spoken(self, reply: Sequence[Item], offer: ToolOffer) -> str:
        """A reply as the dialect writes it."""
        return self._messages(reply, offer, brief=True, spoken=True)[0]["content"]

    def offer(self, tools: list[ToolSpec]) -> ToolOffer:
        """A run offers the same tools again and again: they are written once."""
        for offer in self._offers:
            if offer.tools == tools:
                return offer
        names = ToolNames(tool.name for tool in tools)
        written = self._literals.hide([conversation.tool(tool, names.wire(tool.name)) for tool in tools])
        self._offers = [ToolOffer([*tools], names, written), *self._offers[: _OFFERS_KEPT - 1]]
        return self._offers[0]

    def _ways(self, items: Sequence[Item], offer: ToolOffer, brief: bool) -> Iterator[list[Json]]:
        """The conversation as it is; then so that strict templates may take it."""
        messages = self._messages(items, offer, brief=brief)
        yield messages
        yield conversation.joined(messages)
        yield conversation.joined(self._messages(items, offer, brief=brief, spoken=True))

    def _messages(self, items: Sequence[Item], offer: ToolOffer, *, brief: bool, spoken: bool = False) -> list[Json]:
        """`spoken`: with the calls as text."""
        if self.dialect is PLAIN:
            messages: list[Json] = [*plain.to_messages([*items], [] if brief else offer.tools, reasoning=True)]
        else:
            names = offer.names.with_calls(items)
            messages = conversation.to_messages(items, names, self.dialect.write if spoken else None)
        return messages if self._takes_system else conversation.folded(messages)

    def _apply(self, messages: list[Json], tools: list[Json], reply: bool) -> str:
        fitted = [self._fit(message) for message in messages]
        return self._tokenizer.apply_chat_template(
            fitted, tools=tools or None, tokenize=False, add_generation_prompt=reply
        )

    def _fit(self, message: Json) -> Json:
        """The message with special tokens that were merely typed hidden, and the thinking where the template wants it."""
        if message["role"] != "assistant":
            return {**message, "content": self._literals.hide(message["content"])}
        fitted = self._literals.hide(message, own=True)
        thought, said = thinking.split(fitted["content"]) if self._takes_reasoning else (None, "")
        return fitted if thought is None else {**fitted, "reasoning_content": thought, "content": said}

    # -- what kind of template it is --------------------------------------------------------------------------------

    def _try(self, items: list[Item], *, tools: list[Json] | None = None, reply: bool = False) -> str | None:
        """What it makes of a sample; none when it refuses."""
        try:
            return self._apply(conversation.to_messages(items, ToolNames([], items)), tools or [], reply)
        except Exception:  # a template is other people's code
            return None

    def _end_of_turn(self) -> tuple[str, str]:
        """The token with which it ends a reply (`<|im_end|>`), and all that it writes there up to that; the tokenizer's
        own end token, and nothing, where it writes none."""
        said = self._try([Message("user", "."), Message("assistant", mark("reply"))]) or ""
        after = said.partition(mark("reply"))[2]
        tokens = [*self._tokenizer.all_special_tokens, *self._tokenizer.get_added_vocab()]
        longest_first = sorted(filter(str.strip, tokens), key=len, reverse=True)
        found = re.search("|".join(map(re.escape, longest_first)), after)
        if found:
            return found[0], after[: found.end()]
        if not self._tokenizer.eos_token:
            raise BadInput(f"{self._name}: its chat template ends no reply, and its tokenizer has no end token")
        return self._tokenizer.eos_token, ""

    def _find_dialect(self) -> Dialect:
        """The one in which it writes a call; plain where it shows no tools."""
        called: list[Item] = [Message("user", "."), FunctionCall("c", "x", "{}"), FunctionCallOutput("c", ".")]
        before = self._try(called[:1], tools=[STAND_IN], reply=True) or ""
        whole = self._try(called, tools=[STAND_IN]) or ""
        if mark("tool") not in before:
            return PLAIN
        return dialects.choose(whole.removeprefix(before).partition(self.end)[0] if whole.startswith(before) else whole)
