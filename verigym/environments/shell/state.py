"""Describes how the working folder differs from its start, as plain JSON that a verifier can read.

The content of the folder is untrusted. Archives are opened within limits, and unreadable files are only named.
"""

import gzip
import hashlib
import io
import tarfile
from pathlib import PurePosixPath

from verigym.core.records import Json
from verigym.sandbox.folder import FolderEntry

_MOST_UNPACKED, _MOST_MEMBERS = 4 << 20, 1000
"""Maximum bytes and members of all archives of a folder together. The jobs need a fraction of them."""
_LONGEST_NAME = 4096
_USUAL = {"file": 0o644, "folder": 0o755}
_MOST_TOLD = 1000
"""Maximum characters of a file in a folder that is too full."""
_LINK = "(a link to "
Listing = dict[str, FolderEntry]


def differences(before: Listing, after: Listing) -> Json:
    """`changed` has the text by path, and None for a removed file (a path that ends in / is an empty folder). `modes` has changed
    modes, and unusual modes of new files. `archives` has the members of new or changed compressed files."""
    old, new = _contents(before), _contents(after)
    changed: Json = {path: _text(found) for path, found in new.items() if path not in old or _differs(old[path], found)}
    changed |= {path: None for path in old if path not in new}
    left = _Left()
    archives = {
        path: opened
        for path in changed
        if path in after and (opened := _opened(path, after[path].data, left)) is not None
    }
    return {
        "changed": changed
        | dict.fromkeys(archives, "(an archive)"),  # its bytes contain the time, so they always differ
        "modes": {
            path: f"{found.mode:03o}"
            for path, found in after.items()
            if found.kind in _USUAL and found.mode != (before[path].mode if path in before else _USUAL[found.kind])
        },
        "archives": archives,
    }


def remains(before: Listing, after: Listing) -> Json:
    """The differences of a folder that is too full to be described completely: only the original files, wherever their texts are
    now, and their modes."""
    found = differences(before, after)
    texts = [text.strip("\n") for one in before.values() if one.kind == "file" and (text := _text(one)).strip()]
    changed: Json = {}
    for path, text in found["changed"].items():
        now = "\n".join(["", *found["archives"].get(path, {"": text or ""}).values(), ""])
        kept = "".join(f"{each}\n" for each in texts if f"\n{each}\n" in now)
        if path in before or kept:
            changed[path] = None if text is None else kept or text[:_MOST_TOLD]
    return {
        "changed": changed,
        "modes": {path: mode for path, mode in found["modes"].items() if path in before},
        "archives": {},
    }


def _contents(listing: Listing) -> Listing:
    """Files and empty folders."""
    full = {".", *(str(parent) for path in listing for parent in PurePosixPath(path).parents)}
    empty = {f"{path}/": found for path, found in listing.items() if found.kind == "folder" and path not in full}
    return {path: found for path, found in listing.items() if found.kind != "folder"} | empty


def _differs(one: FolderEntry, two: FolderEntry) -> bool:
    return (one.kind, one.data) != (two.kind, two.data)


def _text(found: FolderEntry) -> str:
    if found.kind == "link":
        return f"{_LINK}{found.data.decode('utf-8', 'replace')})"
    if found.kind == "other":
        return "(neither file nor folder)"
    text = found.data.decode("utf-8", "replace")
    if text.encode() == found.data and not text.startswith(_LINK):  # a file with this text is not a link
        return text
    return f"({len(found.data)} bytes, sha256 {hashlib.sha256(found.data).hexdigest()})"


class _Left:
    """What the archives of a folder may still unpack."""

    def __init__(self) -> None:
        self.size, self.members = _MOST_UNPACKED, _MOST_MEMBERS


def _opened(path: str, data: bytes, left: _Left) -> dict[str, str] | None:
    """The texts in a .gz or a gzipped tar, by name. None if it is not one, or if too much is unpacked."""
    if not path.endswith((".gz", ".tgz")):
        return None
    try:
        raw = gzip.GzipFile(fileobj=io.BytesIO(data)).read(left.size + 1)
        if len(raw) > left.size:
            left.size = 0
            return None
        left.size -= len(raw)
        return _members(raw, left) if path.endswith((".tar.gz", ".tgz")) else {"": raw.decode("utf-8", "replace")}
    except Exception:  # untrusted bytes can raise anything in the readers
        return None


def _members(raw: bytes, left: _Left) -> dict[str, str] | None:
    """The texts of a tar. A sparse member is not read: a few bytes can stand for any number of zeros."""
    found: dict[str, str] = {}
    size = len(raw)
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        for member in archive:
            left.members -= 1
            if left.members < 0 or len(member.name) > _LONGEST_NAME:
                return None
            plain = member.isreg() and not member.issparse() and 0 <= member.size <= size
            file = archive.extractfile(member) if plain else None
            if not member.isdir():
                text = file.read().decode("utf-8", "replace") if file else "(not a plain file)"
                size -= member.size if file else 0
                found[str(PurePosixPath(member.name)).encode(errors="replace").decode()] = text
    return found
