"""People's single judgements beside the verifier's: which environment they belong to, how far both agree, and how far people do.

It uses the verdicts that are stored and count, so no code of an environment runs. An audit scores the outputs again.
"""

import itertools
import sys
from collections import defaultdict
from typing import NamedTuple

from msgspec import Struct

from verigym.audit.labels import TAKEN_BACK, Agreement, agreement, kappa, kappa_interval, single_labels
from verigym.core import codec
from verigym.core.records import Label, Verdict
from verigym.view.read import Reader, decoded

_CHUNK = 500


class Judged(NamedTuple):
    """The labels of one environment."""

    labels: list[Label]
    """Single judgements, oldest first."""
    newest: float
    """When the last one was stored."""
    verdicts: dict[str, Verdict]
    """The verdicts that count, by trajectory."""
    runs: dict[str, str]
    """Trajectory to its run."""


class PeopleAgreement(Struct, frozen=True, kw_only=True):
    """How far two people agree on outputs that both judged."""

    one: str
    other: str
    outputs: int
    agreed: int
    kappa: float | None
    low: float
    high: float


def environments_of_runs(reader: Reader) -> dict[str, str]:
    """Run to its environment, for runs with outputs to judge."""

    def read() -> dict[str, str]:
        rows = reader.rows("SELECT id, config FROM runs WHERE kind IN ('rollout', 'eval', 'collect')")
        configs = [(id, decoded(config)) for id, config in rows]
        return {
            id: sys.intern(str(config.get("environment", ""))) for id, config in configs if isinstance(config, dict)
        }

    return reader.kept("environments of runs", reader.runs_state(), read)


def judged_by_environment(reader: Reader) -> dict[str, Judged]:
    """Environment to its single judgements."""

    def read() -> dict[str, Judged]:
        stored = [(one.created, codec.decode(one.body, Label)) for one in reader.store.bodies("label")]
        single = [(created, label) for created, label in stored if not label.other]
        ids = list(dict.fromkeys(label.trajectory for _, label in single))
        runs, verdicts = _of(reader, ids)
        environments = environments_of_runs(reader)
        by_environment: dict[str, list[tuple[float, Label]]] = defaultdict(list)
        for created, label in single:
            if label.trajectory in runs:
                by_environment[environments.get(runs[label.trajectory], "")].append((created, label))
        return {
            name: Judged([label for _, label in several], several[-1][0], verdicts, runs)
            for name, several in by_environment.items()
        }

    newest = reader.rows("SELECT coalesce(max(rowid), 0) FROM verdicts")[0][0]
    scored = reader.rows("SELECT coalesce(max(rowid), 0), count(DISTINCT verifier) FROM runs")[0]
    return reader.kept("judgements", (reader.state_of("label"), newest, tuple(scored)), read)


def _of(reader: Reader, ids: list[str]) -> tuple[dict[str, str], dict[str, Verdict]]:
    """The run of each trajectory, and its verdict that counts."""
    runs: dict[str, str] = {}
    verdicts: dict[str, Verdict] = {}
    for start in range(0, len(ids), _CHUNK):
        some = ids[start : start + _CHUNK]
        marks = ", ".join("?" for _ in some)
        runs |= dict(reader.rows(f"SELECT id, run FROM trajectories WHERE id IN ({marks})", *some))  # type: ignore[arg-type]
        rows = reader.rows(
            "SELECT v.trajectory, v.body FROM verdicts v JOIN runs r ON r.id = v.run AND r.verifier = v.verifier "
            f"WHERE v.trajectory IN ({marks})",
            *some,
        )
        verdicts |= {id: codec.decode(body, Verdict) for id, body in rows}
    return runs, verdicts


def agreement_now(judged: Judged) -> Agreement | None:
    """Agreement of the newest label of each output with the stored verdict."""
    return agreement(single_labels(judged.labels), judged.verdicts)


def people(judged: Judged) -> list[PeopleAgreement]:
    """Each two people who judged the same outputs, those with the most first."""
    by_person: dict[str, dict[str, str]] = defaultdict(dict)
    for label in judged.labels:
        if label.judgement in ("good", "bad") and label.note != TAKEN_BACK:
            by_person[label.who][label.trajectory] = label.judgement
        else:
            by_person[label.who].pop(label.trajectory, None)
    found: list[PeopleAgreement] = []
    for one, other in itertools.combinations(sorted(by_person), 2):
        both = by_person[one].keys() & by_person[other].keys()
        if not both:
            continue
        cells = [0, 0, 0, 0]
        for id in both:
            cells[2 * (by_person[one][id] == "bad") + (by_person[other][id] == "bad")] += 1
        low, high = kappa_interval(cells, draws=2000)
        found.append(PeopleAgreement(
            one=one, other=other, outputs=len(both), agreed=cells[0] + cells[3], kappa=kappa(cells), low=low, high=high,
        ))  # fmt: skip
    return sorted(found, key=lambda pair: -pair.outputs)
