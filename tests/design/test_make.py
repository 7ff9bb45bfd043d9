"""Exactly N rows or a failure in words: columns that cost, validators, repeats, held-out sets, interruptions."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from verigym.core.errors import BadInput, InfrastructureFailure, Refused
from verigym.core.protocols import Request
from verigym.core.records import Message, Trajectory
from verigym.design.draw import DesignExhausted
from verigym.design.files import write
from verigym.design.make import DesignResult, PartialResults, make, partial_of
from verigym.design.spec import Design, make_design
from verigym.design.steps import StepResources
from verigym.environments.load import load_environment
from verigym.policies.scripted import ScriptedPolicy
from verigym.tasks.load import load_tasks
from verigym.verifiers.judge import ScriptedJudge

LONG = (
    "Two farmers meet at the market; one brings {a} eggs, the other brings {b} eggs. How many eggs do the farmers have?"
)
SUM = {
    "a": {"kind": "int", "low": 1, "high": 400},
    "b": {"kind": "int", "low": 1, "high": 400},
    "prompt": "What is {{ a }} plus {{ b }}?",
    "answer": "{{ a + b }}",
}


def design(columns: dict[str, Any], folder: Path = Path(), **more: Any) -> Design:
    return make_design({"columns": columns, "held_out": [], **more}, folder)


def made(
    columns: dict[str, Any], n: int = 10, *, kit: StepResources = StepResources(), seed: int = 0, **more: Any
) -> DesignResult:
    return asyncio.run(make(design(columns, **more), n, seed, kit))


def asked(request: Request) -> str:
    return "".join(item.text for item in request.items if isinstance(item, Message))


# -- exactly N -------------------------------------------------------------------------------------------------------------


def test_tasks_are_written_as_tasks_with_family_lineage_and_their_data(tmp_path: Path) -> None:
    one = design(SUM, keep=["prompt", "answer"])
    found = asyncio.run(make(one, 25, 3))
    write(found, one, tmp_path / "sums.jsonl")
    tasks = load_tasks(tmp_path / "sums.jsonl")
    assert tasks == found.tasks and len(tasks) == 25
    assert all(set(task.data) == {"answer"} and task.family == "design" and task.split == "train" for task in tasks)
    assert tasks[0].lineage == [f"design {one.hash[:12]} seed 3 row {int(tasks[0].id[-6:])}"]


def test_the_same_design_and_seed_give_the_same_bytes(tmp_path: Path) -> None:
    one = design({**SUM, "who": {"kind": "person"}, "id": {"kind": "uuid"}}, constraints=["a < b"])
    for place in ("one", "two"):
        write(asyncio.run(make(one, 40, 7)), one, tmp_path / place / "t.jsonl")
    for name in ("t.jsonl", "t.jsonl.rejected.jsonl"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert asyncio.run(make(one, 40, 8)).rows != asyncio.run(make(one, 40, 7)).rows
    assert asyncio.run(make(one, 40, 7)).rows[:9] == asyncio.run(make(one, 9, 7)).rows


def test_repeats_are_left_out_and_still_there_are_as_many_as_asked_for() -> None:
    few = {**SUM, "a": {"kind": "int", "low": 1, "high": 8}, "b": {"kind": "int", "low": 1, "high": 8}}
    found = made(few, 50)
    assert len({str(task.prompt) for task in found.tasks}) == len(found.tasks) == 50
    assert found.tallies["a duplicate"].share < 1


def test_too_few_different_rows_are_said_to_be_that() -> None:
    few = {**SUM, "a": {"kind": "int", "low": 1, "high": 3}, "b": {"kind": "int", "low": 1, "high": 3}}
    with pytest.raises(
        Refused,
        match=r"Too many rows are duplicates: 9 of 500 rows.*The first rejected row: design-\d+ \(a duplicate: identical to "
        r"design-\d+\)\. Request at most 9 rows \(-n 9\)\. Add values to the columns",
    ):
        made(few, 500)


@pytest.mark.parametrize("n", [20_000, 1_000_000_000])
def test_more_rows_than_there_are_end_in_seconds_with_all_that_there_are(n: int) -> None:
    few = {**SUM, "a": {"kind": "int", "low": 1, "high": 30}, "b": {"kind": "int", "low": 1, "high": 50}}
    told: list[int] = []
    began = time.process_time()
    with pytest.raises(DesignExhausted, match=r"Request at most 1,500 rows \(-n 1500\)") as error:
        asyncio.run(make(design(few), n, on_progress=lambda done, total, note: told.append(done)))
    assert time.process_time() - began < 20
    assert told[-1] == max(told) == 1500
    found = error.value.result
    assert len(found.tasks) == 1500 and found.rows == made(few, 1500).rows
    assert len([one for one in found.rejected if one.reason.startswith("a duplicate: identical to design-")]) == 100


def test_an_exhausted_design_keeps_its_rows_whatever_the_cause() -> None:
    with pytest.raises(DesignExhausted) as error:
        made({"a": {"kind": "int", "low": 1, "high": 9}}, 5, constraints=["a > 9"])
    assert error.value.result.rows == [] and len(error.value.result.rejected) == 100
    held = {
        "a": {"kind": "int", "low": 1, "high": 5},
        "prompt": "What is {{ a }}?",
        "answer": "{{ a }}",
        "id": "{{ a }}",
    }
    with pytest.raises(DesignExhausted, match="an id that is already used: 5 of 6") as error:
        made(held, 6)
    assert sorted(row["a"] for row in error.value.result.rows) == [1, 2, 3, 4, 5]


def test_plain_rows_may_repeat_unless_they_are_refused() -> None:
    coin = {"a": {"kind": "bernoulli"}}
    assert len(made(coin, 500).rows) == 500
    with pytest.raises(Refused, match="Too many rows are duplicates: 2 of 3"):
        made(coin, 3, repeats="refuse")
    assert len(made({**SUM, "a": {"kind": "int", "low": 1, "high": 1}}, 300, repeats="keep").tasks) == 300


def test_a_question_with_two_answers_is_in_no_set() -> None:
    loose = {
        "prompt": "Pick a number for case {{ a }}.",
        "a": {"kind": "int", "low": 1, "high": 60},
        "answer": "{{ b }}",
        "b": SUM["b"],
    }
    found = made(loose, 12, keep=["prompt", "answer"])
    assert len({str(task.prompt) for task in found.tasks}) == 12


def test_ids_of_their_own_are_kept_apart() -> None:
    with pytest.raises(Refused, match="an id that is already used: 1 of 3"):
        made({**SUM, "id": {"kind": "category", "values": ["same"]}}, 3)


def test_rows_that_are_no_tasks_are_rejected_in_words() -> None:
    with pytest.raises(Refused, match=r'Too many rows are not tasks.*"prompt" is empty'):
        made({"prompt": " ", "answer": "1"}, 3)


# -- columns that cost ------------------------------------------------------------------------------------------------------


def test_code_runs_in_the_sandbox_for_many_rows_and_a_row_that_fails_is_only_itself(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text(
        "import os\n"
        "def total(a, b, seed):\n"
        "    if a % 10 == 3: raise ValueError('three')\n"
        "    if a == 111: os._exit(1)\n"
        "    return {'sum': a + b, 'seed': seed, 'verigym': os.path.exists('rows.json')}\n"
    )
    columns = {**SUM, "total": {"kind": "code", "file": "f.py"}, "answer": "{{ total.sum }}"}
    one = design(columns, tmp_path, keep=["prompt", "answer"], constraints=["total.sum > 50"])
    found = asyncio.run(make(one, 60, 0))
    assert len(found.tasks) == 60
    for task in found.tasks:
        a, b = [int(word.strip("?")) for word in str(task.prompt).split() if word.strip("?").isdigit()]
        assert task.data["answer"] == str(a + b) and a % 10 != 3 and a + b > 50
    assert any(one.reason == 'column "total": ValueError: three' for one in found.rejected)


def test_code_that_always_fails_is_named_with_its_first_error(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("def total(a):\n    return a / 0\n")
    with pytest.raises(Refused, match=r'The column "total" rejects too many rows.*ZeroDivisionError'):
        asyncio.run(make(design({**SUM, "total": {"kind": "code", "file": "f.py", "in_process": True}}, tmp_path), 5))


def test_text_that_utf8_cannot_encode_is_replaced_in_the_sandbox_too(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("def total(a):\n    if a % 2: raise ValueError('\\ud800')\n    return '\\ud800'\n")
    for in_process in (True, False):
        column = {"kind": "code", "file": "f.py", "in_process": in_process}
        columns = {**SUM, "total": column, "answer": "so {{ total }}"}
        made = asyncio.run(make(design(columns, tmp_path, keep=["prompt", "answer"]), 5))
        assert {task.data["answer"].rstrip("\ufffd") for task in made.tasks} == {"so "}


def test_a_file_that_cannot_be_loaded_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("import nosuchpackage\ndef total(a):\n    return a\n")
    for in_process in (True, False):
        with pytest.raises(BadInput, match=r"f\.py cannot be .*nosuchpackage"):
            column = {"kind": "code", "file": "f.py", "in_process": in_process}
            asyncio.run(make(design({**SUM, "total": column}, tmp_path), 5))


def test_a_models_text_value_and_score_are_columns() -> None:
    def answer(request: Request) -> str:
        return f"A story about {asked(request).split()[-1]}"

    def extract(request: Request) -> str:
        """Wrong at first: it is asked again, with another seed."""
        return "no JSON" if request.seed % 3 == 0 else '```json\n{"animal": "cat", "legs": 4}\n```'

    schema = {"type": "object", "properties": {"legs": {"type": "integer"}}, "required": ["legs"]}
    columns = {
        "topic": {"kind": "category", "values": ["cats", "boats"]},
        "story": {"kind": "llm", "prompt": "Tell me about {{ topic }}", "model": "writer"},
        "facts": {"kind": "llm", "prompt": "Facts of: {{ story }}", "json_schema": schema, "model": "reader"},
        "score": {"kind": "judge", "rubric": "Is it about cats?", "of": "{{ story }}", "model": "critic"},
    }
    policies = {
        "writer": ScriptedPolicy(answer),
        "reader": ScriptedPolicy(extract),
        "critic": ScriptedJudge(lambda text: "cats" in text),
    }
    found = made(columns, 20, kit=StepResources(policies=policies), constraints=["score >= 7", "facts.legs == 4"])
    assert all(row["story"] == "A story about cats" and row["score"] == 10.0 for row in found.rows)
    assert all(row["facts"] == {"animal": "cat", "legs": 4} for row in found.rows)
    assert 0.3 < found.tallies['constraint "score >= 7"'].share < 0.7


def test_a_value_that_never_fits_its_schema_rejects_the_row() -> None:
    column = {"kind": "llm", "prompt": "Say a number", "json_schema": {"type": "integer"}, "model": "m"}
    with pytest.raises(Refused, match=r'column "x" rejects too many rows.*does not fit the schema: .*is not of type'):
        made({"x": column}, 3, kit=StepResources(policies={"m": ScriptedPolicy(['"seven"'])}))


# -- validators --------------------------------------------------------------------------------------------------------------


def test_the_environments_verifier_rejects_a_wrong_gold_solution() -> None:
    columns = {
        "who": {"kind": "person", "part": "first"},
        "day": {"kind": "category", "values": ["Tuesday", "Friday"]},
        "time": {"kind": "category", "values": ["09:30", "14:00", "25:99"]},
        "prompt": "Put {{ who }} on my calendar for {{ day }} at {{ time }}.",
        "expected_tool": {"kind": "category", "values": ["calendar.create_event", "no.such.tool"]},
        "expected_args": {"kind": "expression", "value": "{'attendee': who, 'day': day, 'time': time}"},
        "state": {"kind": "expression", "value": "{'events': []}"},
        "unsafe": {"kind": "expression", "value": "False"},
    }
    kit = StepResources(environment=load_environment("toolcall"))
    keep = ["prompt", "expected_tool", "expected_args", "state", "unsafe"]
    found = made(columns, 20, kit=kit, keep=keep, environment="toolcall", validators=[{"kind": "gold"}])
    assert {task.data["expected_tool"] for task in found.tasks} == {"calendar.create_event"}
    assert any("its gold solution does not pass" in one.reason for one in found.rejected)


def test_a_task_that_an_empty_reply_solves_is_rejected() -> None:
    with pytest.raises(Refused, match=r"validator gold rejects too many rows.*an empty reply passes"):
        made(
            {"a": SUM["a"], "prompt": "Say nothing {{ a }}.", "answer": {"kind": "expression", "value": "''"}},
            3,
            validators=[{"kind": "gold"}],
        )


def test_schemas_functions_judges_and_reward_models_validate(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("def even(a):\n    return True if a % 2 == 0 else f'{a} is odd'\n")

    class Scorer:
        name = "taste"

        async def score(self, trajectories: Sequence[Trajectory]) -> list[float]:
            return [float(trajectory.reply.endswith("8")) for trajectory in trajectories]

    validators = [
        {"kind": "schema", "json_schema": {"properties": {"b": {"maximum": 200}}}},
        {"kind": "schema", "json_schema": {"type": "integer"}, "column": "a"},
        {"kind": "python", "file": "f.py", "function": "even"},
        {"kind": "judge", "rubric": "Is it large?", "of": "{{ a }}", "at_least": 5, "model": "critic"},
        {"kind": "reward_model", "of": "{{ a }}", "at_least": 0.5, "model": "taste"},
    ]
    kit = StepResources(policies={"critic": ScriptedJudge(lambda text: len(text) == 3)}, scorers={"taste": Scorer()})
    found = asyncio.run(make(design(SUM, tmp_path, validators=validators), 10, 0, kit))
    assert all(row["a"] % 10 == 8 and row["a"] >= 100 and row["b"] <= 200 for row in found.rows)
    names = ["validator schema", "validator schema 2", "validator even", "validator judge", "validator reward_model"]
    assert [name for name in found.tallies if name.startswith("validator")] == names
    reasons = " ".join(one.reason for one in found.rejected)
    for words in (
        "is greater than the maximum of 200",
        "is odd",
        "scored 0, below the minimum of 5",
        "scored 0, below the minimum of 0.5",
    ):
        assert words in reasons


def test_rejects_are_kept_with_reasons_and_bounded(tmp_path: Path) -> None:
    one = design(
        {**SUM, "a": {"kind": "int", "low": 1, "high": 9000}},
        constraints=["a < 200"],
        validators=[{"kind": "schema", "json_schema": {"properties": {"b": {"maximum": 30}}}}],
    )
    found = asyncio.run(make(one, 40, 0))
    write(found, one, tmp_path / "t.jsonl")
    kept = [msgspec.json.decode(line) for line in (tmp_path / "t.jsonl.rejected.jsonl").read_bytes().splitlines()]
    assert len([row for row in kept if row["reason"] == 'constraint "a < 200"']) == 100
    assert len([row for row in kept if row["reason"].startswith("validator schema")]) == 100
    assert all(row["row"]["a"] >= 200 for row in kept[:100])


# -- held-out sets -----------------------------------------------------------------------------------------------------------


def test_no_task_is_near_a_held_out_one(tmp_path: Path) -> None:
    held = tmp_path / "held.jsonl"
    held.write_bytes(
        msgspec.json.encode({"prompt": LONG.replace("{a}", "4").replace("{b}", "9"), "answer": "13"}) + b"\n"
    )
    columns = {
        "way": {"kind": "category", "values": [LONG, "Add {b} to {a}."]},
        "a": SUM["a"],
        "b": SUM["b"],
        "prompt": {"kind": "expression", "value": "way.replace('{a}', str(a)).replace('{b}', str(b))"},
        "answer": SUM["answer"],
    }
    found = made(columns, 30, keep=["prompt", "answer"], held_out=[str(held)])
    assert all(str(task.prompt).startswith("Add") for task in found.tasks)
    assert any(one.reason.startswith("similar to a held-out task: held-1 of") for one in found.rejected)


def test_a_held_out_family_is_refused() -> None:
    family = load_environment("toolcall").tasks("val")[0].family
    with pytest.raises(Refused, match="is held out in toolcall"):
        made({**SUM, "family": family}, 3, held_out=["toolcall"])


# -- interruptions -----------------------------------------------------------------------------------------------------------


def test_what_was_found_out_before_an_interruption_is_not_asked_for_again(tmp_path: Path) -> None:
    columns = {**SUM, "said": {"kind": "llm", "prompt": "{{ a }} {{ b }}", "model": "m"}}
    one = design(columns, constraints=["said != 'no'"])
    calls: list[str] = []

    def answer(request: Request) -> str:
        calls.append(asked(request))
        if len(calls) == fails_at:
            raise InfrastructureFailure("the server is gone")
        return "no" if request.seed % 4 == 0 else "yes"

    kit = StepResources(policies={"m": ScriptedPolicy(answer)})
    fails_at = 0
    whole = asyncio.run(make(one, 600, 5, kit))
    needed = len(calls)
    partial = partial_of(one, 5, tmp_path / "t.jsonl")
    calls.clear()
    fails_at = 400
    with pytest.raises(InfrastructureFailure, match="the server is gone"):
        asyncio.run(make(one, 600, 5, kit, partial=partial))
    with partial.open("ab") as file:
        file.write(b'{"place": 999, "val')  # a line that was cut short
    calls.clear()
    fails_at = 0
    again = asyncio.run(make(one, 600, 5, kit, partial=partial))
    assert again.rows == whole.rows and again.tallies == whole.tallies
    assert 0 < len(calls) <= needed - 256
    calls.clear()
    assert asyncio.run(make(one, 600, 5, kit, partial=partial)).rows == whole.rows
    assert calls == []


def test_what_a_slow_model_said_first_is_written_down_soon(tmp_path: Path) -> None:
    calls: list[str] = []

    class OneAtATime(ScriptedPolicy):
        max_concurrency = 1

    def answer(request: Request) -> str:
        calls.append(asked(request))
        if len(calls) == 10:
            raise InfrastructureFailure("the server is gone")
        return "yes"

    one = design({**SUM, "said": {"kind": "llm", "prompt": "{{ a }} {{ b }}", "model": "m"}})
    with pytest.raises(InfrastructureFailure):
        asyncio.run(make(one, 600, 5, StepResources(policies={"m": OneAtATime(answer)}), partial=tmp_path / "p"))
    assert len(PartialResults(tmp_path / "p", {"said"}).rows) == 4


def test_another_spec_seed_or_file_has_another_partial_file(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("def total(a):\n    return a\n")
    columns = {**SUM, "total": {"kind": "code", "file": "f.py"}}
    names = {partial_of(design(columns, tmp_path), 0, tmp_path / "t.jsonl")}
    names.add(partial_of(design(columns, tmp_path), 1, tmp_path / "t.jsonl"))
    names.add(partial_of(design(columns, tmp_path, constraints=["a > 1"]), 0, tmp_path / "t.jsonl"))
    (tmp_path / "f.py").write_text("def total(a):\n    return a + 1\n")
    names.add(partial_of(design(columns, tmp_path), 0, tmp_path / "t.jsonl"))
    assert len(names) == 4
    assert design(columns, tmp_path).hash == design(columns, tmp_path, n=5, seed=9).hash


def test_a_disk_that_cannot_be_written_to_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "no").write_text("a file, no folder")
    columns = {"x": {"kind": "llm", "prompt": "x", "model": "m"}}
    with pytest.raises(BadInput, match="cannot be written"):
        asyncio.run(
            make(
                design(columns),
                3,
                0,
                StepResources(policies={"m": ScriptedPolicy(["x"])}),
                partial=tmp_path / "no" / "p",
            )
        )
