"""The spec of a designed dataset: columns, constraints and validators, written in YAML.

A column is an object with a `kind`, or a text, which is a template. `docs/how-to/design.md` lists every field.
"""

import datetime
import math
from pathlib import Path
from typing import Annotated, Any, Literal

import jsonschema
import msgspec
from msgspec import Meta, Struct

from verigym.core.errors import BadInput, not_found
from verigym.core.records import Json, content_hash
from verigym.core.settings import check_keys, decode, read_yaml
from verigym.design.expressions import Expression, TextTemplate, written

Count = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(ge=0, le=1)]


class Category(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of several values."""

    values: Annotated[list[Any], Meta(min_length=1)]
    weights: list[Annotated[float, Meta(ge=0)]] = []
    """Relative frequencies. Empty: equal."""


class Subcategory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of several values that depend on another column."""

    of: str
    """The other column."""
    values: Annotated[dict[str, list[Any]], Meta(min_length=1)]
    """Value of the other column to the values to choose from."""


class Uniform(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A uniformly distributed number."""

    low: float
    high: float
    decimals: Annotated[int, Meta(ge=0, le=15)] | None = None
    """Number of decimals to round to."""


class Normal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A normally distributed number."""

    mean: float = 0.0
    std: Annotated[float, Meta(ge=0)] = 1.0
    decimals: Annotated[int, Meta(ge=0, le=15)] | None = None


class Int(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole number from low to high, both included."""

    low: Annotated[int, Meta(ge=-(2**53), le=2**53)]
    high: Annotated[int, Meta(ge=-(2**53), le=2**53)]


class Date(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A day from first to last, both included, as text."""

    first: datetime.date
    last: datetime.date
    form: str = "%Y-%m-%d"
    """A strftime format."""


class Bernoulli(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """true or false."""

    p: Share = 0.5
    """Probability of true."""


class Uuid(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A unique text per row."""


class Sequence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Consecutive numbers. A rejected row leaves a gap."""

    start: int = 1
    step: int = 1


class Person(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An invented person's name."""

    part: Literal["full", "first", "last"] = "full"


class Company(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An invented company name."""


class File(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of a .jsonl, .json or .csv file, or a line of a .txt file."""

    path: str
    """Relative to the spec's folder."""
    key: str = ""
    """Key of the row to use. Empty: the whole row."""


class TemplateColumn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text that inserts other columns: `Book {{ who }} at {{ time }}.`"""

    text: str


class ExpressionColumn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value computed from other columns: `price * count`. No code is run."""

    value: str


class Code(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The result of a Python function. Its arguments are columns by name. An argument `seed` gets a seed of the row."""

    file: str
    """Relative to the spec's folder."""
    function: str = ""
    """Empty: the column's name."""
    in_process: bool = False
    """Run without the sandbox. Only for code that you trust and that needs your packages."""
    seconds: Annotated[float, Meta(gt=0)] = 5.0
    """Time limit per row in the sandbox."""


class Llm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model's answer: text, or a JSON value that fits a schema."""

    prompt: str
    """A template."""
    system: str = ""
    json_schema: Json | None = None
    """JSON schema that the answer must fit."""
    model: str = ""
    """As for -m. Empty: the model of the spec."""
    temperature: Annotated[float, Meta(ge=0)] = 1.0
    max_tokens: Count = 512


class _JudgedText(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rubric: str
    of: str
    """The text to score, as a template."""
    model: str = ""
    scale: tuple[float, float] = (0.0, 10.0)
    """Worst and best score."""
    votes: Count = 1


class JudgeColumn(_JudgedText, frozen=True):
    """A model's score of a text by a rubric."""


COLUMNS: dict[str, type[Struct]] = {
    kind.__name__.removesuffix("Column").lower(): kind
    for kind in (
        *(Category, Subcategory, Uniform, Normal, Int, Date, Bernoulli, Uuid, Sequence, Person, Company, File),
        *(TemplateColumn, ExpressionColumn, Code, Llm, JudgeColumn),
    )
}
"""By the `kind` that a spec names."""


class SchemaCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The row, or one of its columns, fits a JSON schema."""

    json_schema: Json
    column: str = ""


class PythonCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A function returns true, or a text that describes the problem. Its arguments are columns by name."""

    file: str
    function: str
    in_process: bool = False
    seconds: Annotated[float, Meta(gt=0)] = 5.0


class GoldCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The environment's verifier passes the task's gold solution, and does not pass an empty reply."""

    share: Annotated[float, Meta(gt=0, le=1)] = 1.0
    """Share of the rows to check."""


class JudgeCheck(_JudgedText, frozen=True, kw_only=True):
    """A model's score of a text reaches a threshold."""

    at_least: float


class RewardCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reward model's score of a text, as the reply to the row's prompt, reaches a threshold."""

    model: str
    of: str
    at_least: float


VALIDATORS: dict[str, type[Struct]] = {
    "schema": SchemaCheck,
    "python": PythonCheck,
    "gold": GoldCheck,
    "judge": JudgeCheck,
    "reward_model": RewardCheck,
}


class Spec(Struct, frozen=True, kw_only=True):
    columns: dict[str, Any]
    """By name. See `COLUMNS` for the kinds. With a column `prompt` the rows are tasks, otherwise plain rows."""
    n: Count = 1000
    """Number of rows."""
    seed: int = 0
    constraints: dict[str, str] | list[str] = {}
    """Expressions that must be true in every row, with or without names."""
    validators: list[Any] = []
    """Checks of a finished row. See `VALIDATORS`."""
    keep: list[str] = []
    """The columns to write. Empty: all."""
    environment: str = ""
    """The environment of the tasks. Empty: the tasks are scored by their own data."""
    model: str = ""
    """Default model of columns and validators."""
    repeats: Literal["auto", "refuse", "keep"] = "auto"
    """Whether duplicate rows are refused. auto: refused for tasks, kept for plain rows."""
    near: Annotated[float, Meta(gt=0, le=1)] = 0.8
    """Minimum similarity of near-duplicates (tasks with the same data). 1: identical tasks only."""
    held_out: list[str] | None = None
    """Environments and files whose held-out tasks must not be resembled. null: every shipped environment."""
    near_held_out: Annotated[float, Meta(gt=0, le=1)] = 0.7
    """Minimum similarity to a held-out task that rejects a task."""
    draws_per_row: Annotated[int, Meta(ge=100)] = 100_000
    """Maximum number of draws without an accepted row."""
    tries_per_row: Annotated[int, Meta(ge=10)] = 200
    """Maximum number of rows that code, models, validators or duplicates reject in a row."""

    @property
    def named_constraints(self) -> dict[str, str]:
        return self.constraints if isinstance(self.constraints, dict) else {text: text for text in self.constraints}

    @property
    def parts(self) -> dict[str, Any]:
        """The columns and validators by their path in the spec."""
        columns = {f"columns.{name}": column for name, column in self.columns.items()}
        return columns | {f"validators[{index}]": validator for index, validator in enumerate(self.validators)}


class Design(Struct, frozen=True):
    """A spec that was read and checked."""

    spec: Spec
    folder: Path
    stem: str
    hash: str
    """Hash of the spec and the files that it names, without n and seed."""
    where: str = "the spec"
    """Its file, for messages."""

    @property
    def makes_tasks(self) -> bool:
        return "prompt" in self.spec.columns

    @property
    def kept(self) -> list[str]:
        return self.spec.keep or list(self.spec.columns)

    @property
    def models(self) -> list[str]:
        """The models that columns and validators ask."""
        asking = [part for part in self.spec.parts.values() if isinstance(part, Llm | JudgeColumn | JudgeCheck)]
        return sorted({part.model or self.spec.model for part in asking})

    @property
    def reward_models(self) -> list[str]:
        return sorted({part.model for part in self.spec.validators if isinstance(part, RewardCheck)})


def read_design(path: Path, model: str = "") -> Design:
    """Reads a YAML file. `model` replaces the default model of the spec."""
    if not path.is_file():
        raise BadInput(f"{path} does not exist. A spec is a YAML file (see docs/how-to/design.md and recipes/design)")
    data = read_yaml(path, "a spec is a YAML object with the key columns")
    return make_design(data, path.parent, path.stem, str(path), model)


def make_design(data: Json, folder: Path, stem: str = "design", where: str = "the spec", model: str = "") -> Design:
    check_keys({key: value for key, value in data.items() if key != "columns"}, Spec, where)
    if not isinstance(data.get("columns"), dict) or not data["columns"]:
        raise BadInput(f"{where}: columns is missing. It names the columns, each with a kind")
    columns = {str(name): _column(str(name), value, where) for name, value in data["columns"].items()}
    given = data.get("validators") or []
    if not isinstance(given, list):
        raise BadInput(f"{where}: validators must be a list of objects with a kind, one of: {', '.join(VALIDATORS)}")
    validators = [_of_kind(value, VALIDATORS, f"validators[{n}]", "validator", where) for n, value in enumerate(given)]
    rest = {**data, "columns": {}, "validators": [], **({"model": model} if model else {})}
    spec = msgspec.structs.replace(decode(rest, Spec, where), columns=columns, validators=validators)
    _check(spec, where)
    files = _read_files(spec, folder, where)
    meaning = msgspec.to_builtins(msgspec.structs.replace(spec, n=1, seed=0))
    kinds = [type(part).__name__ for part in spec.parts.values()]
    digest = content_hash([meaning, kinds, {k: v.hex() for k, v in files.items()}])
    return Design(spec, folder, stem, digest, where)


def _column(name: str, value: Any, where: str) -> Any:
    if not name.isidentifier():
        raise BadInput(
            f'{where}: "{name}" is not a valid column name. Use letters, digits and _, and do not begin with a digit'
        )
    if isinstance(value, str):
        return TemplateColumn(text=value)
    return _of_kind(value, COLUMNS, f"columns.{name}", "kind of column", where)


def _of_kind(value: Any, kinds: dict[str, type[Struct]], above: str, what: str, where: str) -> Any:
    if not isinstance(value, dict) or "kind" not in value:
        raise BadInput(f"{where}: {above} needs a kind, one of: {', '.join(kinds)}")
    if value["kind"] not in kinds:
        raise not_found(what, str(value["kind"]), kinds, f"({where}: {above})")
    rest = {key: field for key, field in value.items() if key != "kind"}
    struct = kinds[value["kind"]]
    check_keys(rest, struct, where, f"{above}.")
    return decode(rest, struct, f"{where}: {above}", see=f" (docs/how-to/design.md, kind {value['kind']})")


def _check(spec: Spec, where: str) -> None:
    """Checks what the types do not."""
    for above, part in spec.parts.items():
        path = f"{where}: {above}"
        match part:
            case Category(values=values, weights=weights):
                if weights and (len(weights) != len(values) or not 0 < sum(weights) < math.inf):
                    counts = f"{len(weights)} weights for {len(values)} values"
                    raise BadInput(f"{path}: {counts}. Give one weight per value, not all 0")
            case Subcategory(values=values):
                empty = [key for key, some in values.items() if not some]
                if empty:
                    raise BadInput(f'{path}: "{empty[0]}" has no values. Add some')
                parent = spec.columns.get(part.of)
                parents = parent.values if isinstance(parent, Category) else []
                missing = [key for key in map(written, parents) if key not in values]
                if missing:
                    raise BadInput(f'{path}: there are no values for {part.of} "{missing[0]}". Add some')
            case Uniform(low=low, high=high) | Int(low=low, high=high):
                if not (low <= high and math.isfinite(low) and math.isfinite(high)):
                    given = f"low is {low} and high is {high}"
                    raise BadInput(f"{path}: {given}. low must not be above high, and both must be finite")
            case Normal(mean=mean, std=std):
                if not (math.isfinite(mean) and math.isfinite(std)):
                    raise BadInput(f"{path}: mean is {mean} and std is {std}. Both must be finite")
            case Llm(json_schema=schema) if schema is not None:
                _check_schema(schema, path)
            case Date(first=first, last=last):
                if first > last:
                    raise BadInput(f"{path}: first ({first}) is after last ({last}). Swap them")
            case JudgeColumn(scale=(low, high)) | JudgeCheck(scale=(low, high)):
                if not low < high:
                    raise BadInput(f"{path}: scale is {low:g} and {high:g}. Write the worst score first, then the best")
            case GoldCheck() | RewardCheck() if "prompt" not in spec.columns:
                raise BadInput(f"{path} checks tasks, but the spec has no column prompt")
            case SchemaCheck(json_schema=schema, column=column):
                _check_schema(schema, path)
                if column and column not in spec.columns:
                    raise not_found("column", column, spec.columns, f"({path})")
            case _:
                pass
        if isinstance(part, Llm | JudgeColumn | JudgeCheck) and not (part.model or spec.model):
            raise BadInput(f"{path} needs a model. Write model: in the spec, or pass -m MODEL")
    for name in spec.keep:
        if name not in spec.columns:
            raise not_found("column", name, spec.columns, f"({where}: keep)")
    if spec.keep and "prompt" in spec.columns and "prompt" not in spec.keep:
        raise BadInput(
            f"{where}: keep leaves out prompt, which a task needs. Add prompt to keep. If the rows are not tasks, "
            "give the column prompt another name"
        )


def _check_schema(schema: Json, path: str) -> None:
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise BadInput(f"{path}: not a JSON schema: {error.message}") from error


def _read_files(spec: Spec, folder: Path, where: str) -> dict[str, bytes]:
    """The content of the files that a spec names."""
    names = {part.file for part in spec.parts.values() if isinstance(part, Code | PythonCheck)}
    names |= {part.path for part in spec.columns.values() if isinstance(part, File)}
    try:
        return {name: (folder / name).read_bytes() for name in sorted(names)}
    except OSError as error:
        raise BadInput(f"{where}: {error.filename} cannot be read: {error.strerror}") from error


def expressions_of(column: Any) -> list[Expression | TextTemplate]:
    """The parsed expressions and templates of a column or validator."""
    match column:
        case TemplateColumn(text=text):
            return [TextTemplate(text)]
        case ExpressionColumn(value=value):
            return [Expression(value)]
        case Llm(prompt=prompt, system=system):
            return [TextTemplate(prompt), TextTemplate(system)]
        case JudgeColumn(of=of) | JudgeCheck(of=of) | RewardCheck(of=of):
            return [TextTemplate(of)]
        case _:
            return []
