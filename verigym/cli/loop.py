"""loop: mine, measure, explain, fix, gate and promote, round after round, within a budget."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.options import Home, Json, group, workspace
from verigym.cli.quickstart import Terminal
from verigym.core.words import dollars, duration, with_interval

if TYPE_CHECKING:
    from verigym.core.records import Estimate, Version
    from verigym.flywheel.rounds import Round

Recipe = Annotated[
    Path, typer.Argument(help="Loop recipe (YAML). It needs environment, and model if no champion exists yet")
]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="a.b=c", help="Recipe fields to override, such as steps=20 or lora.r=8. a.b= removes a field"
    ),
]

loop = group("loop", "Run the whole improvement loop unattended: run, status.")


@loop.command("run")
def run_loop(recipe: Recipe, overrides: Overrides = None, json: Json = False, home: Home = None) -> None:
    """Mine, measure, explain, advise, fix, gate and promote, round after round. Repeat the command to resume.
    Exit code from the gate's last decision: 0 PROMOTE, 1 REJECT, 3 NEED MORE DATA. 2 is an error."""
    from verigym.flywheel.loop_recipe import read_loop
    from verigym.flywheel.rounds import exit_code

    settings, ws = read_loop(recipe, overrides or []), workspace(home, create=True)
    if not json:
        show.say(f"loop {settings.id} in {ws.home}. If interrupted, repeat this command to resume.")
    rounds, why = ws.loop(settings, verbose=not json)
    if json:
        show.as_json(rounds)
    else:
        _say_end(rounds, recipe, why)
    raise typer.Exit(exit_code(rounds))


@loop.command("status")
def loop_status(recipe: Recipe, overrides: Overrides = None, json: Json = False, home: Home = None) -> None:
    """Print the rounds so far. Runs nothing."""
    from verigym.flywheel.loop_recipe import read_loop

    settings, ws = read_loop(recipe, overrides or []), workspace(home)
    rounds, why = ws.loop_status(settings)
    if json:
        return show.as_json(rounds)
    show.say(f"loop {settings.id} in {ws.home}" + ("" if rounds else ": no round yet"))
    for round in rounds:
        show.say("")
        say_round(round, details=True)
    _say_end(rounds, recipe, why)


def _say_end(rounds: "list[Round]", recipe: Path, why: str) -> None:
    show.say("")
    show.paragraph(f"no further round: {why}" if why else "the loop is not finished. Run it to resume")
    show.next_command(_next(rounds, recipe, why))


def _next(rounds: "list[Round]", recipe: Path, why: str) -> str:
    last = rounds[-1] if rounds else None
    if not why:
        return f"verigym loop run {show.quote(recipe)}"
    if last is not None and last.decided is not None and last.made is not None and last.begun is not None:
        return f"verigym compare {last.begun.champion} {last.made.version}   ·   verigym models ledger"
    return (
        f"verigym explain {show.quote(last.before.run)}"
        if last is not None and last.before is not None
        else "verigym runs"
    )


class LoopTerminal(Terminal):
    """The quickstart's screen with its details, numbered from 1 in each round."""

    def __init__(self) -> None:
        super().__init__(verbose=True)

    def round(self, number: int, champion: "Version") -> None:
        self.steps = 0
        show.say("", f"Round {number}, from {champion.label} ({champion.id})")

    def over(self, round: "Round") -> None:
        show.say("")
        say_round(round)


class SilentScreen:
    """The screen for --json: prints nothing but progress bars."""

    def round(self, number: int, champion: "Version") -> None: ...
    def line(self, text: str) -> None: ...
    def failures(self, findings: list[Any]) -> None: ...
    def decided(self, decision: Any) -> None: ...
    def over(self, round: "Round") -> None: ...

    def step(self, title: str, why: str) -> Any:
        return contextlib.nullcontext()

    def episodes(self, what: str) -> Any:
        return show.episodes(what)

    def training(self, steps: int) -> Any:
        return contextlib.nullcontext(lambda step, metrics, alarms: None)


def say_round(round: "Round", details: bool = False) -> None:
    """A round in a few lines. With details, also the gate's reasons."""
    rows = [(name, text) for name, text in _lines(round) if text and (name or details)]
    show.say(f"round {round.number}" + ("" if round.over else " (not finished)"))
    for name, text in rows:
        show.paragraph(f"{name:<9} {text}", "  ", " " * 10)


def _lines(round: "Round") -> list[tuple[str, str]]:
    chosen, decided = round.chosen, round.decided
    before = decided.before if decided and decided.before else round.before.success if round.before else None
    after = decided.after if decided and decided.after else round.after.success if round.after else None
    success = _rate(before) + (f" -> {_rate(after)}" if after else "") if before else ""
    buckets = sorted((round.before.buckets if round.before else {}).items(), key=lambda pair: -pair[1])
    fix = (chosen.fix or "nothing") if chosen else ""
    made = f" (version {round.made.version})" if round.made else ""
    cost = f", {dollars(round.over.dollars)}" if round.over and round.over.dollars else ""
    spent = f"{duration(round.over.seconds)}{cost}" if round.over else ""
    return [
        ("champion", round.begun.champion if round.begun else ""),
        ("mined", round.dug.words if round.dug else ""),
        ("success", success + (f" on {before.n} held-out tasks" if before else "")),
        ("failures", ", ".join(f"{name} {count}" for name, count in buckets)),
        ("advice", ", ".join(chosen.advice) if chosen else ""),
        ("tried", f"{fix}{made}: {chosen.why}" if chosen else ""),
        ("decision", f"{decided.verdict or 'not decided'}, champion {decided.champion}" if decided else ""),
        ("", decided.words if decided else ""),
        ("took", spent),
    ]


def _rate(estimate: "Estimate") -> str:
    return with_interval(estimate.value, estimate.low, estimate.high)
