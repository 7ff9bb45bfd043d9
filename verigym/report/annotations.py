"""A document as workflow commands of GitHub Actions, which shows them as annotations of a check.

`::error title=better on held-out tasks::success -51.2 points, ...`
"""

from collections.abc import Iterator

from verigym.core.printable import visible
from verigym.report.document import Case, Document

MOST = 10
"""GitHub shows at most ten errors and ten warnings of a step."""
_LEVELS = {"fail": "error", "unclear": "warning", "error": "warning"}


def annotations(document: Document) -> Iterator[str]:
    """One line for the verdict, then failed and unclear cases."""
    level = {"pass": "notice", "fail": "error"}.get(document.tone, "warning" if document.tone else "notice")
    verdict = f"{document.title}: {document.verdict}" if document.verdict else document.title
    yield _command(level, verdict, document.lead or verdict, document.file)
    shown = {"error": 1 if level == "error" else 0, "warning": 1 if level == "warning" else 0}
    hidden = 0
    for case in sorted(document.cases, key=_rank):
        kind = _LEVELS.get(case.outcome)
        if kind is None:
            continue
        if shown[kind] >= MOST - 1:
            hidden += 1
            continue
        shown[kind] += 1
        yield _command(kind, case.name, case.words or case.outcome, document.file)
    if hidden:
        yield _command("notice", "More failures", f"{hidden:,} more are not shown. The report lists them.", "")


def _rank(case: Case) -> int:
    return 0 if case.outcome == "fail" else 1


def _command(level: str, title: str, words: str, file: str) -> str:
    properties = f"file={_property(file)}," if file else ""
    return f"::{level} {properties}title={_property(title[:200])}::{_data(words[:4_000])}"


def _data(text: str) -> str:
    r"""Percent signs and line ends are encoded, because they would end the command and begin another."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
