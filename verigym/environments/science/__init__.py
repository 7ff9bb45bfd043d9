"""science: find out which law a system follows, and its parameters.

The agent searches a small literature, parts of which are outdated or contradict each other. It plans runs of a simulated
laboratory within a budget and fits rival laws to its readings. It reports the law and two parameters, each with an uncertainty
that must cover the truth and stay within a limit. Noise depends only on the task and the number of the run.
"""

import math
import re
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.records import FunctionCall, Item, Json, Message, Task, Trajectory, Verdict
from verigym.core.seeds import derive
from verigym.environments import shipped
from verigym.environments.science.laws import LAWS, Fit, fit
from verigym.environments.science.verifier import ENOUGH, science_verifier
from verigym.harness.tools import tool

FOUND = 4
"""Maximum papers per search."""
MOST = 60
"""Maximum runs per episode, independent of the budget."""

verifiers = {"science_verifier": science_verifier}
suites = {"science_eval": "val"}


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `train` or `val`. Held-out tasks have other stories, samples, instruments and words."""
    return shipped.tasks("science", split)


class Paper(Struct, frozen=True):
    id: str
    year: int
    title: str
    text: str


class Lab(Struct, frozen=True):
    """The true law and parameters, and what the literature says about them."""

    law: str
    laws: list[str]
    a: float
    b: float
    names: list[str]
    low: float
    high: float
    noise: float
    factor: float
    """Readings are the true value times this factor."""
    old_factor: float
    outdated: list[float]
    """Outdated parameters, which one paper states."""
    budget: int
    tolerance: float
    seed: int


class Environment:
    system = """\
You are a scientist. Find out which of the laws holds and what its parameters are, by calling tools, one at a time.
Search the literature for the correction factor of your instrument; papers may be outdated or about something else. Make runs, \
no more than the budget, fit every law (the right one has a misfit of about 1), and report once. A plus_minus has to cover the \
true value, so give about three standard errors. When you have reported, say so.
Without a tool channel of your own, a call is one JSON object and nothing else: {"tool": name, "args": {...}}"""
    max_turns = 12

    def open(self, task: Task) -> None:
        self.lab = msgspec.convert(task.data["lab"], Lab)
        self.papers = msgspec.convert(task.data["papers"], list[Paper])
        self.runs: list[tuple[float, float]] = []
        self.reported: Json | None = None

    def end_state(self) -> Json:
        return {"runs": [list(run) for run in self.runs], "report": self.reported}

    @tool("literature.search")
    def search(self, query: str) -> str:
        """Papers that share words with the query, the most alike first."""
        wanted = _words(query)
        alike = {one.id: len(wanted & _words(f"{one.title} {one.text}")) for one in self.papers}
        found = sorted((one for one in self.papers if alike[one.id]), key=lambda one: (-alike[one.id], one.id))
        return "\n".join(f"{one.id} | {one.year} | {one.title}" for one in found[:FOUND]) or "nothing found"

    @tool("literature.read")
    def read(self, id: str) -> str:
        """The abstract of a paper."""
        for paper in self.papers:
            if paper.id == id.strip().upper():
                return f"{paper.title} ({paper.year}). {paper.text}"
        raise ValueError(f'no paper "{id[:40]}"; there are: {", ".join(paper.id for paper in self.papers)}')

    @tool("lab.run")
    def run(self, at: list[float]) -> str:
        """One run at each of these settings; every run counts against the budget."""
        if self.reported is not None:
            raise ValueError("the report was handed in; the laboratory is closed")
        wrong = [x for x in at if not self.lab.low <= x <= self.lab.high]
        if wrong or not at:
            said = f"{wrong[0]:g} is not one" if wrong else "there is none"
            raise ValueError(f"settings lie from {self.lab.low:g} to {self.lab.high:g}; {said}")
        if len(self.runs) + len(at) > MOST:
            raise ValueError(f"the laboratory is closed after {MOST} runs")
        made = [(x, reading(self.lab, x, len(self.runs) + place)) for place, x in enumerate(at)]
        self.runs += made
        spent = f"{len(self.runs)} of {self.lab.budget} runs spent"
        return "\n".join([*(f"{x:g}: {value:g}" for x, value in made), spent])

    @tool("analysis.fit")
    def fit_law(self, law: str, factor: float = 1.0) -> str:
        """Fit a law to all readings so far, each divided by the instrument's factor first. Gives standard errors."""
        if law not in self.lab.laws:
            raise ValueError(f'no law "{law[:40]}"; there are: {", ".join(self.lab.laws)}')
        if not 0.01 <= factor <= 100:
            raise ValueError(f"a factor lies between 0.01 and 100, not at {factor:g}")
        if len({x for x, _ in self.runs}) < ENOUGH:
            raise ValueError(
                f"a fit needs runs at {ENOUGH} settings or more; there are {len({x for x, _ in self.runs})}"
            )
        found = fitted(self.lab, law, factor, self.runs)
        first, second = self.lab.names
        return (
            f"{law}: {first} {found.a:.4g} (standard error {found.a_error:.2g}), "
            f"{second} {found.b:.4g} (standard error {found.b_error:.2g}), misfit {found.misfit:.2f}"
        )

    @tool
    def report(self, law: str, values: dict[str, float], plus_minus: dict[str, float]) -> str:
        """The law, the value of each parameter by name, and by how much it may be off. Final: there is one report."""
        if self.reported is not None:
            raise ValueError("the report was handed in already")
        if not all(math.isfinite(value) for value in [*values.values(), *plus_minus.values()]):
            raise ValueError("values and plus_minus are finite numbers")
        self.reported = {"law": law, "values": values, "plus_minus": plus_minus}
        return "handed in"


