"""verigym ingest: what it says, and what it leaves behind."""

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from verigym.cli.main import app
from verigym.core.errors import BadInput

GOLDEN = Path(__file__).parents[1] / "traces" / "golden"


def run(*arguments: str, home: Path, input: str | None = None) -> Result:
    return CliRunner().invoke(app, [*arguments, "--home", str(home)], input=input)


def test_it_says_what_it_found_what_it_made_and_what_to_type_next(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"nothing": "known"}\n')
    done = run("ingest", str(GOLDEN / "chat.jsonl"), str(tmp_path / "bad.jsonl"), "--name", "week1", home=tmp_path)
    assert done.exit_code == 0
    assert "Chat Completions 10, unknown 1" in done.output
    assert "traces-week1: 8 new trajectories" in done.output
    assert "outcomes: unknown 6, failure 1, success 1" in done.output
    assert "email 1" in done.output
    assert "1 could not be read and are in" in done.output and "  1 x unknown format" in done.output
    assert "next: verigym trajectories list traces-week1" in done.output
    assert (tmp_path / "quarantine" / "week1.jsonl").exists()
    again = run("ingest", str(GOLDEN / "chat.jsonl"), "--name", "week1", home=tmp_path)
    assert "traces-week1: 0 new trajectories, 8 already stored" in again.output
    listed = run("trajectories", "list", "traces-week1", "--json", home=tmp_path)
    assert listed.exit_code == 0 and len(json.loads(listed.output)) == 8


def test_standard_input_and_json(tmp_path: Path) -> None:
    line = (GOLDEN / "messages.jsonl").read_text().splitlines()[0]
    done = run("ingest", "-", "--json", home=tmp_path, input=line + "\n")
    said = json.loads(done.output)
    assert done.exit_code == 0 and said["accepted"] == said["records"] == 1 and said["formats"] == {"messages": 1}


def test_the_exit_code_is_1_only_where_nothing_could_be_read(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("junk\n")
    (tmp_path / "empty.jsonl").write_text("\n")
    bad = run("ingest", str(tmp_path / "bad.jsonl"), home=tmp_path)
    assert bad.exit_code == 1 and "next: head -3" in bad.output
    empty = run("ingest", str(tmp_path / "empty.jsonl"), home=tmp_path)
    assert empty.exit_code == 1 and "no records" in empty.output
    both = run("ingest", str(tmp_path / "bad.jsonl"), str(GOLDEN / "atif.jsonl"), home=tmp_path)
    assert both.exit_code == 0


def test_a_file_that_is_not_there_is_told_before_any_is_read(tmp_path: Path) -> None:
    done = run("ingest", str(GOLDEN / "atif.jsonl"), str(tmp_path / "missing.jsonl"), home=tmp_path)
    assert isinstance(done.exception, BadInput) and "missing.jsonl does not exist. Nothing was read" in str(
        done.exception
    )
    assert not (tmp_path / "quarantine").exists()


def test_rules_of_ones_own_are_used_and_named(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("person: '\\bAnn\\b'\n")
    done = run("ingest", str(GOLDEN / "chat.jsonl"), "--rules", str(tmp_path / "rules.yaml"), home=tmp_path)
    assert "person 2" in done.output
    shown = run("trajectories", "list", "traces-ingested", "--json", home=tmp_path)
    assert "Ann" not in shown.output


def test_feedback_that_is_not_understood_is_named(tmp_path: Path) -> None:
    rows = [
        {
            "messages": [{"role": "user", "content": f"q{n}"}, {"role": "assistant", "content": "a"}],
            "feedback": {"stars": n},
        }
        for n in range(1, 4)
    ]
    rows[0]["metadata"] = {"feedback": "thumbs_down"}
    (tmp_path / "rated.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("ingest", str(tmp_path / "rated.jsonl"), home=tmp_path / "home")
    assert "outcomes: unknown 2, failure 1" in done.output
    assert "not used: feedback.stars in 2 records (values such as 2, 3). Its meaning is not known" in done.output
    assert "to use it: --feedback 'feedback.stars>=NUMBER'" in done.output
    again = run("ingest", str(tmp_path / "rated.jsonl"), "--feedback", "feedback.stars>=3", home=tmp_path / "home")
    assert "outcomes: failure 2, success 1" in again.output and "not used" not in again.output
    typo = run("ingest", str(tmp_path / "rated.jsonl"), "--feedback", "stars>=3", home=tmp_path / "home")
    assert 'no record has the feedback field "stars"' in typo.output
