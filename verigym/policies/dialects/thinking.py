"""Thinking in a reply, which comes before what the model says. White space around it belongs to the markup.

    <think>...</think>                       Qwen 3, DeepSeek-R1, Nemotron Nano v2 and most others
    [THINK]...[/THINK]                       Magistral
    <seed:think>...</seed:think>             Seed-OSS
    <|START_THINKING|>...<|END_THINKING|>    Command A
    <|channel|>analysis<|message|>...        gpt-oss: see `harmony`

A prompt may end with the opening tag, as those of DeepSeek-R1 and Nemotron do. Then the reply begins inside the thinking.
"""

from typing import NamedTuple

from verigym.policies.dialects import harmony


class Tags(NamedTuple):
    opening: str
    closing: str


OPENING, CLOSING = THINK = Tags("<think>", "</think>")
ALL = (
    THINK,
    Tags("[THINK]", "[/THINK]"),
    Tags("<seed:think>", "</seed:think>"),
    Tags("<|START_THINKING|>", "<|END_THINKING|>"),
)


def tags_of(template: str) -> Tags:
    """The tags that a chat template writes."""
    return next((tags for tags in ALL if tags.closing in template), THINK)


def reasons(template: str) -> bool:
    """Whether a model with this chat template thinks before it answers. Judged by what its template knows of thinking."""
    return harmony.MARK in template or any(tags.closing in template for tags in ALL)


def split(text: str, *, opened: bool = False) -> tuple[str | None, str]:
    """The thinking, or None, and the rest. Thinking that was cut off counts as thinking. `opened` means that the prompt already
    wrote the opening tag."""
    begun = text.lstrip()
    if harmony.is_harmony(begun):
        return harmony.split(begun)
    tags = next((tags for tags in ALL if begun.startswith(tags.opening)), None)
    if tags is None and opened:
        tags = next((tags for tags in ALL if tags.closing in begun), THINK)
    if tags is None:
        return None, text
    thought, _, rest = begun.removeprefix(tags.opening).partition(tags.closing)
    return thought.strip(), rest.lstrip()


def split_unmarked(text: str) -> tuple[str | None, str]:
    """Like `split`, for a server's reply: thinking whose opening tag was in the prompt ends with a closing tag alone."""
    thought, said = split(text)
    if thought is None and any(tags.closing in text and tags.opening not in text for tags in ALL):
        return split(text, opened=True)
    return thought, said


def is_open(text: str, *, opened: bool) -> bool:
    """Whether a reply that begins with `text` is still thinking."""
    begun = text.lstrip()
    if harmony.is_harmony(begun):
        return harmony.is_thinking(begun)
    tags = next((tags for tags in ALL if begun.startswith(tags.opening)), None)
    if tags is None:
        return opened and not any(tags.closing in begun for tags in ALL)
    return tags.closing not in begun


def closing_of(template: str) -> str:
    """The text that ends the thinking of a model with this chat template."""
    return harmony.CLOSING if harmony.MARK in template else f"\n{tags_of(template).closing}\n\n"


def write(thought: str, tags: Tags = THINK) -> str:
    return f"{tags.opening}\n{thought}\n{tags.closing}\n\n"


def without_opening(text: str, tags: Tags = THINK) -> str:
    """The reply after a prompt that already wrote the opening tag. Its thinking, even an empty one, is closed first."""
    thought, rest = split(text)
    return write(thought or "", tags).removeprefix(f"{tags.opening}\n") + rest
