"""rescore as a user types it, in a workspace whose reports were made by earlier verifiers. No torch, no model."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import verigym
from tests.workspace.test_old_workspace import ARCHIVE, RUNS
from verigym.cli.main import app
from verigym.core.errors import BadInput
from verigym.core.records import Report
from verigym.store.database import Store

DESK = ["eval-desk-01b6f5ff", "eval-desk-a1f449a9"]


@pytest.fixture(autouse=True)
def _old_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.chdir(tmp_path)


def typed(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["rescore", *words], env={"VERIGYM_HOME": "home"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def reports(run: str = "") -> list[Report]:
    store = Store(Path("home/store.db"))
    found = [report for report in store.documents("report", Report) if run in (report.run, "")]
    store.close()
    return found


def test_a_run_gets_a_new_report_beside_the_old_one() -> None:
    said = typed(DESK[0])
    assert f"run {DESK[0]}: rescored 12 trajectories" in said and f"next: verigym explain {DESK[0]}" in said
    old, new = reports(DESK[0])
    assert f"new report {new.id}. models list and compare use it" in said
    assert old.suite.verifier != new.suite.verifier and old.metrics["success"].value == new.metrics["success"].value
    assert f"report {new.id} is unchanged" in typed(DESK[0]), "it is up to date now"


def test_a_report_follows_the_scores_back_and_forth() -> None:
    limit = Path("limit.txt")  # a file that the version of the verifier does not show
    source = Path("desk.py").read_text()
    Path("desk.py").write_text(source.replace("share >= 0.25", "share >= float(open('limit.txt').read())"))
    passed = []
    for text in ("0.25", "0", "0.25"):
        limit.write_text(text)
        said = typed(DESK[0])
        with verigym.Workspace("home") as ws:
            report, run = [report for report in ws.reports() if report.run == DESK[0]][-1], ws.run(DESK[0])
        assert f"new report {report.id}. " in said
        assert report.metrics["success"].value == pytest.approx(run.passed / run.scored), "report and run agree"
        passed.append(run.passed)
    assert passed[0] == passed[2] < passed[1]


def test_another_verifier_makes_a_report_too() -> None:
    said = typed(DESK[0], "--verifier", "short")
    newest = reports(DESK[0])[-1]
    assert newest.suite.verifier.startswith("short@") and f"new report {newest.id}. " in said


def test_all_brings_every_report_up_to_date() -> None:
    lines = typed("--all").splitlines()
    for run, trajectories in RUNS.items():
        [line] = [line for line in lines if line.startswith(f"run {run}: ")]
        assert f" of {trajectories} scored episodes pass" in line and "New report by " in line
    assert lines[-2:] == [f"rescored {len(RUNS)} runs, 0 could not be rescored", "next: verigym models list"]
    assert len(reports()) == 2 * len(RUNS)
    assert typed("--all").startswith("every report was made by the current version of its verifier\n")
    assert len(reports()) == 2 * len(RUNS)


def test_runs_that_cannot_be_loaded_are_listed_with_the_reason() -> None:
    Path("desk.py").unlink()
    result: Any = json.loads(typed("--all", "--json", code=1))
    assert sorted(each["run"] for each in result["failed"]) == DESK
    assert all("desk.py" in each["reason"] for each in result["failed"])
    assert {each["run"] for each in result["rescored"]} == set(RUNS) - set(DESK)
    assert {each["report"] for each in result["rescored"]} <= {report.id for report in reports()}
    said = typed("--all", code=1)
    assert f"run {DESK[0]}: not rescored. " in said and "rescored 0 runs, 2 could not be rescored" in said


@pytest.mark.parametrize("words", [[DESK[0]], ["-e", "desk.py"], ["--verifier", "verify"]])
def test_all_takes_no_run_environment_or_verifier(words: list[str]) -> None:
    with pytest.raises(BadInput, match="--all cannot be combined"):
        typed("--all", *words)


def test_the_python_interface_writes_the_new_report_too() -> None:
    with verigym.Workspace("home") as ws:
        assert ws.rescore(DESK[0]).scores.moved == 0
        assert ws.rescore(DESK[1], environment=verigym.load_environment("desk.py")).scores.moved == 0
    assert [len(reports(run)) for run in DESK] == [2, 2]
