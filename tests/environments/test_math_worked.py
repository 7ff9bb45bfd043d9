"""`math?train=worked`: every answer is right by a second computation, every step too, and nothing of it is held out."""

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from tests.environments.math_answers import CLOCKS, EQUATIONS, EXPRESSIONS, NUMBERS, OPTIONS, SYSTEMS
from tests.environments.test_math import TRAIN, VAL, five_in_a_row
from verigym.core.records import Message, Task, Trajectory
from verigym.environments import math
from verigym.environments.load import load_environment
from verigym.environments.math.algebra import read, read_equation, same, same_equation
from verigym.environments.math.quantities import quantities
from verigym.environments.math.training_sets import PER_FAMILY, drawn, families, worked
from verigym.environments.math.verifier import RULES, math_verifier
from verigym.environments.math.worked import steps
from verigym.environments.math.worked.telling import NAMES, Family, Told, wordings
from verigym.tasks.leaks import find_leaks

MADE = worked()
DRAWS = {draw.__name__: draw for _, draw in families()}


# -- the set --------------------------------------------------------------------------------------------------------------


def test_there_are_many_tasks_of_every_rule_and_level_and_all_of_them_differ() -> None:
    assert len(MADE) >= 20_000 and len({task.family for task in MADE}) == len(DRAWS) >= 120
    assert min(Counter(task.family for task in MADE).values()) == PER_FAMILY
    assert len({task.id for task in MADE}) == len({str(task.prompt) for task in MADE}) == len(MADE)
    assert {tuple(task.tags) for task in MADE} == {
        (level, rule) for level in ("easy", "medium", "hard") for rule in RULES
    }
    assert {task.split for task in MADE} == {"train"}
    assert not {str(task.prompt) for task in MADE} & {str(task.prompt) for task in TRAIN}


def test_the_set_is_used_by_name_and_everything_else_stays() -> None:
    both = load_environment("math?train=shipped,worked")
    assert both.tasks("train") == [*TRAIN, *MADE] and both.tasks("val") == VAL
    assert both.version == load_environment("math").version and both.suites == load_environment("math").suites


def test_the_same_tasks_are_made_every_time() -> None:
    first = MADE[:200]
    worked.cache_clear()
    assert worked()[:200] == first and [task.id for task in worked()] == [task.id for task in MADE]


def test_every_family_is_told_in_at_least_five_ways_and_uses_all_of_them() -> None:
    for name, draw in DRAWS.items():
        told = Counter(" ".join(re.findall(r"[a-z]{3,}", one.prompt)[:5]) for one in drawn(draw))
        assert len(told) >= 5, name
    assert min(len(wordings(name)) for name in ("shift_end", "all_solutions", "rearrange")) >= 5


def test_no_slot_or_alternative_is_left_in_a_question() -> None:
    for task in MADE:
        bare = re.sub(r"\|(x [-+] \d+)\|", r"\1", str(task.prompt))
        assert not re.search(r"[{}|]|  | ,|(?<!\.)\.\.(?!\.)|^ | $", bare), task.prompt


# -- the answers ----------------------------------------------------------------------------------------------------------


def test_every_gold_solution_passes() -> None:
    for task in MADE:
        reply = Trajectory(id="a", task=task.id, group="g", items=[Message("assistant", math.gold(task))])
        verdict = math_verifier(task, reply)
        assert verdict.passed, f"{task.id}: {verdict.evidence}"


def test_no_cheat_passes() -> None:
    for task in MADE[::30]:
        for reply in math.cheats(task):
            verdict = math_verifier(
                task, Trajectory(id="a", task=task.id, group="g", items=[Message("assistant", reply)])
            )
            assert not verdict.passed, f"{task.id}: {reply}"


def test_no_answer_is_a_number_of_its_question() -> None:
    for task in MADE[::4]:
        if task.data["rule"] == "number":
            given = {one.number.value for one in quantities(str(task.prompt))}
            assert Fraction(task.data["answer"].removesuffix("%")) not in given, task.prompt


