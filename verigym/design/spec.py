"""What a designed set consists of: columns, constraints and validators, written in YAML and decoded into these structs.

A column is a list of keys with its `kind`, or a text, which is a template. `docs/how-to/design.md` lists every field. The
modules `samplers` and `expressions` fill the columns.
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
from verigym.design.expressions import Expression, TextTemplate

Count = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(ge=0, le=1)]


# -- columns that chance fills ------------------------------------------------------------------------------------------


class Category(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of some values."""

    values: Annotated[list[Any], Meta(min_length=1)]
    weights: list[Annotated[float, Meta(ge=0)]] = []
    """How often each; empty for equally often."""


class Subcategory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of some values that depend on another column."""

    of: str
    """The column."""
    values: Annotated[dict[str, list[Any]], Meta(min_length=1)]
    """By the value of that column."""


class Uniform(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number between two others, each as likely."""

    low: float
    high: float
    decimals: Annotated[int, Meta(ge=0, le=15)] | None = None
    """Rounded to so many."""


class Normal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number around a mean."""

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
    """As in strftime."""


class Bernoulli(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """true or false."""

    p: Share = 0.5
    """How likely true is."""


class Uuid(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text that no other row has."""


class Sequence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Numbers that count up. A row that is rejected leaves a gap."""

    start: int = 1
    step: int = 1


class Person(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An invented name."""

    part: Literal["full", "first", "last"] = "full"


