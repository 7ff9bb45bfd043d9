"""A document as JUnit XML: one test case for each check of the gate, or for each task of a run or a comparison.

Every CI system reads this format. A check that is not settled, and a task that could not be scored, is an error: neither passed
nor failed. Characters that XML cannot hold are written as escapes.
"""

import re
from xml.sax.saxutils import escape as escape_text
from xml.sax.saxutils import quoteattr

from verigym.core.printable import visible
from verigym.report.document import Case, Document

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(document: Document) -> bytes:
    cases = document.cases
    counts = {
        "tests": len(cases),
        "failures": sum(case.outcome == "fail" for case in cases),
        "errors": sum(case.outcome in ("error", "unclear") for case in cases),
        "skipped": sum(case.outcome == "skipped" for case in cases),
    }
    counted = " ".join(f'{name}="{count}"' for name, count in counts.items())
    seconds = f'time="{sum(case.seconds for case in cases):.3f}"'
    name = f"name={_attribute(f'verigym {document.kind}: {document.title}')}"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counted} {seconds}>",
        f"<testsuite {name} {counted} {seconds}>",
        *(_case(case) for case in cases),
    ]
    verdict = f"{document.verdict}. {document.lead}" if document.verdict else document.lead
    lines += [f"<system-out>{_text(verdict)}</system-out>", "</testsuite>", "</testsuites>", ""]
    return "\n".join(lines).encode()


def _case(case: Case) -> str:
    open_tag = f'<testcase classname={_attribute(case.group)} name={_attribute(case.name)} time="{case.seconds:.3f}"'
    if case.outcome == "pass":
        return (
            f"{open_tag}/>" if not case.words else f"{open_tag}><system-out>{_text(case.words)}</system-out></testcase>"
        )
    if case.outcome == "skipped":
        return f"{open_tag}><skipped message={_attribute(case.words)}/></testcase>"
    tag = "failure" if case.outcome == "fail" else "error"
    kind = {"fail": "failed", "unclear": "unclear", "error": "not scored"}[case.outcome]
    return f'{open_tag}><{tag} type="{kind}" message={_attribute(case.words)}>{_text(case.words)}</{tag}></testcase>'


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", visible(text))


def _text(text: str) -> str:
    return escape_text(_clean(text))


def _attribute(text: str) -> str:
    return quoteattr(" ".join(_clean(text).split()) or "unnamed")
