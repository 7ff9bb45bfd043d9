"""Tasks mined from traces of notes. The loader reads this file beside the environment, so its version stays the same."""

from verigym.core.records import Item, Json, Message


def mined(request: str, items: list[Item]) -> Json | None:
    """The data of a task whose right answer is the text. Which other words of the note tempt is not known."""
    text = " ".join(item.text for item in items if isinstance(item, Message)).strip()
    return {"answer": text, "others": []} if text else None
