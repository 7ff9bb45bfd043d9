"""loop: the whole ring, round after round, within a budget."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.live import duration
from verigym.cli.options import Home, Json, workspace
from verigym.cli.quickstart import Terminal

if TYPE_CHECKING:
    from verigym.core.records import Estimate, Version
    from verigym.flywheel.rounds import Round


def register(app: typer.Typer) -> None:
    app.command()(loop)


def loop(
    recipe: Annotated[Path, typer.Argument(help="A loop's recipe (YAML); the shortest names environment and model")],
    overrides: Annotated[list[str] | None, typer.Argument(metavar="[a.b=c]...", help="Fields to change")] = None,
    status: Annotated[bool, typer.Option("--status", help="Print the rounds so far, and run nothing")] = False,
    json: Json = False,
    home: Home = None,
) -> None:
    """Mine, measure, explain, advise, fix, gate and promote, round after round; killed, the same command goes on.
    Exit code from the gate's last answer: 0 PROMOTE, 1 REJECT, 3 NEED MORE DATA; 2 error."""
    from verigym.flywheel.loop import ended, play
    from verigym.flywheel.loop_recipe import read_loop
    from verigym.flywheel.rounds import exit_code, rounds_of

    wanted, ws = read_loop(recipe, overrides or []), workspace(home)
    if status:
        rounds, why = rounds_of(ws, wanted.id), ended(ws, wanted)
        if json:
            return show.as_json(rounds)
        show.say(f"loop {wanted.id} in {ws.home}" + ("" if rounds else ": no round yet"))
        for one in rounds:
            show.say("")
            summary(one, whole=True)
    else:
        screen = Silent() if json else LoopTerminal()
        if not json:
            show.say(f"loop {wanted.id} in {ws.home}. Interrupted, the same command goes on where it was.")
        rounds, why = play(ws, wanted, screen)
    code = exit_code(rounds)
    if json:
        show.as_json(rounds)
        raise typer.Exit(code)
    show.say("")
    show.paragraph(f"no further round: {why}" if why else "a round waits to go on, or the next one to begin")
    show.next_command(_next(rounds, recipe, why))
    if not status:
        raise typer.Exit(code)


def _next(rounds: "list[Round]", recipe: Path, why: str) -> str:
    last = rounds[-1] if rounds else None
    if not why:
        return f"verigym loop {show.quote(recipe)}"
    if last is not None and last.decided is not None and last.made is not None and last.begun is not None:
        return f"verigym compare {last.begun.champion} {last.made.version}   ·   verigym models ledger"
    return (
        f"verigym explain {show.quote(last.before.run)}"
        if last is not None and last.before is not None
        else "verigym runs"
    )


class LoopTerminal(Terminal):
    """The quickstart's screen, numbered anew in each round."""

    def round(self, number: int, champion: "Version") -> None:
        self.steps = 0
        show.say("", f"Round {number}, from {champion.label} ({champion.id})")

    def over(self, round: "Round") -> None:
        show.say("")
        summary(round)


class Silent:
    """For --json: the rounds are all that is printed."""

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


def summary(one: "Round", whole: bool = False) -> None:
    """A round in a few lines, as far as it went; `whole`: with the gate's words."""
    rows = [(name, words) for name, words in _lines(one) if words and (name or whole)]
    show.say(f"round {one.number}" + ("" if one.over else " (not over yet)"))
    for name, words in rows:
        show.paragraph(f"{name:<9} {words}", "  ", " " * 10)


def _lines(one: "Round") -> list[tuple[str, str]]:
    chosen, decided = one.chosen, one.decided
    before = (decided.before if decided and decided.before else None) or (one.before.success if one.before else None)
    after = (decided.after if decided and decided.after else None) or (one.after.success if one.after else None)
    success = _rate(before) + (f" -> {_rate(after)}" if after else "") if before else ""
    buckets = sorted((one.before.buckets if one.before else {}).items(), key=lambda pair: -pair[1])
    fix = "nothing" if chosen and not chosen.fix else (chosen.fix or "") if chosen else ""
    made = f" (version {one.made.version})" if one.made else ""
    paid = f", {show.dollars(one.over.dollars)}" if one.over and one.over.dollars else ""
    spent = f"{duration(one.over.seconds)}{paid}" if one.over else ""
    return [
        ("champion", one.begun.champion if one.begun else ""),
        ("mined", one.dug.words if one.dug else ""),
        ("success", success + (f" on {before.n} held-out tasks" if before else "")),
        ("failures", ", ".join(f"{name} {count}" for name, count in buckets)),
        ("advice", ", ".join(chosen.advice) if chosen else ""),
        ("tried", f"{fix}{made}: {chosen.why}" if chosen else ""),
        ("decision", f"{decided.verdict or 'not asked'}; champion {decided.champion}" if decided else ""),
        ("", decided.words if decided else ""),
        ("took", spent),
    ]


def _rate(it: "Estimate") -> str:
    return f"{100 * it.value:.1f}% ({100 * it.low:.1f}% to {100 * it.high:.1f}%)"
