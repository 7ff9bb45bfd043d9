"""design, as a user types it: preview, exactly N, failures by name, variations, a teacher."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_init import run
from verigym.policies.scripted import ScriptedPolicy
from verigym.tasks.load import load_tasks

RANGES = """\
n: 300
columns:
  low: {kind: uniform, low: 0, high: 50}
  high: {kind: uniform, low: 0, high: 100}
constraints: [low < high]
"""
SUMS = """\
n: 12
held_out: []
columns:
  a: {kind: int, low: 1, high: 99}
  b: {kind: int, low: 1, high: 99}
  prompt: "What is {{ a }} plus {{ b }}?"
  answer: "{{ a + b }}"
keep: [prompt, answer]
validators: [{kind: gold}]
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VERIGYM_HOME", str(tmp_path / "home"))
    Path("ranges.yaml").write_text(RANGES)
    Path("sums.yaml").write_text(SUMS)


def test_a_table_is_written_with_its_rejects_and_its_picture() -> None:
    code, said = run("design", "make", "ranges.yaml")
    assert code == 0
    assert "wrote ranges.jsonl: 300 rows, seed 0" in said and "low < high" in said
    rows = [json.loads(line) for line in Path("ranges.jsonl").read_text().splitlines()]
    assert len(rows) == 300 and all(row["low"] < row["high"] for row in rows)
    assert Path("ranges.jsonl.profile.svg").read_text().startswith("<svg")
    assert "constraint" in Path("ranges.jsonl.rejected.jsonl").read_text()
    first = Path("ranges.jsonl").read_bytes()
    run("design", "make", "ranges.yaml", "-n", "300", "--out", "again.jsonl")
    assert Path("again.jsonl").read_bytes() == first
    assert not list(Path().glob(".*.partial"))


def test_tasks_come_with_the_next_command_and_as_json() -> None:
    code, said = run("design", "make", "sums.yaml", "--out", "made/sums.jsonl")
    assert code == 0 and said.rstrip().splitlines()[-1].startswith("next: verigym rollout made/sums.jsonl -m")
    assert len(load_tasks("made/sums.jsonl")) == 12
    code, said = run("design", "make", "sums.yaml", "--json", "--seed", "4", "-n", "5")
    found = json.loads(said)
    assert code == 0 and found["profile"]["rows"] == 5 and found["seed"] == 4
    assert len(load_tasks(found["file"])) == 5


def test_a_preview_shows_the_first_rows_and_writes_nothing() -> None:
    code, said = run("design", "make", "sums.yaml", "--preview", "2")
    assert code == 0 and "row 2" in said and "row 3" not in said and "next: verigym design make sums.yaml -n 12" in said
    assert sorted(path.name for path in Path().iterdir()) == ["ranges.yaml", "sums.yaml"]
    code, said = run("design", "make", "sums.yaml", "--preview", "2", "--json")
    rows = json.loads(said)["rows"]
    run("design", "make", "sums.yaml")
    assert [row["prompt"] for row in rows] == [task.prompt for task in load_tasks("sums.jsonl")[:2]]


def test_a_starved_set_fails_loudly_and_leaves_what_was_there() -> None:
    run("design", "make", "ranges.yaml")
    before = Path("ranges.jsonl").read_bytes()
    Path("ranges.yaml").write_text(RANGES.replace("low < high", "low > high + 60"))
    code, said = run("design", "make", "ranges.yaml")
    assert code == 2 and 'The constraint "low > high + 60" cannot be met' in said
    assert "Rejected rows: ranges.jsonl.rejected.jsonl. Profile: ranges.jsonl" in said
    assert Path("ranges.jsonl").read_bytes() == before
    assert 'constraint \\"low > high + 60\\"' in Path("ranges.jsonl.rejected.jsonl").read_text()
    assert "seed 0: 0 rows" in Path("ranges.jsonl.profile.svg").read_text()


