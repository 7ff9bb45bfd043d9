"""What a repository to be repaired is made of. The repositories themselves are in `train_*` and `held_out*`."""

from typing import NamedTuple


class Bug(NamedTuple):
    name: str
    path: str
    right: str
    """Text that stands in the file once."""
    wrong: str
    report: str
    """What a user says who met it."""


class Repository(NamedTuple):
    name: str
    about: str
    modules: dict[str, str]
    """Name of a module to its text; the package is the repository's name."""
    shown: dict[str, list[str]]
    """Name of a module to expressions; with what they give they become its visible tests."""
    hidden: list[str]
    """Expressions of the hidden tests, in names of any module."""
    bugs: list[Bug]

    def files(self) -> dict[str, str]:
        """All but the tests."""
        inside = {f"{self.name}/{module}.py": text for module, text in self.modules.items()}
        return {"README.md": f"# {self.name}\n\n{self.about}\n", f"{self.name}/__init__.py": "", **inside}
