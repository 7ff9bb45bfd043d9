"""What a bridge says about itself: every bridge declares one `BRIDGE = Bridge(...)` in its own file.

`find` names the files, `install` fetches the packages, and `verigym bridges` shows the table. Nothing is imported here.
"""

from typing import Literal

import msgspec


class Package(msgspec.Struct, frozen=True, kw_only=True):
    """What a bridge installs."""

    name: str
    version: str
    place: Literal["python", "folder", "venv", "none"]
    """The running Python, a folder with packages, a virtual environment of its own, or nothing to install."""
    module: str
    without_requirements: tuple[str, ...] = ()
    """Packages that are installed without what they require."""
    requirements: tuple[str, ...] = ()
    python: str = ""
    """Version of the interpreter of a virtual environment, such as 3.12. Empty for the version that is running."""
    why: str = ""
    """Why it is installed in this way."""


class Bridge(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the table of bridges."""

    example: str
    """The whole name of an environment, such as `bfcl:simple_python`."""
    what: str
    """The environments, in a few words."""
    package: Package
    licence: str
    """Licence of the package."""
    driven_by: Literal["us", "them"] = "us"
    """Who asks the model: the harness of Verigym, or the loop of the other project at the address of the episode."""
    rescorable: bool = True
    """Whether a stored run can be scored again from its record."""
    offline: bool = True
    """Whether the package holds its tasks, so that nothing is downloaded later."""
    gold: bool = True
    """Whether gold solutions are known."""
    unsafe: bool = False
    """Whether its verdicts say which actions were unsafe, so that it can be a gate's safety suite."""
    names: tuple[str, ...] = ()
    """Environments that `bench/bridge_table.py` plays. The example, if empty."""
