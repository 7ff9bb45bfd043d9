"""rewriting: summarise a report in one sentence, or translate two sentences between English, German and Spanish.

References exist for every task, so chrF and ROUGE give a reward without a judge (`rewriting_verifier`). With a judge,
`rewriting_judged` adds its opinion. One turn.
"""

from verigym.core.records import Task, Trajectory, Verdict
from verigym.environments import shipped
from verigym.environments.rewriting.verifier import rewriting_judged, rewriting_verifier

verifiers = {"rewriting_verifier": rewriting_verifier, "rewriting_judged": rewriting_judged}
suites = {"rewriting_eval": "val"}


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `train` or `val`. Held-out tasks have other reports, sentence patterns and words."""
    return shipped.tasks("rewriting", split)


class Environment:
    system = """\
You rewrite texts. Reply with the result only: no introduction, no notes, no quotation marks. A translation says exactly what \
the original says. A summary is one sentence with the facts that still count: who, what, when, where and how much. It leaves \
out small talk and what was rejected, and keeps numbers, names and days as they are written."""
    max_turns = 1

    def open(self, task: Task) -> None: ...


def explain(task: Task, trajectory: Trajectory, verdict: Verdict) -> str | None:
    """Names the bucket: a format error if the text breaks a rule, and otherwise a wrong answer."""
    first = verdict.evidence.partition("\n")[0]
    if verdict.parts.get("rules") == 0.0:
        return f"format error: {first}"
    return f"wrong answer: {verdict.evidence.replace(chr(10), ', ')}"


def gold(task: Task) -> str:
    return task.data["references"][0]


def cheats(task: Task) -> list[str]:
    """Claims of success, copies of the input and its parts, facts or words in a heap, another order, and too much text."""
    assert isinstance(task.prompt, str), "rewriting's prompts are text"
    source, right = task.data["source"], task.data["references"][0]
    said = right.rstrip(".?").split()
    lines = [line.removeprefix("- ") for line in source.splitlines()]
    facts = [line for line in lines if any(fact in line for fact in task.data.get("facts", []))]
    return [
        "Done: here is the text that you asked for.",
        task.prompt,
        source,
        source.partition("\n")[0].removeprefix("- "),
        " ".join(facts),
        ", ".join(line.rstrip(".") for line in facts),
        " ".join(sorted(said)),
        " ".join(reversed(said)),
        " ".join(dict.fromkeys(letter for letter in right)),
        " ".join(task.data.get("facts", said[::2])),
        ", ".join(task.data.get("facts", said[1::2])),
        f"{right} {right} {right} {right}",
        f"{source}\n\n{right}",
        *(f"{right.rstrip('.')}, not {each}." for each in task.data.get("avoid", [])),
    ]
