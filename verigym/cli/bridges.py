"""bridges: environments of other projects, and what they need installed."""

from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Json, group


def list_all(json: bool, home: Path | None) -> None:
    """List environments of other projects, and whether their packages are installed."""
    from verigym.environments.bridges.find import BRIDGES
    from verigym.environments.bridges.install import PACKAGES, installed_version

    rows = [
        {
            "bridge": name,
            "environments": bridge.what,
            "example": bridge.example,
            "package": f"{PACKAGES[name].name} {PACKAGES[name].version}",
            "installed": installed_version(name) or "",
        }
        for name, bridge in BRIDGES.items()
    ]
    if json:
        return show.as_json(rows)
    show.table(
        [(row["bridge"], row["example"], row["environments"], row["installed"] or "no") for row in rows],
        ("bridge", "example", "environments", "installed"),
    )
    missing = next((row["bridge"] for row in rows if not row["installed"]), None)
    show.next_command(
        f"verigym bridges install {missing}" if missing else f"verigym check {show.quote(rows[0]['example'])}"
    )


bridges = group(
    "bridges", "Environments of other projects, such as reasoning-gym: list (the default), install.", list_all
)


@bridges.command("install")
def install(
    name: Annotated[str, typer.Argument(metavar="BRIDGE", help="Name of the bridge")],
    python: Annotated[
        str, typer.Option("--python", help="Interpreter for a bridge that needs another Python, such as python3.12")
    ] = "",
    json: Json = False,
) -> None:
    """Install the packages of a bridge: into this Python, or into a folder of their own if they would change other packages."""
    from verigym.environments.bridges import install as installer
    from verigym.environments.bridges.find import BRIDGES

    folder = installer.install(name, python, say=show.note if json else show.say)
    version = installer.installed_version(name)
    if json:
        return show.as_json({"bridge": name, "version": version, "folder": str(folder) if folder else ""})
    package = installer.PACKAGES[name]
    show.say(f"{package.name} {version} is installed in {folder or 'this Python'}: {package.why}")
    show.next_command(f"verigym check {show.quote(BRIDGES[name].example)}")
