"""The methods of `verigym.Workspace` for stored records: runs, versions, suites, servers and disk space."""

from pathlib import Path

import pytest

import verigym

SERVER = "http://localhost:8000/v1#qwen"


def test_a_run_moves_to_another_workspace(ws: verigym.Workspace, model: str, desk: str, tmp_path: Path) -> None:
    run = ws.rollout(desk, model, n=2, max_tokens=8)
    exported = ws.export_run(run, tmp_path / "run.jsonl")
    assert (exported.runs, exported.counts["trajectory"]) == ([run.id], 2)
    with verigym.Workspace(tmp_path / "other") as other:
        assert other.import_run(exported.file) == exported
        assert other.trajectories(run.id) == ws.trajectories(run)


def test_a_run_that_nothing_needs_is_deleted(ws: verigym.Workspace, model: str, desk: str) -> None:
    needed = ws.evaluate(desk, model, max_tokens=8)
    run = ws.rollout(desk, model, n=2, max_tokens=8)
    assert ws.remove_run(run, dry_run=True) == ws.remove_run(run) > 0
    assert [one.id for one in ws.runs()] == [needed.run]
    with pytest.raises(verigym.VerigymError, match="still needed"):
        ws.remove_run(needed)
    plan = ws.gc(dry_run=True)
    assert plan.runs == ws.gc(older_than=0).runs == [] and ws.gc(plan).paths == plan.paths


def test_a_new_version_its_difference_card_and_export(ws: verigym.Workspace, tmp_path: Path) -> None:
    base = ws.add_server("here", SERVER)
    short = ws.new_version("short", parent="here", system="Be brief.", sampling={"temperature": 0.25})
    assert (short.parent, short.system_prompt) == (base.id, "Be brief.")
    assert [version.id for version in ws.models()] == [base.id, short.id]
    assert ws.agent("short") == short
    assert "+Be brief." in ws.diff(base, short).prompt
    assert "short" in ws.card(short, file=tmp_path / "card.md") == (tmp_path / "card.md").read_text()
    assert "version.json" in ws.export(short, tmp_path / "exported")
    assert all(check.sound for check in ws.check_integrity())
    assert ws.ledger() == []


def test_a_new_version_refuses_wrong_settings(ws: verigym.Workspace, model: str) -> None:
    with pytest.raises(verigym.VerigymError, match='no setting "heat"'):
        ws.new_version(parent=model, sampling={"heat": 1})
    with pytest.raises(verigym.VerigymError, match="not a JSON schema"):
        ws.new_version(parent=model, constraints={"type": "nonsense"})
    with pytest.raises(verigym.VerigymError, match='It must be "tools", "copy:" and names of arguments'):
        ws.new_version(parent=model, constraints="tool")
    held = ws.new_version(parent=model, constraints={"type": "object"})
    assert held.constraints == '{"type":"object"}'


def test_only_the_embedded_model_is_pulled(ws: verigym.Workspace) -> None:
    with pytest.raises(verigym.VerigymError, match="embedded model"):
        ws.pull("gpt2")


def test_servers_are_added_listed_and_removed(ws: verigym.Workspace) -> None:
    version = ws.add_server("here", SERVER)
    assert ws.servers() == {"here": SERVER} and ws.agent("here") == version
    assert ws.remove_server("here") == SERVER
    assert ws.servers() == {}
    with pytest.raises(verigym.VerigymError, match="does not name a model"):
        ws.add_server("here", "http://localhost:8000/v1")


def test_tasks_stats_and_suites(ws: verigym.Workspace, model: str, desk: str, tmp_path: Path) -> None:
    assert [task.id for task in ws.tasks(desk)][:2] == ["val/a", "val/b"]
    assert len(ws.tasks(desk, split="train", n=3)) == 3
    assert (ws.stats(desk).tasks, ws.stats(desk).families) == (24, 24)
    file = tmp_path / "tasks.jsonl"
    file.write_text('{"prompt": "1 + 1", "answer": "2"}\n')
    assert ws.stats(file).tasks == 1
    assert ws.suites() == []
    report = ws.evaluate(desk, model, max_tokens=8)
    assert ws.suites() == [ws.suite("desk_eval")]
    assert ws.suite("desk_eval@1").versions == [report.agent]
