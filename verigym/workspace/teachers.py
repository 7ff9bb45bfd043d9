"""The teacher of a distillation run: finds the version that a recipe names, and opens it beside the student."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from verigym.core.errors import NotFound, Refused
from verigym.core.records import Version
from verigym.training.environments import TrainingEnvironment
from verigym.training.recipe import Recipe
from verigym.workspace.workspace import WorkspaceFolder

if TYPE_CHECKING:
    from verigym.training.teachers import Teacher

SELF = "self"


def named_model(ws: WorkspaceFolder, field: str, name: str) -> Version:
    """The version or model that a field of the recipe names. An unknown one is reported before the first step."""
    version = ws.agent(name)
    try:
        if not version.is_remote:
            ws.check_base(version.base)
    except NotFound as error:
        raise NotFound(f"{field}: {error}") from error
    return version


def find_teacher(ws: WorkspaceFolder, recipe: Recipe, student: Version) -> Version | None:
    """The version that teaches. None if the recipe names none, or the student itself."""
    name = recipe.distill.teacher
    if not name or name == SELF:
        return None
    teacher = named_model(ws, "distill.teacher", name)
    if teacher.recipe.get("algorithm") == "reward":
        raise Refused(f"distill.teacher: {name} is a reward model and writes no replies. Name a model or a version")
    if teacher.weights == student.weights:
        raise Refused(
            f"distill.teacher: {name} has the weights of the student, so there is nothing to learn. Name a better model or "
            "version, or self, which is the student with the gold solution in its prompt"
        )
    if teacher.is_remote and recipe.temperature != 1.0:
        raise Refused(
            f"distill.teacher: a server gives logprobs at temperature 1, and the recipe samples at {recipe.temperature:g}. "
            "Set temperature: 1, or use a teacher in this process"
        )
    ws.adapter_of(teacher)  # reports a missing adapter now instead of in the first step
    ws.source_of(teacher)
    return teacher


@asynccontextmanager
async def open_teacher(
    ws: WorkspaceFolder,
    recipe: Recipe,
    teacher: Version | None,
    student: Version,
    policy: Any,
    environments: Sequence[TrainingEnvironment],
) -> AsyncIterator["Teacher"]:
    """Opens the teacher. One with the student's base model shares its weights in memory."""
    if teacher is None or not teacher.is_remote:
        yield _open_local(ws, recipe, teacher, student, policy, environments)
        return
    from verigym.training.teachers import ServerTeacher

    scores = ws.open_scores(teacher)
    try:
        yield ServerTeacher(scores, policy.render, recipe.distill.teacher)
    finally:
        await scores.close()


def shares_weights(ws: WorkspaceFolder, recipe: Recipe, teacher: Version, student: Version) -> bool:
    """Whether a local teacher has the student's weights under its adapter. A model that is trained as a whole changes its own."""
    same = (ws.source_of(teacher), teacher.quantized) == (ws.source_of(student), student.quantized)
    return same and recipe.adapter != "full"


def _open_local(
    ws: WorkspaceFolder,
    recipe: Recipe,
    teacher: Version | None,
    student: Version,
    policy: Any,
    environments: Sequence[TrainingEnvironment],
) -> "Teacher":
    from verigym.model import lora, lora_files
    from verigym.model.load import load, load_tokenizer
    from verigym.training.teachers import AdapterTeacher, ModelTeacher, SelfTeacher, check_vocabulary

    model = policy.model
    if teacher is None:
        weights = lora.weights(model) if student.adapter or recipe.adapter == "full" else None
        current = recipe.distill.weights == "current"
        return SelfTeacher(model, policy.render, environments, student, weights=weights, current=current)
    adapter = ws.adapter_of(teacher)
    if shares_weights(ws, recipe, teacher, student):
        return AdapterTeacher(model, lora_files.read(model, adapter) if adapter else None)
    ws.check_base(teacher.base)
    check_vocabulary(policy.render.tokenizer, load_tokenizer(teacher.base), recipe.distill.teacher)
    loaded = load(ws.source_of(teacher), quantized=teacher.quantized)
    if adapter:
        lora_files.load(loaded.model, adapter)
    return ModelTeacher(loaded.model, recipe.distill.teacher)
