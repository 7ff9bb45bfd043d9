"""HTML reports: complete, whole in themselves, and safe whatever a model, a task or a person wrote."""

import hashlib
import html
import re
import sqlite3
import subprocess
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

import verigym
from tests.view.store import make_store
from verigym.core.errors import Refused, VerigymError
from verigym.core.records import Feedback
from verigym.report.document import Document, Example, Section, Words
from verigym.report.html import as_html, same_content
from verigym.report.write import make_document

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>&amp;\u202e"
VOID = {"meta", "br", "img", "rect", "circle", "path", "line"}


class Balanced(HTMLParser):
    """Notes tags that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def ws(tmp_path: Path) -> verigym.Workspace:
    return verigym.Workspace.demo(tmp_path / "home")


def page(ws: verigym.Workspace, version: str) -> str:
    return ws.write_report(version).read_text()


def read(text: str) -> Balanced:
    parser = Balanced()
    parser.feed(text)
    assert (parser.wrong, parser.open) == ([], [])
    return parser


@pytest.mark.parametrize("version", ["base", "grpo", "hacked"])
def test_a_page_loads_nothing_and_its_tags_are_closed(ws: verigym.Workspace, version: str) -> None:
    text = page(ws, version)
    assert read(text).tags & {"script", "link", "img", "iframe", "object", "a"} == set()
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in text
    assert not re.search(r"\sstyle=", text)
    assert re.findall(r"https?://[^\s\"']+", text) == ["http://www.w3.org/2000/svg"] * text.count("<svg")
    assert not re.search(r"url\(|@import|\ssrc=|\son\w+=", text)
    assert "prefers-color-scheme" in text and "@media print" in text and "viewport" in text


def test_a_page_tells_every_check_and_both_intervals(ws: verigym.Workspace) -> None:
    text, decision = read(page(ws, "hacked")).text, ws.ledger()[-1].decision
    for check in decision.checks:
        assert check.name in text and check.words in text
    comparison = ws.compare("grpo", "hacked")
    for side in (comparison.champion_success, comparison.candidate_success):
        assert f"{100 * side.value:.1f}% ({100 * side.low:.1f}% to {100 * side.high:.1f}%)" in text
    assert "REJECT" in text and "demo-model" in text and ws.agent("hacked").recipe["run"] in text


def test_a_page_shows_training_failures_and_three_changed_tasks(ws: verigym.Workspace) -> None:
    text = page(ws, "hacked")
    assert text.count("<svg") == 5 and "held-out success" in text
    assert "overlong_penalty 3.0" in text, "what the recipe has that is unusual"
    assert text.count('class="task"') == 10, "three, and seven folded"
    for bucket, (before, after) in ws.compare("grpo", "hacked").buckets.items():
        assert f'<td>{bucket}</td><td class="number">{before}</td><td class="number">{after}</td>' in text


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("base", "verigym gate 353e7640d49e"),
        ("grpo", "verigym rollback"),
        ("hacked", "Lower episodes.overlong_penalty or remove it"),
    ],
)
def test_a_page_ends_with_what_to_do(ws: verigym.Workspace, version: str, words: str) -> None:
    assert words in read(page(ws, version)).text.partition("What to do next")[2]


def test_foreign_text_is_text_wherever_it_stands(tmp_path: Path) -> None:
    evil = EVIL
    verigym.Workspace.demo(tmp_path / "home").close()
    prompt, call, name = '"role":"user","content":"', '"name":"refuse"', '"name":"hacked"'
    new = {
        prompt: f"{prompt}{evil}",
        call: call.replace("refuse", evil),
        name: name.replace("hacked", evil),
        "tool_call_eval": evil,
        "wrong tool": evil,
    }
    with sqlite3.connect(tmp_path / "home" / "store.db") as store:
        for table in ("trajectories", "tasks", "documents"):
            for one in new.items():
                store.execute(f"UPDATE {table} SET body = CAST(replace(body, ?, ?) AS BLOB)", one)
    with verigym.Workspace(tmp_path / "home") as ws:
        path = ws.write_report(ws.ledger()[-1].decision.candidate)
    parsed = read(path.read_text())
    assert parsed.tags & {"script", "img"} == set()
    assert parsed.text.count(evil.replace("\u202e", "\\u202e")) >= 6
    assert html.escape("<script>") in path.read_text() and "\u202e" not in path.read_text()
    assert path.parent == tmp_path / "home" / "reports"


def test_the_same_page_is_written_once_and_another_beside_it(ws: verigym.Workspace) -> None:
    first = ws.write_report("grpo")
    assert ws.write_report("grpo") == first
    first.write_text("mine")
    second = ws.write_report("grpo")
    assert (first.read_text(), second.name) == ("mine", "grpo-2.html")


def test_a_workspace_without_a_decision_asks_for_a_version(tmp_path: Path) -> None:
    with (
        verigym.Workspace(tmp_path / "new") as ws,
        pytest.raises(VerigymError, match=r"no version yet\. Name a version: verigym report VERSION"),
    ):
        ws.write_report()


def test_an_override_is_told_with_its_reason(ws: verigym.Workspace) -> None:
    ws.promote("hacked", override="a customer asked for it")
    text = read(page(ws, "hacked")).text
    assert "a customer asked for it" in text and "verigym rollback" in text


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ((), "REJECT"),
        (("gate/2",), "PROMOTE"),
        (("2",), "Ledger entry 2"),
        (("base", "grpo"), "grpo is better"),
        (("grpo", "hacked"), "hacked is worse"),
        (("eval-toolcall-9fef82fe",), "31.1% success"),
        (("eval-toolcall-c05f4805", "hacked"), "Tasks gained"),
        (("grpo-846e9a72",), "reward"),
    ],
    ids=lambda one: " ".join(one) or "newest" if isinstance(one, tuple) else "",
)
def test_a_report_is_about_what_is_named(ws: verigym.Workspace, names: tuple[str, ...], words: str) -> None:
    path = ws.write_report(*names)
    text = path.read_text()
    parsed = read(text)
    assert words in parsed.text and "from the workspace" in parsed.text
    assert parsed.tags & {"script", "link", "img", "iframe", "object", "a"} == set()
    assert len(text) < 300_000


def test_the_hash_at_the_foot_can_be_checked(ws: verigym.Workspace, tmp_path: Path) -> None:
    path = ws.write_report(file=tmp_path / "report.html")
    above = subprocess.run(["sed", "/<footer/,$d", str(path)], capture_output=True, check=True).stdout
    assert hashlib.sha256(above).hexdigest() in path.read_text().splitlines()[-1]


def test_a_report_too_large_to_mail_leaves_sections_out() -> None:
    long = Words("long " * 200_000)
    sections = [Section("First", [Words("short")]), Section("Folded", [long], folded=True), Section("Last", [long])]
    document = Document(title="t", name="t", kind="run", sections=sections * 4, store="here")
    body = as_html(document, datetime(2026, 1, 1, tzinfo=UTC))
    assert len(body) < 5_100_000 and b"Not in this report: the section &quot;Folded&quot;, because" in body
    huge = Document(title="t" * 6_000_000, name="t", kind="run", store="here")
    with pytest.raises(Refused, match="too long to mail"):
        as_html(huge)


def test_a_wrong_name_or_file_is_refused_before_anything_is_written(ws: verigym.Workspace, tmp_path: Path) -> None:
    for names, words in (
        (("gate/9",), "no ledger entry 9"),
        (("gate/1",), "first champion"),
        (("nosuch",), 'no version, run, report or decision "nosuch"'),
        (("grpo", "grpo"), "the same version"),
        (("base", "grpo-846e9a72"), "has no report"),
        (("eval-toolcall-9fef82fe", "eval-safety-73b049ce"), "cannot be compared"),
    ):
        with pytest.raises(VerigymError, match=words):
            ws.write_report(*names, file=tmp_path / "x.html")
    with pytest.raises(VerigymError, match=r"ending of: \.html"):
        ws.write_report("grpo", file=tmp_path / "x.pdf")
    (tmp_path / "x.md").write_text("mine")
    with pytest.raises(VerigymError, match="exists"):
        ws.write_report("grpo", file=tmp_path / "x.md")
    assert not (tmp_path / "x.html").exists()


def test_a_run_of_any_state_has_a_report(tmp_path: Path) -> None:
    made = make_store(tmp_path / "home")
    with verigym.Workspace(made.home) as ws:
        for run in (made.run, made.odd, made.traces):
            for ending in ("html", "md", "xml"):
                path = ws.write_report(run, file=tmp_path / f"{abs(hash(run))}.{ending}")
                assert path.stat().st_size > 300
                if ending == "html":
                    traces = "contains conversations of production" in read(path.read_text()).text
                    assert traces == (run == made.traces)


def test_two_reports_of_one_content_are_the_same(ws: verigym.Workspace) -> None:
    document = make_document(ws.folder, ["grpo"])
    early, late = (as_html(document, datetime(year, 1, 1, tzinfo=UTC)) for year in (2026, 2027))
    assert early != late and same_content(early, late)
    assert not same_content(early, as_html(make_document(ws.folder, ["hacked"])))


def test_traces_are_told_by_what_people_reported(tmp_path: Path) -> None:
    made = make_store(tmp_path / "home")
    with verigym.Workspace(made.home) as ws:
        failures = sum(one.outcome == "failure" for one in ws.folder.store.documents("feedback", Feedback))
        document = make_document(ws.folder, [made.traces])
        assert failures and document.verdict.endswith("reported") and document.cases == []
        examples = [block for section in document.sections for block in section.blocks if isinstance(block, Example)]
        outcomes = [example.outcome for example in examples]
        assert outcomes == sorted(outcomes, key=["failed", "passed", "no feedback"].index)
        assert any(side.name == "what was reported" for example in examples for side in example.sides)


def test_a_version_without_a_decision_shows_its_measurements(ws: verigym.Workspace) -> None:
    text = read(page(ws, "base")).text
    assert "The gate was not asked about it." in text
    assert all(report.run in text for report in ws.reports("base"))
