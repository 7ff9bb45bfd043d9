"""Rows of `rewriting`: summaries of reports, and translations of two sentences of a grammar.

A family is a report, or a sentence pattern and a direction. Held-out patterns, reports, values and wordings are others.
"""

from collections.abc import Iterator
from itertools import islice, product

from authoring.engine import Builder, Draft, Family, Trial, Turn
from authoring.rewriting.reports import REPORTS, told
from authoring.rewriting.sentences import DIRECTIONS, LANGUAGES, PATTERNS, filled
from verigym.core.records import Task
from verigym.environments.rewriting.verifier import words

SUMMARY_WORDS = 30
NUM_SUMMARIES = {"train": 24, "val": 12}
MOST_REFERENCES = 6
TRANSLATE = {
    "train": [
        "Translate from {source} to {target}: {text}",
        "How do you say this in {target}?\n\n{text}",
        "{text}\n\nWrite this {source} text in {target}.",
        "Please put the following into {target}:\n{text}",
    ],
    "val": [
        "How would this {source} note read in {target}?\n\n{text}",
        "{source} original:\n{text}\n\nGive the {target} translation.",
        "A friend speaks only {target}. What should I write to tell them: {text}",
    ],
}
SUMMARISE = {
    "train": [
        "Summarise these notes in one sentence of at most {limit} words.\n\n{text}",
        "{text}\n\nSum this up in a single sentence. Use no more than {limit} words.",
        "What happened? Answer with one sentence (up to {limit} words) that has all important facts.\n\n{text}",
    ],
    "val": [
        "Condense this report to one sentence. The limit is {limit} words.\n\n{text}",
        "{text}\n\nBusy readers want the essentials of the above in one sentence, {limit} words or fewer.",
    ],
}


def families(split: str) -> list[Family]:
    translations = [
        Family(
            split, f"rewriting/{split}/{source}-{target}/{pattern.name}", (pattern, source, target), topic="translate"
        )
        for pattern in PATTERNS[split]
        for source, target in DIRECTIONS
    ]
    summaries = [
        Family(split, f"rewriting/{split}/summary/{report.name}", report, topic="summarise", size=NUM_SUMMARIES[split])
        for report in REPORTS[split]
    ]
    return translations + summaries


def draw(family: Family, turn: Turn) -> Draft:
    return _translation(family, turn) if family.topic == "translate" else _summary(family, turn)


def _translation(family: Family, turn: Turn) -> Draft:
    pattern, source, target = family.source
    second = turn.random.choice([other for other in PATTERNS[family.split] if other.name != pattern.name])
    sentences = [filled(each, family.split, turn.random) for each in (pattern, second)]
    text = " ".join(sentence[source][0] for sentence in sentences)
    pairs = product(*(sentence[target] for sentence in sentences))
    references = [" ".join(pair) for pair in islice(pairs, MOST_REFERENCES)]
    asked = TRANSLATE[family.split][turn.number % len(TRANSLATE[family.split])]
    return Draft(
        prompt=asked.format(source=LANGUAGES[source], target=LANGUAGES[target], text=text),
        data={
            "kind": "translate",
            "source": text,
            "references": references,
            "words": int(1.4 * max(len(words(each)) for each in references)) + 1,
        },
        tags=["translate", f"{source}-{target}"],
        key=text,
    )


def _summary(family: Family, turn: Turn) -> Draft:
    text, summaries, facts, avoid = told(family.source, family.split, turn.random)
    asked = SUMMARISE[family.split][turn.number % len(SUMMARISE[family.split])]
    return Draft(
        prompt=asked.format(limit=SUMMARY_WORDS, text=text),
        data={
            "kind": "summarise",
            "source": text,
            "references": summaries,
            "words": SUMMARY_WORDS,
            "facts": facts,
            "avoid": avoid,
        },
        tags=["summarise", family.source.name],
        key=text,
    )


def check(task: Task, trial: Trial) -> Iterator[str]:
    """Every reference passes, not only the first."""
    for text in task.data["references"]:
        verdict = trial.play([text]).verdict
        if not verdict.passed:
            yield f"a reference fails: {text}: {verdict.evidence}"


BUILDER = Builder(
    name="rewriting", seed=29, sizes={"train": 8, "val": 4}, families=families, draw=draw, cheats_every=1, check=check
)  # fmt: skip
