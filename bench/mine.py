"""Production traces into tasks: how many of a mixed set become tasks, from which source, how good they are, how long it takes.

    python bench/mine.py            # five mixed sets of 200 traces, and 10,000 single-step traces for speed
    python bench/mine.py --quick    # the first set, and 1,000

`mixed_traces.py` makes the sets, each from its seed. Figures are means over the sets. Mining sees the traces, the feedback, a
scripted teacher (right for three of four requests) and a scripted judge. It never sees what was right.
Afterwards every task is checked against what only the maker of the set knows:

- its own solution passes, and the failed attempt fails
- its start is the world in which the trace was made
- its solution passes the verifier of the world in which the trace was made
"""

import asyncio
import contextlib
import random
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from figures import figure, finish, parser
from mixed_traces import ENVIRONMENTS, INFORMATION, Made, build, items_of, written

from verigym.audit.scripted_episodes import play
from verigym.core.protocols import Policy, Request
from verigym.core.records import Feedback, FunctionCall, Item, Json, Message, Task, Trajectory, Version, content_hash
from verigym.core.seeds import derive
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.mining.mine import MiningReport, mine
from verigym.mining.proposals import read_proposals
from verigym.policies.dialects import write_call
from verigym.policies.scripted import ScriptedPolicy
from verigym.tasks.load import load_tasks
from verigym.verifiers.ending import is_rubric
from verigym.verifiers.judge import ScriptedJudge
from verigym.workspace.workspace import WorkspaceFolder

GOAL = 70
"""Per cent of the traces that must become tasks."""
SEEDS = [0, 1, 2, 3, 4]
WORLDS = {
    "workplace": ["office"],
    "support": ["customers", "orders"],
    "triage": ["facts"],
    "search": ["library"],
    "data_analysis": ["dataset"],
    "safety": ["state"],
    "warehouse": ["shelves"],
}
"""Keys of a task's data that are its world."""
TEACHER = Version(base="http://127.0.0.1:1/v1#teacher", id="teacher")


class Bench(WorkspaceFolder):
    """A workspace whose teacher and judge are scripted."""

    teacher: Policy
    judge: Policy

    def open_policy(self, version: Version) -> Policy:
        return self.teacher

    def open_judge(self, version: Version) -> Policy:
        return self.judge


def scripted_teacher(made: list[Made]) -> ScriptedPolicy:
    """Right in every episode for three of four requests, in two of three episodes for some, and at a loss for the rest."""
    situations = {one.situation.task.prompt: one.situation for one in made if one.situation is not None}

    def answer(request: Request) -> str:
        prompt = next(item.text for item in request.items if isinstance(item, Message) and item.role == "user")
        situation = situations.get(prompt)
        luck = derive(0, "luck", prompt) % 100
        if situation is None or luck >= 85 or (luck >= 75 and request.seed % 3 == 0):
            return f"I would ask a colleague, number {request.seed % 97}."
        replies = [written(reply) for reply in situation.gold]
        return replies[min(len(request.turns), len(replies) - 1)]

    return ScriptedPolicy(answer)


def scripted_judge(made: list[Made]) -> ScriptedJudge:
    """Passes an episode that makes the right calls and no others, or gives the right answer if there is nothing to call."""
    situations = {one.situation.task.prompt: one.situation for one in made if one.situation is not None}

    def approves(shown: str) -> bool:
        situation = next((each for prompt, each in situations.items() if str(prompt) in shown), None)
        if situation is None:
            return False
        items = [item for reply in situation.gold for item in items_of(reply)]
        calls = [f"{item.name} {item.arguments}" for item in items if isinstance(item, FunctionCall)]
        made_calls = re.findall(r"^assistant calls (.*)$", shown, re.MULTILINE)
        return made_calls == calls if calls else any(written(reply) in shown for reply in situation.gold)

    return ScriptedJudge(approves)


class Quality(NamedTuple):
    checked: int = 0
    proven: int = 0
    """Tasks whose own solution passes and whose failure fails."""
    worlds: int = 0
    right_world: int = 0
    solved: int = 0
    right_solution: int = 0


async def quality(name: str, report: MiningReport, tasks: list[Task], made: dict[str, Made], judge: Policy) -> Quality:
    """Checks the accepted tasks of an environment."""
    counts: Counter[str] = Counter()
    own, mined = load_environment(name), load_environment(report.environment)
    rubric = load_environment(report.rubric) if report.rubric else own
    for task in tasks:
        maker = made[task.lineage[0].removeprefix("trace ")]
        assert maker.situation is not None
        environment = rubric if is_rubric(task) else mined
        gold = environment.gold_replies(task)
        right = gold or maker.situation.gold
        passes = (await play(environment, task, right, judge=judge)).verdict.passed
        fails = not (await play(environment, task, maker.replies or [""], judge=judge)).verdict.passed
        counts["checked"] += 1
        counts["proven"] += passes and fails
        if keys := WORLDS.get(Path(name).stem):
            counts["worlds"] += 1
            counts["right_world"] += all(task.data.get(key) == maker.situation.task.data.get(key) for key in keys)
        if gold:
            counts["solved"] += 1
            counts["right_solution"] += (await play(own, maker.situation.task, gold)).verdict.passed
    return Quality(**counts)


