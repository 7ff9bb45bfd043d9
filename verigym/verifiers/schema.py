"""Checks that the reply, or its last fenced block, is JSON that fits a JSON schema."""

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
    try:
        Draft202012Validator.check_schema(schema)
        errors = list(_Validator(schema, registry=Registry()).iter_errors(value))
    except SchemaError as error:
        raise VerifierFailure(f"task {task.id}: the schema is not valid: {error.message[:200]}") from error
    except Unresolvable as error:
        raise VerifierFailure(f"task {task.id}: the schema does not contain what it refers to: {error}") from error
    except RecursionError:
        return ["$: nested too deeply"]
    return [f"{error.json_path}: {error.message[:200]}" for error in sorted(errors, key=lambda error: error.json_path)]


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """As in the standard, with a time limit."""
    if isinstance(instance, str) and matched(pattern, instance) is None:
        yield ValidationError(f"{instance[:120]!r} does not match {pattern!r}")


_Validator = extend(Draft202012Validator, {"pattern": _pattern})
