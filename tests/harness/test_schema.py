"""A tool's schema: every type that people write, every docstring that people write, and calls that fit it are accepted."""

import asyncio
import dataclasses
import enum
import inspect
import itertools
import json
from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigym.harness.schema import read_docstring, tool_spec
from verigym.harness.tools import ToolBox, tool


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Street:
    name: str
    number: int = 1


@dataclasses.dataclass
class Address:
    street: Street
    notes: list[str] = dataclasses.field(default_factory=list)


class Filter(TypedDict):
    field: str
    values: NotRequired[list[int]]


def parameters(function: Callable[..., Any]) -> dict[str, Any]:
    schema = tool_spec("it", function)[0].parameters
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


def of(kind: Any) -> Any:
    """The schema of one parameter of this type."""

    def it(self: object, x: Any) -> None: ...

    it.__annotations__ = {"x": kind}
    return parameters(it)["properties"]["x"]


TYPES = {
    "str": (str, {"type": "string"}),
    "int": (int, {"type": "integer"}),
    "float": (float, {"type": "number"}),
    "bool": (bool, {"type": "boolean"}),
    "anything": (Any, {}),
    "literals": (Literal["a", "b", 3], {"enum": [3, "a", "b"]}),
    "list": (list[int], {"type": "array", "items": {"type": "integer"}}),
    "bare list": (list, {"type": "array"}),
    "dict": (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
    "optional": (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045
    "or none": (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    "either": (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    "nested": (
        dict[str, list[bool]],
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "boolean"}}},
    ),
    "described": (Annotated[str, "24-hour HH:MM"], {"type": "string", "description": "24-hour HH:MM"}),
    "bounded": (Annotated[int, msgspec.Meta(ge=1)], {"type": "integer", "minimum": 1}),
    "described and bounded": (
        Annotated[int, "how many", msgspec.Meta(ge=1)],
        {"type": "integer", "minimum": 1, "description": "how many"},
    ),
}


@pytest.mark.parametrize(("kind", "schema"), TYPES.values(), ids=list(TYPES))
def test_a_plain_type_is_its_json_schema(kind: Any, schema: dict[str, Any]) -> None:
    assert of(kind) == schema


@pytest.mark.parametrize(
    ("kind", "name", "definition"),
    [
        (Size, "Size", {"enum": ["large", "small"]}),
        (Level, "Level", {"enum": [1, 2]}),
        (
            Filter,
            "Filter",
            {
                "type": "object",
                "properties": {
                    "field": {"type": "string"},
                    "values": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["field"],
            },
        ),
        (
            Street,
            "Street",
            {
                "type": "object",
                "properties": {"name": {"type": "string"}, "number": {"type": "integer", "default": 1}},
                "required": ["name"],
            },
        ),
    ],
    ids=["Enum", "IntEnum", "TypedDict", "dataclass"],
)
def test_a_type_with_a_name_is_defined_beside_the_arguments(kind: Any, name: str, definition: dict[str, Any]) -> None:
    def it(self: object, x: Any) -> None: ...

    it.__annotations__ = {"x": kind}
    schema = parameters(it)
    assert schema["properties"]["x"] == {"$ref": f"#/$defs/{name}"}
    found = schema["$defs"][name]
    found.pop("title", None)
    assert found == definition


def test_a_dataclass_inside_another_is_defined_as_well() -> None:
    def it(self: object, where: Address) -> None: ...

    schema = parameters(it)
    assert set(schema["$defs"]) == {"Address", "Street"}
    assert schema["$defs"]["Address"]["properties"]["street"] == {"$ref": "#/$defs/Street"}


def test_a_parameter_with_a_default_need_not_be_given() -> None:
    def it(
        self: object,
        a: int,
        b: str = "x",
        c: int = None,  # type: ignore[assignment]  # noqa: RUF013 (as people write it)
        *,
        d: Size = Size.LARGE,
        e: list[str] = [],  # noqa: B006
        f: bool = False,
    ) -> None: ...

    schema = parameters(it)
    assert schema["required"] == ["a"]
    shown = {name: found.get("default", "none shown") for name, found in schema["properties"].items()}
    assert shown == {"a": "none shown", "b": "x", "c": None, "d": "large", "e": "none shown", "f": False}
    assert schema["properties"]["c"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]


def test_a_parameter_without_a_type_is_text() -> None:
    def it(self, word) -> None: ...  # type: ignore[no-untyped-def]

    assert parameters(it)["properties"] == {"word": {"type": "string"}}


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda self, *args: None, r"it: a model cannot pass the parameter \*args\. Do not use \*args"),
        (lambda self, **more: None, r"it: a model cannot pass the parameter \*\*more"),
        (lambda self, a, /: None, "it: a model cannot pass the parameter a"),
    ],
    ids=["*args", "**kwargs", "positional only"],
)
def test_a_parameter_that_no_model_could_give_is_refused_in_words(function: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        tool_spec("it", function)


class Odd:
    pass


@pytest.mark.parametrize("kind", [Odd, list[Odd], Street | dict], ids=["a class", "a list of it", "two objects"])
def test_a_type_without_a_schema_is_refused_with_the_tools_name(kind: Any) -> None:
    def it(self: object, x: Any) -> None: ...

    it.__annotations__ = {"x": kind}
    with pytest.raises(TypeError, match=r"calendar\.book: .*is not supported"):
        tool_spec("calendar.book", it)


# -- docstrings -------------------------------------------------------------------------------------------------------

GOOGLE = """Book a meeting.

It takes an hour.

Args:
    day (str): The day,
        or today.
    hour: From 0 to 23: on the hour.

Returns:
    What was booked.
"""
NUMPY = """Book a meeting.

It takes an hour.

Parameters
----------
day : str
    The day,
    or today.
hour
    From 0 to 23: on the hour.

Returns
-------
str
    What was booked.
"""
REST = """Book a meeting.

It takes an hour.

:param str day: The day,
    or today.
:param hour: From 0 to 23: on the hour.
"""


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, REST], ids=["Google", "numpy", "reST"])
def test_a_docstring_describes_the_tool_and_its_parameters(text: str) -> None:
    def it(self: object, day: str, hour: int = 9, note: str = "") -> None: ...

    it.__doc__ = text
    spec = tool_spec("it", it)[0]
    shown = {name: found.get("description") for name, found in spec.parameters["properties"].items()}
    assert shown == {"day": "The day, or today.", "hour": "From 0 to 23: on the hour.", "note": None}
    assert spec.description.startswith("Book a meeting.\n\nIt takes an hour.")
    assert "or today" not in spec.description, "what is said of a parameter is said once"
    assert ("What was booked." in spec.description) is (text is not REST)