def mixed(home: Path, seed: int) -> list[float]:
    """A mixed set: how many traces become tasks, from which source, and how good the tasks are. Values in the order of
    `MEASURED`."""
    ws = Bench(home / "home")
    made = asyncio.run(build(ws, home, seed))
    ws.teacher = scripted_teacher(made)
    ws.judge = scripted_judge(made)
    by_trace = {one.trace: one for one in made}
    counts: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    nothing: Counter[str] = Counter()
    fate: dict[str, Counter[str]] = {kind: Counter() for kind in INFORMATION}
    total = Quality()
    started = time.process_time()
    for name in ENVIRONMENTS:
        stem = Path(name).stem
        options: Json = {"teacher": TEACHER, "judge": TEACHER, "accept": True}
        report = mine(ws, load_environment(name), [f"traces-{stem}"], **options)
        again = mine(ws, load_environment(name), [f"traces-{stem}"], **options)
        assert not again.proposed and not again.regressions, "the same traces made something new"
        known = read_proposals(ws, name)
        counts["tasks"] += len(report.proposed)
        counts["regressions"] += len(report.regressions)
        for id in report.proposed:
            sources[known.proposals[id].by] += len(known.proposals[id].trajectories)
        taken = set(report.summary.tasks)
        listed = {trace: one.missing for one in report.summary.unverifiable for trace in one.trajectories}
        for one in (each for each in made if each.environment == name):
            if one.trace in taken:
                fate[one.information]["task"] += 1
            elif one.trace in report.summary.regressions:
                fate[one.information]["regression"] += 1
            else:
                fate[one.information]["nothing"] += 1
                why = listed.get(one.trace, f"no known failure ({one.information})")
                nothing[why.partition(". ")[2].partition(". ")[0] if ". " in why else why] += 1
        files = [home / "home" / "mined" / f"{stem}{kind}.jsonl" for kind in ("", "_rubric")]
        tasks = [task for file in files if file.exists() for task in load_tasks(file)]
        counts["waiting"] += sum(known.proposals[id].needs_person for id in report.proposed)
        found = asyncio.run(quality(name, report, tasks, by_trace, ws.judge))
        total = Quality(*(a + b for a, b in zip(total, found, strict=True)))
        lineage = [line for task in tasks for line in task.lineage]
        assert tasks and all(line.removeprefix("trace ") in by_trace for line in lineage), "a task leads to no trace"
    seconds = time.process_time() - started
    became = sum(each["task"] for each in fate.values())
    print(f"the mix of {len(made)} traces (seed {seed}), and what became of them:")
    print("  by environment: " + ", ".join(f"{Path(name).stem} {count}" for name, count in ENVIRONMENTS.items()))
    failures = Counter(one.failure or "none" for one in made)
    print("  by failure: " + ", ".join(f"{kind} {count}" for kind, count in failures.most_common()))
    print(f"  {'known about the trace':24}{'traces':>8}{'task':>8}{'regression':>12}{'nothing':>9}")
    for kind, count in INFORMATION.items():
        print(f"  {kind:24}{count:8}{fate[kind]['task']:8}{fate[kind]['regression']:12}{fate[kind]['nothing']:9}")
    print(
        "traces that became tasks, by source: " + ", ".join(f"{kind} {count}" for kind, count in sources.most_common())
    )
    print("why nothing was made:")
    for why, count in nothing.most_common():
        print(f"  {count:4}  {why[:130]}")
    return [
        100 * became / len(made),
        counts["tasks"],
        counts["waiting"],
        counts["regressions"],
        100 * total.proven / total.checked,
        100 * total.right_world / total.worlds,
        100 * total.right_solution / total.solved,
        seconds,
    ]


MEASURED: list[tuple[str, str, str]] = [
    ("mixed traces that became tasks", "%", f">= {GOAL}"),
    ("mixed traces: tasks", "tasks", ""),
    ("mixed traces: tasks that wait for one key of a person", "tasks", ""),
    ("mixed traces: regressions, not counted as tasks", "regressions", ""),
    ("mined tasks whose solution passes and whose failure fails", "%", ">= 99"),
    ("mined tasks that start in the world of their trace", "%", ">= 90"),
    ("mined solutions that are right in that world", "%", ">= 95"),
    ("mine 200 mixed traces twice", "s of a core", "<= 60"),
]
"""Name, unit and goal of each figure."""


