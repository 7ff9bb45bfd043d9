"""The dry run of a recipe: runs the checks of training and loads only the tokenizer. Nothing is trained."""

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from verigym.core import event_loop
from verigym.core.errors import VerigymError
from verigym.core.records import Task
from verigym.core.words import counted, size
from verigym.harness.environment import EnvironmentSpec
from verigym.model.coverage import Coverage, all_parameters
from verigym.policies.version_texts import with_examples
from verigym.rollout.session import first_items
from verigym.rollout.skills import offered
from verigym.training.imitation import imitated
from verigym.training.plan import Device, TrainingEstimate, TrainingLoad, measure, plan
from verigym.training.recipe import Recipe, filled
from verigym.training.recipe_notes import notes
from verigym.training.trackers import check_trackers
from verigym.workspace import datasets as data
from verigym.workspace.full_disk import full_disk
from verigym.workspace.gold import gold_examples
from verigym.workspace.stored_groups import StoredGroups
from verigym.workspace.teachers import shares_weights
from verigym.workspace.train import TrainingJob, adapter_config, check_continued
from verigym.workspace.trained_policy import check_engine
from verigym.workspace.workspace import WorkspaceFolder

if TYPE_CHECKING:
    from verigym.model.shape import Shape
    from verigym.training.ranks import Shard

_LOOKED_AT = 64
"""Number of tasks or rows whose tokens are counted."""
_PLAYED = 16
"""Number of gold solutions that are played to count turns."""


class DryRun(NamedTuple):
    run: str
    """The id that the run would have."""
    lines: list[str]
    """A summary of the training, line by line."""
    plan: TrainingEstimate
    device: str
    notes: list[str] = []
    """Settings that have no effect."""
    quantized: bool = False
    """Whether the base is stored in 4 bits."""
    cluster: Sequence[str] = ()
    """What runs where, memory and time, if a cluster is used."""
    warnings: Sequence[str] = ()
    """Servers of the recipe that do not answer now."""


def dry_run(ws: WorkspaceFolder, recipe: Recipe) -> DryRun:
    from verigym.model.nf4 import bitsandbytes
    from verigym.model.shape import NF4_BITS, read_shape
    from verigym.policies.local.rendering import renderer_of
    from verigym.workspace.server_check import server_warnings

    check_trackers(recipe.trackers)
    job = TrainingJob(ws, recipe)
    recipe = job.recipe
    ws.check_base(job.parent.base)
    event_loop.run(job.check_agents())
    if recipe.adapter == "qlora" or recipe.optimizer.name == "adamw8bit":
        bitsandbytes()  # refuses now if it is not installed
    check_engine(ws, recipe, job.parent)
    render = renderer_of(job.parent.base)
    warnings = event_loop.run(server_warnings(job, render))
    prompt, reply = _tokens(job, render)
    length = _episode_length(job, render) if recipe.samples else EpisodeLength()
    device = measure()
    shape = read_shape(job.parent.base)
    covered = _coverage(job, shape)
    sides = 2 if recipe.algorithm in ("dpo", "reward") else 1  # samples per row of written data
    if job.stored is not None:
        sides, reply = _stored_size(job.stored)
    samples = recipe.samples and job.stored is None
    tasks = sum(len(each.tasks) for each in job.environments) if recipe.samples else recipe.prompts_per_step
    adapters = 2 if recipe.algorithm == "ppo" else 1  # the critic has an adapter and updates of its own
    wanted = TrainingLoad(
        prompts_per_step=min(recipe.prompts_per_step, tasks),
        num_generations_per_prompt=recipe.num_generations_per_prompt if samples else sides,
        prompt_tokens=prompt,
        max_tokens=recipe.reply_limit if samples else max(1, round(reply / length.turns)),
        steps=recipe.steps,
        versions=min(recipe.ahead + 1, 4),
        turns=length.turns,
        result_tokens=length.result_tokens,
        episode_tokens=recipe.limits.tokens if recipe.samples else None,
        updates_per_batch=(recipe.updates_per_batch or 1) * adapters,
        lora_rank=recipe.lora.r * adapters,
        full=recipe.adapter == "full",
        checkpointing=recipe.full.checkpointing,
        offload=recipe.full.offload,
        bits_per_weight=NF4_BITS if recipe.adapter == "qlora" else None,
        moment_bytes=2 if recipe.optimizer.name == "adamw8bit" else 8,
        adapter_parameters=covered.trained * adapters,
        eval_tasks=sum(len(suite[1]) for suite in job.suites if suite),
        eval_interval=recipe.eval_interval,
        samples=samples,
        **_teacher_load(job),
    )
    found = plan(wanted, shape, device, recipe.dollars_per_hour)
    chosen = ", ".join(_chosen(job))
    lines = _lines(job, wanted, reply, length)
    lines += [f"defaults chosen for this method, model and data: {chosen}"] if chosen else []
    lines += _adapter_lines(job, covered)
    if recipe.adapter == "full":
        needed = full_disk(recipe, shape.parameters, ws.place.samples_elsewhere(recipe))
        lines.append(f"it takes {size(needed)} of disk space at most")
    if recipe.adapter == "qlora":
        share = shape.quantizable / shape.parameters
        lines.append(
            f"{share:.0%} of the parameters of the base are stored in 4 bits, the rest in the precision of the model"
        )
    cluster = ws.place.summary(wanted, shape, device) or _rank_lines(recipe, wanted, shape, device)
    quantized = recipe.adapter == "qlora"
    return DryRun(job.run, lines, found, device.name, notes(recipe, job.facts), quantized, cluster, warnings)


