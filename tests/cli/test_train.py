"""`verigym train` as it is typed: its words on a pipe, the dry run, and what an owner is warned of before."""

import re
from pathlib import Path

import pytest

from tests.workspace.desk import Bench, desk, save_tiny
from verigym.core.errors import BadInput, NotFound


@pytest.fixture(scope="module")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def bench(tmp_path: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    return Bench(tmp_path, tiny_folder)


def test_a_piped_run_says_each_step_then_the_version_and_what_comes_next(bench: Bench) -> None:
    recipe = bench.recipe_file("grpo", dollars_per_hour=3.6)
    lines = [line for line in bench.shell("train", recipe).splitlines() if not line.startswith("warning")]
    title, covered, one, two, version, kept, cost, then = lines
    assert title == f"grpo of {bench.model} in {bench.desk}: 2 steps"
    assert covered.startswith("The adapter covers") and kept.startswith("kept checkpoints")
    for number, line in ((1, one), (2, two)):
        assert re.match(rf"step {number}/2  reward \+0\.\d\d  passed \d+%  groups with signal \d+%  entropy ", line)
        assert "HELD-OUT" in line and "tokens/s" in line
    found = re.fullmatch(r"version (\w+) \(grpo\), run (grpo-\w{8})", version)
    assert found and cost.startswith("$0.00 so far. Held-out success went from ")
    assert then == f"next: verigym eval {bench.desk} -m {found[1]}"

    again = bench.shell("train", recipe)
    assert f"run {found[2]} (already complete, reused)" in again and "step 1/2" not in again


def test_a_reward_model_says_how_to_learn_from_it(bench: Bench) -> None:
    said = bench.shell("train", bench.recipe_file("reward", data=bench.pairs().id))
    version = re.search(r"version (\w+) \(reward\)", said)
    assert version and "it scores and does not answer" in said and f"reward_model={version[1]} loss.kl=0.05" in said
    assert "HELD-OUT" not in said and "warning" not in said


def test_overrides_change_fields_at_any_depth(bench: Bench) -> None:
    said = bench.shell("train", bench.recipe_file("grpo"), "steps=1", "loss.kl=0.1", "lora.r=1", "name=other")
    assert "1 step" in said and "(other)" in said
    settings = bench.ws.find("other").recipe
    assert (settings["steps"], settings["loss"]["kl"], settings["lora"]["r"]) == (1, 0.1, 1)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("steps", '"steps" is not an override. Write key=value, such as steps=20 or lora.r=8'),
        ("steps.x=1", '"steps.x=1": steps is a single value, not a section. Write steps=VALUE'),
        ("stps=3", "unknown key stps. Did you mean steps?"),
        ("loss.klx=3", "unknown key loss.klx. Did you mean loss.kl?"),
        ("steps=ten", "steps must be a whole number, not text"),
        ("loss=null", "loss must be keys and values"),
        ("steps=[1", '"steps=[1": the value is not valid YAML'),
    ],
)
def test_an_override_that_is_wrong_is_refused_in_words(bench: Bench, override: str, words: str) -> None:
    with pytest.raises(BadInput) as refused:
        bench.shell("train", bench.recipe_file("grpo"), override)
    assert words in str(refused.value) and bench.nothing_was_begun()


def test_a_dry_run_says_what_it_will_take_and_trains_nothing(bench: Bench) -> None:
    recipe = bench.recipe_file("grpo")
    said = bench.shell("train", recipe, "steps=7", "dollars_per_hour=2", "--dry-run")
    lines = [line for line in said.splitlines() if not line.startswith("warning")]
    assert lines[0] == f"grpo of {bench.model.name}, 7 steps" and "12 tasks, rewards of letters@" in lines[1]
    assert "tokens   448 sampled at most, " in said and "CPU thread" in said and ": fits" in said
    assert re.search(r"time     .*, within a factor of two. One step: .* s sampling, .* s update", said)
    assert re.search(r"cost     \$0\.\d\d at \$2 per hour", said)
    assert lines[-1] == f"next: verigym train {recipe} steps=7 dollars_per_hour=2"
    assert bench.nothing_was_begun()