def right(name: str, told: Told) -> bool:
    """Whether the answer is that of the second computation."""
    slots, answer = SimpleNamespace(**told.slots), told.data["answer"]
    match told.data["rule"]:
        case "number":
            return Fraction(answer.removesuffix("%")) == NUMBERS[name](slots) if name in NUMBERS else solves(name, told)
        case "clock":
            hours, minutes = answer.split(":")
            return (int(hours) * 60 + int(minutes) - CLOCKS[name](slots)) % 1440 == 0
        case "option":
            return answer == OPTIONS[name](slots)
        case "expression":
            text = EXPRESSIONS[name](slots) if name in EXPRESSIONS else told.slots.get("text")
            return follows(slots.shown, answer) if text is None else same(read(answer), read(text))
        case "equation":
            return same_equation(read_equation(answer), read_equation(EQUATIONS[name](slots)))
    return solves(name, told)


def follows(shown: str, answer: str) -> bool:
    """Whether the expression in n gives the sequence."""
    term = compiled(answer)
    return [term(n=n) for n in range(1, 6)] == [int(value) for value in shown.split(", ")]


def compiled(text: str) -> Callable[..., Fraction]:
    """`3x(x - 2)^2` as a function."""
    text = re.sub(r"\|([^|]+)\|", r"abs(\1)", text).replace("^", "**").replace(" · ", "*")
    text = re.sub(r"(?<=[\dxyn)])(?=[xyn(])|(?<=\))(?=\d)", "*", text)
    code = compile(re.sub(r"\d+(?=/)", r"F(\g<0>)", text), "", "eval")
    return lambda **values: eval(code, {"F": Fraction, "abs": abs}, values)


def differences(equations: list[str]) -> list[Callable[..., Fraction]]:
    return [compiled("({}) - ({})".format(*equation.split(" = "))) for equation in equations]


def solves(name: str, told: Told) -> bool:
    """Whether the answer solves the equations, and no other whole number does."""
    slots = SimpleNamespace(**told.slots)
    if name in SYSTEMS:
        equations = list(SYSTEMS[name](slots))
    elif "left" in told.slots:
        equations = [f"{slots.left} = {told.slots.get('right', told.slots.get('c'))}"]
    else:
        equations = [told.slots[key] for key in ("equation", "one", "two") if key in told.slots]
    answer: Any = told.data["answer"]
    named: dict[str, list[str]] = {"x": [answer]} if isinstance(answer, str) else answer
    values = {letter: [Fraction(value) for value in each] for letter, each in named.items()}
    sides = differences(equations)
    if len(values) == 2:
        (x,), (y,) = values["x"], values["y"]
        grows = [(side(x=1, y=0) - side(x=0, y=0), side(x=0, y=1) - side(x=0, y=0)) for side in sides]
        return all(side(x=x, y=y) == 0 for side in sides) and grows[0][0] * grows[1][1] != grows[0][1] * grows[1][0]
    least = 1 if "area" in told.slots else -130
    whole = {Fraction(x) for x in range(least, 131) if _is_zero(sides[0], x)}
    return whole <= set(values["x"]) and all(sides[0](x=x) == 0 for x in values["x"])


def _is_zero(side: Callable[..., Fraction], x: int) -> bool:
    try:
        return side(x=Fraction(x)) == 0
    except ZeroDivisionError:
        return False


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_answers_are_those_of_a_second_computation(draw: Family) -> None:
    for told in drawn(draw)[::2]:
        assert right(draw.__name__, told), f"{told.prompt} {told.data}"


# -- the steps ------------------------------------------------------------------------------------------------------------

_PARTS = re.compile(r"[,;:.] |\.$| (?:is|are|so|and|because|too)\b ?")
_WORDS = re.compile(r"^(?:[A-Za-z]{2,} )+(?=[-(\d])|\s+[A-Za-z%²€][\w/²% ]*$")
_SUM = re.compile(r"[-\d.+×÷/() ]*\d[-\d.+×÷/() ]*")


def equalities(work: str) -> list[list[str]]:
    """The numeric sides of each chain of equals signs."""
    found: list[list[str]] = []
    for line in work.splitlines()[2:]:
        for part in _PARTS.split(line):
            sides = [_WORDS.sub("", side.strip()) for side in part.split("=")]
            if len(sides) > 1 and all(_SUM.fullmatch(side) and side[-1] != "+" for side in sides):
                found.append(sides)
    return found


