"""quickstart: the whole cycle, shown on a terminal."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from verigym.cli import compare, show
from verigym.cli.live import step_line
from verigym.cli.options import Home, workspace
from verigym.core.records import Decision, Finding, Report
from verigym.core.words import counted, duration, figure

if TYPE_CHECKING:
    from verigym.evaluation.compare import Comparison
    from verigym.training.alarms import Alarm


def quickstart(home: Home = None) -> None:
    """Run the whole cycle on the embedded model: no key, no GPU, no server.
    It takes about 15 minutes on two idle CPU cores."""
    started = time.perf_counter()
    show.say("The whole cycle on this machine. If interrupted, repeat the command to resume.")
    decision = workspace(home, create=True).quickstart()
    show.say("", f"done in {duration(time.perf_counter() - started, exact=True)}: {decision.verdict}")
    show.next_command(
        f"verigym models list   ·   verigym runs   ·   verigym compare {decision.champion} {decision.candidate}"
    )


class Terminal:
    """The quickstart's screen: each step one line of explanation, its figures, its time."""

    def __init__(self) -> None:
        self.steps = 0

    @contextlib.contextmanager
    def step(self, title: str, why: str) -> Iterator[None]:
        self.steps += 1
        show.say("", f"{self.steps}. {title}: {why}")
        started = time.perf_counter()
        yield
        show.say(f"   [{duration(time.perf_counter() - started, exact=True)}]")

    def line(self, text: str) -> None:
        show.say(f"   {text}")

    def episodes(self, what: str) -> Any:
        return show.episodes(what)

    @contextlib.contextmanager
    def training(self, steps: int) -> Iterator[Callable[[int, dict[str, float], list["Alarm"]], None]]:
        """About ten lines, however many steps."""
        with show.progress("training") as bar:

            def on_step(step: int, metrics: dict[str, float], alarms: "list[Alarm]") -> None:
                bar(step, steps, "")
                if step % max(1, steps // 10) == 0 or step in (1, steps):
                    self.line(step_line(step, steps, metrics))
                for alarm in alarms:
                    self.line(f"warning: {alarm.observation}")

            yield on_step

    def measured(self, name: str, report: Report) -> None:
        value, interval = figure("success", report.metrics["success"])
        tasks = f"{counted(len(report.suite.tasks), 'task')} of {counted(len(report.suite.families), 'family')}"
        self.line(f"{name}: success {value} (95% interval {interval}; {tasks})")
        shown = [
            f"{name} {figure(name, report.metrics[name])[0]}"
            for name in ("valid output", "correct tool", "correct arguments", "execution success", "unsafe actions")
        ]
        self.line(", ".join(shown))

    def failures(self, findings: list[Finding]) -> None:
        show.findings(findings, "   ")

    def compared(self, comparison: "Comparison", before: str, after: str) -> None:
        compare.comparison(comparison, before, after, indent="   ")
        show.say("")

    def decided(self, decision: Decision) -> None:
        show.checks(decision.checks, "   ")
        self.line(f"decision: {decision.verdict}")

    def side_by_side(self, request: str, expected: str, before: str, after: str) -> None:
        self.line(f"request  {request}")
        self.line(f"  wants  {expected}")
        self.line(f"  before {show.clip(before, 110)}")
        self.line(f"  after  {show.clip(after, 110)}")
