"""Builds the document of what a person named and writes it to files. The ending of a file chooses its format."""

from collections.abc import Callable, Sequence
from pathlib import Path

from verigym.core.errors import BadInput, Refused
from verigym.report.comparison import comparison_document
from verigym.report.decision import decision_document
from verigym.report.document import Document
from verigym.report.html import as_html, same_content
from verigym.report.junit import as_junit
from verigym.report.markdown import as_markdown
from verigym.report.run import run_document
from verigym.report.subjects import PairSubject, RunSubject, find_subject
from verigym.tasks.files import write_beside, write_whole
from verigym.workspace.workspace import WorkspaceFolder

FORMATS: dict[str, Callable[[Document], bytes]] = {
    ".html": as_html,
    ".htm": as_html,
    ".md": as_markdown,
    ".xml": as_junit,
}


def make_document(ws: WorkspaceFolder, names: Sequence[str]) -> Document:
    """The document about a decision, a version, a run, or two that are compared. No name: the newest decision."""
    subject = find_subject(ws, [name for name in names if name])
    if isinstance(subject, PairSubject):
        return comparison_document(ws, subject)
    if isinstance(subject, RunSubject):
        return run_document(ws, subject)
    return decision_document(ws, subject)


def write_report(ws: WorkspaceFolder, names: Sequence[str], files: Sequence[Path]) -> tuple[Document, list[Path]]:
    """Writes the report to each file and returns the paths. Overwrites nothing. Without a file it is reports/NAME.html in the
    workspace, with a number if another page has that name."""
    check_files(files)
    document = make_document(ws, names)
    if not files:
        return document, [_write_beside(ws, document)]
    for file in files:
        body = FORMATS[file.suffix.lower()](document)
        write_whole(file, lambda out, body=body: out.write(body))
    return document, list(files)


def check_files(files: Sequence[Path]) -> None:
    """Refuses before any work is done."""
    for file in files:
        if file.suffix.lower() not in FORMATS:
            raise BadInput(
                f'"{file}" does not say its format. Use an ending of: .html (a page), .md (a pull request comment), '
                ".xml (JUnit)"
            )
        if file.exists():
            raise Refused(f"{file} exists. Nothing was written. Name another file")


def _write_beside(ws: WorkspaceFolder, document: Document) -> Path:
    name = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in document.name)
    path, body = ws.home / "reports" / f"{name[:80]}.html", as_html(document)
    if path.exists() and same_content(path.read_bytes(), body):
        return path
    return write_beside(path, body)
