"""Addresses that nobody's page makes: numbers that are too large, digits of other scripts, characters at the edge of Unicode."""

import pytest

from tests.view.visitor import Visitor
from verigym.core.errors import BadInput
from verigym.store.database import Store
from verigym.view.find import _after
from verigym.view.keyset import row_number, values_of


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Visitor:
    home = tmp_path_factory.mktemp("odd")
    store = Store(home / "store.db")
    store.begin_run("run-1", "eval", {"environment": "toolcall"})
    store.close()
    return Visitor(home)


@pytest.mark.parametrize(
    "text",
    [
        "[99999999999999999999999,0]", "[-99999999999999999999999,0]", "[9223372036854775808,0]", "[1e999,0]", "[NaN,0]",
        '["\\ud800",0]', "[" * 5000, "[null,0]", "[true,0]", "{}", "[1]", "²", "[" + "9" * 5000 + ",0]",
    ],
    ids=lambda text: text[:24],
)  # fmt: skip
def test_a_place_in_a_list_that_cannot_exist_is_refused(visitor: Visitor, text: str) -> None:
    with pytest.raises(BadInput):
        values_of(text, 2)
    for name in ("after", "before"):
        assert visitor.client.get("/runs", params={name: text}).status_code == 400


@pytest.mark.parametrize(
    "text", ["\ud7ff", "run-\ud7ff", "\U0010ffff", "²", "gate/²", "gate/٣", "9" * 5000, "gate/" + "9" * 18]
)
def test_any_text_can_be_searched_for(visitor: Visitor, text: str) -> None:
    assert visitor.client.get("/search", params={"q": text}).status_code == 200


def test_what_comes_after_a_prefix_can_be_asked_of_the_store() -> None:
    after = {text: _after(text) for text in ("ab", "a\ud7ff", "a\U0010ffff")}
    assert after == {"ab": "ac", "a\ud7ff": "a\ue000", "a\U0010ffff": "a\U0010ffff"}
    assert all(text.encode() for text in after.values())


def test_a_row_is_written_in_digits() -> None:
    assert [row_number(text) for text in ("0", "12", "9" * 18)] == [0, 12, 10**18 - 1]
    assert all(row_number(text) is None for text in ("", "²", "٣", "-1", "+1", " 1", "1_0", "9" * 19))
