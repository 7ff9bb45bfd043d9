"""Thinking in a reply: `<think>...</think>` at its start. White space around it belongs to the markup."""

OPENING, CLOSING = "<think>", "</think>"


def split(text: str, *, opened: bool = False) -> tuple[str | None, str]:
    """The thinking, or None, and the rest. Thinking that was cut off counts as thinking. `opened` means that the prompt already
    wrote `<think>`, as some templates do."""
    begun = text.lstrip()
    if not opened and not begun.startswith(OPENING):
        return None, text
    thought, _, rest = begun.removeprefix(OPENING).partition(CLOSING)
    return thought.strip(), rest.lstrip()


def write(thought: str) -> str:
    return f"{OPENING}\n{thought}\n{CLOSING}\n\n"


def without_opening(text: str) -> str:
    """The reply after a prompt that already wrote `<think>`. Its thinking, even an empty one, is closed first."""
    thought, rest = split(text)
    return write(thought or "").removeprefix(f"{OPENING}\n") + rest
