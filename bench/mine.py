"""Production traces into tasks: how long it takes to mine them, the first time and again.

    python bench/mine.py            # 10,000 traces, half of them failures that somebody corrected
    python bench/mine.py --quick    # 1,000

Requests are of 24 phrasings that toolcall does not have, with names, days and times drawn. Every task that is made was proven:
what is right was played and passed, what was done was played and failed.
"""

import random
import tempfile
import time
from pathlib import Path

from figures import figure, finish, parser

from verigym.core.records import Feedback, Item, Message, Trajectory, content_hash
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.mining.mine import MiningReport, mine
from verigym.policies.dialects import write_call
from verigym.workspace.workspace import WorkspaceFolder

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
    with tempfile.TemporaryDirectory(prefix="verigym-mine-") as home:
        ws, environment = WorkspaceFolder(Path(home)), load_environment("toolcall")
        served(ws, count)
        (first, first_s), (again, again_s) = (timed(ws, environment) for _ in range(2))
    assert first.proposed and not again.proposed, "the same traces made something new"
    goal = "<= 60"
    figures = [
        figure(f"mine {count:,} traces", first_s, "s of a core", goal),
        figure(f"mine {count:,} traces again", again_s, "s of a core", goal),
        figure(f"tasks mined of {count:,} traces", len(first.proposed), "tasks"),
    ]
    finish(figures, args)


if __name__ == "__main__":
    main()
