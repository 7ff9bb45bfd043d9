"""A training run on the screen: at any width, with and without colours; piped, a line a step."""

import io
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from verigym.cli.live import BLOCKS, LETTERS, TrainingPanel, live, sparkline, step_line, time_shares, tokens_per_s
from verigym.core.words import duration
from verigym.training.alarms import Alarm

COLLAPSE = Alarm("entropy collapse", "entropy fell from 1 to 0.01", "a lower learning rate", 25)
GOLDEN = """\
╭─ grpo of smollm2-135m, step 30/40, 48 s to go ───────────╮
│ reward                +0.50 ▁▁▁▂▂▂▃▃▃▄▄▄▄▅▅▅▅▆▆▆▇▇▇███   │
│ held-out success      30.0% ▁▅█                          │
│ entropy               0.100 ████████████████████▁▁▁▁▁▁   │
│ tokens per reply       40.0 ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁   │
│ tokens/s                640                              │
│ time sampling           52% ██████████████               │
│ time update             31% ████████                     │
│ time evaluating         17% ████                         │
│ warning             step 25 entropy collapse: entropy    │
│                             fell from 1 to 0.01. What to │
│                             do: a lower learning rate    │
╰──────────────────────────────────────────────────────────╯
"""


def steps() -> Iterator[tuple[int, dict[str, float], list[Alarm]]]:
    """A run of 30 steps with an alarm, as it is handed over."""
    for step in range(1, 31):
        metrics = {"reward": step / 20 - 1, "entropy": 0.1 if step > 23 else 1.0, "length": 40.0, "seen": 2560}
        metrics |= {"seconds": 4.0, "sampling_s": 2.5, "update_s": 1.5}
        if step % 10 == 0:
            metrics |= {"held_out_success": step / 100, "eval_s": 8.0}
        yield step, metrics, [COLLAPSE] if step == 25 else []


def printed(width: int) -> str:
    """The screen after the last step, with no terminal's control codes in it."""
    screen, file = TrainingPanel("grpo of smollm2-135m", 40), io.StringIO()
    for each in steps():
        screen.add(*each)
    Console(file=file, width=width).print(screen)
    return file.getvalue()


def test_at_width_60_the_screen_is_this() -> None:
    assert printed(60) == GOLDEN


@pytest.mark.parametrize("width", [60, 100, 160])
def test_the_screen_is_as_wide_as_the_terminal_and_holds_everything(width: int) -> None:
    lines = printed(width).splitlines()
    assert {cell_len(line) for line in lines} == {width}
    words = " ".join(" ".join(lines).replace("│", " ").split())
    for each in ("reward +0.50", "held-out success 30.0%", "entropy 0.100", "tokens/s 640", "time sampling 52%"):
        assert each in words
    assert "step 25 entropy collapse" in words and "a lower learning rate" in words and "48 s to go" in words


@pytest.mark.parametrize("colours", [True, False], ids=["colours", "no colours"])
def test_a_terminal_sees_the_panel_redrawn_at_every_step(colours: bool) -> None:
    file = io.StringIO()
    system: Any = "standard" if colours else None
    with live(
        "grpo", 40, Console(file=file, width=100, force_terminal=True, color_system=system, _environ={})
    ) as on_step:
        for each in steps():
            on_step(*each)
    text = file.getvalue()
    assert all(f"step {step}/40" in text for step in range(31)) and "entropy collapse" in text
    assert ("\x1b[36m" in text) == colours


def test_a_terminal_without_blocks_sees_letters() -> None:
    screen = TrainingPanel("sft", 2)
    for step in (1, 2):
        screen.add(step, {"loss": 1.0 / step, "seconds": 1.0, "update_s": 1.0}, [])
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(file=file, width=60).print(screen, "")
    file.seek(0)
    text = file.read()
    assert "loss" in text and "#_" in text and "done" in text


def test_before_the_first_step_there_is_a_panel_too() -> None:
    file = io.StringIO()
    Console(file=file, width=60).print(TrainingPanel("sft", 40))
    assert "sft, step 0/40, starting" in file.getvalue()


def test_a_piped_run_is_a_line_a_step_and_a_paragraph_an_alarm(capsys: pytest.CaptureFixture[str]) -> None:
    with live("grpo", 40) as on_step:
        on_step(3, {"reward": 0.41, "passed": 0.22, "seconds": 4.2, "seen": 2562}, [COLLAPSE])
    line, alarm = capsys.readouterr().out.splitlines()
    assert line == "step  3/40  reward +0.41  passed 22%  4.2 s  610 tokens/s"
    assert alarm.startswith("warning: entropy collapse (step 25): entropy fell from 1 to 0.01. What to do: a lower")


def test_a_line_without_tokens_is_as_it_was() -> None:
    assert step_line(3, 9, {"loss": 0.5, "seconds": 1.0}) == "step 3/9  loss 0.500  1.0 s"


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300), st.integers(1, 80), st.sampled_from([BLOCKS, LETTERS]))
def test_a_curve_has_at_most_its_width_and_its_lowest_and_highest_are_drawn(
    curve: list[float], width: int, levels: str
) -> None:
    drawn = sparkline(curve, width, levels)
    assert len(drawn) == min(width, len(curve)) and set(drawn) <= set(levels)
    assert levels[0] in drawn and (len(set(drawn)) == 1 or levels[-1] in drawn)


def test_shares_of_time_are_of_all_steps_and_name_what_is_in_no_stage() -> None:
    history = [{"seconds": 6.0, "sampling_s": 3.0, "update_s": 1.0}, {"seconds": 2.0, "sampling_s": 2.0, "eval_s": 2.0}]
    assert time_shares(history) == [("sampling", 0.5), ("update", 0.1), ("evaluating", 0.2), ("other", 0.2)]
    assert time_shares([]) == time_shares([{"reward": 1.0}]) == []


def test_tokens_a_second_are_of_the_steps_that_say_both() -> None:
    assert tokens_per_s([{"seen": 100, "seconds": 2.0}, {"seconds": 8.0}]) == 50
    assert tokens_per_s([{}]) == 0


@pytest.mark.parametrize(("seconds", "words"), [(45, "45 s"), (719, "12 min"), (11_100, "3 h 05 min")])
def test_durations_are_written_in_the_unit_that_fits(seconds: float, words: str) -> None:
    assert duration(seconds) == words
