"""What an optimisation is asked for and what it found. `search` finds it."""

from collections import Counter
from typing import Any, Literal, NamedTuple, get_args

from msgspec import Struct

from verigym.core.printable import Printable
from verigym.core.records import Message, Task, Version
from verigym.evaluation.failures import ExplainedEpisode
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.version_texts import is_system
from verigym.rollout.settings import RunSettings

Part = Literal["prompt", "examples", "tools", "skills", "harness"]
PARTS: tuple[Part, ...] = get_args(Part)
"""Parts of an agent that can change. The harness includes constrained decoding."""


class OptimizeSettings(Struct, frozen=True, kw_only=True):
    budget: int
    """Maximum number of episodes."""
    parts: tuple[Part, ...] = PARTS
    """Parts that may change."""
    gold: bool = True
    """Whether gold solutions of training tasks may be shown as examples and to the reflection model."""
    tools_files: dict[str, str] = {}
    """Tools files that a candidate may bring, such as a search over documents: name to the sha256 of the stored file."""
    seed: int = 0
    """Random seed for the split of the training families, the order of tasks and the reflection."""
    episodes: RunSettings = RunSettings()
    """How episodes are run."""


class Change(NamedTuple):
    """One change of an agent, before it is measured."""

    part: Part
    title: str
    """What changed, in a few words: `2 examples`."""
    fields: dict[str, Any]
    """Fields of the new version."""


class Evidence(NamedTuple):
    """One episode of a feedback task, with its task."""

    task: Task
    episode: ExplainedEpisode

    @property
    def failed(self) -> bool:
        return bool(self.episode.reason.bucket)


class CandidateFigures(Struct, frozen=True, kw_only=True):
    """One candidate, measured on the first `tasks` selection tasks."""

    version: str
    name: str
    parent: str
    change: str
    tasks: int
    success: float
    reward: float
    tokens: float
    """Prompt and sampled tokens per episode."""
    unsafe: float
    """Share of episodes that were unsafe."""
    finalist: bool = False
    """Whether it was measured on as many tasks as the best one. Only finalists can be compared with each other."""
    front: bool = False
    """Whether no other finalist is at least as good in success, tokens and safety and better in one of them."""


class Optimization(Printable, Struct, frozen=True, kw_only=True):
    """The result of an optimisation."""

    id: str
    environment: str
    agent: str
    """The version that it began with."""
    best: str
    """The version with the highest success that is not less safe. The one that it began with if none is better."""
    before: float
    """Success of the first version on the same selection tasks as the best one."""
    after: float
    low: float
    """One-sided 95% bound of the paired difference, like `high`. The choice of the best makes it look better than it is."""
    high: float
    tasks: int
    """Number of selection tasks behind these figures."""
    episodes: int
    """Episodes used, of `budget`."""
    budget: int
    feedback_tasks: int
    """Training tasks whose failures may be looked at."""
    selection_tasks: int
    """Other training tasks, which choose between candidates."""
    candidates: list[CandidateFigures]
    """All measured versions, the best first."""
    reflections: int = 0
    reflection_tokens: int = 0
    notes: list[str] = []

    @property
    def improved(self) -> bool:
        return self.best != self.agent

    @property
    def front(self) -> list[CandidateFigures]:
        return [one for one in self.candidates if one.front]


class OptimizePlan(Printable, Struct, frozen=True, kw_only=True):
    """What an optimisation would do at most."""

    id: str
    environment: str
    agent: str
    episodes: int
    batch: int
    """Episodes of the first measurement of a candidate."""
    feedback_tasks: int
    selection_tasks: int
    prompt_tokens: int
    """Estimated tokens of the prompts of all episodes, without changes by candidates. Four characters are one token."""
    completion_tokens: int
    """Maximum sampled tokens of all episodes, if each has one reply."""
    parts: tuple[Part, ...]
    reflect: str


class Situation(NamedTuple):
    """What a mutation may look at: the parent and its episodes on feedback tasks."""

    parent: Version
    environment: EnvironmentSpec
    evidence: list[Evidence]
    settings: OptimizeSettings
    tasks: list[Task]
    """The feedback tasks. Their gold solutions may be shown."""

    @property
    def failures(self) -> list[Evidence]:
        return [one for one in self.evidence if one.failed]

    @property
    def system(self) -> str:
        """The system prompt that the parent uses. An external agent has one of its own, which its episodes show."""
        if self.parent.system_prompt is not None:
            return self.parent.system_prompt
        if not (self.parent.program or self.environment.agent):
            return self.environment.system
        items = [one.episode.trajectory.items for one in self.evidence]
        texts = [made[0].text for made in items if made and isinstance(made[0], Message) and is_system(made[0])]
        return Counter(texts).most_common(1)[0][0] if texts else ""
