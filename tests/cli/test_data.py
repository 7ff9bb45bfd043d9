"""`verigym data` and `verigym label` as a user types them, on a run of a scripted agent. No torch, no server."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from verigym.cli.main import app
from verigym.core.errors import BadInput, Refused
from verigym.core.protocols import Request
from verigym.core.records import Label, Version
from verigym.environments.load import load_environment
from verigym.policies.dialects import write_call
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.many import RunPlan, run_many
from verigym.rollout.settings import RunSettings
from verigym.store.database import Store

RUN = "rollout-toolcall-1"


class Shell:
    """`shell("data", "list")` in a workspace with one run: three training tasks, four episodes each, half of them right."""

    def __init__(self, home: Path) -> None:
        self.home = home
        environment = load_environment("toolcall")
        self.tasks = [task for task in environment.tasks("train") if task.data["expected_tool"] != "refuse"][:3]
        gold = {task.prompt: write_call(task.data["expected_tool"], task.data["expected_args"]) for task in self.tasks}

        def answer(request: Request) -> str:
            words = ["I would rather talk about it.", '{"tool": "refuse", "args": {}}']
            return gold[request.items[-1].text] if request.seed % 4 < 2 else words[request.seed % 2]  # type: ignore[union-attr]

        store = Store(home / "store.db")
        store.begin_run(RUN, "rollout", {"environment": "toolcall"}, self.tasks)
        plan = RunPlan(
            run=RUN,
            environment=environment,
            tasks=self.tasks,
            agent=Version(base="scripted"),
            verifier=environment.verifier,
            settings=RunSettings(k=8),
        )
        asyncio.run(run_many(store, plan, ScriptedPolicy(answer)))
        store.close()

    def __call__(self, *words: str, keys: str = "", code: int = 0) -> str:
        typed = "\n".join(keys)
        result: Result = CliRunner().invoke(app, [*words], input=typed, env={"VERIGYM_HOME": str(self.home)})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result.output

    def json(self, *words: str) -> Any:
        return json.loads(self(*words, "--json"))

    def labels(self) -> list[Label]:
        store = Store(self.home / "store.db")
        found = store.documents("label", Label)
        store.close()
        return found


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


def test_demonstrations_from_a_run_to_the_next_command(shell: Shell) -> None:
    assert "no datasets yet" in shell("data", "list")
    said = shell("data", "demos", RUN, "--per-task", "1", "--name", "mine")
    assert "dataset mine (" in said and "3 demonstrations of 3 tasks, 3 families" in said
    assert "looked at 24, kept 3" in said and "next: verigym train recipes/sft.yaml data=mine" in said
    assert "the same rows already exist as dataset mine" in shell("data", "demos", "--name", "other")
    assert "mine" in shell("data", "list") and shell.json("data", "list")[0]["rows"] == 3
    shown = shell("data", "show", "mine", "-n", "1")
    assert "row 1 of 3" in shown and "imitated  [assistant]" in shown and "prompt    [user]" in shown
    rows = shell.json("data", "show", "mine")["rows"]
    assert [row["task"] for row in rows] == sorted(task.id for task in shell.tasks)
    assert "calendar.create_event" in {tool["name"] for tool in rows[0]["tools"]}


def test_pairs_from_a_run_and_back_from_a_file(shell: Shell) -> None:
    made = shell.json("data", "pairs", RUN, "--gap", "0.5", "--per-task", "1")
    assert made["kind"] == "preferences" and made["environment"] == "toolcall" and made["rows"] == 3
    assert "next: verigym train recipes/dpo.yaml data=pairs-" in shell("data", "pairs", RUN, "--gap", "0.5")
    shown = shell("data", "show", made["id"][:8])
    assert "chosen    [assistant]" in shown and "rejected  [assistant]" in shown
    file = shell.home / "data" / f"{made['id']}.jsonl"
    assert shell.json("data", "import", str(file))["id"] == made["id"]


def test_labels_are_stored_at_once_resumed_and_become_pairs(shell: Shell) -> None:
    said = shell("label", RUN, "-n", "3", "--who", "anna", keys="1x2u")
    assert "pair 1 of 3" in said and "1: left" in said and "[assistant]" in said
    assert "labelled by anna: 1 (1 preferred, 0 the same, 0 skipped), 2 left" in said
    assert [label.judgement for label in shell.labels()] == ["better", "worse", "skip"]
    assert f"next: verigym label {RUN} -n 3 --who anna --seed 0" in said
    said = shell("label", RUN, "-n", "3", "--who", "anna", keys="=2")
    assert "pair 1 of 3" not in said and "pair 2 of 3" in said and "that was the last pair" in said
    assert f"next: verigym data pairs {RUN} --labels" in said
    assert "anna has labelled all 3 pairs" in shell("label", RUN, "-n", "3", "--who", "anna")
    said = shell("data", "pairs", RUN, "--labels")
    assert "2 pairs of 2 tasks" in said and "looked at 5, kept 2, replaced 2, same 1" in said


def test_a_file_is_imported_and_a_malformed_line_is_named(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "höflich.jsonl"
    file.write_text('{"prompt": "Grüß dich", "completion": "Hallo 🎉"}\n{"prompt": oops}\n', encoding="utf-8")
    with pytest.raises(Exception, match=r"höflich.jsonl line 2: not JSON at column 12"):
        shell("data", "import", str(file))
    file.write_text('{"prompt": "Grüß dich", "completion": "Hallo 🎉"}\n', encoding="utf-8")
    assert "dataset höflich-" in shell("data", "import", str(file))
    assert "[assistant] Hallo 🎉" in shell("data", "show")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["data", "demos", "nosuch"], 'no run "nosuch"'),
        (["data", "demos", "--min-reward", "99"], "no episode to imitate (looked at 24"),
        (["data", "pairs", "--gap", "99"], "no two episodes of a task whose rewards differ by --gap"),
        (["data", "pairs", "--labels"], "Add labels: verigym label"),
        (["data", "show", "nosuch"], 'no dataset "nosuch"'),
        (["data", "import", "nosuch.jsonl"], "nosuch.jsonl does not exist"),
        (["label", "nosuch"], 'no run "nosuch"'),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, list) else "",
)
def test_a_mistake_is_answered_in_words(shell: Shell, words: list[str], said: str) -> None:
    with pytest.raises(Exception) as raised:
        shell(*words)
    assert type(raised.value).__module__.startswith("verigym.") and said in str(raised.value)


def test_a_run_without_two_outputs_that_differ_cannot_be_labelled(shell: Shell) -> None:
    store = Store(shell.home / "store.db")
    store.begin_run("rollout-2", "rollout", {}, shell.tasks)
    store.add("rollout-2", [one for one in store.trajectories(RUN) if one.index == 0])
    store.close()
    with pytest.raises(Exception, match=r"no task with two different outputs\. Run several episodes"):
        shell("label", "rollout-2")


def test_thumbs_come_from_labels_of_single_outputs(shell: Shell) -> None:
    ids = [trajectory.id for trajectory in Store(shell.home / "store.db").each_trajectory(RUN)]
    for id, judgement in zip(ids[:3], ("good", "bad", "good"), strict=True):
        Store(shell.home / "store.db").put(
            "label",
            f"{id}-label",
            Label(trajectory=id, judgement=judgement, who="ann"),  # type: ignore[arg-type]
        )
    made = shell("data", "thumbs", RUN, "--name", "rated")
    assert "dataset rated" in made and "rated episode" in made and "not rated" in made
    assert "verigym train recipes/kto.yaml data=rated" in made
    shown = shell("data", "show", "rated")
    assert "  good      [" in shown and "  bad       [" in shown


def test_thumbs_of_verdicts_and_of_a_file(shell: Shell, tmp_path: Path) -> None:
    assert "from verdicts" in shell("data", "thumbs", RUN, "--verdicts")
    file = tmp_path / "ratings.jsonl"
    file.write_text(
        '{"prompt": "Hi", "completion": "Hello", "label": true}\n{"prompt": "Hi", "completion": "No", "label": false}\n'
    )
    assert "2 rated episodes" in shell("data", "thumbs", str(file))
    with pytest.raises(BadInput, match="works only with a run"):
        shell("data", "thumbs", str(file), "--verdicts")


def test_a_run_without_thumbs_says_how_to_get_some(shell: Shell) -> None:
    with pytest.raises(Refused, match=r"has no episode with a thumb .*verigym label .*--verdicts"):
        shell("data", "thumbs", RUN)
