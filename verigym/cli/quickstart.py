"""quickstart: the whole cycle, shown on a terminal."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.live import BLOCKS, LETTERS, sparkline, step_line
from verigym.cli.options import Home, workspace
from verigym.core.records import Decision, Finding, Report
from verigym.core.words import counted, duration, percent

if TYPE_CHECKING:
    from verigym.flywheel.quickstart import Example
    from verigym.training.alarms import Alarm

_BAR = 40
"""Width of a bar of 100%."""


def quickstart(
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print the details of every step")] = False,
    home: Home = None,
) -> None:
    """Run the whole cycle on the embedded model: no key, no GPU, no server.
    It takes three to eight minutes on two CPU cores."""
    started = time.perf_counter()
    show.say(
        "The whole cycle on this machine: measure, explain, train, prove, promote.",
        "It takes three to eight minutes on two CPU cores. If interrupted, repeat the command to resume. -v prints details.",
        "",
    )
    ws = workspace(home, create=True)
    decision = ws.quickstart(verbose=verbose)
    page = ws.write_report(decision.candidate)
    show.say("", f"{decision.verdict} in {duration(time.perf_counter() - started, exact=True)}")
    show.say(f"All about the new version on one page: {page} (open it in a browser)", "", "What to do next:")
    show.table(
        [
            (
                show.command(f"verigym compare {decision.champion} {decision.candidate}"),
                "task by task, before and after",
            ),
            (show.command("verigym serve"), "talk to the new champion over HTTP"),
            ("verigym init mine", "a small environment to put your own prompts and your own check into"),
        ],
        ("command", "what it does"),
        "  ",
    )
    show.next_command("verigym serve")


class Terminal:
    """The quickstart's screen: one line for each step. `verbose` adds what each step is for, and its details."""

    def __init__(self, verbose: bool = False) -> None:
        self.verbose = verbose
        self.steps = 0
        self._result = ""

    @contextlib.contextmanager
    def step(self, title: str, why: str) -> Iterator[None]:
        self.steps += 1
        self._result = ""
        started = time.perf_counter()
        if self.verbose:
            show.say("", f"{self.steps}. {title}: {why}")
        yield
        spent = duration(time.perf_counter() - started)
        if self.verbose:
            show.say(*([f"   {self._result}"] if self._result else []), f"   [{spent}]")
        else:
            show.say(f"{self.steps:>2}. {title:<14} {self._result}  [{spent}]")

    def result(self, text: str) -> None:
        self._result = text

    def line(self, text: str) -> None:
        if self.verbose:
            show.say(f"   {text}")

    def episodes(self, what: str) -> Any:
        return show.episodes(what)

    @contextlib.contextmanager
    def training(self, steps: int) -> Iterator[Callable[[int, dict[str, float], list["Alarm"]], None]]:
        """The details are about ten lines, however many steps."""
        with show.progress("training") as bar:

            def on_step(step: int, metrics: dict[str, float], alarms: "list[Alarm]") -> None:
                bar(step, steps, f"reward {metrics['reward']:.2f}" if "reward" in metrics else "")
                if step % max(1, steps // 10) == 0 or step in (1, steps):
                    self.line(step_line(step, steps, metrics))
                for alarm in alarms:
                    self.line(f"warning: {alarm.observation}")

            yield on_step

    def measured(self, name: str, report: Report) -> None:
        success = report.metrics["success"]
        tasks = f"{counted(len(report.suite.tasks), 'task')} of {counted(len(report.suite.families), 'family')}"
        self.result(
            f"{percent(success.value)} right (95% interval {percent(success.low)} to {percent(success.high)}, {tasks})"
        )

    def failures(self, findings: list[Finding]) -> None:
        if self.verbose:
            show.findings(findings, "   ")

    def decided(self, decision: Decision) -> None:
        passed = sum(check.outcome == "pass" for check in decision.checks)
        stuck = [check for check in decision.checks if check.outcome in ("fail", "unclear")]
        tasks = sum(sides.tasks for sides in decision.measured)
        self.result(
            f"{decision.verdict}: {counted(passed, 'check')} passed on {counted(tasks, 'task')}"
            + "".join(f", {check.name}: {check.outcome}" for check in stuck)
        )
        if self.verbose or stuck:
            show.checks(decision.checks if self.verbose else stuck, "   ")

    def picture(self, success: dict[str, Report], rewards: Sequence[float], examples: Sequence["Example"]) -> None:
        """Bars of success, the curve of training, and questions before and after."""
        block, levels = ("█", BLOCKS) if _draws_blocks() else ("#", LETTERS)
        show.say("", "Right answers on held-out questions")
        for name, report in success.items():
            value = report.metrics["success"].value
            show.say(f"  {name:<14} {percent(value):>6}  {block * round(_BAR * value)}")
        curve = sparkline(rewards, _BAR, levels)
        show.say(f"  reward         {rewards[0]:>6.2f}  {curve}  {rewards[-1]:.2f}", "")
        for example in examples:
            show.say(*(f"  {line}" for line in example.question.splitlines()))
            show.say(
                f"    right   {example.expected}",
                f"    before  {show.clip(example.before, 100)}",
                f"    after   {show.clip(example.after, 100)}",
            )


def _draws_blocks() -> bool:
    """Whether the terminal can show block characters."""
    return "utf" in (sys.stdout.encoding or "").lower()
