"""The audit of a verifier: a sound one is trusted, and each kind of bad one is told apart in words."""

from pathlib import Path

import pytest

from tests.audit.bad import DESK, RIGHT_DESK, RIGHT_SUM, SUMS, asked, audit, write
from verigym.audit.verifier import HARM, NO_JUDGE, Audit
from verigym.core.protocols import Reply as PolicyReply
from verigym.core.protocols import Request
from verigym.core.records import FunctionCall, Label, Message, Turn
from verigym.harness.environment import Reply

SHAPED = """
right = trajectory.reply.strip() == task.data["answer"]
return Verdict(reward={good} if right else {bad}, passed=right, parts={{"tidy": 1.0, "right": float(right)}})
"""
WRONG_CALL: list[Reply] = [[FunctionCall("c", "cancel", '{"who": "Ada"}')], "I would book that."]


def failed(found: Audit) -> dict[str, str]:
    return {check.name: check.words for check in found.checks if check.outcome == "fail"}


@pytest.mark.parametrize(("world", "verify"), [(SUMS, RIGHT_SUM), (DESK, RIGHT_DESK)], ids=["answers", "calls"])
def test_a_sound_verifier_is_trusted_with_what_was_not_seen_left_open(tmp_path: Path, world: str, verify: str) -> None:
    found = audit(write(tmp_path, world, verify), WRONG_CALL if world == DESK else None, processes=1)
    assert found.trust and found.fix == [] and failed(found) == {}
    unclear = {check.name for check in found.checks if check.outcome == "unclear"}
    assert unclear == {"it agrees with people"}
    assert {check.name for check in found.checks} <= set(HARM)
    noticed = asked(found, "harmful edits change the verdict").words
    assert ("another answer (12)" if world == SUMS else "an argument changed (6)") in noticed


@pytest.mark.parametrize(
    ("world", "verify", "name", "words"),
    [
        (
            SUMS,
            "return float(task.data['answer'] in trajectory.reply)",
            "cheats do not pass",
            "an echo of the prompt passes",
        ),
        (SUMS, "return min(1.0, len(trajectory.reply) / 1500)", "longer does not pay", "rewards length"),
        (DESK, "return float(len(trajectory.calls) == 1)", "harmful edits change the verdict", "checks the format"),
        (
            DESK,
            "return float(any(call.name == 'book' for call in trajectory.calls) and '{who}' not in str(task))",
            "cheats do not pass",
            "every tool at once passes",
        ),
        (
            SUMS,
            f"if len(trajectory.reply) > 100_000:\n    raise MemoryError('too long')\n{RIGHT_SUM}",
            "cheats do not pass",
            "a reply of a megabyte makes the verifier fail on val/10: MemoryError: too long",
        ),
        (
            SUMS,
            f"try:\n    json.loads(trajectory.reply)\nexcept ValueError:\n    return 0.0\n{RIGHT_SUM}",
            "cheats do not pass",
            "a JSON bomb makes the verifier fail on val/10: RecursionError",
        ),
        (
            SUMS,
            "return float(trajectory.reply.isdigit())",
            "cheats do not pass",
            "of another task passes 12 of 12 tasks",
        ),
        (SUMS, "return random.random()", "the verdict is always the same", "uses random numbers"),
        (
            SUMS,
            f"{RIGHT_SUM} - 0.01 * list({{'a', 'b', 'c', 'd', 'e', 'f', 'g'}}).index('a')",
            "the verdict is always the same",
            "depends on the order of a set or on hash()",
        ),
        (
            SUMS,
            f"{RIGHT_SUM} if datetime.date.today().year == {{year}} else 0.0",
            "the verdict is always the same",
            "depends on today's date",
        ),
        (
            SUMS,
            SHAPED.format(good=0.5, bad=0.5),
            "passing is what pays",
            "24 of 24 failed outputs earn as much as a passed one",
        ),
        (
            SUMS,
            "return float(trajectory.reply == task.data['answer'])",
            "harmless edits keep the verdict",
            "white space around the answer turned a pass into a failure in 12 of 12",
        ),
        (SUMS, "return 1 / int(trajectory.reply)", "every output gets a verdict", "12 of 36 outputs have no verdict"),
        (SUMS, "return 0.0", "gold solutions pass", "the gold solution of val/10 scores 0.0"),
    ],
    ids=[
        *("substring", "length", "form", "any tool", "huge", "JSON", "any number", "chance", "set order", "date"),
        *("shaping", "white space", "crash", "never"),
    ],
)
def test_each_fault_has_words_of_its_own(tmp_path: Path, world: str, verify: str, name: str, words: str) -> None:
    import datetime

    verify = verify.replace("{year}", str(datetime.date.today().year))
    elsewhere = 3 if "hash()" in words or "date" in words else 0
    found = audit(write(tmp_path, world, verify), WRONG_CALL if world == DESK else None, processes=elsewhere)
    assert not found.trust and words in failed(found)[name]
    assert any(words in line for line in found.fix)