def _rank_lines(recipe: Recipe, load: TrainingLoad, shape: "Shape", device: Device) -> list[str]:
    """What the ranks hold that torchrun started with this command. Empty without ranks. Refuses what they cannot train."""
    from verigym.training.rank_memory import RankSettings, check_divided, rank_plan, undividable
    from verigym.training.rank_processes import current

    ranks = current()
    if ranks is None:
        return []
    if ranks.shard == "always":
        check_divided(recipe)
    shard: Shard = "never" if undividable(recipe) else ranks.shard
    own = msgspec.structs.replace(device, memory=ranks.memory)
    found = rank_plan(load, shape, own, RankSettings(count=ranks.world, shard=shard))
    return [f"ranks    {line}" for line in found.lines]


def _coverage(job: TrainingJob, shape: "Shape") -> Coverage:
    """What is trained, and what is left out. Refuses an adapter of the start that the recipe cannot continue."""
    from verigym.model import lora_files
    from verigym.model.lora_targets import coverage
    from verigym.model.shape import read_coverage, without_weights

    if job.recipe.adapter == "full":
        return all_parameters(shape.parameters)
    folder = job.ws.adapter_of(job.parent)
    if folder is None:
        return read_coverage(job.parent.base, adapter_config(job.recipe))
    model = without_weights(job.parent.base)
    config = lora_files.read(model, folder).config
    check_continued(model, config, job.recipe)
    return coverage(model, config)


def _adapter_lines(job: TrainingJob, covered: Coverage) -> list[str]:
    if not job.parent.adapter or job.parent.full:
        return covered.lines
    return [f"training continues with the adapter of {job.parent.label}", *covered.lines]


class EpisodeLength(NamedTuple):
    """How long episodes are."""

    turns: float = 1.0
    """Mean replies per episode: of the gold solutions, or the most that are allowed."""
    most: int = 1
    """Maximum replies per episode."""
    result_tokens: float = 0.0
    """Mean tokens of tool results and users in an episode."""
    known: bool = True
    """Whether gold solutions say how long episodes are."""


def _stored_size(stored: StoredGroups) -> tuple[int, float]:
    """Episodes of a group and sampled tokens of an episode, as means."""
    episodes = [episode for group in stored.groups for episode in group.trajectories]
    sampled = [sum(len(turn.completion_ids) for turn in one.turns if turn.actor == "policy") for one in episodes]
    return round(len(episodes) / len(stored.groups)), statistics.fmean(sampled)


def _episode_length(job: TrainingJob, render: Any) -> EpisodeLength:
    """The mean over the environments, by their share of the tasks."""
    lengths = [(each.weight, _length_in(job, each.environment, each.tasks, render)) for each in job.environments]
    total = sum(weight for weight, _ in lengths)
    return EpisodeLength(
        sum(weight * length.turns for weight, length in lengths) / total,
        max(length.most for _, length in lengths),
        sum(weight * length.result_tokens for weight, length in lengths) / total,
        all(length.known for _, length in lengths),
    )


