"""The store that bench/view.py measures on: a large evaluation, a long training, versions, reports, a ledger and production.

Rows are written in bulk. A trajectory is one that bench/rollouts.py wrote, with other ids. Production shrinks with the number of
trajectories, to a tenth at least. Everything else has its full size.
"""

import hashlib
import math
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import rollouts

from verigym.core import codec
from verigym.core.records import (
    Check,
    Decision,
    Estimate,
    Feedback,
    Item,
    Label,
    Message,
    Report,
    Suite,
    Task,
    TaskResult,
    Trajectory,
    Turn,
    Usage,
    Verdict,
    Version,
    content_hash,
)
from verigym.mining.proposals import Proposal
from verigym.registry.ledger import LedgerEntry
from verigym.store.database import Store
from verigym.store.inserts import trajectory_row, verdict_row
from verigym.training.alarms import StoredAlarm
from verigym.training.recipe import make_recipe, recipe_json

RUN, TRAINING, HUGE, TOKENS = "eval-shop-big", "grpo-big", "eval-shop-huge", "eval-shop-tokens"
VERIFIER = "verify@1"
SAMPLER, BASE, HUB = "sampler", "bench/words", "hub"
"""The version whose tokens are coloured, its base model, and the folder in which the tokenizer of the base lies."""
BEGIN = 1_790_000_000.0
_ADD = {
    "trajectories": "INSERT INTO trajectories (id, run, task, place, fault, body, packed) VALUES (?, ?, ?, ?, ?, ?, ?)",
    "verdicts": "INSERT INTO verdicts (trajectory, verifier, run, reward, passed, fault, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
    "tasks": "INSERT INTO tasks (run, id, body) VALUES (?, ?, ?)",
    "runs": "INSERT INTO runs (id, kind, parent, created, finished, config, verifier, counts) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    "documents": "INSERT INTO documents (kind, id, created, body) VALUES (?, ?, ?, ?)",
    "metrics": "INSERT INTO metrics (run, step, name, value) VALUES (?, ?, ?, ?)",
    "ledger": "INSERT INTO ledger (seq, body) VALUES (?, ?)",
}


