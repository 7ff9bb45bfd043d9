"""A task of inspect in one file, which Verigym runs with its own solver and scorer.

verigym bridges install inspect
verigym check inspect:examples/inspect_capitals.py@capitals
verigym eval inspect:examples/inspect_capitals.py@capitals -m URL_OR_FOLDER

Nothing here knows of Verigym. The scorer `includes` names the gold reply: the target.
"""

# pyright: reportMissingImports=false
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, system_message

CAPITALS = {"Norway": "Oslo", "Kenya": "Nairobi", "Peru": "Lima", "Japan": "Tokyo", "Portugal": "Lisbon"}


@task
def capitals() -> Task:
    samples = [Sample(id=land, input=f"What is the capital of {land}?", target=city) for land, city in CAPITALS.items()]
    return Task(dataset=samples, solver=[system_message("Answer with one word."), generate()], scorer=includes())
