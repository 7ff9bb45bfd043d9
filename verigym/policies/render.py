"""Converts conversations to token ids through the model's chat template, and ids back to items. No other module knows tokens.

Ids are only appended: the context of a turn is the context before it, the completion as it was sampled, and the template's
text around the new messages. Nothing that a model sampled is tokenised again. A context is rendered again only if the template
now writes the past differently (it drops earlier thinking). The tokenizer is passed in.
"""

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, Item, Message, Reasoning, ToolSpec, Turn
from verigym.policies import dialects
from verigym.policies.dialects import function_xml, harmony, thinking
from verigym.policies.dialects.markup import HARMONY, bare_calls, from_items, to_items, write_bare
from verigym.policies.dialects.plain import DIALECT as PLAIN
from verigym.policies.dialects.plain import arguments_of
from verigym.policies.special_tokens import SpecialTokens, mark
from verigym.policies.template import ChatTemplate, ToolOffer
from verigym.wire.items import is_reply, reasoning_text, thought
from verigym.wire.tools import ToolNames

_CACHED = 512
"""Prompts whose ids are cached."""


class Renderer:
    def __init__(self, tokenizer: Any, untrained: Callable[[Sequence[int]], set[int]] | None = None) -> None:
        """`untrained` tells which of some tokens the model never learnt to write."""
        self.tokenizer = tokenizer
        self._untrained = untrained
        self._literals = SpecialTokens(tokenizer)
        self.template = ChatTemplate(tokenizer, self._literals)
        self.dialect = self.template.dialect
        self.end_id: int = tokenizer.convert_tokens_to_ids(self.template.end)
        self.stop_ids: set[int] = {tokenizer.eos_token_id, self.end_id}
        self.decode = _decoder(tokenizer)
        """The text of ids, special tokens included."""
        self._opened = functools.lru_cache(_CACHED)(lambda ids: self._opens(self.decode([*ids])))

    def prompt(self, items: list[Item], tools: list[ToolSpec]) -> list[int]:
        """Ids of a conversation up to the start of the assistant's reply. Calls whose tags the model never learnt to write are
        without tags, as in `completion`. A group asks for the same ids and gets the same list, so nobody may change it."""
        offer = self.template.offer(tools)
        key = msgspec.json.encode(items)
        if key not in offer.prompts:
            if len(offer.prompts) >= _CACHED:
                del offer.prompts[next(iter(offer.prompts))]
            bare = any(isinstance(item, FunctionCall) for item in items) and not self.can_write_tags
            offer.prompts[key] = self._literals.encode(self.template.text(items, offer, reply=True, bare=bare))
        return offer.prompts[key]

    def extend(self, items: list[Item], tools: list[ToolSpec], turns: Sequence[Turn]) -> list[int] | None:
        """Ids that the context gains after the last of the policy's `turns`. None if the template now writes the past
        differently. Then the context is that of `prompt` and the turn is a new root.

        To find out, the conversation is rendered with marks in place of the policy's replies. The context of the last turn must
        be the beginning of the current conversation, and the marks of its reply must follow, in order.
        """
        template, offer, last = self.template, self.template.offer(tools), turns[-1]
        if self.dialect is HARMONY:  # it drops thinking, and ends earlier replies with another token
            return None
        tail = template.gained(_marked(items, turns), last.made[0], offer)
        if tail is None or mark("tool") in tail:
            return None
        for reply_mark in (mark(str(i)) for i in last.made):
            _, found, tail = tail.partition(reply_mark)
            if not found:
                return None
        if template.closing and template.end in tail:  # the text before the end token closes a call. The model wrote it
            ended = last.completion_ids[-1] in self.stop_ids
            tail = ("" if ended else template.closing) + tail.partition(template.end)[2]
        return self._literals.encode(tail)

    def shared(self, items: list[Item], tools: list[ToolSpec], ids: list[int]) -> int:
        """Number of leading ids of the system part, which is the same for every task of an environment."""
        first, offer = next(iter(items), None), self.template.offer(tools)
        system = first if isinstance(first, Message) and first.role in ("system", "developer") else None
        if system is None and not tools:
            return 0
        text = system.text if system else ""
        if text not in offer.heads:
            offer.heads[text] = self._literals.encode(self._head([system] if system else [], offer))
        head = offer.heads[text]
        if ids[: len(head)] == head:
            return len(head)
        return next((i for i, (a, b) in enumerate(zip(head, ids, strict=False)) if a != b), len(ids))

    def _head(self, system: list[Item], offer: ToolOffer) -> str:
        if self.dialect is PLAIN:
            with contextlib.suppress(BadInput):  # the template requires a user message
                return self.template.text(system, offer, reply=False)
        text = self.template.text([*system, Message("user", mark("user"))], offer, reply=True)
        return text.partition(self._literals.hide(mark("user")))[0]

    def completion(
        self, reply: Sequence[Item], context: Sequence[Item] = (), tools: Sequence[ToolSpec] = ()
    ) -> list[int]:
        """Ids of a demonstration's reply, including the end token: what the model would have to sample after `context`. The
        template writes them. If the reply cannot be read back from that text, the dialect writes them instead. Calls whose tags
        the model never learnt to write are written without tags."""
        template, offer, items = self.template, self.template.offer([*tools]), [*context] or [Message("user", ".")]
        before = template.text(items, offer, reply=True, brief=True)  # the tools do not change how a reply is written
        after = template.text([*items, *reply], offer, reply=False, brief=True)
        text = after.removeprefix(before).partition(template.end)[0]
        opened, names = self._opens(before), offer.names.with_calls(reply)
        read = self._items(text, names, "", opened=opened, schemas=offer.schemas)
        if not self.can_write_tags and (bare := write_bare(reply, names)):
            text = bare
        elif not after.startswith(before) or _gist(read) != _gist(reply):
            text = template.spoken(reply, offer) + template.closing.removesuffix(template.end)
            text = thinking.without_opening(text, template.tags) if opened else text
        if text.endswith(harmony.CALL_END):  # ends the reply instead of the end token
            return self._literals.encode(text)
        return [*self._literals.encode(text), self.end_id]

    @functools.cached_property
    def can_write_tags(self) -> bool:
        """Whether the model learnt the tokens that open and close a call in its dialect."""
        if self._untrained is None or self.dialect is PLAIN:
            return True
        written = self.tokenizer.encode(self.dialect.write([FunctionCall("c", "x", "{}")]), add_special_tokens=False)
        added = set(self.tokenizer.get_added_vocab().values())
        return not self._untrained([id for id in written if id in added])

    def whole(self, items: list[Item], tools: list[ToolSpec]) -> list[int]:
        """Ids of a finished conversation for a reward model, up to the end of the assistant's last reply."""
        start = len(items)
        while start and is_reply(items[start - 1]):
            start -= 1
        prompt = self.prompt(items[:start], tools)
        return prompt + self.completion(items[start:], items[:start], tools) if items[start:] else prompt

    def read(
        self,
        ids: list[int],
        tools: list[ToolSpec],
        call_id: str,
        context: Sequence[int] = (),
        stops: Sequence[str] = (),
    ) -> list[Item]:
        """The items of a completion that was sampled after `context`, which may have opened the thinking already. They contain
        neither the stop text that ended it nor the rest of its last token."""
        if ids and ids[-1] in self.stop_ids:
            ids = ids[:-1]
        opened = self.thinks(context)
        offer = self.template.offer(tools) if tools else None
        text = self.decode(ids)
        for stop in stops:
            text = text.partition(stop)[0]
        return self._items(text, offer and offer.names, call_id, opened=opened, schemas=offer.schemas if offer else {})

    def thinks(self, context: Sequence[int]) -> bool:
        """Whether the prompt has opened the thinking already, as some templates do."""
        return self._opened(tuple(context[-8:]))

    def _opens(self, text: str) -> bool:
        return text.rstrip().endswith(self.template.tags.opening)

    def still_thinks(self, ids: list[int], context: Sequence[int]) -> bool:
        """Whether a reply that was cut off after these ids has not ended its thinking."""
        return thinking.is_open(self.decode(ids), opened=self.thinks(context))

    @functools.cached_property
    def end_of_thinking(self) -> list[int]:
        """Ids that end the thinking of this model, so that its answer follows."""
        return self._literals.encode(self.template.end_of_thinking)

    def shown_name(self, name: str, names: ToolNames) -> str:
        """A tool's name as this model writes it."""
        return name if self.dialect is PLAIN else names.wire(name)

    def _items(
        self, text: str, names: ToolNames | None, call_id: str, *, opened: bool, schemas: function_xml.Schemas
    ) -> list[Item]:
        """Calls are read only if there are `names`. Calls without tags and in the plain dialect are read too."""
        thinking_text, said = thinking.split(text, opened=opened)
        items: list[Item] = [] if thinking_text is None else [thought(thinking_text)]
        if names is None:
            return [*items, Message("assistant", said)]
        typed = self.dialect is function_xml.DIALECT
        parsed = function_xml.parse_typed(said, call_id, schemas) if typed else self.dialect.parse(said, call_id)
        if self.dialect is PLAIN:
            return items + parsed
        if not any(isinstance(item, FunctionCall) for item in parsed):
            bare = bare_calls(said, names)
            parsed = to_items("", bare, call_id) if bare else dialects.parse(said, call_id)[-1:]
        for item in parsed:
            items.append(replace(item, name=names.name(item.name)) if isinstance(item, FunctionCall) else item)
        return items


