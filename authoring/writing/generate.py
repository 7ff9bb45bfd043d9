"""Makes the tasks of `train` and `val` from the briefs, the same ones every time, and checks them.

    python -m authoring.writing.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new family leaves the others as they are. `make`
gives up to 64 tasks of a family, one for each choice of its facts; wordings and kinds of request take turns.
"""

from collections.abc import Iterable, Iterator
from itertools import islice, product
from random import Random
from typing import NamedTuple

from authoring.writing import train_home, train_town, train_work, val_home, val_town, val_work
from authoring.writing.briefs import Brief
from verigym.core.records import Task
from verigym.core.seeds import derive
from verigym.environments.writing import DATA, cheats, gold
from verigym.environments.writing.gates import words, wrong
from verigym.tasks.load import ship

SEED = 7
EACH = {"train": 4, "val": 3}
"""Tasks of a family."""
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
SAID = {
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
"""A form, so that it can be read in one way only."""


class Family(NamedTuple):
    split: str
    brief: Brief

    @property
    def name(self) -> str:
        return f"writing/{self.split}/{self.brief.name.replace(' ', '_')}"


def families(split: str) -> list[Family]:
    return [Family(split, brief) for brief in BRIEFS[split]]


def generate(split: str) -> list[Task]:
    """All tasks, in an order in which any first few are a fair mixture."""
    made = [task for family in families(split) for task in islice(make(family), EACH[split])]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(family: Family) -> Iterator[Task]:
    brief = family.brief
    chosen = list(product(*brief.facts.values()))
    Random(derive(SEED, family.name)).shuffle(chosen)
    first = derive(SEED, family.name, "request")
    for place, values in enumerate(chosen, start=1):
        draw = Random(derive(SEED, family.name, place))
        facts = dict(zip(brief.facts, values, strict=True))
        good, plain = (_text(text, facts) for text in (brief.good, brief.plain))
        lengths = sorted(len(words(text)) for text in (good, plain))
        low, high = lengths[0] - draw.randint(2, 8), lengths[1] + draw.randint(2, 8)
        said = {"audience": brief.audience, "low": low, "high": high, "form": SAID[family.split][brief.form]}
        ask, request = (each[(first + place) % len(each)] for each in (brief.asks, REQUESTS[family.split]))
        yield Task(
            id=f"{family.name}/{place}",
            prompt=request.format(ask=ask, facts=_quoted(values), avoid=_quoted(brief.avoid), **said),
            data={
                "words": [low, high], "mention": list(values), "avoid": brief.avoid, "form": brief.form,
                "reference": plain, "gold": good,
            },
            split=family.split,
            family=family.name,
            tags=[brief.form],
            lineage=[f"verigym.environments.writing.generate seed {SEED}"],
        )  # fmt: skip


def _text(template: str, facts: dict[str, str]) -> str:
    """With its facts, a capital letter at the start of a sentence, and paragraphs."""
    text = template.format(**facts)
    for value in facts.values():
        for before in (". ", "? ", "|"):
            text = text.replace(f"{before}{value} ", f"{before}{value[0].upper()}{value[1:]} ")
    return (text[0].upper() + text[1:]).replace("|", "\n\n")


def _quoted(parts: Iterable[str]) -> str:
    return ", ".join(f'"{part}"' for part in parts)


def check(made: Iterable[Task]) -> None:
    """Stops at the first task of which the good or the plain text fails a gate, or a cheat gets through them."""
    for task in made:
        for text in (gold(task), task.data["reference"]):
            assert not (found := wrong(text, str(task.prompt), task.data)), f"{task.id}: {found[0]}: {text}"
        for cheat in cheats(task):
            assert wrong(cheat, str(task.prompt), task.data), f"{task.id}: {cheat!r} passes all gates"


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
