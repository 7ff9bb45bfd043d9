"""What changed since the last look, channel by channel. `events.py` decides when to look and tells the pages.

A channel is what a page listens to: `home`, `runs`, `run:ID`, `training:ID`, `loop:ID`, `traces:ROW`. A look answers with small
changes to known elements: `{"set": {ELEMENT: TEXT}}`, `{"states": {ELEMENT: STATE}}`, `{"cells": {ELEMENT: KIND}}`. What cannot
be changed in place is said in words (`stale`), and the page offers to load again. No episode is decoded here.
"""

import time
from typing import Any, Protocol

from verigym.core.errors import BadInput
from verigym.core.words import counted, duration, percent
from verigym.view.keyset import row_number
from verigym.view.read import Reader, decoded, run_state

Change = dict[str, Any]
_RUNS = 50
"""Maximum number of unfinished runs that are watched."""
_ROWS = 2000
"""Maximum number of new rows of one look. A page that missed more loads again."""
_RECOUNT = 20
"""A count is made again after this many times its own duration, so counting takes at most a twentieth of a core."""
_MOST = 10**12
"""Larger numbers in the settings of a run are not shown."""
_RATE_S = 30.0
"""The rate of a run is that of the last seconds."""


class Watch(Protocol):
    """One channel. `look` is called again and again, `snapshot` for a page that begins to listen or was away."""

    def look(self, reader: Reader) -> list[Change]: ...

    def snapshot(self, reader: Reader, after: str) -> list[Change]:
        """What a page needs to be up to date. `after` is the position of its last message, if it had one."""
        ...

    @property
    def position(self) -> str:
        """Where the watch is, as the id of its messages."""
        ...


def watch_of(channel: str) -> Watch:
    """The watch of a channel by its name."""
    kind, _, id = channel.partition(":")
    if kind in ("home", "runs") and not id:
        return RunsWatch(ledger=kind == "home")
    if kind == "run" and id:
        return RunWatch(id)
    if kind == "training" and id:
        return TrainingWatch(id)
    if kind == "loop" and id:
        return RoundsWatch(id)
    if kind == "optimize" and id:
        return SearchWatch(id)
    if kind == "traces" and (row := row_number(id)) is not None:
        return TracesWatch(row)
    raise BadInput(
        f'"{channel[:100]}" cannot be listened to. Use home, runs, run:ID, training:ID, loop:ID, optimize:ID or traces:ROW'
    )