def _length_in(job: TrainingJob, environment: EnvironmentSpec, tasks: Sequence[Task], render: Any) -> EpisodeLength:
    from verigym.training.samples import example_samples

    harness = job.parent.harness
    most = job.recipe.limits.turns or (harness.turns if harness else 0) or environment.max_turns
    if most == 1:
        return EpisodeLength()
    try:
        gold = event_loop.run(gold_examples(environment, tasks[:_PLAYED], job.parent))
    except VerigymError:  # no gold solutions, or none that can be played here
        return EpisodeLength(most, most, 0.0, known=False)
    if environment.steps and all(
        len(row.made) == 1 for row in gold
    ):  # one answer says nothing about the steps of a game
        return EpisodeLength(most, most, 0.0, known=False)
    results = [
        sum(sample.mask.count(0) for sample in samples[:1]) - len(render.prompt(row.items[: row.made[0][0]], row.tools))
        for row in gold
        if (samples := example_samples(render, row))
    ]
    turns = statistics.fmean(min(most, len(row.made)) for row in gold)
    return EpisodeLength(turns, most, max(0.0, statistics.fmean(results)))


def _teacher_load(job: TrainingJob) -> dict[str, int]:
    """What a teacher in this process adds. One on the student's weights adds none, unless all of them are trained."""
    from verigym.model.load import load_tokenizer
    from verigym.model.shape import NF4_BITS, read_shape
    from verigym.training.teachers import check_vocabulary

    if job.recipe.algorithm != "distill" or (job.teacher and job.teacher.is_remote):
        return {}
    teacher, parent = job.teacher, job.parent
    if teacher is None or shares_weights(job.ws, job.recipe, teacher, parent):
        return {"teacher_active": read_shape(parent.base).active}
    job.ws.check_base(teacher.base)
    check_vocabulary(load_tokenizer(parent.base), load_tokenizer(teacher.base), job.recipe.distill.teacher)
    shape = read_shape(teacher.base)
    narrow = shape.quantizable if teacher.quantized else 0
    stored = (shape.parameters - narrow) * shape.bytes_per_weight + narrow * NF4_BITS / 8
    return {"teacher_active": shape.active, "teacher_weights": round(stored)}


def _tokens(job: TrainingJob, render: Any) -> tuple[float, float]:
    """Mean tokens of a prompt and of a written reply."""
    from verigym.training.samples import example_samples, preference_pair, rated_sample, reward_pair

    if job.recipe.samples:
        lengths = []
        for each in job.environments:
            tools = offered(each.environment.toolbox, each.environment, job.parent).tools
            for task in each.tasks[:_LOOKED_AT]:
                items = first_items(each.environment, task, job.parent)
                items, _ = with_examples(items, [], job.parent.examples)
                lengths.append(len(render.prompt(items, tools)))
        return statistics.fmean(lengths), 0.0
    if job.dataset is None:
        rows: list[Any] = [
            row
            for each in job.environments
            for row in event_loop.run(gold_examples(each.environment, each.tasks[:_LOOKED_AT], job.parent))
        ]
    elif job.recipe.algorithm == "sft":
        rows = event_loop.run(job.demonstrations())[:_LOOKED_AT]
    else:
        rows = [row for _, row in zip(range(_LOOKED_AT), data.rows(job.ws, job.dataset), strict=False)]
    of = {
        "sft": example_samples,
        "kto": lambda render, row: rated_sample(render, row)[:1],
        "dpo": preference_pair,
        "reward": reward_pair,
    }[job.recipe.algorithm]
    samples = [sample for row in rows for sample in of(render, row)]
    return (
        statistics.fmean(sample.mask.count(0) for sample in samples),
        statistics.fmean(sample.mask.count(1) for sample in samples),
    )