def test_only_a_file_that_the_same_command_made_is_overwritten() -> None:
    assert run("design", "make", "sums.yaml")[0] == run("design", "make", "sums.yaml", "-n", "5", "--seed", "4")[0] == 0
    Path("sums.yaml").write_text(SUMS.replace("high: 99", "high: 88"))
    assert run("design", "make", "sums.yaml")[0] == 0
    code, said = run("design", "make", "ranges.yaml", "--out", "sums.jsonl")
    assert (
        code == 2
        and "sums.jsonl exists and was not written by this command. It is not overwritten" in said
        and "--out" in said
    )
    with Path("sums.jsonl").open("a") as file:
        file.write('{"prompt": "by hand", "answer": "1"}\n')
    changed = Path("sums.jsonl").read_bytes()
    code, said = run("design", "make", "sums.yaml")
    assert code == 2 and "sums.jsonl was changed after it was written" in said
    assert run("design", "make", "sums.yaml", "--preview", "1")[0] == 0
    Path("ranges.jsonl").write_text("by hand\n")
    assert run("design", "make", "ranges.yaml")[0] == 2
    assert (Path("sums.jsonl").read_bytes(), Path("ranges.jsonl").read_text()) == (changed, "by hand\n")


def test_variations_of_another_kind_do_not_overwrite_those_there_are() -> None:
    typos = ["design", "vary", "toolcall", "--by", "typo", "-n", "5"]
    assert run(*typos)[0] == run(*typos, "--seed", "3")[0] == 0
    code, said = run("design", "vary", "toolcall", "--by", "distractor", "-n", "5")
    assert code == 2 and "toolcall.varied.jsonl exists and was not written by this command" in said
    assert {task.tags[-1] for task in load_tasks("toolcall.varied.jsonl")} == {"typo"}


def test_a_set_of_one_family_is_told_to_need_more_before_it_is_split() -> None:
    words = 'all tasks are in one family. Add a "family" column to the spec before you split'
    assert words in run("design", "make", "sums.yaml")[1]
    Path("more.yaml").write_text(
        SUMS.replace("keep: [", "  family: sums up to {{ a // 25 * 25 + 25 }}\nkeep: [family, ")
    )
    assert words not in run("design", "make", "more.yaml")[1] and words not in run("design", "make", "ranges.yaml")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["design"], "Usage:"),
        (["design", "make", "nope.yaml"], "does not exist"),
        (["design", "make"], "Missing argument"),
        (["design", "make", "sums.yaml", "--by", "typo"], "No such option"),
        (["design", "make", "sums.yaml", "--out", "sums.yaml"], "is the spec"),
        (["design", "make", "sums.yaml", "--out", "."], "is a folder"),
        (["design", "make", "sums.yaml", "--out", "sums.csv"], ".jsonl or .json or .parquet"),
        (["design", "make", "ranges.yaml", "--out", "ranges.parquet"], "can be written only as .jsonl"),
        (["design", "make", "ranges.yaml", "--teacher", "x"], "no prompt column"),
        (["design", "make", "sums.yaml", "--teacher-output", "all"], "'demos', 'pairs'"),
        (["design", "vary", "nothing"], 'no environment "nothing"'),
        (["design", "vary", "toolcall", "--by", "tpyo"], 'Did you mean "typo"'),
        (["design", "vary", "toolcall", "--split", "none"], "no split"),
    ],
)
def test_what_cannot_be_is_said_in_words(words: list[str], said: str) -> None:
    code, out = run(*words)
    assert code == 2 and said in out


