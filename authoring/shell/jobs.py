"""The record of a job for the shell, and the names and sentences that fill the folders of the training jobs.

The jobs are in `train_*` and `val_*`.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple


class Job(NamedTuple):
    prompt: str | list[str]
    """The request. Several wordings are used in turn."""
    files: dict[str, str]
    """Contents of the working folder by path. A path that ends in / is an empty folder."""
    commands: list[str] = []
    """A solution, one call each. The wanted result is computed independently of it."""
    wanted: dict[str, str | None] = {}
    """Files that have to change: new text by path, or none for a file to delete."""
    archives: dict[str, dict[str, str]] = {}
    """Archives that have to exist, with the texts of their members. A compressed file has one member without a name."""
    answer: str = ""
    modes: dict[str, str] = {}
    """Initial modes of files that do not have the default 644."""
    wanted_modes: dict[str, str] = {}
    dates: dict[str, str] = {}
    """The day of a file's last change, if it matters."""
    decline: bool = False
    """Whether the request has to be declined."""
    look: bool = False
    """Whether this is visible only inside a file. Declining without reading the file is a guess."""


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
    """Return a meaningless sentence."""
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
    """Return rows as CSV."""
    return lines([",".join(map(str, row)) for row in [head, *rows]])


def moved(files: dict[str, str], to: dict[str, str]) -> dict[str, str | None]:
    """Return the wanted state after files have moved."""
    return {**dict.fromkeys(to), **{new: files[old] for old, new in to.items()}}
