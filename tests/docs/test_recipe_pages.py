"""The pages of the Qwen recipes are what docs/recipe_pages.py writes from the stored runs, the recipes and the notes."""

import importlib.util
import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RECIPE = """\
model: Qwen/Qwen2.5-Coder-0.5B-Instruct
algorithm: dapo
reward: tool_call_verifier
prompts_per_step: 32
steps: 45
loss: {entropy_bonus: 0.01}
"""
AGAIN = "run: python docs/recipe_pages.py"


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("recipe_pages", ROOT / "docs" / "recipe_pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The files that the command reads, with no runs."""
    for name in ("mkdocs.yml", "docs/README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for folder in ("docs/results", "docs/recipes", "recipes"):
        (tmp_path / folder).mkdir()
    (tmp_path / "docs" / "recipes" / "notes.yaml").write_text("toolcall: {title: Tool calls, failures: [Patience.]}\n")
    (tmp_path / "recipes" / "qwen_toolcall.yaml").write_text(f"# Learns tool calls.\n{RECIPE}")
    (tmp_path / "docs" / "results" / "qwen_domains.jsonl").write_text("")
    return tmp_path


def run(**changed: Any) -> dict[str, Any]:
    curve = [{"step": 1, "passed": 0.1}, {"step": 2, "passed": 0.4, "held_out_success": 0.3}]
    estimates = {"base": {"toolcall": [0.1, 0.05, 0.15, 400]}, "trained": {"toolcall": [0.3, 0.2, 0.4, 400]}}
    row = {"recipe": "qwen_toolcall", "set": [], "seed": 0, "seconds": 61.0, "machine": "GPU", "curve": curve}
    row |= {"note": "weights: a file; two runs at once", "gain": {"toolcall": [0.2, 0.1, 0.3]}, **estimates}
    return {**row, **changed}


def store(project: Path, *rows: dict[str, Any]) -> None:
    (project / "docs" / "results" / "qwen_domains.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_every_page_and_picture_is_what_the_command_writes(pages: ModuleType) -> None:
    stale = [
        name
        for name, body in pages.written().items()
        if not (ROOT / name).exists() or (ROOT / name).read_text() != body
    ]
    assert stale == [], AGAIN


def test_every_measured_recipe_has_a_page_and_no_page_is_left_over() -> None:
    measured = [*(ROOT / "recipes").glob("qwen_*.yaml"), *(ROOT / "recipes").glob("toolcall_wide_*.yaml")]
    recipes = {path.stem.removeprefix("qwen_") for path in measured}
    assert {path.stem for path in (ROOT / "docs" / "recipes").glob("*.md")} - {"README"} == recipes, AGAIN


def test_a_run_of_the_recipe_as_it_is_has_a_table_a_curve_and_its_weights(pages: ModuleType, project: Path) -> None:
    store(project, run(), run(seed=1, seconds=70.0))
    files = pages.written(project)
    page = files["docs/recipes/toolcall.md"]
    assert (
        "| 1 | toolcall | 400 | 10.0% (5.0 to 15.0) | 30.0% (20.0 to 40.0) | +20.0 points (10.0 to 30.0) | 70 |" in page
    )
    assert "Training took 61 to 70 s on one GPU (2 steps)." in page
    assert "Weights: a file. Two runs at once." in page
    assert "What else was tried" not in page
    assert page.startswith("# Tool calls\n\nLearns tool calls.\n\n```\nverigym train recipes/qwen_toolcall.yaml\n```")
    assert "## What did not work\n\n- Patience." in page
    assert "held-out success, seed 1" in files["docs/images/recipes/toolcall.svg"]
    assert "Tool calls: 10.0% to 30.0%" in files["docs/images/recipes/overview.svg"]


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"set": ["steps=7"]}, "`steps=7`"),
        ({"fields": {"steps": 7}}, "`steps=7`"),
        ({"fields": {"steps": 7}}, "without `algorithm`, `reward`, "),
        ({"set": ["no_such_field=1"]}, "`no_such_field=1`"),
        ({"model": "q15"}, "`model=Qwen/Qwen2.5-Coder-1.5B-Instruct`"),
    ],
    ids=["other fields", "another stored recipe", "a recipe with less", "a field that is gone", "another model"],
)
def test_a_run_with_other_settings_is_listed_as_tried(
    pages: ModuleType, project: Path, changed: dict[str, Any], shown: str
) -> None:
    store(project, run(**changed))
    page = pages.written(project)["docs/recipes/toolcall.md"]
    assert "There is no run of these settings yet." in page
    assert shown in page.partition("## What else was tried")[2]
    assert "Weights: a file." in page


