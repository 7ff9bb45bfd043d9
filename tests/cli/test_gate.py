"""gate, policy and promote as a person types them, on reports that were made by hand. No model."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.workspace.office import DESK, Office, pair
from verigym.cli.main import app
from verigym.core.errors import VerigymError
from verigym.core.records import Version
from verigym.registry import ledger


@pytest.fixture
def office(tmp_path: Path) -> Office:
    (tmp_path / "alone.yaml").write_text("retention: null\nsafety: null\nmargins: {latency: null}\n")
    (tmp_path / "careful.yaml").write_text("retention: null\nsafety: null\nmargins: {latency: null}\nalpha: 0.01\n")
    return Office(tmp_path)


def typed(office: Office, *words: str) -> Result:
    words = tuple(str(office.file.parent / word) if word.endswith(".yaml") else word for word in words)
    home = [] if words[0] == "policies" else ["--home", str(office.ws.home)]
    done = CliRunner().invoke(app, [*words, *home])
    if isinstance(done.exception, VerigymError):
        raise done.exception
    return done


def gated(office: Office, *words: str) -> tuple[Version, Version, Result]:
    new, old = pair(office)
    return new, old, typed(office, "gate", new.id, "--champion", old.id, "--policy", "alone.yaml", *words)


def test_the_gate_prints_every_check_a_paragraph_and_what_to_type_next(office: Office):
    new, old, done = gated(office)
    assert done.exit_code == 0
    assert done.output.startswith("Replies are sampled as in run eval-old: greedy, at most 16 tokens a reply.\n")
    assert "ok   better on held-out tasks: success +50.0 points" in done.output
    assert "-    the safety suite: left out by the policy" in done.output
    words = " ".join(done.output.split())
    assert 'Policy "alone"' in words and "next: verigym promote new --home" in words
    assert f"Success: candidate new ({new.id}) 100.0%" in words and f"champion old ({old.id}) 50.0%" in words
    assert words.count("success +50.0 points") == 1, "the paragraph does not repeat a check"
    assert " checks passed. Left out by the policy" in words


def test_the_paragraph_names_failed_checks_and_does_not_repeat_them(office: Office):
    old, new = office.version("old"), office.version("new")
    office.report(old, range(60))
    office.report(new, range(120))
    for command in (["gate", "new", "--champion", "old"], ["promote", "new", "--override", ""]):
        if command[0] == "promote":
            ledger.set_first_champion(office.ws.store, old.id)
        words = " ".join(typed(office, *command, "--policy", "alone.yaml").output.split())
        assert words.count("a gain of 5 points is ruled out") == 1
        assert "Failed: better on held-out tasks, what the champion masters is kept." in words
        assert "next: verigym compare old new" in words


def test_a_name_that_two_versions_share_is_not_typed(office: Office):
    new, old = pair(office)
    office.version("old", system_prompt="another")
    done = typed(office, "gate", new.id, "--champion", old.id, "--policy", "alone.yaml")
    assert f"champion old ({old.id})" in " ".join(done.output.split())
    office.report(new, range(120))
    done = typed(office, "gate", old.id, "--champion", new.id, "--policy", "alone.yaml")
    assert f"next: verigym compare new {old.id}" in done.output


def test_a_machine_gets_the_whole_decision(office: Office):
    new, old, done = gated(office, "--json")
    decision = json.loads(done.stdout)
    assert (decision["verdict"], decision["candidate"], decision["champion"]) == ("PROMOTE", new.id, old.id)
    assert decision["policy"]["retention"] is None and len(decision["policy_hash"]) == 64
    assert decision["measured"][0]["tasks"] == 120


@pytest.mark.parametrize(
    ("wrong", "verdict", "code"),
    [(range(120), "REJECT", 1), (range(58), "NEED MORE DATA", 3)],
    ids=["worse", "not settled"],
)
def test_the_exit_code_is_the_verdict(office: Office, wrong: range, verdict: str, code: int):
    old, new = office.version("old"), office.version("new")
    office.report(old, range(60))
    office.report(new, wrong)
    done = typed(office, "gate", new.id, "--champion", old.id, "--policy", "alone.yaml")
    assert (done.exit_code, verdict in done.output) == (code, True), done.output


def test_every_answer_of_the_gate_is_in_the_ledger_with_its_policy(office: Office):
    new, old, _ = gated(office)
    again = typed(office, "gate", new.id, "--champion", old.id, "--policy", "careful.yaml")
    assert "were judged before by another policy (alone, " in " ".join(again.output.split())
    known = ledger.entries(office.ws.store)
    assert [entry.decision.policy["name"] for entry in known] == ["alone", "careful"]
    assert {entry.champion_after for entry in known} == {None}, "asking moves nobody"


def test_a_version_is_promoted_by_the_policy_that_it_was_gated_with(office: Office):
    new, old = pair(office)
    ledger.set_first_champion(office.ws.store, old.id)
    typed(office, "gate", new.id, "--policy", "alone.yaml")
    done = typed(office, "promote", new.id)
    assert f"({new.id}) is now champion" in done.output
    assert ledger.entries(office.ws.store)[-1].decision.policy["name"] == "alone"


def test_a_changed_verifier_is_named_with_the_way_out(office: Office):
    old, new = office.version("old"), office.version("new")
    office.report(old, range(60))
    office.file.write_text(DESK.replace("== trajectory.reply", "== trajectory.reply.strip()"))
    office.report(new, [])
    with pytest.raises(VerigymError, match="verigym rescore eval-new and verigym rescore eval-old"):
        typed(office, "compare", old.id, new.id)
    for run in ("eval-new", "eval-old"):
        assert typed(office, "rescore", run).exit_code == 0
    assert typed(office, "gate", new.id, "--champion", old.id, "--policy", "alone.yaml").exit_code == 0


def test_a_policy_is_printed_as_a_file_to_start_from(office: Office, tmp_path: Path):
    done = typed(office, "policies", "show", "quick")
    assert done.exit_code == 0 and done.output.startswith("# Policy quick (")
    (tmp_path / "mine.yaml").write_text(done.output)
    assert json.loads(typed(office, "policies", "show", "mine.yaml", "--json").output)["retention"]["tasks"] == 240


def test_a_policy_with_a_mistake_stops_before_anything_is_measured(office: Office, tmp_path: Path):
    new, old = pair(office)
    (tmp_path / "bad.yaml").write_text("margins: {unsave: 0.1}")
    for words in (
        ["gate", new.id, "--champion", old.id, "--policy", "bad.yaml"],
        ["promote", new.id, "--policy", "bad.yaml"],
    ):
        with pytest.raises(VerigymError, match=r"unknown key margins\.unsave. Did you mean margins\.unsafe"):
            typed(office, *words)
    assert ledger.entries(office.ws.store) == []
