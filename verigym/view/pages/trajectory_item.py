"""One item of an episode by range, for texts that are too long for the page of the episode. `item=end` is the end state."""

import msgspec

from verigym.core.errors import BadInput
from verigym.core.items import FunctionCall, FunctionCallOutput, Message
from verigym.view.episode_items import decode_item, find
from verigym.view.page import Link, Page, PageData, Query, typed, url
from verigym.view.read import Reader

_PAGE = 200_000
"""Characters on one page."""


class ItemPage(PageData, frozen=True, kw_only=True):
    text: str
    start: int
    total: int
    """Characters of the whole text."""
    before: str = ""
    after: str = ""


def item_page(reader: Reader, query: Query) -> ItemPage:
    run, record, _ = find(reader, query.path["id"], query.get("run"))
    name = query.get("item")
    if name == "end":
        text, title = msgspec.json.format(bytes(record.end_state), indent=2).decode(), "End state"
    else:
        index = query.number("item", 0)
        if index >= len(record.items):
            raise BadInput(f"The episode has {len(record.items)} items, and none has number {index}")
        text, title = _text(record.items[index]), f"Item {index}"
    start = query.number("start", 0, most=max(0, len(text) - 1))
    is_trace = reader.store.run(run).kind == "traces"

    def at(place: int) -> str:
        return url("/t-item/", record.id, **query.with_(start=place or None))

    return ItemPage(
        title=title,
        command=typed("trajectories", "show", record.id, "--json"),
        section="traces" if is_trace else "",
        crumbs=[
            Link("Traces", "/traces") if is_trace else Link("Runs", "/runs"),
            Link(run, url("/runs/", run)),
            Link(record.id, url("/t/", record.id, run=run, fragment=f"i{name}" if name != "end" else "end-state")),
        ],
        text=text[start : start + _PAGE],
        start=start,
        total=len(text),
        before=at(max(0, start - _PAGE)) if start else "",
        after=at(start + _PAGE) if start + _PAGE < len(text) else "",
    )


def _text(raw: msgspec.Raw) -> str:
    match decode_item(raw):
        case Message() as item:
            return item.text
        case FunctionCall() as item:
            return item.arguments
        case FunctionCallOutput() as item:
            return item.output
        case item:
            parts = [part.text for part in item.summary] + [part.text for part in item.content or []]
            return "\n\n".join(parts)


PAGES = [Page("/t-item/{id:path}", item_page, "item.html", "runs")]