# -- speed --------------------------------------------------------------------------------------------------------------------

RUN = "traces-bench"
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
STARTS = ["Could you", "Would you kindly", "When you have a minute,", "Do me a favour and", "Right,", "Hello again,"]
ASKS = {
    "calendar.create_event": "squeeze {name} in on {day} at {time}",
    "tasks.create": 'jot "{thing}" down as something to be finished by {day}',
    "email.send": "drop {name} a line headed {thing}",
    "reminders.set": 'nudge me about "{thing}" come {day}, {time} on the dot',
}
THINGS = [
    "the annual report",
    "new badges",
    "a broken chair",
    "travel costs",
    "the garden party",
    "parking",
    "old laptops",
]


def request(rng: random.Random) -> tuple[str, str]:
    """A request, and the call that is right."""
    tool = rng.choice(list(ASKS))
    name = "".join(rng.choice(["ka", "lo", "mi", "ra", "su", "ten", "vo", "zi"]) for _ in range(3)).capitalize()
    day, thing = rng.choice(DAYS), f"{rng.choice(THINGS)} {rng.randrange(1000)}"
    clock = f"{rng.randrange(8, 18):02}:{rng.randrange(60):02}"
    words = f"{rng.choice(STARTS)} {ASKS[tool].format(name=name, day=day, time=clock, thing=thing)}."
    arguments = {
        "calendar.create_event": {"attendee": name, "day": day, "time": clock},
        "tasks.create": {"title": thing, "due": day},
        "email.send": {"to": name, "subject": thing},
        "reminders.set": {"text": thing, "day": day, "time": clock},
    }[tool]
    return words, write_call(tool, arguments)


def served(ws: WorkspaceFolder, count: int) -> None:
    """Traces, of which every other one failed, by turns in one of three ways."""
    rng, environment = random.Random(0), load_environment("toolcall")
    offer = environment.toolbox.offer({})
    ws.store.put("tools", offer.hash, offer)
    ws.store.begin_run(RUN, "traces", {})
    made: list[Trajectory] = []
    wrongs = ["I am sorry, I cannot do that.", write_call("refuse", {}), write_call("calendar.book", {"who": "?"})]
    for number in range(count):
        words, right = request(rng)
        reply = right if number % 2 else wrongs[number // 2 % 3]
        key = content_hash([number, words])[:16]
        items: list[Item] = [Message("system", environment.system), Message("user", words), Message("assistant", reply)]
        id, outcome = f"{RUN}/{key}", "success" if number % 2 else ""
        made.append(Trajectory(id=id, task=key, group=key, items=items, tools=offer.hash, outcome=outcome))
        if not outcome:
            said = Feedback(trajectory=id, outcome="failure", correction=[Message("assistant", right)], who="bench")
            ws.store.put("feedback", content_hash(said)[:16], said)
    ws.store.add(RUN, made)


def timed(ws: WorkspaceFolder, environment: EnvironmentSpec) -> tuple[MiningReport, float]:
    """With the seconds of the one core that it takes, whoever else is on the machine."""
    started = time.process_time()
    return mine(ws, environment, accept=True), time.process_time() - started


def main() -> None:
    args = parser(__doc__).parse_args()
    count = 1_000 if args.quick else 10_000
    sets: list[list[float]] = []
    for seed in SEEDS[:1] if args.quick else SEEDS:
        with tempfile.TemporaryDirectory(prefix="verigym-mixed-") as home, contextlib.redirect_stdout(sys.stderr):
            sets.append(mixed(Path(home), seed))
    figures = [
        figure(name, sum(values[index] for values in sets) / len(sets), unit, goal)
        for index, (name, unit, goal) in enumerate(MEASURED)
    ]
    figures.append(figure("mixed traces that became tasks, worst set", min(values[0] for values in sets), "%"))
    with tempfile.TemporaryDirectory(prefix="verigym-mine-") as home:
        ws, environment = WorkspaceFolder(Path(home)), load_environment("toolcall")
        served(ws, count)
        (first, first_s), (again, again_s) = (timed(ws, environment) for _ in range(2))
    assert first.proposed and not again.proposed, "the same traces made something new"
    goal = "<= 60"
    figures += [
        figure(f"mine {count:,} traces", first_s, "s of a core", goal),
        figure(f"mine {count:,} traces again", again_s, "s of a core", goal),
        figure(f"tasks mined of {count:,} traces", len(first.proposed), "tasks"),
    ]
    finish(figures, args)


if __name__ == "__main__":
    main()
