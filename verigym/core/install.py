"""The command that installs a missing extra into the Python that is running."""

import importlib.metadata
import shlex
import sys
import urllib.parse

import msgspec


def install_command(extra: str) -> str:
    """`/x/.venv/bin/python -m pip install -e '/x/verigym[serve]'` for a clone, `... 'verigym[serve]'` for a released package."""
    source, options = f"verigym[{extra}]", []
    try:
        record = importlib.metadata.distribution("verigym").read_text("direct_url.json")
        origin = msgspec.json.decode(record or "{}")
    except (importlib.metadata.PackageNotFoundError, msgspec.DecodeError):
        origin = {}
    url = urllib.parse.urlsplit(origin.get("url", ""))
    if url.scheme == "file" and "dir_info" in origin:
        source = f"{urllib.parse.unquote(url.path)}[{extra}]"
        options = ["-e"] if origin["dir_info"].get("editable") else []
    return shlex.join([sys.executable, "-m", "pip", "install", *options, source])