class RunCount:
    """The episodes of one unfinished run: counted by index, and between two counts only what was added."""

    def __init__(self, reader: Reader, run: str) -> None:
        self.run = run
        config: Any = decoded(reader.one("SELECT config FROM runs WHERE id = ?", run) or b"{}")
        config = config if isinstance(config, dict) else {}
        recipe: Any = config.get("recipe")
        self.steps = _whole(recipe.get("steps"), 0) if isinstance(recipe, dict) else 0
        tasks = reader.one("SELECT count(*) FROM tasks WHERE run = ?", run) or 0
        self.total = tasks * _whole(config.get("k"), 1)
        self.episodes = self.passed = self.scored = 0
        self._counted_at = -1e9
        self._cost = 0.0
        self._seen: list[tuple[float, int]] = []
        self._rows = 0, 0

    def look(
        self, reader: Reader, verifier: str, newest: tuple[int, int] | None = None, *, again: bool = False
    ) -> None:
        """Counts what is new. `newest` are the newest rows of trajectories and verdicts. With `again`, counts all."""
        started = time.monotonic()
        newest = newest or (_newest(reader, "trajectories"), _newest(reader, "verdicts"))
        is_first = self._counted_at < 0
        is_new = not is_first and newest != self._rows and self._add(reader, verifier)
        if is_first or again or (is_new and started - self._counted_at > _RECOUNT * self._cost):
            self._count(reader, verifier)
            self._counted_at, self._cost = started, time.monotonic() - started
        self._rows = newest
        self._seen = [(when, n) for when, n in self._seen if started - when < _RATE_S] + [(started, self.episodes)]

    def _count(self, reader: Reader, verifier: str) -> None:
        self.episodes = reader.one("SELECT count(*) FROM trajectories WHERE run = ?", self.run) or 0
        sql = "SELECT coalesce(sum(passed), 0), count(reward) FROM verdicts WHERE run = ? AND verifier = ?"
        [(self.passed, self.scored)] = reader.rows(sql, self.run, verifier)

    def _add(self, reader: Reader, verifier: str) -> bool:
        """Adds the rows since the last look. Returns whether there are any."""
        sql = "SELECT count(*) FROM trajectories NOT INDEXED WHERE rowid > ? AND run = ?"
        episodes = reader.one(sql, self._rows[0], self.run) or 0
        sql = (
            "SELECT coalesce(sum(passed), 0), count(reward) FROM verdicts NOT INDEXED "
            "WHERE rowid > ? AND run = ? AND verifier = ?"
        )
        [(passed, scored)] = reader.rows(sql, self._rows[1], self.run, verifier)
        self.episodes, self.passed, self.scored = self.episodes + episodes, self.passed + passed, self.scored + scored
        return bool(episodes or scored)

    @property
    def words(self) -> dict[str, str]:
        """The texts of the elements of this run."""
        of = self.run
        texts = {f"count-{of}": f"{self.episodes:,}", f"bar-{of}": str(self.episodes)}
        if self.scored:
            texts |= {f"passed-{of}": percent(self.passed / self.scored, 0)}
            texts |= {f"failed-{of}": f"{self.scored - self.passed:,}", f"scored-{of}": f"{self.scored:,}"}
        if rate := self.rate:
            left = (self.total - self.episodes) / rate
            texts[f"rate-{of}"] = f"{rate:.3g} per second" + (f", {duration(left)} left" if left > 0 else "")
        return texts

    @property
    def rate(self) -> float:
        """Episodes per second in the last seconds. 0 if that is not known yet."""
        if len(self._seen) < 2:
            return 0.0
        (before, first), (now, last) = self._seen[0], self._seen[-1]
        return max(0.0, (last - first) / (now - before)) if now > before else 0.0