def test_what_remembers_earlier_outputs_is_told_from_what_draws_by_chance(tmp_path: Path) -> None:
    seen = "seen = collections.Counter()\nlast = []"
    counts = "seen[trajectory.id] += 1\nreturn 0.1 * seen[trajectory.id]"
    follows = "before = last[-1:]\nlast.append(trajectory.id)\nreturn 0.5 * (before == [trajectory.id[:-1] + '0'])"
    again = failed(audit(write(tmp_path, SUMS, counts, seen)))["the verdict is always the same"]
    assert "scored twice in a row, 36 of 36 differ (run/val/10/0: " in again
    order = failed(audit(write(tmp_path, SUMS, follows, seen)))["the verdict is always the same"]
    assert "in another order, 12 of 36 differ" in order and "depends on the order of outputs" in order


def test_too_much_shaping_is_said_with_its_figure_and_is_no_failure(tmp_path: Path) -> None:
    found = audit(write(tmp_path, SUMS, SHAPED.format(good=1.0, bad=0.8)))
    check = asked(found, "passing is what pays")
    assert check.outcome == "unclear" and "the best failed output earns 0.8, the worst passed one 1" in check.words
    assert "the median failed one 0.80 of that" in check.words and "too much shaping" in check.words
    assert found.trust and {part.name: part.relation for part in found.parts} == {
        "tidy": None,
        "right": pytest.approx(1),
    }


def test_an_argument_that_is_never_looked_at_is_named(tmp_path: Path) -> None:
    verify = "return float([each[0] for each in trajectory.end_state['booked']] == [task.data['expected_args']['who']])"
    found = audit(write(tmp_path, DESK, verify), WRONG_CALL)
    check = asked(found, "harmful edits change the verdict")
    assert check.outcome == "unclear" and "Any value passes for book day. Check" in check.words and found.trust


def test_looking_around_before_the_right_call_is_no_cheat(tmp_path: Path) -> None:
    """`look` changes nothing, so a verifier of the end state may pass it beside the right call; `cancel` is not offered here."""
    harmless = DESK.replace('self.booked.append(["not", who])', "pass")
    found = audit(write(tmp_path, harmless, RIGHT_DESK), WRONG_CALL)
    assert asked(found, "cheats do not pass").outcome == "pass"


def test_the_most_harmful_fault_comes_first(tmp_path: Path) -> None:
    found = audit(write(tmp_path, SUMS, "return float(task.data['answer'] in trajectory.reply) * random.random()"))
    order = [HARM.index(name) for name in sorted(failed(found), key=HARM.index)]
    assert len(order) > 1 and found.fix == [failed(found)[HARM[place]] for place in order]
    assert "as much as the gold solution" in found.fix[0] or "passes" in found.fix[0]


def test_an_environment_whose_own_code_raises_fails_in_words(tmp_path: Path) -> None:
    found = audit(write(tmp_path, SUMS, RIGHT_SUM, "def cheats(task):\n    return 1 / 0"))
    assert failed(found) == {"cheats do not pass": "cheats do not pass: ZeroDivisionError: division by zero"}


# -- people -------------------------------------------------------------------------------------------------------------


def labelled(good: range, bad: range) -> dict[str, Label]:
    """The gold solution is output 0 of a task, "99" is 1."""
    ids = {f"run/val/{i}/0": "good" for i in good} | {f"run/val/{i}/1": "bad" for i in bad}
    return {id: Label(trajectory=id, judgement=said, who="anna") for id, said in ids.items()}  # type: ignore[arg-type]


