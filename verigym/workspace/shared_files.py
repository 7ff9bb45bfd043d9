"""Adapters and resume states behind a URL that all machines reach: a bucket (s3://, gs://) or a mounted folder (file://).

The workspace folder stays the place where files are used, so engines and trainers read plain paths. A file that the folder
lacks is fetched. Each stored folder has a manifest with the SHA-256 of its files, which is written last, and every reader
compares. The URL is in the variable VERIGYM_FILES or in the file `files.url`. Keys come from the environment of the storage's
library. `verigym gc` deletes what nothing uses.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.install import install_command

VARIABLE = "VERIGYM_FILES"
URL_FILE = "files.url"
_MANIFEST = "manifest.json"
_BUCKETS = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci"})
"""Storages without folders."""


class _Manifest(msgspec.Struct):
    files: dict[str, str]
    """The SHA-256 of each file by its name."""


def shared_files(home: Path) -> "SharedFiles | None":
    """The shared files of a workspace. None if its files are only in its folder."""
    url = os.environ.get(VARIABLE, "").strip()
    if not url:
        try:
            url = (home / URL_FILE).read_text().strip()
        except OSError:
            return None
        if not url:
            raise BadInput(f"{home / URL_FILE} is empty. Write the URL of the shared files into it, or delete it")
    return SharedFiles(url)


class SharedFiles:
    """Folders of files by name, such as `adapters/HASH`."""

    def __init__(self, url: str) -> None:
        if "://" not in url:
            raise BadInput(
                f'The URL of the shared files is not valid ("{url}"). Write s3://BUCKET/FOLDER or file:///FOLDER'
            )
        self.url = url.rstrip("/")
        self._opened: tuple[Any, str] | None = None

    def _open(self) -> tuple[Any, str]:
        if self._opened is None:
            try:
                from fsspec.core import url_to_fs

                self._opened = url_to_fs(self.url)
            except ImportError as error:
                scheme = self.url.partition("://")[0]
                also = " For s3:// also install s3fs" if scheme == "s3" else ""
                raise BadInput(
                    f"{self.url} needs a package ({error}). Run: {install_command('files')}{also}"
                ) from error
            except ValueError as error:
                raise BadInput(
                    f"{self.url} cannot be opened ({error}). Write s3://BUCKET/FOLDER or file:///FOLDER"
                ) from error
        return self._opened

    def check(self) -> None:
        """Refuses a URL that cannot be opened. It does not ask the server."""
        self._open()

    def has(self, name: str) -> bool:
        return self._manifest(name) is not None

    def put(self, name: str, paths: Iterable[Path]) -> None:
        """Stores files under a name. It counts as stored once all files are there."""
        files, root = self._open()
        manifest = _Manifest({})
        with self._explained(name, "written"):
            if not _BUCKETS.intersection([files.protocol] if isinstance(files.protocol, str) else files.protocol):
                files.makedirs(f"{root}/{name}", exist_ok=True)  # in a bucket, it would create the bucket
            for path in paths:
                with path.open("rb") as file:
                    manifest.files[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
                files.put_file(str(path), f"{root}/{name}/{path.name}")
            files.pipe_file(f"{root}/{name}/{_MANIFEST}", msgspec.json.encode(manifest))

    def get(self, name: str, folder: Path) -> bool:
        """Fetches what was stored under a name into a new folder, and compares each file with its hash. False if nothing was
        stored."""
        manifest = self._manifest(name)
        if manifest is None:
            return False
        files, root = self._open()
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as work:
            draft = Path(work) / "files"
            draft.mkdir()
            for file, sha256 in manifest.files.items():
                if Path(file).name != file:
                    raise BadInput(
                        f"{self.url}/{name} has a file with the name {file!r}. Delete it, and store it again"
                    )
                with self._explained(f"{name}/{file}"):
                    files.get_file(f"{root}/{name}/{file}", str(draft / file))
                with (draft / file).open("rb") as fetched:
                    found = hashlib.file_digest(fetched, "sha256").hexdigest()
                if found != sha256:
                    raise BadInput(
                        f"{self.url}/{name}/{file} is damaged: its SHA-256 is {found[:12]}..., and {sha256[:12]}... was stored. "
                        "Restore it, or delete the folder and repeat the command on the machine that has the file"
                    )
            if folder.exists():
                folder.rename(Path(work) / "old")
            draft.rename(folder)
        return True

    def names(self, under: str) -> list[str]:
        """The names that were stored under a folder, sorted."""
        files, root = self._open()
        with self._explained(under), contextlib.suppress(FileNotFoundError):
            files.invalidate_cache()
            return sorted(Path(path).name for path in files.ls(f"{root}/{under}", detail=False))
        return []

    def older(self, under: str, names: Iterable[str], age_s: float) -> dict[str, int]:
        """Those of the names under a folder whose files are all older than this, each with its bytes. Names whose storage does
        not tell the time of a file are left out."""
        files, root = self._open()
        limit = datetime.now(UTC) - timedelta(seconds=age_s)
        sizes: dict[str, int] = {}
        for name in names:
            with self._explained(f"{under}/{name}"), contextlib.suppress(FileNotFoundError, NotImplementedError):
                found: dict[str, Any] = files.find(f"{root}/{under}/{name}", detail=True)
                if found and all(_aware(files.modified(path)) < limit for path in found):
                    sizes[name] = sum(int(info["size"] or 0) for info in found.values())
        return sizes

    def delete(self, name: str) -> None:
        files, root = self._open()
        with self._explained(name, "deleted"), contextlib.suppress(FileNotFoundError):
            files.rm(f"{root}/{name}", recursive=True)

    def _manifest(self, name: str) -> _Manifest | None:
        files, root = self._open()
        body = None
        with self._explained(name), contextlib.suppress(FileNotFoundError):
            body = files.cat_file(f"{root}/{name}/{_MANIFEST}")
        if body is None:
            return None
        try:
            return msgspec.json.decode(body, type=_Manifest)
        except msgspec.DecodeError as error:
            raise BadInput(
                f"{self.url}/{name}/{_MANIFEST} is damaged ({error}). Delete the folder, and store it again"
            ) from error

    @contextlib.contextmanager
    def _explained(self, name: str, done: str = "read") -> Iterator[None]:
        """Each library of a storage has errors of its own."""
        try:
            yield
        except Exception as error:
            words = " ".join(str(error).split()) or type(error).__name__
            raise InfrastructureFailure(
                f"{self.url}/{name} cannot be {done} ({words}). Check the URL and your keys, and repeat the command"
            ) from error


def _aware(time: datetime) -> datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


class SharedResumeState:
    """The resume state of one training run. The newest is fetched at the start, and each new one is stored."""

    def __init__(self, shared: SharedFiles, run: str, folder: Path) -> None:
        self._shared, self._name, self._folder = shared, f"checkpoints/{run}", folder
        self._stored: set[str] = set()

    def fetch(self) -> None:
        """Fetches the newest state, if the folder has no newer one."""
        local = [path.stem for path in self._folder.glob("step-*.pt")]
        for name in reversed(self._shared.names(self._name)):
            if local and max(local) >= name:
                return
            with tempfile.TemporaryDirectory() as work:
                if self._shared.get(f"{self._name}/{name}", Path(work) / name):
                    self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                    draft = self._folder / f".{name}.new"
                    shutil.copyfile(Path(work) / name / f"{name}.pt", draft)
                    draft.replace(self._folder / f"{name}.pt")
                    self._stored.add(name)
                    return

    def store(self) -> bool:
        """Stores the newest state of the folder, and deletes the older ones. False if it is stored already."""
        path = max(self._folder.glob("step-*.pt"), default=None)
        if path is None or path.stem in self._stored:
            return False
        stored = self._shared.names(self._name)
        if any(name >= path.stem and self._shared.has(f"{self._name}/{name}") for name in stored):
            return False
        self._shared.put(f"{self._name}/{path.stem}", [path])
        self._stored.add(path.stem)
        for name in stored:
            if name < path.stem:
                self._shared.delete(f"{self._name}/{name}")
        return True