class Company(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An invented name of a company."""


class File(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of a file: .jsonl, .json, .csv, or the lines of a .txt."""

    path: str
    """From the spec's folder."""
    key: str = ""
    """Only this key of the row; empty for all of it."""


# -- columns made of others ---------------------------------------------------------------------------------------------


class TemplateColumn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text with other columns in it: `Book {{ who }} at {{ time }}.`"""

    text: str


class ExpressionColumn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value worked out from others: `price * count`. No code is run."""

    value: str


class Code(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a Python function returns. Its arguments are columns by name; one named `seed` is the row's own number."""

    file: str
    """From the spec's folder."""
    function: str = ""
    """Empty for the column's own name."""
    in_process: bool = False
    """Run here and not in the sandbox: only for code that you trust and that needs your packages."""
    seconds: Annotated[float, Meta(gt=0)] = 5.0
    """For one row, in the sandbox."""


class Llm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model answers: text, or a value that fits a schema."""

    prompt: str
    """A template."""
    system: str = ""
    json_schema: Json | None = None
    """The answer is a value of this JSON schema."""
    model: str = ""
    """As -m names one; empty for the spec's."""
    temperature: Annotated[float, Meta(ge=0)] = 1.0
    max_tokens: Count = 512


class JudgeColumn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a model scores a text by a rubric."""

    rubric: str
    of: str
    """The text that is scored, a template."""
    model: str = ""
    scale: tuple[float, float] = (0.0, 10.0)
    """Worst and best."""
    votes: Count = 1


Column = (
    Category
    | Subcategory
    | Uniform
    | Normal
    | Int
    | Date
    | Bernoulli
    | Uuid
    | Sequence
    | Person
    | Company
    | File
    | TemplateColumn
    | ExpressionColumn
    | Code
    | Llm
    | JudgeColumn
)
COLUMNS: dict[str, type[Struct]] = {
    "category": Category,
    "subcategory": Subcategory,
    "uniform": Uniform,
    "normal": Normal,
    "int": Int,
    "date": Date,
    "bernoulli": Bernoulli,
    "uuid": Uuid,
    "sequence": Sequence,
    "person": Person,
    "company": Company,
    "file": File,
    "template": TemplateColumn,
    "expression": ExpressionColumn,
    "code": Code,
    "llm": Llm,
    "judge": JudgeColumn,
}


# -- validators ---------------------------------------------------------------------------------------------------------


class SchemaCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The row, or one column of it, fits a JSON schema."""

    json_schema: Json
    column: str = ""


class PythonCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A function, whose arguments are columns by name, returns true; or a text that says what is wrong."""

    file: str
    function: str
    in_process: bool = False
    seconds: Annotated[float, Meta(gt=0)] = 5.0


class GoldCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The environment's verifier passes the task's gold solution, and does not pass an empty reply."""

    share: Annotated[float, Meta(gt=0, le=1)] = 1.0
    """Of the rows that are tried so."""


class JudgeCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model's score of a text reaches a threshold."""

    rubric: str
    of: str
    at_least: float
    model: str = ""
    scale: tuple[float, float] = (0.0, 10.0)
    votes: Count = 1


class RewardCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reward model's score of a text, as the reply to the row's prompt, reaches a threshold."""

    model: str
    of: str
    at_least: float


Validator = SchemaCheck | PythonCheck | GoldCheck | JudgeCheck | RewardCheck
VALIDATORS: dict[str, type[Struct]] = {
    "schema": SchemaCheck,
    "python": PythonCheck,
    "gold": GoldCheck,
    "judge": JudgeCheck,
    "reward_model": RewardCheck,
}


# -- the whole ------------------------------------------------------------------------------------------------------------


class Spec(Struct, frozen=True, kw_only=True):
    columns: dict[str, Any]
    """By name; see `COLUMNS` for the kinds. With a column `prompt` the rows are tasks, else plain rows."""
    n: Count = 1000
    """Rows."""
    seed: int = 0
    constraints: dict[str, str] | list[str] = {}
    """Expressions that hold in every row, with or without a name for each."""
    validators: list[Any] = []
    """What a finished row has to pass; see `VALIDATORS`."""
    keep: list[str] = []
    """The columns that are written; empty for all."""
    environment: str = ""
    """Where the tasks are played; empty for a file of questions, judged by their own data."""
    model: str = ""
    """Of columns and validators that name none."""
    repeats: Literal["auto", "refuse", "keep"] = "auto"
    """Whether a row that is there already is refused; auto: of tasks, yes, of plain rows, no."""
    near: Annotated[float, Meta(gt=0, le=1)] = 0.8
    """How alike two tasks with the same data are of which one is enough; 1 for the same only."""
    held_out: list[str] | None = None
    """Environments and files whose held-out tasks no task may be like; none for every shipped environment."""
    near_held_out: Annotated[float, Meta(gt=0, le=1)] = 0.7
    """How alike is too alike."""
    draws_per_row: Annotated[int, Meta(ge=100)] = 100_000
    """A row that is not found in so many draws ends the command."""
    tries_per_row: Annotated[int, Meta(ge=10)] = 200
    """The same, for rows that code, models, validators or repeats reject."""

    @property
    def named_constraints(self) -> dict[str, str]:
        return self.constraints if isinstance(self.constraints, dict) else {text: text for text in self.constraints}


class Design(Struct, frozen=True):
    """A spec that was read, with where it is and what it consists of."""

    spec: Spec
    folder: Path
    stem: str
    hash: str
    """Of the spec and of the files that it names, without n and seed."""
    where: str = "the spec"
    """Its file, for words about it."""

    @property
    def makes_tasks(self) -> bool:
        return "prompt" in self.spec.columns

    @property
    def kept(self) -> list[str]:
        return self.spec.keep or list(self.spec.columns)

    @property
    def models(self) -> list[str]:
        """Every model that is asked for a text or a judgement, once."""
        parts = [*self.spec.columns.values(), *self.spec.validators]
        asked = [part.model or self.spec.model for part in parts if isinstance(part, Llm | JudgeColumn | JudgeCheck)]
        return sorted(set(asked))

    @property
    def reward_models(self) -> list[str]:
        return sorted({part.model for part in self.spec.validators if isinstance(part, RewardCheck)})


def read_design(path: Path, model: str = "") -> Design:
    """The spec in a YAML file. `model` is for columns that name none, in place of the spec's."""
    if not path.is_file():
        raise BadInput(f"{path}: no such file; a spec is YAML (docs/how-to/design.md, recipes/design)")
    data = read_yaml(path, "a spec is a list of keys and values, of which columns is one")
    return make_design(data, path.parent, path.stem, str(path), model)


def make_design(data: Json, folder: Path, stem: str = "design", where: str = "the spec", model: str = "") -> Design:
    check_keys({key: value for key, value in data.items() if key != "columns"}, Spec, where)
    if not isinstance(data.get("columns"), dict) or not data["columns"]:
        raise BadInput(f"{where}: columns is missing; it names the columns, each with its kind")
    columns = {str(name): _column(str(name), value, where) for name, value in data["columns"].items()}
    given = data.get("validators") or []
    if not isinstance(given, list):
        raise BadInput(f"{where}: validators is a list, each with its kind: {', '.join(VALIDATORS)}")
    validators = [_of_kind(one, VALIDATORS, f"validators[{n}]", "validator", where) for n, one in enumerate(given)]
    rest = {**data, "columns": {}, "validators": [], **({"model": model} if model else {})}
    spec = msgspec.structs.replace(decode(rest, Spec, where), columns=columns, validators=validators)
    _check(spec, where)
    files = {name: _bytes(folder / name, where) for name in _files(spec)}
    meaning = msgspec.to_builtins(msgspec.structs.replace(spec, n=1, seed=0))
    kinds = [type(part).__name__ for part in [*columns.values(), *validators]]
    found = content_hash([meaning, kinds, {k: v.hex() for k, v in files.items()}])
    return Design(spec, folder, stem, found, where)


def _column(name: str, value: Any, where: str) -> Any:
    if not name.isidentifier():
        raise BadInput(f'{where}: "{name}" cannot be a column: take letters, digits and _')
    if isinstance(value, str):
        return TemplateColumn(text=value)
    return _of_kind(value, COLUMNS, f"columns.{name}", "kind of column", where)


def _of_kind(value: Any, kinds: dict[str, type[Struct]], above: str, what: str, where: str) -> Any:
    if not isinstance(value, dict) or "kind" not in value:
        raise BadInput(f"{where}: {above} needs a kind, one of: {', '.join(kinds)}")
    if value["kind"] not in kinds:
        raise not_found(what, str(value["kind"]), kinds, f"({where}: {above})")
    rest = {key: one for key, one in value.items() if key != "kind"}
    struct = kinds[value["kind"]]
    check_keys(rest, struct, where, f"{above}.")
    return decode(rest, struct, f"{where}: {above}", see=f" (docs/how-to/design.md, kind {value['kind']})")


def _check(spec: Spec, where: str) -> None:
    """What the types do not say."""
    for name, column in spec.columns.items():
        place = f"{where}: columns.{name}"
        match column:
            case Category(values=values, weights=weights):
                if weights and (len(weights) != len(values) or not 0 < sum(weights) < math.inf):
                    raise BadInput(
                        f"{place}: weights: {len(weights)}, values: {len(values)}; one weight a value, not all 0"
                    )
            case Subcategory(values=values):
                empty = [key for key, some in values.items() if not some]
                if empty:
                    raise BadInput(f'{place}: "{empty[0]}" has no values')
                parent = spec.columns.get(column.of)
                known = parent.values if isinstance(parent, Category) else []
                missing = [key for key in map(key_of, known) if key not in values]
                if missing:
                    raise BadInput(f'{place}: {column.of} can be "{missing[0]}", for which it has no values')
            case Uniform(low=low, high=high) | Int(low=low, high=high):
                if not (low <= high and math.isfinite(low) and math.isfinite(high)):
                    raise BadInput(f"{place}: low is {low} and high is {high}; write the lower number first")
            case Normal(mean=mean, std=std):
                if not (math.isfinite(mean) and math.isfinite(std)):
                    raise BadInput(f"{place}: mean is {mean} and std is {std}; both are numbers that end")
            case Llm(json_schema=schema) if schema is not None:
                _check_schema(schema, place)
            case Date(first=first, last=last):
                if first > last:
                    raise BadInput(f"{place}: first ({first}) is after last ({last})")
            case JudgeColumn(scale=(low, high)):
                _check_scale(low, high, place)
            case _:
                pass
    for place, validator in enumerate(spec.validators):
        if isinstance(validator, JudgeCheck):
            _check_scale(*validator.scale, f"{where}: validators[{place}]")
        if isinstance(validator, GoldCheck | RewardCheck) and "prompt" not in spec.columns:
            raise BadInput(f"{where}: validators[{place}] is about tasks, and there is no column prompt")
        if isinstance(validator, SchemaCheck):
            _check_schema(validator.json_schema, f"{where}: validators[{place}]")
        if isinstance(validator, SchemaCheck) and validator.column and validator.column not in spec.columns:
            raise not_found("column", validator.column, spec.columns, f"({where}: validators[{place}])")
    for name in spec.keep:
        if name not in spec.columns:
            raise not_found("column", name, spec.columns, f"({where}: keep)")
    if spec.keep and "prompt" in spec.columns and "prompt" not in spec.keep:
        raise BadInput(
            f"{where}: keep leaves out prompt, and without it a row is no task; keep it, or name it otherwise"
        )
    for part in [*spec.columns.values(), *spec.validators]:
        if isinstance(part, Llm | JudgeColumn | JudgeCheck) and not (part.model or spec.model):
            raise BadInput(f"{where}: a model is asked, and none is named; write model: in the spec, or give -m MODEL")


def _check_schema(schema: Json, place: str) -> None:
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise BadInput(f"{place}: not a JSON schema: {error.message}") from error


def _check_scale(low: float, high: float, place: str) -> None:
    if not low < high:
        raise BadInput(f"{place}: scale is the worst score and then a higher one, not {low:g} and {high:g}")


def _files(spec: Spec) -> list[str]:
    found = [part.path for part in spec.columns.values() if isinstance(part, File)]
    parts = [*spec.columns.values(), *spec.validators]
    return sorted({*found, *(part.file for part in parts if isinstance(part, Code | PythonCheck))})


def _bytes(path: Path, where: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{where}: {path} cannot be read: {error.strerror}") from error


def key_of(value: Any) -> str:
    """A value as the key under which a subcategory has its own: text as it is, true as `true`, 3 as `3`."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def expressions_of(column: Any) -> list[Expression | TextTemplate]:
    """What a column is worked out from, parsed."""
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
