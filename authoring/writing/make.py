"""Rows of `writing`, from the briefs. A family has one task for each choice of its facts."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from random import Random

from authoring.engine import Builder, Draft, Exhausted, Family, Trial, Turn
from authoring.writing import train_home, train_town, train_work, val_home, val_town, val_work
from authoring.writing.briefs import Brief
from verigym.core.records import Task
from verigym.core.seeds import derive
from verigym.environments.writing.gates import words, wrong

SEED = 7
BRIEFS = {
    "train": [*train_home.BRIEFS, *train_town.BRIEFS, *train_work.BRIEFS],
    "val": [*val_home.BRIEFS, *val_town.BRIEFS, *val_work.BRIEFS],
}
REQUESTS = {
    "train": [
        "{ask} Readers: {audience}. Length: {low} to {high} words. Mention {facts}. Do not use {avoid}. Form: {form}.",
        "{ask} It is for {audience}, takes {low} to {high} words, mentions {facts}, leaves out {avoid}; form: {form}.",
        "{ask}\n- for: {audience}\n- words: {low} to {high}\n- must mention: {facts}\n- must not contain: {avoid}\n"
        "- form: {form}",
        "{low} to {high} words; {form}. {ask} To be read by {audience}. In it, word for word: {facts}. "
        "Not in it: {avoid}.",
        "{ask} I need {facts} in there exactly like that, and I cannot stand {avoid}. For {audience}. "
        "{low} words at least, {high} at most, please; {form}.",
        "{ask}\n\nfor {audience}\nsay: {facts}\ndo not say: {avoid}\n{low}-{high} words, {form}",
    ],
    "val": [
        "{ask} Who reads it: {audience}. Between {low} and {high} words, please, with {facts} in it but without {avoid}. "
        "As to its shape: {form}.",
        "{ask} Think of {audience}. At least {low} and no more than {high} words; it names {facts}, steers clear "
        "of {avoid}, and its shape is: {form}.",
        "{ask}\nMade for: {audience}\nShape: {form}\nSize: from {low} up to {high} words\n"
        "Literally included: {facts}\nLeft unsaid: {avoid}",
        "{ask} Made for {audience}; {low} words or more but {high} or fewer; shape: {form}. Include {facts} "
        "literally; {avoid} should be nowhere in it.",
    ],
}
FORMS = {
    "train": {
        "one paragraph": "one paragraph",
        "two paragraphs": "two paragraphs, an empty line between them",
        "ends with a question": "one paragraph that ends with a question",
        "begins with a title": "a title of at most eight words and no full stop, an empty line, the text",
    },
    "val": {
        "one paragraph": "a single paragraph",
        "two paragraphs": "two paragraphs parted by a blank line",
        "ends with a question": "a single paragraph whose last sentence is a question",
        "begins with a title": "a heading of eight words or fewer without a full stop, a blank line, the piece",
    },
}
"""Wordings of the forms, each with only one reading."""


def families(split: str) -> list[Family]:
    return [Family(split, f"writing/{split}/{brief.name.replace(' ', '_')}", brief) for brief in BRIEFS[split]]


@cache
def _choices(name: str, facts: tuple[tuple[str, ...], ...]) -> list[tuple[str, ...]]:
    choices = list(product(*facts))
    Random(derive(SEED, name)).shuffle(choices)
    return choices


def draw(family: Family, turn: Turn) -> Draft:
    """Wordings and kinds of request take turns."""
    brief: Brief = family.source
    choices = _choices(family.name, tuple(map(tuple, brief.facts.values())))
    if turn.number > len(choices):
        raise Exhausted
    values = choices[turn.number - 1]
    facts = dict(zip(brief.facts, values, strict=True))
    good, plain = (_text(text, facts) for text in (brief.good, brief.plain))
    lengths = sorted(len(words(text)) for text in (good, plain))
    low, high = lengths[0] - turn.random.randint(2, 8), lengths[1] + turn.random.randint(2, 8)
    offset = derive(SEED, family.name, "request") + turn.number
    ask, request = (options[offset % len(options)] for options in (brief.asks, REQUESTS[family.split]))
    return Draft(
        prompt=request.format(
            ask=ask, facts=_quoted(values), avoid=_quoted(brief.avoid), audience=brief.audience, low=low, high=high,
            form=FORMS[family.split][brief.form],
        ),
        data={
            "words": [low, high], "mention": list(values), "avoid": brief.avoid, "form": brief.form,
            "reference": plain, "gold": good,
        },
        tags=[brief.form],
    )  # fmt: skip


def _text(template: str, facts: dict[str, str]) -> str:
    """The template with its facts, capital letters at the start of sentences, and paragraphs."""
    text = template.format(**facts)
    for value in facts.values():
        for before in (". ", "? ", "|"):
            text = text.replace(f"{before}{value} ", f"{before}{value[0].upper()}{value[1:]} ")
    return (text[0].upper() + text[1:]).replace("|", "\n\n")


def _quoted(parts: Iterable[str]) -> str:
    return ", ".join(f'"{part}"' for part in parts)


def check(task: Task, trial: Trial) -> Iterator[str]:
    """The good and the plain text meet every countable demand. No cheat does, whatever a judge would say."""
    for text in (task.data["gold"], task.data["reference"]):
        yield from (f"{problem}: {text}" for problem in wrong(text, str(task.prompt), task.data))
    for cheat in trial.environment.cheat_replies(task):
        if not wrong(str(cheat[0]), str(task.prompt), task.data):
            yield f"a cheat meets every countable demand: {cheat!r}"


BUILDER = Builder(
    name="writing", seed=SEED, sizes={"train": 4, "val": 3}, families=families, draw=draw, first=1, check=check
)
