"""The command that installs a missing extra."""

import importlib.metadata
import json
import shlex
import sys

import pytest

from verigym import Workspace
from verigym.core.errors import BadInput
from verigym.core.install import install_command


class Installed:
    def __init__(self, record: str | None) -> None:
        self._record = record

    def read_text(self, name: str) -> str | None:
        return self._record


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"url": "file:///srv/a%20b/verigym", "dir_info": {"editable": True}}, ["-e", "/srv/a b/verigym[serve]"]),
        ({"url": "file:///srv/verigym", "dir_info": {}}, ["/srv/verigym[serve]"]),
        (None, ["verigym[serve]"]),
    ],
    ids=["a clone", "a folder", "a released package"],
)
def test_the_command_can_be_pasted_as_it_is(
    monkeypatch: pytest.MonkeyPatch, record: dict[str, object] | None, expected: list[str]
) -> None:
    found = Installed(json.dumps(record) if record else None)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: found)
    assert shlex.split(install_command("serve")) == [sys.executable, "-m", "pip", "install", *expected]


def test_serving_without_its_packages_says_what_to_run(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("verigym.servers", "uvicorn"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(BadInput) as told, Workspace(tmp_path) as ws:
        ws.serve("smollm2-135m")
    assert str(told.value).endswith(f"Run: {install_command('serve')}")
