"""Teachers of a workspace: a version, another model, and what is refused before anything is sampled."""

from pathlib import Path
from typing import Any

import pytest

from tests.workspace.desk import Bench, save_tiny
from verigym.core.errors import Refused, VerigymError
from verigym.workspace.dry_run import dry_run
from verigym.workspace.teachers import find_teacher


def test_a_version_teaches_the_base_model_and_its_families_count_as_trained_on(bench: Bench) -> None:
    teacher, _ = bench.train("sft", name="tutor")
    student, run = bench.train("distill", distill={"teacher": teacher.id})
    config: Any = bench.ws.store.run(run).config
    assert config["teacher"] == teacher.id and student.parent != teacher.id
    assert set(teacher.families) <= set(student.families)
    metrics = bench.metrics(run)
    assert all(row["teacher_tokens"] > 0 and "teacher_kl" in row for row in metrics.values())
    lines = dry_run(bench.ws, bench.recipe("distill", distill={"teacher": teacher.id})).lines
    assert any("shares the weights of the base model" in line for line in lines)


def test_another_model_is_loaded_beside_the_student_and_counted(bench: Bench, tmp_path: Path) -> None:
    other = str(save_tiny(tmp_path / "other", seed=7))
    _, run = bench.train("distill", distill={"teacher": other}, steps=1)
    assert bench.metrics(run)[1]["teacher_kl"] > 0
    planned = dry_run(bench.ws, bench.recipe("distill", distill={"teacher": other}))
    assert planned.plan.memory.teacher > 0
    assert any(line.startswith("teacher: ") and "in this process" in line for line in planned.lines)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"distill": {"teacher": "MODEL"}}, "has the weights of the student"),
        ({"distill": {"teacher": "http://localhost:1/v1#big"}, "temperature": 0.7}, "logprobs at temperature 1"),
        ({"distill": {"teacher": "nowhere/nothing"}}, "nowhere/nothing"),
    ],
)
def test_a_teacher_that_cannot_teach_is_refused(bench: Bench, fields: dict[str, Any], words: str) -> None:
    settings = fields["distill"]
    fields = {**fields, "distill": {"teacher": settings["teacher"].replace("MODEL", str(bench.model))}}
    with pytest.raises(VerigymError, match=words):
        bench.train("distill", **fields)


def test_a_reward_model_cannot_teach(bench: Bench) -> None:
    version, _ = bench.train("reward", data=bench.pairs().id, name="judge")
    recipe = bench.recipe("distill", distill={"teacher": version.id})
    with pytest.raises(Refused, match="is a reward model"):
        find_teacher(bench.ws, recipe, bench.ws.agent(str(bench.model)))


def test_the_dry_run_of_ppo_counts_the_critic(bench: Bench) -> None:
    plain, critic = dry_run(bench.ws, bench.recipe("grpo")), dry_run(bench.ws, bench.recipe("ppo", steps=9))
    assert critic.plan.memory.adapter == 2 * plain.plan.memory.adapter
    assert any(line.startswith("critic: a second adapter") for line in critic.lines)
