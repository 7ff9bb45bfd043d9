"""Live view of a training run: a panel of curves on a terminal, one line per step if the output is piped.

    with live("grpo of smollm2-135m", steps=40) as on_step:
        on_step(step, metrics, new_alarms(history))

It only displays. A metric that is missing has no row.
"""

import contextlib
import itertools
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from verigym.cli import show
from verigym.core.words import duration

if TYPE_CHECKING:
    from verigym.training.alarms import Alarm

Metrics = Mapping[str, float]
OnStep = Callable[[int, Metrics, "Sequence[Alarm]"], None]
CURVES = {
    "reward": ("reward", "{:+.2f}", 1),
    "held_out_success": ("held-out success", "{:.1f}%", 100),
    "entropy": ("entropy", "{:.3f}", 1),
    "length": ("tokens per reply", "{:.1f}", 1),
    "loss": ("loss", "{:.3f}", 1),
}
"""Metric to its name on the screen, the format of its latest value, and the scale of that value."""
STAGES = {"sampling_s": "sampling", "verifying_s": "verifying", "update_s": "update", "eval_s": "evaluating"}
BLOCKS, LETTERS = "▁▂▃▄▅▆▇█", "_.-=+*%#"
"""Heights of a curve. The second set is for terminals without block characters."""
NUM_ALARMS = 3
"""Alarms shown, newest first. The newest has its remedy."""
_NAMES, _VALUES = 17, 9
"""Widths of the two columns left of the curves."""


@contextlib.contextmanager
def live(title: str, steps: int, console: Any = None) -> Iterator[OnStep]:
    """Call the result after each step with its metrics and new alarms. On a terminal the last panel stays."""
    if console is None and not sys.stderr.isatty():
        yield lambda step, metrics, alarms: _plain(step, steps, metrics, alarms)
        return
    from rich.console import Console
    from rich.live import Live

    screen = TrainingPanel(title, steps)
    with Live(screen, console=console or Console(stderr=True), auto_refresh=False) as shown:

        def on_step(step: int, metrics: Metrics, alarms: "Sequence[Alarm]") -> None:
            screen.add(step, metrics, alarms)
            shown.refresh()

        yield on_step


def _plain(step: int, steps: int, metrics: Metrics, alarms: "Sequence[Alarm]") -> None:
    show.say(step_line(step, steps, metrics))
    for alarm in alarms:
        show.paragraph(f"warning: {alarm}", hang="  ")


def step_line(step: int, steps: int, metrics: Metrics) -> str:
    """`step  3/40  reward 0.41  passed 22%  held-out 31%  4.2 s  610 tokens/s`"""
    shown = [f"step {step:>{len(str(steps))}}/{steps}"]
    for name, words, scale in (
        ("loss", "loss {:.3f}", 1),
        ("reward", "reward {:+.2f}", 1),
        ("passed", "passed {:.0f}%", 100),
        ("live_groups", "groups with signal {:.0f}%", 100),
        ("teacher_kl", "KL to the teacher {:.2f}", 1),
        ("explained_variance", "critic explains {:.0f}%", 100),
        ("untaught", "not taught {:.0f}", 1),
        ("unscored", "not scored {:.0f}", 1),
        ("entropy", "entropy {:.2f}", 1),
        ("held_out_success", "HELD-OUT {:.1f}%", 100),
        ("seconds", "{:.1f} s", 1),
    ):
        hidden = (name == "loss" and "reward" in metrics) or (
            name in ("unscored", "untaught") and not metrics.get(name)
        )
        if name in metrics and not hidden:
            shown.append(words.format(metrics[name] * scale).replace(" -0%", " 0%"))
    speed = tokens_per_s([metrics])
    return "  ".join([*shown, f"{speed:,.0f} tokens/s"] if speed else shown)


def tokens_per_s(history: Sequence[Metrics]) -> float:
    """Tokens of prompts and replies that were trained on, per second. 0 if unknown."""
    timed = [metrics for metrics in history if metrics.get("seconds") and "seen" in metrics]
    return sum(each["seen"] for each in timed) / sum(each["seconds"] for each in timed) if timed else 0.0


class TrainingPanel:
    """The panel on the terminal, rendered by rich at the full width."""

    def __init__(self, title: str, steps: int) -> None:
        self.title, self.steps = title, steps
        self.history: dict[int, Metrics] = {}
        self.alarms: list[Alarm] = []

    def add(self, step: int, metrics: Metrics, alarms: "Sequence[Alarm]") -> None:
        self.history[step] = metrics
        self.alarms += alarms

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich.panel import Panel
        from rich.table import Table
        from rich.text import Text

        room = max(8, options.max_width - _NAMES - _VALUES - 8)
        rows = Table.grid(padding=(0, 1))
        rows.add_column(width=_NAMES)
        rows.add_column(width=_VALUES, justify="right")
        rows.add_column()
        for name, (words, shape, scale) in CURVES.items():
            curve = [metrics[name] for metrics in self.history.values() if name in metrics]
            if curve and not (name == "loss" and "reward" in self._latest):
                drawn = sparkline(curve, room, LETTERS if options.ascii_only else BLOCKS)
                rows.add_row(words, shape.format(curve[-1] * scale), Text(drawn, style="cyan"))
        recent = list(self.history.values())[-5:]
        if speed := tokens_per_s(recent):
            rows.add_row("tokens/s", f"{speed:,.0f}", "")
        for words, share in time_shares(list(self.history.values())):
            bar = ("#" if options.ascii_only else "█") * max(1, round(share * room))
            rows.add_row(f"time {words}", f"{share:.0%}", Text(bar, style="green"))
        for index, alarm in enumerate(reversed(self.alarms[-NUM_ALARMS:])):
            text = f"{alarm.kind}: {alarm.observation}" + ("" if index else f". What to do: {alarm.remedy}")
            rows.add_row(Text("warning", style="bold red"), f"step {alarm.step}", Text(show.visible(text)))
        step = max(self.history, default=0)
        heading = f"{self.title}, step {step}/{self.steps}, {self._eta()}"
        yield Panel(rows, title=Text(heading), title_align="left")

    @property
    def _latest(self) -> Metrics:
        return self.history[max(self.history)] if self.history else {}

    def _eta(self) -> str:
        if not self.history:
            return "starting"
        mean = statistics.fmean(
            metrics.get("seconds", 0.0) + metrics.get("eval_s", 0.0) for metrics in self.history.values()
        )
        left = self.steps - max(self.history)
        return f"{duration(mean * left)} to go" if left > 0 else "done"


def sparkline(curve: Sequence[float], width: int, levels: str = BLOCKS) -> str:
    """A curve in at most `width` characters. Each is the mean of an equal share of the steps, scaled from lowest to highest."""
    width = min(width, len(curve))
    edges = [round(at * len(curve) / width) for at in range(width + 1)]
    means = [statistics.fmean(curve[start:end]) for start, end in itertools.pairwise(edges)]
    low, spread = min(means), max(means) - min(means)
    return "".join(levels[round((mean - low) / spread * (len(levels) - 1)) if spread > 0 else 0] for mean in means)


def time_shares(history: Sequence[Metrics]) -> list[tuple[str, float]]:
    """Share of the time of all steps per stage, and the rest."""
    spent = {words: sum(metrics.get(name, 0.0) for metrics in history) for name, words in STAGES.items()}
    whole = sum(metrics.get("seconds", 0.0) + metrics.get("eval_s", 0.0) for metrics in history)
    spent["other"] = whole - sum(spent.values())
    return [(words, seconds / whole) for words, seconds in spent.items() if whole and seconds > 0.005 * whole]
