"""The page of an episode: conversation, verdict, group, end state, tokens and the way."""

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.view.crawl import open_client
from tests.view.store import ODD, VERIFIER, Made, add_run, episode, make_store, verdict
from verigym.core.errors import BadInput, NotFound
from verigym.core.items import FunctionCall, FunctionCallOutput, Message, Reasoning
from verigym.core.records import Mark, Task, Trajectory, Turn, Version
from verigym.registry import versions
from verigym.store.database import Store
from verigym.view.end_state import compare, tree
from verigym.view.episode_items import EpisodeRecord
from verigym.view.page import Query
from verigym.view.pages.trajectory import TrajectoryPage, trajectory_page
from verigym.view.pages.trajectory_item import item_page
from verigym.view.read import Reader
from verigym.view.tokenizer import Vocabulary, vocabulary
from verigym.view.tokens import advantage_class, probability_class, token_turn

TASK = 'odd/"task" <b>&amp;%20'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_store(tmp_path_factory.mktemp("trajectory"))


@pytest.fixture(scope="module")
def reader(made: Made) -> Iterator[Reader]:
    reader = Reader(made.home)
    yield reader
    reader.close()


def page(reader: Reader, id: str, **given: str) -> TrajectoryPage:
    return trajectory_page(reader, Query({"id": id}, given))


def test_items_are_numbered_and_results_are_joined_to_their_call(reader: Reader, made: Made) -> None:
    items = page(reader, f"{made.run}/task-3/1").conversation.items
    assert [(item.index, item.kind) for item in items] == [(0, "user"), (1, "call"), (2, "result"), (3, "assistant")]
    assert items[1].name == "mail.send" and items[1].joined == 2 and items[2].joined == 1
    assert items[1].marks[0].kind == "executed" and items[1].turn == 0


def test_turns_say_what_they_saw_and_where_they_branch(reader: Reader, made: Made) -> None:
    shown = page(reader, made.branched)
    turns = shown.conversation.turns
    assert turns[0].saw == "saw items 0 to 1" and turns[0].finish == "tool_calls" and turns[0].reward == 0.25
    assert turns[1].goes_on == "continues turn 1" and turns[1].reward == 0.75 and not turns[1].branch
    assert turns[2].actor == "title" and turns[2].reward is None and turns[2].saw == "saw item 1"


def test_a_branch_and_a_rewritten_root_are_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("r", "eval", {})
    replies = [Message("assistant", str(number)) for number in range(4)]
    turns = [
        Turn(saw=[(0, 1)], made=[1]),
        Turn(parent=0, saw=[(0, 2)], made=[2]),
        Turn(parent=0, saw=[(0, 2), (3, 4)], made=[3]),
        Turn(saw=[(0, 1)], made=[4], rewritten=True),
    ]
    store.add("r", [episode("r", "t", items=[Message("user", "x"), *replies], turns=turns)])
    store.close()
    reader = Reader(tmp_path)
    shown = page(reader, "r/t/0").conversation.turns
    assert shown[2].goes_on == "branches from turn 1" and shown[2].branch and shown[2].saw == "saw items 0 to 1, 3"
    assert shown[3].goes_on.startswith("new root") and shown[3].branch
    reader.close()


def test_kinds_of_items_can_be_hidden_and_the_numbers_stay(reader: Reader, made: Made) -> None:
    shown = page(reader, made.branched, hide="system,reasoning")
    assert [item.index for item in shown.conversation.items] == [1, 3, 4, 5, 6]
    switch = next(one for one in shown.switches if one.kind == "reasoning")
    assert not switch.shown and switch.href.endswith("hide=system")


def test_malformed_arguments_are_kept_exactly_and_marked(reader: Reader) -> None:
    item = page(reader, f"{ODD}/{TASK}/8").conversation.items[1]
    assert item.text == '{"to": broken' and item.malformed.startswith("The arguments are not JSON")
    assert item.marks[0].kind == "format_error" and item.marks[0].bad


@pytest.mark.parametrize(
    ("arguments", "malformed"),
    [("[1]", True), ("", True), ('{"a": 1}', False), ("[" * 5000, True), ('"x"', True)],
    ids=["list", "empty", "object", "deep", "text"],
)
def test_arguments_that_are_no_object_are_marked(tmp_path: Path, arguments: str, malformed: bool) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("r", "eval", {})
    store.add("r", [episode("r", "t", items=[FunctionCall("c", "f", arguments)])])
    store.close()
    reader = Reader(tmp_path)
    assert bool(page(reader, "r/t/0").conversation.items[0].malformed) is malformed
    reader.close()