def test_variations_of_an_environment_and_of_a_file() -> None:
    code, said = run("design", "vary", "toolcall", "--by", "typo", "--by", "unsafe", "-n", "20", "--out", "more.jsonl")
    assert code == 0 and "wrote more.jsonl: 20 tasks" in said and "next: verigym rollout toolcall+more.jsonl" in said
    assert {task.tags[-1] for task in load_tasks("more.jsonl")} == {"typo", "unsafe"}
    run("design", "make", "sums.yaml")
    code, said = run("design", "vary", "sums.jsonl", "--by", "paraphrase", "--json")
    found = json.loads(said)
    assert code == 0 and found["counts"] == {"paraphrase": 12} and found["file"] == "sums.varied.jsonl"
    code, said = run("design", "vary", "sums.jsonl", "--by", "distractor", "--preview", "2")
    assert code == 0 and "distractor" in said
    code, said = run("design", "vary", "toolcall", "--split", "val", "--by", "typo", "-n", "3", "--out", "hard.jsonl")
    assert code == 0 and "next: verigym eval toolcall+hard.jsonl -m smollm2-135m --split mined_v1" in said
    code, said = run("design", "vary", "sums.jsonl", "--by", "distractor", "--preview", "2")
    assert "next: verigym design vary sums.jsonl --out" in said
    code, said = run("design", "vary", "toolcall", "--split", "val", "--teacher", "any")
    assert code == 2 and 'tasks of split "val" are held out' in said


def test_held_out_rows_never_become_training_tasks() -> None:
    Path("faq.jsonl").write_text('{"prompt": "What is the capital of France?", "answer": "Paris"}\n')
    code, said = run("design", "vary", "faq.jsonl")
    assert code == 2 and "held out" in said and "verigym tasks split faq.jsonl" in said
    assert not Path("faq.varied.jsonl").exists()
    assert run("design", "vary", "faq.jsonl", "--split", "val", "--by", "distractor")[0] == 0
    assert [task.split for task in load_tasks("faq.varied.jsonl")] == ["mined_v1"]


def test_a_teachers_solutions_become_demonstrations_or_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A teacher that is right three times of four: what passed is kept, and better and worse make pairs."""
    from verigym.workspace.workspace import WorkspaceFolder

    def answer(request):  # type: ignore[no-untyped-def]
        words = request.items[-1].text.split()
        right = int(words[2]) + int(words[4].strip("?"))
        return str(right if request.seed % 4 else 0)

    monkeypatch.setattr(WorkspaceFolder, "policy", lambda self, version: ScriptedPolicy(answer))
    code, said = run("design", "make", "sums.yaml", "--teacher", "http://localhost:1/v1#wise", "-k", "4")
    assert code == 0 and re.search(
        r"\d+ demonstrations of 1[12] tasks\nnext: verigym train recipes/sft.yaml data=demos", said
    )
    code, said = run(
        "design", "make", "sums.yaml", "--teacher", "http://localhost:1/v1#wise", "--teacher-output", "pairs", "--json"
    )
    found = json.loads(said)["taught"]
    assert code == 0 and found["data"]["kind"] == "preferences" and found["scored"] == 48 > found["passed"] > 24


@pytest.mark.slow
def test_a_killed_command_goes_on_where_it_was() -> None:
    Path("slow.py").write_text(
        "import time\nfrom pathlib import Path\n"
        "def total(a, b):\n    time.sleep(0.002)\n    Path('calls').open('a').write('x')\n    return a + b\n"
    )
    spec = SUMS.replace(
        'answer: "{{ a + b }}"',
        "answer: {kind: expression, value: total}\n  total: {kind: code, file: slow.py, in_process: true}",
    )
    Path("slow.yaml").write_text(
        spec.replace("n: 12", "n: 1500").replace("high: 99", "high: 9999").replace("validators", "# validators")
    )
    command = [sys.executable, "-m", "verigym.cli.main", "design", "make", "slow.yaml"]
    running = subprocess.Popen(command)
    while not list(Path().glob(".slow.jsonl.*.partial")) and running.poll() is None:
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    assert not Path("slow.jsonl").exists()
    Path("calls").unlink()
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode == 0 and re.search(
        r"^\d+ rows? known from before; it goes on from there$", again.stdout, re.M
    )
    assert len(Path("calls").read_text()) < 1500
    resumed = Path("slow.jsonl").read_bytes()
    subprocess.run([*command, "--out", "whole.jsonl"], check=True, stdout=subprocess.DEVNULL)
    assert Path("whole.jsonl").read_bytes() == resumed
