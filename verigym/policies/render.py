"""The only place that knows tokens: conversations to ids through the model's chat template, and ids back to items.

Ids only ever grow: the context of a later turn is what came before it, then the completion as it was sampled, then the
template's text around the new messages. Nothing that a model sampled is tokenised again. Tools are written in the plain
dialect; a tokenizer without a chat template gets `DEFAULT_TEMPLATE`. The tokenizer is passed in.
"""

from typing import Any

from verigym.core.records import Item, ToolSpec, Turn
from verigym.policies import dialects, plain

DEFAULT_TEMPLATE = (
    "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + eos_token + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)
_HERE = "\x02reply\x03"


class Renderer:
    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        if not tokenizer.chat_template:
            tokenizer.chat_template = DEFAULT_TEMPLATE
        self.end_id = self._end_of_turn()
        self.stop_ids: set[int] = {tokenizer.eos_token_id, self.end_id}
        self._shared: dict[str, list[int]] = {}

    def prompt(self, items: list[Item], tools: list[ToolSpec]) -> list[int]:
        """Ids of a conversation up to where the assistant's reply begins."""
        return self._encode(self._text(plain.to_messages(items, tools), reply=True))

    def shared(self, items: list[Item], tools: list[ToolSpec], ids: list[int]) -> int:
        """How many leading ids are the system part, the same for every task of an environment."""
        messages = plain.to_messages(items, tools)
        if not messages or messages[0]["role"] != "system":
            return 0
        text = messages[0]["content"]
        if text not in self._shared:
            self._shared[text] = self._system_ids(messages[0])
        head = self._shared[text]
        return next((i for i, (a, b) in enumerate(zip(head, ids, strict=False)) if a != b), min(len(head), len(ids)))

    def gain(self, before: Turn, items: list[Item]) -> list[int]:
        """Ids that the context gains after turn `before`, when `items` have come since its completion."""
        around = [{"role": "user", "content": "."}, {"role": "assistant", "content": _HERE}]
        tail = self._text(around + plain.to_messages(items, []), reply=True).split(_HERE, 1)[1]
        if before.completion_ids and before.completion_ids[-1] in self.stop_ids:
            tail = tail.removeprefix(self.tokenizer.decode([self.end_id]))
        return self._encode(tail)

    def completion(self, reply: list[Item]) -> list[int]:
        """Ids of a demonstration's reply, the end token included."""
        text = plain.to_messages(reply, [])[0]["content"]
        return [*self._encode(text), self.end_id]

    def read(self, ids: list[int], tools: list[ToolSpec], call_id: str) -> list[Item]:
        """The items of a sampled completion."""
        if ids and ids[-1] in self.stop_ids:
            ids = ids[:-1]
        text = self.tokenizer.decode(ids, skip_special_tokens=False)
        return dialects.parse(text, call_id) if tools else dialects.parse(text, call_id)[:1]

    def _end_of_turn(self) -> int:
        """The token with which the template ends a reply (`<|im_end|>`); the tokenizer's end token where it writes none."""
        said = [{"role": "user", "content": "."}, {"role": "assistant", "content": _HERE}]
        after = self._encode(self._text(said, reply=False).split(_HERE, 1)[1])
        special = set(self.tokenizer.all_special_ids) | set(self.tokenizer.get_added_vocab().values())
        return after[0] if after and after[0] in special else self.tokenizer.eos_token_id

    def _system_ids(self, message: dict[str, str]) -> list[int]:
        from jinja2 import TemplateError

        try:
            return self._encode(self._text([message], reply=False))
        except TemplateError:  # a template that refuses a conversation without a user: nothing is known to be shared
            return []

    def _text(self, messages: list[dict[str, str]], *, reply: bool) -> str:
        return self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=reply)

    def _encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False)


def ids_so_far(turns: list[Turn], last: int) -> list[int]:
    """All ids up to and with the completion of turn `last`, along its parents."""
    chain: list[Turn] = []
    place: int | None = last
    while place is not None:
        chain.append(turns[place])
        place = turns[place].parent
    return [id for turn in reversed(chain) for id in turn.context_ids + turn.completion_ids]
