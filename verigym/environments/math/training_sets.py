"""Other training tasks than the shipped ones: `math?train=worked` has tasks with solutions in small steps.

The shipped solutions are short: "63 ÷ 1.05 = 60." A small model cannot follow such steps. Here a solution says what is given and
what is asked. Then it cuts every product, quotient, percentage and time of day into steps that need no calculator. The families
are in `worked/`. All of it depends only on `_SEED`, and the tasks of a family do not depend on other families.
"""

import re
from functools import cache
from random import Random

from verigym.core.records import Task
from verigym.core.seeds import derive
from verigym.environments.math.worked import (
    clocks,
    equations,
    expressions,
    numbers_easy,
    numbers_rates,
    numbers_shapes_and_chance,
    numbers_shares,
    numbers_unknowns,
    options,
    solutions,
)
from verigym.environments.math.worked.telling import Family, Told

PER_FAMILY = 140
"""Maximum tasks of a family. A family with few different questions has fewer."""
_SEED = 13
_MODULES = (
    clocks,
    numbers_easy,
    numbers_rates,
    numbers_shapes_and_chance,
    numbers_shares,
    numbers_unknowns,
    expressions,
    equations,
    solutions,
    options,
)
_LEVELS = ("easy", "medium", "hard")
_ATTEMPTS = 4
"""Maximum draws per task of a family."""
_NUMERAL = re.compile(r"\d+(?:[./]\d+)?")


def families() -> list[tuple[str, Family]]:
    """The level and the function of each family."""
    return [(level, draw) for module in _MODULES for level in _LEVELS for draw in getattr(module, level.upper())]


def drawn(draw: Family) -> list[Told]:
    """The questions of a family. No question occurs twice, and no number in a question is its answer."""
    random = Random(derive(_SEED, "math", draw.__name__))
    made: dict[str, Told] = {}
    for _ in range(PER_FAMILY * _ATTEMPTS):
        told = draw(random)
        if told.prompt not in made and not _gives_itself_away(told):
            made[told.prompt] = told
            if len(made) == PER_FAMILY:
                break
    return [*made.values()]


@cache
def worked() -> list[Task]:
    """All tasks, in an order that mixes the families."""
    tasks = [
        Task(
            id=f"math/worked/{draw.__name__}/{number:03}",
            prompt=told.prompt,
            data={**told.data, "work": told.work},
            family=f"math/worked/{draw.__name__}",
            tags=[level, told.data["rule"]],
            lineage=[f"verigym.environments.math.worked seed {_SEED}"],
        )
        for level, draw in families()
        for number, told in enumerate(drawn(draw), start=1)
    ]
    Random(derive(_SEED, "math", "order")).shuffle(tasks)
    return tasks


def _gives_itself_away(told: Told) -> bool:
    """Whether the answer is a number of the question, or an expression without an unknown."""
    match told.data["rule"]:
        case "number":
            answer = told.data["answer"].removesuffix("%")
            return any(answer in (each, f"-{each}", f"{each}.00") for each in _NUMERAL.findall(told.prompt))
        case "expression":
            return not any(each.isalpha() for each in told.data["answer"])
    return False


training_sets = {"worked": worked}
