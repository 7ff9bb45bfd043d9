"""Installs the agents and servers that tests run, each into an environment of its own: `python -m tests.third_party.install
[NAME ...]`. `agents` and `trainers` are groups of them.

Python packages get a virtual environment, npm packages a folder with `node_modules`, both below `.third-party` in the
repository's root. A stamp holds what was installed, so a second call only looks. The programs that use the packages are in
`programs/`.
"""

import os
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".third-party"


class Package(Struct, frozen=True):
    """An agent as its registry has it."""

    label: str
    """Name and version for readers."""
    pip: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()
    verigym: bool = False
    """Also install what Verigym requires, so that a program can import both."""
    over: tuple[str, ...] = ()
    """Python packages without their requirements, for use over the packages of this Python. `variables_of` puts them first."""


PACKAGES = {
    "openai-agents": Package("openai-agents 0.24.0", pip=("openai-agents==0.24.0",)),
    "langgraph": Package(
        "langchain 1.4.7, langgraph 1.2.20",
        pip=(
            "langchain==1.4.7",
            "langgraph==1.2.20",
            "langchain-openai==1.7.3",
            "langchain-mcp-adapters==0.3.2",
        ),
    ),
    "mini-swe-agent": Package("mini-swe-agent 2.4.6", pip=("mini-swe-agent==2.4.6", "litellm[mcp]==1.106.2")),
    "pydantic-ai": Package("pydantic-ai 2.66.0", pip=("pydantic-ai-slim[openai,mcp]==2.66.0",)),
    "smolagents": Package("smolagents 1.26.0", pip=("smolagents[openai,mcp]==1.26.0", "mcp[ws]==1.30.0")),
    "anthropic": Package("anthropic 2.9.0 (SDK)", pip=("anthropic==2.9.0",)),
    "trackers": Package(
        "tensorboard 2.21.0, wandb 0.31.0, mlflow-skinny 3.17.2, trackio 0.43.0",
        pip=(
            "tensorboard==2.21.0",
            "wandb==0.31.0",
            "mlflow-skinny==3.17.2",
            "trackio==0.43.0",
            "msgspec==0.22.0",
            "pyyaml==6.0.3",
        ),
    ),
    "s3": Package(
        "s3fs 2026.9.0, moto 5.2.5 (a server that speaks S3)",
        pip=("s3fs==2026.9.0", "moto[server]==5.2.5", "msgspec==0.22.0"),
    ),
    "codex": Package("codex 0.169.0", npm=("@openai/codex@0.169.0",)),
    "opencode": Package("opencode 1.18.33", npm=("opencode-ai@1.18.33",)),
    "openenv": Package("openenv 0.10.0", pip=("openenv==0.10.0",), verigym=True),
    "inspect": Package("inspect-ai 0.3.285", pip=("inspect-ai==0.3.285",), verigym=True),
    "verifiers": Package("verifiers 0.4.0", pip=("verifiers==0.4.0",), verigym=True),
    "trl": Package("trl 1.15.0 (the newest that Unsloth 2026.10.9 takes)", over=("trl==1.15.0", "triton==3.9.0")),
    "openrlhf": Package("openrlhf 0.11.2", over=("openrlhf==0.11.2", "pylatexenc==2.11")),
    "verl": Package(
        "verl 0.9.1",
        over=(
            "verl==0.9.1",
            "ray==2.60.0",
            "tensordict==0.10.0",
            "hydra-core==1.3.2",
            "omegaconf==2.3.0",
            "antlr4-python3-runtime==4.9.3",
            "codetiming==1.4.0",
            "torchdata==0.11.0",
            "cloudpickle==3.1.2",
            "dill==0.4.1",
            "msgpack==1.2.4",
            "pyvers==0.2.3",
            "orjson==3.13.0",
            "cachetools==8.0.0",
        ),
    ),
    "llama-cpp": Package("llama-cpp-python 0.3.36 (compiles llama.cpp)", pip=("llama-cpp-python==0.3.36",)),
}
"""Peers whose requirements are large (torch for CUDA, vllm, flash-attn) are installed without them."""

TRAINERS = ("openenv", "inspect", "verifiers", "trl", "openrlhf", "verl", "llama-cpp")
"""What tests/third_party/trainers needs. The others, except s3, are for the agents in tests/third_party."""
GROUPS = {"trainers": TRAINERS, "agents": tuple(name for name in PACKAGES if name not in (*TRAINERS, "s3"))}


def python_of(name: str) -> Path:
    """The interpreter that has a Python package."""
    return FOLDER / name / "bin" / "python"


def variables_of(name: str) -> dict[str, str]:
    """The variables with which this Python imports the packages of `over` and Verigym."""
    return {"PYTHONPATH": os.pathsep.join([str(FOLDER / name / "packages"), str(ROOT)])}


def program_of(name: str) -> Path:
    """The command of an npm package."""
    return FOLDER / name / "node_modules" / ".bin" / name


def installed(name: str) -> bool:
    stamp = FOLDER / name / "stamp"
    return stamp.exists() and stamp.read_text() == _wanted(name)


def install(name: str) -> None:
    """Installs a package, unless its stamp says that it is there."""
    if installed(name):
        return
    package, folder = PACKAGES[name], FOLDER / name
    print(f"Installing {package.label} into {folder}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if package.pip:
        venv.create(folder, with_pip=True)
        pip = [str(python_of(name)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*pip, *package.pip, *(_required() if package.verigym else ())])
    if package.over:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        _run([*pip, "--target", str(folder / "packages"), *package.over])
    if package.npm:
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
        _run([*npm, *package.npm])
    (folder / "stamp").write_text(_wanted(name))


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{(done.stderr or done.stdout)[-2000:]}")


def _wanted(name: str) -> str:
    package = PACKAGES[name]
    required = _required() if package.verigym else ()
    return "\n".join([*package.pip, *required, *package.npm, *package.over]) + "\n"


def _required() -> list[str]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in (*PACKAGES, *GROUPS)]
    if unknown:
        print(f"Unknown: {', '.join(unknown)}. Known: {', '.join((*GROUPS, *PACKAGES))}", file=sys.stderr)
        return 2
    for name in names or PACKAGES:
        for each in GROUPS.get(name, (name,)):
            install(each)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
