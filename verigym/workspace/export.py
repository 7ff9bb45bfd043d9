"""Exports a version as files: a PEFT adapter, merged weights, or only prompt and settings.

The folder is created atomically and must not exist yet. Folders of a base model or of the workspace are never written to.
"""

import os
import shutil
import tempfile
from pathlib import Path

import msgspec

from verigym.core.errors import BadInput, InfrastructureFailure, Refused
from verigym.core.records import Version
from verigym.model import embedded
from verigym.registry.cards import card
from verigym.workspace.agents import about
from verigym.workspace.workspace import WorkspaceFolder

RECORD = "version.json"
CARD = "README.md"


def export(ws: WorkspaceFolder, version: Version, to: Path, merged: bool = False) -> list[str]:
    """Writes the version into a new folder and returns the names of its files. With `merged`, it writes complete weights,
    otherwise a PEFT adapter. Prompt, tool descriptions, constraints and sampling are in `version.json`."""
    _check_folder(ws, version, to)
    if merged and version.is_remote:
        raise Refused(f"{version.base}: the weights of a model behind a server cannot be merged. Remove --merged")
    adapter = ws.adapter_of(version)
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=to.parent, prefix=f".{to.name}.new-") as work:
            folder = Path(work) / "export"
            folder.mkdir()
            if merged:
                from verigym.model.export import save_merged

                save_merged(version.base, adapter, folder, version.sampling)
            elif adapter is not None:
                shutil.copytree(adapter, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
            record = msgspec.json.format(msgspec.json.encode(version), indent=2)
            (folder / RECORD).write_bytes(record + b"\n")
            (folder / CARD).write_text(card(about(ws, version)), encoding="utf-8")
            _check_free(to)
            folder.rename(to)
    except OSError as error:
        raise InfrastructureFailure(f"{to} cannot be written ({error}). No files were left there") from error
    return sorted(file.name for file in to.iterdir())


def _check_folder(ws: WorkspaceFolder, version: Version, to: Path) -> None:
    _check_free(to)
    hub = os.environ.get("HF_HUB_CACHE") or os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    protected = {
        "the base model": Path(version.base),
        "embedded models": embedded.cache_folder(),
        "downloaded Hugging Face models": Path(hub),
        "this workspace": ws.home,
    }
    for owner, folder in protected.items():
        if folder.is_dir() and to.resolve().is_relative_to(folder.resolve()):
            raise Refused(f"{to} is inside {folder}, the folder of {owner}. Pass another folder with --out")


def _check_free(to: Path) -> None:
    if not to.name:
        raise BadInput(f"--out {to} is invalid. Name a folder that does not exist yet")
    if to.exists() or to.is_symlink():
        raise Refused(f"{to} already exists. Name a folder that does not exist yet")
