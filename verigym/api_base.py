"""What every group of `Workspace` methods needs: the folder, the thread that the work runs on, opening and closing.

Modules below are imported inside the methods, when they are first used, because `import verigym` is fast.
"""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from verigym.core.errors import Refused
from verigym.core.event_loop import LoopThread
from verigym.core.records import Report, Trajectory, Version
from verigym.progress_bar import ProgressBar

if TYPE_CHECKING:
    from types import TracebackType

    from verigym.harness.environment import EnvironmentSpec
    from verigym.store.database import Run
    from verigym.workspace.workspace import WorkspaceFolder

T = TypeVar("T")
P = ParamSpec("P")
W = TypeVar("W", bound="WorkspaceBase")

Agent = Version | str
"""A version, or text that names one: an id, a name, `champion`, `latest`, `smollm2-135m`, a Hugging Face model id, a folder or
URL#MODEL."""


def on_thread(method: Callable[Concatenate[W, P], T]) -> Callable[Concatenate[W, P], T]:
    """Runs a method on the thread of the workspace, and waits for it."""

    @functools.wraps(method)
    def call(self: W, *args: P.args, **options: P.kwargs) -> T:
        return self._call(functools.partial(method, self, *args, **options))

    return call


class WorkspaceBase:
    """An open workspace folder."""

    def __init__(self, home: str | Path | None = None, *, cluster: str | Path = "") -> None:
        """The folder is `home`. The default is the variable VERIGYM_HOME, or `.verigym`. A missing folder is made when needed.

        With `cluster`, rollouts, evaluations, gates and training use other processes and machines: a cluster file, addresses of
        engines, the address of a Ray cluster, or `auto`.
        """
        self._cluster = str(cluster)
        self._home = Path(home or os.environ.get("VERIGYM_HOME", ".verigym"))
        self._thread = LoopThread("verigym-workspace")
        self._bar = ProgressBar()
        """The progress bar of the call that runs."""
        self._closed = False

    @property
    def home(self) -> Path:
        """The path of the folder."""
        return self._home

    @functools.cached_property
    def folder(self) -> "WorkspaceFolder":
        """The open folder with its store, for code inside Verigym. It may change in any version."""
        from verigym.workspace.workspace import WorkspaceFolder

        if not self._cluster:
            return WorkspaceFolder(self.home)
        from verigym.cluster.launch import open_place

        place = open_place(self._cluster)  # first, because it may name the store
        folder = WorkspaceFolder(self.home)
        folder.place = place
        return folder

    def close(self) -> None:
        """Closes the store and ends the thread. A closed workspace refuses every call. Closing twice does nothing."""
        if not self._closed:
            self._closed = True
            self._thread.close()
            if "folder" in vars(self):
                self.folder.place.close()
                self.folder.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        self.close()

    def _call(self, work: Callable[[], T]) -> T:
        """Runs the work on the workspace's thread and draws its progress on the thread of the caller."""
        self._check_open()
        if self._thread.is_current:
            return work()
        bar = ProgressBar()

        def with_bar() -> T:
            self._bar = bar
            return work()

        try:
            return self._thread.call(with_bar, bar.draw)
        finally:
            bar.close()

    def _check_open(self) -> None:
        if self._closed:
            raise Refused(f"The workspace {self.home} is closed. Open it again: verigym.Workspace(...)")

    def _agent(self, agent: Agent) -> Version:
        """A version of this workspace, or a new one of a base model."""
        return agent if isinstance(agent, Version) else self.folder.agent(agent)

    def _agent_or_none(self, agent: Agent | None) -> Version | None:
        return self._agent(agent) if agent else None

    def _agent_name(self, agent: Agent) -> str:
        """The text that names an agent. A version is registered first."""
        return agent if isinstance(agent, str) else self.folder.register(agent).id

    def _version(self, version: Agent) -> Version:
        """A version of this workspace."""
        return version if isinstance(version, Version) else self.folder.find(version)

    def _environment(self, environment: "str | EnvironmentSpec", verifier: str = "") -> "EnvironmentSpec":
        from verigym.environments.load import load_environment
        from verigym.workspace.measure import judged_by

        return judged_by(load_environment(environment) if isinstance(environment, str) else environment, verifier)


def run_id(run: "str | Report | Run") -> str:
    return run if isinstance(run, str) else run.run if isinstance(run, Report) else run.id


def trajectory_id(trajectory: str | Trajectory) -> str:
    return trajectory if isinstance(trajectory, str) else trajectory.id


def user_name(who: str) -> str:
    """The name to store with a decision: `who`, or the user of this process."""
    from verigym.registry.ledger import current_user

    return who or current_user()


def nothing(*_: Any) -> None:
    """A callback that ignores what it is told."""
