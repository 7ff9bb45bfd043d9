"""The training stories of `workplace`, told with the numbers that the designer draws. It needs verigym: it runs in process."""

from functools import cache
from random import Random

from authoring.workplace.generate import Wording, changes_of, wordings
from authoring.workplace.scene import Scene
from verigym.environments.workplace.office import office as rows_of
from verigym.environments.workplace.words import TRAIN


@cache
def by_category() -> dict[str, list[Wording]]:
    found: dict[str, list[Wording]] = {}
    for wording in wordings("train"):
        found.setdefault(wording.category, []).append(wording)
    return found


def tell(category: str, story: int, office: str, chance: int) -> dict:
    """A request with what it should change: one wording of one story, in an office, with names and values by chance."""
    wording = by_category()[category][story % len(by_category()[category])]
    told = wording.tell(Scene(rows_of(office), TRAIN, Random(chance)))
    calls = [call._asdict() for call in told.calls]
    data = {"office": office, "expected": changes_of(office, calls), "expected_calls": calls}
    if told.harm is not None:
        data |= {"unsafe": True, "harm": told.harm._asdict()}
    return {
        "prompt": told.wordings[wording.place],
        "data": data,
        "family": wording.family,
        "tags": [wording.category, *(["unsafe"] if told.harm is not None else [])],
    }
