"""Tools that an agent version brings: a tools file and the files that it needs, stored in the workspace under their hash.

The version can be opened as it was registered, whatever happens to the original files. A record of calls (`replay`) is not part
of the version. It is kept beside the stored files and grows.
"""

import functools
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from verigym.core.errors import BadInput, NotFound
from verigym.core.records import Version, content_hash
from verigym.harness.environment import EnvironmentSpec
from verigym.workspace.workspace import WorkspaceFolder

if TYPE_CHECKING:
    from verigym.harness.tools_file import ToolsFile

_MOST_MB = 64


class ToolsBundle(Struct, frozen=True):
    """A stored tools file."""

    main: str
    """Name of the tools file."""
    files: dict[str, bytes]
    """The tools file and what it needs, by their paths relative to it."""

    @property
    def sha256(self) -> str:
        hashes = {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}
        return content_hash([self.main, hashes])


def keep_tools(ws: WorkspaceFolder, path: Path) -> str:
    """Stores a tools file for a version and returns its hash."""
    from verigym.harness.tools_file import ToolsFile

    file = ToolsFile(path)
    for name, server in file.config.servers.items():
        if server.offer:
            raise BadInput(
                f"{path}: the server {name} decides which tools it offers, so a version could change unnoticed. Write its tools "
                "out and set offer: false (verigym init --mcp does this)"
            )
    bundle = ToolsBundle(path.name, file.bundle())
    if sum(map(len, bundle.files.values())) > _MOST_MB << 20:
        raise BadInput(f"{path}: the file and what it needs have more than {_MOST_MB} MB. Search a smaller folder")
    ws.store.put("tools_file", bundle.sha256, bundle)
    folder = _unpacked(ws, bundle)
    if file.replay is not None and file.replay.path.is_file():
        target = folder / file.replay.path.name
        if not target.exists():
            shutil.copyfile(file.replay.path, target)
    return bundle.sha256


def tools_of(ws: WorkspaceFolder, version: Version) -> "ToolsFile | None":
    """The tools file that a version brings."""
    if not version.tools:
        return None
    bundle = ws.store.get("tools_file", version.tools, ToolsBundle)
    if bundle is None:
        raise NotFound(
            f"The tools file of {version.label} ({version.tools[:12]}) is not in this workspace. Register it again: "
            "verigym models new --tools FILE"
        )
    if bundle.sha256 != version.tools:
        raise BadInput(f"The stored tools file of {version.label} was changed. Restore a backup of the workspace")
    return _opened(str(_unpacked(ws, bundle) / bundle.main), bundle.sha256)


def with_agent_tools(ws: WorkspaceFolder, environment: EnvironmentSpec, agent: Version) -> EnvironmentSpec:
    """The environment with the tools that the agent brings."""
    file = tools_of(ws, agent)
    if file is None:
        return environment
    from verigym.harness.with_tools import with_tools

    return with_tools(environment, file)


@functools.lru_cache(maxsize=32)
def _opened(path: str, sha256: str) -> "ToolsFile":
    from verigym.harness.tools_file import ToolsFile

    return ToolsFile(Path(path))


def _unpacked(ws: WorkspaceFolder, bundle: ToolsBundle) -> Path:
    """The folder with the files of a bundle. Files that were changed there are restored."""
    folder = ws.home / "tools" / bundle.sha256[:16]
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in bundle.files.items():
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise BadInput(f"The stored tools file contains the path {name}, which leads out of its folder")
        if path.is_file() and path.read_bytes() == data:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as temporary:
            temporary.write(data)
        Path(temporary.name).replace(path)
    return folder
