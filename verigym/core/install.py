"""The command that installs a missing extra into the Python that is running."""

import importlib.metadata
import shlex
import sys
import urllib.parse

import msgspec


class _Folder(msgspec.Struct):
    editable: bool = False


class _Origin(msgspec.Struct):
    """Where pip installed the package from (PEP 610)."""

    url: str = ""
    dir_info: _Folder | None = None


def install_command(extra: str) -> str:
    """`/x/.venv/bin/python -m pip install -e '/x/verigym[serve]'` for a clone, `... 'verigym[serve]'` for a released package."""
    source, options = f"verigym[{extra}]", list[str]()
    try:
        record = importlib.metadata.distribution("verigym").read_text("direct_url.json")
        origin = msgspec.json.decode(record or "{}", type=_Origin)
    except (importlib.metadata.PackageNotFoundError, msgspec.DecodeError):
        origin = _Origin()
    url = urllib.parse.urlsplit(origin.url)
    if url.scheme == "file" and origin.dir_info is not None:
        source = f"{urllib.parse.unquote(url.path)}[{extra}]"
        options = ["-e"] if origin.dir_info.editable else []
    return shlex.join([sys.executable, "-m", "pip", "install", *options, source])
