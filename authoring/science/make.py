"""Rows of `science`, from the stories.

A task is drawn again if chance would mislead an honest scientist, or if the laws cannot be told apart.
"""

import math
from collections.abc import Iterator
from random import Random

import msgspec

from authoring.engine import Builder, Draft, Family, Trial, Turn
from authoring.science import literature, stories
from authoring.science.literature import Words
from authoring.science.story import Story
from verigym.core.records import Json, Task, Trajectory
from verigym.core.seeds import derive
from verigym.environments.science import Lab, Paper, best, fitted, plan, reading
from verigym.environments.science.laws import LAWS, span
from verigym.environments.science.verifier import science_verifier

SEED = 7
STORIES = {"train": stories.TRAIN, "val": stories.VAL}
WORDS = {"train": literature.TRAIN, "val": literature.VAL}
_TIGHT, _LOOSE = 0.03, 0.07
"""Limits of the allowed uncertainty."""
_VALUES = ("value_a", "value_b")
_NUMBERS = {2: "two", 3: "three"}
_APART = 0.09
"""Minimum difference of two factors. It exceeds every allowed uncertainty, so no factor passes for another."""


def families(split: str) -> list[Family]:
    return [Family(split, f"science/{split}/{story.name.replace(' ', '_')}", story) for story in STORIES[split]]


def draw(family: Family, turn: Turn) -> Draft | None:
    tries = (Random(derive(SEED, family.name, turn.number, retry)) for retry in range(200))
    drafts = (draft for random in tries if (draft := _draft(family, turn.number, random)) is not None)
    return next(drafts, None)


def _draft(family: Family, number: int, draw: Random) -> Draft | None:
    story: Story = family.source
    words = WORDS[family.split]
    believed = draw.choice(story.laws)
    lab = _lab(draw, story, story.laws[(derive(SEED, "law", family.name) + number) % len(story.laws)], believed)
    if lab is None:
        return None
    sample, other = draw.sample(story.samples, 2)
    each = draw.choice([3, 4, 5, 6, 8, 15, 20])
    said = {
        "sample": sample, "setting": story.setting, "reading": story.reading,
        "laws": "\n".join(_laws(story)), "number": _NUMBERS[len(story.laws)],
        "range": f"{story.low:g} to {story.high:g} {story.unit}".strip(), "field": story.field,
        "unit": f" in {story.reading_unit}" if story.reading_unit else "", "instrument": story.instrument,
        "noise": f"{lab.noise:g}", "budget": str(lab.budget), "each": str(each), "total": str(each * lab.budget),
        "a": story.scale, "b": story.second, "percent": f"{lab.tolerance * 100:.0f}",
        "it": story.called.format(sample=sample), "other": story.called.format(sample=other),
    }  # fmt: skip
    said |= {name.capitalize(): said[name][:1].upper() + said[name][1:] for name in ("it", "number")}
    turn = number // len(story.laws)  # every law in every wording
    said["question"] = story.questions[turn % len(story.questions)].format(**said)
    papers, calibration = _papers(draw, words, {**said, "believed": believed}, lab, family)
    return Draft(
        prompt=draw.choice(words.requests).format(**said),
        data={
            "lab": msgspec.to_builtins(lab),
            "papers": msgspec.to_builtins(papers),
            "instrument": story.instrument,
            "calibration": calibration,
        },
        tags=[story.field],
    )


def _laws(story: Story) -> Iterator[str]:
    for law in story.laws:
        formula = LAWS[law].formula.format(a=story.scale, b=story.second, x=story.setting.replace(" ", "_"))
        yield f"- {law}: {story.reading} = {formula}"


# -- The truth ------------------------------------------------------------------------------------------------------------


def _lab(draw: Random, story: Story, law: str, believed: str) -> Lab | None:
    """Parameters, noise and budget, if an honest scientist finds the law; `believed` is that of the outdated paper."""
    a, b = _parameters(draw, story, law)
    former = _parameters(draw, story, believed)
    factor = _factor(draw)
    lab = Lab(
        law=law, laws=list(story.laws), a=a, b=b, names=[story.scale, story.second], low=story.low, high=story.high,
        noise=float(f"{factor * a * _largest(story, law, b) * draw.uniform(0.002, 0.008):.2g}"), factor=factor,
        old_factor=_factor(draw, factor), outdated=[*former], budget=draw.randint(8, 14), tolerance=0.0,
        seed=draw.getrandbits(40),
    )  # fmt: skip
    if abs(former[0] / a - 1) < 0.2:
        return None
    report = best(lab, factor)
    wide = max(report["plus_minus"][name] / value for name, value in report["values"].items() if value > 0)
    lab = msgspec.structs.replace(lab, tolerance=max(_TIGHT, math.ceil(130 * wide) / 100))
    return lab if lab.tolerance <= _LOOSE and _fair(lab, report) else None