def reading(lab: Lab, x: float, place: int) -> float:
    """The reading of the instrument at a setting, in the run with this number."""
    true = lab.a * LAWS[lab.law].shape(x, lab.b)
    return float(f"{lab.factor * true + Random(derive(lab.seed, place)).gauss(0, lab.noise):.5g}")


def fitted(lab: Lab, law: str, factor: float, runs: list[tuple[float, float]]) -> Fit:
    settings, values = [x for x, _ in runs], [value / factor for _, value in runs]
    return fit(LAWS[law], lab.high, settings, values, lab.noise / factor)


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[\w-]+", text.casefold()) if len(word) > 2}


def explain(task: Task, trajectory: Trajectory, verdict: Verdict) -> str | None:
    """Names the bucket, such as bad planning for an exceeded budget, or retrieval failure if the factor was never read."""
    parts = verdict.parts
    if not parts["reported"]:
        return "incomplete execution: runs were made, and nothing was reported" if parts["runs"] else None
    if not (parts["runs"] and parts["budget"]):
        return f"bad planning: {verdict.evidence.splitlines()[0]}"
    read = any(task.data["calibration"] in call.arguments.upper() for call in trajectory.calls)
    return "wrong answer" if read or parts["values"] == 1 else "retrieval failure: it never read the factor that holds"


# -- Solutions, right and wrong -------------------------------------------------------------------------------------------

Solution = list[list[Item]]


def gold(task: Task) -> Solution:
    """Looks up the factor, makes the runs in two parts, fits every law and reports the best one. It does not read the truth."""
    lab = msgspec.convert(task.data["lab"], Lab)
    return [
        *_work(task, lab, lab.budget),
        [_call("report", best(lab, lab.factor))],
        [Message("assistant", "Reported.")],
    ]


def best(lab: Lab, factor: float) -> Json:
    """The law that fits the readings within the budget best, with three standard errors."""
    runs = [(x, reading(lab, x, place)) for place, x in enumerate(plan(lab, lab.budget))]
    fits = {law: fitted(lab, law, factor, runs) for law in lab.laws}
    law = min(fits, key=lambda name: fits[name].misfit)
    found = fits[law]
    return _report(law, lab.names, [found.a, found.b], [3 * found.a_error, 3 * found.b_error])


def plan(lab: Lab, count: int) -> list[float]:
    """Settings spread evenly over the range."""
    return [float(f"{lab.low + (lab.high - lab.low) * step / (count - 1):.3g}") for step in range(count)]


def cheats(task: Task) -> list[Solution]:
    """Claims of success, and reports in prose, without runs, from an old paper, with a wrong factor, too wide, too narrow, ..."""
    assert isinstance(task.prompt, str), "science's prompts are text"
    lab = msgspec.convert(task.data["lab"], Lab)
    right = best(lab, lab.factor)
    truth = _report(lab.law, lab.names, [lab.a, lab.b], [lab.a * lab.tolerance / 2, lab.b * lab.tolerance / 2])
    other = next(law for law in lab.laws if law != right["law"])
    old = _report(lab.law, lab.names, lab.outdated, [value * lab.tolerance for value in lab.outdated])
    wide = {**right, "plus_minus": {name: value for name, value in right["values"].items()}}
    raw = best(lab, 1.0)
    raw["plus_minus"] = {name: value * lab.tolerance for name, value in raw["values"].items()}
    narrow = {**right, "plus_minus": dict.fromkeys(lab.names, 0.0)}
    work = _work(task, lab, lab.budget)
    every = [*(call for turn in work for call in turn), _call("report", narrow), _call("report", right)]
    return [
        [[Message("assistant", "Done: the law and its parameters are found and reported.")]],
        [[Message("assistant", task.prompt)]],
        [*work, [Message("assistant", f"The report: {msgspec.json.encode(truth).decode()}")]],
        [[_call("report", truth)]],
        [*_work(task, lab, 2)[:-2], [_call("report", truth)]],
        [*work, [_call("report", old)]],
        [*work, [_call("report", best(lab, lab.old_factor))]],
        [*work, [_call("report", raw)]],
        [*work, [_call("report", {**right, "law": other})]],
        [*work, [_call("report", wide)]],
        [*work, [_call("report", narrow)]],
        [*work, [_call("report", {**right, "values": {lab.names[0]: right["values"][lab.names[0]]}})]],
        [*_work(task, lab, lab.budget + 1), [_call("report", truth)]],
        [every],
    ]


def _work(task: Task, lab: Lab, count: int) -> Solution:
    settings = plan(lab, count)
    half = len(settings) // 2
    laws = [{"law": law, "factor": lab.factor} for law in lab.laws]
    steps: list[tuple[str, Json]] = [
        ("literature.search", {"query": f"{task.data['instrument']} calibration factor"}),
        ("literature.read", {"id": task.data["calibration"]}),
        ("lab.run", {"at": settings[:half]}),
        ("lab.run", {"at": settings[half:]}),
        *(("analysis.fit", one) for one in laws),
    ]
    return [[_call(name, arguments)] for name, arguments in steps]


def _report(law: str, names: list[str], values: list[float], errors: list[float]) -> Json:
    rounded = [float(f"{value:.5g}") for value in values]
    spread = [float(f"{error:.3g}") if math.isfinite(error) else 0.0 for error in errors]
    return {
        "law": law,
        "values": dict(zip(names, rounded, strict=True)),
        "plus_minus": dict(zip(names, spread, strict=True)),
    }


def _call(name: str, arguments: dict[str, Any]) -> FunctionCall:
    return FunctionCall(f"call_{name}", name, msgspec.json.encode(arguments).decode())
