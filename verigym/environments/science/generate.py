"""Makes the tasks of `train` and `val` from the stories, the same ones every time, and checks them.

    python -m verigym.environments.science.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new family leaves the others as they are; one in
which an honest scientist would be misled by chance, or two laws cannot be told apart, is drawn again. `make` gives any number of
tasks of a family, also more than are shipped.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import count, islice
from random import Random
from typing import NamedTuple

import msgspec

from verigym.core.records import Json, Task, Trajectory
from verigym.core.seeds import derive
from verigym.environments.science import DATA, Lab, Paper, best, fitted, literature, plan, reading, stories
from verigym.environments.science.laws import LAWS, span
from verigym.environments.science.literature import Words
from verigym.environments.science.stories import Story
from verigym.environments.science.verifier import science_verifier
from verigym.tasks.load import ship

SEED = 7
COUNTS = {"train": 400, "val": 100}
STORIES = {"train": stories.TRAIN, "val": stories.VAL}
WORDS = {"train": literature.TRAIN, "val": literature.VAL}
_TIGHT, _LOOSE = 0.03, 0.07
"""Between which the uncertainty that is allowed lies."""


class Family(NamedTuple):
    split: str
    story: Story

    @property
    def name(self) -> str:
        return f"science/{self.split}/{self.story.name.replace(' ', '_')}"


def families(split: str) -> list[Family]:
    return [Family(split, story) for story in STORIES[split]]


def generate(split: str) -> list[Task]:
    """All tasks, in an order in which any first few are a fair mixture."""
    made = families(split)
    each, more = divmod(COUNTS[split], len(made))
    drawn = [task for place, family in enumerate(made) for task in islice(make(family), each + (place < more))]
    return sorted(drawn, key=lambda task: derive(SEED, "order", task.id))


def make(family: Family) -> Iterator[Task]:
    seen: set[str] = set()
    for place in count(1):
        tries = (Random(derive(SEED, family.name, place, again)) for again in range(200))
        fair = (task for draw in tries if (task := _task(family, place, draw)) is not None)
        found = next((task for task in fair if task.prompt not in seen), None)
        assert found is not None, f"{family.name}: no fair task in 200 draws; widen the range or take other laws"
        seen.add(str(found.prompt))
        yield found


def _task(family: Family, place: int, draw: Random) -> Task | None:
    story, words = family.story, WORDS[family.split]
    lab = _lab(draw, story, story.laws[derive(SEED, "law", family.name, place) % 2])
    if lab is None:
        return None
    sample, other = draw.sample(story.samples, 2)
    said = {
        "question": story.question.format(sample=sample), "laws": "\n".join(_laws(story)), "setting": story.setting,
        "range": f"{story.low:g} to {story.high:g} {story.unit}", "reading": story.reading, "field": story.field,
        "unit": f" in {story.reading_unit}" if story.reading_unit else "", "instrument": story.instrument,
        "noise": f"{lab.noise:g}", "budget": str(lab.budget), "a": story.scale, "b": story.second,
        "tolerance": f"{lab.tolerance:.0%}", "sample": sample, "other": other,
    }  # fmt: skip
    papers, calibration = _papers(draw, words, said, lab, family)
    return Task(
        id=f"{family.name}/{place}",
        prompt=draw.choice(words.requests).format(**said),
        data={
            "lab": msgspec.to_builtins(lab),
            "papers": msgspec.to_builtins(papers),
            "instrument": story.instrument,
            "calibration": calibration,
        },
        split=family.split,
        family=family.name,
        tags=[story.field],
        lineage=[f"verigym.environments.science.generate seed {SEED}"],
    )


def _laws(story: Story) -> Iterator[str]:
    for law in story.laws:
        formula = LAWS[law].formula.format(a=story.scale, b=story.second, x=story.setting.replace(" ", "_"))
        yield f"- {law}: {story.reading} = {formula}"


# -- The truth ------------------------------------------------------------------------------------------------------------


def _lab(draw: Random, story: Story, law: str) -> Lab | None:
    """Parameters, noise and budget, if an honest scientist finds out that it is this law."""
    low, high = span(LAWS[law], story.high)
    a, b = _sig(draw.uniform(*story.scales)), _sig(draw.uniform(low, high))
    factor = _factor(draw)
    old = draw.choice([value for value in (0.84, 0.9, 1.0, 1.1, 1.18) if abs(value / factor - 1) >= 0.09])
    largest = max(a * LAWS[law].shape(story.low + (story.high - story.low) * step / 20, b) for step in range(21))
    lab = Lab(
        law=law, laws=list(story.laws), a=a, b=b, names=[story.scale, story.second], low=story.low, high=story.high,
        noise=float(f"{largest * draw.uniform(0.002, 0.008):.2g}"), factor=factor, old_factor=old,
        outdated=[_sig(value * draw.choice([0.6, 0.7, 1.35, 1.5])) for value in (a, b)],
        budget=draw.randint(8, 14), tolerance=0.0, seed=draw.getrandbits(40),
    )  # fmt: skip
    report = best(lab, factor)
    wide = max(report["plus_minus"][name] / value for name, value in report["values"].items() if value > 0)
    lab = msgspec.structs.replace(lab, tolerance=max(_TIGHT, math.ceil(130 * wide) / 100))
    return lab if lab.tolerance <= _LOOSE and _fair(lab, report) else None


def _fair(lab: Lab, report: Json) -> bool:
    """Whether the honest report is right, the other law is seen to be wrong, and the old factor misleads."""
    runs = [(x, reading(lab, x, place)) for place, x in enumerate(plan(lab, lab.budget))]
    other = next(law for law in lab.laws if law != lab.law)
    clear = fitted(lab, lab.law, lab.factor, runs).misfit < 1.6 and fitted(lab, other, lab.factor, runs).misfit > 2.5
    return clear and _passes(lab, runs, report) and not _passes(lab, runs, best(lab, lab.old_factor))


def _passes(lab: Lab, runs: list[tuple[float, float]], report: Json) -> bool:
    state = {"runs": [list(run) for run in runs], "report": report}
    task = Task(id="t", prompt="?", data={"lab": msgspec.to_builtins(lab)})
    return science_verifier(task, Trajectory(id="a", task="t", group="g", items=[], end_state=state)).passed


def _factor(draw: Random) -> float:
    return round(draw.choice([draw.uniform(0.82, 0.94), draw.uniform(1.06, 1.2)]), 2)


def _sig(value: float) -> float:
    return float(f"{value:.3g}")


# -- The literature ---------------------------------------------------------------------------------------------------------


def _papers(draw: Random, words: Words, said: Json, lab: Lab, family: Family) -> tuple[list[Paper], str]:
    """The abstracts in the order of their ids, and the id of the one with the factor that holds."""
    years = sorted(draw.sample(range(2003, 2026), 5))
    elsewhere = draw.choice([story.instrument for story in STORIES[family.split] if story != family.story])
    rivals = draw.sample(lab.laws, 2)  # who is right of the two is a matter of chance, and so is who came last
    drawn = [
        {"value_a": f"{_sig(lab.a * draw.uniform(0.5, 2)):g}", "value_b": f"{_sig(lab.b * draw.uniform(0.5, 2)):g}"}
        for _ in "ab"
    ]
    old = dict(zip(("value_a", "value_b"), (f"{value:g}" for value in lab.outdated), strict=True))
    written = [
        (words.claim, years[1], {"law": rivals[0], **drawn[0]}),
        (words.doubt, years[3], {"law": rivals[1], "rival": rivals[0], **drawn[1]}),
        (words.outdated, years[0], {"law": draw.choice(lab.laws), **old}),
        (words.calibration, years[4], {"factor": f"{lab.factor:g}"}),
        (words.old_calibration, years[2], {"factor": f"{lab.old_factor:g}"}),
        (words.other_calibration, years[4], {"factor": f"{_factor(draw):g}", "instrument": elsewhere}),
        (words.aside, years[2], {}),
    ]
    numbers = draw.sample(range(10, 100), len(written))
    made = [
        Paper(f"P{number}", year, *(text.format(**{**said, **more, "year": year}) for text in texts))
        for number, (texts, year, more) in zip(numbers, written, strict=True)
    ]
    return sorted(made, key=lambda paper: paper.id), made[3].id


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose honest solution does not pass."""
    for task in made:
        lab = msgspec.convert(task.data["lab"], Lab)
        assert _fair(lab, best(lab, lab.factor)), f"{task.id}: the gold report does not pass, or the old factor does"


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
