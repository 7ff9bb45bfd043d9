"""The examples and skills of a version in the context that its model sees.

Examples are earlier messages: they stand after the system prompt and before the task. They belong to the version, like tool
descriptions, so they are not items of the trajectory, and no verifier takes them for work on the task.
"""

from collections.abc import Mapping, Sequence

import msgspec

from verigym.core.records import Item, Message, Turn


def whole_skills(system: str, skills: Mapping[str, str]) -> str:
    """The system prompt with the whole text of each skill."""
    return "\n\n".join(filter(None, [system, *(f"Skill {name}:\n{text.strip()}" for name, text in skills.items())]))


def with_examples(
    items: list[Item], turns: list[Turn], examples: Sequence[Sequence[Item]]
) -> tuple[list[Item], list[Turn]]:
    """The context with the examples after the system prompt, and the policy's turns with indices of that context."""
    if not examples:
        return items, turns
    shown = [item for example in examples for item in example]
    head = _head(items)
    moved = [
        msgspec.structs.replace(turn, made=[index + len(shown) if index >= head else index for index in turn.made])
        for turn in turns
    ]
    return [*items[:head], *shown, *items[head:]], moved


def without_examples(items: list[Item], examples: Sequence[Sequence[Item]]) -> list[Item]:
    """The context as `with_examples` got it. Examples belong to the version, so a trace of its work does not hold them."""
    head, shown = _head(items), sum(map(len, examples))
    return [*items[:head], *items[head + shown :]]


def _head(items: Sequence[Item]) -> int:
    """Number of system messages at the beginning."""
    return next((index for index, item in enumerate(items) if not is_system(item)), len(items))


def is_system(item: Item) -> bool:
    return isinstance(item, Message) and item.role in ("system", "developer")
