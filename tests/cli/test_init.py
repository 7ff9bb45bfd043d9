"""init and check, as a user of a new machine types them; and the words when something is wrong."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import verigym
from verigym.cli.main import app


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return 2, str(result.exception)
    return result.exit_code, result.output


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_init_writes_an_environment_whose_contract_holds() -> None:
    code, said = run("init", "desk")
    assert code == 0 and "next: verigym check desk.py" in said
    code, said = run("check", "desk.py")
    assert code == 0 and "all checks passed" in said and "FAIL" not in said
    assert "tasks of val: 20 tasks in 5 families" in said and "1 tool, each" in said


def test_init_overwrites_nothing_and_takes_only_python_names() -> None:
    Path("desk.py").write_text("mine")
    assert "exists. Choose another name" in run("init", "desk")[1]
    assert Path("desk.py").read_text() == "mine"
    assert "is not a valid Python name" in run("init", "my-desk")[1]
    assert "The folder nowhere does not exist" in run("init", "nowhere/desk")[1]


def test_init_writes_rows_for_those_who_only_have_prompts_and_answers() -> None:
    assert "verigym init NAME.jsonl" in run("init", "desk")[1]
    code, said = run("init", "my-faq.jsonl")
    assert code == 0 and "wrote my-faq.jsonl" in said and "next: verigym check my-faq.jsonl" in said
    code, said = run("check", "my-faq.jsonl")
    assert code == 0 and "my-faq.jsonl: all checks passed" in said and "train: 6 tasks" in said
    assert "exists" in run("init", "my-faq.jsonl")[1]


def test_check_of_prompts_says_what_scores_them_and_what_is_open() -> None:
    Path("faq.jsonl").write_text('{"prompt": "What is 2 + 2?", "answer": "4"}\n')
    said = " ".join(run("check", "faq.jsonl")[1].split())
    assert "checks passed, 1 open" in said and "verigym tasks split faq.jsonl" in said
    assert "scored by exact_match: the whole reply must be the answer" in said and "--verifier numeric" in said
    Path("faq.jsonl").write_text('{"prompt": "Where is the Louvre?", "answer": "Paris"}\n')
    said = run("check", "faq.jsonl")[1]
    assert "scored by exact_match" in said and "numeric" not in said
    run("init", "desk")
    assert "scored by" not in run("check", "desk.py")[1]


def test_check_can_skip_invalid_rows() -> None:
    Path("faq.jsonl").write_text('{"prompt": "Where is the Louvre?", "answer": "Paris"}\n{"answer": "4"}\n')
    assert run("check", "faq.jsonl")[0] == 2
    code, said = run("check", "faq.jsonl", "--skip-bad")
    assert code == 0 and "1 invalid row" in said and "tasks of val: 1 task" in said


COMMANDS = [
    *(
        "quickstart",
        "init",
        "check",
        "tasks",
        "models",
        "rollout",
        "eval",
        "rescore",
        "explain",
        "train",
        "compare",
        "gate",
        "promote",
    ),
    *("rollback", "runs", "trajectories"),
]
BROKEN = {
    "gold solutions pass": ("return 1.0 if", "return 0.0 if"),
    "cheats do not pass": ('return 1.0 if trajectory.end_state.get("events") == booked else 0.0', "return 1.0"),
    "a stored trajectory scores the same": (
        'return 1.0 if trajectory.end_state.get("events") == booked else 0.0',
        "import random; return random.random()",
    ),
    "the same replies end the same": ("self.events[slot] = attendee", "self.events[slot] = str(object())"),
    "close runs whatever happens": (
        "    def end_state",
        "    def close(self): raise OSError('stuck')\n\n    def end_state",
    ),
    "tools have valid schemas": ("    @tool\n", "    @tool('book a meeting')\n"),
    "episodes share no state": ('self.events = dict(task.data["events"])', 'self.events = SHARED.setdefault("x", {})'),
    "nothing leaks between splits": ('family=f"{split}/{number}"', 'family="one"'),
    "nonsense never crashes it": ("expected = task.data", 'assert trajectory.reply != "{"; expected = task.data'),
    "tasks of val": ('"val": [\n        "I need', '"other": [\n        "I need'),
}


@pytest.mark.parametrize("question", BROKEN)
def test_check_finds_what_is_broken(question: str) -> None:
    run("init", "desk")
    old, new = BROKEN[question]
    text = Path("desk.py").read_text()
    assert old in text
    Path("desk.py").write_text(text.replace(old, new) + "\nSHARED: dict = {}\n")
    code, said = run("check", "desk.py")
    assert code == 1 and f"FAIL {question}" in said, said


def test_check_says_what_to_do_with_tasks_none_of_which_is_held_out() -> None:
    rows = [f'{{"prompt": "What is {n} and {n}?", "answer": "{2 * n}", "split": "train"}}' for n in range(9)]
    Path("sums.jsonl").write_text("\n".join(rows))
    code, said = run("check", "sums.jsonl")
    assert code == 1 and "FAIL tasks of val: no val tasks" in said and "next: verigym tasks split sums.jsonl" in said


WIDE = (
    Path(verigym.__file__)
    .with_name("environments")
    .joinpath("template.py")
    .read_text()
    .replace('"train": ["Alex", "Dana", "Omar", "Mei"]', '"train": [f"Person {n}" for n in range(15)]')
    .replace(
        "    expected = task",
        '    open("seen.txt", "a").write(task.id + " " + task.family + "\\n")\n    expected = task',
    )
)
"""60 training tasks in 2 families and 20 held-out tasks in 5. The verifier writes which tasks it scored."""


def seen() -> set[tuple[str, ...]]:
    lines = {tuple(line.split()) for line in Path("seen.txt").read_text().splitlines()}
    Path("seen.txt").unlink()
    return lines


def test_check_takes_the_same_sample_of_every_family_unless_all_tasks_are_asked_for() -> None:
    Path("wide.py").write_text(WIDE)
    code, said = run("check", "wide.py")
    assert code == 0 and "checked a sample: 40 of 80 tasks. --all checks every task\n" in said
    assert "gold solutions pass: 40 of 40" in said and len(seen()) == 40
    code, said = run("check", "wide.py", "-n", "12")
    assert code == 0 and "checked a sample: 12 of 80 tasks" in said and "gold solutions pass: 12 of 12" in said
    few = seen() - {("val-0", "val/0")}  # also played to find out whether the verifier asks a judge
    assert {family for _, family in few} >= {"train/0", "train/1", "val/1", "val/2", "val/3", "val/4"}
    run("check", "wide.py", "-n", "12")
    assert seen() - {("val-0", "val/0")} == few
    code, said = run("check", "wide.py", "--all")
    assert code == 0 and "sample" not in said and "gold solutions pass: 80 of 80" in said and len(seen()) == 80
    assert "checked a sample" not in run("check", "wide.py", "-n", "200")[1]
    assert "(-n) and all tasks (--all) cannot be combined. Remove one" in run("check", "wide.py", "-n", "2", "--all")[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import nosuchmodule", "desk.py line 1: cannot be loaded: ModuleNotFoundError"),
        ("def (", "desk.py line 1: cannot be loaded: SyntaxError"),
        ("x = 1", "needs a class Environment with open(self, task)"),
        ("class Environment:\n    def open(self, task): ...", "needs a function tasks(split)"),
        (
            "class Environment:\n    def open(self, task): ...\ndef tasks(split): ...",
            "needs a function verify(task, trajectory)",
        ),
    ],
    ids=["import", "syntax", "no class", "no tasks", "no verify"],
)
def test_a_file_that_is_no_environment_is_refused_in_words(text: str, said: str) -> None:
    Path("desk.py").write_text(text)
    assert said in run("check", "desk.py")[1]


def test_an_error_ends_with_code_2_and_no_traceback() -> None:
    done = subprocess.run([sys.executable, "-m", "verigym.cli.main", "check", "nosuch"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith('error: There is no environment "nosuch"') and "Traceback" not in done.stderr


def test_help_names_every_command() -> None:
    code, said = run("--help")
    assert code == 0
    assert [command for command in COMMANDS if f"\n  {command} " not in said] == []


def test_the_version_is_printed_without_a_command() -> None:
    code, said = run("--version")
    assert code == 0 and said == f"verigym {verigym.__version__}\n"
