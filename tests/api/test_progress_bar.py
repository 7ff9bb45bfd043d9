"""The bar shows the newest state: in a notebook as HTML, nowhere if the output is piped."""

from typing import Any

import pytest

import verigym
from verigym import progress_bar
from verigym.progress_bar import ProgressBar


class Recorder:
    def __init__(self, title: str) -> None:
        self.lines = [title]

    def update(self, done: int, total: int, note: str) -> None:
        self.lines.append(f"{done}/{total} {note}")

    def close(self) -> None:
        self.lines.append("closed")


def test_a_bar_shows_a_state_once_and_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    screens: list[Recorder] = []

    def screen(title: str) -> Recorder:
        screens.append(Recorder(title))
        return screens[-1]

    monkeypatch.setattr(progress_bar, "_screen", screen)
    bar = ProgressBar("train")
    bar.draw()
    bar.report(1, 3, "loss 2")
    bar.draw()
    bar.draw()
    bar.report(3, 3, "loss 1")
    bar.close()
    assert screens[0].lines == ["train", "1/3 loss 2", "3/3 loss 1", "closed"]


def test_a_piped_output_has_no_bar(ws: verigym.Workspace, model: str, desk: str, capfd: Any) -> None:
    ws.evaluate(desk, model, max_tokens=8)
    assert "evaluate" not in capfd.readouterr().err