@pytest.mark.parametrize(
    ("text", "description", "described"),
    [
        ("", "", {}),
        ("Only words.", "Only words.", {}),
        ("Args:\n    a: First.", "", {"a": "First."}),
        ("Words.\n\nArguments:\n    a: First.\n    b: Second.", "Words.", {"a": "First.", "b": "Second."}),
        ("Words.\n\nParams:\n  a: First,\n     and more.", "Words.", {"a": "First, and more."}),
        ("Words.\n\nArgs:\n", "Words.", {}),
        ("Words about args: many.", "Words about args: many.", {}),
        (":param a: First.\n:param b: Second.", "", {"a": "First.", "b": "Second."}),
        (":param list[int] a: First.", "", {"a": "First."}),
    ],
    ids=[
        "empty",
        "words",
        "only a section",
        "arguments",
        "params",
        "an empty section",
        "no section",
        "reST",
        "reST type",
    ],
)
def test_docstrings_of_every_shape_are_read(text: str, description: str, described: dict[str, str]) -> None:
    assert read_docstring(text) == (description, described)


def test_an_annotations_own_words_come_before_the_docstrings() -> None:
    def it(
        self: object,
        day: Annotated[str, "mine"],
        hour: Annotated[int, msgspec.Meta(ge=0)],
        minute: Annotated[int, msgspec.Meta(description="mine")],
        note: str,
    ) -> None:
        """Book.

        Args:
            day: theirs
            hour: theirs
            minute: theirs
            note: theirs
        """

    shown = {name: found["description"] for name, found in parameters(it)["properties"].items()}
    assert shown == {"day": "mine", "hour": "theirs", "minute": "mine", "note": "theirs"}


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["Args:", "Parameters", "----------", ":param x: y", "  x: y", "x : int", "", "Returns:", "é"])
    )
)
def test_no_docstring_is_too_odd_to_be_read(lines: list[str]) -> None:
    description, described = read_docstring("\n".join(lines))
    assert isinstance(description, str) and all(isinstance(words, str) for words in described.values())


