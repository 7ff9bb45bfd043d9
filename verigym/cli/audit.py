"""audit: can a verifier's rewards be trusted? Run it on stored outputs, record cases that it must get right, list audits."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from verigym.cli import complete, show
from verigym.cli.options import Environment, Home, Json, Judge, Verifier, group, num_option, workspace
from verigym.core.words import counted

if TYPE_CHECKING:
    from verigym.audit.labels import Disagreement
    from verigym.audit.verifier import Audit

_BAR = 40
_SHOWN = 10
"""Disagreements that are printed. --json has all of them."""


def list_all(json: bool, home: Path | None) -> None:
    """List the audits of this workspace, oldest first."""
    from verigym.workspace.audit import AuditRecord

    audits = workspace(home).folder.store.documents("audited", AuditRecord)
    if json:
        return show.as_json(audits)
    if not audits:
        show.say("no audits yet")
        return show.next_command("verigym audit run ENV")
    rows = [
        (audit.environment, audit.verifier, audit.run, audit.n, show.clip(audit.fix[0], 60) if audit.fix else "trusted")
        for audit in audits
    ]
    show.table(rows, ("environment", "verifier", "run", "outputs", "result"))
    show.next_command(f"verigym audit run {show.quote(audits[-1].environment)}")


audit = group("audit", "Check whether a verifier's rewards can be trusted: run, case, list.", list_all)


@audit.command("run")
def run_audit(
    environment: Environment,
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="Run whose outputs are used: id or prefix (default: the newest with 50 outputs or more)",
            autocompletion=complete.runs,
        ),
    ] = "",
    num: Annotated[int, num_option("Number of outputs, spread over tasks")] = 100,
    save_cases: Annotated[
        bool, typer.Option("--save-cases", help="Save every disagreement with a person's label as a case")
    ] = False,
    who: Annotated[
        str, typer.Option("--who", help="Use only the labels of this person (default: the newest label of each output)")
    ] = "",
    verifier: Verifier = "",
    judge: Judge = "",
    seed: Annotated[int, typer.Option("--seed", help="Random seed for the selection of outputs")] = 0,
    json: Json = False,
    home: Home = None,
) -> None:
    """Test a verifier on the outputs of a run: reward spread, agreement with labels, cheats, repeats and edits.
    Needs no model. Exit code 0 if it can be trusted, 1 if not."""
    from verigym.environments.load import load_environment
    from verigym.workspace.audit import keep_disagreements
    from verigym.workspace.measure import judged_by

    ws, spec = workspace(home), judged_by(load_environment(environment), verifier)
    result = ws.audit(spec, run, n=num, seed=seed, judge=judge, who=who)
    saved = None
    if save_cases and result.agreement:
        saved = keep_disagreements(ws.folder, spec, result.agreement.disagreements)
    if json:
        import msgspec

        show.as_json({**msgspec.to_builtins(result), "trust": result.trust})
    else:
        _say_audit(result)
        if saved is not None:
            show.say(f"saved {counted(saved[1], 'new case')} in {saved[0]}. `check` and `audit run` replay them")
        _say_end(result, _command(environment, result.run, verifier, judge), save_cases)
    raise typer.Exit(0 if result.trust else 1)


@audit.command("case")
def add_case(
    environment: Environment,
    trajectory: Annotated[str, typer.Argument(metavar="TRAJECTORY", help="Trajectory: id or unique prefix")],
    should: Annotated[Literal["pass", "fail"], typer.Option("--should", help="Correct verdict: pass or fail")],
    note: Annotated[str, typer.Option("--note", help="Reason, stored with the case")] = "",
    who: Annotated[str, typer.Option("--who", help="Name stored with the case (default: your user name)")] = "",
    verifier: Verifier = "",
    json: Json = False,
    home: Home = None,
) -> None:
    """Save an output with its correct verdict. `check` and `audit run` replay it from now on."""
    options = {"note": note, "who": who, "verifier": verifier}
    saved = workspace(home).audit_case(environment, trajectory, should=should, **options)
    if json:
        return show.as_json({"file": str(saved.file), "new": saved.new, "case": saved.case})
    show.say(f"{saved.case.trajectory.id} should {should}: {'saved' if saved.new else 'already'} in {saved.file}")
    show.next_command(_command(environment, "", verifier, ""))


def _say_audit(result: "Audit") -> None:
    from verigym.audit.rewards import histogram, parts_that_say_little
    from verigym.workspace.audit import ENOUGH

    few = f" ({ENOUGH} to 100 are better)" if result.n < ENOUGH else ""
    show.say(f"{result.verifier} on {counted(result.n, 'output')} of {result.run}{few}", "")
    rows = histogram(result.rewards)
    most = max((count for _, count in rows), default=1)
    show.table([(label, count, "#" * -(-_BAR * count // most)) for label, count in rows], ("reward", "outputs", ""))
    if result.parts:
        show.say("")
        cells = [(part.name, *map(_number, (part.passed, part.failed, part.relation))) for part in result.parts]
        show.table(cells, ("part", "if passed", "if failed", "correlation with passing"))
    show.say(*parts_that_say_little(result.parts), "")
    show.checks(result.checks)
    if result.agreement is not None and result.agreement.disagreements:
        _say_disagreements(result.agreement.disagreements)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _say_disagreements(disagreements: "Sequence[Disagreement]") -> None:
    show.say("", "disagreements with people:")
    for item in disagreements[:_SHOWN]:
        verdict = "passed" if item.passed else "failed"
        show.paragraph(
            f"{item.trajectory}: labelled {item.label} by {item.who}: {item.note or 'no reason given'}", "  ", "  "
        )
        show.paragraph(
            f"{verdict} with reward {item.reward:g} by the verifier: {show.clip(item.evidence or 'no reason given', 300)}",
            "    ",
            "  ",
        )
    if len(disagreements) > _SHOWN:
        show.say(f"  and {len(disagreements) - _SHOWN} more (--json lists all)")


def _command(environment: str, run: str, verifier: str, judge: str) -> str:
    """The command that repeats this audit: the same verifier, the same judge."""
    options = {"--verifier": verifier, "--judge": judge}
    given = [word for name, value in options.items() if value for word in (name, value)]
    return shlex.join(["verigym", "audit", "run", environment, *([run] if run else []), *given])


def _say_end(result: "Audit", again: str, saved: bool) -> None:
    show.say("")
    disagrees = result.agreement is not None and result.agreement.disagreements
    if result.trust:
        unclear = ", ".join(f'"{check.name}"' for check in result.checks if check.outcome == "unclear")
        show.say(f"trust it, except for checks that are still open: {unclear}" if unclear else "trust it")
    else:
        show.say("fix this first:")
        for number, text in enumerate(result.fix, 1):
            show.paragraph(f"{number}. {show.command(text)}", "  ", "   ")
    if disagrees and not saved:
        show.next_command(f"{again} --save-cases   (saves the disagreements as cases)")
    elif result.agreement is None and (result.trust or result.asks_judge):
        show.next_command(f"verigym label {show.quote(result.run)} --single   (does it agree with you?)")
    elif result.trust:
        show.next_command("verigym train RECIPE")
    else:
        show.next_command(f"{again}   (after you changed the verifier)")
