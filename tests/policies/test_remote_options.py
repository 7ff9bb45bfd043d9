"""A server as `-m` names it: `URL#MODEL`, with options after the model's name."""

from pathlib import Path
from typing import Any

import pytest

from verigym.core.errors import BadInput
from verigym.core.records import Version
from verigym.policies.remote import RemotePolicy
from verigym.registry.versions import version_id
from verigym.workspace.workspace import WorkspaceFolder


def opened(tmp_path: Path, base: str) -> Any:
    return WorkspaceFolder(tmp_path).policy(Version(base=base))


def test_a_server_is_an_address_and_a_model(tmp_path: Path) -> None:
    policy = opened(tmp_path, "http://localhost:8000/v1#org/model")
    assert repr(policy) == "RemotePolicy('http://localhost:8000/v1/chat/completions', 'org/model')"


def settings_of(policy: Any) -> dict[str, Any]:
    """What a policy was made with, and its connection too."""
    return {**vars(policy), "_connection": vars(policy._connection)}


def test_options_reach_the_policy(tmp_path: Path) -> None:
    query = "api=responses&tools=text&token_ids=true&timeout_s=2.5&retries=0&concurrency=7&key_env=MY_KEY"
    policy = settings_of(opened(tmp_path, f"http://localhost:8000/v1#small?{query}"))
    wanted = settings_of(
        RemotePolicy(
            "http://localhost:8000/v1",
            "small",
            api="responses",
            tools="text",
            token_ids=True,
            timeout_s=2.5,
            retries=0,
            concurrency=7,
            key_env="MY_KEY",
        )
    )
    assert policy == wanted


@pytest.mark.parametrize(("text", "wanted"), [("true", True), ("false", False)])
def test_token_ids_are_true_or_false(tmp_path: Path, text: str, wanted: bool) -> None:
    assert vars(opened(tmp_path, f"http://localhost/v1#m?token_ids={text}"))["_token_ids"] is wanted


@pytest.mark.parametrize(
    "base",
    [
        "http://localhost/v1",
        "http://localhost/v1#",
        "http://localhost/v1#?api=chat",
        "http://localhost/v1#m?api=completions",
        "http://localhost/v1#m?tools=json",
        "http://localhost/v1#m?token_ids=yes",
        "http://localhost/v1#m?temperature=1",
        "http://localhost/v1#m?timeout_s=soon",
        "http://localhost/v1#m?timeout_s=",
        "http://localhost/v1#m?retries=1.5",
        "http://localhost/v1#m?key_env=",
    ],
    ids=lambda base: base.removeprefix("http://localhost/v1"),
)
def test_anything_else_is_refused_with_the_form_that_is_right(tmp_path: Path, base: str) -> None:
    with pytest.raises(BadInput, match=r"Write URL#MODEL.*timeout_s=600&retries=4&concurrency=256&key_env=NAME"):
        opened(tmp_path, base)


@pytest.mark.parametrize("query", ["timeout_s=0", "timeout_s=nan", "retries=-1", "concurrency=0"])
def test_a_number_out_of_range_is_refused_in_words(tmp_path: Path, query: str) -> None:
    with pytest.raises(BadInput, match="timeout_s must be more than 0, retries at least 0 and concurrency at least 1"):
        opened(tmp_path, f"http://localhost/v1#m?{query}")


@pytest.mark.parametrize("name", ["key", "api_key", "access_token", "client-secret", "Password", "sig"])
def test_a_key_in_the_address_is_refused_before_it_can_be_stored(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=r"http://host/v1 contains a key.*key_env") as caught:
        opened(tmp_path, f"http://host/v1?api-version=1&{name}=abc#m?tools=nonsense")
    assert "abc" not in str(caught.value)


def test_another_query_in_the_address_is_sent_on(tmp_path: Path) -> None:
    assert (
        vars(opened(tmp_path, "http://host/v1?api-version=2024-02-01#m"))["_connection"]._url.query_string
        == "api-version=2024-02-01"
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("?timeout_s=9", ""),
        ("?api=responses&retries=1&tools=text&key_env=MY_KEY", "?api=responses&tools=text"),
        ("?api=responses", "?api=responses"),
        ("", ""),
    ],
    ids=["only how", "both", "only who", "none"],
)
def test_how_a_server_is_reached_does_not_make_another_agent(given: str, kept: str, tmp_path: Path) -> None:
    workspace = WorkspaceFolder(tmp_path)
    agent = workspace.agent(f"http://localhost/v1#m{given}")
    assert agent.base == f"http://localhost/v1#m{kept}"
    assert agent.id == workspace.agent(f"http://localhost/v1#m{kept}").id


def test_the_way_that_was_given_last_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", "k")
    workspace = WorkspaceFolder(tmp_path)
    agent = workspace.register(workspace.agent("http://localhost/v1#m?key_env=OTHER_KEY&timeout_s=3"))
    policy: Any = workspace.policy(agent)
    assert (policy._connection._key_env, policy._connection._timeout_s) == ("OTHER_KEY", 3.0)
    assert "OTHER_KEY" not in (tmp_path / "store.db").read_bytes().decode("latin-1")


@pytest.mark.parametrize(
    ("base", "name"),
    [
        ("http://host/v1#agent?tools=text", "agent"),
        ("http://host/v1?api-version=1#agent", "agent"),
        ("https://host/v1#Qwen/Qwen3-8B?api=responses", "Qwen3-8B"),
        ("Qwen/Qwen3-8B", "Qwen3-8B"),
        ("models/mine", "mine"),
    ],
)
def test_an_agent_is_named_after_its_model_and_known_by_its_whole_base(tmp_path: Path, base: str, name: str) -> None:
    agent = WorkspaceFolder(tmp_path).agent(base)
    assert agent.name == name and agent.base == base
    assert agent.id == version_id(Version(base=base))


def test_a_server_that_calls_its_model_as_the_embedded_one_does_not_take_its_name(tmp_path: Path) -> None:
    workspace = WorkspaceFolder(tmp_path)
    workspace.register(workspace.agent("http://host/v1#smollm2-135m"))
    assert workspace.agent("smollm2-135m").base == "smollm2-135m"
    workspace.register(workspace.agent("smollm2-135m"))
    assert workspace.agent("smollm2-135m").base == "smollm2-135m"
    workspace.register(workspace.agent("http://host/v1#other"))
    assert workspace.agent("other").base == "http://host/v1#other"
