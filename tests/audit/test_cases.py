"""Corrected cases: kept as plain lines, complete in themselves, and replayed."""

import asyncio
from pathlib import Path

import pytest

from tests.audit.bad import RIGHT_SUM, SUMS, asked, audit, outputs, write
from verigym.audit import cases
from verigym.core.errors import BadInput
from verigym.core.protocols import Context
from verigym.core.records import Case, Trajectory, Turn
from verigym.environments.load import load_environment


def case(where: str, place: int = 1, should: str = "fail", note: str = "") -> Case:
    """Of the first task: output 0 is right, 1 and 2 are not."""
    group = outputs(where, ["99", "no"]).groups[0]
    return cases.make("verify", group.task, group.trajectories[place], should, note, "anna", lambda sha256: b"")


def test_they_lie_beside_the_environment_and_of_a_shipped_one_in_the_workspace() -> None:
    home = Path("home")
    assert cases.path_of("work/desk.py", home) == Path("work/desk.cases.jsonl")
    assert cases.path_of("train.csv,val.csv", home) == Path("train.cases.jsonl")
    assert cases.path_of("toolcall", home) == Path("home/cases/toolcall.cases.jsonl")


def test_a_case_is_one_line_without_tokens_and_reads_back_as_it_was(tmp_path: Path) -> None:
    one = case(write(tmp_path, SUMS, RIGHT_SUM), note="wrong sum")
    turn = Turn(completion_ids=[1, 2], logprobs=[-0.1, -0.2], made=[1])
    sampled = Trajectory(id="a", task="t", group="g", turns=[turn])
    bare = cases.make("verify", one.task, sampled, "pass", "", "", lambda sha256: b"")
    assert bare.trajectory.turns == [Turn(made=[1])]
    path = tmp_path / "deep" / "bad.cases.jsonl"
    assert cases.add(path, one) and not cases.add(path, one), "the same case twice is one"
    [line] = path.read_text().splitlines()
    assert line.startswith('{"schema":') and '"should":"fail","note":"wrong sum","who":"anna"' in line
    assert cases.read(path) == [one]


def test_the_later_line_on_an_output_counts_and_one_without_a_line_end_is_not_spoilt(tmp_path: Path) -> None:
    where, path = write(tmp_path, SUMS, RIGHT_SUM), tmp_path / "bad.cases.jsonl"
    first, other = case(where), case(where, should="pass")
    cases.add(path, first)
    path.write_bytes(path.read_bytes().rstrip())  # as an editor may leave it
    assert cases.add(path, other)
    assert [one.should for one in cases.read(path)] == ["pass"] and len(path.read_text().splitlines()) == 2


def test_a_line_that_is_no_case_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.cases.jsonl"
    for text in ("{", "[]", '{"should": "perhaps"}', "\xff"):
        path.write_text(f"\n{text}\n")
        with pytest.raises(BadInput, match=r"bad\.cases\.jsonl line 2: .*\. Correct or delete the line"):
            cases.read(path)


def test_cases_are_replayed_and_those_that_are_judged_wrongly_are_named(tmp_path: Path) -> None:
    where = write(tmp_path, SUMS, RIGHT_SUM)
    good, wrong = case(where), case(where, place=2, should="pass", note="it is polite")
    holds = asyncio.run(cases.cases_hold(load_environment(where), [good], Context()))
    assert holds == ("pass", "1 of 1")
    found = audit(where, cases=[good, wrong])
    words = asked(found, "corrected cases hold").words
    assert not found.trust and words in found.fix
    assert words.startswith(
        '1 of 2 corrected cases get the wrong verdict: run/val/10/2 fails and should pass ("it is polite")'
    )


def test_a_verifier_that_breaks_on_a_case_fails_it(tmp_path: Path) -> None:
    where = write(tmp_path, SUMS, "return 1 / 0")
    outcome, words = asyncio.run(cases.cases_hold(load_environment(where), [case(where)], Context()))
    assert outcome == "fail" and "ZeroDivisionError: division by zero" in words
