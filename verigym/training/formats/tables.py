"""Tables for everything else: `parquet` for pandas, DuckDB and Polars, and `hf`, a dataset folder of Hugging Face.

A Parquet table holds conversations and tools as JSON text, because a column of structs would fill in the arguments of every
tool. `hf` has the rows of TRL and the origin of each, as JSON Lines with a card. Rollouts bring the sampled token ids.
"""

from typing import Any

from verigym.core.records import Json
from verigym.training.formats import trl
from verigym.training.formats.format import Format, Kind, Prompt, Rollout, Written, json_text

_TEXT = {"prompt", "completion", "chosen", "rejected", "tools"}
_COMMON = {"prompt": "string", "tools": "string", "task": "string"}
_EPISODE = {"completion": "string", "family": "string", "source": "string"}
_COLUMNS: dict[Kind, dict[str, str]] = {
    "demonstrations": {**_COMMON, **_EPISODE},
    "thumbs": {**_COMMON, **_EPISODE, "label": "bool"},
    "preferences": {
        **_COMMON,
        "chosen": "string",
        "rejected": "string",
        "margin": "float64",
        "source": "string",
    },
    "prompts": {**_COMMON, "answer": "string", "environment": "string", "split": "string", "data": "string"},
    "rollouts": {
        **_COMMON,
        **_EPISODE,
        "label": "bool",
        "reward": "float64",
        "split": "string",
        "environment": "string",
        "agent": "string",
        "parts": "string",
        "ids": "list<int64>",
        "mask": "list<int8>",
        "logprobs": "list<float64>",
    },
}


def rollout(one: Rollout, plain: bool) -> Written:
    """One row per path of turns, which is one per episode unless the context was rewritten."""
    [row] = trl.rollout(one, plain)
    assert isinstance(row, dict)
    row = {**row, "environment": one.environment, "agent": one.agent, "parts": json_text(one.parts)}
    paths: list[Json] = [{"ids": path.ids, "mask": path.mask, "logprobs": path.logprobs} for path in one.samples]
    return [{**row, **path} for path in paths or [{"ids": [], "mask": [], "logprobs": []}]]


def prompt(one: Prompt, plain: bool) -> Written:
    return trl.prompt(one, plain)


_ROWS: dict[Kind, Any] = {**trl.FORMAT.writers, "prompts": prompt, "rollouts": rollout}


def _as_text(write: Any) -> Any:
    def written(record: Any, plain: bool) -> Written:
        rows = write(record, plain)
        if isinstance(rows, str):
            return rows
        return [
            {
                name: json_text(value) if name in _TEXT and not isinstance(value, str) else value
                for name, value in row.items()
            }
            for row in rows
        ]

    return written


def arrow_type(arrow: Any, text: str) -> Any:
    """`string`, `list<int8>`, `struct<a: string, b: int64>`, and `list<a: string>` for a list of structs."""
    kind, _, inside = text.partition("<")
    if not inside:
        return getattr(arrow, "bool_" if kind == "bool" else kind)()
    inside = inside.removesuffix(">")
    if ":" not in inside:
        return arrow.list_(arrow_type(arrow, inside))
    fields = [field.split(": ") for field in inside.split(", ")]
    struct = arrow.struct([(name, arrow_type(arrow, of)) for name, of in fields])
    return arrow.list_(struct) if kind == "list" else struct


PARQUET = Format(
    name="parquet",
    label="any reader of Parquet",
    file="parquet",
    writers={kind: _as_text(write) for kind, write in _ROWS.items()},
    load={kind: 'pandas.read_parquet("{file}"), with conversations and tools as JSON text' for kind in _ROWS},
    columns=lambda kind: _COLUMNS[kind],
)
HUGGING_FACE = Format(
    name="hf",
    label="Hugging Face datasets",
    file="folder",
    writers=_ROWS,
    load={kind: 'load_dataset("{file}", split="train")' for kind in _ROWS},
)
FORMATS = (PARQUET, HUGGING_FACE)
