"""tasks show, stats, split, dedup and leaks, as a user types them; and --skip-bad wherever tasks are read."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_init import run
from verigym.cli import main
from verigym.core.records import Message, Task
from verigym.environments.load import load_environment
from verigym.tasks.load import load_tasks

LONG = "Please book a table for four people at the Italian place on Friday evening"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, *rows: Any) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))


def questions(count: int = 60, **more: Any) -> list[dict[str, Any]]:
    return [
        {"prompt": f"{word * 5} {n}", "answer": n, "family": f"f{n % 30}", **more} for n, word in enumerate("q" * count)
    ]


# -- show -------------------------------------------------------------------------------------------------------------


def test_an_environments_tasks_are_listed_and_one_is_shown_with_its_gold_solution_played() -> None:
    code, said = run("tasks", "list", "workplace", "-n", "3")
    assert code == 0 and said.count("workplace/val/") == 4 and "3 of 357 tasks of val" in said
    shown = said.rsplit(" ", 1)[1].strip()
    code, said = run("tasks", "show", "workplace", shown)
    assert code == 0 and f"task {shown} · split val" in said
    assert "[user]" in said and "[call " in said and "verdict by workplace_verifier" in said and "PASSED" in said
    code, said = run("tasks", "show", "workplace", shown, "--json")
    assert json.loads(said)["verdict"]["passed"]


def test_a_task_that_is_none_and_a_split_without_tasks_are_said() -> None:
    code, said = run("tasks", "show", "toolcall", "nope")
    assert (
        code == 2 and 'no task "nope"' in said and "List them: verigym tasks list toolcall" in said and len(said) < 2000
    )
    assert 'Did you mean "val"?' in run("tasks", "list", "workplace", "--split", "vla")[1]


def test_a_task_without_a_gold_solution_is_shown_all_the_same() -> None:
    write("open.jsonl", {"id": "why", "prompt": "Why?", "split": "val", "family": "a"})
    code, said = run("tasks", "show", "open.jsonl", "why")
    assert code == 0 and "no gold solution" in said and "Why?" in said


# -- stats ------------------------------------------------------------------------------------------------------------


def test_stats_count_a_file_and_say_what_comes_next() -> None:
    write("q.jsonl", *questions(3, tags=["easy"]), {"prompt": LONG, "completion": "Done."})
    code, said = run("tasks", "stats", "q.jsonl")
    assert code == 0
    assert said.startswith("q.jsonl: 4 tasks of 4 families, hash ")
    for words in (
        "answer 3, demonstration 1",
        "none named 4 of 4 families",
        "easy 3",
        "max 74",
        "without a family: 1.",
    ):
        assert words in said
    assert said.endswith("next: verigym tasks split q.jsonl\n")


def test_stats_send_a_file_with_repeats_to_dedup_and_one_with_splits_to_leaks() -> None:
    write("q.jsonl", *questions(2), {"prompt": "qqqqq 0", "answer": 0, "family": "f0"})
    assert run("tasks", "stats", "q.jsonl")[1].endswith("next: verigym tasks dedup q.jsonl\n")
    write("q.jsonl", *questions(2), {"prompt": LONG, "answer": 0, "split": "val"})
    assert run("tasks", "stats", "q.jsonl")[1].endswith("next: verigym tasks leaks q.jsonl\n")


def test_stats_as_json_hold_the_whole_hash() -> None:
    write("q.jsonl", *questions(30, tags=[str(n) for n in range(20)]))
    found = json.loads(run("tasks", "stats", "q.jsonl", "--json")[1])
    assert (found["tasks"], len(found["hash"]), len(found["tags"])) == (30, 64, 20)
    assert "and 8 more" in run("tasks", "stats", "q.jsonl")[1]


def test_a_held_out_file_is_not_to_be_split() -> None:
    write("q.jsonl", *questions(3, split="val"))
    assert "next:" not in run("tasks", "stats", "q.jsonl")[1]


def test_stats_count_all_tasks_of_an_environment() -> None:
    code, said = run("tasks", "stats", "plain")
    assert code == 0 and said.startswith("plain: 294 tasks of 32 families, hash ")
    assert "train 274 of 28 families, val 20 of 4 families" in said
    assert said.endswith("next: verigym tasks list plain\n")
    code, said = run("tasks", "stats", "plane")
    assert code == 2 and 'no environment "plane"' in said


def test_an_environment_without_tasks_is_not_counted() -> None:
    Path("bare.py").write_text(
        "class Environment:\n    def open(self, task): ...\n\n"
        "def tasks(split): return []\n\ndef verify(task, trajectory): return 0\n"
    )
    code, said = run("tasks", "stats", "bare.py")
    assert code == 2 and "bare.py contains no tasks" in said


# -- split ------------------------------------------------------------------------------------------------------------


def test_split_writes_a_file_a_side_and_the_next_command_finds_no_leak() -> None:
    write("q.jsonl", *questions())
    code, said = run("tasks", "split", "q.jsonl", "--val", "0.3", "--test", "0.2")
    assert code == 0, said
    sides = {name: load_tasks(f"q/{name}.jsonl") for name in ("train", "val", "test")}
    assert sum(map(len, sides.values())) == 60
    assert all(task.split == name for name, tasks in sides.items() for task in tasks)
    command = "verigym tasks leaks q/train.jsonl q/val.jsonl q/test.jsonl"
    assert said.endswith(f"next: {command}\n")
    code, said = run(*command.split()[1:], "--near", "1")
    assert code == 0 and "nothing in common" in said
    assert said.endswith("next: verigym eval q/train.jsonl,q/val.jsonl -m smollm2-135m\n")


def test_split_again_makes_the_same_files_and_another_seed_others() -> None:
    write("q.jsonl", *questions())
    made = []
    for seed in ("0", "0", "1"):
        run("tasks", "split", "q.jsonl", "--seed", seed, "-o", "out")
        made.append(Path("out/val.jsonl").read_bytes())
    assert made[0] == made[1] != made[2]


def test_split_keeps_the_format_where_it_can_be_written() -> None:
    Path("q.csv").write_text("prompt,answer,family\n" + "".join(f"{n}?,{n},f{n}\n" for n in range(40)))
    run("tasks", "split", "q.csv")
    assert sorted(path.name for path in Path("q").glob("[!.]*")) == ["train.jsonl", "val.jsonl"]
    run("tasks", "dedup", "q/train.jsonl", "-o", "p.parquet")
    code, said = run("tasks", "split", "p.parquet", "--json", "--seed", "1")
    found = json.loads(said)
    assert found["files"] == {"train": "p/train.parquet", "val": "p/val.parquet"} and code == 0
    assert {task.id for path in found["files"].values() for task in load_tasks(path)} == {
        task.id for task in load_tasks("q/train.jsonl")
    }


def test_split_warns_of_a_family_that_is_most_of_a_side() -> None:
    write("q.jsonl", *questions(30), *[{"prompt": f"{LONG} {n}", "answer": n, "family": "big"} for n in range(60)])
    code, said = run("tasks", "split", "q.jsonl")
    assert code == 0 and 'is one family, "big"' in said
    assert len(json.loads(run("tasks", "split", "q.jsonl", "--json")[1])["warnings"]) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--val", "0.6", "--test", "0.4"], "leave nothing to train on"),
        (["-o", "q.jsonl"], "q.jsonl is a file. Name a folder with --out"),
        (["--val", "0"], ""),
    ],
    ids=["all held out", "out is a file", "nothing held out"],
)
def test_split_refuses_what_makes_no_sense(words: list[str], said: str) -> None:
    write("q.jsonl", *questions())
    code, told = run("tasks", "split", "q.jsonl", *words)
    assert (code == 2) is bool(said) and said in told


def test_split_refuses_to_leave_a_side_empty_or_to_overwrite_its_input() -> None:
    write("train.jsonl", *questions(2))
    assert 'no family falls into "' in run("tasks", "split", "train.jsonl", "--val", "0.01")[1]
    write("train.jsonl", *questions(3, **{"family": "one"}))
    assert 'all tasks are in one family, "one"' in run("tasks", "split", "train.jsonl")[1]
    write("train.jsonl", *questions())
    assert "train.jsonl would be overwritten" in run("tasks", "split", "train.jsonl", "-o", ".")[1]


# -- dedup ------------------------------------------------------------------------------------------------------------


def test_dedup_says_what_went_because_of_what() -> None:
    rows = [{"prompt": LONG, "answer": 1}, {"prompt": LONG + "!", "answer": 1}, {"prompt": LONG, "answer": 1}]
    write(
        "q.jsonl", *rows, {"prompt": "2+2?", "answer": 4}, {"prompt": "2+2?", "answer": 5}, {"prompt": "x", "answer": 1}
    )
    code, said = run("tasks", "dedup", "q.jsonl")
    assert code == 0
    assert said.splitlines() == [
        "wrote q.clean.jsonl: 2 tasks. Removed 1 exact duplicate and 1 near-duplicate",
        "  q-2 duplicates q-1 (similarity 0.99)",
        "  q-3 duplicates q-1 (exact)",
        "2 tasks have the same prompt and different answers, removed (--keep-conflicts keeps them):",
        "  q-4, q-5",
        "next: verigym tasks split q.clean.jsonl",
    ]
    assert [task.id for task in load_tasks("q.clean.jsonl")] == ["q-1", "q-6"]


def test_dedup_keeps_conflicts_when_asked_and_refuses_to_write_nothing() -> None:
    write("q.jsonl", {"prompt": "2+2?", "answer": 4}, {"prompt": "2+2?", "answer": 5})
    assert "all tasks are conflicts" in run("tasks", "dedup", "q.jsonl")[1]
    code, said = run("tasks", "dedup", "q.jsonl", "--keep-conflicts", "-o", "out.json")
    assert code == 0 and "2 tasks have the same prompt and different answers, kept:" in said
    assert len(load_tasks("out.json")) == 2


def test_dedup_as_json_lists_all_and_ignores_what_is_named() -> None:
    write("q.jsonl", *[{"prompt": LONG, "answer": 1, "score": n} for n in range(9)])
    assert json.loads(run("tasks", "dedup", "q.jsonl", "--json")[1])["repeats"] == []
    found = json.loads(run("tasks", "dedup", "q.jsonl", "--json", "--ignore", "score")[1])
    assert (found["tasks"], len(found["repeats"]), found["conflicts"]) == (1, 8, [])
    assert "--json lists all of them" in run("tasks", "dedup", "q.jsonl", "--ignore", "score")[1]


def test_dedup_overwrites_no_input_and_writes_no_csv() -> None:
    write("q.jsonl", *questions())
    assert "q.jsonl would be overwritten" in run("tasks", "dedup", "q.jsonl", "-o", "./q.jsonl")[1]
    assert "CSV cannot hold every task" in run("tasks", "dedup", "q.jsonl", "-o", "q.csv")[1]


# -- leaks ------------------------------------------------------------------------------------------------------------


def test_leaks_names_what_crosses_and_ends_with_1() -> None:
    shared = [{"prompt": f"Question number {n} of all", "answer": n, "family": f"f{n}"} for n in range(5)]
    write("a.jsonl", *shared, {"prompt": LONG, "answer": 1})
    write("b.jsonl", *shared, {"prompt": LONG + "!", "answer": 1})
    code, said = run("tasks", "leaks", "a.jsonl", "b.jsonl", "--near", "0.95")
    assert code == 1
    assert "a.jsonl (6), b.jsonl (6): they leak" in said
    assert '5 shared families:\n  "f0"  (a.jsonl: a-1 · b.jsonl: b-1)' in said and "and 2 more" in said
    assert '5 shared identical prompts:\n  "Question number 0 of all"' in said
    assert '1 shared near-duplicate prompts:\n  0.99 "Please book' in said
    found = json.loads(run("tasks", "leaks", "a.jsonl", "b.jsonl", "--json", "--near", "0.95")[1])
    assert [len(found[kind]) for kind in ("families", "prompts", "near")] == [5, 5, 1]


def test_leaks_of_one_file_are_between_its_splits() -> None:
    write("q.jsonl", {"prompt": LONG, "answer": 1}, {"prompt": LONG, "answer": 1, "split": "val"})
    code, said = run("tasks", "leaks", "q.jsonl")
    assert code == 1 and "no split (1), val (1): they leak" in said
    write("q.jsonl", {"prompt": LONG, "answer": 1})
    code, said = run("tasks", "leaks", "q.jsonl")
    assert code == 2 and "has only one split (no split). Name a second file" in said


# -- bad rows ---------------------------------------------------------------------------------------------------------


def test_a_bad_row_stops_every_command_unless_bad_rows_are_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    write("q.jsonl", *questions(), *["nonsense"] * 5)
    for words in (["stats"], ["split"], ["dedup"], ["leaks"]):
        code, said = run("tasks", *words, "q.jsonl")
        assert code == 2 and said.startswith("q.jsonl line 61: not JSON at column 1"), words


def test_skipped_rows_are_counted_shown_and_written_beside_what_is_made() -> None:
    write("q.jsonl", *questions(), *["nonsense"] * 5)
    for words, path in (
        (["stats", "q.jsonl"], "q.jsonl.bad.jsonl"),
        (["split", "q.jsonl"], "q/q.jsonl.bad.jsonl"),
        (["dedup", "q.jsonl", "-o", "out/clean.jsonl"], "out/q.jsonl.bad.jsonl"),
    ):
        code, said = run("tasks", *words, "--skip-bad")
        assert code == 0
        assert f"5 invalid rows written to {path}:\n  q.jsonl line 61: not JSON at column 1" in said
        assert "  and 2 more\n" in said
        rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
        assert [(row["file"], row["row"], row["raw"].strip()) for row in rows] == [
            ("q.jsonl", f"line {number}", "nonsense") for number in range(61, 66)
        ]


def test_json_on_standard_output_stays_json_when_rows_are_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write("q.jsonl", *questions(), "nonsense")
    monkeypatch.setattr(sys, "argv", ["verigym", "tasks", "stats", "q.jsonl", "--skip-bad", "--json"])
    with pytest.raises(SystemExit):
        main.main()
    out, err = capsys.readouterr()
    assert json.loads(out)["tasks"] == 60
    assert err.startswith("1 invalid row written to q.jsonl.bad.jsonl:")


@pytest.mark.parametrize("command", ["rollout", "eval"])
def test_rollout_and_eval_skip_bad_rows_too(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # nobody waits for a hub to say that it has no such model
    write("q.jsonl", {"prompt": "2+2?", "answer": 4}, "nonsense")
    words = [command, "q.jsonl", "-m", "nosuch-model"]
    assert run(*words)[1].startswith("q.jsonl line 2: not JSON")
    assert not Path("q.jsonl.bad.jsonl").exists()
    _, said = run(*words, "--skip-bad")
    assert "not JSON" not in said
    assert json.loads(Path("q.jsonl.bad.jsonl").read_text())["row"] == "line 2"


# -- as environments --------------------------------------------------------------------------------------------------


def test_a_table_is_an_environment_and_so_are_two_files_of_two_kinds() -> None:
    Path("q.csv").write_text('prompt,answer\n2+2?,4\n"3+3?",6\n')
    assert [task.prompt for task in load_environment("q.csv").tasks("val")] == ["2+2?", "3+3?"]
    write("train.json", json.dumps([{"prompt": "What is one?", "answer": 1}]))
    both = load_environment("train.json,q.csv")
    assert [len(both.tasks(split)) for split in ("train", "val")] == [1, 2]
    Path("q.toml").write_text("")
    assert "or a file of tasks (.jsonl, .json, .csv, .parquet)" in run("check", "q.toml")[1]


def test_a_demonstration_is_the_gold_reply_of_its_task() -> None:
    write(
        "q.jsonl",
        {"prompt": "2+2?", "completion": "4", "answer": 4},
        {"prompt": "3+3?", "completion": "7", "answer": 6},
    )
    spec = load_environment("q.jsonl")
    right, wrong = spec.tasks("val")
    assert spec.gold is not None and spec.gold(right) == [Message("assistant", "4")]
    assert spec.gold(wrong) == [Message("assistant", "7")]


def test_the_defaults_of_the_commands_are_those_of_the_functions() -> None:
    from verigym.tasks import dedup, leaks, split

    code, said = run("tasks", "--help")
    assert code == 0 and all(f"\n  {name} " in said for name in ("stats", "split", "dedup", "leaks"))
    for name, module in (("split", split), ("dedup", dedup), ("leaks", leaks)):
        assert f"[default: {module.NEAR}" in " ".join(run("tasks", name, "--help")[1].split("--near")[1].split())


def test_like_prompts_without_a_family_are_saved_with_one() -> None:
    write("q.jsonl", *[{"prompt": f"{LONG}{mark}", "answer": 1} for mark in ("", "!", "?")], *questions())
    run("tasks", "split", "q.jsonl")
    made: list[Task] = [*load_tasks("q/train.jsonl"), *load_tasks("q/val.jsonl")]
    assert len({(task.family, task.split) for task in made if str(task.prompt).startswith(LONG)}) == 1


def test_a_split_that_no_row_names_stays_unnamed_through_dedup() -> None:
    write("q.jsonl", *questions(3))
    assert run("tasks", "dedup", "q.jsonl")[0] == 0
    assert {task.split for task in load_tasks("q.clean.jsonl", split="val")} == {"val"}
    assert {task.split for task in load_tasks("q.clean.jsonl")} == {"train"}


def test_a_file_leaks_into_itself() -> None:
    write("q.jsonl", *questions(2))
    code, said = run("tasks", "leaks", "q.jsonl", "q.jsonl")
    assert code == 1 and "q.jsonl (2), q.jsonl (2) (2): they leak" in said


def test_a_made_up_name_that_two_files_share_is_no_family() -> None:
    write("a/q.jsonl", {"prompt": "What is the capital of France?", "answer": 1})
    write("b/q.jsonl", {"prompt": "How many legs has a spider?", "answer": 8})
    code, said = run("tasks", "leaks", "a/q.jsonl", "b/q.jsonl")
    assert code == 0 and "nothing in common" in said


def test_an_earlier_split_into_the_same_folder_is_replaced_whole() -> None:
    write("q.jsonl", *questions(40))
    assert run("tasks", "split", "q.jsonl", "--near", "1")[0] == 0
    assert Path("q/val.jsonl").exists()
    assert run("tasks", "split", "q.jsonl", "--val", "0", "--near", "1")[0] == 0
    assert not Path("q/val.jsonl").exists() and len(load_tasks("q/train.jsonl")) == 40
