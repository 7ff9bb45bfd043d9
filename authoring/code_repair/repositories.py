"""Reads the repositories to repair from `repositories/SPLIT/NAME`.

Each folder holds a complete, correct repository: README.md, the package NAME and its visible tests. Its `repository.yaml` lists
the modules in the order of the rows, the expressions of the hidden tests, and the bugs.
"""

from pathlib import Path
from typing import NamedTuple

import yaml

FOLDER = Path(__file__).parent / "repositories"
NAMES = {
    "train": [
        "tills", "larder", "ledgers", "pages", "inkwell", "routes", "gauges", "tiles", "almanac", "counters", "bookings",
        "jobs", "mailroom", "sums", "folds", "shelves", "league", "shares", "kitchen", "barriers",
    ],
    "val": ["harbour", "choir", "postal", "versions", "stencil", "couriers", "theatre", "lift", "garden"],
}  # fmt: skip
"""The order decides which kinds of task a bug gets, so a new repository goes to the end."""


class Bug(NamedTuple):
    name: str
    path: str
    right: str
    """Text that occurs once in the file."""
    wrong: str
    """The text that takes its place."""
    report: str
    """How a user describes the effect."""


class Repository(NamedTuple):
    name: str
    about: str
    modules: dict[str, str]
    """The text of each module by its name. The package has the repository's name."""
    tests: dict[str, str]
    """The text of each file of visible tests by its path."""
    hidden: list[str]
    """Expressions of the hidden tests. They use names of any module."""
    bugs: list[Bug]

    def files(self) -> dict[str, str]:
        """All files except the tests."""
        inside = {f"{self.name}/{module}.py": text for module, text in self.modules.items()}
        return {"README.md": f"# {self.name}\n\n{self.about}\n", f"{self.name}/__init__.py": "", **inside}

    @property
    def shown(self) -> dict[str, list[str]]:
        """Expressions of the visible tests by the module that they test."""
        return {
            Path(path).stem.removeprefix("test_"): [
                line.partition("got = ")[2] for line in text.splitlines() if line.startswith("    got = ")
            ]
            for path, text in self.tests.items()
        }


def read(folder: Path) -> Repository:
    """The repository in a folder."""
    name = folder.name
    settings = yaml.safe_load((folder / "repository.yaml").read_text())
    tests = {module: folder / f"tests/test_{module}.py" for module in settings["modules"]}
    return Repository(
        name,
        (folder / "README.md").read_text().removeprefix(f"# {name}\n\n").removesuffix("\n"),
        {module: (folder / name / f"{module}.py").read_text() for module in settings["modules"]},
        {f"tests/{path.name}": path.read_text() for path in tests.values() if path.exists()},
        settings["hidden_tests"],
        [Bug(**bug) for bug in settings["bugs"]],
    )


REPOSITORIES = {split: [read(FOLDER / split / name) for name in names] for split, names in NAMES.items()}
