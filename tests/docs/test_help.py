"""Help texts: every argument and option has one, it starts with a verb or a noun, and it is one plain line."""

from collections.abc import Iterator
from typing import Any

import typer
from typer.testing import CliRunner

from verigym.cli.main import app

FRAGMENTS = set(
    ["Of", "Whose", "What", "Which", "How", "Whether", "So", "As", "By", "To", "From", "Where", "In", "On", "Instead"]
)
FOREIGN = {"install_completion", "show_completion", "help"}
"""Options that the command-line library adds."""


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    yield name, command
    for child, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{name} {child}")


COMMANDS = dict(commands(typer.main.get_command(app), "verigym"))


def faults(text: str | None, option: bool) -> list[str]:
    if not text:
        return ["no help"]
    first = text.split()[0]
    found = []
    if first in FRAGMENTS:
        found.append(f'starts with "{first}"')
    if not first[0].isupper():
        found.append("starts with a small letter")
    if ";" in text:
        found.append("has a semicolon")
    if option and text.endswith("."):
        found.append("ends with a period")
    return found


def test_help_is_plain() -> None:
    wrong: dict[str, list[str]] = {}
    for name, command in COMMANDS.items():
        wrong[name] = faults(command.help, option=False)
        for parameter in command.params:
            if parameter.name not in FOREIGN:
                wrong[f"{name} {parameter.name}"] = faults(getattr(parameter, "help", None), option=True)
    assert {where: texts for where, texts in wrong.items() if texts} == {}


def test_shared_options_have_one_spelling() -> None:
    for name, command in COMMANDS.items():
        names = {spelling for parameter in command.params for spelling in (*parameter.opts, *parameter.secondary_opts)}
        own = {"--to"} if name == "verigym recipe translate" else set[str]()
        assert names & {"--to", "--from", "--keep", "--environment", "--n"} == own, name
        for short, long in (("-n", "--num"), ("-o", "--out"), ("-e", "--env"), ("-m", "--model")):
            assert (short in names) == (long in names), name


def test_the_lint_notices_bad_help() -> None:
    assert faults("", option=True) == ["no help"]
    assert len(faults("Of one reply; default all.", option=True)) == 3
    assert faults("seed", option=True) == ["starts with a small letter"]


def test_a_group_shows_the_whole_first_sentence_of_each_command() -> None:
    shown = " ".join(CliRunner().invoke(app, ["models", "--help"]).output.split())
    assert (
        "pull Prepare the embedded model: fetch, check and convert it once." in shown
        and "... " not in shown.split("Commands:")[1]
    )


def test_usage_has_no_brackets_of_its_own_around_arguments() -> None:
    for name, command in COMMANDS.items():
        usage = " ".join(command.collect_usage_pieces(command.make_context(name, [], resilient_parsing=True)))
        assert not any(doubled in usage for doubled in ("[[", "{[", "......", "...}")), usage