def test_where_nobody_measured_or_checked_it_says_so_until_somebody_did(bench: Bench) -> None:
    recipe, model = bench.recipe_file("grpo"), str(bench.model)

    def warned() -> list[str]:
        return [line for line in bench.shell("train", recipe, "--dry-run").splitlines() if line.startswith("warning")]

    never_measured, never_checked = warned()
    assert f"has no evaluation in {bench.desk}" in never_measured
    assert never_measured.endswith(f"Run: verigym eval {bench.desk} -m {model}")
    assert "letters@" in never_checked and "was never checked or audited," in never_checked
    assert never_checked.endswith(f"Run: verigym check {bench.desk}, then verigym audit run {bench.desk}")

    bench.shell("eval", bench.desk, "-m", model, "-n", "3", "--max-tokens", "8")
    [left] = warned()
    assert "was never checked" in left


def test_what_was_checked_and_measured_is_warned_of_no_more_until_it_changes(bench: Bench) -> None:
    """With an environment whose contract holds: gold passes."""
    verify = "return trajectory.reply.strip() == task.data['answer']"
    place = bench.file("right.py", desk(verify))
    recipe = bench.recipe_file("grpo", environment=place)
    bench.shell("check", place)
    bench.shell("eval", place, "-m", str(bench.model), "-n", "3", "--max-tokens", "4")
    said = bench.shell("train", recipe, "--dry-run")
    assert "was never audited," in said and f"Run: verigym audit run {place}" in said and "never checked" not in said
    bench.shell("audit", "run", place)
    assert "warning" not in bench.shell("train", recipe, "--dry-run")
    bench.file("right.py", desk(verify + " or trajectory.reply == 'please'"))
    said = bench.shell("train", recipe, "--dry-run")
    assert "was never checked or audited," in said, "another verifier, another check"


def test_a_verifier_that_failed_its_audit_is_said_loudly(bench: Bench) -> None:
    place = bench.file("wrong.py", desk("return task.data['answer'] in trajectory.reply"))
    recipe = bench.recipe_file("grpo", environment=place)
    bench.shell("eval", place, "-m", str(bench.model), "-n", "3", "--max-tokens", "4")
    with pytest.raises(AssertionError, match="fix this first"):
        bench.shell("audit", "run", place)
    [loud, _] = [line for line in bench.shell("train", recipe, "--dry-run").splitlines() if line.startswith("warning")]
    assert "wrong@" in loud and "FAILED its audit" in loud and "an echo of the prompt passes" in loud


def test_written_data_needs_no_check_of_the_verifier(bench: Bench) -> None:
    said = bench.shell("train", bench.recipe_file("sft"), "--dry-run")
    assert "has no evaluation" in said and "was never checked" not in said


def test_steps_of_which_nothing_was_scored_say_so(bench: Bench) -> None:
    place = bench.file("bad.py", desk("raise ValueError('no')"))
    said = bench.shell("train", bench.recipe_file("grpo", environment=place), code=1)
    assert "so there is no new version. No episode of 2 steps could be scored" in " ".join(said.split())
    assert "next: verigym explain grpo-" in said and said.rstrip().endswith("/step-0002")
    assert "step 1/2  groups with signal 0%  not scored 8" in said
    assert "warning: nothing scored (step 1): none of 8 episodes could be scored" in " ".join(said.split())


def test_a_recipe_that_is_not_there_names_those_beside_it(bench: Bench) -> None:
    bench.recipe_file("grpo")
    with pytest.raises(BadInput, match=r"nosuch.yaml does not exist. The folder contains: grpo.yaml"):
        bench.shell("train", str(bench.place / "nosuch.yaml"))
    for text, words in (("- a\n- b\n", "a recipe is a list of keys and values"), ("a: [", "not valid YAML")):
        with pytest.raises(BadInput, match=words):
            bench.shell("train", bench.file("bad.yaml", text))
    with pytest.raises(NotFound, match='no version "nosuch"'):
        bench.shell("train", bench.recipe_file("grpo"), "start=nosuch")
    assert bench.nothing_was_begun()