def _lines(job: TrainingJob, wanted: TrainingLoad, reply: float, length: EpisodeLength) -> list[str]:
    recipe, prompt = job.recipe, wanted.prompt_tokens
    lines = [f"{recipe.algorithm} of {job.parent.name or job.parent.base}, {recipe.steps} steps"]
    for each in job.environments:
        held_out = f", {each.split} held out" if each.split else ""
        learnt = (
            f"{counted(len(each.tasks), 'task')}, rewards of {each.verifier.name}"
            if recipe.samples
            else f"{each.verifier.name}"
        )
        lines.append(f"in {each.name}: {learnt}{held_out}")
    if recipe.algorithm == "distill":
        lines.append(_teacher_line(job))
    if recipe.algorithm == "ppo":
        warm = recipe.critic.warmup
        lines.append(f"critic: a second adapter on the same base model, which learns alone for the first {warm} steps")
    if recipe.algorithm == "rft":
        kept = counted(recipe.rft.keep, "episode")
        lines.append(
            f"a step is a round: at most {kept} of each task that passed, imitated for {recipe.rft.epochs} epochs"
        )
    if recipe.difficulty.draw == "signal":
        lines.append("tasks are drawn by their running pass rate. Solved tasks pause")
    if recipe.checkpoints.chooses and recipe.held_out_eval:
        lines.append(f"{recipe.evaluated_on} chooses the checkpoint. The gate leaves its families out")
    if job.stored is not None:
        lines.append(f"it samples nothing and trains on {job.stored}")
    if job.dataset is not None:
        lines.append(f"data {job.dataset.name}: {job.dataset.rows} rows, {job.dataset.source}")
    if recipe.episodes.dynamic_rounds and recipe.samples:
        lines.append(
            f"groups without signal are replaced up to {recipe.episodes.dynamic_rounds} times per step, "
            f"so sampling can take up to {recipe.episodes.dynamic_rounds + 1} times as long as estimated"
        )
    prompts = f"a step is {wanted.prompts_per_step} prompts of {prompt:.0f} tokens x {wanted.num_generations_per_prompt} episodes"
    if job.stored is not None:
        lines.append(f"{prompts} of {reply:.0f} tokens")
    elif recipe.samples:
        lines.append(f"{prompts} with at most {recipe.max_tokens} tokens per reply")
    else:
        lines.append(f"a step is {recipe.prompts_per_step} rows of {prompt:.0f} + {reply:.0f} tokens")
    if length.most > 1:
        lines.append(_turns_line(length, recipe.limits.tokens))
    if recipe.algorithm == "sft" and job.dataset is not None:
        lines.append(str(imitated(event_loop.run(job.demonstrations()), job.dataset.counts)))
    return lines


def _teacher_line(job: TrainingJob) -> str:
    settings, teacher = job.recipe.distill, job.teacher
    beside = f", reward weight {settings.reward:g}" if settings.reward else ", rewards are only reported"
    if teacher is None:
        return f"teacher: the {settings.weights} weights with the gold solution in the prompt{beside}"
    where = "on a server" if teacher.is_remote else "in this process"
    shares = not teacher.is_remote and shares_weights(job.ws, job.recipe, teacher, job.parent)
    shared = ", shares the weights of the base model" if shares else ""
    return f"teacher: {teacher.label} {where}{shared}{beside}"


def _turns_line(length: EpisodeLength, tokens: int | None) -> str:
    sampled = f", and at most {tokens} sampled tokens in all" if tokens is not None else ""
    if not length.known:
        return f"an episode has at most {length.most} replies{sampled}. There are no gold solutions, so each is counted in full"
    return (
        f"an episode has {length.turns:.1f} replies and {length.result_tokens:.0f} tokens of results, as the gold solutions do, "
        f"and at most {length.most} replies{sampled}"
    )


def _chosen(job: TrainingJob) -> list[str]:
    """The defaults that depend on the model or the data, if the recipe leaves them out."""
    written, own = filled(job.written), job.recipe
    both = {
        "learning_rate": (written.learning_rate, own.learning_rate),
        "max_tokens": (written.max_tokens, own.max_tokens),
        "optimizer.warmup": (written.optimizer.warmup, own.optimizer.warmup),
    }
    if own.samples:
        both |= {
            "loss.average": (written.loss.average, own.loss.average),
            "loss.clip_low": (written.loss.clip_low, own.loss.clip_low),
            "loss.clip_high": (written.loss.clip_high, own.loss.clip_high),
            "advantage.scale": (written.advantage.scale, own.advantage.scale),
        }
    said = {name: after for name, (before, after) in both.items() if before is None}
    return [f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in said.items()]
