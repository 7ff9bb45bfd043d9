"""The printed files: a batch script that bash reads, and a manifest with the fields of a RayJob."""

import re
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from verigym.cli.main import app
from verigym.cluster.scripts import JobShape, slurm_script

TRAIN = ["train", "my recipe.yaml", "--cluster", "cluster.yaml", "steps=3"]


def printed(*words: str) -> str:
    done = CliRunner().invoke(app, ["cluster", *words])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("nodes", [1, 2, 16])
def test_the_batch_script_is_valid_bash_with_the_options_of_the_job(nodes: int, tmp_path: Path):
    text = printed(
        "slurm", "--nodes", str(nodes), "--gpus", "4", "--cpus", "16", "--hours", "3", "--partition", "h200", *TRAIN
    )
    (tmp_path / "job.sh").write_text(text)
    assert subprocess.run(["bash", "-n", tmp_path / "job.sh"], capture_output=True, text=True).stderr == ""
    assert text.startswith("#!/bin/bash\n")
    options = dict(re.findall(r"^#SBATCH --([\w-]+)=(\S+)$", text, re.MULTILINE))
    assert options["nodes"] == str(nodes) and options["gpus-per-node"] == "4" and options["cpus-per-task"] == "16"
    assert options["time"] == "3:00:00" and options["partition"] == "h200" and options["ntasks-per-node"] == "1"
    assert "verigym train 'my recipe.yaml' --cluster cluster.yaml steps=3\n" in text
    assert "ray start --head" in text and f"-ge {nodes} ]" in text and "--num-gpus=4" in text


def test_the_batch_script_runs_with_stand_ins_of_slurm(tmp_path: Path):
    """srun, scontrol, ray and verigym are replaced by programs that write down what they are asked."""
    log = tmp_path / "log"
    stand_ins = {
        "srun": 'while [ "${1#--}" != "$1" ]; do shift; done\nexec "$@"',
        "scontrol": "printf 'a\\nb\\n'",
        "hostname": "echo 10.0.0.1 fe80::1",
        "ray": f'echo "ray $* address=${{RAY_ADDRESS:-none}} token=${{#RAY_AUTH_TOKEN}}" >> {log}',
        "verigym": f'echo "verigym $* address=$RAY_ADDRESS key=${{#VERIGYM_ENGINE_KEY}}" >> {log}\n'
        'if [ "$2" = status ]; then printf \'"alive": true\\n"alive": true\\n\'; fi',
    }
    for name, body in stand_ins.items():
        file = tmp_path / name
        file.write_text(f"#!/bin/bash\n{body}\n")
        file.chmod(0o755)
    script = slurm_script(["verigym", *TRAIN], JobShape(nodes=2, gpus=0, cpus=2))
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "SLURM_JOB_NODELIST": "[a-b]"}
    done = subprocess.run(
        ["bash", "-c", script + "\nwait\n"], env=variables, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    lines = log.read_text().splitlines()
    assert any(
        line.startswith("ray start --head --node-ip-address=10.0.0.1") and "address=none" in line for line in lines
    )
    assert any(line.startswith("ray start --address=10.0.0.1:6379") and "token=48" in line for line in lines)
    ran = [line for line in lines if line.startswith("verigym train")]  # ray writes its lines in the background
    assert ran == ["verigym train my recipe.yaml --cluster cluster.yaml steps=3 address=10.0.0.1:6379 key=48"]


def test_the_manifest_has_the_fields_of_a_rayjob():
    manifest: Any = msgspec.yaml.decode(printed("kubernetes", "--nodes", "3", "--gpus", "8", "--image", "i:1", *TRAIN))
    assert (manifest["apiVersion"], manifest["kind"]) == ("ray.io/v1", "RayJob") and manifest["metadata"]["name"]
    spec = manifest["spec"]
    assert spec["entrypoint"] == "verigym train 'my recipe.yaml' --cluster cluster.yaml steps=3"
    known = {
        "entrypoint", "submissionMode", "backoffLimit", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished",
        "activeDeadlineSeconds", "rayClusterSpec",
    }  # fmt: skip
    assert set(spec) == known
    cluster = spec["rayClusterSpec"]
    assert set(cluster) == {"rayVersion", "authOptions", "headGroupSpec", "workerGroupSpecs"}
    [workers] = cluster["workerGroupSpecs"]
    assert workers["replicas"] == workers["minReplicas"] == workers["maxReplicas"] == 2
    for each in (cluster["headGroupSpec"], workers):
        assert all(isinstance(value, str) for value in each["rayStartParams"].values())
        [container] = each["template"]["spec"]["containers"]
        assert container["image"] == "i:1" and container["resources"]["limits"]["nvidia.com/gpu"] == "8"
        mounted = {one["name"] for one in container["volumeMounts"]}
        assert mounted == {one["name"] for one in each["template"]["spec"]["volumes"]}
        assert container["envFrom"] == [{"secretRef": {"name": "verigym"}}]


def test_options_after_the_command_belong_to_it():
    text = printed("slurm", "--name", "job", "rollout", "toolcall", "-m", "smollm2-135m", "--name", "mine", "-n", "3")
    assert "#SBATCH --job-name=job\n" in text
    assert "verigym rollout toolcall -m smollm2-135m --name mine -n 3\n" in text


def test_one_machine_needs_no_other_machines_and_no_gpu():
    manifest: Any = msgspec.yaml.decode(printed("kubernetes", "--gpus", "0", *TRAIN))
    cluster = manifest["spec"]["rayClusterSpec"]
    assert "workerGroupSpecs" not in cluster
    assert "nvidia.com/gpu" not in str(cluster) and "num-gpus" not in str(cluster)
    assert "gpus-per-node" not in printed("slurm", "--gpus", "0", *TRAIN)


def test_the_status_needs_an_address(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    done = CliRunner().invoke(app, ["cluster", "status"])
    assert "Name the Ray cluster" in str(done.exception)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["slurm", "trian", "r.yaml"], 'There is no command of Verigym "trian". Did you mean "train"?'),
        (["slurm", "--nodes", "2", "train", "r.yaml"], "would use one of the 2 machines. Add --cluster FILE"),
        (["slurm", *TRAIN, "--nodes", "2"], "--nodes is an option of the job, and it stands after the command"),
        (["kubernetes", *TRAIN, "--image=a"], "Write it before train"),
        (["slurm", "--partition", "a;b", *TRAIN], '--partition cannot be "a;b"'),
        (["slurm", "--name", "my job", *TRAIN], '--name cannot be "my job"'),
        (["kubernetes", "--image", "my image", *TRAIN], '--image cannot be "my image"'),
        (["kubernetes", "--secret", "My_Keys", *TRAIN], "lower-case letters"),
        (["kubernetes", "--name", "a" * 48, *TRAIN], "at most 47"),
        (["kubernetes", "--volume", "", *TRAIN], '--volume cannot be ""'),
    ],
    ids=[
        "unknown command",
        "no --cluster",
        "late",
        "late with =",
        "partition",
        "name",
        "image",
        "secret",
        "long name",
        "empty",
    ],
)
def test_what_would_fail_when_the_job_runs_is_refused(words: list[str], problem: str):
    done = CliRunner().invoke(app, ["cluster", *words])
    assert done.exit_code != 0 and problem in str(done.exception)