def test_every_step_is_right() -> None:
    counts: Counter[str] = Counter()
    for task in MADE[::2]:
        for sides in equalities(task.data["work"]):
            values = [eval(side.replace("×", "*").replace("÷", "/")) for side in sides]
            assert max(values) - min(values) < 1e-9 * max(1, *map(abs, values)), f"{task.id}: {sides}"
            counts[task.family] += 1
    assert counts.total() > 30_000 and len(counts) > 145


def test_a_solution_says_what_is_given_and_asked_and_ends_with_the_answer() -> None:
    for task in MADE:
        first, second, *_, last = task.data["work"].splitlines()
        assert first.startswith("Given: ") and second.startswith("Find: ")
        if task.data["rule"] in ("clock", "option") or task.data.get("unit") not in (None, "euros"):
            assert str(task.data["answer"]) in last or "Check" in last or "min" in last, f"{task.id}: {last}"


def test_solutions_are_neither_terse_nor_long() -> None:
    lengths = sorted(len(math.gold(task)) for task in MADE)
    assert lengths[0] > 80 and 180 < lengths[len(lengths) // 2] < 300 and lengths[-1] < 520


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (steps.times(47, 6), "47 × 6 = 40 × 6 + 7 × 6 = 240 + 42 = 282"),
        (steps.times(12, 11), "12 × 11 = 132"),
        (steps.times(-3, 14), "(-3) × 14 = -42"),
        (steps.times(Fraction(5, 2), 8), "2.5 × 8 = 20"),
        (steps.divided(1692, 36), "1692 ÷ 36: 36 × 40 = 1440, 1692 - 1440 = 252, 36 × 7 = 252, so 1692 ÷ 36 = 47"),
        (steps.divided(-8, 12), "(-8) ÷ 12 = -2/3"),
        (steps.with_rest(29, 8), "29 ÷ 8: 8 × 3 = 24, 29 - 24 = 5, so 3 times and 5 left"),
        (steps.percent_of(5, 60), "10% of 60 is 60 ÷ 10 = 6, so 5% is 6 ÷ 2 = 3"),
        (steps.percent_of(7, 200), "1% of 200 is 200 ÷ 100 = 2, so 7% is 7 × 2 = 14"),
        (steps.later(1430, 70), "23:50 plus 1 h is 24:50, which is 00:50. 00:50 plus 10 min is 01:00"),
        (steps.earlier(975, 145), "16:15 minus 2 h is 14:15. 14:15 minus 25 min: 15 min back to 14:00, 25 - 15 = 10, so 13:50"),
        (steps.between(830, 975), "13:50 to 15:50 is 2 h. 15:50 to 16:15 is 10 + 15 = 25 min. That is 2 h 25 min"),
        (steps.to_minutes(145), "2 h 25 min is 2 × 60 + 25 = 120 + 25 = 145 min"),
    ],
    ids=lambda text: text[:24],
)  # fmt: skip
def test_steps_are_written_out(made: str, expected: str) -> None:
    assert made == expected


def test_times_of_day_are_added_and_taken_away_right() -> None:
    random = Random(1)
    for _ in range(2000):
        start, minutes = random.randrange(1440), random.randrange(1, 700)
        end = (start + minutes) % 1440
        assert steps.later(start, minutes).endswith(f"{end // 60:02}:{end % 60:02}")
        assert steps.earlier(start + minutes, minutes).endswith(f"{start // 60:02}:{start % 60:02}")


# -- held-out tasks -------------------------------------------------------------------------------------------------------


def test_no_five_words_in_a_row_are_those_of_a_held_out_task() -> None:
    made, held_out = five_in_a_row(MADE), five_in_a_row(VAL)
    assert {" ".join(words): (made[words], held_out[words]) for words in made.keys() & held_out.keys()} == {}


def test_no_question_is_nearly_a_held_out_one() -> None:
    some: dict[str, list[Task]] = {}
    for task in MADE:
        some.setdefault(task.family, []).append(task)
    assert not find_leaks({"worked": [task for tasks in some.values() for task in tasks[:8]], "val": VAL})


def test_no_name_is_that_of_a_person_in_a_held_out_task() -> None:
    said = set(re.findall(r"[A-Z][a-z]+", " ".join(str(task.prompt) for task in VAL)))
    assert not said & set(NAMES)
