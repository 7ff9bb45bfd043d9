"""Rows to learn from: who is imitated, which of two was better, and that everything left out is counted."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core import codec
from verigym.core.errors import BadInput, Refused
from verigym.core.records import (
    Example,
    Failure,
    Fault,
    FunctionCall,
    FunctionCallOutput,
    Image,
    Item,
    Label,
    Mark,
    Message,
    Preference,
    Stop,
    Task,
    ToolSpec,
    Trajectory,
    Turn,
    Usage,
    Verdict,
)
from verigym.training.data import Counts, RunRecords, demonstrations, graded_pairs, labelled_pairs, read_rows

TASKS = [Task(id=name, prompt=f"do {name}", family=f"of {name}") for name in ("a", "b")]
PROMPT: list[Item] = [Message("system", "Be brief."), Message("user", "do it")]
TOOLS = [ToolSpec(name="add")]


def tools_of(hash: str) -> list[ToolSpec]:
    return {"": [], "t": TOOLS}[hash]


def episode(text: str, index: int = 0, task: str = "a", tokens: int = 5, **other: Any) -> Trajectory:
    """One that says `text`, in a single reply."""
    turn = Turn(saw=[(0, 2)], made=[2], usage=Usage(9, tokens), finish=other.pop("finish", "stop"))
    items = other.pop("items", [*PROMPT, Message("assistant", text)])
    return Trajectory(id=f"r/{task}/{index}", task=task, group=task, index=index, items=items, turns=[turn], **other)


def verdict(one: Trajectory, reward: float | None, **other: Any) -> Verdict:
    return Verdict(trajectory=one.id, verifier="v", reward=reward, passed=reward is not None and reward >= 1.0, **other)


def graded(*rewards: float | None, task: str = "a") -> tuple[list[Trajectory], list[Verdict]]:
    """Episodes that all say something else, with these rewards."""
    episodes = [episode(f"reply {place}", place, task) for place in range(len(rewards))]
    return episodes, [verdict(one, reward) for one, reward in zip(episodes, rewards, strict=True)]


def records(episodes: Sequence[Trajectory], verdicts: Sequence[Verdict], tasks: Sequence[Task] = TASKS) -> RunRecords:
    return RunRecords(tasks, episodes, verdicts, tools_of)


def demos(episodes: Sequence[Trajectory], verdicts: Sequence[Verdict], **options: Any) -> tuple[list[Example], Counts]:
    return demonstrations(records(episodes, verdicts), **options)


# -- demonstrations -----------------------------------------------------------------------------------------------------


def test_an_episode_that_passed_is_imitated_from_its_first_reply_on() -> None:
    call, result = FunctionCall("c1", "add", "{}"), FunctionCallOutput("c1", "2")
    items = [
        *PROMPT,
        call,
        result,
        Message("assistant", "Two."),
        Message("user", "Thanks"),
        Message("assistant", "Bye."),
    ]
    turns = [Turn(made=[2]), Turn(made=[4]), Turn(actor="user", made=[5]), Turn(made=[6])]
    one = Trajectory(id="r/a/0", task="a", group="a", items=items, turns=turns, tools="t")
    rows, counts = demos([one], [verdict(one, 1.0)])
    assert rows == [
        Example(task="a", family="of a", items=items, made=[(2, 3), (4, 5), (6, 7)], tools=TOOLS, source="r/a/0")
    ]
    assert counts == {"looked at": 1, "kept": 1}


def test_a_result_after_the_last_reply_is_left_out() -> None:
    call, result = FunctionCall("c1", "add", "{}"), FunctionCallOutput("c1", "2")
    one = episode("", items=[*PROMPT, call, result])
    rows, _ = demos([one], [verdict(one, 1.0)])
    assert rows[0].items == [*PROMPT, call] and rows[0].made == [(2, 3)]


@pytest.mark.parametrize(
    ("one", "judged", "reason"),
    [
        (episode("x"), {"reward": 0.5}, "not passed"),
        (episode("x"), {"reward": None}, "not scored"),
        (episode("x"), {"reward": 1.0, "unsafe": True}, "unsafe"),
        (episode("x", marks=[Mark("unsafe", 2)]), {"reward": 1.0}, "unsafe"),
        (episode("x", stop=Stop.MAX_TOKENS), {"reward": 1.0}, "truncated"),
        (episode("x", finish="length"), {"reward": 1.0}, "truncated"),
        (episode("x", finish="error"), {"reward": 1.0}, "error"),
        (episode("x", error=Failure(Fault.MODEL, "Boom", "boom")), {"reward": 1.0}, "error"),
        (episode("x", items=[*PROMPT[:1], Message("user", [Image("ab")]), Message("assistant", "x")]), {"reward": 1.0}, "image"),
        (msgspec.structs.replace(episode("x"), turns=[Turn(actor="user", made=[2])]), {"reward": 1.0}, "no reply"),
    ],
    ids=["failed", "no verdict", "unsafe", "marked unsafe", "cut off", "cut in the middle", "filtered", "broken", "image",
         "silent"],
)  # fmt: skip
def test_what_should_not_be_imitated_is_dropped_for_a_reason(one: Trajectory, judged: Any, reason: str) -> None:
    rows, counts = demos([one], [verdict(one, **judged)])
    assert rows == [] and counts == {"looked at": 1, "kept": 0, reason: 1}


def test_an_episode_without_a_verdict_is_not_imitated() -> None:
    assert demos([episode("x")], [])[1] == {"looked at": 1, "kept": 0, "not scored": 1}


def test_the_best_then_the_shortest_then_the_first_are_kept() -> None:
    episodes = [episode(f"reply {place}", place, tokens=tokens) for place, tokens in enumerate([9, 3, 3, 9])]
    verdicts = [verdict(one, reward) for one, reward in zip(episodes, [1.0, 1.0, 1.0, 2.0], strict=True)]
    rows, counts = demos(episodes, verdicts, per_task=3)
    assert [row.source for row in rows] == ["r/a/3", "r/a/1", "r/a/2"]
    assert counts == {"looked at": 4, "kept": 3, "over per_task": 1}
    assert demos(episodes, verdicts, min_reward=1.5)[1] == {"looked at": 4, "kept": 1, "below min_reward": 3}


def test_the_same_replies_to_one_task_count_once_whatever_their_call_ids() -> None:
    calls = [episode("", i, items=[*PROMPT, FunctionCall(f"id{i}", "add", "{}")]) for i in range(3)]
    other = episode("", 0, "b", items=[*PROMPT, FunctionCall("id", "add", "{}")])
    rows, counts = demos([*calls, other], [verdict(one, 1.0) for one in [*calls, other]])
    assert [row.task for row in rows] == ["a", "b"] and counts["twice"] == 2


def test_held_out_tasks_are_refused_in_words() -> None:
    held_out = [*TASKS, Task(id="c", prompt="do c", split="val")]
    for make in (demonstrations, graded_pairs):
        with pytest.raises(Refused, match=r'1 of 3 tasks are held out \(task "c" is in split "val"\).*--split train'):
            make(records([], [], held_out))
    with pytest.raises(Refused, match="never trained on"):
        labelled_pairs(records([], [], held_out), [])


# -- pairs by reward ----------------------------------------------------------------------------------------------------


def test_the_best_meets_the_worst_and_the_second_best_the_second_worst() -> None:
    rows, counts = graded_pairs(records(*graded(0.2, 1.0, -1.0, 0.8, 0.5)))
    assert [(row.source, round(row.margin, 9)) for row in rows] == [
        ("r/a/1 over r/a/2", 2.0),
        ("r/a/3 over r/a/0", 0.6),
    ]
    assert rows[0] == Preference(
        task="a",
        family="of a",
        prompt=PROMPT,
        chosen=[Message("assistant", "reply 1")],
        rejected=[Message("assistant", "reply 2")],
        margin=2.0,
        source="r/a/1 over r/a/2",
    )
    assert counts == {"looked at": 5, "kept": 4, "no partner": 1}


def test_pairs_that_are_too_close_or_too_many_are_counted() -> None:
    episodes, verdicts = graded(1.0, 0.9, 0.3, 0.2, 0.1, 0.0)
    rows, counts = graded_pairs(records(episodes, verdicts), gap=0.5, per_task=1)
    assert len(rows) == 1 and counts == {"looked at": 6, "kept": 2, "over per_task": 2, "too close": 2}


def test_a_gap_is_reached_in_spite_of_rounding() -> None:
    assert len(graded_pairs(records(*graded(0.3, 0.2)), gap=0.1)[0]) == 1


def test_two_that_say_the_same_are_no_pair() -> None:
    episodes = [episode("same", 0), episode("same", 1)]
    rows, counts = graded_pairs(records(episodes, [verdict(episodes[0], 1.0), verdict(episodes[1], 0.0)]))
    assert rows == [] and counts == {"looked at": 2, "kept": 0, "twice": 1, "no partner": 1}


def test_only_episodes_that_saw_the_same_prompt_are_compared() -> None:
    told = episode("x", 1, items=[Message("system", "Be long."), *PROMPT[1:], Message("assistant", "x")])
    episodes = [episode("y", 0), told]
    rows, counts = graded_pairs(records(episodes, [verdict(episodes[0], 1.0), verdict(told, 0.0)]))
    assert rows == [] and counts["no partner"] == 2


@st.composite
def runs(draw: st.DrawFn) -> tuple[list[Trajectory], list[Verdict]]:
    episodes: list[Trajectory] = []
    verdicts: list[Verdict] = []
    for place in range(draw(st.integers(0, 12))):
        stop = draw(st.sampled_from([Stop.DONE, Stop.DONE, Stop.MAX_TOKENS]))
        text = draw(st.sampled_from(["yes", "no", "ja 🎉", "नहीं", ""]))
        one = episode(text, place, draw(st.sampled_from("ab")), draw(st.integers(0, 9)), stop=stop)
        episodes.append(one)
        if draw(st.integers(0, 4)):
            reward = draw(st.none() | st.floats(-1, 1))
            verdicts.append(verdict(one, reward, unsafe=draw(st.integers(0, 9)) == 0))
    return episodes, verdicts


@given(runs(), st.integers(1, 3), st.floats(0, 1))
def test_counts_add_up_and_a_chosen_reward_is_the_larger_one(
    run: tuple[list[Trajectory], list[Verdict]], per_task: int, gap: float
) -> None:
    rewards = {one.trajectory: one.reward for one in run[1]}
    examples, counts = demos(*run, per_task=per_task)
    assert counts["looked at"] == len(run[0]) == counts["kept"] + sum(list(counts.values())[2:])
    assert counts["kept"] == len(examples)
    rows, counts = graded_pairs(records(*run), gap=gap, per_task=per_task)
    assert counts["looked at"] == len(run[0]) == counts["kept"] + sum(list(counts.values())[2:])
    assert counts["kept"] == 2 * len(rows)
    for row in rows:
        chosen, rejected = (rewards[id] for id in row.source.split(" over "))
        assert chosen is not None and rejected is not None and chosen > rejected
        assert row.margin == chosen - rejected >= gap - 1e-6 and row.chosen != row.rejected
    assert len({row.source for row in rows}) == len(rows)
    assert max([sum(row.task == task for row in rows) for task in "ab"]) <= per_task


# -- pairs by labels ----------------------------------------------------------------------------------------------------


def said(judgement: Any, who: str = "anna", left: str = "r/a/0", right: str = "r/a/1") -> Label:
    return Label(trajectory=left, other=right, judgement=judgement, who=who)


@pytest.mark.parametrize(
    ("labels", "chosen", "counts"),
    [
        ([said("better")], "reply 0", {"kept": 1}),
        ([said("worse")], "reply 1", {"kept": 1}),
        ([said("better"), said("worse")], "reply 1", {"kept": 1, "replaced": 1}),
        ([said("better"), said("better", left="r/a/1", right="r/a/0")], "reply 1", {"kept": 1, "replaced": 1}),
        ([said("same")], "", {"kept": 0, "same": 1}),
        ([said("skip")], "", {"kept": 0, "skipped": 1}),
        ([said("better"), said("skip")], "", {"kept": 0, "replaced": 1, "skipped": 1}),
        ([said("better"), said("worse", "bo")], "", {"kept": 0, "people disagree": 2}),
        ([said("better"), said("worse", "bo", "r/a/1", "r/a/0")], "reply 0", {"kept": 1, "said before": 1}),
        ([said("better"), said("same", "bo")], "reply 0", {"kept": 1, "same": 1}),
        ([Label(trajectory="r/a/0", judgement="good")], "", {"kept": 0, "of one output": 1}),
        ([said("better", left="elsewhere")], "", {"kept": 0}),
        ([said("better", right="elsewhere")], "", {"kept": 0}),
    ],
    ids=["left", "right", "newest", "newest, sides swapped", "same", "skip", "taken back", "two people differ",
         "two people agree", "one says same", "of one output", "of another run", "with another run"],
)  # fmt: skip
def test_what_people_preferred_is_chosen(labels: list[Label], chosen: str, counts: Counts) -> None:
    rows, found = labelled_pairs(records(*graded(0.0, 1.0)), labels)
    assert [row.chosen for row in rows] == ([[Message("assistant", chosen)]] if chosen else [])
    looked_at = sum(counts.values())
    assert found == {"looked at": looked_at, **counts}


def test_a_labelled_pair_with_an_unsafe_side_is_dropped() -> None:
    episodes, verdicts = graded(0.0, 1.0)
    verdicts = [verdicts[0], verdict(episodes[1], 1.0, unsafe=True)]
    assert labelled_pairs(records(episodes, verdicts), [said("better")])[1]["unsafe"] == 1


# -- files --------------------------------------------------------------------------------------------------------------


def write(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_demonstrations_and_preferences_of_a_file_become_rows(tmp_path: Path) -> None:
    tool = '{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}'
    calls = '[{"role": "assistant", "tool_calls": [{"function": {"name": "add", "arguments": {"a": 1}}}]},'
    calls += '{"role": "tool", "content": "2"}, {"role": "assistant", "content": "Zwei 🎉"}]'
    shown = write(tmp_path / "shown.jsonl", f'{{"prompt": "1+1?", "completion": {calls}, "tools": [{tool}]}}')
    rows, counts = read_rows(shown)
    assert isinstance(rows[0], Example) and rows[0].made == [(1, 2), (3, 4)] and rows[0].source == "shown.jsonl:1"
    assert rows[0].tools == [ToolSpec(name="add", parameters={"type": "object"})] and counts["kept"] == 1
    liked = write(tmp_path / "liked.jsonl", '{"prompt": "Hi", "chosen": "Hello", "rejected": "Go away", "family": "f"}')
    assert read_rows(liked)[0] == [
        Preference(
            task="liked-1",
            family="f",
            prompt=[Message("user", "Hi")],
            chosen=[Message("assistant", "Hello")],
            rejected=[Message("assistant", "Go away")],
            source="liked.jsonl:1",
        )
    ]


def test_repeats_and_rows_labelled_bad_are_dropped(tmp_path: Path) -> None:
    row = '{"prompt": "Hi", "completion": "Hello"%s}'
    _, counts = read_rows(write(tmp_path / "x.jsonl", row % "", row % "", row % ', "label": false'))
    assert counts == {"looked at": 3, "kept": 1, "twice": 1, "labelled bad": 1}


OWN = Example(task="a", items=[*PROMPT, Message("assistant", "x")], made=[(2, 3)])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (['{"prompt": "Hi", "completion": "x"}', "{oops"], "x.jsonl line 2: not JSON at column 2"),
        (['{"prompt": "Hi", "answer": "x"}'], 'row "x-1" is neither a demonstration nor a preference'),
        (['{"prompt": "Hi", "completion": "x"}', '{"prompt": "Hi", "answer": "x"}'], 'row "x-2" is of kind'),
        (['{"prompt": "Hi", "completion": "x", "split": "val"}'], 'row "x-1" is in split "val". Held-out'),
        (['{"prompt": "Hi", "completion": "x", "tools": ["add"]}'], '"tools" is not a list of'),
        (['{"prompt": "Hi", "completion": [{"role": "user", "content": "x"}]}'], '"completion" contains no reply'),
        ([codec.encode(OWN).decode(), "[1]"], "x.jsonl line 2: This is not a Example"),
        ([codec.encode(OWN).decode(), '{"schema": 2, "task": "a"'], "x.jsonl line 2: not JSON"),
        ([codec.encode(msgspec.structs.replace(OWN, made=[(2, 4)])).decode()], r'line 1: "made" is \[\(2, 4\)\]'),
        ([codec.encode(msgspec.structs.replace(OWN, made=[])).decode()], 'line 1: "made" is'),
        ([""], "x.jsonl contains no tasks"),
    ],
    ids=["malformed", "a question", "mixed", "held out", "tools", "no reply", "own, a list", "own, malformed",
         "own, beyond the end", "own, nothing made", "empty"],
)  # fmt: skip
def test_a_bad_file_is_refused_with_its_place(tmp_path: Path, rows: list[str], words: str) -> None:
    with pytest.raises((BadInput, Refused), match=words):
        read_rows(write(tmp_path / "x.jsonl", *rows))


texts = st.text(max_size=20).map(codec.plain)
conversations = st.lists(st.tuples(texts, texts, texts), min_size=1, unique_by=lambda row: row[:2])


def as_example(prompt: str, reply: str, task: str) -> Example:
    items: list[Item] = [Message("user", prompt), Message("assistant", reply)]
    return Example(task=task, family="f", items=items, made=[(1, 2)], tools=TOOLS, source="s")


def as_preference(prompt: str, reply: str, task: str) -> Preference:
    chosen, rejected = Message("assistant", reply), Message("assistant", f"not {reply}")
    return Preference(task=task, prompt=[Message("user", prompt)], chosen=[chosen], rejected=[rejected], margin=0.3)


@given(conversations, st.sampled_from([as_example, as_preference]))
def test_rows_come_back_from_a_file_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str, str]], make: Any
) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    rows = [make(*one) for one in said]
    path.write_bytes(b"".join(codec.encode(row) + b"\n" for row in rows))
    assert read_rows(path) == (rows, {"looked at": len(rows), "kept": len(rows)})