def test_fields_that_the_recipe_has_anyway_do_not_make_it_another_one(pages: ModuleType, project: Path) -> None:
    store(project, run(set=["prompts_per_step=32"], model="q05"))
    assert "## Result" in (page := pages.written(project)["docs/recipes/toolcall.md"])
    assert "What else was tried" not in page


def test_a_run_that_is_repeated_counts_once(pages: ModuleType, project: Path) -> None:
    store(project, run(seconds=99.0), run(seconds=61.0))
    page = pages.written(project)["docs/recipes/toolcall.md"]
    assert "Training took 61 s" in page
    assert "the same, an earlier run" in page


def test_a_recipe_with_a_first_stage_counts_only_runs_that_start_from_one(pages: ModuleType, project: Path) -> None:
    (project / "recipes" / "qwen_toolcall_sft.yaml").write_text(RECIPE.replace("dapo", "sft"))
    store(project, run(seconds=99.0), run(set=["start=latest"], start={"toolcall": [0.2, 0.1, 0.3, 400]}))
    page = pages.written(project)["docs/recipes/toolcall.md"]
    commands = "verigym train recipes/qwen_toolcall_sft.yaml\nverigym train recipes/qwen_toolcall.yaml start=latest"
    assert commands in page
    assert "| 0 | toolcall | 400 | 10.0% (5.0 to 15.0) | 20.0% (10.0 to 30.0) | 30.0% (20.0 to 40.0) |" in page
    assert "| without the first stage | 0 |" in page


def test_mean_rewards_are_shown_if_a_run_has_them(pages: ModuleType, project: Path) -> None:
    store(project, run(reward={"toolcall": {"base": -0.5, "trained": 0.75}}), run(seed=1))
    page = pages.written(project)["docs/recipes/toolcall.md"]
    assert "+20.0 points (10.0 to 30.0) | -0.50 to 0.75 | 61 |" in page
    assert "+20.0 points (10.0 to 30.0) |  | 61 |" in page


def test_success_by_tag_is_shown_without_the_training_set_in_the_name(pages: ModuleType, project: Path) -> None:
    name = "toolcall?train=grammar"
    renamed = {key: {name: value} for key, of in run().items() if isinstance(of, dict) for value in of.values()}
    store(project, run(**renamed, by_tag={name: {"shift:wording": [0.25, 80]}}))
    page = pages.written(project)["docs/recipes/toolcall.md"]
    assert "| toolcall | shift:wording | 80 | 25.0% |" in page
    assert "train=grammar" not in page


def test_success_by_kind_of_shift_is_shown_before_and_after(pages: ModuleType, project: Path) -> None:
    store(project, run(by_shift={"toolcall": {"new wording, new values": [0.5, 216, 0.25]}}))
    page = pages.written(project)["docs/recipes/toolcall.md"]
    assert "| toolcall | new wording, new values | 216 | 25.0% | 50.0% |" in page
    assert "--by shift" in page
    store(project, run())
    assert "--by shift" not in pages.written(project)["docs/recipes/toolcall.md"]


def test_the_list_of_pages_is_written_between_its_marks(pages: ModuleType, project: Path) -> None:
    files = pages.written(project)
    assert files["mkdocs.yml"].count("recipes/toolcall.md") == 1
    assert "recipes/math.md" not in files["docs/README.md"]
    with pytest.raises(AssertionError, match="marks"):
        pages.between("no marks", "text", "# {}")


def test_a_third_stage_names_the_commands_of_all_stages_before_it() -> None:
    page = (ROOT / "docs" / "recipes" / "toolcall_wide_dapo.md").read_text()
    commands = page.partition("```\n")[2].partition("```")[0].splitlines()
    assert commands == [
        "verigym train recipes/toolcall_wide_sft.yaml",
        "verigym train recipes/toolcall_wide_rft.yaml start=latest",
        "verigym train recipes/toolcall_wide_dapo.yaml start=latest",
    ]
