"""bridges: environments of other projects, and what they need installed."""

from pathlib import Path
from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Json, group

_COLUMNS = (
    'driven by: "us" means that Verigym asks the model. "them" means that the other project\'s own loop asks it',
    "re-scorable: a stored run can be scored again",
    "offline: the package holds its tasks, so nothing is downloaded later",
    "gold: gold solutions are known",
    "safety: verdicts say which actions were unsafe, so a gate can use it as the safety suite",
)


def list_all(json: bool, home: Path | None) -> None:
    """List environments of other projects: version, licence, capabilities, and whether they are installed."""
    from verigym.environments.bridges.find import BRIDGES
    from verigym.environments.bridges.find import bridge as bridge_named
    from verigym.environments.bridges.install import installed_version

    rows = [
        {
            "bridge": name,
            "environments": bridge.what,
            "example": bridge.example,
            "package": f"{bridge.package.name} {bridge.package.version}",
            "licence": bridge.licence,
            "driven_by": bridge.driven_by,
            "rescorable": bridge.rescorable,
            "offline": bridge.offline,
            "gold": bridge.gold,
            "unsafe": bridge.unsafe,
            "installed": installed_version(name) or "",
            "install": f"verigym bridges install {name}",
        }
        for name, bridge in ((name, bridge_named(name)) for name in BRIDGES)
    ]
    if json:
        return show.as_json(rows)
    yes = {True: "yes", False: "no"}
    show.table(
        [
            (
                row["bridge"], row["package"], row["licence"], row["driven_by"], yes[row["rescorable"]], yes[row["offline"]],
                yes[row["gold"]], yes[row["unsafe"]], "yes" if row["installed"] else "no",
            )
            for row in rows
        ],
        ("bridge", "package", "licence", "driven by", "re-scorable", "offline", "gold", "safety", "installed"),
    )  # fmt: skip
    show.say("")
    show.table([(row["example"], row["environments"]) for row in rows], ("example of a name", "environments"))
    show.say("", *_COLUMNS)
    missing = next((row["bridge"] for row in rows if not row["installed"]), None)
    show.next_command(
        f"verigym bridges install {missing}" if missing else f"verigym check {show.quote(rows[0]['example'])}"
    )


bridges = group(
    "bridges", "Environments of other projects, such as reasoning-gym: list (the default), install.", list_all
)


@bridges.command("install")
def install(
    name: Annotated[str, typer.Argument(metavar="BRIDGE", help="Name of the bridge, or all")],
    python: Annotated[
        str, typer.Option("--python", help="Interpreter for a bridge that needs another Python, such as python3.12")
    ] = "",
    json: Json = False,
) -> None:
    """Install the packages of a bridge: into this Python, or into a folder of their own if they would change other packages."""
    from verigym.environments.bridges import install as installer
    from verigym.environments.bridges.find import BRIDGES, bridge

    rows: list[dict[str, str | None]] = []
    for one in BRIDGES if name == "all" else (name,):
        wanted = python if name != "all" or bridge(one).package.place == "venv" else ""
        folder = installer.install(one, wanted, say=show.note if json else show.say)
        version, package = installer.installed_version(one), bridge(one).package
        rows.append({"bridge": one, "version": version, "folder": str(folder) if folder else ""})
        if not json:
            where = f"is installed in {folder or 'this Python'}" if package.place != "none" else "needs no package"
            show.say(f"{package.name} {version} {where}: {package.why}")
    if json:
        return show.as_json(rows if name == "all" else rows[0])
    show.next_command(f"verigym check {show.quote(bridge(str(rows[0]['bridge'])).example)}")
