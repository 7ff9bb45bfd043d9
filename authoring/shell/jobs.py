"""The record of a job for the shell, and the names and sentences that fill the folders of the training jobs.

The jobs are in `train_*` and `val_*`.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple


class Job(NamedTuple):
    prompt: str | list[str]
    """What is asked; several wordings of it are used in turn."""
    files: dict[str, str]
    """What the working folder holds, by path. A path that ends in / is an empty folder."""
    commands: list[str] = []
    """A solution, a call each. What it should come to is never learnt from them."""
    wanted: dict[str, str | None] = {}
    """What is to be different in the end: text by path, none for what is to be gone."""
    archives: dict[str, dict[str, str]] = {}
    """Archives that are to be there, with the texts of their members; a file that is only compressed has one without a name."""
    answer: str = ""
    modes: dict[str, str] = {}
    """Of files that do not have the usual 644 at the beginning."""
    wanted_modes: dict[str, str] = {}
    dates: dict[str, str] = {}
    """The day on which a file was last changed, where that matters."""
    decline: bool = False
    """Whether the request is one to be declined."""
    look: bool = False
    """Whether only a look into a file can tell that it is: a no without one is a guess."""


THINGS = [
    "anchor", "apron", "barrel", "basket", "beacon", "bellows", "bench", "bobbin", "bottle", "bridle", "bucket",
    "candle", "canvas", "cellar", "chisel", "compass", "copper", "cradle", "curtain", "drum", "easel", "feather",
    "fiddle", "furnace", "gutter", "hammer", "hinge", "kettle", "ladder", "lantern", "ledger", "loom", "mallet",
    "marble", "mitten", "oven", "pebble", "pillow", "plough", "pocket", "quilt", "rudder", "saddle", "satchel",
    "shovel", "spindle", "stove", "thimble", "timber", "trowel", "velvet", "wagon", "whistle",
]  # fmt: skip
PLACES = [
    "Aldmoor", "Brask", "Corvane", "Dunholt", "Eskerby", "Farrow", "Grensted", "Holm", "Ivarton", "Jessel", "Kirwick",
    "Lomond", "Marsk", "Norby", "Ostrey",
]  # fmt: skip
PEOPLE = [
    "Ada", "Bram", "Cleo", "Dario", "Edda", "Finn", "Greta", "Hugo", "Ines", "Jonas", "Kaya", "Leif", "Mina", "Nils",
    "Orla", "Piet", "Rosa", "Sven", "Tilda", "Viggo",
]  # fmt: skip
FOLDERS = [
    "attic", "annex", "barn", "bay", "cabin", "camp", "court", "deck", "den", "depot", "dock", "field", "forge",
    "garden", "grove", "hall", "harbour", "hut", "kiosk", "loft", "mill", "office", "pantry", "pier", "porch", "shed",
    "shelf", "stall", "store", "studio", "tower", "vault", "workshop", "yard",
]  # fmt: skip
_DID = [
    "carried", "cleaned", "counted", "found", "hid", "lost", "mended", "moved", "packed", "painted", "repaired", "sold",
    "stored", "weighed", "wrapped",
]  # fmt: skip
_WHEN = [
    "at dawn", "before noon", "after the rain", "in the evening", "last winter", "on market day", "twice",
    "without a word",
]  # fmt: skip


def names(draw: Random, count: int, among: list[str] = THINGS) -> list[str]:
    return draw.sample(among, count)


def folder(draw: Random) -> str:
    return draw.choice(FOLDERS)


def line(draw: Random) -> str:
    """A sentence about nothing."""
    return f"{draw.choice(PEOPLE)} {draw.choice(_DID)} the {draw.choice(THINGS)} {draw.choice(_WHEN)}."


def prose(draw: Random, num_lines: int) -> str:
    return "".join(f"{line(draw)}\n" for _ in range(num_lines))


def some_prose(draw: Random) -> str:
    return prose(draw, draw.randint(1, 5))


def short(draw: Random) -> str:
    return prose(draw, draw.randint(1, 2))


def day(draw: Random, year: int) -> str:
    return f"{year}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"


def clock(draw: Random) -> str:
    return f"{draw.randint(0, 23):02}:{draw.randint(0, 59):02}:{draw.randint(0, 59):02}"


def lines(rows: list[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def table(head: list[str], rows: Sequence[Sequence[object]]) -> str:
    """As CSV."""
    return lines([",".join(map(str, row)) for row in [head, *rows]])


def moved(files: dict[str, str], to: dict[str, str]) -> dict[str, str | None]:
    """What is wanted when files get other paths."""
    return {**dict.fromkeys(to), **{new: files[old] for old, new in to.items()}}
