"""Where the work of a workspace happens: in this process, or on a cluster.

`Here` is the default: the objects are those of this process. The place of a cluster (`verigym/cluster`) has policies on engines,
publishes trained weights to them, starts ranks that learn and workers that run episodes. No record names a place, so a run has
the same id everywhere.
"""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from verigym.core.protocols import Policy, closing
from verigym.core.records import Version
from verigym.rollout.episode import run_episode
from verigym.rollout.many import Progress, RunEpisode, RunPlan, RunResults, run_many

if TYPE_CHECKING:
    from verigym.model.shape import Shape
    from verigym.store.database import Store
    from verigym.training.plan import Device, TrainingLoad
    from verigym.training.publish import Publisher
    from verigym.training.recipe import Recipe
    from verigym.workspace.workspace import WorkspaceFolder

OnProgress = Callable[[Progress], None]


class RunEpisodes(Protocol):
    """Runs the missing episodes of a plan, with the parameters of `run_many`."""

    async def __call__(
        self,
        store: "Store",
        plan: RunPlan,
        policy: Policy,
        on_progress: OnProgress = ...,
        cache: RunResults | None = None,
        run: RunEpisode = run_episode,
    ) -> Progress: ...


class Place(Protocol):
    """Gives a job what it runs on."""

    def sampling(self, ws: "WorkspaceFolder", version: Version) -> "contextlib.AbstractAsyncContextManager[Policy]":
        """The policy of a version, open during the block. A wrong setup is refused here, before anything is stored."""
        ...

    def publishing(
        self, ws: "WorkspaceFolder", policy: Any, recipe: "Recipe", run: str
    ) -> "contextlib.AbstractAsyncContextManager[Publisher | None]":
        """What gives engines the trained weights of `policy`, the local one of a training run. None if it samples itself."""
        ...

    def samples_elsewhere(self, recipe: "Recipe") -> bool:
        """Whether engines outside of this process sample for a training run."""
        ...

    def learning(self, recipe: "Recipe") -> contextlib.AbstractContextManager[None]:
        """Starts the processes that learn together with this one, for the block."""
        ...

    @property
    def run_episodes(self) -> RunEpisodes:
        """Runs episodes."""
        ...

    def summary(self, load: "TrainingLoad", shape: "Shape", device: "Device") -> Sequence[str]:
        """What a dry run says about this place: what runs where, memory and time."""
        ...

    def close(self) -> None:
        """Ends what was started."""
        ...


class Here:
    """This process."""

    @contextlib.asynccontextmanager
    async def sampling(self, ws: "WorkspaceFolder", version: Version) -> AsyncIterator[Policy]:
        policy = ws.policy(version)
        async with closing(policy):
            yield policy

    @contextlib.asynccontextmanager
    async def publishing(self, ws: "WorkspaceFolder", policy: Any, recipe: "Recipe", run: str) -> AsyncIterator[None]:
        yield None

    def samples_elsewhere(self, recipe: "Recipe") -> bool:
        return False

    @contextlib.contextmanager
    def learning(self, recipe: "Recipe") -> Iterator[None]:
        yield

    @property
    def run_episodes(self) -> RunEpisodes:
        return run_many

    def summary(self, load: "TrainingLoad", shape: "Shape", device: "Device") -> Sequence[str]:
        return []

    def close(self) -> None:
        pass
