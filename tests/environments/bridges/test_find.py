"""Names of bridges: prefix, name and options. What is wrong with a name is said in words."""

import pytest

from verigym.core.errors import BadInput, NotFound
from verigym.environments.bridges import find, install
from verigym.environments.load import base_and_added, load_environment, names


def test_a_name_has_a_prefix_a_name_and_options() -> None:
    assert find.is_bridge("bfcl:simple_python") and not find.is_bridge("bfcl") and not find.is_bridge("my.py")
    assert find.name_and_options("x", "legs?size=20&kind=tall&flags=[1,2]") == (
        "legs",
        {"size": 20, "kind": "tall", "flags": [1, 2]},
    )


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("bfcl:", '"bfcl:" names no environment. Write bfcl:simple_python'),
        ("reasoning-gym:legs?size", 'the option "size" has no value. Write options as'),
        ("reasoning-gym:legs?size=", 'the option "size=" has no value'),
        ("reasoning-gym:legs?size=1&size=2", "the option size is given twice"),
        ("reasoning-gym:legs?size=0", "size must be a whole number from 1 to 50,000, not 0"),
        ("reasoning-gym:legs?val=true", "val must be a whole number"),
        ("gymnasim:Taxi-v4", 'There is no bridge "gymnasim". Did you mean "gymnasium"?'),
        ("mcp:files", "verigym init NAME.yaml --mcp COMMAND"),
    ],
)
def test_a_wrong_name_says_what_to_write(where: str, words: str) -> None:
    with pytest.raises((BadInput, NotFound)) as error:
        load_environment(where)
    assert words in str(error.value)


def test_the_folder_of_bridges_is_not_a_shipped_environment() -> None:
    assert "bridges" not in names()


def test_tasks_of_a_file_can_be_added_to_a_bridge() -> None:
    assert base_and_added("bfcl:simple_python+more.jsonl") == ("bfcl:simple_python", "more.jsonl")


def test_an_unknown_bridge_cannot_be_installed() -> None:
    with pytest.raises(NotFound, match="reasoning-gym"):
        install.install("reasoning-gim")


def test_a_bridge_without_a_python_of_its_own_refuses_one() -> None:
    with pytest.raises(BadInput, match="Remove --python"):
        install.install("bfcl", python="python3.12")


def test_every_bridge_describes_itself() -> None:
    for name in find.BRIDGES:
        bridge = find.bridge(name)
        assert bridge.example.startswith(f"{name}:") and bridge.package.version and bridge.licence


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("VERIGYM_BRIDGES", f"{tmp_path}/empty")
    with pytest.raises(BadInput, match="verigym bridges install bfcl"):
        load_environment("bfcl:simple_python")
