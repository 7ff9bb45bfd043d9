"""An environment that a recipe trains in."""

from collections.abc import Sequence

from msgspec import Struct

from verigym.core.protocols import Verifier
from verigym.core.records import Json, Task
from verigym.harness.environment import EnvironmentSpec
from verigym.tasks.load import tasks_hash
from verigym.verifiers.reward_model import RewardModel


class TrainingEnvironment(Struct, frozen=True, kw_only=True):
    environment: EnvironmentSpec
    """The environment. Its verifier scores the held-out suite."""
    verifier: Verifier
    """Computes the training rewards: the verifier of the environment, several verifiers, or a reward model."""
    weight: float = 1.0
    """Share of the tasks in a mixture."""
    split: str = ""
    """Split of the held-out suite, or a part of it (`val 1/3`). Empty if nothing is evaluated."""
    tasks: Sequence[Task] = ()

    @property
    def name(self) -> str:
        return self.environment.name

    @property
    def identity(self) -> Json:
        """The part that the id of a run depends on."""
        others: Json = {"environment_version": self.environment.version} if self.environment.version else {}
        if self.environment.tools_hash:
            others["tools"] = self.environment.tools_hash
        if isinstance(self.verifier, RewardModel):
            others["judged_by"] = self.environment.verifier.name
        return {"tasks": tasks_hash(list(self.tasks)), "verifier": self.verifier.name, **others}
