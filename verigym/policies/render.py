"""The only place that knows tokens: conversations to ids through the model's chat template, and ids back to items.

Ids only ever grow: the context of a later turn is what came before it, then the completion as it was sampled, then the
template's text around the new messages. Nothing that a model sampled is tokenised again. Only where the template itself
writes the past differently now (it drops earlier thinking) is a context rendered anew. The tokenizer is passed in.
"""

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from verigym.core.errors import BadInput
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Message,
    Reasoning,
    ReasoningText,
    ToolSpec,
    Turn,
)
from verigym.policies import dialects
from verigym.policies.dialects import thinking
from verigym.policies.dialects.calls import from_items
from verigym.policies.dialects.plain import DIALECT as PLAIN
from verigym.policies.dialects.plain import arguments_of
from verigym.policies.special_tokens import SpecialTokens, mark
from verigym.policies.template import ChatTemplate, ToolOffer
from verigym.wire.items import reasoning_text
from verigym.wire.tools import ToolNames

_KEPT = 512
"""Prompts whose ids are kept."""


class Renderer:
    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self._literals = SpecialTokens(tokenizer)
        self.template = ChatTemplate(tokenizer, self._literals)
        self.dialect = self.template.dialect
        self.end_id: int = tokenizer.convert_tokens_to_ids(self.template.end)
        self.stop_ids: set[int] = {tokenizer.eos_token_id, self.end_id}
        self.decode = _decoder(tokenizer)
        """The text of ids, special tokens included."""
        self._opened = functools.lru_cache(_KEPT)(lambda ids: self.decode([*ids]).rstrip().endswith(thinking.OPENING))

    def prompt(self, items: list[Item], tools: list[ToolSpec]) -> list[int]:
        """Ids of a conversation up to where the assistant's reply begins. Kept a while: a group asks for the same ones."""
        offer = self.template.offer(tools)
        key = msgspec.json.encode(items)
        if key not in offer.prompts:
            if len(offer.prompts) >= _KEPT:
                del offer.prompts[next(iter(offer.prompts))]
            offer.prompts[key] = self._literals.encode(self.template.text(items, offer, reply=True))
        return [*offer.prompts[key]]

    def extend(self, items: list[Item], tools: list[ToolSpec], turns: Sequence[Turn]) -> list[int] | None:
        """Ids that the context gains after the last of the policy's own `turns`; none where the template now writes
        differently what came before, so that the context is `prompt`'s and the turn a new root.

        That is found out by rendering, with marks in place of all that the policy said: the context of the last turn
        must be the beginning of the conversation as it is now, and the marks of its reply must follow, in order.
        """
        template, offer, last = self.template, self.template.offer(tools), turns[-1]
        marked = _marked(items, turns)
        before, now = template.outline(marked[: last.made[0]], offer), template.outline(marked, offer)
        if not now.startswith(before) or mark("tool") in now[len(before) :]:
            return None
        place = len(before)
        for own in (mark(str(i)) for i in last.made):
            found = now.find(own, place)
            if found < 0:
                return None
            place = found + len(own)
        tail = now[place:]
        if template.closing and template.end in tail:  # before that is what closes a call, which the model wrote itself
            ended = last.completion_ids[-1] in self.stop_ids
            tail = ("" if ended else template.closing) + tail.partition(template.end)[2]
        return self._literals.encode(tail)

    def shared(self, items: list[Item], tools: list[ToolSpec], ids: list[int]) -> int:
        """How many leading ids are the system part, the same for every task of an environment."""
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
            with contextlib.suppress(BadInput):  # of a template that wants a user
                return self.template.text(system, offer, reply=False)
        text = self.template.text([*system, Message("user", mark("user"))], offer, reply=True)
        return text.partition(self._literals.hide(mark("user")))[0]

    def completion(
        self, reply: Sequence[Item], context: Sequence[Item] = (), tools: Sequence[ToolSpec] = ()
    ) -> list[int]:
        """Ids of a demonstration's reply, the end token included: what the model would have to sample after `context`.
        The template writes it; the dialect does where the reply cannot be read back from what the template wrote."""
        template, offer, items = self.template, self.template.offer([*tools]), [*context] or [Message("user", ".")]
        before = template.text(items, offer, reply=True)
        after = template.text([*items, *reply], offer, reply=False)
        text = after.removeprefix(before).partition(template.end)[0]
        opened = before.rstrip().endswith(thinking.OPENING)
        read = self._items(text, offer.names.with_calls(reply), "", opened=opened)
        if not after.startswith(before) or _gist(read) != _gist(reply):
            text = template.spoken(reply, offer) + template.closing.removesuffix(template.end)
            text = thinking.without_opening(text) if opened else text
        return [*self._literals.encode(text), self.end_id]

    def whole(self, items: list[Item], tools: list[ToolSpec]) -> list[int]:
        """Ids of a conversation that is over, as a reward model sees it: up to the end of the assistant's last reply."""
        start = len(items)
        while start and _own(items[start - 1]):
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
        """The items of a completion that was sampled after `context`, which may have opened the thinking already; the text that
        ended it, and what came with it in the last token, is in none."""
        if ids and ids[-1] in self.stop_ids:
            ids = ids[:-1]
        opened = self.thinks(context)
        names = self.template.offer(tools).names if tools else None
        text = self.decode(ids)
        for stop in stops:
            text = text.partition(stop)[0]
        return self._items(text, names, call_id, opened=opened)

    def thinks(self, context: Sequence[int]) -> bool:
        """Whether the prompt has opened the thinking already, as some templates do."""
        return self._opened(tuple(context[-8:]))

    def shown_name(self, name: str, names: ToolNames) -> str:
        """A tool's name as this model writes it."""
        return name if self.dialect is PLAIN else names.wire(name)

    def _items(self, text: str, names: ToolNames | None, call_id: str, *, opened: bool) -> list[Item]:
        """Calls are read where there are `names` for them; those in the plain dialect too, for which some prompts ask."""
        thought, said = thinking.split(text, opened=opened)
        items: list[Item] = [] if thought is None else [Reasoning(content=[ReasoningText(thought)])]
        if names is None:
            return [*items, Message("assistant", said)]
        made = self.dialect.parse(said, call_id)
        if self.dialect is PLAIN:
            return items + made
        if not any(isinstance(item, FunctionCall) for item in made):
            made = dialects.parse(said, call_id)[-1:]
        for item in made:
            items.append(replace(item, name=names.name(item.name)) if isinstance(item, FunctionCall) else item)
        return items


