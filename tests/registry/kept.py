"""A workspace's folder with one of everything that is kept: versions, an adapter, its run, a data set, a report, a ledger."""

import hashlib
import json
import sqlite3
import struct
from pathlib import Path
from typing import Any

import msgspec

from verigym.core.records import (
    Dataset,
    Decision,
    Json,
    Report,
    Suite,
    Task,
    Trajectory,
    Verdict,
    Version,
    content_hash,
)
from verigym.evaluation.report import make_report
from verigym.registry.integrity import ADAPTER_FILE, CONFIG_FILE, IntegrityCheck, check_integrity
from verigym.registry.ledger import promote, rollback, set_first_champion
from verigym.registry.versions import register
from verigym.store.database import Store


class Kept:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.store = Store(home / "store.db")
        self.weights = _weights()
        sha256 = hashlib.sha256(self.weights).hexdigest()
        self.adapter = home / "adapters" / sha256
        self.adapter.mkdir(parents=True)
        (self.adapter / ADAPTER_FILE).write_bytes(self.weights)
        settings = json.dumps({"r": 2, "lora_alpha": 4}).encode()
        (self.adapter / CONFIG_FILE).write_bytes(settings)

        rows = b'{"task": "a"}\n'
        data = hashlib.sha256(rows).hexdigest()
        self.data = home / "data" / f"{data}.jsonl"
        self.data.parent.mkdir()
        self.data.write_bytes(rows)
        self.store.put("dataset", data, dataset(data))

        recipe: Json = {"algorithm": "sft", "seed": 0, "lora": {"r": 2}}
        config: Json = {"recipe": recipe, "parent": "p", "data": data}
        self.run = f"sft-{content_hash(config)[:8]}"
        self.store.begin_run(self.run, "train", config)
        self.base = register(self.store, Version(base="tiny", name="base"))
        self.tuned = register(
            self.store,
            Version(
                base="tiny",
                name="tuned",
                adapter=sha256,
                adapter_config=hashlib.sha256(settings).hexdigest(),
                parent=self.base.id,
                recipe={**recipe, "run": self.run},
                data_hash=data,
                families=["a"],
            ),
        )
        self.report = report(self.tuned.id)
        self.store.put("report", self.report.id, self.report)
        set_first_champion(self.store, self.base.id)
        decision = Decision(candidate=self.tuned.id, champion=self.base.id, verdict="PROMOTE", reports=[self.report.id])
        promote(self.store, decision)
        self.last = rollback(self.store, why="a test").hash

    def found(self, **asked: Any) -> list[IntegrityCheck]:
        return check_integrity(self.store, self.home, **asked)

    def damaged(self, **asked: Any) -> list[str]:
        """`what: words` of each damaged thing."""
        return [f"{one.what}: {one.words}" for one in self.found(**asked) if not one.sound]

    def sql(self, command: str, *given: Any) -> None:
        """As somebody with the file in hand, whom no trigger stops."""
        self.store.close()
        with sqlite3.connect(self.home / "store.db") as connection:
            for verb in ("update", "delete", "replace"):
                connection.execute(f"DROP TRIGGER IF EXISTS ledger_no_{verb}")
            assert connection.execute(command, given).rowcount > 0

    def rewrite(self, kind: str, id: str, old: bytes, new: bytes) -> None:
        """Replaces bytes in a stored document."""
        body = next(one.body for one in self.store.bodies(kind) if one.id == id)
        assert old in body
        self.sql("UPDATE documents SET body = ? WHERE kind = ? AND id = ?", body.replace(old, new), kind, id)


def report(agent: str, passed: bool = True, environment: str = "desk") -> Report:
    """Of one task."""
    tasks = [Task(id="t", prompt="say a", family="f", split="val")]
    suite = Suite(
        name=f"{environment}_eval",
        environment=environment,
        tasks=["t"],
        families=["f"],
        verifier="v@1",
        hash=environment,
    )
    trajectories = [Trajectory(id="run/t/0", task="t", group="run/t")]
    verdicts = [Verdict(trajectory="run/t/0", verifier="v@1", reward=float(passed), passed=passed)]
    return make_report("run", agent, suite, tasks, trajectories, verdicts, 0)


def dataset(id: str) -> Dataset:
    return Dataset(
        id=id,
        kind="demonstrations",
        name="demos",
        environment="desk",
        source="a test",
        rows=1,
        tasks=1,
        families=["a"],
        counts={},
    )


def _weights() -> bytes:
    """A safetensors file of one tensor of 64 bytes."""
    head = msgspec.json.encode({"a": {"dtype": "F32", "shape": [16], "data_offsets": [0, 64]}})
    return struct.pack("<Q", len(head)) + head + bytes(range(64))
