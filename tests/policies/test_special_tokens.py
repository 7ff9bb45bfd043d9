"""Texts are encoded in parts, with long parts cached. The ids must be those of the whole text."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken

from tests import tiny
from verigym.policies.special_tokens import SpecialTokens


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return tiny.tokenizer("some words, a tool and the user's tools\n" * 20)


words = st.text(st.sampled_from('ab \n{}"<|>é0'), max_size=30)
long_words = st.builds(lambda word, times: word * times, words.filter(bool), st.integers(20, 60))
special = st.sampled_from([*tiny.MARKERS, f"{tiny.MARKERS[-1]}system\n", "<|", "|>"])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(words, long_words, special), max_size=8))
def test_parts_have_the_ids_of_the_whole_text(tokenizer: Any, parts: list[str]) -> None:
    text, literals = "".join(parts), SpecialTokens(tokenizer)
    for _ in range(2):  # the second time from the cache
        assert literals.encode(text) == tokenizer.encode(text, add_special_tokens=False)


def test_a_long_beginning_is_encoded_once(tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    literals, seen = SpecialTokens(tokenizer), list[int]()
    encode = literals._encode_plain
    monkeypatch.setattr(SpecialTokens, "_encode_plain", lambda _, text: (seen.append(len(text)), encode(text))[1])
    literals = SpecialTokens(tokenizer)
    start = tiny.MARKERS[-1]
    head = f"{start}system\n" + "a tool. " * 500 + f"{start}\n"
    literals.encode(f"{head}{start}user\nfirst")
    literals.encode(f"{head}{start}user\nsecond")
    assert sum(length > 4000 for length in seen) == 1 and len(seen) == 3


@pytest.mark.parametrize(
    "token", [AddedToken("<|x|>", special=True, lstrip=True), AddedToken(f"ab{tiny.MARKERS[-1]}")], ids=str
)
def test_tokens_that_depend_on_the_text_before_them_are_no_cuts(token: AddedToken) -> None:
    tokenizer: Any = tiny.tokenizer("some words\n" * 20)
    tokenizer.add_tokens([token], special_tokens=token.special)
    text = ("some words " * 60 + f" ab{tiny.MARKERS[-1]}user\n" + "  <|x|>more " * 60) * 2
    assert SpecialTokens(tokenizer).encode(text) == tokenizer.encode(text, add_special_tokens=False)


def test_a_tokenizer_with_an_encoding_of_its_own_is_asked(tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(tokenizer), "_encode_plus", lambda self, text, **_: {"input_ids": [1, 2, 3]})
    assert SpecialTokens(tokenizer).encode("some words") == [1, 2, 3]


def test_settings_that_another_call_left_in_the_tokenizer_change_nothing() -> None:
    tokenizer: Any = tiny.tokenizer("some words\n" * 20)
    literals, text = SpecialTokens(tokenizer), f"{tiny.MARKERS[-1]}some words"
    plain = literals.encode(text)
    tokenizer.encode(text, split_special_tokens=True)
    assert literals.encode(text) == plain
    tokenizer.backend_tokenizer.enable_truncation(1)
    assert literals.encode(text) == plain
    tokenizer.backend_tokenizer.enable_padding(length=50)
    assert literals.encode(text) == plain
