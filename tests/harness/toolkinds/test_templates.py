import pytest

from verigym.core.errors import BadInput, EnvironmentFailure
from verigym.harness.toolkinds.templates import Structure, Template, without_secrets


def test_a_text_is_filled_with_arguments_of_every_type() -> None:
    template = Template("{a}/{b}/{{c}}/{d}", "here")
    assert template.names == ["a", "b", "d"]
    assert template.fill({"a": "x y", "b": 3, "d": True}) == "x y/3/{c}/true"


def test_a_text_without_one_of_its_arguments_is_left_out() -> None:
    assert Template("--name={name}", "here").fill({}) is None
    assert Template("--name={name}", "here").fill({"name": None}) is None


def test_arguments_are_never_read_as_templates() -> None:
    assert Template("{a}{b}", "here").fill({"a": "{b}", "b": "${HOME}"}) == "{b}${HOME}"


def test_a_single_brace_is_refused() -> None:
    for text in ("{", "a } b", "{a b}", "{}"):
        with pytest.raises(BadInput, match="brace"):
            Template(text, "tools.yaml")


def test_a_structure_keeps_types_and_leaves_out_what_is_missing() -> None:
    body = Structure({"id": "{id}", "tags": ["{tag}", "fixed"], "deep": {"x": "n={id}", "y": "{none}"}, "n": 3}, "here")
    assert body.fill({"id": 7, "tag": "a"}) == {"id": 7, "tags": ["a", "fixed"], "deep": {"x": "n=7"}, "n": 3}


def test_a_secret_is_read_from_the_environment_and_removed_from_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_TEST", "s3cret/value")
    template = Template("Bearer ${TOKEN_OF_TEST}", "here")
    assert template.secrets == ["TOKEN_OF_TEST"] and template.fill({}) == "Bearer s3cret/value"
    assert without_secrets("a s3cret/value b s3cret%2Fvalue", ["TOKEN_OF_TEST"]) == "a *** b ***"


def test_a_missing_secret_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOKEN_OF_TEST", raising=False)
    with pytest.raises(EnvironmentFailure, match="TOKEN_OF_TEST is not set"):
        Template("${TOKEN_OF_TEST}", "here").fill({})
