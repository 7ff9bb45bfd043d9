"""Records to bytes and back: nothing is lost, and what is not a record is refused in words."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import (
    Check,
    Decision,
    Failure,
    Fault,
    FunctionCall,
    FunctionCallOutput,
    Image,
    InputText,
    Item,
    Mark,
    Message,
    OutputText,
    Reasoning,
    ReasoningText,
    Refusal,
    Sampling,
    Stop,
    SummaryText,
    Task,
    Trajectory,
    Turn,
    Usage,
    Verdict,
    Version,
)

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
texts = st.lists(text, max_size=3)
number = st.floats(allow_nan=False, allow_infinity=False)
whole = st.integers(-(2**40), 2**40)
ids = st.lists(st.integers(0, 200_000), max_size=4)
plain = st.recursive(
    st.none() | st.booleans() | whole | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=5,
)
data = st.dictionaries(text, plain, max_size=3)
numbers = st.dictionaries(text, number, max_size=3)

parts = (
    st.builds(InputText, text)
    | st.builds(OutputText, text, st.lists(plain, max_size=2))
    | st.builds(Refusal, text)
    | st.builds(Image, text)
)
items: st.SearchStrategy[Item] = st.one_of(
    st.builds(
        Message, st.sampled_from(["system", "developer", "user", "assistant"]), text | st.lists(parts, max_size=3)
    ),
    st.builds(
        Reasoning,
        st.lists(st.builds(SummaryText, text), max_size=2),
        st.none() | st.lists(st.builds(ReasoningText, text), max_size=2),
        st.none() | text,
    ),
    st.builds(FunctionCall, text, text, text),
    st.builds(FunctionCallOutput, text, text),
)
tasks = st.builds(
    Task,
    id=text,
    prompt=text | st.lists(items, max_size=3),
    data=data,
    split=text,
    family=text,
    tags=texts,
    lineage=texts,
)
samplings = st.builds(Sampling, temperature=number, top_p=number, max_tokens=whole, stop=texts)
turns = st.builds(
    Turn,
    actor=text,
    parent=st.none() | st.integers(0, 9),
    saw=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=3),
    made=ids,
    context_ids=ids,
    completion_ids=ids,
    logprobs=st.lists(number, max_size=3),
    sampling=samplings,
    agent=text,
    usage=st.builds(Usage, whole, whole),
    latency_s=number,
    finish=st.sampled_from(["stop", "length", "tool_calls", "context_full", "error"]),
)
failures = st.builds(Failure, st.sampled_from(Fault), text, text)
trajectories = st.builds(
    Trajectory,
    id=text,
    task=text,
    group=text,
    index=whole,
    items=st.lists(items, max_size=4),
    tools=text,
    turns=st.lists(turns, max_size=3),
    marks=st.lists(st.builds(Mark, text, st.none() | whole, text), max_size=3),
    rewards=st.lists(number, max_size=3),
    end_state=data,
    blobs=st.dictionaries(text, text, max_size=2),
    outcome=text,
    interventions=texts,
    stop=st.sampled_from(Stop),
    error=st.none() | failures,
    seed=st.integers(0, 2**63 - 1),
    seconds=number,
    cost=number,
    gaps=texts,
)
verdicts = st.builds(
    Verdict,
    trajectory=text,
    verifier=text,
    reward=st.none() | number,
    passed=st.booleans(),
    parts=numbers,
    unsafe=st.booleans(),
    evidence=text,
    error=st.none() | failures,
)
versions = st.builds(
    Version,
    base=text,
    adapter=text,
    system_prompt=st.none() | text,
    tool_descriptions=st.dictionaries(text, text, max_size=2),
    constraints=text,
    sampling=st.none() | samplings,
    id=text,
    name=text,
    parent=text,
    recipe=data,
    data_hash=text,
    families=texts,
    adapter_config=text,
    software=st.dictionaries(text, text, max_size=2),
    made=text,
    seal=text,
)
checks = st.builds(
    Check, name=text, outcome=st.sampled_from(["pass", "fail", "unclear"]), words=text, figures=numbers, needed=whole
)
decisions = st.builds(
    Decision,
    candidate=text,
    champion=text,
    verdict=st.sampled_from(["PROMOTE", "REJECT", "NEED MORE DATA"]),
    checks=st.lists(checks, max_size=3),
    words=text,
    kind=st.sampled_from(["gate", "override", "rollback", "first"]),
    reports=texts,
    who=text,
    when=text,
    why=text,
)
RECORDS = {Task: tasks, Trajectory: trajectories, Verdict: verdicts, Version: versions, Decision: decisions}


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_a_record_comes_back_as_it_was(kind: Any) -> None:
    @settings(max_examples=60, deadline=None)
    @given(RECORDS[kind])
    def check(record: Any) -> None:
        written = codec.encode(record)
        assert codec.decode(written, kind) == record
        assert codec.decode(written.decode(), kind) == record

    check()


@settings(max_examples=60, deadline=None)
@given(trajectories)
def test_what_is_written_is_json_that_begins_with_its_schema_version(record: Trajectory) -> None:
    plain = json.loads(codec.encode(record))
    assert next(iter(plain.items())) == ("schema", codec.SCHEMA_VERSION)
    assert plain["id"] == record.id


@settings(max_examples=40, deadline=None)
@given(tasks)
def test_the_order_of_keys_and_spaces_do_not_matter(record: Task) -> None:
    plain = json.loads(codec.encode(record))
    spaced = json.dumps(dict(reversed(plain.items())), indent=2)
    assert codec.decode(spaced, Task) == record


def test_a_record_written_without_a_version_is_read_as_the_present_one() -> None:
    assert codec.decode('{"id": "a", "prompt": "b"}', Task) == Task(id="a", prompt="b")


def test_a_field_that_is_not_known_is_passed_over() -> None:
    assert codec.decode('{"schema":1,"id":"a","prompt":"b","later":[1]}', Task) == Task(id="a", prompt="b")


@pytest.mark.parametrize("version", [codec.SCHEMA_VERSION + 1, 99, 0, -1, '"two"', "1.5"])
def test_another_schema_version_is_refused_in_words(version: object) -> None:
    with pytest.raises(BadInput, match=r"This Task has schema version .*reads up to 2\. Upgrade verigym"):
        codec.decode(f'{{"schema":{version},"id":"a","prompt":"b"}}', Task)


def test_an_older_version_is_lifted_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def rename(data: dict[str, Any], name: str) -> dict[str, Any]:
        return {
            **{key: value for key, value in data.items() if key != "question"},
            "prompt": f"{name}:{data['question']}",
        }

    monkeypatch.setitem(codec.MIGRATIONS, codec.SCHEMA_VERSION, rename)
    monkeypatch.setattr(codec, "SCHEMA_VERSION", codec.SCHEMA_VERSION + 1)
    monkeypatch.setattr(codec, "_PREFIX", b'{"schema":%d' % codec.SCHEMA_VERSION)
    assert codec.decode('{"schema":1,"id":"a","question":"b"}', Task) == Task(id="a", prompt="Task:b")
    assert codec.decode(codec.encode(Task(id="a", prompt="b")), Task) == Task(id="a", prompt="b")


@given(st.sets(st.integers(0, 30)))
def test_items_that_a_turn_of_version_1_saw_one_by_one_are_ranges_now(places: set[int]) -> None:
    seen = sorted(places)
    old = {"schema": 1, "id": "t", "task": "a", "group": "g", "turns": [{"saw": seen, "made": [31]}, {"made": [32]}]}
    first, second = codec.decode(json.dumps(old), Trajectory).turns
    assert [place for start, end in first.saw for place in range(start, end)] == seen
    assert (first.made, second.saw, second.made) == ([31], [], [32])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ('{"schema":1,"prompt":"b"}', "`id`"),
        ('{"schema":1,"id":3,"prompt":"b"}', r"\$\.id"),
        ('{"schema":1,"id":"a","prompt":[{"type":"poem"}]}', "poem"),
        ("[1]", "expected an object, got list"),
        ("", "not a Task"),
    ],
    ids=["missing field", "wrong type", "unknown item", "not an object", "empty"],
)
def test_a_bad_record_is_refused_with_the_field_named(data: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        codec.decode(data, Task)


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_garbage_is_bad_input_and_nothing_else(kind: Any) -> None:
    @settings(max_examples=60, deadline=None)
    @given(st.binary(max_size=40) | st.text(max_size=40) | plain.map(msgspec.json.encode))
    def check(garbage: bytes | str) -> None:
        for data in (garbage, b'{"schema":1,' + (garbage if isinstance(garbage, bytes) else b"")):
            with pytest.raises(BadInput, match=f"{kind.__name__}"):
                codec.decode(data, kind)

    check()


def test_garbage_that_is_very_deep_is_bad_input_too() -> None:
    with pytest.raises(BadInput):
        codec.decode("[" * 200_000, Task)
    with pytest.raises(BadInput):
        codec.decode('{"schema":1,"id":"a","prompt":"b","data":' + '{"a":' * 200_000, Task)


def test_text_that_no_file_can_hold_is_bad_input() -> None:
    with pytest.raises(BadInput):
        codec.decode('{"schema":1,"id":"\ud800","prompt":"b"}', Task)


def test_half_a_surrogate_pair_is_replaced_and_nothing_else_is_lost() -> None:
    made = Trajectory(id="a", task="t", group="g", items=[Message("assistant", "x \ud800 y"), Message("user", "é")])
    back = codec.decode(codec.encode(made), Trajectory)
    assert back.items[1] == Message("user", "é") and back.reply.startswith("x ") and back.reply.endswith(" y")


# -- values from anywhere ---------------------------------------------------------------------------------------------


def nested(depth: int) -> list[str]:
    return [
        "[" * depth + "]" * depth,
        '{"a":' * depth + "1" + "}" * depth,
        '[{"a":' * (depth // 2) + "1" + "}]" * (depth // 2),
    ]


@pytest.mark.parametrize("place", range(3), ids=["lists", "objects", "both"])
def test_a_value_that_is_nested_too_deeply_is_refused_and_one_that_is_wide_is_not(place: int) -> None:
    for depth in (2, 200):
        assert codec.read_json(nested(depth)[place]) == json.loads(nested(depth)[place])
    for depth in (202, 500, 900, 5000):
        with pytest.raises(RecursionError):
            codec.read_json(nested(depth)[place])
    wide = [{"a": [place]} for place in range(1000)]
    assert codec.read_json(json.dumps(wide)) == wide


def test_a_value_is_plain_when_it_is_what_will_be_read_back() -> None:
    assert codec.plain({1: (2, 3), "seen": {4}, "half": ["\ud83c", {"\udf75": "é"}]}) == {
        "1": [2, 3],
        "seen": [4],
        "half": ["\ufffd\ufffd\ufffd", {"\ufffd\ufffd\ufffd": "é"}],
    }
