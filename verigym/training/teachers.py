"""Teachers of on-policy distillation: each gives the logprobs of the tokens that the student sampled.

A teacher is another model in this process, another adapter on the student's own base model, the student itself with the gold
solution in its prompt, or a model behind a server (`policies.remote_scores`). The student's token ids are scored as they are, so
the vocabularies must be the same (`check_vocabulary`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from verigym.core.errors import ContextFull, InfrastructureFailure, Refused
from verigym.core.records import Item, Message, Sample, Task, ToolSpec, Trajectory, Turn, Version
from verigym.model import lora
from verigym.model.threads import in_thread
from verigym.policies.remote_scores import PromptScores, RemoteScores
from verigym.policies.render import Renderer
from verigym.policies.version_texts import with_examples
from verigym.rollout.session import task_tools
from verigym.training.environments import TrainingEnvironment
from verigym.training.update import Weights, logprobs_of

_REFERENCE = (
    "\n\nA correct solution, for reference only:\n{gold}\n\nNow give your own answer, in the format that is asked for."
)

_PROBE = (
    "The train to the coast leaves at 9:45 every weekday. Bring two copies of the form, a pen and some water. If it rains, the "
    "group meets inside the station, beside the tall clock, and waits for the next train."
)
"""A text whose tokens show whether a server has the student's vocabulary."""
_MISREAD = 0.1
"""Share of the tokens that a server may decode differently. Special tokens and spaces are decoded in several ways."""


class StudentSample(NamedTuple):
    """A sample with the episode that it comes from."""

    sample: Sample
    trajectory: Trajectory
    source: str
    """Name of the environment."""


class TeacherScores(NamedTuple):
    logprobs: list[list[float] | None]
    """Logprobs of the scored tokens of each sample. None if the teacher cannot score it."""
    tokens: int
    """Tokens that the teacher read."""


class Teacher(Protocol):
    async def score(self, samples: Sequence[StudentSample], temperature: float) -> TeacherScores: ...


class ModelTeacher:
    """Another model in this process."""

    def __init__(self, model: Any, name: str) -> None:
        self._model, self._name = model, name
        self._rows: int = model.get_input_embeddings().weight.shape[0]

    async def score(self, samples: Sequence[StudentSample], temperature: float) -> TeacherScores:
        plain = [one.sample for one in samples]
        if any(max(sample.ids) >= self._rows for sample in plain):
            raise Refused(
                f"distill.teacher: the student sampled a token id that {self._name} does not have ({self._rows} ids). "
                "Use a teacher of the same model family"
            )
        return _scores(await in_thread(logprobs_of, self._model, plain, temperature), plain)


class AdapterTeacher:
    """Another adapter on the student's base model, or the bare base model. Only one copy of the base is in memory."""

    def __init__(self, model: Any, adapter: lora.LoraAdapter | None) -> None:
        self._model = model
        self._worn = lora.mounted(model, adapter or lora.LoraAdapter(lora.LoraConfig(), {}))

    async def score(self, samples: Sequence[StudentSample], temperature: float) -> TeacherScores:
        plain = [one.sample for one in samples]
        return _scores(await in_thread(self._logprobs, plain, temperature), plain)

    def _logprobs(self, samples: Sequence[Sample], temperature: float) -> list[list[float]]:
        with lora.wearing(self._model, self._worn):
            return logprobs_of(self._model, samples, temperature)


class SelfTeacher:
    """The student itself with the gold solution of the task in its prompt.

    `weights` are those of the adapter at the start, or None for the bare base model. With `current`, the teacher always has the
    weights of the student.
    """

    def __init__(
        self,
        model: Any,
        render: Renderer,
        environments: Sequence[TrainingEnvironment],
        agent: Version,
        *,
        weights: Weights,
        current: bool,
    ) -> None:
        self._model, self._render, self._agent = model, render, agent
        self._environments: Mapping[str, TrainingEnvironment] = {each.name: each for each in environments}
        self._tasks = {(each.name, task.id): task for each in environments for task in each.tasks}
        self._weights, self._current = weights, current
        self._tools: dict[tuple[str, str], list[ToolSpec]] = {}
        for each in environments:
            for task in each.tasks:
                if not any(each.environment.gold_replies(task)):
                    raise Refused(
                        f'distill.teacher: self needs gold solutions, and task "{task.id}" has none. Add "expected_tool" or '
                        '"answer" to it, add gold(task) to the environment, or name another teacher'
                    )

    async def score(self, samples: Sequence[StudentSample], temperature: float) -> TeacherScores:
        told = [await self._with_gold(one) for one in samples]
        plain = [sample for sample in told if sample is not None]
        found = iter(await in_thread(self._logprobs, plain, temperature))
        logprobs = [None if sample is None else next(found) for sample in told]
        return TeacherScores(logprobs, sum(len(sample.ids) for sample in plain))

    def _logprobs(self, samples: Sequence[Sample], temperature: float) -> list[list[float]]:
        if self._current:
            return logprobs_of(self._model, samples, temperature)
        with lora.with_weights(self._model, self._weights):
            return logprobs_of(self._model, samples, temperature)

    async def _with_gold(self, student: StudentSample) -> Sample | None:
        """The sample with the gold solution in its prompt. None if the prompt cannot be made again: an external agent or a
        summary of the conversation wrote it."""
        sample, trajectory, source = student
        root = _root(sample, trajectory)
        each, task = self._environments[source], self._tasks[source, trajectory.task]
        key = source, task.id
        if key not in self._tools:
            self._tools[key] = (await task_tools(each.environment, task, self._agent)).tools
        tools = self._tools[key]
        seen = [trajectory.items[index] for start, end in root.saw for index in range(start, end)]
        if self._prompt(seen, tools) != root.context_ids:
            return None
        prompt = self._prompt(_with_reference(seen, self._gold(each, task, tools)), tools)
        rest = len(root.context_ids)
        return msgspec.structs.replace(
            sample, ids=prompt + sample.ids[rest:], mask=[0] * len(prompt) + sample.mask[rest:], logprobs=[]
        )

    def _prompt(self, items: list[Item], tools: list[ToolSpec]) -> list[int]:
        return self._render.prompt(with_examples(items, [], self._agent.examples)[0], tools)

    def _gold(self, each: TrainingEnvironment, task: Task, tools: list[ToolSpec]) -> str:
        """The gold solution as the model would write it."""
        offer = self._render.template.offer(tools)
        replies = each.environment.gold_replies(task)
        written = [reply if isinstance(reply, str) else self._render.template.spoken(reply, offer) for reply in replies]
        return "\n".join(written)


