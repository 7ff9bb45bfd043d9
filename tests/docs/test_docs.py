"""The documents are true: every command and every field is in them, what they tell to type exists, and no path is private."""

import ast
import enum
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
import typer

import verigym
from tests.docs import reference
from tests.docs.test_tutorials import FOLLOWED
from verigym.cli.main import app
from verigym.cluster.settings import ClusterSettings
from verigym.core import records
from verigym.design.spec import Spec
from verigym.environments import load
from verigym.environments.load import load_environment, names
from verigym.evaluation import failures
from verigym.flywheel.loop_recipe import LoopRecipe
from verigym.gates.policy import GatePolicy
from verigym.harness.tools import _ToolOptions
from verigym.harness.tools_file import ToolsConfig
from verigym.rollout.settings import EpisodeLimits
from verigym.training.recipe import Recipe, read_recipe
from verigym.workspace import servers

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def commands() -> dict[str, object]:
    return typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", reference.pages(), ids=lambda page: page.name)
def test_a_reference_is_what_the_code_says(page: Path) -> None:
    assert page.read_text() == reference.pages()[page], "run: python -m tests.docs.reference"


def test_the_reference_of_records_has_every_field_of_every_record() -> None:
    page = reference.made_of_records()
    homes = (records.__name__, "verigym.core.items")
    kinds = [kind for _, kind in inspect.getmembers(records, inspect.isclass) if kind.__module__ in homes]
    assert len(kinds) > 35
    for kind in kinds:
        section = page.partition(f"\n## {kind.__name__}\n")[2].partition("\n## ")[0]
        fields = [*kind] if issubclass(kind, enum.StrEnum) else getattr(kind, "__struct_fields__")  # noqa: B009
        missing = [field for field in fields if not re.search(rf"^- (\*\*)?`{field}`", section, re.MULTILINE)]
        assert section and missing == [], kind


def undocumented(page: str, names: Iterable[str]) -> list[str]:
    """Names that the page has nowhere as `name` or `name(...)`, also as `name=...` or inside `a, b`."""
    text = (ROOT / "docs" / page).read_text()
    return [name for name in names if not re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`", text)]


def test_everything_that_an_environment_may_have_is_documented() -> None:
    """What is looked for in a module and its class, noted while one that has hardly anything is loaded."""
    asked: set[str] = set()

    class Kind(type):
        def __getattr__(cls, name: str) -> object:
            asked.add(name)
            raise AttributeError(name)

    class Module(ModuleType):
        def __getattr__(self, name: str) -> object:
            asked.add(name)
            raise AttributeError(name)

    class Environment(metaclass=Kind):
        def open(self, task: records.Task) -> None: ...

    module = Module("bare")
    module.__dict__.update(
        __file__="bare.py", Environment=Environment, tasks=lambda split: [], verify_group=lambda task, group: []
    )
    load._from_module(module, "bare.py")
    hooks = {name for name in {*asked, *load._METHODS} if not name.startswith("_")}
    assert {"verify", "verifiers", "explain", "gold", "system", "max_turns", "step"} <= hooks
    assert undocumented("reference/environments.md", hooks) == []
    assert undocumented("reference/environments.md", set(_ToolOptions.__struct_fields__) - {"name"}) == []


def test_every_limit_option_of_a_server_and_bucket_is_documented() -> None:
    assert undocumented("reference/environments.md", EpisodeLimits.__struct_fields__) == []
    assert undocumented("how-to/servers.md", servers._Options.__struct_fields__) == []
    table = (ROOT / "docs" / "how-to" / "explain.md").read_text()
    assert [name for name in failures.BUCKETS if f"| {name} |" not in table] == []


def test_the_index_names_every_page() -> None:
    docs = ROOT / "docs"
    links = re.findall(r"\]\(([^)#:]+)\)", (docs / "README.md").read_text())
    pages = {str(page.relative_to(docs)) for page in docs.rglob("*.md")} - {"README.md"}
    assert pages - set(links) == set()


def test_every_field_of_a_recipe_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "recipes.md").read_text()
    fields: list[str] = []
    for field in msgspec.structs.fields(Recipe):
        below = isinstance(field.type, type) and issubclass(field.type, msgspec.Struct)
        fields += [f"{field.name}.{one.name}" for one in msgspec.structs.fields(field.type)] if below else [field.name]
    assert len(fields) > 40
    assert [name for name in fields if f"`{name}`" not in page] == []


@pytest.mark.parametrize("path", sorted((ROOT / "recipes").glob("*.yaml")), ids=lambda path: path.name)
def test_every_shipped_recipe_can_be_read(path: Path) -> None:
    assert read_recipe(path).steps > 0


def test_every_command_in_the_documents_exists() -> None:
    known, command = commands(), re.compile(r"(?:^\s*(?:\$ )?|`)verigym ([a-z]+)", re.MULTILINE)
    found = [(page.name, word) for page in PAGES for word in command.findall(page.read_text())]
    assert len(found) > 200
    assert [(page, word) for page, word in found if word not in known] == []


