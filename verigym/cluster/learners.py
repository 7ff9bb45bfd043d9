"""Ranks that Ray starts: one actor per rank keeps one process on its machine. The driver is rank 0.

`training/ranks.py` has what ranks do, and starts them again after one was lost. Here is only where they run.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from verigym.cluster.ray_cluster import RayCluster, import_ray
from verigym.cluster.started import variables_of

_GUARD = 'cat >/dev/null; kill -s KILL "$1" 2>/dev/null'
"""Ends the rank when its standard input closes, which happens whenever the actor ends."""
_LOST = -9
"""Exit code of a rank whose machine is gone."""
_ASK_S = 20.0


class RankHost:
    """The actor: one rank. Ray has chosen its GPU and set CUDA_VISIBLE_DEVICES."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "verigym.training.launch"], env={**variables_of(), **environment, "LOCAL_RANK": "0"}
        )
        self._guard = subprocess.Popen(
            ["sh", "-c", _GUARD, "sh", str(self._process.pid)], stdin=subprocess.PIPE, start_new_session=True
        )

    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.poll()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def wait(self, seconds: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None


class RankFollower:
    """A rank as the driver sees it. It has the methods of a process."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor
        self._code: int | None = None
        self.pid: int = self._ask("pid") or 0

    def poll(self) -> int | None:
        if self._code is None:
            self._code = self._ask("poll")
        return self._code

    def kill(self) -> None:
        self._ask("kill")

    def wait(self, seconds: float | None = None) -> int:
        if self._code is None:
            self._code = self._ask("wait", 60.0 if seconds is None else seconds)
        if self._code is None:
            raise subprocess.TimeoutExpired("rank", seconds or 60.0)
        import_ray().kill(self._actor)  # so that another rank can have its place
        return self._code

    @property
    def returncode(self) -> int | None:
        return self.poll()

    def _ask(self, method: str, *given: Any) -> Any:
        ray, exceptions = import_ray(), import_ray("ray.exceptions")
        try:
            return ray.get(getattr(self._actor, method).remote(*given), timeout=_ASK_S + (given[0] if given else 0))
        except exceptions.GetTimeoutError:
            return None
        except exceptions.RayError:
            self._code = _LOST
            return _LOST


def start_rank(
    cluster: RayCluster, rank: int, environment: Mapping[str, str], *, cpus: float, gpus: float
) -> RankFollower:
    """Starts a rank wherever Ray has room. It is not started again alone, because all ranks start again together."""
    role = f"rank-{rank}-{os.urandom(2).hex()}"
    actor = cluster.actor(RankHost, role, dict(environment), cpus=cpus, gpus=gpus, restarts=0, max_concurrency=4)
    return RankFollower(actor)
