"""The connection to Ray: machines, named actors, and the addresses of both. Only this folder imports Ray, inside functions.

Ray starts processes, watches them and starts them again. Nothing of a run is stored in it.
"""

import importlib
import os
import secrets
import socket
import time
from typing import Any

from verigym.cluster.checks import check_difference
from verigym.cluster.placement import Node
from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.install import install_command
from verigym.core.printable import warn

NAMESPACE = "verigym"
"""Ray's namespace of the actors, in which `verigym cluster status` looks."""
_CONNECT_S = 10.0
"""Seconds that the head of a Ray cluster has to answer."""
_VARIABLES = {
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # Ray gives its processes a low priority, so that they starve on a busy machine
    "RAY_gcs_server_port_wait_time_s": "600",  # 30 s are too few on a busy machine
}
"""Settings of Ray, unless the environment has others. The last two count for machines that this process starts."""


def import_ray(module: str = "ray") -> Any:
    """Ray, or one of its modules. Ray is optional, so no type of it is known here."""
    try:
        for name, value in _VARIABLES.items():
            os.environ.setdefault(name, value)
        return importlib.import_module(module)
    except ImportError as error:
        raise BadInput(
            f"This cluster file starts processes, which needs Ray. Run: {install_command('ray')}. Engines that run already "
            "(engines.at) need no Ray"
        ) from error


def this_machine() -> Node:
    """This machine, without asking Ray."""
    gpus = 0
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        gpus = len([one for one in visible.split(",") if one.strip() not in ("", "-1")])
    else:
        gpus = len([name for name in os.listdir("/dev") if name.startswith("nvidia") and name[6:].isdigit()])
    return Node(name=socket.gethostname(), cpus=float(os.cpu_count() or 1), gpus=float(gpus), driver=True)


def _check_reachable(address: str) -> None:
    """Raises OSError if nothing listens at HOST:PORT. Other addresses (`auto`) are Ray's own."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S).close()


class RayCluster:
    """A Ray cluster that this process has joined, or started on this machine."""

    def __init__(self, address: str = "") -> None:
        self._ray = import_ray()
        self.token = secrets.token_hex(4)
        """Tells the actors of this command from those of others."""
        wanted = address or os.environ.get("RAY_ADDRESS", "")
        options: dict[str, Any] = {"namespace": NAMESPACE, "log_to_driver": False, "logging_level": "error"}
        self.joined = bool(wanted)
        self._own = not self._ray.is_initialized()
        try:
            if not self._own:
                pass
            elif wanted:
                _check_reachable(wanted)  # Ray would end this process
                self._ray.init(address=wanted, **options)
            else:
                self._ray.init(include_dashboard=False, object_store_memory=256 << 20, **options)
        except Exception as error:  # Ray raises a plain Exception if it does not start in time
            first = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
            if not wanted:
                raise InfrastructureFailure(
                    f"Ray did not start on this machine ({first}). Repeat the command when the machine is less busy. If it fails "
                    "again, run ray start --head and read its messages"
                ) from None
            raise InfrastructureFailure(
                f"There is no Ray cluster at {wanted} ({first}). Start one with ray start --head, check the "
                "address, and use the same version of Ray and the same token (RAY_AUTH_TOKEN) on all machines"
            ) from None
        context: Any = self._ray.get_runtime_context()
        self.node_id: str = context.get_node_id()

    def nodes(self) -> list[Node]:
        """The machines that are alive."""
        return [
            Node(
                name=one["NodeName"] if one["NodeID"] != self.node_id else socket.gethostname(),
                cpus=one["Resources"].get("CPU", 0.0),
                gpus=one["Resources"].get("GPU", 0.0),
                driver=one["NodeID"] == self.node_id,
            )
            for one in self._ray.nodes()
            if one["Alive"]
        ]

    @property
    def host(self) -> str:
        """The address of this machine that the others reach. The loopback address if there are no others."""
        alive = [one for one in self._ray.nodes() if one["Alive"]]
        hosts = {one["NodeManagerAddress"] for one in alive}
        if len(hosts) < 2:
            return "127.0.0.1"
        return next(one["NodeManagerAddress"] for one in alive if one["NodeID"] == self.node_id)

    def actor(
        self, kind: type, role: str, *given: Any, cpus: float, gpus: float, restarts: int = -1, **options: Any
    ) -> Any:
        """Starts an actor wherever there is room. Ray starts it again if it is lost, also on another machine."""
        remote: Any = self._ray.remote(num_cpus=cpus, num_gpus=gpus, max_restarts=restarts)(kind)
        return remote.options(name=f"{role}-{self.token}", scheduling_strategy="SPREAD", **options).remote(*given)

    def named(self, role: str) -> str:
        return f"{role}-{self.token}"

    def check_clocks(self) -> None:
        """Refuses machines whose clock differs from the one of this machine. A machine that is lost meanwhile is left out."""
        strategies, errors = import_ray("ray.util.scheduling_strategies"), import_ray("ray.exceptions")
        clock: Any = self._ray.remote(num_cpus=0)(_now)
        for one in self._ray.nodes():
            if one["Alive"] and one["NodeID"] != self.node_id:
                where = strategies.NodeAffinitySchedulingStrategy(one["NodeID"], soft=False)
                before = time.time()
                try:
                    there = self._ray.get(clock.options(scheduling_strategy=where).remote(), timeout=60)
                except errors.RayError as error:
                    warn(f"The clock of machine {one['NodeName']} was not compared: {type(error).__name__}")
                    continue
                after = time.time()
                if not before <= there <= after:
                    check_difference(one["NodeName"], there - (after if there > after else before))

    def reserve_gpu(self, gpus: float) -> Any:
        """Reserves a GPU of this machine for this process, before anything uses it. The handle keeps it."""
        strategies = import_ray("ray.util.scheduling_strategies")
        where = strategies.NodeAffinitySchedulingStrategy(self.node_id, soft=False)
        remote: Any = self._ray.remote(num_cpus=0, num_gpus=gpus)(GpuReservation)
        handle = remote.options(name=self.named("rank-0"), scheduling_strategy=where).remote()
        ids = self._ray.get(handle.gpus.remote(), timeout=60)
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, ids))
        return handle

    def kill(self, actor: Any) -> None:
        try:
            self._ray.kill(actor)
        except Exception:  # it is gone already
            return

    def close(self) -> None:
        if self._own and self._ray.is_initialized():
            self._ray.shutdown()


def _now() -> float:
    return time.time()


class GpuReservation:
    """An actor that holds a GPU for the driver, which Ray does not place."""

    def gpus(self) -> list[int]:
        return [int(one) for one in import_ray().get_gpu_ids()]