# -- any signature ----------------------------------------------------------------------------------------------------

numbers = itertools.count()
names = st.sampled_from(["alpha", "beta", "gamma", "delta", "item", "class_", "id", "type"])


def a_dataclass(fields: dict[str, Any]) -> Any:
    return dataclasses.make_dataclass(f"Made{next(numbers)}", list(fields.items()))


def a_typed_dict(fields: dict[str, Any]) -> Any:
    return TypedDict(f"Made{next(numbers)}", fields)  # type: ignore[operator]


def an_enum(members: list[str]) -> Any:
    return enum.Enum(f"Made{next(numbers)}", {f"M{place}": member for place, member in enumerate(members)})


words = st.lists(st.text(st.characters(codec="utf-8"), max_size=4), min_size=1, max_size=3, unique=True)
plain = st.one_of(
    st.sampled_from([str, int, float, bool]), words.map(lambda some: Literal[tuple(some)]), words.map(an_enum)
)
types = st.recursive(
    plain,
    lambda inner: st.one_of(
        inner.map(lambda kind: list[kind]),
        inner.map(lambda kind: dict[str, kind]),
        inner.map(lambda kind: Optional[kind]),  # noqa: UP045 (a TypedDict has no |)
        st.dictionaries(names, inner, min_size=1, max_size=2).map(a_dataclass),
        st.dictionaries(names, inner, min_size=1, max_size=2).map(a_typed_dict),
        st.tuples(inner, st.text("abc", min_size=1)).map(lambda pair: Annotated[pair[0], pair[1]]),
    ),
    max_leaves=4,
)


def a_tool(signature: dict[str, Any], optional: set[str]) -> Any:
    def it(self: object, **given: Any) -> Any:
        return sorted(given)

    P = inspect.Parameter
    it.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [P("self", P.POSITIONAL_OR_KEYWORD)]
        + [P(name, P.KEYWORD_ONLY, default=None if name in optional else P.empty) for name in signature]
    )
    it.__annotations__ = dict(signature)
    return tool(it)


def fitting(schema: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a JSON schema allows."""
    if "$ref" in schema:
        return fitting(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)
    if "anyOf" in schema:
        return st.one_of([fitting(each, root) for each in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "object" if "properties" in schema:
            required = {name: fitting(schema["properties"][name], root) for name in schema.get("required", [])}
            rest = {name: fitting(found, root) for name, found in schema["properties"].items() if name not in required}
            return st.fixed_dictionaries(required, optional=rest)
        case "object":
            return st.dictionaries(st.text("ab"), fitting(schema["additionalProperties"], root), max_size=2)
        case "array":
            return st.lists(fitting(schema["items"], root), max_size=2)
        case kind:
            return {
                "string": st.text(st.characters(codec="utf-8"), max_size=5),
                "integer": st.integers(),
                "number": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**60), 2**60),
                "boolean": st.booleans(),
                "null": st.none(),
            }[kind]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_signature_has_a_valid_schema_and_every_value_of_it_is_accepted(data: st.DataObject) -> None:
    signature = data.draw(st.dictionaries(names, types, max_size=3))
    optional = data.draw(st.sets(st.sampled_from(sorted(signature)))) if signature else set()
    kind = type("Made", (), {"it": a_tool(signature, optional)})
    box = ToolBox(kind)
    schema = box.specs[0].parameters
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["required"]) == set(signature) - optional
    value = data.draw(fitting(schema, schema))
    jsonschema.validate(value, schema)
    result = asyncio.run(box.call(kind(), "it", json.dumps(value)))
    assert [mark.kind for mark in result.marks] == ["executed"], result.output
    assert json.loads(result.output) == sorted(signature)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_a_call_without_a_required_argument_or_with_one_too_many_is_refused(data: st.DataObject) -> None:
    signature = data.draw(st.dictionaries(names, types, min_size=1, max_size=3))
    kind = type("Made", (), {"it": a_tool(signature, set())})
    box = ToolBox(kind)
    schema = box.specs[0].parameters
    value = data.draw(fitting(schema, schema))
    lacking = {name: given for name, given in value.items() if name != sorted(signature)[0]}
    for wrong in (lacking, {**value, "nobody_asked": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)
        result = asyncio.run(box.call(kind(), "it", json.dumps(wrong)))
        assert [mark.kind for mark in result.marks] == ["bad_arguments"]
