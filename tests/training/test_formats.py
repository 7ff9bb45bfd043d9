"""Training data in the formats of other trainers, record by record."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import Example, FunctionCall, FunctionCallOutput, Message, Preference, Sample, Task, ToolSpec
from verigym.training.formats import ALL, format_named
from verigym.training.formats.files import check_free, write_new
from verigym.training.formats.format import Format, Prompt, Rollout, answer_of, gold_text, has_tools

TOOLS = [
    ToolSpec(
        name="mail.search", description="Search", parameters={"type": "object", "properties": {"q": {"type": "string"}}}
    ),
    ToolSpec(name="mail.send", parameters={"type": "object", "properties": {"to": {"type": "string"}}}),
]
TALK = Example(
    task="t1",
    family="f1",
    items=[
        Message("system", "Help."),
        Message("user", "Mail Ann."),
        FunctionCall("c1", "mail.search", '{"q": "Ann"}'),
        FunctionCallOutput("c1", "ann@x.org"),
        FunctionCall("c2", "mail.send", '{"to": "ann@x.org"}'),
        FunctionCallOutput("c2", "sent"),
        Message("assistant", "Done."),
    ],
    made=[(2, 3), (4, 5), (6, 7)],
    tools=TOOLS,
    source="run/t1/0",
)
PAIR = Preference(
    task="t2",
    prompt=[Message("user", "2+2?")],
    chosen=[Message("assistant", "4")],
    rejected=[Message("assistant", "5")],
    margin=1.0,
)
ASKED = Prompt(
    task=Task(id="t3", prompt="2+2?", data={"answer": 4}),
    environment="sums",
    number=7,
    items=[Message("system", "Count."), Message("user", "2+2?")],
    gold=["4"],
)
PLAYED = Rollout(
    episode=TALK,
    environment="office",
    split="train",
    reward=0.5,
    passed=False,
    agent="v1",
    samples=[Sample(ids=[1, 2, 3], mask=[0, 1, 1], logprobs=[0.0, -0.5, -0.25])],
)


def rows(form: str, kind: Any, record: Any, plain: bool = False) -> Any:
    return format_named(form).writers[kind](record, plain)


def test_trl_and_openrlhf_have_one_row_per_reply_that_ends_with_the_reply() -> None:
    """Both learn all that follows a prompt, so results of tools must never be in there."""
    for form, sides in (("trl", ("prompt", "completion")), ("openrlhf", ("input", "output"))):
        written = rows(form, "demonstrations", TALK, plain=form == "openrlhf")
        assert len(written) == 3
        for row in written:
            before, after = (row[side] for side in sides)
            assert [message["role"] for message in after] == ["assistant"]
            assert before[-1]["role"] in ("user", "tool")
    assert [len(row["input"]) for row in rows("openrlhf", "demonstrations", TALK, plain=True)] == [2, 4, 6]


def test_calls_keep_their_arguments_as_objects_for_chat_templates_and_as_text_for_openai() -> None:
    call = rows("trl", "demonstrations", TALK)[1]["completion"][0]["tool_calls"][0]["function"]
    assert call == {"name": "mail-send", "arguments": {"to": "ann@x.org"}}
    told = rows("openai", "demonstrations", TALK)[0]["messages"][2]["tool_calls"][0]["function"]
    assert told == {"name": "mail-search", "arguments": '{"q": "Ann"}'}
    tools = json.loads(rows("trl", "demonstrations", TALK)[0]["tools"])
    assert [tool["function"]["name"] for tool in tools] == ["mail-search", "mail-send"]


def test_openai_gives_replies_that_are_not_imitated_the_weight_0() -> None:
    last = Example(task="t", items=TALK.items, made=[(6, 7)], tools=TOOLS)
    weights = [message.get("weight", 1) for message in rows("openai", "demonstrations", last)[0]["messages"]]
    assert weights == [1, 1, 0, 1, 0, 1, 1]
    [plain] = rows("openai", "demonstrations", last, plain=True)
    assert "tools" not in plain and "mail.search(q?)" in plain["messages"][0]["content"]
    assert [message.get("weight", 1) for message in plain["messages"]] == weights


@pytest.mark.parametrize("form", ["verl", "nemo-rl"])
def test_trainers_that_learn_every_reply_leave_out_what_has_others(form: str) -> None:
    assert len(rows(form, "demonstrations", TALK, plain=True)[0]["messages"]) == 7
    last = Example(task="t", items=TALK.items, made=[(6, 7)], tools=TOOLS)
    assert rows(form, "demonstrations", last, plain=True) == "replies that are not imitated"


def test_a_system_prompt_asks_for_no_plain_calls_where_tools_are_given() -> None:
    asks = 'Reply with one JSON object and nothing else: {"tool": name, "args": {...}}'
    talk = Example(task="t", items=[Message("system", asks), *TALK.items[1:3]], made=[(2, 3)], tools=TOOLS)
    for form in ("trl", "openai", "nemo-rl"):
        row = rows(form, "demonstrations", talk)[0]
        assert '"tool"' not in (row.get("prompt") or row["messages"])[0]["content"]
        plain = rows(form, "demonstrations", talk, plain=True)[0]
        assert asks in (plain.get("prompt") or plain["messages"])[0]["content"]


def test_preferences_in_each_format() -> None:
    assert rows("trl", "preferences", PAIR)[0]["chosen"] == [{"role": "assistant", "content": "4"}]
    ranked = rows("nemo-rl", "preferences", PAIR)[0]["completions"]
    assert [(one["rank"], one["completion"][0]["content"]) for one in ranked] == [(0, "4"), (1, "5")]
    [told] = rows("openai", "preferences", PAIR)
    assert told["preferred_output"][0]["content"] == "4" and told["input"]["messages"][-1]["role"] == "user"
    long = Preference(task="t", prompt=TALK.items[:2], chosen=TALK.items[2:], rejected=PAIR.rejected, tools=TOOLS)
    assert rows("openai", "preferences", long) == "several messages in a reply"


def test_prompts_bring_the_ground_truth_and_the_task() -> None:
    [row] = rows("verl", "prompts", ASKED)
    assert row["reward_model"] == {"style": "rule", "ground_truth": "4"}
    assert (row["extra_info"]["index"], row["extra_info"]["task"]) == (7, "t3")
    assert rows("openrlhf", "prompts", ASKED)[0]["label"] == "4"
    assert rows("trl", "prompts", ASKED)[0]["task"] == "t3"
    gym = rows("nemo-rl", "prompts", ASKED)[0]
    assert gym["verigym_task"] == "t3" and gym["responses_create_params"]["input"][-1]["content"] == "2+2?"


def test_the_ground_truth_is_the_answer_or_the_gold_solution_or_what_the_verifier_knows() -> None:
    def told(**fields: Any) -> str:
        task = Task(id="t", prompt="?", data=fields.pop("data", {}))
        return answer_of(Prompt(task=task, environment="e", number=0, items=[], **fields))

    assert told(data={"answer": 4}, gold=["four"]) == "4"
    assert told(gold=["four"]) == "four"
    assert (
        told(gold=[[FunctionCall("", "mail.send", '{"to": "a"}')]]) == '[{"name":"mail.send","arguments":{"to":"a"}}]'
    )
    assert told(data={"rows": [1]}) == '{"rows":[1]}'
    assert gold_text([[FunctionCall("", "f", "{}")], "Done."]) == '[{"name":"f","arguments":{}},"Done."]'


def test_rollouts_bring_rewards_and_sampled_ids() -> None:
    [table] = rows("hf", "rollouts", PLAYED)
    assert (table["reward"], table["label"], table["ids"], table["mask"]) == (0.5, False, [1, 2, 3], [0, 1, 1])
    [gym] = rows("nemo-rl", "rollouts", PLAYED)
    kinds = [item["type"] for item in gym["response"]["output"]]
    assert kinds == ["function_call", "function_call_output"] * 2 + ["message"] and gym["reward"] == 0.5
    [kto] = rows("trl", "rollouts", PLAYED)
    assert kto["reward"] == 0.5 and kto["completion"][-1]["content"] == "Done."


def test_each_format_writes_a_kind_or_says_why_not() -> None:
    for form in ALL.values():
        assert set(form.writers) | set(form.without) == {
            "demonstrations",
            "thumbs",
            "preferences",
            "prompts",
            "rollouts",
        }
        assert set(form.load) == set(form.writers)
        assert (form.columns is not None) == (form.file == "parquet")


@given(
    st.sampled_from(sorted(ALL)), st.booleans(), st.lists(st.booleans(), min_size=1, max_size=4), st.text(max_size=20)
)
def test_no_reply_that_is_imitated_is_lost(name: str, plain: bool, replies: list[bool], words: str) -> None:
    """Whatever a user wrote, every reply to imitate is in the rows, and as often as it should be learnt."""
    items: list[Any] = []
    made: list[tuple[int, int]] = []
    for number, learnt in enumerate([*replies, True]):
        items += [Message("user", words), Message("assistant", f"reply-{number}!")]
        made += [(len(items) - 1, len(items))] if learnt else []
    written = rows(name, "demonstrations", Example(task="t", items=items, made=made), plain)
    text = json.dumps(written)
    if isinstance(written, str):
        assert name in ("verl", "nemo-rl") and len(made) < len(replies) + 1
    else:
        assert all(f"reply-{number}!" in text for number in range(len(replies) + 1))


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    form = format_named("trl")
    out = tmp_path / "new" / "rows.jsonl"
    write_new(out, form, "demonstrations", iter([{"a": 1}, {"a": 2}]), "")
    assert out.read_text() == '{"a":1}\n{"a":2}\n'

    def broken() -> Any:
        yield {"a": 1}
        raise Refused("no more")

    for name in ("trl", "hf"):
        with pytest.raises(Refused, match="no more"):
            write_new(
                tmp_path / f"half{'.jsonl' if name == 'trl' else ''}",
                format_named(name),
                "demonstrations",
                broken(),
                "",
            )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new"]
    with pytest.raises(Refused, match="exists and is not overwritten"):
        write_new(out, form, "demonstrations", iter([{"a": 3}]), "")
    assert '"a":1' in out.read_text()


@pytest.mark.parametrize(
    ("form", "name", "words"),
    [
        ("trl", "a.parquet", "writes .jsonl files"),
        ("verl", "a.jsonl", "writes .parquet"),
        ("hf", "a.jsonl", "a folder"),
    ],
)
def test_a_file_with_the_wrong_ending_is_refused(tmp_path: Path, form: str, name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        check_free(tmp_path / name, format_named(form))


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match=r'no format "trll"\. Did you mean "trl"'):
        format_named("trll")


def test_tools_are_seen_wherever_they_are() -> None:
    assert has_tools(TALK) and has_tools(PLAYED) and not has_tools(PAIR) and not has_tools(ASKED)


def test_a_parquet_table_is_written_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("verigym.training.formats.files._BATCH", 2)
    form: Format = format_named("parquet")
    write = form.writers["rollouts"]
    made = [row for _ in range(5) for row in write(PLAYED, False)]
    assert not isinstance(made, str)
    write_new(tmp_path / "t.parquet", form, "rollouts", iter(made), "")  # type: ignore[arg-type]
    table = parquet.ParquetFile(tmp_path / "t.parquet")
    assert (table.num_row_groups, table.metadata.num_rows) == (3, 5)
    row = table.read().to_pylist()[0]
    assert row["ids"] == [1, 2, 3] and json.loads(row["completion"])[-1]["content"] == "Done."