def _own(item: Item) -> bool:
    """Whether the assistant made it."""
    return not isinstance(item, FunctionCallOutput) and not (isinstance(item, Message) and item.role != "assistant")


def replies(items: Sequence[Item], start: int = 0) -> list[tuple[int, int]]:
    """The runs of items from `start` on that the assistant made, as half-open ranges."""
    runs: list[tuple[int, int]] = []
    for place in range(start, len(items)):
        if _own(items[place]) and runs and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        elif _own(items[place]):
            runs.append((place, place + 1))
    return runs


def _decoder(tokenizer: Any) -> Callable[[list[int]], str]:
    """The tokenizer's own `decode`, without what transformers looks at on the way, which takes longer than the decoding."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or getattr(tokenizer, "clean_up_tokenization_spaces", False):
        return functools.partial(tokenizer.decode, skip_special_tokens=False)
    return functools.partial(backend.decode, skip_special_tokens=False)


def _marked(items: Sequence[Item], turns: Sequence[Turn]) -> list[Item]:
    """The items with a mark in place of all that the policy said."""
    marked: list[Item] = [*items]
    for place in (place for turn in turns for place in turn.made):
        item, own = items[place], mark(str(place))
        if isinstance(item, FunctionCall):
            marked[place] = replace(item, arguments=f'{{"mark": "{own}"}}')
        elif isinstance(item, Reasoning):
            marked[place] = Reasoning(content=[ReasoningText(own)])
        else:
            marked[place] = Message("assistant", own)
    return marked


def _gist(reply: Sequence[Item]) -> tuple[str, str, list[tuple[str, Any]]]:
    """Thinking, words and calls of a reply, however they are spelled."""
    said, calls = from_items(reply)
    thought = "\n".join(reasoning_text(item) for item in reply if isinstance(item, Reasoning))
    return thought.strip(), said.strip(), [(call.name, arguments_of(call)) for call in calls]


def ids_so_far(turns: Sequence[Turn], last: int) -> list[int]:
    """All ids up to and with the completion of turn `last` of a policy's own turns, of which each extends the one before
    it or is a root."""
    root = max(place for place, turn in enumerate(turns[: last + 1]) if turn.parent is None)
    return [id for turn in turns[root : last + 1] for id in turn.context_ids + turn.completion_ids]