def test_a_recipe_takes_the_overrides_of_every_command_in_the_documents() -> None:
    command = re.compile(r"^ *verigym train (recipes/\S+\.yaml)(.*)$", re.MULTILINE)
    found = [match for page in PAGES for match in command.findall(page.read_text())]
    assert len(found) > 60
    for path, rest in found:
        words = shlex.split(rest.partition("   ")[0])  # an explanation can stand beside it
        read_recipe(ROOT / path, [word for word in words if "=" in word])


def test_every_link_in_the_documents_leads_somewhere() -> None:
    found = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text())]
    assert len(found) > 200
    assert [(page.name, link) for page, link in found if not (page.parent / link).exists()] == []


def blocks(language: str) -> list[object]:
    """The blocks of a language in the pages of docs/ that no test follows."""
    found = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return [
        pytest.param(text, id=f"{page.stem}-{place}")
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if page not in FOLLOWED
        for place, text in enumerate(found.findall(page.read_text()))
    ]


@pytest.mark.parametrize("text", blocks("python"))
def test_python_in_the_documents_runs(text: str) -> None:
    """Or compiles, where it waits for something or speaks through another library."""
    code = compile(text, "a page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    libraries = set(re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)) - sys.stdlib_module_names - {"verigym"}
    if "await " not in text and not libraries:
        given = {name: getattr(verigym, name) for name in verigym.__all__ if name != "LocalPolicy"}
        exec(code, {**given, "__name__": "page"})


@pytest.mark.parametrize("text", blocks("json"))
def test_json_in_the_documents_can_be_read(text: str) -> None:
    msgspec.json.decode(text)


@pytest.mark.parametrize("text", blocks("yaml"))
def test_yaml_in_the_documents_has_known_keys(text: str) -> None:
    """It is a recipe, a loop's recipe, a policy of the gate, a designer's spec, a tools file or a cluster file."""
    keys = set(msgspec.yaml.decode(text))
    kinds = (Recipe, LoopRecipe, GatePolicy, Spec, ToolsConfig, ClusterSettings)
    assert any(keys <= set(kind.__struct_fields__) for kind in kinds), keys


def test_the_page_of_benchmarks_is_rendered_from_the_stored_figures() -> None:
    code = "from figures import *; print(render(read(Path('docs/benchmarks.json'))), end='')"
    rendered = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "bench"},
        capture_output=True,
        text=True,
    )
    assert (ROOT / "docs" / "reference" / "benchmarks.md").read_text() == rendered.stdout, rendered.stderr


def test_the_readme_names_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make quickstart" in readme and "make test" in readme


def test_make_quickstart_installs_what_serving_needs() -> None:
    makefile = (ROOT / "Makefile").read_text()
    (target,) = re.findall(r"^quickstart: (\$\(\w+\))", makefile, re.MULTILINE)
    (recipe,) = re.findall(rf"^{re.escape(target)}:.*\n\t(.*)", makefile, re.MULTILINE)
    assert {"train", "serve"} <= set(re.findall(r"\.\[([\w,]+)\]", recipe)[0].split(","))


def test_the_readmes_python_uses_methods_that_exist() -> None:
    names = re.findall(r"\bws\.(\w+)\(", (ROOT / "README.md").read_text())
    assert len(names) >= 5 and [name for name in names if not hasattr(verigym.Workspace, name)] == []


def test_every_module_in_the_architecture_exists() -> None:
    names = set(re.findall(r"`([\w/]+\.py)`", (ROOT / "ARCHITECTURE.md").read_text()))
    paths = [
        f"/{path.relative_to(ROOT)}"
        for folder in ("verigym", "bench", "tests")
        for path in (ROOT / folder).rglob("*.py")
    ]
    assert len(names) > 50
    assert [name for name in names if not any(path.endswith(f"/{name}") for path in paths)] == []


def test_every_make_target_in_the_documents_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        assert set(re.findall(r"`make ([a-z-]+)`", page.read_text())) <= targets, page.name


def test_no_path_of_anybodys_machine_is_written_down() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    private = re.compile(r"(?<![\w.])/(work|root|home)/[a-z]")
    found = []
    for name in listed.stdout.split():
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".yaml", ".txt", ""} and path.is_file() and path != Path(__file__):
            found += [name for line in path.read_text(errors="replace").splitlines() if private.search(line)]
    assert found == []


def test_the_changelog_lists_the_current_version_of_every_verifier() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `\w+` \| `(\w+)` \|$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    shipped = {load_environment(name).verifier.name for name in names()}
    assert {f"{name}@{version}" for name, version in rows} == shipped
