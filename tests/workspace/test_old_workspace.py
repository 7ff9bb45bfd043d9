"""A workspace made by verigym 0.1.0: it opens, keeps its ids and its ledger, and its reports can be brought up to date.

The archive was made by the code of 0.1.0 with a tiny model: two GRPO steps on `desk.py`, evaluations on it and
on shipped environments, a promotion by override and a rollback.
"""

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from verigym.core.records import Report, Version
from verigym.environments.load import load_environment
from verigym.registry import integrity, ledger
from verigym.registry.versions import version_id
from verigym.workspace.rescore import outdated_reports, rescore
from verigym.workspace.shared_reports import shared_reports
from verigym.workspace.workspace import WorkspaceFolder

ARCHIVE = Path(__file__).parent / "data" / "workspace-0.1.0.tar.gz"
BASE, TUNED = "fc8b73981fa8", "2e7480d038ea"
LAST_HASH = "cb77845e63797b4510dd8617167dffa708bea03c537ff03f4de5ef463c09e1a0"
RUNS = {
    "eval-desk-01b6f5ff": 12,
    "eval-desk-a1f449a9": 12,
    "eval-toolcall-5682c21d": 6,
    "eval-retention-8f2fde8d": 6,
    "eval-retention-6f6b4a55": 240,
    "eval-retention-73661d0a": 240,
    "eval-safety-8a90b26c": 184,
    "eval-safety-36d4e380": 184,
}


@pytest.fixture
def old(tmp_path: Path) -> Iterator[WorkspaceFolder]:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    before = Path.cwd()
    os.chdir(tmp_path)  # its runs name their environment by a relative path: desk.py
    ws = WorkspaceFolder(Path("home"))
    yield ws
    ws.store.close()
    os.chdir(before)


def test_versions_keep_their_ids(old: WorkspaceFolder) -> None:
    versions = old.store.documents("version", Version)
    assert [version.id for version in versions] == [BASE, TUNED]
    assert [version_id(version) for version in versions] == [BASE, TUNED]
    assert old.has_adapter(old.find("tuned").adapter)


def test_the_ledger_is_intact(old: WorkspaceFolder) -> None:
    entries = ledger.entries(old.store)
    assert [entry.champion_after for entry in entries] == [BASE, TUNED, BASE]
    assert entries[-1].hash == LAST_HASH
    assert ledger.champion(old.store) == BASE
    checked = integrity.check_integrity(old.store, old.home, None, LAST_HASH)
    assert [each for each in checked if not each.sound] == []


def test_runs_are_listed_with_their_trajectories(old: WorkspaceFolder) -> None:
    stored = {run.id: run for run in old.store.runs()}
    assert {id: stored[id].trajectories for id in RUNS} == RUNS
    assert all(run.finished for run in stored.values())


def test_rescore_brings_every_report_up_to_date(old: WorkspaceFolder) -> None:
    before = {report.id: report for report in old.store.documents("report", Report)}
    outdated = outdated_reports(old)
    assert {entry.report.run for entry in outdated} == set(RUNS)
    assert all(entry.verifier and not entry.problem for entry in outdated)
    for entry in outdated:
        result = rescore(old, entry.report.run)
        assert result.report is not None and result.report.suite.verifier == entry.verifier
        assert (result.scores.gained, result.scores.lost, result.scores.moved) == ([], [], 0)
        assert result.report.metrics["success"].value == entry.report.metrics["success"].value
    assert outdated_reports(old) == []
    assert set(before) <= {report.id for report in old.store.documents("report", Report)}, "old reports are kept"


def test_the_gate_compares_reports_after_rescoring_one_side(old: WorkspaceFolder) -> None:
    base, tuned = old.find(BASE), old.find(TUNED)
    name = load_environment("desk.py").name
    ours, theirs = shared_reports(old, tuned, base, name)
    for report in (ours, theirs):
        rescore(old, report.run)
    newer, older = shared_reports(old, tuned, base, name)
    assert newer.suite.verifier == older.suite.verifier == load_environment("desk.py").verifier.name
    assert newer.id != ours.id
