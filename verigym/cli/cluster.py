"""cluster: what runs on a cluster, and the files that start one with SLURM or Kubernetes."""

from typing import Annotated

import typer

from verigym.cli import show
from verigym.cli.options import Json, group

cluster = group("cluster", "Many machines: print what runs on them, and files that start a job on SLURM or Kubernetes.")
_WHOLE_COMMAND = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""Options after the first word belong to the command that is printed."""
_OF_THE_JOB = {"--nodes", "--gpus", "--cpus", "--memory", "--hours", "--partition", "--image", "--secret", "--volume"}
"""Options that no command of Verigym has, so after the first word they are misplaced."""

Command = Annotated[
    list[str],
    typer.Argument(metavar="COMMAND", help="Verigym command to run, such as train recipe.yaml --cluster cluster.yaml"),
]
Nodes = Annotated[int, typer.Option("--nodes", min=1, help="Number of machines")]
Gpus = Annotated[int, typer.Option("--gpus", min=0, help="GPUs per machine")]
Cpus = Annotated[int, typer.Option("--cpus", min=1, help="CPU cores per machine")]
Memory = Annotated[int, typer.Option("--memory", min=0, help="Memory per machine in GB (default: all, or 256)")]
Hours = Annotated[int, typer.Option("--hours", min=1, help="Time limit of the job in hours")]
JobName = Annotated[str, typer.Option("--name", help="Name of the job")]


def _check_command(context: typer.Context, command: list[str], nodes: int) -> None:
    """Refuses a command that would fail or leave machines idle. Otherwise that shows when the job runs, perhaps hours later."""
    from verigym.core.errors import BadInput, not_found

    root = context.find_root()
    known = getattr(root.command, "commands", {})
    if command[0] not in known:
        raise not_found("command of Verigym", command[0], known)
    late = next((word for word in command if word.partition("=")[0] in _OF_THE_JOB), "")
    if late:
        raise BadInput(f"{late} is an option of the job, and it stands after the command. Write it before {command[0]}")
    if nodes > 1 and not any(word == "--cluster" or word.startswith("--cluster=") for word in command):
        raise BadInput(
            f"The command has no --cluster, so it would use one of the {nodes} machines. Add --cluster FILE to the command, or "
            "leave out --nodes"
        )


@cluster.command("status")
def cluster_status(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="Address of the Ray cluster, HOST:PORT (default: RAY_ADDRESS)")
    ] = "",
    json: Json = False,
) -> None:
    """Print the machines of a Ray cluster, and the engines, ranks and workers that commands started on it."""
    import os

    from verigym.cluster.ray_cluster import RayCluster
    from verigym.cluster.status import status
    from verigym.core.errors import BadInput

    if not address and not os.environ.get("RAY_ADDRESS"):
        raise BadInput("Name the Ray cluster: verigym cluster status HOST:6379, or set RAY_ADDRESS")
    ray = RayCluster(address)
    try:
        found = status(ray)
    finally:
        ray.close()
    if json:
        return show.as_json(found)
    rows = [(one.name, "alive" if one.alive else "lost", f"{one.gpus:g}", f"{one.cpus:g}") for one in found.machines]
    show.table(rows, ("machine", "state", "GPUs", "CPU cores"))
    show.say("")
    if not found.processes:
        return show.say("No command uses the cluster now")
    processes = [(one.command, one.role, one.state, one.address, one.host) for one in found.processes]
    show.table(processes, ("command", "process", "state", "address", "machine"))


@cluster.command("slurm", context_settings=_WHOLE_COMMAND)
def cluster_slurm(
    context: typer.Context,
    command: Command,
    nodes: Nodes = 1,
    gpus: Gpus = 8,
    cpus: Cpus = 32,
    memory: Memory = 0,
    hours: Hours = 24,
    name: JobName = "verigym",
    partition: Annotated[str, typer.Option("--partition", help="Partition of the cluster (default: its own)")] = "",
    python: Annotated[
        str, typer.Option("--python", help="Python interpreter that has Verigym, if it is not the first in PATH")
    ] = "",
) -> None:
    """Print a batch script for SLURM, to save and submit: verigym cluster slurm train r.yaml --cluster c.yaml > job.sh"""
    from verigym.cluster.scripts import JobShape, slurm_script

    _check_command(context, command, nodes)
    shape = JobShape(nodes=nodes, gpus=gpus, cpus=cpus, memory_gb=memory, hours=hours)
    show.say(slurm_script(["verigym", *command], shape, name=name, partition=partition, python=python).rstrip("\n"))


@cluster.command("kubernetes", context_settings=_WHOLE_COMMAND)
def cluster_kubernetes(
    context: typer.Context,
    command: Command,
    nodes: Nodes = 1,
    gpus: Gpus = 8,
    cpus: Cpus = 32,
    memory: Memory = 0,
    hours: Hours = 24,
    name: JobName = "verigym",
    image: Annotated[str, typer.Option("--image", help="Container image with Verigym and Ray")] = "verigym:latest",
    secret: Annotated[str, typer.Option("--secret", help="Kubernetes Secret with the keys, as variables")] = "verigym",
    volume: Annotated[
        str, typer.Option("--volume", help="Persistent volume claim with recipe, models and workspace")
    ] = "verigym",
) -> None:
    """Print a RayJob manifest for Kubernetes, to save and apply:
    verigym cluster kubernetes train r.yaml --cluster c.yaml > job.yaml"""
    from verigym.cluster.scripts import JobShape, as_yaml, kubernetes_manifest

    _check_command(context, command, nodes)
    shape = JobShape(nodes=nodes, gpus=gpus, cpus=cpus, memory_gb=memory, hours=hours)
    manifest = kubernetes_manifest(["verigym", *command], shape, name=name, image=image, secret=secret, volume=volume)
    show.say(as_yaml(manifest).rstrip("\n"))