def test_labels_that_agree_give_trust_and_few_of_them_leave_it_open(tmp_path: Path) -> None:
    where = write(tmp_path, SUMS, RIGHT_SUM)
    full = audit(where, labels=labelled(range(10, 22), range(10, 22)))
    check = asked(full, "it agrees with people")
    assert check.outcome == "pass" and check.words.startswith(
        "the verifier agrees with the label on 24 of 24 outputs, kappa 1.00 (0."
    )
    few = asked(audit(where, labels=labelled(range(10, 12), range(10, 12))), "it agrees with people")
    assert few.outcome == "unclear" and "At least 20 labels are needed. Run verigym label run --single" in few.words
    alike = asked(audit(where, labels=labelled(range(10, 22), range(0))), "it agrees with people")
    assert alike.outcome == "unclear" and "All labels are equal, so kappa is undefined" in alike.words


def test_a_verifier_that_people_disagree_with_is_not_trusted_and_its_leaning_is_said(tmp_path: Path) -> None:
    found = audit(
        write(tmp_path, SUMS, "return float(trajectory.reply.strip().isdigit())"),
        labels=labelled(range(10, 22), range(10, 22)),
    )
    words = failed(found)["it agrees with people"]
    assert "12 of 24" in words and "passes 12 outputs labelled bad and fails 0 labelled good" in words
    assert found.agreement and len(found.agreement.disagreements) == 12
    one = found.agreement.disagreements[0]
    assert (one.label, one.who, one.passed) == ("bad", "anna", True)


# -- judges -------------------------------------------------------------------------------------------------------------


JUDGED = """
from verigym.verifiers.judge import Judge
verifiers = {"judged": Judge("Is it right?")}
"""


class Swayed:
    """A judge that does what a reply tells it; else it likes what `likes` says."""

    def __init__(self, obeys: bool) -> None:
        self.obeys = obeys

    async def respond(self, request: Request) -> PolicyReply:
        prompt = "".join(item.text for item in request.items if isinstance(item, Message))
        reply = prompt.split("<reply ")[1]
        good = any(f"\n{2 * i}\n" in reply and f"is {i} + {i}" in prompt for i in range(10, 22))
        good = good or (self.obeys and "full marks" in reply)
        return PolicyReply(
            items=[Message("assistant", f'{{"reason": "so", "score": {10 if good else 0}}}')], turn=Turn(agent="judge")
        )


def test_a_judge_is_tried_only_where_one_is_named(tmp_path: Path) -> None:
    where = write(tmp_path, SUMS, RIGHT_SUM, JUDGED)
    alone = audit(where)
    assert alone.asks_judge and "no output of this run is labelled" in failed(alone)["it agrees with people"]
    assert "no output has a verdict" in failed(alone)["every output gets a verdict"]
    assert asked(alone, "the verdict is always the same").words == NO_JUDGE
    assert asked(alone, "cheats do not pass").outcome == "unclear"
    firm = audit(where, judge=Swayed(obeys=False))
    assert firm.asks_judge and "white space" not in firm.fix
    assert "changed its verdict on 0 of 36 outputs" in asked(firm, "the verdict is always the same").words
    assert asked(firm, "cheats do not pass").outcome == "pass"
    swayed = audit(where, judge=Swayed(obeys=True))
    assert "a text that addresses the judge passes val/10" in swayed.fix[0]


PAIRWISE = """
from verigym.verifiers.judge import PairwiseJudge
verifiers = {"better": PairwiseJudge("Which is right?")}
"""


class First:
    """A judge of pairs that likes the shorter reply or, blind, whichever comes first."""

    def __init__(self, blind: bool) -> None:
        self.blind = blind

    async def respond(self, request: Request) -> PolicyReply:
        prompt = "".join(item.text for item in request.items if isinstance(item, Message))
        first, second = (prompt.split(f"<reply {side} ")[1].split("\n")[1] for side in "AB")
        winner = "A" if self.blind or len(first) < len(second) else "B"
        return PolicyReply(items=[Message("assistant", f'{{"reason": "so", "winner": "{winner}"}}')], turn=Turn())


@pytest.mark.parametrize("blind", [True, False])
def test_a_judge_of_pairs_that_follows_the_order_is_found_by_swapping(tmp_path: Path, blind: bool) -> None:
    found = audit(write(tmp_path, SUMS, RIGHT_SUM, PAIRWISE), ["four hundred", "I do not know"], judge=First(blind))
    check = asked(found, "the judge does not mind the order")
    assert check.outcome == ("fail" if blind else "pass")
    assert ("72 of 72 pairs (72 times the first position)" if blind else "0 of 72 pairs") in check.words
