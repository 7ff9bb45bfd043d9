"""Expressions: nothing but what is listed exists, and many rows at once give what one row after the other does."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.errors import BadInput
from verigym.design.expressions import Expression, TextTemplate, array_of, row_by_row

NUMBERS = st.integers(-1000, 1000) | st.floats(-1e6, 1e6, allow_nan=False) | st.integers(-(2**53), 2**53)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "open('x')",
        "getattr(a, 'b')",
        "a.format(1)",
        "a.__class__()",
        "(lambda: 1)()",
        "[x for x in a]",
        "f'{a}'",
        "a := 1",
        "a @ a",
        "1 << 60",
        "print(a)",
        "{**a}",
        "a[::2]",
        "b'x'",
        "1j",
        "...",
        "min(a, key=len)",
        "a if",
        "",
        "(" * 500 + ")" * 500,
    ],
)
def test_what_is_not_listed_is_refused_before_anything_runs(text: str) -> None:
    with pytest.raises(BadInput, match="is not an expression"):
        Expression(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a + b * 2", 8),
        ("a < b < 10 and not (a == 3)", True),
        ("name.title() + '!'", "Mei!"),
        ("row.items[0]['k']", 7),
        ("'big' if a > 1 else 'small'", "big"),
        ("{'who': name, 'all': [a, b]}", {"who": "mei", "all": [2, 3]}),
        ("fixed(b / a, 2)", "1.50"),
        ("sorted([b, a])[1]", 3),
        ("name in ['mei', 'omar'] and true", True),
        ("min(a, b) ** 10", 1024),
        ("name[1:]", "ei"),
        ("null is None", True),
        ("0 or name", "mei"),
    ],
)
def test_an_expression_is_worked_out_for_a_row(text: str, value: object) -> None:
    row = {"a": 2, "b": 3, "name": "mei", "row": {"items": [{"k": 7}]}}
    assert Expression(text).value(row) == value


@pytest.mark.parametrize("text", ["9 ** 9 ** 9", "'x' * 10 ** 9", "[1] * 10 ** 9", "'%09999999d' % 1"])
def test_what_would_fill_the_memory_is_an_error(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        Expression(text).value({})


def test_an_attribute_is_a_key_and_never_one_of_pythons_own() -> None:
    assert Expression("a.b").value({"a": {"b": 1}}) == 1
    for value in ({"c": 1}, "text", 3):
        with pytest.raises((KeyError, TypeError)):
            Expression("a.__class__").value({"a": value})


def test_a_row_that_cannot_be_worked_out_is_named_with_its_values() -> None:
    with pytest.raises(BadInput, match=r"a / b.*ZeroDivisionError.*where a = 1, b = 0"):
        Expression("a / b").values({"a": array_of([2, 1]), "b": array_of([1, 0])}, 2)


COLUMNS: dict[str, Any] = {"i": NUMBERS, "x": st.floats(-100, 100), "n": st.integers(-5, 5), "t": st.sampled_from("ab")}
LEAVES = st.sampled_from(["i", "x", "n", "t", "f", "0", "3", "-2", "2.5", "'a'", "True"])


def joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.sampled_from(["+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">", "and", "or"])
    return (
        st.builds("({} {} {})".format, inner, binary, inner)
        | st.builds("(not {})".format, inner)
        | st.builds("(-{})".format, inner)
        | st.builds("({} < {} <= {})".format, inner, inner, inner)
        | st.builds("({} in [{}, {}])".format, inner, inner, inner)
        | st.builds("({} if {} else {})".format, inner, inner, inner)
    )


@given(text=st.recursive(LEAVES, joined, max_leaves=8), data=st.data())
def test_many_rows_at_once_give_what_one_after_the_other_does(text: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 6))
    columns = {
        name: array_of(data.draw(st.lists(values, min_size=size, max_size=size))) for name, values in COLUMNS.items()
    }
    columns["f"] = array_of(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    expression = Expression(text)

    def worked(work: Any) -> Any:
        try:
            return [(type(one), one) for one in work(columns, size)]
        except BadInput:
            return "it cannot be"

    assert worked(lambda c, n: expression.values(c, n).tolist()) == worked(lambda c, n: row_by_row(expression, c, n))


def test_a_template_writes_text_as_it_is_and_all_else_as_json() -> None:
    made = TextTemplate("{{ who }}: {{ ok }}, {{ items }}, {{ n }} {}").value(
        {"who": "Zoë", "ok": True, "items": ["a", 1], "n": None}
    )
    assert made == 'Zoë: true, ["a",1], null {}'


def test_a_template_that_is_not_closed_is_refused() -> None:
    with pytest.raises(BadInput, match="has no }} after it"):
        TextTemplate("Hello {{ who")
    assert TextTemplate("{{ a.b }} and {{ c }}").names == {"a", "c"}
