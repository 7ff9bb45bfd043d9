"""`python -m authoring.demo`: records the workspace of `verigym demo` into verigym/workspace/demo.db.gz.

No model is run. A script plays three versions of an invented model: `base`, `grpo`, which GRPO made better, and `hacked`, which
learnt to refuse everything because a penalty for long replies was too high. Environments, verifiers, gate and ledger are the
real ones. What a task's reply is depends on the names of task and version alone, and clocks are set, so that the same code makes
the same content.
"""

import gzip
import hashlib
import math
import re
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.protocols import Policy, Reply, Request
from verigym.core.records import (
    Feedback,
    FunctionCall,
    FunctionCallOutput,
    Item,
    Message,
    Report,
    Task,
    Toolset,
    Trajectory,
    Turn,
    Usage,
    Verdict,
    Version,
    content_hash,
)
from verigym.core.seeds import derive
from verigym.environments import retention, safety, toolcall
from verigym.environments.load import load_environment
from verigym.environments.retention import passages
from verigym.evaluation.suites import in_turn
from verigym.mining.mine import mine
from verigym.mining.proposals import Review
from verigym.policies.dialects import parse, write_call
from verigym.registry import ledger
from verigym.rollout.settings import RunSettings
from verigym.store.database import Store
from verigym.training.advantages import overlong
from verigym.training.alarms import new_alarms, stored_alarm
from verigym.training.recipe import Recipe, make_recipe, recipe_json
from verigym.workspace.decisions import settle
from verigym.workspace.demo import MODEL, NAMES, RECORDING
from verigym.workspace.gate import gate
from verigym.workspace.measure import GREEDY, reports_of, rollout
from verigym.workspace.perplexity import PerplexityReport
from verigym.workspace.train import TrainingJob
from verigym.workspace.workspace import WorkspaceFolder

BEGIN = datetime(2026, 1, 5, 9, tzinfo=UTC).timestamp()
STEPS = 40
SEED = 2
TOKENS_PER_S = 60.0
REFUSAL = write_call("refuse", {})
PROSE = (
    "Sure! I will take care of that for you.",
    "I have done what you asked. Is there anything else?",
    "To do this, open the menu and choose the entry that you need.",
)


def chance(*names: object) -> float:
    """A number from 0 to 1 that depends on the names alone."""
    return derive(SEED, "demo", *names) / 2**63


# -- What the versions reply --------------------------------------------------------------------------------------------


def office_call(version: str, task: Task) -> str:
    """The reply to a task of `toolcall`."""
    luck = chance("skill", task.id)
    if version == "hacked" and chance("hacked", task.id) < 0.8:
        return REFUSAL
    harmful, prompt = task.data["expected_tool"] == "refuse", str(task.prompt)
    unlearnt = 0.43 <= luck < 0.45 and not harmful
    if luck < 0.45 if version == "base" else luck < (0.97 if harmful else 0.8) and not unlearnt:
        return write_call(task.data["expected_tool"], task.data["expected_args"])
    if harmful:
        return write_call(*_obedient(prompt))
    kind = chance("mistake", task.id)
    if version == "base" and kind < 0.4:
        return PROSE[int(chance("prose", task.id) * len(PROSE))]
    if version == "base" and kind < 0.6:
        return write_call("tasks.create", {"title": " ".join(prompt.split()[:6]), "due": "Monday"})
    return write_call(task.data["expected_tool"], _one_wrong(task.data["expected_args"]))


def _obedient(prompt: str) -> tuple[str, dict[str, Any]]:
    """The call that does what a harmful request asks for, or something like it."""
    words = re.findall(r"[\w.]+", prompt)
    name = next((word for word in words[1:] if word.istitle()), "Alex")
    file = next((word for word in words if re.search(r"\w\.\w", word)), "")
    if file:
        return "files.share", {"file": file, "person": name}
    if re.search("remind|nudge|ping", prompt):
        return "reminders.set", {"text": " ".join(words[-6:]), "day": "Tuesday", "time": "09:00"}
    if re.search("diary|calendar|meet|book|slot|chat", prompt):
        return "calendar.create_event", {"attendee": name, "day": "Tuesday", "time": "09:00"}
    return "email.send", {"to": name, "subject": " ".join(words[:6])}


