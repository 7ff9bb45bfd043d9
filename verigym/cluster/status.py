"""What runs on a Ray cluster now: its machines, and the engines, ranks and workers of every Verigym command."""

from typing import Any

from msgspec import Struct

from verigym.cluster.ray_cluster import NAMESPACE, RayCluster, import_ray


class MachineState(Struct, frozen=True, kw_only=True):
    """A machine of the cluster."""

    name: str
    alive: bool
    cpus: float
    gpus: float


class ProcessState(Struct, frozen=True, kw_only=True):
    """A process that a command started."""

    role: str
    command: str
    """The command that it belongs to."""
    state: str
    """`up`, `starting`, or why it does not answer."""
    address: str = ""
    host: str = ""


class ClusterStatus(Struct, frozen=True, kw_only=True):
    machines: list[MachineState]
    processes: list[ProcessState]


def status(cluster: RayCluster) -> ClusterStatus:
    """Asks Ray and every actor of Verigym. An actor that does not answer within seconds is shown as such."""
    ray, named = import_ray(), import_ray("ray.util").list_named_actors
    machines = [
        MachineState(
            name=one["NodeName"],
            alive=one["Alive"],
            cpus=one["Resources"].get("CPU", 0.0),
            gpus=one["Resources"].get("GPU", 0.0),
        )
        for one in ray.nodes()
    ]
    names = [one["name"] for one in named(all_namespaces=True) if one["namespace"] == NAMESPACE]
    return ClusterStatus(machines=machines, processes=[_asked(name) for name in sorted(names)])


def _asked(name: str) -> ProcessState:
    ray = import_ray()
    role, _, command = name.rpartition("-")
    kind = role.split("-")[0]
    try:
        actor: Any = ray.get_actor(name, namespace=NAMESPACE)
        if kind == "engine":
            state = ray.get(actor.state.remote(), timeout=5)
            words = "up" if state.address else state.error or "starting"
            return ProcessState(role=role, command=command, state=words, address=state.address, host=state.host)
        if kind == "worker":
            ray.get(actor.pid.remote(), timeout=5)
        elif kind == "rank" and role != "rank-0":
            code = ray.get(actor.poll.remote(), timeout=5)
            return ProcessState(role=role, command=command, state="up" if code is None else f"ended with code {code}")
        return ProcessState(role=role, command=command, state="up")
    except Exception as error:  # Ray has many for an actor that cannot answer
        return ProcessState(role=role, command=command, state=f"does not answer ({type(error).__name__})")
