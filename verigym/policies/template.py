"""Renders conversations as text with a model's chat template, and finds out what kind of template it is by testing it.

Tools, calls and results go through the template if it writes calls in a known dialect. Otherwise they are written in the plain
dialect. If a template refuses a conversation, simpler forms of it are tried. `render` turns the text into ids.
"""

import functools
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core import watchdog
from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Json, Message, Reasoning, ToolSpec
from verigym.policies import dialects
from verigym.policies.dialects import Dialect, plain, thinking
from verigym.policies.dialects.instructions import adapted
from verigym.policies.dialects.markup import from_items, write_bare
from verigym.policies.dialects.plain import DIALECT as PLAIN
from verigym.policies.dialects.plain import arguments_of
from verigym.policies.local_templates import is_local
from verigym.policies.special_tokens import SpecialTokens, mark
from verigym.wire.items import is_reply, message_text, reasoning_text
from verigym.wire.tools import ToolNames

DEFAULT_TEMPLATE = (
    "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + eos_token + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)
"""For a tokenizer without a template."""
_LONGEST_S = 5.0
"""Time limit for one conversation. A template is a program that comes with a model, and it may loop without end."""
_OFFERS_KEPT, _PROMPTS_KEPT, _OUTLINES_KEPT = 8, 512, 8192
_REASONING_FIELDS = {
    "reasoning_content": re.compile("reasoning_content"),
    "thinking": re.compile(r"\.thinking\b|['\"]thinking['\"]"),
}
"""Fields of a message from which templates take its thinking."""
_ID = re.compile(r"[a-zA-Z0-9]{9}")
"""The only ids that Mistral's templates accept. Other templates do not write ids."""


def tool_json(spec: ToolSpec, name: str) -> Json:
    """A tool as templates take it. Some templates read `properties` even if there are none."""
    parameters = {"type": "object", "properties": {}, **spec.parameters}
    return {
        "type": "function",
        "function": {"name": name, "description": spec.description, "parameters": parameters},
    }


STAND_IN = tool_json(ToolSpec(name=""), mark("tool"))
"""One short tool in place of all, to see where the template puts them."""


class ToolOffer(Struct, frozen=True):
    """The tools of a run as the template takes them, and caches for conversations with them."""

    tools: list[ToolSpec]
    names: ToolNames
    written: list[Json]
    schemas: dict[str, Json] = {}
    """JSON schemas of the arguments, by the names in `written`."""
    prompts: dict[bytes, list[int]] = {}
    """Ids of recent conversations, by their items."""
    heads: dict[str, list[int]] = {}
    """Ids that every conversation begins with, by system prompt."""
    adapted: dict[str, str] = {}
    """System prompts in the model's own form of calls, by the prompt of the environment."""
    outlines: dict[bytes, tuple[int, bytes]] = {}
    """Length and hash of the outlines of recent conversations, by a hash of the items. See `ChatTemplate.gained`."""


class TemplateTooSlow(BadInput):
    """A chat template did not end in time."""


class ChatTemplate:
    def __init__(self, tokenizer: Any, literals: SpecialTokens) -> None:
        if not tokenizer.chat_template:
            tokenizer.chat_template = DEFAULT_TEMPLATE
        self._tokenizer, self._literals = tokenizer, literals
        self._name = tokenizer.name_or_path or "this model"
        self._offers: list[ToolOffer] = []
        source = str(tokenizer.chat_template)
        self._local = _is_plain(tokenizer) and is_local(tokenizer.chat_template)
        """Whether the template writes each message by itself, and refused none."""
        self._reasoning_field = next((field for field, name in _REASONING_FIELDS.items() if name.search(source)), "")
        self.tags = thinking.tags_of(source)
        self.reasons = thinking.reasons(source)
        """Whether the model thinks before it answers."""
        self.end_of_thinking = thinking.closing_of(source)
        with watchdog.watching():
            self._takes_system = self._try([Message("system", "."), Message("user", ".")]) is not None
            self.end, self.closing = self._end_of_turn()
            self.dialect = self._find_dialect()

    def gained(self, items: Sequence[Item], start: int, offer: ToolOffer) -> str | None:
        """What the template writes after the prompt of the first `start` items, up to the start of the next reply, with
        `STAND_IN` for the tools. None if it now writes that prompt differently."""
        if self._local and (short := self._shortened(items, start, offer)) is not None:
            before, now = short
            return now[len(before) :] if now.startswith(before) else None
        key = _hash(items[:start])
        if key not in offer.outlines:
            self._keep_outline(offer, key, self.text(items[:start], offer, reply=True, brief=True).encode())
        length, known = offer.outlines[key]
        now = self.text(items, offer, reply=True, brief=True).encode()
        self._keep_outline(offer, _hash(items), now)
        return now[length:].decode() if hashlib.sha256(now[:length]).digest() == known else None

    def _keep_outline(self, offer: ToolOffer, key: bytes, outline: bytes) -> None:
        """Each outline is needed after one turn and before the next. Its hash is enough, so that the memory of a long episode
        does not grow with its square."""
        if len(offer.outlines) >= _OUTLINES_KEPT:
            del offer.outlines[next(iter(offer.outlines))]
        offer.outlines[key] = len(outline), hashlib.sha256(outline).digest()

    def _shortened(self, items: Sequence[Item], start: int, offer: ToolOffer) -> tuple[str, str] | None:
        """The outlines of the first `start` items and of all items, both without the same messages in the middle, which do not
        change what comes after them (`local_templates`). None if nothing can be left out."""
        parts = _without_middle(items, start)
        if parts is None or offer.names.with_calls(items) is not offer.names:
            return None
        tools = [STAND_IN] if offer.tools and self.dialect is not PLAIN else []
        try:
            before, now = (self._apply(self._messages(part, offer, brief=True), tools, True) for part in parts)
            return before, now
        except TemplateTooSlow:
            raise
        except Exception:  # simpler forms are tried on the whole conversation
            self._local = False
            return None

    def text(
        self, items: Sequence[Item], offer: ToolOffer, *, reply: bool, brief: bool = False, bare: bool = False
    ) -> str:
        """The conversation as text. `reply`: up to the start of the next reply. `brief`: with `STAND_IN` for its tools. `bare`:
        with calls without the tags of the dialect."""
        refusal: Exception | None = None
        tools = [STAND_IN] if brief and offer.tools else offer.written
        for messages in self._ways(items, offer, brief, bare):
            try:
                return self._apply(messages, tools if self.dialect is not PLAIN else [], reply)
            except TemplateTooSlow:
                raise
            except Exception as error:  # a template may raise anything
                refusal, self._local = error, False
        raise BadInput(
            f"{self._name}: the chat template of the model raised an error on this conversation: {refusal}"
        ) from refusal

    def spoken(self, reply: Sequence[Item], offer: ToolOffer) -> str:
        """A reply as the dialect writes it."""
        return self._messages(reply, offer, brief=True, spoken=True)[0]["content"]

    def offer(self, tools: list[ToolSpec]) -> ToolOffer:
        """The tools as the template takes them. A run offers the same tools in each request, so they are converted once."""
        for offer in self._offers:
            if offer.tools == tools:
                return offer
        names = ToolNames(tool.name for tool in tools)
        written = self._literals.hide([tool_json(tool, names.wire(tool.name)) for tool in tools])
        self._offers = [
            ToolOffer([*tools], names, written, {names.wire(tool.name): tool.parameters for tool in tools}),
            *self._offers[: _OFFERS_KEPT - 1],
        ]
        return self._offers[0]

    def _ways(self, items: Sequence[Item], offer: ToolOffer, brief: bool, bare: bool) -> Iterator[list[Json]]:
        """The conversation as it is, then in simpler forms for strict templates."""
        messages = self._messages(items, offer, brief=brief, bare=bare)
        yield messages
        yield joined(messages)
        yield joined(self._messages(items, offer, brief=brief, spoken=True))

    def _messages(
        self, items: Sequence[Item], offer: ToolOffer, *, brief: bool, spoken: bool = False, bare: bool = False
    ) -> list[Json]:
        """The messages of a conversation. With `spoken`, calls are text. With `bare`, they are text without tags."""
        if self.dialect is PLAIN:
            messages: list[Json] = [*plain.to_messages([*items], [] if brief else offer.tools, reasoning=True)]
        else:
            names = offer.names.with_calls(items)
            messages = to_messages(items, names, self.dialect.write if spoken else None, bare)
            messages = self._in_own_form(messages, offer) if offer.tools else messages
        return messages if self._takes_system else folded(messages)

    def _in_own_form(self, messages: list[Json], offer: ToolOffer) -> list[Json]:
        """The messages with system prompts that ask for no other form of calls than the template's."""
        for index, message in enumerate(messages):
            if message["role"] == "system":
                prompt = message["content"]
                if prompt not in offer.adapted:
                    if len(offer.adapted) == _PROMPTS_KEPT:
                        del offer.adapted[next(iter(offer.adapted))]
                    offer.adapted[prompt] = adapted(prompt, offer.names, lambda call: self.dialect.write([call]))
                messages[index] = {**message, "content": offer.adapted[prompt]}
        return messages

    def _apply(self, messages: list[Json], tools: list[Json], reply: bool) -> str:
        fitted = [self._fit(message) for message in messages]
        apply = functools.partial(self._tokenizer.apply_chat_template, tokenize=False, add_generation_prompt=reply)
        try:
            return watchdog.guarded(apply, _LONGEST_S, fitted, tools=tools or None)
        except watchdog.Overdue:
            raise TemplateTooSlow(
                f"{self._name}: the chat template of the model took more than {_LONGEST_S:g} s on this conversation. "
                "Use another model, or correct its template"
            ) from None

    def _fit(self, message: Json) -> Json:
        """The message with typed special tokens hidden, and with the thinking in the field that the template reads."""
        if message["role"] != "assistant":
            return {**message, "content": self._literals.hide(message["content"])}
        fitted = self._literals.hide(message, by_model=True)
        if not self._reasoning_field and self.tags is thinking.THINK:
            return fitted
        thought, said = thinking.split(fitted["content"])
        if thought is None:
            return fitted
        if self._reasoning_field:
            return {**fitted, self._reasoning_field: thought, "content": said}
        return {**fitted, "content": thinking.write(thought, self.tags) + said}

    def _try(self, items: list[Item], *, tools: list[Json] | None = None, reply: bool = False) -> str | None:
        """The text of a short conversation. None if the template refuses it."""
        try:
            return self._apply(to_messages(items, ToolNames([], items)), tools or [], reply)
        except TemplateTooSlow:
            raise
        except Exception:  # a template may raise anything
            return None

    def _end_of_turn(self) -> tuple[str, str]:
        """The token that ends a reply (`<|im_end|>`), and everything that the template writes after a reply, up to that token.
        If the template writes no such token, the tokenizer's end token and an empty text."""
        said = self._try([Message("user", "."), Message("assistant", mark("reply"))]) or ""
        after = said.partition(mark("reply"))[2]
        tokens = [*self._tokenizer.all_special_tokens, *self._tokenizer.get_added_vocab()]
        longest_first = sorted(filter(str.strip, tokens), key=len, reverse=True)
        end = re.search("|".join(map(re.escape, longest_first)), after)
        if end:
            return end[0], after[: end.end()]
        if not self._tokenizer.eos_token:
            raise BadInput(
                f"{self._name}: the model has no end-of-turn token, neither in the chat template nor in the tokenizer. "
                "Use another model"
            )
        return self._tokenizer.eos_token, ""

    def _find_dialect(self) -> Dialect:
        """The dialect in which the template writes a call. Plain if it shows no tools."""
        called: list[Item] = [Message("user", "."), FunctionCall("c", "x", "{}"), FunctionCallOutput("c", ".")]
        before = self._try(called[:1], tools=[STAND_IN], reply=True) or ""
        whole = self._try(called, tools=[STAND_IN]) or ""
        if mark("tool") not in before:
            return PLAIN
        return dialects.choose(whole.removeprefix(before).partition(self.end)[0] if whole.startswith(before) else whole)


def to_messages(
    items: Sequence[Item],
    names: ToolNames,
    speak: Callable[[Sequence[Item]], str] | None = None,
    bare: bool = False,
) -> list[Json]:
    """A conversation as chat templates with tools take it: roles, content, `tool_calls`, and results that name their call.

    Consecutive items of the assistant are one message. Thinking is at the start of its content, as a model writes it. `speak`
    writes the calls into the content, for templates that refuse `tool_calls`. With `bare`, a reply of calls alone is their JSON.
    Images are left out.
    """
    messages: list[Json] = []
    called: dict[str, tuple[str, str]] = {}
    for by_assistant, run in itertools.groupby(items, is_reply):
        if by_assistant:
            reply = list(run)
            message = _reply(reply, names, called, speak)
            calls = write_bare(reply, names) if bare else ""
            messages.append({"role": "assistant", "content": calls} if calls else message)
            continue
        for item in run:
            if isinstance(item, FunctionCallOutput):
                id, name = called.get(item.call_id, (item.call_id, ""))
                messages.append({"role": "tool", "tool_call_id": id, "name": name, "content": item.output})
            elif isinstance(item, Message):
                messages.append({"role": "user" if item.role == "user" else "system", "content": message_text(item)})
    return messages


def _reply(
    items: list[Item],
    names: ToolNames,
    called: dict[str, tuple[str, str]],
    speak: Callable[[Sequence[Item]], str] | None,
) -> Json:
    """One message of the assistant. Its calls are added to `called`, by their ids."""
    thoughts = [reasoning_text(item) for item in items if isinstance(item, Reasoning)]
    content = thinking.write("\n".join(thoughts)) if thoughts else ""
    said, calls = from_items(items)
    words: list[Item] = [Message("assistant", said)] if said else []
    tool_calls: list[Json] = []
    for call in calls:
        id = call.call_id if _ID.fullmatch(call.call_id) else f"call{len(called):05}"
        name, arguments = names.wire(call.name), arguments_of(call)
        called[call.call_id] = id, name
        function = {"name": name, "arguments": call.arguments if arguments is None else arguments}
        tool_calls.append({"type": "function", "id": id, "function": function})
        spelled = call.arguments if arguments is None else json.dumps(arguments, ensure_ascii=False)  # as templates do
        words.append(FunctionCall(id, name, spelled))
    if speak is not None:
        return {"role": "assistant", "content": content + speak(words)}
    return {"role": "assistant", "content": content + said} | ({"tool_calls": tool_calls} if calls else {})


def joined(messages: list[Json]) -> list[Json]:
    """Joins consecutive user messages, which some templates refuse."""
    result: list[Json] = []
    for message in messages:
        if result and result[-1]["role"] == message["role"] == "user":
            result[-1] = {**message, "content": f"{result[-1]['content']}\n{message['content']}"}
        else:
            result.append(message)
    return result


def folded(messages: list[Json]) -> list[Json]:
    """Moves system messages, which some templates refuse, to the start of the first user message."""
    system = [message["content"] for message in messages if message["role"] == "system"]
    rest = [message for message in messages if message["role"] != "system"]
    if not system:
        return rest
    first = next((index for index, message in enumerate(rest) if message["role"] == "user"), None)
    if first is None:
        return [{"role": "user", "content": "\n\n".join(system)}, *rest]
    words = "\n\n".join([*system, rest[first]["content"]])
    return [*rest[:first], {"role": "user", "content": words}, *rest[first + 1 :]]


def _without_middle(items: Sequence[Item], start: int) -> tuple[list[Item], list[Item]] | None:
    """The first `start` items and all items, both without what is between the first prompt and the reply before `start`. None if
    nothing is left out, or if a result would lose its call."""
    first = next((index for index, item in enumerate(items) if is_reply(item)), start)
    end = start - 1
    while end >= 0 and not is_reply(items[end]):
        end -= 1
    last = end
    while last > 0 and is_reply(items[last - 1]):
        last -= 1
    if not 0 < first < last or end == start - 1:
        return None
    calls = {item.call_id for item in items[last:] if isinstance(item, FunctionCall)}
    if any(isinstance(item, FunctionCallOutput) and item.call_id not in calls for item in items[last:]):
        return None
    return [*items[:first], *items[last:start]], [*items[:first], *items[last:]]


def _hash(items: Sequence[Item]) -> bytes:
    return hashlib.sha256(msgspec.json.encode(items)).digest()


def _is_plain(tokenizer: Any) -> bool:
    """Whether nothing but the template decides what is written."""
    return getattr(type(tokenizer).apply_chat_template, "__module__", "") == "transformers.tokenization_utils_base"