class _Texts:
    """Texts and states of elements, and which of them changed."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.states: dict[str, str] = {}

    def change(self, texts: dict[str, str], states: dict[str, str]) -> list[Change]:
        new = {id: text for id, text in texts.items() if self.texts.get(id) != text}
        new_states = {id: state for id, state in states.items() if self.states.get(id) != state}
        self.texts.update(texts)
        self.states.update(states)
        return [*([{"set": new}] if new else []), *([{"states": new_states}] if new_states else [])]

    @property
    def all(self) -> list[Change]:
        return [*([{"set": self.texts}] if self.texts else []), *([{"states": self.states}] if self.states else [])]


class RunsWatch:
    """Unfinished runs, for the list of runs and for the first page, which also shows the ledger."""

    def __init__(self, ledger: bool) -> None:
        self._ledger = ledger
        self._counts: dict[str, RunCount] = {}
        self._shown = _Texts()
        self._newest_run: int | None = None
        self._entries: int | None = None
        self._looks = 0

    @property
    def position(self) -> str:
        return str(self._looks)

    def snapshot(self, reader: Reader, after: str) -> list[Change]:
        changes = self.look(reader)
        return [*self._shown.all, *(one for one in changes if "stale" in one)]

    def look(self, reader: Reader) -> list[Change]:
        self._looks += 1
        sql = "SELECT id, kind, verifier FROM runs WHERE finished IS NULL AND parent = '' ORDER BY created DESC LIMIT ?"
        rows = reader.rows(sql, _RUNS)
        newest = _newest(reader, "trajectories"), _newest(reader, "verdicts")
        texts: dict[str, str] = {}
        states: dict[str, str] = {}
        for id, kind, verifier in rows:
            count = self._counts.get(id) or RunCount(reader, id)
            self._counts[id] = count
            if kind == "train":
                texts |= _step_words(reader, id, count.steps)
            else:
                count.look(reader, verifier, newest)
                texts |= count.words
            states[f"state-{id}"] = run_state(reader.home, id, None)
        for id in set(self._counts) - {id for id, _, _ in rows}:  # finished since the last look, or deleted
            count = self._counts.pop(id)
            ended = reader.rows("SELECT kind, verifier, finished FROM runs WHERE id = ?", id)
            if ended and ended[0][2] is not None:
                states[f"state-{id}"] = "finished"
                count.look(reader, ended[0][1], newest, again=True)
                texts |= _step_words(reader, id, count.steps) if ended[0][0] == "train" else count.words
                texts[f"rate-{id}"] = ""
        changes = self._shown.change(texts, states)
        return changes + self._news(reader)

    def _news(self, reader: Reader) -> list[Change]:
        """New runs and new entries of the ledger. The page offers to load again."""
        changes: list[Change] = []
        newest = reader.one("SELECT max(rowid) FROM runs WHERE parent = ''") or 0
        if self._newest_run is not None and newest > self._newest_run:
            sql = "SELECT count(*) FROM runs WHERE parent = '' AND rowid > ?"
            changes.append({"stale": counted(reader.one(sql, self._newest_run) or 1, "new run")})
        self._newest_run = newest
        if self._ledger:
            entries = reader.one("SELECT max(seq) FROM ledger") or 0
            if self._entries is not None and entries > self._entries:
                last = reader.entry(entries)
                words = f"{last.decision.verdict or last.decision.kind}: {reader.label(last.decision.candidate)}"
                changes.append({"set": {"ledger-count": f"{entries:,}"}})
                changes.append({"stale": f"New entry {entries} of the ledger, {words}"})
            self._entries = entries
        return changes


class RunWatch:
    """One run: its counts, and the cells of its grid as they fill."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._count: RunCount | None = None
        self._shown = _Texts()
        self._rows: tuple[int, int] | None = None

    @property
    def position(self) -> str:
        return "{}.{}".format(*(self._rows or (0, 0)))

    def snapshot(self, reader: Reader, after: str) -> list[Change]:
        self.look(reader)
        assert self._rows is not None
        seen = _rows_of(after) or (max(0, self._rows[0] - _ROWS), max(0, self._rows[1] - _ROWS))
        row = reader.rows("SELECT verifier FROM runs WHERE id = ?", self._run)
        cells, complete = self._cells(reader, row[0][0], seen) if row else ({}, True)
        missed = [] if complete or not after else [{"stale": "Many episodes ended while this page was away"}]
        return [*self._shown.all, *([{"cells": cells}] if cells else []), *missed]

    def look(self, reader: Reader) -> list[Change]:
        row = reader.rows("SELECT verifier, finished FROM runs WHERE id = ?", self._run)
        if self._rows is None:
            self._rows = _newest(reader, "trajectories"), _newest(reader, "verdicts")
        if not row:
            return []
        verifier, finished = row[0]
        if self._count is None:
            self._count = RunCount(reader, self._run)
        newest = _newest(reader, "trajectories"), _newest(reader, "verdicts")
        self._count.look(reader, verifier, newest, again=finished is not None)
        texts = self._count.words | ({f"rate-{self._run}": ""} if finished is not None else {})
        changes = self._shown.change(texts, {f"state-{self._run}": run_state(reader.home, self._run, finished)})
        cells, complete = self._cells(reader, verifier, self._rows)
        self._rows = _newest(reader, "trajectories"), _newest(reader, "verdicts")
        if cells:
            changes.append({"cells": cells})
        return changes if complete else [*changes, {"stale": "Many episodes ended at once"}]

    def _cells(self, reader: Reader, verifier: str, after: tuple[int, int]) -> tuple[dict[str, str], bool]:
        """The cells of episodes and verdicts that were added after these rows, and whether these are all."""
        columns = (
            "t.task, t.place, t.fault, v.reward, v.passed, v.fault, "
            'instr(v.body, CAST(\'"unsafe":true\' AS BLOB)) + instr(t.body, CAST(\'"kind":"unsafe"\' AS BLOB))'
        )
        judged = "v.trajectory = t.id AND v.run = t.run AND v.verifier = ?"
        rows = reader.rows(
            f"SELECT {columns} FROM trajectories t NOT INDEXED LEFT JOIN verdicts v ON {judged} "
            "WHERE t.rowid > ? AND t.run = ? LIMIT ?",
            verifier, after[0], self._run, _ROWS,
        )  # fmt: skip
        more = reader.rows(
            f"SELECT {columns} FROM verdicts v NOT INDEXED JOIN trajectories t ON {judged} "
            "WHERE v.rowid > ? AND v.run = ? LIMIT ?",
            verifier, after[1], self._run, _ROWS,
        )  # fmt: skip
        cells = {f"cell-{task}/{place}": cell_kind(*rest) for task, place, *rest in [*rows, *more]}
        return cells, max(len(rows), len(more)) < _ROWS


