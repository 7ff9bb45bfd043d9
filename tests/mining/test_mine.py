"""mine as a whole: what is taken, from where, once; what stays as it is; and what people have to settle."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.mining.counter import RUN, Counter, book, call, squeeze
from verigym.audit import cases
from verigym.core.errors import NotFound, Refused
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Reasoning, Task
from verigym.environments.load import load_environment
from verigym.evaluation.suites import make_suite
from verigym.mining import proposals
from verigym.mining.mine import mine, write_accepted
from verigym.mining.proposals import AcceptedBatch, Review
from verigym.tasks.load import load_tasks
from verigym.workspace.leak_check import check_held_out

PEOPLE = ["Ana", "Bruno", "Chen", "Dora", "Emil", "Fatma", "Gus", "Hana"]
TEMPLATES = [
    "Could you squeeze {} in on Friday at half past four?",
    "{} wants an hour of my time, Friday 16:30, put that down",
    "Block the Friday slot that begins at 16:30 so that {} and I can talk",
    "My Friday 16:30 belongs to {} from now on",
    "Let us have {} over for a chat, Friday, 16:30 sharp",
    "Reserve the end of Friday afternoon (16:30) for a sit-down with {}",
    "Is Friday 16:30 free? If so it goes to {}",
    "Note a talk with {} under Friday, half past four p.m.",
]
"""Phrasings that toolcall does not have, each a family."""


def fail(counter: Counter, template: int, who: str) -> str:
    return counter.failed(TEMPLATES[template].format(who), book(who, "12:00"), book(who, "16:30"))


def both(counter: Counter) -> tuple[list[Task], list[Task]]:
    """Mined tasks that are trained on, and that are held out."""
    tasks = load_tasks(counter.file)
    return [task for task in tasks if task.split == "train"], [task for task in tasks if task.split != "train"]


def test_failures_become_tasks_that_every_command_can_use(counter: Counter) -> None:
    traces = [fail(counter, template, who) for template in range(8) for who in PEOPLE[:2]]
    found = counter.mine(accept=True, who="ana", held_out_share=0.5)
    train, held_out = both(counter)
    assert len(found.proposed) == len(train) + len(held_out) == 16 and train and held_out
    assert {split: len(ids) for split, ids in found.added.items()} == {"train": len(train), "mined_v1": len(held_out)}
    environment = load_environment(found.environment)
    assert found.environment == f"{counter.environment.name}+{counter.file}" and found.version == 1
    assert [task.id for task in environment.tasks("mined_v1")] == found.added["mined_v1"]
    check_held_out(environment, environment.tasks("train"))
    assert {line.removeprefix("trace ") for task in train + held_out for line in task.lineage} == set(traces)
    assert {task.family for task in train}.isdisjoint(task.family for task in held_out)


def test_without_a_yes_nothing_is_taken(counter: Counter) -> None:
    fail(counter, 0, "Ana")
    found = counter.mine()
    assert found.added == {} and found.open == found.proposed and not counter.file.exists()
    assert found.environment == counter.environment.name and found.version == 0


def test_the_same_traces_again_add_nothing(counter: Counter) -> None:
    for who in PEOPLE:
        fail(counter, 0, who)
    counter.trace("Tell nobody about it", "ok", outcome="failure")
    counter.mine()
    again = counter.mine(accept=True)
    before = counter.file.read_bytes()
    assert again.proposed == [] and again.summary.counts["already proposed"] == 8
    last = counter.mine(accept=True)
    assert (last.proposed, last.added, last.open) == ([], {}, []) and counter.file.read_bytes() == before
    assert last.summary.counts["already tasks"] == 8 and len(last.summary.unverifiable) == 1
    summaries = counter.ws.store.documents("mining", proposals.MiningSummary)
    counter.mine(accept=True)
    assert counter.ws.store.documents("mining", proposals.MiningSummary) == summaries


def test_old_held_out_versions_stay_as_they_are_and_new_failures_make_the_next(counter: Counter) -> None:
    fail(counter, 0, "Ana")
    counter.mine(accept=True, held_out_share=1.0)
    first = counter.file.read_bytes()
    suite = _suite(counter, "mined_v1")
    fail(counter, 1, "Ana")
    second = counter.mine(accept=True, held_out_share=1.0)
    fail(counter, 0, "Bruno")
    third = counter.mine(accept=True, held_out_share=0.0)
    assert (list(second.added), list(third.added)) == (
        ["mined_v2"],
        ["mined_v3"],
    )  # Bruno's family is held out, whatever the share
    assert counter.file.read_bytes().startswith(first) and _suite(counter, "mined_v1") == suite
    assert [len(_suite(counter, f"mined_v{n}")[1]) for n in (1, 2, 3)] == [1, 2, 3]


def _suite(counter: Counter, split: str) -> tuple[str, list[str]]:
    environment = load_environment(f"{counter.environment.name}+{counter.file}")
    tasks = environment.tasks(split)
    made = make_suite("s", "e", tasks, environment.verifier.name)
    return made.hash, made.tasks


def test_training_tasks_alone_make_no_new_held_out_version(counter: Counter) -> None:
    fail(counter, 0, "Ana")
    counter.mine(accept=True, held_out_share=1.0)
    fail(counter, 1, "Ana")
    found = counter.mine(accept=True, held_out_share=0.0)
    assert list(found.added) == ["train"] and found.version == 1


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    days=st.lists(st.lists(st.tuples(st.integers(0, 7), st.sampled_from(PEOPLE)), max_size=4), min_size=1, max_size=4),
    share=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
)
def test_day_by_day_families_never_cross_and_versions_only_grow(
    tmp_path_factory: pytest.TempPathFactory, days: list[list[tuple[int, str]]], share: float
) -> None:
    counter = Counter(tmp_path_factory.mktemp("days") / "home")
    before, versions = b"", dict[str, list[str]]()
    for number, day in enumerate(days):
        for template, who in day:
            fail(counter, template, who)
        if RUN not in [run.id for run in counter.ws.store.runs(parent=None)]:
            continue
        found = counter.mine(accept=True, held_out_share=share if number % 2 else 1 - share)
        if not counter.file.exists():
            continue
        assert counter.file.read_bytes().startswith(before)
        before = counter.file.read_bytes()
        environment = load_environment(found.environment)
        check_held_out(environment, environment.tasks("train"))
        now = {
            split: [task.id for task in environment.tasks(split)]
            for split in environment.suites.values()
            if "mined" in split
        }
        assert all(now[split] == ids for split, ids in versions.items())
        sizes = [len(ids) for _, ids in sorted(now.items(), key=lambda pair: int(pair[0].removeprefix("mined_v")))]
        assert sizes == sorted(set(sizes)) and list(now) == [f"mined_v{n + 1}" for n in range(len(now))]
        versions = now


def test_repeats_are_one_task_with_all_their_traces(counter: Counter) -> None:
    ids = [fail(counter, 0, "Ana") for _ in range(3)]
    ids.append(counter.failed(TEMPLATES[0].format("Ana") + "!", book("Ana", "12:00"), book("Ana", "16:30")))
    found = counter.mine(accept=True)
    (made,) = found.proposed
    assert sorted(counter.kept().proposals[made].trajectories) == ids and found.summary.counts["repeats"] == 1
    assert found.summary.tasks == dict.fromkeys(ids, made)


def test_a_later_repeat_stands_under_the_task_there_is(counter: Counter) -> None:
    fail(counter, 0, "Ana")
    (made,) = counter.mine(accept=True).proposed
    later = [fail(counter, 0, "Ana")]
    later.append(counter.failed(TEMPLATES[0].format("Ana") + "!", book("Ana", "12:00"), book("Ana", "16:30")))
    found = counter.mine(accept=True)
    assert found.proposed == [] and [found.summary.tasks[id] for id in later] == [made, made]


def test_a_request_that_is_a_task_of_the_environment_makes_no_other(counter: Counter) -> None:
    for split in ("train", "val"):
        own = counter.environment.tasks(split)[0]
        id = counter.trace(str(own.prompt), "no", outcome="failure")
        found = counter.mine(accept=True)
        assert found.proposed == [] and found.summary.tasks[id] == own.id
    near_one = counter.failed(f"{own.prompt}!!", "no", call(own.data["expected_tool"], **own.data["expected_args"]))
    found = counter.mine(accept=True)
    assert found.proposed == [] and found.summary.tasks[near_one] == own.id and found.summary.counts["repeats"] == 1


def test_a_correction_that_contradicts_a_task_is_for_people_to_settle(counter: Counter) -> None:
    own = counter.environment.tasks("train")[0]
    id = counter.failed(str(own.prompt), "no", call("refuse"))
    found = counter.mine(accept=True)
    (one,) = found.summary.unverifiable
    assert one.missing.startswith(f"{own.id} has the same request and expects ") and one.trajectories == [id]


# -- whose failures, and by what ----------------------------------------------------------------------------------------------


def test_only_the_environments_workload_is_mined_unless_a_run_is_named(counter: Counter) -> None:
    fail(counter, 0, "Ana")
    system = Message("system", "You are a pirate.")
    counter.ws.store.begin_run("traces-else", "traces", {})
    stranger = counter.trace(TEMPLATES[1].format("Ana"), book("Ana", "12:00"), run="traces-else", tools="")
    one = counter.ws.store.trajectory(stranger)[1]
    counter.ws.store.add("traces-else", [msgspec.structs.replace(one, items=[system, *one.items[1:]])])
    counter.feedback(stranger, correction=book("Ana", "16:30"))
    found = counter.mine()
    assert found.summary.counts["of another workload"] == 1 and len(found.proposed) == 1
    named = counter.mine(runs=["traces-else"])
    assert len(named.proposed) == 1 and "of another workload" not in named.summary.counts
    with pytest.raises(NotFound, match='no run "traces-none"'):
        counter.mine(runs=["traces-none"])


def test_a_run_that_is_no_run_of_traces_is_not_mined(counter: Counter) -> None:
    counter.ws.store.begin_run("eval-x", "eval", {})
    with pytest.raises(Refused, match=r"No production traces exist yet\. Import some with verigym ingest"):
        counter.mine()
    fail(counter, 0, "Ana")
    with pytest.raises(NotFound):
        counter.mine(runs=["eval-x"])


def test_the_verifier_finds_failures_that_nobody_reported(counter: Counter) -> None:
    asked = squeeze("Ana")
    silent = counter.trace(asked, book("Ana", "12:00"))
    fine = counter.trace(asked, book("ana", "16:30"))
    found = counter.mine()
    assert found.proposed == [] and found.summary.counts["unknown"] == 2
    counter.trace(asked, book("Ana", "16:30"), outcome="success")
    found = counter.mine()
    (made,) = found.proposed
    one = counter.kept().proposals[made]
    assert one.trajectories == [silent] and one.signals == ['verifier: time: expected "16:30", got "12:00"']
    assert fine not in found.summary.tasks and found.summary.counts["failed"] == 1


def test_a_retry_that_repeats_what_was_right_is_no_failure(counter: Counter) -> None:
    """Whoever asks again may just have lost the answer."""
    right = book("Ana", "16:30")
    counter.trace(squeeze("Ana"), right, Message("user", squeeze("Ana")), right, outcome="success")
    found = counter.mine()
    assert (found.proposed, found.summary.unverifiable, found.summary.counts["succeeded"]) == ([], [], 2)


def test_attempts_that_turn_out_to_be_right_make_no_task(counter: Counter) -> None:
    counter.trace(squeeze("Ana"), book("Ana", "16:30"), outcome="success")
    counter.trace(squeeze("Ana"), book("ana", "16:30"))
    found = counter.mine(accept=True)
    assert (found.proposed, found.summary.counts["succeeded"], found.summary.counts["unknown"]) == ([], 2, 0)


def test_an_unknown_outcome_alone_is_counted_and_nothing_else(counter: Counter) -> None:
    counter.trace(squeeze("Ana"), book("Ana", "12:00"))
    found = counter.mine()
    assert (found.proposed, found.summary.unverifiable, found.summary.counts["unknown"]) == ([], [], 1)


# -- the verifier may be wrong ------------------------------------------------------------------------------------------------


def test_where_a_person_and_the_verifier_disagree_a_case_is_proposed_and_only_a_person_accepts_it(
    counter: Counter,
) -> None:
    own = counter.environment.tasks("train")[0]
    good = call(own.data["expected_tool"], **own.data["expected_args"])
    says_good = counter.trace(str(own.prompt), "I did it by phone.")
    counter.feedback(says_good, outcome="success", who="ana", note="by phone is fine")
    says_bad = counter.trace(str(own.prompt), good)
    counter.feedback(says_bad, outcome="failure", who="ben", note="she is on leave")
    clicked = counter.trace(str(own.prompt), good)
    counter.feedback(clicked, outcome="failure", who="ben")
    counter.trace(str(own.prompt), "I did it by mail.", outcome="success")  # which no person said
    found = counter.mine(accept=True)
    assert found.cases == [f"case/{says_good}", f"case/{says_bad}"] == found.open
    path = cases.path_of(counter.environment.name, counter.ws.home)
    assert not path.exists()
    proposals.add_review(counter.ws, Review(proposals=found.cases, answer="accepted", who="ana", when=proposals.now()))
    write_accepted(counter.ws, counter.environment.name)
    kept = {one.trajectory.id: one for one in cases.read(path)}
    assert [(kept[id].should, kept[id].note) for id in (says_good, says_bad)] == [
        ("pass", "by phone is fine"),
        ("fail", "she is on leave"),
    ]
    assert kept[says_bad].trajectory.marked("executed") and kept[says_bad].task == own
    assert counter.mine(accept=True).open == []


# -- what was decided stays decided ---------------------------------------------------------------------------------------------


def test_what_was_rejected_stays_rejected(counter: Counter) -> None:
    fail(counter, 0, "Ana")
    (made,) = counter.mine().proposed
    proposals.add_review(counter.ws, Review(proposals=[made], answer="rejected", when=proposals.now()))
    fail(counter, 0, "Ana")
    found = counter.mine(accept=True)
    assert (found.proposed, found.added, found.open) == ([], {}, []) and counter.kept().state(made) == "rejected"


def test_what_was_accepted_before_a_kill_is_taken_by_the_next_command(counter: Counter) -> None:
    fail(counter, 0, "Ana")
    (made,) = counter.mine().proposed
    proposals.add_review(counter.ws, Review(proposals=[made], answer="accepted", when=proposals.now()))
    assert counter.kept().state(made) == "accepted"
    assert list(counter.mine().added.values()) == [[made]]


def test_a_file_that_was_written_before_a_kill_is_found_again(counter: Counter) -> None:
    """The file is there, the note that it was taken is not."""
    fail(counter, 0, "Ana")
    (made,) = counter.mine(held_out_share=1.0).proposed
    task = msgspec.structs.replace(counter.kept().proposals[made].task, split="mined_v1")
    proposals.add_review(counter.ws, Review(proposals=[made], answer="accepted", when=proposals.now()))
    counter.file.parent.mkdir()
    counter.file.write_bytes(msgspec.json.encode(task) + b"\n")
    assert counter.ws.store.documents("taken", AcceptedBatch) == []
    fail(counter, 1, "Ana")
    found = counter.mine(accept=True, held_out_share=1.0)
    assert list(found.added) == ["mined_v2"] and load_tasks(counter.file)[0].id == made


def test_a_task_that_somebody_took_out_of_the_file_does_not_come_back(counter: Counter) -> None:
    fail(counter, 0, "Ana")
    counter.mine(accept=True, held_out_share=1.0)
    counter.file.unlink()
    assert counter.mine(accept=True).proposed == [] and not counter.file.exists()
    fail(counter, 1, "Ana")
    found = counter.mine(accept=True, held_out_share=1.0)
    assert list(found.added) == ["mined_v2"]  # a version's number is never given twice


def test_a_file_without_a_last_line_break_is_continued_on_a_new_line(counter: Counter) -> None:
    fail(counter, 0, "Ana")
    counter.mine(accept=True)
    counter.file.write_bytes(counter.file.read_bytes().rstrip(b"\n"))
    fail(counter, 1, "Ana")
    counter.mine(accept=True)
    assert len(load_tasks(counter.file)) == 2


@pytest.mark.parametrize("request_text", ["", "  \n"])
def test_an_empty_request_makes_no_task(counter: Counter, request_text: str) -> None:
    counter.failed(request_text, book("Ana", "12:00"), book("Ana", "16:30"))
    [missing] = counter.mine(accept=True).summary.unverifiable
    assert missing.missing == "The request is empty"


def test_two_at_once_are_refused(counter: Counter) -> None:
    fail(counter, 0, "Ana")
    with counter.ws.store.claim("mine-small"), pytest.raises(Refused, match="Another process"):
        counter.mine()


def test_the_environment_with_its_file_is_mined_like_the_environment_itself(counter: Counter) -> None:
    fail(counter, 0, "Ana")
    found = counter.mine(accept=True)
    again = mine(counter.ws, load_environment(found.environment), accept=True)
    assert again.proposed == [] and again.environment == found.environment


def test_two_thousand_traces_of_one_request_are_one_task(counter: Counter) -> None:
    """A request that fails all day long names its first traces, not all of them."""
    first = counter.ws.store.trajectory(fail(counter, 0, "Ana"))[1]
    more = [msgspec.structs.replace(first, id=f"{RUN}/x{n:05}", outcome="failure") for n in range(2_000)]
    counter.ws.store.add(RUN, more)
    (made,) = counter.mine().proposed
    one = counter.kept().proposals[made]
    assert len(one.trajectories) == 2_001 and len(one.task.lineage) == 20


ITEMS = st.one_of(
    st.builds(Message, st.just("user"), st.sampled_from(["Pencil Ana in", "pencil  ana in", "Ring Bob", ""])),
    st.builds(
        Message, st.just("assistant"), st.sampled_from([book("Ana", "16:30"), book("Ana", "12:00"), "ok", "{", ""])
    ),
    st.builds(Message, st.sampled_from(["user", "assistant", "developer"]), st.text(max_size=30)),
    st.builds(
        FunctionCall,
        st.sampled_from(["c1", "c2", ""]),
        st.sampled_from(["email.send", "refuse", "no.such", "", "calendar-create_event"]),
        st.sampled_from(
            [
                "{}",
                "",
                "{",
                "[[[[",
                "null",
                '{"to": 5}',
                '{"attendee": "Ana", "day": "Friday", "time": "16:30"}',
                "\x00",
            ]
        ),
    ),
    st.builds(FunctionCallOutput, st.sampled_from(["c1", "c9"]), st.text(max_size=10)),
    st.just(Reasoning()),
)


@settings(max_examples=12, deadline=None)
@given(
    traces=st.lists(
        st.tuples(
            st.lists(ITEMS, max_size=6), st.sampled_from(["", "success", "failure"]), st.lists(ITEMS, max_size=3)
        ),
        max_size=6,
    ),
    data=st.data(),
)
def test_whatever_the_traces_hold_is_taken_counted_or_listed(
    tmp_path_factory: pytest.TempPathFactory, traces: list[tuple[list[Item], str, list[Item]]], data: st.DataObject
) -> None:
    counter = Counter(tmp_path_factory.mktemp("odd") / "home")
    fail(counter, 0, "Ana")
    for items, outcome, correction in traces:
        id = counter.trace(items, outcome=outcome)
        if correction or data.draw(st.booleans()):
            counter.feedback(id, outcome=data.draw(st.sampled_from(["", "success", "failure"])), correction=correction)
    found = counter.mine(accept=True)
    counts = found.summary.counts
    assert counts["traces"] == len(traces) + 1
    parts = ("already tasks", "repeats", "unverifiable", "new tasks")
    assert sum(counts[part] for part in parts) == counts["failed requests"]
    load_environment(found.environment).tasks("train")
    assert counter.mine(accept=True).added == {}
