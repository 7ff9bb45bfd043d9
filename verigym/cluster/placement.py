"""Decides on paper what runs on which machine, before anything is started. Refuses what has no room.

Ray places the processes itself. This is what `--dry-run` shows, and it uses the same rule: what needs most goes first, to the
machine with the most room.
"""

from collections.abc import Sequence

from msgspec import Struct

from verigym.cluster.settings import ClusterSettings
from verigym.core.errors import BadInput


class Node(Struct, frozen=True, kw_only=True):
    """A machine."""

    name: str
    cpus: float
    gpus: float = 0.0
    driver: bool = False
    """Whether the command runs there."""


class Placed(Struct, frozen=True, kw_only=True):
    """One process on a machine."""

    role: str
    node: str
    cpus: float
    gpus: float


def rank_gpus(settings: ClusterSettings, nodes: Sequence[Node]) -> float:
    """GPUs per rank: as the file says, or 1 if the cluster has a GPU besides those of the engines."""
    if settings.learners.gpus is not None:
        return settings.learners.gpus
    engines = settings.engines
    taken = engines.gpus_each * engines.count if engines is not None and not engines.at else 0.0
    return 1.0 if sum(node.gpus for node in nodes) - taken >= 1 else 0.0


def place(settings: ClusterSettings, nodes: Sequence[Node]) -> list[Placed]:
    """Where each process runs. Rank 0 is the command, so it runs on the driver's machine."""
    cpus = {node.name: node.cpus for node in nodes}
    gpus = {node.name: node.gpus for node in nodes}
    driver = next((node.name for node in nodes if node.driver), nodes[0].name)
    placed: list[Placed] = []

    def put(role: str, need_cpus: float, need_gpus: float, where: Sequence[str]) -> None:
        fits = [name for name in where if cpus[name] >= need_cpus and gpus[name] >= need_gpus]
        if not fits:
            raise BadInput(_no_room(role, need_cpus, need_gpus, where, cpus, gpus, settings, nodes))
        name = max(fits, key=lambda name: (gpus[name], cpus[name]))
        cpus[name] -= need_cpus
        gpus[name] -= need_gpus
        placed.append(Placed(role=role, node=name, cpus=need_cpus, gpus=need_gpus))

    names, engines, learners = [node.name for node in nodes], settings.engines, settings.learners
    each = rank_gpus(settings, nodes)
    if learners.count > 1 or each:
        put("rank 0 (the command)", 0.0, each, [driver])
    if engines is not None and not engines.at:
        for number in range(engines.count):
            put(f"engine {number}", engines.cpus, engines.gpus_each, names)
    for rank in range(1, learners.count):
        put(f"rank {rank}", learners.cpus, each, names)
    for number in range(settings.workers.count):
        put(f"worker {number}", settings.workers.cpus, 0.0, names)
    return placed


def _no_room(
    role: str,
    need_cpus: float,
    need_gpus: float,
    where: Sequence[str],
    cpus: dict[str, float],
    gpus: dict[str, float],
    settings: ClusterSettings,
    nodes: Sequence[Node],
) -> str:
    free = ", ".join(f"{name} {gpus[name]:g} GPUs and {cpus[name]:g} CPU cores" for name in where[:4])
    field = {"engine": "engines", "rank": "learners", "worker": "workers"}[role.split()[0]]
    large = "gpus" if need_gpus > max(node.gpus for node in nodes) else ""
    large = large or ("cpus" if need_cpus > max(node.cpus for node in nodes) else "")
    least = f"{field}.{large or 'count'}"
    total = sum(node.gpus for node in nodes), sum(node.cpus for node in nodes)
    return (
        f"There is no room for {role}: it needs {need_gpus:g} GPUs and {need_cpus:g} CPU cores of one machine. Free after the "
        f"others: {free}. The cluster has {total[0]:g} GPUs and {total[1]:g} CPU cores. Lower {least}, or add "
        f"{'larger machines' if large else 'machines'}"
    )


def table(placed: Sequence[Placed], nodes: Sequence[Node]) -> list[str]:
    """The placement by machine, one line each."""
    lines: list[str] = []
    for node in nodes:
        own = [one for one in placed if one.node == node.name]
        roles: dict[str, list[Placed]] = {}
        for one in own:
            roles.setdefault(one.role.split()[0], []).append(one)
        words = [
            f"{len(some)} {role}{'s' if len(some) > 1 else ''} ({some[0].gpus:g} GPUs, {some[0].cpus:g} CPU cores each)"
            for role, some in roles.items()
        ]
        here = ", this command" if node.driver else ""
        lines.append(
            f"{node.name} ({node.gpus:g} GPUs, {node.cpus:g} CPU cores{here}): {'; '.join(words) or 'nothing'}"
        )
    return lines
