"""Markdown, JUnit XML and annotations: valid and harmless whatever a model, a task or a person wrote."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import verigym
from tests.draw.gallery import HOSTILE
from verigym.core.records import Check
from verigym.report.annotations import annotations
from verigym.report.document import Case, Checks, Document, Example, Section, Side, Step, Table, Words
from verigym.report.junit import as_junit
from verigym.report.markdown import MARKER, as_markdown, fenced, prose
from verigym.report.write import make_document

ATTACKS = (
    *HOSTILE,
    "@everyone please look, cc @org/team",
    "see #12, GH-3 and org/repo#4",
    "https://evil.example/?q=1 www.evil.example mailto:a@b.example",
    "![x](https://evil.example/pixel.png) [click](javascript:alert(1))",
    "```\n</details>\n# not code any more\n@you",
    "~~~\n````\n`````` ``` `",
    "| a | b |\n| --- | --- |",
    "- item\n1. item\n> quote\n# heading\n---\n===",
    "$x$ $$y$$ \\(z\\) <!-- comment --> :smile: ~~gone~~ **bold** _it_",
    "::error file=x::injected\r\n::set-output name=a::b %0A::stop",
    "&#64;name &lt;b&gt;",
)

TAGS = {
    "h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "ul", "li", "pre", "code", "strong",
    "sub", "blockquote",
}  # fmt: skip


@pytest.fixture
def ws(tmp_path: Path) -> verigym.Workspace:
    return verigym.Workspace.demo(tmp_path / "home")


def hostile(text: str) -> Document:
    blocks = [
        Words(text),
        Table([text, "b"], [[text, text]]),
        Checks([Check(name=text, outcome="fail", words=text), Check(name=text, outcome="pass", words=text)]),
        Step(text, text),
        Example("lost", text, text, text, [Side("before", text), Side(text, text)]),
    ]
    cases = [
        Case(name=text, group=text, outcome=outcome, words=text)
        for outcome in ("pass", "fail", "unclear", "skipped", "error")
    ]
    return Document(
        title=text,
        name="x",
        kind="decision",
        verdict="REJECT",
        tone="fail",
        lead=text,
        sections=[Section(text, [block]) for block in blocks] + [Section(text, [*blocks], folded=True)],
        cases=cases,
        left_out=[text],
        production=text,
        store=text,
        file=text,
    )


def rendered(markdown: str) -> str:
    """As GitHub renders it, nearly: tables, strikethrough and links from bare addresses."""
    return MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(markdown)


@pytest.mark.parametrize("text", ATTACKS, ids=range(len(ATTACKS)))
def test_markdown_makes_nothing_of_foreign_text(text: str) -> None:
    page = rendered(as_markdown(hostile(text)).decode()).replace("&#8203;", "\u200b")
    tags = set(re.findall(r"<([a-z][a-z0-9]*)", page))
    assert tags <= TAGS, tags - TAGS
    assert page.count("<details>") == page.count("</details>") == 4
    outside = re.sub(r"<(code|pre)[ >].*?</\1>", "", page, flags=re.DOTALL)
    assert not re.search(r"@\w|#\d|GH-\d|https?:|www\.|mailto:", outside)
    assert page.count("<h2>") == 1 and page.count("<blockquote>") == 1


@given(st.text(max_size=60))
def test_prose_is_one_line_of_text(text: str) -> None:
    for line in (f"a {prose(text)} b", prose(text)):
        page = rendered(line)
        assert "\n" not in line and set(re.findall(r"<([a-z]+)", page)) <= {"p"}
        assert page.count("\n") <= 1


@given(st.text(alphabet="`~ab\n\r<@", max_size=60))
def test_nothing_closes_a_fence(text: str) -> None:
    page = rendered(f"{fenced(text)}\n\nafter\n")
    assert page.count("<pre>") == 1 and page.endswith("<p>after</p>\n")


def test_a_comment_has_the_verdict_the_checks_and_the_changed_tasks(ws: verigym.Workspace, tmp_path: Path) -> None:
    text = ws.write_report("gate/3", file=tmp_path / "c.md").read_text()
    assert text.startswith(f"{MARKER}\n\n## ❌ hacked: REJECT")
    assert "| ❌ fail | better on held-out tasks |" in text and "11 checks passed, 3 skipped" in text
    assert "Lost (86): toolcall/val/" in text and "<details><summary>Tasks that changed</summary>" in text
    assert len(text) < 65_536 and "<svg" not in text


def test_a_comment_that_is_too_long_says_what_is_missing() -> None:
    sections = [Section(f"part {index}", [Words("word " * 3_000)]) for index in range(9)]
    document = Document(title="t", name="t", kind="run", sections=sections)
    text = as_markdown(document).decode()
    assert len(text) < 65_536 and 'the section "part 8", because a comment has room' in text


@pytest.mark.parametrize("text", ATTACKS, ids=range(len(ATTACKS)))
def test_junit_is_valid_for_any_text(text: str) -> None:
    root = ET.fromstring(as_junit(hostile(text)))
    suite = root[0]
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"], root.attrib["skipped"]) == (
        "5",
        "1",
        "2",
        "1",
    )
    assert [len(case) for case in suite.iter("testcase")] == [1] * 5
    assert {one.tag for one in root.iter()} == {
        "testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out"
    }  # fmt: skip


@given(st.text(max_size=40))
def test_junit_holds_any_characters(text: str) -> None:
    assert ET.fromstring(as_junit(hostile(text))).tag == "testsuites"


def test_junit_has_one_case_per_check_or_task(ws: verigym.Workspace) -> None:
    gate = ET.fromstring(as_junit(make_document(ws.folder, ["gate/3"])))
    decision = ws.ledger()[-1].decision
    assert [case.attrib["name"] for case in gate.iter("testcase")] == [check.name for check in decision.checks]
    assert int(gate.attrib["failures"]) == sum(check.outcome == "fail" for check in decision.checks)
    run = ET.fromstring(as_junit(make_document(ws.folder, ["eval-toolcall-9fef82fe"])))
    assert run.attrib["tests"] == "164" and run.attrib["failures"] == "113"
    pair = ET.fromstring(as_junit(make_document(ws.folder, ["grpo", "hacked"])))
    assert pair.attrib["failures"] == "86"
    message = next(pair.iter("failure")).attrib["message"]
    assert message.startswith("passes with grpo and fails with hacked")


@pytest.mark.parametrize("text", ATTACKS, ids=range(len(ATTACKS)))
def test_an_annotation_is_one_command_per_line(text: str) -> None:
    lines = list(annotations(hostile(text)))
    assert len(lines) == 4
    for line in lines:
        assert re.fullmatch(r"::(error|warning|notice) file=[^:,]*,title=[^:,\n\r]*::[^\n\r]*", line)


def test_annotations_stay_within_what_github_shows() -> None:
    cases = [Case(name=f"task {index}", group="g", outcome="fail", words="no") for index in range(50)]
    lines = list(annotations(Document(title="t", name="t", kind="run", cases=cases)))
    assert sum(line.startswith("::error") for line in lines) == 9
    assert lines[-1] == "::notice title=More failures::41 more are not shown. The report lists them."


def test_annotations_of_a_decision(ws: verigym.Workspace) -> None:
    lines = list(annotations(make_document(ws.folder, [])))
    assert lines[0].startswith("::error title=hacked%3A REJECT::Measured on 164 held-out tasks")
    assert len(lines) == 5 and all(line.startswith("::error title=") for line in lines)
