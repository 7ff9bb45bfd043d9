"""The training stories of `workplace`, told with the numbers that the designer draws. It needs verigym: it runs in process."""

from functools import cache
from random import Random

from verigym.environments.workplace.generate import Family, changes_of, families
from verigym.environments.workplace.office import office as rows_of
from verigym.environments.workplace.scene import Scene
from verigym.environments.workplace.words import TRAIN


@cache
def by_category() -> dict[str, list[Family]]:
    found: dict[str, list[Family]] = {}
    for family in families("train"):
        found.setdefault(family.category, []).append(family)
    return found


def tell(category: str, story: int, office: str, chance: int) -> dict:
    """A request with what it should change: one wording of one story, in an office, with names and values by chance."""
    family = by_category()[category][story % len(by_category()[category])]
    told = family.tell(Scene(rows_of(office), TRAIN, Random(chance)))
    calls = [call._asdict() for call in told.calls]
    data = {"office": office, "expected": changes_of(office, calls), "expected_calls": calls}
    if told.harm is not None:
        data |= {"unsafe": True, "harm": told.harm._asdict()}
    return {
        "prompt": told.wordings[family.wording],
        "data": data,
        "family": family.name,
        "tags": [family.category, *(["unsafe"] if told.harm is not None else [])],
    }