def _parameters(draw: Random, story: Story, law: str) -> tuple[float, float]:
    b = _sig(draw.uniform(*span(LAWS[law], story.high)))
    return _sig(draw.uniform(*story.largest) / _largest(story, law, b)), b


def _largest(story: Story, law: str, b: float) -> float:
    """Where the scale is 1."""
    return max(LAWS[law].shape(story.low + (story.high - story.low) * step / 20, b) for step in range(21))


def _fair(lab: Lab, report: Json) -> bool:
    """Whether the honest report is right, the other laws are seen to be wrong, and the old factor misleads."""
    runs = [(x, reading(lab, x, place)) for place, x in enumerate(plan(lab, lab.budget))]
    misfits = {law: fitted(lab, law, lab.factor, runs).misfit for law in lab.laws}
    clear = misfits.pop(lab.law) < 1.6 and min(misfits.values()) > 2.5
    return clear and _passes(lab, runs, report) and not _passes(lab, runs, best(lab, lab.old_factor))


def _passes(lab: Lab, runs: list[tuple[float, float]], report: Json) -> bool:
    state = {"runs": [list(run) for run in runs], "report": report}
    task = Task(id="t", prompt="?", data={"lab": msgspec.to_builtins(lab)})
    return science_verifier(task, Trajectory(id="a", task="t", group="g", items=[], end_state=state)).passed


def _factor(draw: Random, not_near: float = 1.0) -> float:
    """Evenly spread in ratio, so that a guess is right in one task of twenty-five; neither near 1 nor near another one."""
    steps = (step / 100 for step in range(25, 200))
    possible = [value for value in steps if all(abs(value / one - 1) >= _APART for one in (1.0, not_near))]
    return draw.choices(possible, [1 / value for value in possible])[0]


def _sig(value: float) -> float:
    return float(f"{value:.3g}")


# -- The literature ---------------------------------------------------------------------------------------------------------


def _papers(draw: Random, words: Words, said: Json, lab: Lab, family: Family) -> tuple[list[Paper], str]:
    """The abstracts in the order of their ids, and the id of the one with the factor that holds."""
    years = sorted(draw.sample(range(2003, 2026), 5))
    elsewhere = draw.choice([story.instrument for story in STORIES[family.split] if story != family.source])
    rivals = draw.sample(lab.laws, 2)  # who is right of the two is a matter of chance, and so is who came last
    found = [dict(zip(_VALUES, map(_short, _parameters(draw, family.source, law)), strict=True)) for law in rivals]
    former = dict(zip(_VALUES, map(_short, lab.outdated), strict=True))
    percent = round((lab.factor - 1) * 100)
    factors = {
        "factor": _short(lab.factor), "old": _short(lab.old_factor), "old_year": years[2], "signed": f"{percent:+d}",
        "side": "high" if percent > 0 else "low", "off": abs(percent),
    }  # fmt: skip
    written = [
        (words.claim, years[1], {"law": rivals[0], **found[0]}),
        (words.doubt, years[3], {"law": rivals[1], "rival": rivals[0], **found[1]}),
        (words.outdated, years[0], {"law": said["believed"], **former}),
        (words.calibration, years[4], factors),
        (words.old_calibration, years[2], {"factor": _short(lab.old_factor)}),
        (words.other_calibration, years[4], {"factor": _short(_factor(draw, lab.factor)), "instrument": elsewhere}),
        (words.aside, years[2], {}),
    ]
    numbers = draw.sample(range(10, 100), len(written))
    made = [
        Paper(f"P{number}", year, *(text.format(**{**said, **more, "year": year}) for text in draw.choice(texts)))
        for number, (texts, year, more) in zip(numbers, written, strict=True)
    ]
    return sorted(made, key=lambda paper: paper.id), made[3].id


def _short(value: float) -> str:
    return f"{value:g}"


def check(task: Task, trial: Trial) -> Iterator[str]:
    lab = msgspec.convert(task.data["lab"], Lab)
    if not _fair(lab, best(lab, lab.factor)):
        yield "the gold report does not pass, or the report with the old factor does"


BUILDER = Builder(
    name="science", seed=SEED, sizes={"train": 10, "val": 5}, families=families, draw=draw, first=1, check=check
)
