"""audit: can a verifier's rewards be trusted? On stored outputs, with no model; ends in words."""

import shlex
from typing import Annotated, Any, Literal

import typer

from verigym.cli import show
from verigym.cli.options import Environment, Home, Json, Judge, Verifier, workspace
from verigym.core.errors import BadInput
from verigym.core.words import counted

_BAR = 40
_SHOWN = 10
"""Disagreements that are printed; all of them are in --json."""


def register(app: typer.Typer) -> None:
    app.command()(audit)


def audit(
    environment: Environment,
    run: Annotated[
        str, typer.Argument(help="A run: id, or beginning of an id; default: the newest with 50 outputs or more")
    ] = "",
    n: Annotated[int, typer.Option("-n", min=1, help="Outputs, spread over tasks")] = 100,
    case: Annotated[
        str, typer.Option("--case", help="Keep this output as a case that is replayed from now on; with --should")
    ] = "",
    should: Annotated[
        Literal["pass", "fail"] | None, typer.Option("--should", help="What the verdict on --case should be")
    ] = None,
    note: Annotated[str, typer.Option("--note", help="Why, for --case")] = "",
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep every disagreement with people's labels as such a case")
    ] = False,
    who: Annotated[str, typer.Option("--who", help="Whose labels count; default: everybody's newest")] = "",
    verifier: Verifier = "",
    judge: Judge = "",
    seed: Annotated[int, typer.Option("--seed", help="Of outputs drawn")] = 0,
    json: Json = False,
    home: Home = None,
) -> None:
    """Can this reward be trusted? Rewards, people's labels, cheats, repeats and edits, on outputs of a run; no model needed."""
    from verigym.environments.load import load_environment
    from verigym.workspace import audit as stage
    from verigym.workspace.measure import judged_by

    ws, spec = workspace(home), judged_by(load_environment(environment), verifier)
    if case or should:
        return _keep_case(ws, spec, case, should, note, who, _command(environment, "", verifier, judge))
    with show.progress("auditing") as update:
        update(0, 0, "")
        found = stage.audit(ws, spec, run, n=n, seed=seed, judge=ws.agent(judge) if judge else None, who=who)
    kept = stage.keep_disagreements(ws, spec, found.agreement.disagreements) if keep and found.agreement else None
    if json:
        import msgspec

        show.as_json({**msgspec.to_builtins(found), "trust": found.trust})
    else:
        _show(found)
        if kept is not None:
            show.say(f"kept {counted(kept[1], 'new case')} in {kept[0]}; verigym check and audit replay them")
        _end(found, _command(environment, found.run, verifier, judge), keep)
    raise typer.Exit(0 if found.trust else 1)


def _keep_case(ws: Any, spec: Any, case: str, should: str | None, note: str, who: str, again: str) -> None:
    from verigym.registry.ledger import current_user
    from verigym.workspace import audit as stage

    if not case or not should:
        raise BadInput("--case TRAJECTORY and --should pass|fail go together: which output, and what is right")
    path, made, new = stage.keep_case(ws, spec, case, should, note, who or current_user())
    show.say(f"{made.trajectory.id} should {should}: {'kept' if new else 'already'} in {path}")
    show.next_command(again)


def _show(found: Any) -> None:
    from verigym.audit.rewards import histogram, parts_that_say_little
    from verigym.workspace.audit import ENOUGH

    few = f" ({ENOUGH} to 100 tell more)" if found.n < ENOUGH else ""
    show.say(f"{found.verifier} on {counted(found.n, 'output')} of {found.run}{few}", "")
    rows = histogram(found.rewards)
    most = max((count for _, count in rows), default=1)
    show.table([(label, count, "#" * -(-_BAR * count // most)) for label, count in rows], ("reward", "outputs", ""))
    if found.parts:
        show.say("")
        cells = [(one.name, *map(_number, (one.passed, one.failed, one.relation))) for one in found.parts]
        show.table(cells, ("part", "if passed", "if failed", "relation to passing"))
    show.say(*parts_that_say_little(found.parts), "")
    show.checks(found.checks)
    if found.agreement is not None and found.agreement.disagreements:
        _disagreements(found.agreement.disagreements)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _disagreements(found: list[Any]) -> None:
    show.say("", "people say otherwise:")
    for one in found[:_SHOWN]:
        said = "passed" if one.passed else "failed"
        show.paragraph(f"{one.trajectory}: {one.label}, says {one.who}: {one.note or 'no reason given'}", "  ", "  ")
        show.paragraph(
            f"{said} with {one.reward:g}, says the verifier: {show.clip(one.evidence or 'no reason given', 300)}",
            "    ",
            "  ",
        )
    if len(found) > _SHOWN:
        show.say(f"  and {len(found) - _SHOWN} more (--json has all)")


def _command(environment: str, run: str, verifier: str, judge: str) -> str:
    """The audit to be asked for again: of the same verifier, by the same judge."""
    options = {"--verifier": verifier, "--judge": judge}
    given = [word for name, value in options.items() if value for word in (name, value)]
    return shlex.join(["verigym", "audit", environment, *([run] if run else []), *given])


def _end(found: Any, again: str, kept: bool) -> None:
    """The answer, and what to do next; `again` is this audit as a command."""
    show.say("")
    wrong = found.agreement is not None and found.agreement.disagreements
    if found.trust:
        unclear = ", ".join(f'"{check.name}"' for check in found.checks if check.outcome == "unclear")
        show.say(f"trust it, as far as was seen; left open: {unclear}" if unclear else "trust it")
    else:
        show.say("fix this first:")
        for place, words in enumerate(found.fix, 1):
            show.paragraph(f"{place}. {words}", "  ", "   ")
    if wrong and not kept:
        show.next_command(f"{again} --keep   (the disagreements become cases)")
    elif found.agreement is None and (found.trust or found.asks_judge):
        show.next_command(f"verigym label {show.quote(found.run)} --single   (does it agree with you?)")
    elif found.trust:
        show.next_command("verigym train RECIPE")
    else:
        show.next_command(f"{again}   (when the verifier is changed)")
