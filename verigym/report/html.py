"""A document as one HTML file without scripts. It loads nothing, follows the reader's light or dark mode, and prints.

Every text is escaped. The last line states the sha256 of all lines before it, so that a reader can check the file.
"""

import hashlib
import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import verigym
from verigym.core.errors import Refused
from verigym.core.words import is_number, size
from verigym.draw.svg import css, escape
from verigym.report.document import Block, Checks, Document, Example, Picture, Section, Step, Table, Words

MOST_BYTES = 5_000_000
"""A larger file leaves sections out and says so."""
FOOT = "<footer"
"""The last line begins with this. The hash covers every byte before it."""
_OUTCOMES = {"fail": "✕ failed", "unclear": "? unclear", "pass": "✓ passed", "skipped": "– skipped", "": ""}
_STYLE = Path(__file__).with_name("report.css")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def as_html(document: Document, when: datetime | None = None) -> bytes:
    """The file. Sections are left out from the end, folded ones first, until it is small enough."""
    sections = list(document.sections)
    left_out: list[str] = []
    while True:
        body = _page(document, sections, [*document.left_out, *left_out]).encode(errors="replace")
        if len(body) <= MOST_BYTES:
            break
        droppable = [one for one in sections if one.folded] or sections[1:]
        if not droppable:
            raise Refused(
                f"The report would have {size(len(body))}, and a report has at most {size(MOST_BYTES)}. A name or a text in it "
                "is too long to mail. Look at it with verigym view"
            )
        largest = max(droppable, key=lambda one: len(_section(one)))
        sections.remove(largest)
        left_out.append(f'the section "{largest.title}", because the file would be larger than {size(MOST_BYTES)}')
    digest = hashlib.sha256(body).hexdigest()
    written = (when or datetime.now(UTC)).isoformat(timespec="seconds")
    foot = (
        f"{FOOT}><p>Written by verigym {verigym.__version__} at {written} from the workspace {escape(document.store)}.</p>"
        f"<p>sha256 of the lines above: <code>{digest}</code></p></footer></body></html>\n"
    )
    return body + foot.encode(errors="replace")


def same_content(one: bytes, other: bytes) -> bool:
    """Whether two reports differ at most in the time at which they were written."""
    return one.partition(FOOT.encode())[0] == other.partition(FOOT.encode())[0]


def _page(document: Document, sections: list[Section], left_out: list[str]) -> str:
    title = f"{document.title}: {document.verdict}" if document.verdict else document.title
    head = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE.read_text()}{css()}</style></head><body>\n"
    )
    parts = [_p(document.production, "warning")] if document.production else []
    parts.append(f"<header><h1>{escape(document.title)}</h1>")
    if document.verdict:
        parts.append(f'<div class="verdict {document.tone}">{escape(document.verdict)}</div>')
    parts.append(f"{_p(document.lead)}</header>\n<main>")
    parts += [f"{_section(one)}\n" for one in sections]
    parts.append("</main>")
    if left_out:
        parts.append(f"<p class='dim'>Not in this report: {escape('; '.join(left_out))}.</p>")
    return head + "".join(parts) + "\n"


def _section(section: Section) -> str:
    inner = "".join(_grouped(section.blocks))
    if section.folded:
        return f"<details><summary><h2>{escape(section.title)}</h2></summary>{inner}</details>"
    return f"<section><h2>{escape(section.title)}</h2>{inner}</section>"


def _grouped(blocks: list[Block]) -> Iterator[str]:
    """Steps stand together in a list."""
    for is_step, ones in itertools.groupby(blocks, lambda block: isinstance(block, Step)):
        inner = "".join(_block(one) for one in ones)
        yield f"<ol>{inner}</ol>" if is_step else inner


def _block(block: Block) -> str:
    match block:
        case Words():
            return _p(block.text, "dim" if block.dim else "")
        case Table():
            return _table(block)
        case Picture():
            return f'<div class="picture">{block.drawing.__html__()}</div>{_p(block.caption, "dim")}'
        case Checks():
            rows = [
                f'<tr><td class="{one.outcome}">{_OUTCOMES[one.outcome]}</td>'
                f"<td><b>{escape(one.name)}</b><br>{escape(one.words)}</td></tr>"
                for one in block.rows
            ]
            head = '<thead><tr><th scope="col">outcome</th><th scope="col">check</th></tr></thead>'
            return f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"
        case Step():
            return f"<li>{escape(block.words)}<pre>{escape(block.command)}</pre></li>"
        case Example():
            return _example(block)


def _table(table: Table) -> str:
    rows = ["".join(_cells(row, named=not any(table.header))) for row in table.rows]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    if not any(table.header):
        return f"<table><tbody>{body}</tbody></table>"
    head = "".join(f'<th scope="col">{escape(cell)}</th>' if cell else "<td></td>" for cell in table.header)
    wide = ' class="tasks"' if len(table.header) > 3 else ""
    return f"<table{wide}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cells(row: list[str], *, named: bool) -> Iterator[str]:
    """In a table without a header the first cell of a row is its name."""
    for index, cell in enumerate(row):
        if named and index == 0:
            yield f'<th scope="row">{escape(cell)}</th>'
        else:
            short = len(cell) < 16 and is_number(cell)
            yield f'<td class="number">{escape(cell)}</td>' if short else f"<td>{escape(cell)}</td>"


def _example(example: Example) -> str:
    tone, sign = {
        "gained": ("pass", "✓ "),
        "passed": ("pass", "✓ "),
        "lost": ("fail", "✕ "),
        "failed": ("fail", "✕ "),
    }.get(example.outcome, ("unclear", ""))
    sides = "".join(f"<div>{_p(one.name, 'dim')}<pre>{escape(one.text)}</pre></div>" for one in example.sides)
    wanted = _p(f"Expected: {example.expected}", "dim") if example.expected else ""
    return (
        f'<div class="task"><b class="{tone}">{sign}{example.outcome}</b> <span class="dim">{escape(example.task)}</span>'
        f'{_p(example.asked)}{wanted}<div class="sides">{sides}</div></div>'
    )


def _p(text: str, kind: str = "") -> str:
    return f"<p{f' class={kind!r}' if kind else ''}>{escape(text)}</p>" if text else ""