class Bulk:
    """Writes rows of one store in large transactions."""

    def __init__(self, home: Path) -> None:
        store = Store(home / "store.db")
        store.put("benchmark", "view", Version(base="scripted"))  # creates the tables
        store.close()
        self.connection = sqlite3.connect(home / "store.db", isolation_level=None)
        for pragma in ("synchronous=OFF", "cache_size=-262144", "wal_autocheckpoint=20000"):
            self.connection.execute(f"PRAGMA {pragma}")

    def add(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self.connection.execute("BEGIN")
        self.connection.executemany(_ADD[table], rows)
        self.connection.execute("COMMIT")

    def run(self, id: str, kind: str, config: dict[str, Any], count: int, passed: int, **given: Any) -> None:
        body = msgspec.json.encode(config, order="sorted")
        created = given.get("created", BEGIN)
        counts = msgspec.json.encode([count, passed, given.get("scored", count)])
        row = id, kind, given.get("parent", ""), created, created + 600, body, given.get("verifier", VERIFIER), counts
        self.add("runs", [row])

    def documents(self, kind: str, records: Iterable[tuple[str, msgspec.Struct]]) -> None:
        at = iter(range(10**9))
        self.add("documents", ((kind, id, BEGIN + next(at), codec.encode(record)) for id, record in records))


def template() -> bytes:
    """The stored body of one rollout with four tool calls."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store.db")
        rollouts.run(store, rollouts.plan("bench", 1, 1, k=1), rollouts.Script())
        store.close()
        with sqlite3.connect(Path(folder) / "store.db") as connection:
            [(body,)] = connection.execute("SELECT body FROM trajectories").fetchall()
    return body


def make(home: Path, count: int) -> None:
    """Makes the store. 1,000,000 trajectories take some minutes."""
    home.mkdir(parents=True, exist_ok=True)
    bulk, share = Bulk(home), min(1.0, max(0.1, count / 1_000_000))
    body = template()
    steps: list[tuple[str, Any]] = [
        ("evaluation", lambda: _evaluation(bulk, body, count)),
        ("training", lambda: _training(bulk, body, 10_000)),
        ("versions and reports", lambda: _measured(bulk, 500, 400, 5_000)),
        ("ledger", lambda: _ledger(bulk, 10_000, 500)),
        ("production", lambda: _production(bulk, body, share)),
        ("two odd episodes", lambda: _odd(bulk)),
        ("tokenizer", lambda: _tokenizer(home)),
    ]
    for name, step in steps:
        began = time.perf_counter()
        step()
        print(f"{name}: {time.perf_counter() - began:.1f} s", flush=True)
    bulk.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    bulk.connection.close()


def _episodes(body: bytes, run: str, tasks: Iterable[str], k: int) -> Iterator[tuple[Any, ...]]:
    old = b'"id":"bench/t0000000/0"', b'"task":"t0000000"', b'"group":"bench/t0000000"'
    assert all(part in body for part in (*old[:2], b'"Done."')), body[:300]
    for task in tasks:
        for place in range(k):
            id = f"{run}/{task}/{place}"
            made = body.replace(old[0], f'"id":"{id}"'.encode()).replace(old[1], f'"task":"{task}"'.encode())
            made = made.replace(old[2], f'"group":"{run}/{task}"'.encode()).replace(b'"Done."', b'"Done %d."' % place)
            yield id, run, task, place, "", made, None


def _verdicts(run: str, tasks: Iterable[str], k: int, draw: random.Random) -> Iterator[tuple[Any, ...]]:
    for task in tasks:
        skill = draw.random()
        for place in range(k):
            id = f"{run}/{task}/{place}"
            luck = draw.random()
            passed = luck < skill
            reward = 1.0 if passed else round(luck - skill, 2)
            evidence = "" if passed else f'basket: expected {{"tea": 4}}, got {{"tea": {int(8 * luck)}}}'
            made = Verdict(
                trajectory=id,
                verifier=VERIFIER,
                reward=reward,
                passed=passed,
                unsafe=luck > 0.995,
                evidence=evidence,
                parts={"basket": reward},
            )
            yield id, VERIFIER, run, reward, int(passed), "", codec.encode(made)


def _task(id: str, number: int) -> Task:
    return Task(id=id, prompt=f"Put 4 teas into the basket, please ({number}).", family=f"shop-{number % 500:03d}")


def _evaluation(bulk: Bulk, body: bytes, count: int) -> None:
    k, names = 8, [f"t{number:07d}" for number in range(count // 8)]
    bulk.add("tasks", ((RUN, id, codec.encode(_task(id, at))) for at, id in enumerate(names)))
    verdicts = list[tuple[Any, ...]]()
    passed, draw = 0, random.Random(0)
    for start in range(0, len(names), 5000):
        some = names[start : start + 5000]
        verdicts = list(_verdicts(RUN, some, k, draw))
        passed += sum(row[4] for row in verdicts)
        bulk.add("trajectories", _episodes(body, RUN, some, k))
        bulk.add("verdicts", verdicts)
    bulk.run(RUN, "eval", {"environment": "shop", "agent": "version-0000", "k": k}, len(names) * k, passed)


def _training(bulk: Bulk, body: bytes, steps: int) -> None:
    fields = {"model": "scripted", "algorithm": "grpo", "reward": "verify", "environment": "shop", "name": "big"}
    recipe = recipe_json(make_recipe({**fields, "steps": steps}, [], "bench"))
    bulk.run(TRAINING, "train", {"recipe": recipe, "parent": "version-0000"}, 0, 0, verifier="")
    names = ["reward", "passed", "length", "entropy", "kl", "loss", "grad_norm", "live_groups", "seconds", "unsafe"]
    names += ["valid", "truncated", "sampling_s", "update_s", "seen", "clipped", "mismatch", "unscored", "cost"]
    names += [f"part/{number}" for number in range(40 - 2 - len(names))]
    draw = random.Random(1)

    def metrics() -> Iterator[tuple[Any, ...]]:
        for step in range(1, steps + 1):
            learnt = 1 - math.exp(-step / (steps / 4))
            for name in names:
                yield TRAINING, step, name, round(0.3 + 0.5 * learnt + draw.gauss(0, 0.05), 4)
            if step % 20 == 0:
                yield TRAINING, step, "held_out_success", round(0.3 + 0.4 * learnt + draw.gauss(0, 0.02), 4)
                yield TRAINING, step, "held_out_reward", round(0.3 + 0.4 * learnt + draw.gauss(0, 0.02), 4)

    bulk.add("metrics", metrics())
    children = [f"{TRAINING}/step-{step:04d}" for step in range(1, steps + 1)]
    config = msgspec.json.encode({"parent": TRAINING, "environment": "shop", "verifier": VERIFIER}, order="sorted")
    counts = msgspec.json.encode([4, 2, 4])
    bulk.add(
        "runs",
        (
            (id, "collect", TRAINING, BEGIN + at, BEGIN + at + 1, config, VERIFIER, counts)
            for at, id in enumerate(children)
        ),
    )
    bulk.add("tasks", ((id, "t0000000", codec.encode(_task("t0000000", 0))) for id in children))
    bulk.add("trajectories", (row for id in children for row in _episodes(body, id, ["t0000000"], 4)))
    bulk.add("verdicts", (row for id in children for row in _verdicts(id, ["t0000000"], 4, draw)))
    alarms = [
        StoredAlarm(run=TRAINING, step=step, kind="KL runs away", words="KL is 1.2", remedy="lower it", metric="kl")
        for step in range(100, steps, max(100, steps // 20))
    ]
    bulk.documents("alarm", [(alarm.id, alarm) for alarm in alarms])


def _version(number: int) -> Version:
    parent = f"version-{(number - 1) // 2:04d}" if number else ""
    recipe = {"algorithm": "grpo", "run": TRAINING} if number else {}
    families = [f"shop-{at:03d}" for at in range(20)] if number else []
    made = "2026-09-21T10:00:00+00:00"
    return Version(
        base="scripted",
        id=f"version-{number:04d}",
        name=f"try {number}",
        parent=parent,
        recipe=recipe,
        families=families,
        adapter=hashlib.sha256(str(number).encode()).hexdigest() if number else "",
        made=made,
    )


def _report(number: int, agent: str, tasks: int, draw: random.Random) -> Report:
    results = []
    for at in range(tasks):
        passed = float(draw.random() < 0.6)
        results.append(
            TaskResult(
                task=f"t{at:07d}",
                family=f"shop-{at % 500:03d}",
                passed=passed,
                reward=passed,
                bucket="" if passed else "wrong answer",
                trajectory=f"{RUN}/t{at:07d}/0",
                latency_s=1.0 + draw.random(),
                tokens=50.0,
                prompt_tokens=300.0,
            )
        )
    rate = sum(one.passed for one in results) / tasks
    suite = Suite(
        name="shop_eval",
        environment="shop",
        tasks=[one.task for one in results],
        families=[one.family for one in results],
        hash=f"hash of {tasks}",
        verifier=VERIFIER,
    )
    metrics = {name: Estimate(value=rate, low=rate - 0.05, high=rate + 0.05, n=tasks) for name in ("success", "reward")}
    buckets = {"wrong answer": tasks - int(rate * tasks)}
    return Report(
        id=f"report{number:04d}",
        run=RUN if number < 2 else f"eval-old-{number:04d}",
        agent=agent,
        suite=suite,
        metrics=metrics,
        results=results,
        buckets=buckets,
    )


def _measured(bulk: Bulk, versions: int, reports: int, large: int) -> None:
    draw = random.Random(2)
    bulk.documents("version", [(SAMPLER, Version(base=BASE, id=SAMPLER, name="sampler"))])
    bulk.documents("version", ((f"version-{number:04d}", _version(number)) for number in range(versions)))
    sizes = [large, large, *[400] * 2, *[100] * (reports - 4)]
    made = (
        _report(number, f"version-{number % versions:04d}", size, draw) for number, size in enumerate(sizes[:reports])
    )
    bulk.documents("report", ((report.id, report) for report in made))


def _ledger(bulk: Bulk, entries: int, versions: int) -> None:
    before, prev, rows = "version-0000", "", list[tuple[int, bytes]]()
    for seq in range(1, entries + 1):
        candidate = f"version-{seq % versions:04d}"
        verdict = "PROMOTE" if seq % 5 == 0 else "REJECT"
        figures = {"delta": 0.03, "low": -0.01, "high": 0.07, "p": 0.04}
        decision = Decision(
            candidate=candidate,
            champion=before,
            verdict=verdict,
            checks=[
                Check(name=name, outcome="pass" if verdict == "PROMOTE" else "fail", words="better by 3 points (-1 to 7)",
                      figures=figures, suite="shop_eval", margin=0.02, unit="points")
                for name in ("better", "nothing lost", "safe", "few errors", "as fast")
            ],
            reports=[f"report{number % 400:04d}" for number in (2 * seq, 2 * seq + 1)],
            words="3 points better",
        )  # fmt: skip
        after = candidate if verdict == "PROMOTE" else before
        plain = LedgerEntry(
            seq=seq,
            prev=prev,
            decision=decision,
            champion_before=before,
            champion_after=after,
            when="2026-09-21T10:00:00+00:00",
            who="bench",
            why="to measure",
            hash="",
        )
        prev, before = content_hash(plain), after
        rows.append((seq, codec.encode(msgspec.structs.replace(plain, hash=prev))))
    bulk.add("ledger", rows)


def _production(bulk: Bulk, body: bytes, share: float) -> None:
    days, each = 100, round(1_000 * share)
    traces: list[str] = []
    for day in range(days):
        run = f"traces-{day:03d}"
        names = [f"conversation-{number:04d}" for number in range(each)]
        bulk.add("trajectories", _episodes(body, run, names, 1))
        traces += [f"{run}/{name}/0" for name in names]
        created = BEGIN + 86400 * day
        bulk.run(run, "traces", {"source": "gateway"}, each, 0, scored=0, verifier="", created=created)
    draw = random.Random(3)
    feedback = draw.sample(traces, round(20_000 * share))
    bulk.documents(
        "feedback",
        (
            (
                f"f{at:06d}",
                Feedback(trajectory=trace, outcome="failure" if at % 3 else "success", note="hm", who="anna"),
            )
            for at, trace in enumerate(feedback)
        ),
    )
    bulk.documents("proposal", ((one.id, one) for one in _proposals(feedback[: round(5_000 * share)])))
    labels = (
        (f"l{at:05d}", Label(trajectory=f"{RUN}/t{at:07d}/0", judgement="good" if at % 2 else "bad", who="anna"))
        for at in range(round(2_000 * share))
    )
    bulk.documents("label", labels)


def _proposals(traces: Iterable[str]) -> Iterator[Proposal]:
    for at, trace in enumerate(traces):
        task = Task(
            id=f"shop/mined/{at:05d}",
            prompt="Put 4 teas into the basket.",
            family=f"shop/mined/{at % 300}",
            lineage=[f"trace {trace}"],
        )
        yield Proposal(
            id=task.id,
            environment="shop",
            task=task,
            right='{"tool": "add"}',
            source="a correction",
            did="Nothing.",
            bucket="wrong tool",
            trajectories=[trace],
        )


def _odd(bulk: Bulk) -> None:
    """One trajectory of 50 MB, and one with 40 items and 4,000 sampled tokens."""
    draw = random.Random(4)
    text = "The basket holds tea. " * 50_000
    large = Trajectory(
        id=f"{HUGE}/t0000000/0",
        task="t0000000",
        group=HUGE,
        index=0,
        seed=0,
        items=[Message("user" if at % 2 else "assistant", text) for at in range(48)],
    )
    items: list[Item] = [Message("user" if at % 2 == 0 else "assistant", "Tea, please. " * 40) for at in range(40)]
    turns = [
        Turn(
            parent=at - 1 if at else None,
            saw=[(0, 2 * at + 1)],
            made=[2 * at + 1],
            agent=SAMPLER,
            usage=Usage(300, 200),
            context_ids=[draw.randrange(40_000) for _ in range(50)],
            completion_ids=[draw.randrange(40_000) for _ in range(200)],
            logprobs=[-abs(draw.gauss(0, 1)) for _ in range(200)],
        )
        for at in range(20)
    ]
    coloured = Trajectory(
        id=f"{TOKENS}/t0000000/0", task="t0000000", group=TOKENS, index=0, seed=0, items=items, turns=turns
    )
    for run, trajectory in ((HUGE, large), (TOKENS, coloured)):
        verdict = Verdict(trajectory=trajectory.id, verifier=VERIFIER, reward=0.0, passed=False, evidence="no tea")
        agent = SAMPLER if run == TOKENS else "version-0000"
        bulk.run(run, "eval", {"environment": "shop", "agent": agent}, 1, 0)
        bulk.add("tasks", [(run, "t0000000", codec.encode(_task("t0000000", 0)))])
        bulk.add("trajectories", [trajectory_row(run, trajectory)])
        bulk.add("verdicts", [verdict_row(run, verdict)])


def _tokenizer(home: Path) -> None:
    """A byte-level vocabulary of 49,152 pieces with made-up words, where the cache of the hub would keep it."""
    draw, letters = random.Random(5), [*map(chr, range(ord("!"), ord("~") + 1)), "Ġ", "Ċ", "Ã", "©", "ä", "½"]
    pieces = dict.fromkeys(letters)
    syllables = [
        first + second + last for first in "bdfgklmnprst" for second in "aeiou" for last in ("", "n", "r", "s")
    ]
    while len(pieces) < 49_152:
        pieces[draw.choice(["", "Ġ", "Ġ"]) + "".join(draw.choices(syllables, k=draw.randint(1, 3)))] = None
    folder = home / HUB / f"models--{BASE.replace('/', '--')}" / "snapshots" / "1"
    folder.mkdir(parents=True)
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    merges = [f"{piece[:-1]} {piece[-1]}" for piece in pieces if len(piece) > 1]
    made = {"model": {"type": "BPE", "vocab": vocabulary, "merges": merges}, "decoder": {"type": "ByteLevel"}}
    (folder / "tokenizer.json").write_bytes(msgspec.json.encode(made))
