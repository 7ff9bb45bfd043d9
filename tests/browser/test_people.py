"""People at work in a browser: labelling by keys, a review by keys, and feedback on a trace."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Watched, serving
from tests.view.store import Made
from tests.view.test_label import RUN, add_outputs
from verigym.core.records import Feedback, Label
from verigym.mining.proposals import Review
from verigym.store.database import Store


def documents(home: Path, kind: str, type: Any) -> list[Any]:
    store = Store(home / "store.db")
    records = store.documents(kind, type)
    store.close()
    return records


@pytest.fixture
def home(made: Made, tmp_path: Path) -> Path:
    """A copy to write to."""
    shutil.copytree(made.home, tmp_path / "home")
    return tmp_path / "home"


def press(page: Any, key: str) -> None:
    with page.expect_navigation():
        page.keyboard.press(key)


def test_twenty_pairs_are_labelled_by_keys_and_each_is_stored_before_the_next(chromium: Any, tmp_path: Path) -> None:
    home = add_outputs(tmp_path, tasks=12)
    with serving(home) as address:
        tab = Watched(chromium, address)
        page = tab.open(f"/label/{RUN.replace('/', '%2F')}?n=20")
        for number in range(20):
            press(page, "12=s"[number % 4])
            assert len(documents(home, "label", Label)) == number + 1
        assert page.locator("h1").inner_text() == "Done for now"
        press(page, "u")
        assert "taken back" in page.locator(".said").inner_text()
        press(page, "m")
        press(page, "1")
        given = [label.judgement for label in documents(home, "label", Label)]
        assert given == ["better", "worse", "same", "skip"] * 5 + ["skip", "better"]
        press(page, "q")
        assert "/audit/desk" in page.url
        tab.close()
    assert tab.faults == []


def test_single_outputs_are_judged_with_a_reason_by_keys(chromium: Any, tmp_path: Path) -> None:
    home = add_outputs(tmp_path)
    with serving(home) as address:
        tab = Watched(chromium, address)
        page = tab.open(f"/label/{RUN.replace('/', '%2F')}?kind=single")
        press(page, "g")
        page.keyboard.press("n")
        page.keyboard.type("polite and right")
        press(page, "Enter")
        press(page, "b")
        tab.close()
    assert [(one.judgement, one.note) for one in documents(home, "label", Label)] == [
        ("good", ""), ("good", "polite and right"), ("bad", ""),
    ]  # fmt: skip
    assert tab.faults == []


def test_the_name_is_asked_before_the_first_output(chromium: Any, tmp_path: Path) -> None:
    home = add_outputs(tmp_path)
    with serving(home) as address:
        tab = Watched(chromium, address)
        tab.context.clear_cookies()
        page = tab.open(f"/label/{RUN.replace('/', '%2F')}")
        page.fill("#who", "Grace")
        press(page, "Enter")
        press(page, "2")
        tab.close()
    assert [one.who for one in documents(home, "label", Label)] == ["Grace"]


def test_proposals_are_reviewed_by_keys(chromium: Any, home: Path) -> None:
    before = len(documents(home, "review", Review))
    with serving(home) as address:
        tab = Watched(chromium, address)
        page = tab.open("/mined-review/toolcall")
        press(page, "a")
        press(page, "u")
        press(page, "r")
        press(page, "s")
        tab.close()
    answers = [one.answer for one in documents(home, "review", Review)[before:]]
    assert answers == ["accepted", "open", "rejected"] and tab.faults == []


def test_feedback_is_one_press(chromium: Any, home: Path, made: Made) -> None:
    before = len(documents(home, "feedback", Feedback))
    with serving(home) as address:
        tab = Watched(chromium, address)
        page = tab.open("/traces?outcome=success")
        page.keyboard.press("j")
        row = page.locator("article.here")
        row.locator("summary").click()
        with page.expect_navigation():
            row.locator("button", has_text="It failed").click()
        assert "stored" in page.locator(".said").inner_text()
        tab.close()
    new = documents(home, "feedback", Feedback)[before:]
    assert [(one.outcome, one.who) for one in new] == [("failure", "Ada")] and tab.faults == []
