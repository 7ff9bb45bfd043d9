"""policies: what the gate demands. List the shipped policies and print one as a YAML file to start from."""

from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Json, group


def list_all(json: bool, home: Path | None = None) -> None:
    """List the shipped gate policies."""
    from verigym.gates.policy import POLICIES, hash_of

    if json:
        return show.as_json(list(POLICIES.values()))
    rows = [(policy.name, hash_of(policy)[:8], policy.primary, policy.planned_gain) for policy in POLICIES.values()]
    show.table(rows, ("policy", "hash", "primary", "planned gain"))
    show.next_command("verigym policies show default > my_policy.yaml")


policies = group("policies", "Gate policies: list (the default), show.", list_all)


@policies.command("show")
def show_policy(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Policy: default, quick, or a YAML file")] = "default",
    json: Json = False,
) -> None:
    """Print a gate policy as YAML, to save and edit: verigym policies show default > mine.yaml"""
    from verigym.gates.policy import as_yaml, find_policy, hash_of

    policy = find_policy(name)
    if json:
        return show.as_json(policy)
    show.say(f"# Policy {policy.name} ({hash_of(policy)[:8]}). Fields: docs/how-to/gate.md")
    show.say(as_yaml(policy).rstrip())
