"""The reply is JSON of the shape that was asked for, or the evidence says where it is not."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifiers.builders import verdict
from verigym.core.records import Fault
from verigym.verifiers.schema import JsonSchema

ORDER = {
    "type": "object",
    "properties": {
        "items": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}}},
        "code": {"type": "string", "pattern": "^[A-Z]+$"},
    },
    "required": ["items"],
}


@pytest.mark.parametrize(
    ("reply", "valid_json", "valid_schema"),
    [
        ('{"items": []}', 1, 1),
        ('Here it is:\n```json\n{"items": [{"price": 1.5}]}\n```', 1, 1),
        ('```\n{"items": []}\n```', 1, 1),
        ('{"items": [{"price": "x"}]}', 1, 0),
        ("{}", 1, 0),
        ("[]", 1, 0),
        ('{"items": [], "code": "ab"}', 1, 0),
        ('{"items": [], "code": "AB"}', 1, 1),
        ('{"items": ', 0, 0),
        ("", 0, 0),
        ("sorry", 0, 0),
        ("[" * 100_000, 0, 0),
    ],
    ids=lambda value: str(value)[:24],
)
def test_the_parts_say_how_far_it_got(reply: str, valid_json: int, valid_schema: int) -> None:
    found = verdict(JsonSchema(ORDER), reply)
    assert found.parts == {"valid_json": valid_json, "valid_schema": valid_schema}
    assert (found.reward, found.passed) == (float(valid_schema), bool(valid_schema))


def test_the_evidence_names_path_and_reason() -> None:
    found = verdict(JsonSchema(ORDER), '{"items": [{"price": 1}, {"price": "x"}], "code": "ab"}')
    assert found.evidence.split("\n") == [
        "$.code: 'ab' does not match '^[A-Z]+$'",
        "$.items[1].price: 'x' is not of type 'number'",
    ]


def test_the_evidence_is_bounded() -> None:
    reply = '{"items": [' + ",".join(['{"price": "' + "x" * 1000 + '"}'] * 100) + "]}"
    assert len(verdict(JsonSchema(ORDER), reply).evidence) < 5000


def test_the_schema_may_be_the_tasks() -> None:
    assert verdict(JsonSchema(), "3", schema={"type": "integer"}).passed
    assert not verdict(JsonSchema(), '"3"', schema={"type": "integer"}).passed


@pytest.mark.parametrize(
    "schema",
    [None, {"type": "objekt"}, {"$ref": "#/nowhere"}, {"$ref": "https://example.com/schema.json"}],
    ids=["none", "not a schema", "dangling", "remote"],
)
def test_a_schema_that_cannot_be_used_is_the_verifiers_failure(schema: Any) -> None:
    found = verdict(JsonSchema(schema), "{}")
    assert found.reward is None and found.error is not None and found.error.fault is Fault.VERIFIER
    assert found.error.message.startswith("task t: ")


def test_a_pattern_of_the_schema_cannot_hang_the_run() -> None:
    found = verdict(JsonSchema({"pattern": r"(a|aa)+$"}), '"' + "a" * 200 + 'b"')
    assert (found.reward, found.error) == (0.0, None) and "took longer" in found.evidence


@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {r"(a|aa)+$": {}}},
        {"patternProperties": {r"(a|aa)+$": {}}, "additionalProperties": False},
        {"patternProperties": {r"(a|aa)+$": {}}, "unevaluatedProperties": False},
        {"properties": {"x": {"anyOf": [{"patternProperties": {r"(a|aa)+$": {}}}]}}},
    ],
    ids=["alone", "with additionalProperties", "with unevaluatedProperties", "further inside"],
)
def test_a_pattern_for_keys_cannot_hang_the_run(schema: dict[str, Any]) -> None:
    found = verdict(JsonSchema(schema), '{"' + "a" * 200 + 'b": 1}')
    assert (found.reward, found.error) == (0.0, None) and "took longer" in found.evidence


@pytest.mark.parametrize(
    ("schema", "reply", "valid"),
    [
        ({"patternProperties": {"^s_": {"type": "string"}}}, '{"s_a": "x", "b": 1}', True),
        ({"patternProperties": {"^s_": {"type": "string"}}}, '{"s_a": 1}', False),
        ({"patternProperties": {"^s_": {}}, "additionalProperties": False}, '{"s_a": 1}', True),
        ({"patternProperties": {"^s_": {}}, "additionalProperties": False}, '{"s_a": 1, "t": 1}', False),
        ({"patternProperties": {"a": {"type": "integer"}, "b": {"minimum": 5}}}, '{"ab": 7}', True),
        ({"patternProperties": {"a": {"type": "integer"}, "b": {"minimum": 5}}}, '{"ab": 3}', False),
        ({"allOf": [{"patternProperties": {"^s_": {}}}], "unevaluatedProperties": False}, '{"s_a": 1}', True),
        ({"allOf": [{"patternProperties": {"^s_": {}}}], "unevaluatedProperties": False}, '{"t": 1}', False),
        ({"properties": {"patternProperties": {"type": "integer"}}}, '{"patternProperties": "x"}', False),
        ({"const": {"patternProperties": {"(": 1}}}, '{"patternProperties": {"(": 1}}', True),
        ({"items": {"patternProperties": {"[.]$": {"type": "null"}}}}, '[{"a.": null}, {"a.": 1}]', False),
        ({"patternProperties": {"^é": {"type": "null"}}}, '{"é|x": 1}', False),
    ],
)
def test_patterns_for_keys_hold_as_in_the_standard(schema: dict[str, Any], reply: str, valid: bool) -> None:
    found = verdict(JsonSchema(schema), reply)
    assert (found.passed, found.error) == (valid, None), found.evidence


def test_a_value_nested_past_all_bounds_is_not_valid() -> None:
    tree = {"$defs": {"node": {"type": "array", "items": {"$ref": "#/$defs/node"}}}, "$ref": "#/$defs/node"}
    assert verdict(JsonSchema(tree), "[" * 190 + "]" * 190).passed
    found = verdict(JsonSchema(tree), "[" * 500 + "]" * 500)
    assert (found.reward, found.error) == (0.0, None)


def test_a_number_that_is_too_large_to_divide_is_not_valid() -> None:
    price = {"type": "object", "properties": {"price": {"multipleOf": 0.01}}}
    assert verdict(JsonSchema(price), '{"price": 1.25}').passed
    found = verdict(JsonSchema(price), f'{{"price": {"9" * 400}}}')
    assert (found.reward, found.error) == (0.0, None) and "too large" in found.evidence


@pytest.mark.parametrize(
    ("items", "unique"),
    [
        ("[]", True),
        ('[1, "1", true, null, [], {}, [1], {"a": 1}]', True),
        ("[0, false]", True),
        ("[[1], [true]]", True),
        ("[1, 1.0]", False),
        ('[{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}]', False),
        ('["a", "b", "a"]', False),
    ],
)
def test_items_are_unique_as_in_the_standard(items: str, unique: bool) -> None:
    found = verdict(JsonSchema({"uniqueItems": True}), items)
    assert (found.passed, found.error) == (unique, None), found.evidence
    assert verdict(JsonSchema({"uniqueItems": False}), items).passed


def test_many_unique_items_are_compared_quickly() -> None:
    items = json.dumps([{"a": n, "b": [n]} for n in range(20_000)])
    start = time.process_time()
    assert verdict(JsonSchema({"uniqueItems": True}), items).passed
    assert time.process_time() - start < 5  # 20,000 times 20,000 comparisons take an hour


def test_a_reply_that_takes_too_long_to_check_fails() -> None:
    both = [
        {"properties": {"l": {"$ref": "#/$defs/n"}}, "required": ["l"]},
        {"properties": {"l": {"$ref": "#/$defs/n"}}},
    ]
    tree = {"$defs": {"n": {"oneOf": [*both, {"type": "integer"}]}}, "$ref": "#/$defs/n"}
    start = time.process_time()
    found = verdict(JsonSchema(tree), '{"l":' * 40 + "1" + "}" * 40)
    assert (found.reward, found.error) == (0.0, None) and "took more than 1 s" in found.evidence
    assert time.process_time() - start < 3


@settings(deadline=None)  # the first one reads the verifier's source for its version
@given(st.text())
def test_no_reply_breaks_it(reply: str) -> None:
    assert verdict(JsonSchema(ORDER), reply).error is None
