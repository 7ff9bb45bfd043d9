"""Prints the files that start a cluster elsewhere: a batch script of SLURM, and a RayJob of Kubernetes (KubeRay).

Both start Ray on every machine and run one Verigym command on the first. They contain no secret: keys come from the environment
of the job (SLURM) or from a Secret (Kubernetes).
"""

import re
import shlex
from typing import Any

from msgspec import Struct

from verigym.core.errors import BadInput

_RAY_PORT = 6379
_WORD = re.compile(r"[\w.,@:/+-]+")
"""What a SLURM option or the name of an image may consist of."""
_KUBERNETES_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,45}[a-z0-9])?")
"""At most 47 characters, because KubeRay adds some."""


class JobShape(Struct, frozen=True, kw_only=True):
    """The machines of a job."""

    nodes: int = 1
    gpus: int = 8
    """GPUs per machine."""
    cpus: int = 32
    """CPU cores per machine."""
    memory_gb: int = 0
    """Memory per machine. 0 for all of it on SLURM, and 256 on Kubernetes."""
    hours: int = 24


def slurm_script(
    command: list[str], shape: JobShape, *, name: str = "verigym", partition: str = "", python: str = ""
) -> str:
    """A batch script for `sbatch`. It starts Ray on all machines of the job and runs the command on the first."""
    _check(_WORD, {"--name": name, "--partition": partition or "any"}, "Use letters, digits and the signs . _ -")
    options = [
        f"#SBATCH --job-name={name}",
        f"#SBATCH --nodes={shape.nodes}",
        "#SBATCH --ntasks-per-node=1",
        f"#SBATCH --cpus-per-task={shape.cpus}",
        f"#SBATCH --time={shape.hours}:00:00",
        f"#SBATCH --mem={f'{shape.memory_gb}G' if shape.memory_gb else '0'}",
        "#SBATCH --output=%x-%j.log",
        "#SBATCH --requeue",
    ]
    options += [f"#SBATCH --gpus-per-node={shape.gpus}"] if shape.gpus else []
    options += [f"#SBATCH --partition={partition}"] if partition else []
    bin_folder = f'export PATH={shlex.quote(python.rpartition("/")[0])}:"$PATH"\n' if python else ""
    gpus = f" --num-gpus={shape.gpus}" if shape.gpus else ""
    return f"""#!/bin/bash
{chr(10).join(options)}

# Submit with: sbatch THIS_FILE. If the job is killed or requeued, the same command resumes the run.
# The folder of the command, the model and the workspace must be visible on every machine.
set -euo pipefail
{bin_folder}
# One key between the command and the engines, and one token for Ray. Both are made for this job and are in no file.
export VERIGYM_ENGINE_KEY="${{VERIGYM_ENGINE_KEY:-$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \\n')}}"
export RAY_AUTH_MODE=token
export RAY_AUTH_TOKEN="${{RAY_AUTH_TOKEN:-$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \\n')}}"

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head_node="${{nodes[0]}}"
head_ip="$(srun --nodes=1 --ntasks=1 --nodelist="$head_node" hostname --ip-address | awk '{{print $1}}')"
export RAY_ADDRESS="$head_ip:{_RAY_PORT}"

# --block keeps each step alive, and the end of the job ends them all.
srun --nodes=1 --ntasks=1 --overlap --nodelist="$head_node" env -u RAY_ADDRESS \\
    ray start --head --node-ip-address="$head_ip" --port={_RAY_PORT} --num-cpus={shape.cpus}{gpus} \\
    --include-dashboard=false --block &
for node in "${{nodes[@]:1}}"; do
    srun --nodes=1 --ntasks=1 --overlap --nodelist="$node" env -u RAY_ADDRESS \\
        ray start --address="$head_ip:{_RAY_PORT}" --num-cpus={shape.cpus}{gpus} --block &
done

# Wait until every machine has joined.
until [ "$(srun --nodes=1 --ntasks=1 --overlap --nodelist="$head_node" \\
    verigym cluster status --json | grep -c '"alive": true')" -ge {shape.nodes} ]; do
    sleep 5
done

srun --nodes=1 --ntasks=1 --overlap --nodelist="$head_node" {shlex.join(command)}
"""


def kubernetes_manifest(
    command: list[str],
    shape: JobShape,
    *,
    name: str = "verigym",
    image: str = "verigym:latest",
    ray_version: str = "2.60.0",
    secret: str = "verigym",
    volume: str = "verigym",
) -> dict[str, Any]:
    """A RayJob of KubeRay. Keys come from the Secret, and the workspace and the models from the volume claim."""
    _check(_WORD, {"--image": image}, "Write one such as registry.example.org/verigym:1")
    names = {"--name": name, "--secret": secret, "--volume": volume}
    _check(_KUBERNETES_NAME, names, "Kubernetes allows lower-case letters, digits and -, and Ray at most 47 of them")
    limits: dict[str, Any] = {"cpu": str(shape.cpus), "memory": f"{shape.memory_gb or 256}Gi"}
    limits |= {"nvidia.com/gpu": str(shape.gpus)} if shape.gpus else {}
    container = {
        "image": image,
        "resources": {"limits": limits, "requests": limits},
        "envFrom": [{"secretRef": {"name": secret}}],
        "env": [{"name": "VERIGYM_HOME", "value": "/verigym/.verigym"}],
        "volumeMounts": [{"name": "work", "mountPath": "/verigym"}, {"name": "memory", "mountPath": "/dev/shm"}],
        "workingDir": "/verigym",
    }
    volumes = [
        {"name": "work", "persistentVolumeClaim": {"claimName": volume}},
        {"name": "memory", "emptyDir": {"medium": "Memory"}},
    ]
    resources = {"num-cpus": str(shape.cpus)} | ({"num-gpus": str(shape.gpus)} if shape.gpus else {})

    def template(container_name: str) -> dict[str, Any]:
        return {"spec": {"containers": [{"name": container_name, **container}], "volumes": volumes}}

    cluster: dict[str, Any] = {
        "rayVersion": ray_version,
        "authOptions": {"mode": "token"},  # of KubeRay 1.5.1 and newer, which then makes and shares a token
        "headGroupSpec": {"rayStartParams": resources, "template": template("ray-head")},
    }
    if shape.nodes > 1:
        cluster["workerGroupSpecs"] = [
            {
                "groupName": "machines",
                "replicas": shape.nodes - 1,
                "minReplicas": shape.nodes - 1,
                "maxReplicas": shape.nodes - 1,
                "rayStartParams": resources,
                "template": template("ray-worker"),
            }
        ]
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {"name": name},
        "spec": {
            "entrypoint": shlex.join(command),
            "submissionMode": "K8sJobMode",
            "backoffLimit": 3,
            "shutdownAfterJobFinishes": True,
            "ttlSecondsAfterFinished": 600,
            "activeDeadlineSeconds": shape.hours * 3600,
            "rayClusterSpec": cluster,
        },
    }


def _check(allowed: re.Pattern[str], values: dict[str, str], rule: str) -> None:
    for option, value in values.items():
        if not allowed.fullmatch(value):
            raise BadInput(f'{option} cannot be "{value}". {rule}')


def as_yaml(manifest: dict[str, Any]) -> str:
    import yaml

    class Plain(yaml.SafeDumper):
        """Writes repeated parts in full, because a reader edits them apart."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    return yaml.dump(manifest, Dumper=Plain, sort_keys=False, width=120)
