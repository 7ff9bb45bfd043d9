"""The worlds to learn from, those held out, and their data sets: `school-csv-1` is a world, an engine and a number."""

from functools import cache
from random import Random
from typing import NamedTuple

from authoring.data_analysis.worlds import (
    club,
    contest,
    council,
    election,
    helpdesk,
    hotel,
    kitchen,
    league,
    meters,
    railway,
    school,
    staff,
    stock,
    survey,
    weather,
)
from authoring.data_analysis.worlds.world import Look, Rows, World
from verigym.core.seeds import derive

SEED = 47
NUMBERS = (1, 2)
"""Data sets of each world and engine."""
WORLDS = {
    "train": [
        school.WORLD,
        stock.WORLD,
        staff.WORLD,
        league.WORLD,
        hotel.WORLD,
        weather.WORLD,
        survey.WORLD,
        club.WORLD,
        council.WORLD,
        helpdesk.WORLD,
    ],
    "val": [contest.WORLD, railway.WORLD, kitchen.WORLD, election.WORLD, meters.WORLD],
}
BY_NAME = {world.name: world for worlds in WORLDS.values() for world in worlds}


class Made(NamedTuple):
    world: World
    engine: str
    rows: Rows


@cache
def made(name: str) -> Made:
    world, engine, _ = name.split("-")
    return Made(BY_NAME[world], engine, BY_NAME[world].rows(Random(derive(SEED, name))))


def look(name: str, draw: Random) -> Look:
    return Look(made(name).engine, made(name).rows, draw)
