"""The look at proposals: what a key does, and that an edit is proven as everything is."""

import pytest

from tests.mining.counter import Counter, book, squeeze
from verigym.core.records import Task
from verigym.mining import proposals
from verigym.mining.expectations import MissingEvidence
from verigym.mining.proposals import Proposal, Review
from verigym.mining.review import ReviewSession, accept_edited, edit_task, press


def proposal(id: str) -> Proposal:
    return Proposal(id=id, environment="small", task=Task(id=id, prompt=id), right="r", source="s", did="d")


SESSION = ReviewSession(who="ana", proposals=[proposal("one"), proposal("two")])


def said(review: Review | None) -> tuple[list[str], str, str] | None:
    return None if review is None else (review.proposals, review.answer, review.note)


def test_keys_accept_reject_and_skip_one_after_another() -> None:
    first, accepted = press(SESSION, "a")
    second, rejected = press(first, "r", "bob is gone")
    assert said(accepted) == (["one"], "accepted", "") and said(rejected) == (["two"], "rejected", "bob is gone")
    assert first.proposal == SESSION.proposals[1] and second.proposal is None and not second.over
    assert accepted is not None and accepted.who == "ana" and accepted.when
    skipped, nothing = press(SESSION, "s")
    assert nothing is None and skipped.proposal == SESSION.proposals[1]


def test_undo_opens_the_last_one_again_and_a_skip_leaves_nothing_to_take_back() -> None:
    after, taken_back = press(press(SESSION, "a")[0], "u")
    assert after == SESSION and said(taken_back) == (["one"], "open", "taken back")
    assert press(press(SESSION, "s")[0], "u") == (SESSION, None)


@pytest.mark.parametrize("key", ["u", "x", "", "A"])
def test_a_key_without_a_meaning_changes_nothing(key: str) -> None:
    assert press(SESSION, key) == (SESSION, None)


def test_after_the_last_only_undo_and_quit_mean_something() -> None:
    done = press(press(SESSION, "a")[0], "a")[0]
    assert press(done, "a") == (done, None) and press(done, "q")[0].over
    assert press(done, "u")[0].proposal == SESSION.proposals[1]


def test_an_edit_is_taken_as_it_was_edited_unless_it_is_taken_back(counter: Counter) -> None:
    counter.failed(squeeze("Ana"), book("Ana", "12:00"), book("Ana", "16:30"))
    (made,) = counter.mine().proposed
    one, right = counter.kept().proposals[made], book("Ana", "16:45")
    task = edit_task(counter.ws, counter.environment, one, right)
    session, review = accept_edited(ReviewSession(who="ana", proposals=[one]), task, right)
    proposals.add_review(counter.ws, review)
    assert counter.kept().task(made).data["expected_args"]["time"] == "16:45" and counter.kept().right(made) == right
    _, taken_back = press(session, "u")
    assert taken_back is not None
    proposals.add_review(counter.ws, taken_back)
    assert counter.kept().state(made) == "open" and counter.kept().task(made) == one.task
    proposals.add_review(counter.ws, review)
    (taken,) = proposals.write_accepted(counter.ws, counter.environment.name)
    assert (taken.id, taken.family, taken.lineage) == (made, one.task.family, one.task.lineage)
    assert taken.data["expected_args"]["time"] == "16:45"
    again = counter.mine(accept=True)  # the correction says 16:30 still, and has been overruled
    assert again.proposed == [] and again.summary.unverifiable == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "returned None for"),
        (book("Ana", "half past"), "The verifier does not pass the task's gold solution"),
        (book("Ana", "12:00"), "With this edit, the failed attempt in traces-counter/0001 would pass"),
    ],
    ids=["no call", "does not execute", "the failure itself"],
)
def test_an_edit_that_proves_nothing_is_not_taken(counter: Counter, text: str, words: str) -> None:
    counter.failed(squeeze("Ana"), book("Ana", "12:00"), book("Ana", "16:30"))
    (made,) = counter.mine().proposed
    with pytest.raises(MissingEvidence, match=words):
        edit_task(counter.ws, counter.environment, counter.kept().proposals[made], text)


def test_an_edit_needs_no_trace_that_is_no_longer_kept(counter: Counter) -> None:
    counter.failed(squeeze("Ana"), book("Ana", "12:00"), book("Ana", "16:30"))
    (made,) = counter.mine().proposed
    counter.ws.store.delete_run("traces-counter")
    task = edit_task(counter.ws, counter.environment, counter.kept().proposals[made], book("Ana", "16:45"))
    assert task.data["expected_args"]["time"] == "16:45"
