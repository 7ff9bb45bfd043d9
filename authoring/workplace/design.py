"""Training stories of `workplace` for the designer (`workplace.yaml`): it draws the numbers, and this file tells the story."""

from functools import cache

from authoring.engine import Family
from authoring.workplace.make import draft, families, scene


@cache
def by_category() -> dict[str, list[Family]]:
    """The wordings of the training stories."""
    categories: dict[str, list[Family]] = {}
    for family in families("train"):
        categories.setdefault(family.topic, []).append(family)
    return categories


def tell(category: str, story: int, office: str, chance: int) -> dict:
    """A request and what it should change. `story` selects the wording, and `chance` the names and values."""
    wordings = by_category()[category]
    family = wordings[story % len(wordings)]
    task = draft(family, office, family.source.tell(scene("train", chance, office)), family.source.number)
    return {"prompt": task.prompt, "data": task.data, "family": family.row_family, "tags": task.tags}