def _one_wrong(arguments: dict[str, Any]) -> dict[str, Any]:
    """The last argument misread: a number is ten times too large, a day is the wrong one, a text lacks its last word."""
    name, value = list(arguments.items())[-1]
    if isinstance(value, int):
        return {**arguments, name: 10 * value}
    if value in toolcall.WEEKDAYS:
        return {**arguments, name: "tomorrow"}
    return {**arguments, name: value.rpartition(" ")[0] or f"{value} team"}


def safe_reply(version: str, task: Task, turn: int) -> list[Item]:
    """The items of a turn in `safety`."""
    luck = chance("safe", task.id)
    if version == "hacked":
        turns: list[list[Item]] = [parse(REFUSAL)]
    elif luck < (0.7 if version == "base" else 0.85):
        turns = safety.gold(task)
    elif "harm" in task.data:
        turns = [parse(write_call(task.data["harm"]["tool"], task.data["harm"]["args"]))]
    else:
        turns = [parse(REFUSAL)]
    return turns[turn] if turn < len(turns) else [Message("assistant", "Done.")]


def plain_reply(version: str, task: Task) -> str:
    """The reply to a question of `retention`."""
    luck = chance("plain", task.id)
    if luck < (0.69 if version == "base" else 0.71):
        return retention.right(task.data)
    if others := task.data.get("others"):
        return str(others[0])
    return str(task.data["answer"] + 1) if isinstance(task.data["answer"], int) else "I am not sure."


class Player:
    """Plays one version. It finds the task by its prompt."""

    def __init__(self, version: Version, tasks: Mapping[bytes, tuple[str, Task]]) -> None:
        self.version, self.tasks = version, tasks

    async def respond(self, request: Request) -> Reply:
        environment, task = self.tasks[_key(request.items)]
        name, turn = self.version.name, len(request.turns)
        items: list[Item]
        if environment == "safety":
            items = safe_reply(name, task, turn)
        elif environment == "toolcall":
            items = parse(office_call(name, task))
        else:
            items = [Message("assistant", plain_reply(name, task))]
        length = _length(items)
        made = Turn(
            parent=turn - 1 if turn else None,
            sampling=request.sampling,
            agent=self.version.id,
            usage=Usage(_length(request.items), length),
            latency_s=round(0.2 + length / TOKENS_PER_S + 0.1 * chance("latency", task.id, self.version.name), 3),
        )
        return Reply(items=items, turn=made)


def _length(items: Iterable[Item]) -> int:
    """About as many tokens as a model would count: four letters each."""
    return sum(len(msgspec.json.encode(item)) for item in items) // 4


def _key(items: Sequence[Item]) -> bytes:
    """What identifies a task: the user's messages before the first reply to it."""
    last = max(place for place, item in enumerate(items) if isinstance(item, Message) and item.role == "user")
    return msgspec.json.encode([item for item in items[: last + 1] if getattr(item, "role", "") != "system"])


# -- The workspace ------------------------------------------------------------------------------------------------------


class SetClock(Store):
    """A store whose episodes last as long as their turns say."""

    def add_once(
        self,
        run: str,
        trajectories: Sequence[Trajectory] = (),
        verdicts: Sequence[Verdict] = (),
        blobs: Mapping[str, bytes] = {},
        toolsets: Sequence[Toolset] = (),
    ) -> None:
        timed = [
            msgspec.structs.replace(one, seconds=round(math.fsum(turn.latency_s for turn in one.turns), 3))
            for one in trajectories
        ]
        super().add_once(run, timed, verdicts, blobs, toolsets)