def test_the_verdict_has_its_parts_and_the_history_says_what_changed(reader: Reader, made: Made) -> None:
    shown = page(reader, f"{made.run}/task-0/0")
    assert shown.verdict is not None and shown.verdict.verifier == VERIFIER and shown.kind == "passed"
    assert [(part.name, part.share) for part in shown.verdict.parts] == [("tool", 1.0), ("arguments", 1.0)]
    assert shown.history[0].change.startswith("Failed here, passes now. Reward 0.50 here, 1.00 now")


@pytest.mark.parametrize(
    ("index", "kind", "words"),
    [(0, "failed", "model's fault"), (1, "error", "environment's fault"), (2, "error", "verifier's fault"),
     (3, "error", "infrastructure's fault"), (8, "unsafe", "")],
)  # fmt: skip
def test_an_error_says_whose_fault_it_was(reader: Reader, index: int, kind: str, words: str) -> None:
    shown = page(reader, f"{ODD}/{TASK}/{index}")
    assert shown.kind == kind and words in " ".join(shown.problems)


def test_a_failure_has_its_bucket_and_a_link_to_others_like_it(reader: Reader, made: Made) -> None:
    reason = page(reader, f"{made.run}/task-3/1").reason
    assert reason is not None and reason.bucket == "wrong arguments" and "bucket=wrong%20arguments" in reason.href
    assert page(reader, f"{made.run}/task-0/0").reason is None


def test_siblings_have_rewards_advantages_and_steps_to_the_next(reader: Reader, made: Made) -> None:
    shown = page(reader, f"{made.run}/task-3/1")
    assert [one.kind for one in shown.siblings] == ["passed", "failed", "failed"]
    assert [one.here for one in shown.siblings] == [False, True, False]
    first, second, third = (one.advantage or 0.0 for one in shown.siblings)
    assert first > 1 and second == third and abs(first + second + third) < 1e-6
    assert shown.previous.endswith("task-3%2F0") and shown.following.endswith("task-3%2F2")
    assert not page(reader, f"{made.run}/task-3/2").following


