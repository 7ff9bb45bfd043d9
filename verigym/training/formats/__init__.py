"""Training data in the formats of other trainers, one file per trainer. A new trainer is a `Format` and an entry in `ALL`."""

from verigym.core.errors import not_found
from verigym.training.formats import nemo_rl, openai, openrlhf, tables, trl, verl
from verigym.training.formats.format import Format

ALL = {
    one.name: one for one in (trl.FORMAT, verl.FORMAT, openrlhf.FORMAT, nemo_rl.FORMAT, openai.FORMAT, *tables.FORMATS)
}


def format_named(name: str) -> Format:
    if name not in ALL:
        raise not_found("format", name, list(ALL), "Choose one with --as.")
    return ALL[name]