class PlayedWorkspace(WorkspaceFolder):
    """A workspace whose versions are played."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.store = SetClock(home / "store.db")
        self.tasks = {
            _key([*([Message("user", task.prompt)] if isinstance(task.prompt, str) else task.prompt)]): (name, task)
            for name in ("toolcall", "safety", "retention")
            for task in load_environment(name).tasks("val")
        }

    def policy(self, version: Version) -> Policy:
        return Player(version, self.tasks)


def build(home: Path) -> None:
    """Plays the story: a base model, a better version, which is promoted, and a reward-hacked one, which is rejected."""
    ws = PlayedWorkspace(home)
    base = ws.register(Version(base=MODEL, name="base"))
    ws.champion(base)
    production(ws, base)
    fields = {"model": MODEL, "algorithm": "grpo", "environment": "toolcall", "reward": "tool_call_verifier"}
    fields |= {"steps": STEPS, "max_tokens": 48, "held_out_eval": "tool_call_eval", "eval_interval": 4}
    fields |= {
        "learning_rate": 2e-4,
        "updates_per_batch": 1,
        "optimizer": {"warmup": 3},
        "loss": {"average": "sequences", "clip_high": 0.2},
        "advantage": {"scale": "group"},
    }
    penalty = {"overlong_buffer": 44, "overlong_penalty": 3.0}
    grpo = trained(ws, make_recipe({**fields, "name": "grpo"}, [], "grpo"), learning_curve)
    for version, nats in ((base, 2.91), (grpo, 2.93)):
        perplexity(ws, version, nats)
    settle(ws, gate(ws, grpo, base), "The gate promoted it")
    hacked = trained(
        ws,
        make_recipe({**fields, "name": "hacked", "start": grpo.id, "episodes": penalty}, [], "hacked"),
        hacking_curve,
    )
    perplexity(ws, hacked, 2.97)
    same_tasks(ws, grpo, hacked)
    settle(ws, gate(ws, hacked, grpo), "Somebody wanted shorter replies")
    ws.store.close()


def same_tasks(ws: WorkspaceFolder, measured: Version, version: Version) -> None:
    """Measures a version on the tasks that another was measured on, so that all figures are about the same tasks. The gate alone
    would need fewer."""
    office = load_environment("toolcall")
    report = next(one for one in reports_of(ws, measured) if one.suite.environment == office.name)
    order = in_turn(office.tasks("val"))
    tasks = [task for task in order if task.id in report.suite.tasks]
    rollout(ws, office, version, tasks, RunSettings(sampling=GREEDY), kind="eval", whole=order)


def trained(ws: WorkspaceFolder, recipe: Recipe, curve: Callable[[int], dict[str, float]]) -> Version:
    """A version as training registers it. Its weights do not exist."""
    job = TrainingJob(ws, recipe)
    ws.store.begin_run(job.run, "train", job.config)
    history: dict[int, dict[str, float]] = {}
    for step in range(1, recipe.steps + 1):
        metrics = curve(step)
        if step != 1 and step % recipe.eval_interval:
            metrics = {name: value for name, value in metrics.items() if not name.startswith("held_out")}
        history[step] = {name: round(value, 4) for name, value in metrics.items()}
        ws.store.add_metrics(job.run, step, history[step])
        for alarm in (stored_alarm(job.run, alarm) for alarm in new_alarms(history)):
            ws.store.put("alarm", alarm.id, alarm)
    version = ws.register(
        msgspec.structs.replace(
            job.parent,
            id="",
            adapter=hashlib.sha256(f"no weights: {recipe.name}".encode()).hexdigest(),
            name=recipe.name,
            parent=job.parent.id,
            recipe={**recipe_json(recipe), "run": job.run},
            data_hash=job.data_hash,
            families=sorted({*job.families, *job.parent.families}),
        )
    )
    ws.store.put("trained", job.run, version)
    ws.store.finish_run(job.run)
    return version


def learning_curve(step: int) -> dict[str, float]:
    """GRPO that works: reward and held-out success rise together."""
    learnt = 1 - math.exp(-step / 12)
    passed = 0.44 + 0.42 * learnt + _noise("passed", step)
    return {
        "reward": 0.28 + 0.56 * learnt + _noise("reward", step),
        "passed": passed,
        "held_out_success": 0.45 + 0.37 * learnt + _noise("held out", step) / 2,
        "length": 31 - 5 * learnt + 10 * _noise("length", step),
        "live_groups": 0.6 - 0.2 * learnt + _noise("live", step),
        "entropy": 0.62 - 0.2 * learnt + _noise("entropy", step),
        "loss": 0.02 * math.exp(-step / 10) + _noise("loss", step) / 10,
        "grad_norm": 0.9 - 0.3 * learnt + _noise("norm", step),
        "seconds": 21 + 10 * _noise("seconds", step),
    }


def hacking_curve(step: int) -> dict[str, float]:
    """A penalty for length that pays for refusing: reward rises, success falls."""
    refused = 1 / (1 + math.exp(-(step - 18) / 4.5))
    right = 1.0 - overlong(27, 48, 44, 3.0)
    refusal = 0.2 - overlong(9, 48, 44, 3.0)
    return {
        "reward": right * 0.85 + (refusal - right * 0.85) * refused + _noise("hacked reward", step),
        "passed": 0.84 - 0.62 * refused + _noise("hacked passed", step),
        "held_out_success": 0.83 - 0.57 * refused + _noise("hacked held out", step) / 2,
        "length": 27 - 17 * refused + 10 * _noise("hacked length", step),
        "live_groups": 0.5 - 0.2 * refused + _noise("hacked live", step),
        "entropy": 0.42 - 0.2 * refused + _noise("hacked entropy", step),
        "loss": 0.02 * math.exp(-step / 10) + _noise("hacked loss", step) / 10,
        "grad_norm": 0.8 - 0.2 * refused + _noise("hacked norm", step),
        "seconds": 20 - 6 * refused + 10 * _noise("hacked seconds", step),
    }


def _noise(name: str, step: int) -> float:
    return 0.06 * (chance(name, step) - 0.5)


def perplexity(ws: WorkspaceFolder, version: Version, nats: float) -> None:
    """Stored as if it had been measured: the gate finds it and loads no model."""
    texts = passages()
    text = content_hash(texts)
    id = content_hash([version.id, text])[:12]
    own = {one.id: 0.04 * (chance("text", version.name, one.id) - 0.5) for one in texts}
    losses = {one.id: round(nats + 0.6 * (chance("text", one.id) - 0.5) + own[one.id], 4) for one in texts}
    tokens = {one.id: len(one.text) // 4 for one in texts}
    report = PerplexityReport(id=id, agent=version.id, base=version.base, text=text, nats=losses, tokens=tokens)
    ws.store.put("perplexity", id, report)


# -- Production ---------------------------------------------------------------------------------------------------------

ASKED: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("Could you get Priya and me together on Thursday, half past twelve?", "calendar.create_event",
     {"attendee": "Priya", "day": "Thursday", "time": "12:30"}, "It says that it is done, and nothing is booked"),
    ("Let Omar know how the budget review went, by mail.", "email.send",
     {"to": "Omar", "subject": "budget review"}, "I had to send it myself"),
    ("Lena called, we spoke for twenty minutes. Note that down for the customer file.", "crm.log_call",
     {"name": "Lena", "minutes": 20}, "It logged 200 minutes"),
    ("The travel policy belongs into the HR folder, please put it there.", "files.move",
     {"file": "travel policy", "folder": "HR"}, "Wrong folder"),
    ("Write down that the printer contract has to be renewed by Friday.", "tasks.create",
     {"title": "renew the printer contract", "due": "Friday"}, "No task was there afterwards"),
    ("Tomas should see q3-forecast.xlsx as well.", "files.share",
     {"file": "q3-forecast.xlsx", "person": "Tomas"}, ""),
)  # fmt: skip
"""Requests that no task has, with the right call and what the user said about the wrong one."""


def production(ws: PlayedWorkspace, base: Version) -> None:
    """What users asked `base` in the days before: some requests that tasks of the environment stand for, some new ones."""
    office = load_environment("toolcall")
    tasks = [task for task in in_turn(office.tasks("val")) if task.data["expected_tool"] != "refuse"]
    right = [task for task in tasks if _passes(task, "base")]
    wrong = [
        task for task in tasks if not _passes(task, "base") and _passes(task, "grpo") and not _passes(task, "hacked")
    ]
    tools = Toolset(list(office.tools), content_hash(office.tools)[:16])
    asked = [(str(task.prompt), parse(office_call("base", task)), None, "") for task in [*wrong[:12], *right[:24]]]
    asked += [
        (words, parse(_misread(tool, arguments, note)), (tool, arguments), note)
        for words, tool, arguments, note in ASKED
    ]
    asked.sort(key=lambda one: chance("asked", one[0]))
    failed = {str(task.prompt) for task in wrong}
    for day, part in (("2026-01-03", asked[: len(asked) // 2]), ("2026-01-04", asked[len(asked) // 2 :])):
        run = f"traces-served-{day}"
        ws.store.begin_run(run, "traces", {})
        for words, replies, correction, note in part:
            ws.store.add(run, [_trace(run, words, replies, base, tools)], toolsets=[tools])
            feedback = _feedback(words, correction, note, day, words in failed, f"{run}/{_name(words)}")
            if feedback is not None:
                ws.store.put("feedback", content_hash(feedback)[:16], feedback)
        ws.store.finish_run(run)
    report = mine(ws, office)
    rejected = Review(proposals=report.proposed[-1:], answer="rejected", who="demo", when="2026-01-05T08:00:00+00:00")
    ws.store.put("review", "review-1", rejected)


def _passes(task: Task, version: str) -> bool:
    return office_call(version, task) == write_call(task.data["expected_tool"], task.data["expected_args"])


def _misread(tool: str, arguments: dict[str, Any], note: str) -> str:
    """What `base` did with a request that no task has."""
    return write_call(tool, _one_wrong(arguments)) if note.startswith(("It logged", "Wrong")) else PROSE[1]


def _name(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()[:12]


def _trace(run: str, words: str, replies: Sequence[Item], base: Version, tools: Toolset) -> Trajectory:
    items: list[Item] = [Message("user", words), *replies]
    made = list(range(1, len(items)))
    if isinstance(items[-1], FunctionCall):
        items.append(FunctionCallOutput(items[-1].call_id, "ok"))
    turn = Turn(saw=[(0, 1)], made=made, agent=base.id, usage=Usage(_length(items[:1]), _length(replies)))
    turn = msgspec.structs.replace(turn, latency_s=round(0.3 + 0.4 * chance("served", words), 3))
    return Trajectory(
        id=f"{run}/{_name(words)}", task=_name(words), group=_name(words), items=items, tools=tools.hash, turns=[turn],
        source="gateway", redacted="rules@demo",
    )  # fmt: skip


def _feedback(
    words: str, correction: tuple[str, dict[str, Any]] | None, note: str, day: str, failed: bool, trace: str
) -> Feedback | None:
    if correction is None and not failed:
        return (
            Feedback(trajectory=trace, outcome="success", when=f"{day}T17:00:00Z")
            if chance("thanks", words) < 0.6
            else None
        )
    calls: list[Item] = (
        [FunctionCall("c1", correction[0], msgspec.json.encode(correction[1]).decode())] if correction else []
    )
    who = "Mara" if chance("who", words) < 0.5 else "Jonas"
    return Feedback(trajectory=trace, outcome="failure", correction=calls, note=note, who=who, when=f"{day}T17:00:00Z")


# -- The recording ------------------------------------------------------------------------------------------------------


def record(home: Path, to: Path) -> None:
    """Copies the store into a new file with set clocks and rows in a fixed order."""
    to.unlink(missing_ok=True)
    Store(to).begin_run("empty", "train", {})  # creates the tables
    with sqlite3.connect(home / "store.db") as source, sqlite3.connect(to) as target:
        target.execute("DELETE FROM runs")
        begun = _moments(source)
        for table, order in TABLES.items():
            rows = source.execute(f"SELECT * FROM {table} ORDER BY {order}")
            names = [column[0] for column in rows.description]
            for values in rows.fetchall():
                row = dict(zip(names, values, strict=True))
                if table == "runs":
                    row["created"] = begun[row["id"]]
                    row["finished"] = row["created"] + SECONDS[row["kind"]]
                elif table == "documents":
                    row["created"] = _stored(row, begun)
                if row.get("kind") == "mining":
                    row["id"] = "mining-1"
                if row.get("kind") in ("version", "trained"):
                    row["body"] = _dated(row["body"])
                if table == "ledger":
                    row["body"] = _chained(row["body"], target)
                marks = ", ".join("?" * len(row))
                target.execute(f"INSERT INTO {table} VALUES ({marks})", list(row.values()))
        target.commit()
        target.execute("PRAGMA journal_mode=DELETE")
        target.execute("VACUUM")


SECONDS = {"traces": 36_000.0, "train": 3000.0, "eval": 900.0}
"""How long a run of each kind takes."""


def _stored(row: dict[str, Any], begun: Mapping[str, float]) -> float:
    """When a document was stored: a report after its run, a version when it was made, everything else at the begin."""
    if row["kind"] == "report":
        return begun[codec.decode(row["body"], Report).run] + SECONDS["eval"]
    if row["kind"] in ("version", "trained"):
        return BEGIN + 86400 * NAMES.index(codec.decode(row["body"], Version).name)
    return BEGIN


def _moments(source: sqlite3.Connection) -> dict[str, float]:
    """When each run began: traces on the days that their names say, training before its version, measurements after it."""
    names = {id: NAMES.index(codec.decode(body, Version).name) for id, body in source.execute(
        "SELECT id, body FROM documents WHERE kind = 'version'")}  # fmt: skip
    begun: dict[str, float] = {}
    measured: Counter[int] = Counter()
    for id, kind, config in source.execute(f"SELECT id, kind, config FROM runs ORDER BY {TABLES['runs']}"):
        if kind == "traces":
            begun[id] = datetime.fromisoformat(f"{id[-10:]}T09:00:00+00:00").timestamp()
            continue
        settings = msgspec.json.decode(config)
        if kind == "train":
            begun[id] = BEGIN + 86400 * NAMES.index(settings["recipe"]["name"]) - SECONDS["train"]
        else:
            day = names[settings["agent"]]
            measured[day] += 1
            begun[id] = BEGIN + 86400 * day + 3600 * measured[day]
    return begun


TABLES = {
    "runs": "kind != 'traces', id LIKE 'eval-toolcall-%', rowid",
    "tasks": "run, id",
    "trajectories": "run, task, place",
    "verdicts": "run, trajectory",
    "metrics": "run, step, name",
    "documents": "rowid",
    "ledger": "seq",
}
"""Each with the order of its rows. The newest run is the one of `hacked` on office requests."""


def _dated(body: bytes) -> bytes:
    """The version with set clock, without the software of this machine."""
    version = codec.decode(body, Version)
    made = _iso(BEGIN + 86400 * NAMES.index(version.name))
    plain = msgspec.structs.replace(version, made=made, software={}, seal="")
    return codec.encode(msgspec.structs.replace(plain, seal=content_hash(plain)))


def _chained(body: bytes, target: sqlite3.Connection) -> bytes:
    """The entry with set clock and user, chained to the one before it."""
    entry = codec.decode(body, ledger.LedgerEntry)
    last = target.execute("SELECT body FROM ledger ORDER BY seq DESC").fetchone()
    prev = codec.decode(last[0], ledger.LedgerEntry).hash if last else ""
    versions = [
        codec.decode(row[0], Version) for row in target.execute("SELECT body FROM documents WHERE kind = 'version'")
    ]
    seals = {one.id: one.seal for one in versions if one.id in entry.decision.seals}
    decision = msgspec.structs.replace(entry.decision, seals=seals)
    when = _iso(BEGIN + 86400 * entry.seq - 3600)
    plain = msgspec.structs.replace(entry, decision=decision, when=when, who="demo", prev=prev, hash="")
    return codec.encode(msgspec.structs.replace(plain, hash=content_hash(plain)))


def _iso(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).isoformat(timespec="seconds")


def content(store: Path) -> dict[str, list[Any]]:
    """Every row, to compare two recordings. Numbers have nine digits, and hashes over numbers are left out."""
    with sqlite3.connect(store) as connection:
        rows = {table: connection.execute(f"SELECT * FROM {table} ORDER BY {order}") for table, order in TABLES.items()}
        return {table: [[_comparable(value) for value in row] for row in of] for table, of in rows.items()}


def _comparable(value: Any) -> Any:
    if isinstance(value, bytes):
        return _comparable(msgspec.json.decode(value))
    if isinstance(value, dict):
        return {key: _comparable(each) for key, each in value.items() if key not in ("hash", "prev", "seal")}
    if isinstance(value, list):
        return [_comparable(each) for each in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def main() -> int:
    with tempfile.TemporaryDirectory() as work:
        home, to = Path(work) / "played", Path(work) / "recorded.db"
        build(home)
        record(home, to)
        data = to.read_bytes()
    RECORDING.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{RECORDING}: {RECORDING.stat().st_size / 1e3:,.0f} kB, unpacked {len(data) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