def test_the_first_difference_to_a_passing_attempt_ignores_call_ids(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("r", "eval", {}, [Task(id="t", prompt="x")])

    def attempt(index: int, name: str) -> None:
        call = FunctionCall(f"id-{index}", "send", f'{{"to": "{name}"}}')
        items = [
            Message("user", "x"),
            FunctionCall(f"a-{index}", "look", "{}"),
            call,
            FunctionCallOutput(f"id-{index}", "ok"),
        ]
        one = episode("r", "t", index, items=items, end_state={"to": name})
        store.add("r", [one], [verdict(one.id, name == "Dina")])

    for index, name in enumerate(["Dina", "Dana", "Dora"]):
        attempt(index, name)
    store.close()
    reader = Reader(tmp_path)
    shown = page(reader, "r/t/2")
    assert shown.difference is not None and shown.difference.index == 2 and shown.difference.mine_href == "#i2"
    assert "Dora" in shown.difference.mine and "Dina" in shown.difference.theirs
    assert shown.end_state is not None
    [change] = shown.end_state.changes[0].changes
    assert (change.path, change.before, change.after) == ("to", '"Dina"', '"Dora"')
    assert page(reader, "r/t/0").difference is None
    reader.close()


def test_the_end_state_is_compared_with_the_start(reader: Reader, made: Made) -> None:
    state = page(reader, f"{made.run}/task-0/0").end_state
    assert state is not None and state.changes[0].against == "the start of the task"
    assert [(one.path, one.kind) for one in state.changes[0].changes] == [("mails[0]", "added"), ("count", "added")]


def test_rows_that_moved_are_no_changes() -> None:
    before = {"rows": [{"id": 1}, {"id": 2}, {"id": 3, "name": "x"}], "same": 1, "gone": None}
    after = {"rows": [{"id": 2}, {"id": 3, "name": "y"}], "same": 1}
    changes = compare("x", before, after).changes
    assert [(one.path, one.kind) for one in changes] == [
        ("rows[0]", "removed"),
        ("rows[1].name", "changed"),
        ("gone", "removed"),
    ]
    nodes, cut = tree({"deep": {"a": [1, 2]}, "wide": list(range(5000))})
    assert cut and nodes[0].children[0].note == "2 entries"


def test_labels_stay_hidden_until_they_are_asked_for(reader: Reader, made: Made) -> None:
    id = f"{made.run}/task-2/0"
    shown = page(reader, id)
    assert shown.labels is None and b"better" not in msgspec.json.encode(shown.labels)
    asked = page(reader, id, labels="1").labels
    assert asked is not None and {one.judgement for one in asked} == {"good", "better"}


def test_the_way_leads_from_a_trace_to_its_task_and_back(reader: Reader, made: Made) -> None:
    forward = {stage.name: [link.words for link in stage.links] for stage in page(reader, made.trace).way.stages}
    assert forward["Feedback"][0].startswith("failure by Ada") and forward["Proposal"] == [
        "mined/0",
        "mined/1",
        "mined/2",
    ]
    assert "task-1" in forward["Task"] and forward["Review"] == ["accepted by Ada", "rejected by Ada"]
    back = page(reader, f"{made.run}/task-1/0").way
    assert [link.words for link in back.stages[0].links] == [made.trace], "by the summary of mining"
    assert back.known and page(reader, made.trace).way.missing == ["nobody said what is right"]


def test_the_way_of_an_evaluation_leads_to_reports_and_decisions(reader: Reader) -> None:
    run = reader.store.run("eval-toolcall-c05f4805")
    id = reader.one("SELECT id FROM trajectories WHERE run = ? LIMIT 1", run.id)
    stages = {stage.name: stage.links for stage in page(reader, id).way.stages}
    assert any("tool_call_eval" in link.words for link in stages["Measured"])
    assert any("REJECT" in link.words or "PROMOTE" in link.words for link in stages["Decided"])


def test_a_trace_says_who_redacted_it_and_has_no_group(reader: Reader, made: Made) -> None:
    shown = page(reader, made.trace)
    facts = {fact.name: fact.words for fact in shown.facts}
    assert facts["Redacted by"] == "rules@1" and facts["In production"] == "failure" and not shown.siblings
    assert shown.feedback[0].note == "wrong person" and shown.verdict is None and shown.kind == "failed"
    assert shown.corrections == [['calls mail.send {"to": "Dina"}']]


def test_one_id_in_two_runs_names_the_other(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    for run in ("a", "b"):
        store.begin_run(run, "eval", {})
        store.add(run, [episode("x", "t", items=[Message("user", run)])])
    store.close()
    reader = Reader(tmp_path)
    assert page(reader, "x/t/0", run="a").conversation.items[0].text == "a"
    assert [link.words for link in page(reader, "x/t/0", run="a").others] == ["b"]
    with pytest.raises(NotFound):
        page(reader, "x/t/0", run="c")
    reader.close()


def test_a_prefix_finds_an_episode_and_an_unknown_id_does_not(reader: Reader, made: Made) -> None:
    assert page(reader, f"{made.run}/task-3/1"[:-1] + "1").id.endswith("task-3/1")
    with pytest.raises(NotFound, match="matches several"):
        page(reader, f"{made.run}/task-3")
    with pytest.raises(NotFound):
        page(reader, "no such episode")


def test_a_long_item_is_cut_and_has_a_page_of_its_own(tmp_path: Path) -> None:
    text = "é" * 10_000_000
    store = Store(tmp_path / "store.db")
    store.begin_run("r", "eval", {}, [Task(id="t", prompt="x")])
    one = episode("r", "t", items=[Message("user", text), Message("assistant", "short")])
    store.add("r", [one], [verdict(one.id, False)])
    store.close()
    reader = Reader(tmp_path)
    started = time.process_time()
    shown = page(reader, "r/t/0")
    assert time.process_time() - started < 20, "a page must not read a long item as a page would"
    item = shown.conversation.items[0]
    assert len(item.text) == 20_000 and item.rest == "20 MB more" and shown.reason is None
    whole = item_page(reader, Query({"id": "r/t/0"}, {"item": "0", "start": "9900000"}))
    assert len(whole.text) == 100_000 and whole.total == 10_000_000 and whole.before and not whole.after
    assert '"count"' in item_page(reader, Query({"id": "r/t/0"}, {"item": "end"})).text
    with pytest.raises(BadInput):
        item_page(reader, Query({"id": "r/t/0"}, {"item": "2"}))
    reader.close()


def test_a_long_conversation_has_pages(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("r", "eval", {})
    store.add("r", [episode("r", "t", items=[Message("user", str(number)) for number in range(450)], marks=[])])
    store.close()
    reader = Reader(tmp_path)
    first, last = page(reader, "r/t/0"), page(reader, "r/t/0", **{"from": "400"})
    assert len(first.conversation.items) == 200 and "from=200" in first.after and not first.before
    assert [item.index for item in last.conversation.items][::49] == [400, 449] and not last.after
    reader.close()


def test_reasoning_that_only_the_provider_can_read_is_named(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("r", "eval", {})
    items = [Reasoning(encrypted_content="abc"), Message("assistant", [])]
    store.add("r", [episode("r", "t", items=items, marks=[Mark("note", None, "no item")])])
    store.close()
    reader = Reader(tmp_path)
    shown = page(reader, "r/t/0")
    assert shown.conversation.items[0].hidden and shown.marks[0].detail == "no item"
    reader.close()


# -- tokens -------------------------------------------------------------------------------------------------------------


def tokenizer(folder: Path) -> str:
    """A byte-level tokenizer with a word, half a character and a special token."""
    vocab = {"Mail": 0, "ĠDi": 1, "na": 2, "Ã": 3, "©": 4}
    file = {
        "model": {"type": "BPE", "vocab": vocab},
        "added_tokens": [{"id": 9, "content": "<|end|>"}],
        "decoder": {"type": "ByteLevel"},
    }
    folder.mkdir()
    (folder / "tokenizer.json").write_bytes(msgspec.json.encode(file))
    return str(folder)


def test_ids_become_text_and_half_a_character_waits_for_the_other_half(tmp_path: Path) -> None:
    words = vocabulary(tokenizer(tmp_path / "base"))
    turn = Turn(
        context_ids=[0], completion_ids=[0, 1, 2, 3, 4, 9, 77], logprobs=[-0.001, -0.5, -8.0, -1.0, -0.2, -0.3, -0.4],
        restricted=[0.0] * 7,
    )  # fmt: skip
    shown = token_turn(turn, 0, words, by="logprob")
    assert [one.text for one in shown.tokens] == ["Mail", " Di", "na", "é", "<|end|>", "77 "]
    assert [one.kind for one in shown.tokens][:3] == ["p0", "p3", "p8"]
    assert shown.tokens[3].title.count("id ") == 2 and shown.tokens[4].special
    assert "100% among the allowed" in shown.tokens[0].title and shown.context[0].kind == "masked"


def test_a_tokenizer_with_spaces_as_marks_is_read(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(
        '{"model": {"type": "Unigram", "vocab": [["▁a", -1.0], ["<0x0A>", -2.0]]}, "decoder": {"type": "Sequence"}}'
    )
    words = vocabulary(str(tmp_path))
    assert words is not None and (words.bytes_of(0), words.bytes_of(1), words.bytes_of(2)) == (b" a", b"\n", None)


@pytest.mark.parametrize("base", ["", "https://host/v1#m", "no/such-model", "/no/such/folder", "../../etc"])
def test_without_a_tokenizer_on_this_machine_the_ids_are_shown(base: str) -> None:
    assert vocabulary(base) is None
    shown = token_turn(Turn(completion_ids=[5, 6]), 0, None, by="logprob")
    assert [one.text for one in shown.tokens] == ["5 ", "6 "] and "not on this machine" in shown.note


def test_a_vocabulary_knows_exactly_its_ids() -> None:
    words = Vocabulary({7: b"seven", 0: b"", 90_000: b"many"}, frozenset())
    assert [words.bytes_of(id) for id in (0, 7, 90_000)] == [b"", b"seven", b"many"]
    assert [words.bytes_of(id) for id in (-1, 1, 8, 90_001)] == [None] * 4
    assert Vocabulary({}, frozenset()).bytes_of(0) is None


def test_a_tokenizer_with_an_impossible_id_is_no_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text('{"model": {"vocab": {"a": 9223372036854775807}}}')
    assert vocabulary(str(tmp_path)) is None


def test_a_damaged_tokenizer_is_no_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text('{"model": 3}')
    assert vocabulary(str(tmp_path)) is None


def test_a_turn_with_many_tokens_has_pages() -> None:
    turn = Turn(completion_ids=list(range(4_500)), logprobs=[-0.1] * 4_500)
    first, last = token_turn(turn, 0, None, by="logprob"), token_turn(turn, 0, None, by="logprob", first=4_000)
    assert len(first.tokens) == 2_000 and first.after == 2_000 and len(last.tokens) == 500 and last.before == 2_000


@pytest.mark.parametrize(
    ("value", "kind"), [(None, "none"), (0.0, "none"), (0.3, "up1"), (-0.7, "down2"), (1.5, "up3"), (-9.0, "down4")]
)
def test_advantages_are_shaded_by_sign_and_size(value: float | None, kind: str) -> None:
    assert advantage_class(value) == kind


def test_probabilities_have_nine_classes() -> None:
    assert [probability_class(-one) for one in (0.0, 0.05, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 50.0)] == [
        f"p{number}" for number in range(9)
    ]
    assert probability_class(float("-inf")) == "p8"


def test_tokens_of_an_episode_are_coloured_by_probability_and_by_advantage(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    base = tokenizer(tmp_path / "base")
    version = versions.register(store, Version(base=base, name="v"))
    store.begin_run("r", "eval", {"agent": version.id}, [Task(id="t", prompt="x")])
    for index, passed in enumerate([True, False]):
        turns = [
            Turn(saw=[(0, 1)], made=[1], agent=version.id, completion_ids=[0, 1, 2], logprobs=[-0.1, -0.2, -3.0]),
            Turn(actor="judge", saw=[(0, 2)], made=[2], agent=version.id, completion_ids=[0], logprobs=[-0.1]),
        ]  # fmt: skip
        items = [Message("user", "x"), Message("assistant", "Mail Dina"), Message("assistant", "fine")]
        one = episode("r", "t", index, items=items, turns=turns)
        store.add("r", [one], [verdict(one.id, passed)])
    store.close()
    reader = Reader(tmp_path)
    shown = page(reader, "r/t/0", tokens="logprob").tokens
    assert shown is not None and "".join(one.text for one in shown.turns[0].tokens) == "Mail Dina"
    assert shown.turns[1].tokens[0].kind == "masked", "another actor is not trained on"
    better, worse = (page(reader, f"r/t/{index}", tokens="advantage").tokens for index in (0, 1))
    assert better and worse and better.turns[0].tokens[0].kind == "up2" and worse.turns[0].tokens[0].kind == "down2"
    assert "less the mean of the group" in better.words
    with pytest.raises(BadInput):
        page(reader, "r/t/0", tokens="entropy")
    reader.close()


def test_the_tokens_of_a_redacted_trace_say_why_they_are_missing(reader: Reader, made: Made) -> None:
    shown = page(reader, made.trace, tokens="logprob").tokens
    assert shown is not None and "Redaction drops token ids" in shown.turns[0].note


def test_a_page_never_loads_torch_or_transformers() -> None:
    import subprocess
    import sys

    code = (
        "import sys, verigym.view.pages.trajectory, verigym.view.pages.run\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers', 'tokenizers')))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_run_with_one_attempt_has_no_strip(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    add_run(store, "r", tasks=1, attempts=1)
    store.close()
    reader = Reader(tmp_path)
    shown = page(reader, "r/task-0/0")
    assert not shown.siblings and not shown.previous and shown.advantage_words == ""
    reader.close()


def test_replies_without_stored_ids_stay_text_and_offer_no_tokens(reader: Reader, made: Made) -> None:
    with open_client(made.home) as client:
        text = client.get(f"/t/{made.trace}", params={"tokens": "logprob"}).text
        assert "Mailed 0." in text and text.count("so this reply is shown as text") == 1 and "by advantage" not in text
    assert page(reader, made.trace).token_links == []


def test_a_task_that_was_not_mined_says_that_its_request_was_seen_in_production(reader: Reader, made: Made) -> None:
    way = page(reader, f"{made.run}/task-1/0").way
    assert not way.mined and way.stages[0].name == "The same request in production"
    with open_client(made.home) as client:
        for address in (f"/t/{made.run}/task-1/0", "/task/task-1"):
            assert "he same request was seen in production" in client.get(address).text


def test_the_record_of_an_episode_has_the_fields_of_a_trajectory() -> None:
    assert set(EpisodeRecord.__struct_fields__) == set(Trajectory.__struct_fields__)
