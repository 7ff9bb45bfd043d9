"""Checks that the reply, or its last fenced block, is JSON that fits a JSON schema."""

import re
import time
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, ValidationError
from jsonschema.validators import extend
from msgspec import Struct
from referencing import Registry
from referencing.exceptions import Unresolvable

from verigym.core.errors import VerifierFailure
from verigym.core.records import Json, Task, Trajectory, Verdict
from verigym.verifiers.answers import find_json
from verigym.verifiers.match import matched

_SHOWN = 10
"""Maximum number of reasons in the evidence."""
_LONGEST_S = 1.0
"""Maximum time to check one reply, with its regular expressions."""
_OF_NAMES = ("properties", "$defs", "definitions", "dependentSchemas")
"""Keywords whose keys are names."""
_OF_VALUES = ("enum", "const", "default", "examples")
"""Keywords with values in place of schemas."""


class JsonSchema(Struct, frozen=True):
    """`JsonSchema({"type": "object", "required": ["name"]})`. Without a schema it uses `task.data["schema"]`."""

    schema: Json | None = None
    """JSON schema, draft 2020-12. A `$ref` is never fetched."""

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        schema = task.data.get("schema") if self.schema is None else self.schema
        if schema is None:
            raise VerifierFailure(f'task {task.id}: data has no "schema", and JsonSchema was created without one')
        try:
            value = find_json(trajectory.reply)
        except ValueError as error:
            evidence = f'not JSON: {error}: "{trajectory.reply[:120]}"'
            return Verdict(reward=0.0, parts={"valid_json": 0.0, "valid_schema": 0.0}, evidence=evidence)
        reasons = _reasons(schema, value, task)
        valid = not reasons
        return Verdict(
            reward=float(valid),
            passed=valid,
            parts={"valid_json": 1.0, "valid_schema": float(valid)},
            evidence="valid" if valid else "\n".join(reasons[:_SHOWN]),
        )


def _reasons(schema: Any, value: Any, task: Task) -> list[str]:
    """`$.items[3].price: 'x' is not of type 'number'`, sorted by path."""
    limit = _TimeLimit()
    try:
        Draft202012Validator.check_schema(schema)
        keywords = {**Draft202012Validator.VALIDATORS, "pattern": limit.pattern, "uniqueItems": _unique}
        validator = extend(Draft202012Validator, {name: limit.within(check) for name, check in keywords.items()})
        bounded = _without_patterns(schema, _keys(value), limit)
        errors = list(validator(bounded, registry=Registry()).iter_errors(value))
    except TimeoutError as error:
        return [f"$: {error}"]
    except SchemaError as error:
        raise VerifierFailure(f"task {task.id}: the schema is not valid: {error.message[:200]}") from error
    except Unresolvable as error:
        raise VerifierFailure(f"task {task.id}: the schema does not contain what it refers to: {error}") from error
    except RecursionError:
        return ["$: nested too deeply"]
    except OverflowError:
        return ["$: a number is too large"]
    return [f"{error.json_path}: {error.message[:200]}" for error in sorted(errors, key=lambda error: error.json_path)]


def _unique(validator: Any, unique: bool, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """The keyword `uniqueItems`, as in the standard. The validator's own compares every item with every other."""
    if unique and isinstance(instance, list) and len({_key(each) for each in instance}) < len(instance):
        yield ValidationError("it has items that are equal")


def _key(value: Any) -> Any:
    """Equal for equal JSON values: 1 is 1.0, and true is not 1."""
    match value:
        case bool():
            return (bool, value)
        case list():
            return (list, *map(_key, value))
        case dict():
            return (dict, frozenset((name, _key(each)) for name, each in value.items()))
    return value


class _TimeLimit:
    """The time that is left to check one reply. It is looked at before each keyword, so it holds on any thread."""

    def __init__(self) -> None:
        self._end = time.monotonic() + _LONGEST_S

    def within(self, check: Any) -> Any:
        """A keyword's check that raises `TimeoutError` if the time is over."""

        def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
            if time.monotonic() > self._end:
                raise TimeoutError(f"checking it took more than {_LONGEST_S:g} s")
            return check(validator, value, instance, schema)

        return checked

    def matches(self, pattern: str, text: str) -> bool:
        return matched(pattern, text, seconds=self._end - time.monotonic()) is not None

    def pattern(self, validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
        """The keyword `pattern`, as in the standard."""
        if isinstance(instance, str) and not self.matches(pattern, instance):
            yield ValidationError(f"{instance[:120]!r} does not match {pattern!r}")


def _keys(value: Any) -> set[str]:
    """All keys of the objects in a JSON value."""
    keys: set[str] = set()
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            keys |= each.keys()
        waiting += each.values() if isinstance(each, dict) else each if isinstance(each, list) else []
    return keys


def _without_patterns(schema: Any, keys: set[str], limit: _TimeLimit) -> Any:
    """The schema with each pattern of `patternProperties` replaced by the keys that match it. The validator's own search has no
    time limit, and `additionalProperties` uses it too."""
    if not isinstance(schema, dict):
        return schema

    def inner(value: Any) -> Any:
        return _without_patterns(value, keys, limit)

    made: Json = {}
    for keyword, value in schema.items():
        if keyword == "patternProperties" and isinstance(value, dict):
            made[keyword] = {
                _one_of([key for key in keys if limit.matches(pattern, key)], place): inner(each)
                for place, (pattern, each) in enumerate(value.items())
            }
        elif keyword in _OF_NAMES and isinstance(value, dict):
            made[keyword] = {name: inner(each) for name, each in value.items()}
        elif keyword in _OF_VALUES:
            made[keyword] = value
        else:
            made[keyword] = [inner(each) for each in value] if isinstance(value, list) else inner(value)
    return made


def _one_of(names: list[str], place: int) -> str:
    """A pattern for exactly these names. The comment makes equal patterns differ."""
    return rf"(?#{place})\A(?:{'|'.join(map(re.escape, sorted(names))) or '(?!)'})\Z"
