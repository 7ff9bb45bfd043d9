"""Which failures are one, which are alike, and on which side they fall: a family never crosses, and what is known stays."""

import json
import string

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mining.counter import native
from tests.tasks.test_near_duplicates import jaccard
from verigym.core.records import Task
from verigym.mining.families import FamilyAssignment, MinedRequest, assign_families, find_duplicates, request_of
from verigym.tasks import near_duplicates as near


def wants(id: str, prompt: str, tool: str = "book", **arguments: str) -> MinedRequest:
    right = [native(tool, json.dumps(arguments))]
    return request_of(Task(id=id, prompt=prompt, split="train"), f"{tool} {sorted(arguments.items())}", right)


def at(one: MinedRequest, family: str, held_out: bool) -> MinedRequest:
    return msgspec.structs.replace(one, family=family, held_out=held_out)


BOOK = "Could you squeeze {} in on {} at half past four?"
ANA = wants("ana", BOOK.format("Ana", "Friday"), who="Ana", day="Friday")
BARTHOLOMEW = wants(
    "bart", BOOK.format("Bartholomew Featherstone", "Wednesday"), who="Bartholomew Featherstone", day="Wednesday"
)
MAIL = wants("mail", "Send the quarterly figures to the auditors", "mail", to="auditors")


def place(found: dict[str, FamilyAssignment | str], one: MinedRequest) -> FamilyAssignment:
    made = found[one.id]
    assert isinstance(made, FamilyAssignment), made
    return made


def test_requests_that_differ_in_their_values_alone_are_one_family() -> None:
    assert jaccard(str(ANA.prompt), str(BARTHOLOMEW.prompt)) < 0.6
    found = assign_families([ANA, BARTHOLOMEW, MAIL], [], [], 0.5)
    assert place(found, ANA) == place(found, BARTHOLOMEW) and place(found, MAIL).family != place(found, ANA).family


def test_alike_requests_that_want_another_tool_are_another_family() -> None:
    cancel = wants(
        "cancel", BOOK.format("Bartholomew Featherstone", "Wednesday").replace("squeeze", "cancel"), "cancel", who="x"
    )
    found = assign_families([ANA, cancel], [], [], 0.5)
    assert place(found, ANA).family != place(found, cancel).family


def test_practically_the_same_words_stay_together_whatever_they_want() -> None:
    text = "Please take care of the meeting with the whole marketing department tomorrow morning"
    one, other = wants("one", text, "move"), wants("other", f"{text}!", "cancel")
    found = assign_families([one, other], [], [], 0.5)
    assert place(found, one) == place(found, other)


def test_a_known_family_keeps_its_new_member_on_its_side() -> None:
    for held_out in (True, False):
        found = assign_families([BARTHOLOMEW], [at(ANA, "known", held_out)], [], 0.0 if held_out else 1.0)
        assert place(found, BARTHOLOMEW) == FamilyAssignment("known", held_out)


def test_what_resembles_a_held_out_task_is_never_trained_on() -> None:
    own = at(wants("own", BOOK.format("Anna", "Friday"), who="Anna", day="Friday"), "val/1", True)
    assert place(assign_families([ANA], [], [own], 0.0), ANA).held_out
    assert not place(assign_families([ANA], [], [at(own, "train/1", False)], 1.0), ANA).held_out


def test_what_resembles_both_sides_goes_to_neither_and_it_is_said() -> None:
    held = at(wants("held", BOOK.format("Anna", "Friday"), who="Anna", day="Friday"), "val/1", True)
    trained = at(wants("trained", BOOK.format("Ann", "Friday"), who="Ann", day="Friday"), "train/1", False)
    found = assign_families([ANA, MAIL], [], [held, trained], 0.5)
    assert found["ana"] == "The request resembles both trained (training) and held (held out)"
    assert isinstance(found["mail"], FamilyAssignment)


def test_nearly_the_same_request_that_wants_the_same_is_a_repeat() -> None:
    again = wants("again", f"{ANA.prompt} Thanks", who="Ana", day="Friday")
    other = wants("other", f"{ANA.prompt} Thanks", who="Ana", day="Monday")
    found = find_duplicates([ANA], [again, other])
    assert {id: one.of for id, one in found.items()} == {"again": "ana"}


def test_a_known_one_is_never_the_repeat_of_a_new_one() -> None:
    again = wants("again", f"{ANA.prompt} Thanks", who="Ana", day="Friday")
    assert find_duplicates([ANA, at(again, "x", False)], []) == {}


words = st.lists(
    st.sampled_from(["book", "move", "Ana", "Omar", "room", "four", "desk", "invoice", "tomorrow", "please"]),
    min_size=1,
    max_size=8,
)
requests = st.builds(
    lambda said, tool, number: (" ".join(said) + f" {number}", tool),
    words,
    st.sampled_from(["book", "mail", ""]),
    st.integers(0, 3),
)


@settings(max_examples=120, deadline=None)
@given(st.lists(requests, max_size=24, unique=True), st.integers(1, 4), st.floats(0, 1), st.data())
def test_however_often_it_is_mined_a_family_never_crosses_and_nothing_moves(
    asked_for: list[tuple[str, str]], rounds: int, share: float, data: st.DataObject
) -> None:
    """Mined in parts, in any order of the requests within a part."""
    new = [wants(f"{place}", text, tool) for place, (text, tool) in enumerate(asked_for)]
    parts = [new[start::rounds] for start in range(rounds)]
    known: list[MinedRequest] = []
    for part in parts:
        mixed = data.draw(st.permutations(part))
        found, again = assign_families(mixed, known, [], share), assign_families(part, known, [], share)
        assert found == again  # the requests decide, whatever their order
        known += [
            at(one, made.family, made.held_out) for one in mixed if isinstance(made := found[one.id], FamilyAssignment)
        ]
    sides: dict[str, set[bool]] = {}
    for one in known:
        sides.setdefault(one.family, set()).add(one.held_out)
    assert all(len(each) == 1 for each in sides.values())
    texts = {side: {near.plain(str(one.prompt)) for one in known if one.held_out is side} for side in (True, False)}
    for held in texts[True]:
        for trained in texts[False]:
            assert jaccard(held, trained) < 0.95  # MinHash may miss a pair that is only just as alike as asked for


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(string.ascii_letters + " éß漢🙂\n", min_size=0, max_size=40), max_size=8), st.floats(0, 1))
def test_any_text_has_a_place(texts: list[str], share: float) -> None:
    new = [wants(f"{place}", text) for place, text in enumerate(texts)]
    assert set(assign_families(new, [], [], share)) == {one.id for one in new}
