"""Installs the agents and servers that tests run, each into an environment of its own: `python -m tests.third_party.install
[NAME ...]`.

Python packages get a virtual environment, npm packages a folder with `node_modules`, both below `.third-party` in the
repository's root. A stamp holds what was installed, so a second call only looks. The programs that use the packages are in
`programs/`.
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

from msgspec import Struct

FOLDER = Path(__file__).parents[2] / ".third-party"


class Package(Struct, frozen=True):
    """An agent as its registry has it."""

    label: str
    """Name and version for readers."""
    pip: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()


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
}


def python_of(name: str) -> Path:
    """The interpreter that has a Python package."""
    return FOLDER / name / "bin" / "python"


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
        _run([*pip, *package.pip])
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
    return "\n".join([*package.pip, *package.npm]) + "\n"


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in PACKAGES]
    if unknown:
        print(f"Unknown agents: {', '.join(unknown)}. Known agents: {', '.join(PACKAGES)}", file=sys.stderr)
        return 2
    for name in names or PACKAGES:
        install(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
