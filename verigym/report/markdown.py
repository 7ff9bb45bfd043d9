"""A document as Markdown for a pull request: verdict, checks, tasks gained and lost, examples to unfold.

GitHub and GitLab turn names, links and HTML in a comment into mentions, requests and markup. No text of a model, a task or a
person does that here. Prose is escaped, with mentions, references and links broken. Conversations stand in fences that are
longer than any fence inside them.
"""

import re
from collections.abc import Iterator

from verigym.core.printable import visible
from verigym.core.words import counted
from verigym.report.document import Block, Checks, Document, Example, Picture, Section, Step, Table, Words

MARKER = "<!-- verigym report -->"
"""The first line. A workflow finds its own comment by it and updates it."""
MOST_CHARACTERS = 60_000
"""GitHub refuses comments with more than 65,536 characters."""
_SIGNS = {"pass": "✅", "fail": "❌", "unclear": "❔", "skipped": "➖", "": ""}
_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_OPENING = re.compile(r"^(\d{1,9})?([-+=>#:.)])")
"""What would begin a list, a quotation, a heading or a rule."""
_BREAK = "&#8203;"
_LONGEST_CELL = 700


def as_markdown(document: Document) -> bytes:
    """The comment. Sections that do not fit are left out, and the comment says which."""
    sign = _SIGNS[document.tone]
    head = [
        MARKER,
        f"## {f'{sign} ' if sign else ''}{prose(document.title)}{f': {prose(document.verdict)}' if document.verdict else ''}",
    ]
    if document.production:
        head.append(f"> ⚠️ {prose(document.production)}")
    if document.lead:
        head.append(prose(document.lead))
    parts, left_out, room = head, list(document.left_out), MOST_CHARACTERS - sum(map(len, head)) - 2_000
    for section in document.sections:
        text = _section(section) if section.markdown else ""
        if not section.markdown:
            continue
        if len(text) > room:
            left_out.append(
                f'the section "{section.title}", because a comment has room for {MOST_CHARACTERS:,} characters'
            )
            continue
        room -= len(text)
        parts.append(text)
    if left_out:
        parts.append(f"<sub>Not in this comment: {prose('; '.join(left_out)[:1_000])}.</sub>")
    return ("\n\n".join(parts) + "\n").encode(errors="replace")


def prose(text: str) -> str:
    """A text on one line that is nothing but text: no markup, no mention, no reference, no link."""
    line = _OPENING.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", _one_line(text)))
    return _broken(line)


def in_tag(text: str) -> str:
    """The same inside an HTML tag, where Markdown has no escapes."""
    return _broken(_one_line(text))


def _one_line(text: str) -> str:
    return " ".join(visible(text).split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _broken(line: str) -> str:
    """Breaks mentions, references, pictures and addresses with a space that has no width."""
    line = re.sub(r"([@#!])", rf"\1{_BREAK}", line)
    line = re.sub(r"(?i)(https?|ftp|mailto|xmpp):", rf"\1{_BREAK}:", line)
    line = re.sub(r"(?i)\bwww\.", f"www{_BREAK}.", line)
    return re.sub(r"(?i)\bGH-(?=\d)", f"GH{_BREAK}-", line)


def fenced(text: str) -> str:
    """A text in a fence that nothing inside it can close."""
    inside = visible(text)
    longest = max((len(found[0]) for found in re.finditer(r"`+", inside)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{inside}\n{fence}"


def _section(section: Section) -> str:
    blocks = [text for text in _blocks(section.blocks) if text]
    if not blocks:
        return ""
    inner = "\n\n".join(blocks)
    if section.folded or any(isinstance(block, Example) for block in section.blocks):
        return f"<details><summary>{in_tag(section.title)}</summary>\n\n{inner}\n\n</details>"
    return f"### {prose(section.title)}\n\n{inner}"


def _blocks(blocks: list[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Words():
                yield prose(block.text)
            case Table():
                yield _table(block)
            case Checks():
                yield from _checks(block)
            case Step():
                yield f"- {prose(block.words)}\n\n  {_code(block.command)}"
            case Example():
                yield "\n\n".join(_example(block))
            case Picture():
                pass  # its words stand beside it


def _checks(checks: Checks) -> Iterator[str]:
    """What needs a reader's attention, and the rest folded."""
    open_rows = [one for one in checks.rows if one.outcome in ("fail", "unclear")]
    rest = [one for one in checks.rows if one.outcome not in ("fail", "unclear")]
    tables = [
        _rows(
            ["", "check", "result"],
            [[f"{_SIGNS[one.outcome]} {one.outcome}", _cell(one.name), _cell(one.words)] for one in ones],
        )
        for ones in (open_rows, rest)
        if ones
    ]
    if open_rows:
        yield tables[0]
    if rest:
        passed = sum(one.outcome == "pass" for one in rest)
        skipped = f", {len(rest) - passed} skipped" if passed < len(rest) else ""
        summary = f"{counted(passed, 'check')} passed{skipped}"
        yield f"<details><summary>{summary}</summary>\n\n{tables[-1]}\n\n</details>"


def _example(example: Example) -> Iterator[str]:
    yield f"**{example.outcome}** {_code(example.task)}"
    if example.asked:
        yield fenced(example.asked)
    if example.expected:
        yield f"Expected: {_code(example.expected)}"
    for side in example.sides:
        yield f"{prose(side.name).capitalize()}:\n\n{fenced(side.text)}"


def _table(table: Table) -> str:
    return _rows([prose(cell) for cell in table.header], [[_cell(cell) for cell in row] for row in table.rows])


def _cell(text: str) -> str:
    """Text in a table. It is cut before it is escaped, so that no escape is cut in half."""
    line = " ".join(text.split())
    return prose(line if len(line) <= _LONGEST_CELL else line[:_LONGEST_CELL] + "…")


def _rows(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def _code(text: str) -> str:
    """A text in a code span on one line. Nothing in it is a mention, a link or markup."""
    line = " ".join(visible(text).split()) or " "
    longest = max((len(found[0]) for found in re.finditer(r"`+", line)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"