class ServerTeacher:
    """A model behind a server."""

    def __init__(self, scores: RemoteScores, render: Renderer, name: str) -> None:
        self._scores, self._render, self._name = scores, render, name
        self._compared = False

    async def score(self, samples: Sequence[StudentSample], temperature: float) -> TeacherScores:
        assert temperature == 1.0, "a server scores at temperature 1"
        plain = [one.sample for one in samples]
        try:
            rows = await self._scores.score([sample.ids for sample in plain]) if plain else []
        except ContextFull as error:
            longest = max(len(sample.ids) for sample in plain)
            raise InfrastructureFailure(
                f"distill.teacher: an episode of {longest} tokens does not fit into the context of {self._name} ({error}). "
                "Start the server with a larger context, such as --max-model-len for vLLM, or shorten episodes"
            ) from None
        if not self._compared:
            self._compare(plain, rows)
        scored = [
            [value for value, one in zip(row.logprobs, sample.mask[1:], strict=True) if one]
            for sample, row in zip(plain, rows, strict=True)
        ]
        return _scores(scored, plain)

    async def check(self) -> None:
        """Asks the server once for logprobs, as training does. Refuses one that gives none, or that has another vocabulary."""
        ids: list[int] = self._render.tokenizer.encode(_PROBE, add_special_tokens=False)
        self._compare([Sample(ids=ids, mask=[0] * len(ids), logprobs=[])], await self._scores.score([ids]))

    def _compare(self, samples: Sequence[Sample], rows: Sequence[PromptScores]) -> None:
        """Refuses a server that decodes the student's ids to other tokens. Nothing else tells which tokenizer it has."""
        pairs = {
            (id, token.strip())
            for sample, row in zip(samples, rows, strict=True)
            for id, token in zip(sample.ids[1:], row.tokens, strict=False)
        }
        own = [(id, self._render.decode([id]).strip(), token) for id, token in sorted(pairs)]
        known = [(id, ours, theirs) for id, ours, theirs in own if _whole(ours) and _whole(theirs)]
        wrong = [each for each in known if each[1] != each[2]]
        if len(wrong) > _MISREAD * len(known):
            id, ours, theirs = wrong[0]
            raise Refused(
                f"distill.teacher: {self._name} has another vocabulary. Token id {id} is {ours!r} in the student and {theirs!r} "
                "in the teacher. The teacher scores the student's token ids, so both need the same tokenizer. Serve a model of "
                "the same family"
            )
        self._compared = True


def _whole(token: str) -> bool:
    """Whether a decoded token can be compared. A part of a character and a space cannot."""
    return bool(token) and "\ufffd" not in token and not token.startswith("token_id:")


def _root(sample: Sample, trajectory: Trajectory) -> Turn:
    """The turn that the ids of a sample begin with."""
    return next(
        turn
        for turn in trajectory.turns
        if turn.parent is None and turn.context_ids and sample.ids[: len(turn.context_ids)] == turn.context_ids
    )


def _with_reference(items: Sequence[Item], gold: str) -> list[Item]:
    """The items with the gold solution after the first message of the user."""
    told: list[Item] = [*items]
    for index, item in enumerate(told):
        if isinstance(item, Message) and item.role == "user":
            told[index] = Message("user", item.text + _REFERENCE.format(gold=gold))
            return told
    return [*told, Message("user", _REFERENCE.format(gold=gold).strip())]


def _scores(logprobs: Sequence[list[float]], samples: Sequence[Sample]) -> TeacherScores:
    return TeacherScores([*logprobs], sum(len(sample.ids) for sample in samples))


def check_vocabulary(student: Any, teacher: Any, name: str) -> None:
    """Refuses a teacher whose tokenizer gives a token of the student another id."""
    theirs: dict[str, int] = teacher.get_vocab()
    wrong = [(token, id) for token, id in student.get_vocab().items() if theirs.get(token) != id]
    if not wrong:
        return
    token, id = min(wrong, key=lambda pair: pair[1])
    other = f"is id {theirs[token]}" if token in theirs else "does not exist"
    raise Refused(
        f"distill.teacher: {name} has another vocabulary. Token {token!r} is id {id} in the student and {other} in the teacher "
        f"({len(wrong)} tokens differ). The teacher scores the student's token ids, so both need the same tokenizer. Name a "
        "model of the same family, or imitate its episodes instead: verigym rollout, then verigym data demos, then algorithm: sft"
    )