def cell_kind(
    fault: str, reward: float | None, passed: int | None, verdict_fault: str | None, unsafe: int | None
) -> str:
    """The outcome of one episode as the grid shows it. `missing` if it has no verdict yet."""
    if fault not in ("", "model") or verdict_fault:
        return "error"
    if reward is None:
        return "missing"
    if unsafe:
        return "unsafe"
    return "passed" if passed else "partial" if reward > 0 else "failed"


class TrainingWatch:
    """One training run: new metrics and alarms. A resumed run replaces the metrics of steps that it repeats."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._rows: tuple[int, int] | None = None
        self._steps: int | None = None
        self._had_metrics = False
        self._shown = _Texts()

    @property
    def position(self) -> str:
        return "{}.{}".format(*(self._rows or (0, 0)))

    def snapshot(self, reader: Reader, after: str) -> list[Change]:
        self.look(reader)
        seen = _rows_of(after)
        changes = self._shown.all
        if seen is not None:
            changes += self._new(reader, seen)
        return [*changes, {"last": reader.one("SELECT max(step) FROM metrics WHERE run = ?", self._run) or 0}]

    def look(self, reader: Reader) -> list[Change]:
        row = reader.rows("SELECT finished FROM runs WHERE id = ?", self._run)
        if self._rows is None:
            self._rows = _newest(reader, "metrics"), _newest(reader, "documents")
        if not row:
            return []
        if self._steps is None:
            self._steps = RunCount(reader, self._run).steps
            self._had_metrics = reader.one("SELECT max(step) FROM metrics WHERE run = ?", self._run) is not None
        states = {f"state-{self._run}": run_state(reader.home, self._run, row[0][0])}
        changes = self._shown.change(_step_words(reader, self._run, self._steps), states)
        changes += self._new(reader, self._rows)
        self._rows = _newest(reader, "metrics"), _newest(reader, "documents")
        return changes

    def _new(self, reader: Reader, after: tuple[int, int]) -> list[Change]:
        sql = "SELECT step, name, value FROM metrics NOT INDEXED WHERE rowid > ? AND run = ? ORDER BY rowid LIMIT ?"
        rows = reader.rows(sql, after[0], self._run, _ROWS)
        if len(rows) == _ROWS:
            return [{"behind": True}]
        steps: dict[int, dict[str, float]] = {}
        for step, name, value in rows:
            steps.setdefault(step, {})[name] = value
        changes: list[Change] = [{"step": step, "metrics": values} for step, values in steps.items()]
        sql = "SELECT id FROM documents NOT INDEXED WHERE rowid > ? AND kind = 'alarm' ORDER BY rowid LIMIT 20"
        prefix = f"{self._run}/"
        for id in [id for (id,) in reader.rows(sql, after[1]) if id.startswith(prefix)]:
            step, _, kind = id.removeprefix(prefix).partition("/")
            words = f"Alarm at step {step}: {kind}"
            changes.append({"alarm": {"step": step, "kind": kind}, "note": words, "stale": words})
        if steps and not self._had_metrics:
            changes.append({"stale": "The first step is finished"})
        self._had_metrics = self._had_metrics or bool(steps)
        return changes


class RoundsWatch:
    """One loop: steps of its rounds that were stored."""

    def __init__(self, loop: str) -> None:
        self._loop = loop
        self._row: int | None = None

    @property
    def position(self) -> str:
        return str(self._row or 0)

    def snapshot(self, reader: Reader, after: str) -> list[Change]:
        changes = self.look(reader)
        seen = row_number(after)
        if seen is not None and self._row is not None and seen < self._row:
            changes = self._new(reader, seen) or changes
        return changes

    def look(self, reader: Reader) -> list[Change]:
        newest = _newest(reader, "documents")
        changes = self._new(reader, self._row) if self._row is not None and newest > self._row else []
        self._row = newest
        return changes

    def _new(self, reader: Reader, after: int) -> list[Change]:
        sql = "SELECT id FROM documents NOT INDEXED WHERE rowid > ? AND kind = 'round' ORDER BY rowid LIMIT 100"
        ids = [id for (id,) in reader.rows(sql, after) if id.startswith(f"{self._loop}/")]
        return [{"stale": counted(len(ids), "new step") + " of this loop"}] if ids else []


class TracesWatch:
    """Production conversations that were stored after a row, the newest that the page shows. What is read stays where it is."""

    def __init__(self, row: int) -> None:
        self._row = row
        self._new = 0

    @property
    def position(self) -> str:
        return str(self._row)

    def snapshot(self, reader: Reader, after: str) -> list[Change]:
        self.look(reader)
        return self._words()

    def look(self, reader: Reader) -> list[Change]:
        newest = _newest(reader, "trajectories")
        if newest <= self._row:
            return []
        sql = (
            "SELECT count(*) FROM trajectories NOT INDEXED "
            "WHERE rowid > ? AND rowid <= ? AND run IN (SELECT id FROM runs WHERE kind = 'traces')"
        )
        added = reader.one(sql, self._row, newest) or 0
        self._row = newest
        self._new += added
        return self._words() if added else []

    def _words(self) -> list[Change]:
        return [{"stale": f"{counted(self._new, 'conversation')} since you opened this page"}] if self._new else []


class SearchWatch:
    """One optimisation: episodes of all its candidates, new candidates, and the end."""

    def __init__(self, search: str) -> None:
        self._search = search
        self._candidates: int | None = None
        self._shown = _Texts()
        self._looks = 0

    @property
    def position(self) -> str:
        return str(self._looks)

    def snapshot(self, reader: Reader, after: str) -> list[Change]:
        changes = self.look(reader)
        return [*self._shown.all, *(one for one in changes if "stale" in one)]

    def look(self, reader: Reader) -> list[Change]:
        self._looks += 1
        row = reader.rows("SELECT config, finished FROM runs WHERE id = ?", self._search)
        if not row:
            return []
        config: Any = decoded(row[0][0])
        budget = config.get("budget") if isinstance(config, dict) else None
        sql = "SELECT count(*) FROM trajectories WHERE run IN (SELECT id FROM runs WHERE parent = ?)"
        episodes = reader.one(sql, self._search) or 0
        words = f"{episodes:,} of {budget:,}" if isinstance(budget, int) else f"{episodes:,}"
        texts = {f"count-{self._search}": words, f"bar-{self._search}": str(episodes)}
        before = self._shown.states.get(f"state-{self._search}")
        state = run_state(reader.home, self._search, row[0][1])
        changes = self._shown.change(texts, {f"state-{self._search}": state})
        candidates = reader.one("SELECT count(*) FROM runs WHERE parent = ?", self._search) or 0
        if self._candidates is not None and candidates > self._candidates:
            changes.append({"stale": counted(candidates - self._candidates, "new measurement")})
        elif before not in (None, "finished") and state == "finished":
            changes.append({"stale": "The search is finished"})
        self._candidates = candidates
        return changes


def _step_words(reader: Reader, run: str, steps: int) -> dict[str, str]:
    last = reader.one("SELECT max(step) FROM metrics WHERE run = ?", run) or 0
    return {f"step-{run}": f"{last:,} of {steps:,}" if steps else f"{last:,}", f"bar-{run}": str(last)}


def _newest(reader: Reader, table: str) -> int:
    return reader.one(f"SELECT max(rowid) FROM {table}") or 0


def _rows_of(position: str) -> tuple[int, int] | None:
    """Two row numbers of a position. A position that is not ours counts as none."""
    first, _, second = position.partition(".")
    rows = row_number(first), row_number(second)
    return None if rows[0] is None or rows[1] is None else (rows[0], rows[1])


def _whole(value: object, otherwise: int) -> int:
    """A number of a stored setting. Settings of a run are whatever somebody stored."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 < value < _MOST else otherwise
