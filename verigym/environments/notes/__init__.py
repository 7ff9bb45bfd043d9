"""notes: read a short office note and answer one question about it with exactly the words that were asked for.

One turn, no tools. A small model finds the answer but writes it as a sentence. It can learn the form in a few steps without
demonstrations. The tasks of `seed` are written by hand.
"""

from verigym.core.records import Task, Trajectory, Verdict
from verigym.environments import shipped
from verigym.environments.notes.verifier import notes_verifier, plain, words

verifiers = {"notes_verifier": notes_verifier}
suites = {"notes_eval": "val", "notes_seed": "seed"}

BETTER_SYSTEM = """\
Answer the question about the note. Reply with the answer only: the words of the note, no sentence.
Note: Selma paid 150 euros for the ukulele on Monday.
Question: Who paid?
Selma
Question: What did she buy?
ukulele
Question: Who paid, and how many euros?
Selma, 150"""
"""A better prompt than `Environment.system`: it adds the rule and three worked examples."""


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `train`, `val` (held out: other stories, names, things and places) or `seed` (held out, by hand)."""
    return shipped.tasks("notes", split, [*shipped.SPLITS, "seed"])


class Environment:
    system = "Answer the question about the note. Reply with the answer only."
    max_turns = 1

    def open(self, task: Task) -> None: ...


def explain(task: Task, trajectory: Trajectory, verdict: Verdict) -> str | None:
    """Names the bucket if the reply has the answer among other words, or is another detail of the note."""
    said, answer = words(trajectory.reply), words(task.data["answer"])
    if any(said[i : i + len(answer)] == answer for i in range(len(said))):
        return "too many words: the reply contains the answer and more"
    if plain(trajectory.reply) in map(plain, task.data["others"]):
        return "wrong detail: the reply is another detail of the note"
    return None


def gold(task: Task) -> str:
    return task.data["answer"]


def cheats(task: Task) -> list[str]:
    """Nothing, the note, the question, all words, the answer in a sentence, repeated or in a list, and the other details."""
    prompt, answer, others = str(task.prompt), task.data["answer"], task.data["others"]
    note, _, question = prompt.removeprefix("Note: ").partition("\nQuestion: ")
    return [
        "",
        prompt,
        note,
        question,
        " ".join(sorted(set(words(note)))),
        f"The answer is {answer}.",
        f"{answer} {answer}",
        f"{answer}, {others[0]}",
        "yes or no",
        *others,
    ]
