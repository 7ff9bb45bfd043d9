"""A data set: how it was made, and its rows with the episode or the file that each came from."""

import itertools

from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import BadInput, NotFound, not_found
from verigym.core.items import FunctionCall, FunctionCallOutput, Item, Message
from verigym.core.records import Dataset, Example, Preference
from verigym.view.page import Link, Page, PageData, Query, typed, url
from verigym.view.pages.environments import Count
from verigym.view.read import Reader
from verigym.view.text import clip
from verigym.workspace.datasets import path_of

_PAGE = 20


class DataRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    number: int
    task: str
    task_href: str
    family: str = ""
    source: str = ""
    source_href: str = ""
    """The episode that it came from, if it is stored."""
    items: list[str]
    """What is learnt, in words."""
    rejected: list[str] = []


class DataPage(PageData, frozen=True, kw_only=True):
    dataset: Dataset
    counts: list[Count]
    rows: list[DataRow]
    first: int
    missing: str = ""
    """Why the rows cannot be shown."""
    before: str = ""
    after: str = ""


def data_page(reader: Reader, query: Query) -> DataPage:
    id = query.path["id"]
    sets = reader.documents("dataset", Dataset)
    found = [one for one in sets if id in (one.id, one.name)] or [one for one in sets if one.id.startswith(id)]
    if len(found) > 1:
        raise NotFound(f'"{id}" matches several data sets. Write more of the id')
    if not found:
        raise not_found("data set", id, [one.name for one in sets], "List them: verigym data list")
    dataset, first, missing = found[0], query.number("from", 0), ""
    try:
        rows = _rows(reader, dataset, first)
    except (OSError, BadInput) as error:
        rows, missing = [], f"The file of this data set cannot be read: {error}"

    def at(place: int) -> str:
        return url("/data/", dataset.id, **{"from": place or None})

    return DataPage(
        title=dataset.name,
        command=typed("data", "show", dataset.name),
        crumbs=[Link("Versions", "/versions")],
        dataset=dataset,
        counts=[Count(name, count) for name, count in dataset.counts.items()],
        rows=rows,
        first=first,
        missing=missing,
        before=at(max(0, first - _PAGE)) if first else "",
        after=at(first + _PAGE) if first + _PAGE < dataset.rows and rows else "",
    )


def _rows(reader: Reader, dataset: Dataset, first: int) -> list[DataRow]:
    with path_of(reader.folder, dataset.id).open("rb") as file:
        lines = list(itertools.islice(file, first, first + _PAGE))
    kind = Preference if dataset.kind == "preferences" else Example
    records: list[Example | Preference] = [codec.decode(line, kind) for line in lines]
    known = reader.store.known_trajectories(row.source for row in records)
    return [
        DataRow(
            number=first + place + 1,
            task=row.task,
            task_href=url("/task/", row.task, env=dataset.environment),
            family=row.family,
            source=row.source,
            source_href=url("/t/", row.source) if row.source in known else "",
            items=[_words(item) for item in (row.items if isinstance(row, Example) else row.chosen)],
            rejected=[_words(item) for item in row.rejected] if isinstance(row, Preference) else [],
        )
        for place, row in enumerate(records)
    ]


def _words(item: Item) -> str:
    match item:
        case Message():
            return f"{item.role}: {clip(item.text, 400)}"
        case FunctionCall():
            return f"calls {item.name} {clip(item.arguments, 400)}"
        case FunctionCallOutput():
            return f"result: {clip(item.output, 400)}"
        case _:
            return "reasoning"


PAGES = [Page("/data/{id:path}", data_page, "data.html", "versions")]