def replies(items: Sequence[Item], start: int = 0) -> list[tuple[int, int]]:
    """The assistant's replies among the items from `start` on, as half-open ranges."""
    ranges: list[tuple[int, int]] = []
    for index in range(start, len(items)):
        if is_reply(items[index]) and ranges and ranges[-1][1] == index:
            ranges[-1] = (ranges[-1][0], index + 1)
        elif is_reply(items[index]):
            ranges.append((index, index + 1))
    return ranges


def _decoder(tokenizer: Any) -> Callable[[list[int]], str]:
    """The tokenizer's `decode` without the checks of transformers, which take longer than the decoding."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or getattr(tokenizer, "clean_up_tokenization_spaces", False):
        return functools.partial(tokenizer.decode, skip_special_tokens=False)
    return functools.partial(backend.decode, skip_special_tokens=False)


def _marked(items: Sequence[Item], turns: Sequence[Turn]) -> list[Item]:
    """The items with a mark in place of each text of the policy."""
    marked: list[Item] = [*items]
    for index in (index for turn in turns for index in turn.made):
        item, text = items[index], mark(str(index))
        if isinstance(item, FunctionCall):
            marked[index] = replace(item, arguments=f'{{"mark": "{text}"}}')
        elif isinstance(item, Reasoning):
            marked[index] = thought(text)
        else:
            marked[index] = Message("assistant", text)
    return marked


def _gist(reply: Sequence[Item]) -> tuple[str, str, list[tuple[str, Any]]]:
    """Thinking, text and calls of a reply, without their spelling."""
    said, calls = from_items(reply)
    thoughts = "\n".join(reasoning_text(item) for item in reply if isinstance(item, Reasoning))
    return thoughts.strip(), said.strip(), [(call.name, arguments_of(call)) for call in calls]


def ids_so_far(turns: Sequence[Turn], last: int) -> list[int]:
    """All ids up to the end of turn `last` of a policy's turns, each of which extends the one before it or is a root."""
    root = max(index for index, turn in enumerate(turns[: last + 1]) if turn.parent is None)
    ids: list[int] = []
    for turn in turns[root : last + 1]:
        ids += turn.context_ids
        ids += turn.completion_ids
    return ids
