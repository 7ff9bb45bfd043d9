from typing import Any

import msgspec
import pytest

from tests.registry.memory import MemoryStore
from verigym.core.errors import BadInput, NotFound
from verigym.core.names import as_name, check_name
from verigym.core.printable import visible
from verigym.core.records import Sampling, Version, content_hash
from verigym.registry.ledger import set_first_champion
from verigym.registry.versions import kind_of, register, resolve, version_id

BASE = Version(base="smollm2-135m", name="base")


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.mark.parametrize(
    "change",
    [
        {"base": "other"},
        {"adapter": "abc"},
        {"system_prompt": ""},
        {"tool_descriptions": {"book": "Book a meeting."}},
        {"constraints": "json"},
        {"sampling": Sampling()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_id_changes_with_what_makes_the_agent_behave(change: dict[str, Any]):
    assert version_id(msgspec.structs.replace(BASE, **change)) != version_id(BASE)


@pytest.mark.parametrize(
    "change",
    [{"name": "x"}, {"parent": "x"}, {"recipe": {"x": 1}}, {"data_hash": "x"}, {"families": ["x"]}, {"made": "x"}],
    ids=lambda change: next(iter(change)),
)
def test_the_id_does_not_change_with_where_the_agent_came_from(change: dict[str, Any]):
    assert version_id(msgspec.structs.replace(BASE, **change)) == version_id(BASE)


def test_registering_fills_the_id_and_keeps_the_first_of_equal_agents(store: MemoryStore):
    first = register(store, BASE)
    again = register(store, msgspec.structs.replace(BASE, name="another name"))
    assert first.id == version_id(BASE)
    assert again == first
    assert len(store.documents("version", Version)) == 1


def test_a_version_is_found_by_id_beginning_name_latest_and_champion(store: MemoryStore):
    base = register(store, BASE)
    tuned = register(store, Version(base="smollm2-135m", adapter="abc", name="tuned"))
    set_first_champion(store, base.id)
    assert (
        resolve(store, base.id)
        == resolve(store, base.id[:6])
        == resolve(store, "base")
        == resolve(store, "champion")
        == base
    )
    assert resolve(store, "latest") == resolve(store, "tuned") == tuned


def test_an_unknown_name_lists_what_exists_and_suggests_the_nearest(store: MemoryStore):
    base = register(store, BASE)
    with pytest.raises(NotFound, match=f'no version "bose". Did you mean "base"\\? Available: {base.id}, base'):
        resolve(store, "bose")


@pytest.mark.parametrize("text", ["latest", "", "x"])
def test_an_empty_registry_says_so(store: MemoryStore, text: str):
    with pytest.raises(NotFound, match="No version exists yet"):
        resolve(store, text)


def test_before_the_first_crown_there_is_no_champion_to_find(store: MemoryStore):
    register(store, BASE)
    with pytest.raises(NotFound, match="No champion exists yet"):
        resolve(store, "champion")


def test_a_name_that_two_versions_share_is_not_guessed(store: MemoryStore):
    one = register(store, BASE)
    two = register(store, Version(base="smollm2-135m", adapter="abc", name="base"))
    with pytest.raises(BadInput, match=f'"base" matches 2 versions: {one.id}, {two.id}'):
        resolve(store, "base")


def test_a_version_says_when_and_with_what_it_was_made_and_is_sealed(store: MemoryStore):
    made = register(store, msgspec.structs.replace(BASE, made="long ago", software={"verigym": "0"}, seal="x"))
    assert made.made.endswith("+00:00") and made.software.keys() >= {"verigym", "python"}
    assert made.software["verigym"] != "0" and made.seal == content_hash(msgspec.structs.replace(made, seal=""))


def test_of_two_that_register_at_once_both_get_the_first(store: MemoryStore):
    first = register(store, BASE)

    class Late(MemoryStore):
        """Another process registers it between the look and the write."""

        def get(self, kind: str, id: str, type: Any) -> Any:
            found = super().get(kind, id, type)
            self.records.setdefault((kind, id), first)
            return found

    assert register(Late(), msgspec.structs.replace(BASE, name="late")).name == "base"


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({}, "base"),
        ({"system_prompt": ""}, "prompt"),
        ({"adapter": "abc"}, "adapter"),
        ({"adapter": "abc", "system_prompt": "x", "constraints": "tools"}, "adapter + prompt + constrained"),
        ({"tool_descriptions": {"a": "b"}, "sampling": Sampling()}, "tools + sampling"),
        ({"adapter": "abc", "recipe": {"algorithm": "reward"}}, "reward model"),
    ],
)
def test_a_kind_is_what_sets_a_version_apart_from_its_base(change: dict[str, Any], kind: str):
    assert kind_of(msgspec.structs.replace(BASE, **change)) == kind


@pytest.mark.parametrize(
    "name", ["../../evil", "a/../b", "/etc/passwd", "a\x1b[31m", "a\u202eb", "a\nb", "x" * 101, "-flag", " a", "a\\b"]
)
def test_a_name_that_could_harm_is_refused(store: MemoryStore, name: str):
    with pytest.raises(BadInput, match=r"is not valid\. Use at most 100 letters") as told:
        register(store, msgspec.structs.replace(BASE, name=name))
    assert visible(str(told.value)) == str(told.value) and "\n" not in str(told.value)


@pytest.mark.parametrize(
    "name", ["", "sft", "better prompt", "org/Qwen2.5-0.5B-Instruct", "run (2)", "a:b+c@1", "模型"]
)
def test_an_ordinary_name_is_accepted(store: MemoryStore, name: str):
    assert register(store, msgspec.structs.replace(BASE, name=name)).name == name


@pytest.mark.parametrize("text", ["model [v2]", "..", "\x1b]0;t\x07", "x" * 300, "-a-", "a  b"])
def test_a_name_that_is_made_from_a_folder_is_valid(store: MemoryStore, text: str):
    check_name(as_name(text))
