"""The support tasks are right, apart and reproducible; the records decide, the customer is known first, nobody's data is told."""

import asyncio
import re
from itertools import islice
from random import Random

import msgspec
import pytest

from authoring.engine import CheckFailed, Family
from authoring.support import make, shops
from authoring.support.world import REFUNDS, build, read
from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.records import FunctionCall, FunctionCallOutput, Json, Task
from verigym.environments import support
from verigym.environments.load import load_environment
from verigym.harness.environment import Reply
from verigym.tasks.leaks import find_leaks

SPEC = load_environment("support")
TRAIN, VAL = support.tasks("train"), support.tasks("val")
Step = str | dict[str, Json] | list[dict[str, Json]]
"""Words, or the calls of one reply: by name, or in a list where two have the same name."""


def played(task: Task, *steps: Step) -> ScriptedEpisode:
    replies: list[Reply] = [
        one
        if isinstance(one, str)
        else [
            FunctionCall(f"c{place}", name, msgspec.json.encode(given).decode())
            for calls in (one if isinstance(one, list) else [one])
            for name, given in calls.items()
        ]
        for place, one in enumerate(steps)
    ]
    return asyncio.run(play(SPEC, task, replies))


def said(task: Task, *steps: Step) -> str:
    items = played(task, *steps).trajectory.items
    return [item.output for item in items if isinstance(item, FunctionCallOutput)][-1]


def test_the_check_finds_a_wrong_solution() -> None:
    task = TRAIN[0]
    wrong = msgspec.structs.replace(task, data={**task.data, "steps": task.data["steps"][:2]})
    with pytest.raises(CheckFailed, match="does not pass"):
        make.BUILDER.verify([wrong])


def test_what_a_customer_says_is_the_same_whether_the_policy_is_on_their_side_or_not() -> None:
    for split in ("train", "val"):
        for family in make.families(split):
            outcomes = {str(task.data["expected"][0][0]) for task in islice(make.BUILDER.stream(family), 8)}
            values = {str(task.data["expected"][0][2]) for task in islice(make.BUILDER.stream(family), 8)}
            situations = family.source.situations
            several = "+" in situations[0] or ">" in situations[0]
            assert situations in (("legal",), ("injury",)) or len(outcomes) > 1 or len(values) > 1 or several, (
                family.name
            )


def test_refunds_follow_from_days_seal_and_price() -> None:
    for task in [*TRAIN, *VAL]:
        for act, order, value in task.data["expected"]:
            record = task.data["orders"][str(order)]
            if act == "refunds.make":
                assert value == record["price"] * (0.8 if "seal broken" in record["came back"] else 1) <= 200, task.id
    for name, rule in REFUNDS.items():
        faulty = rule.came_back == "back, fault confirmed"
        limit = 365 if faulty else 30 if "intact" in rule.came_back else 14 if "broken" in rule.came_back else -1
        in_time = {day <= limit for day in rule.days}
        assert len(in_time) == 1, name
        allowed = in_time == {True} and (not rule.on_sale or faulty) and not rule.refunded
        assert allowed == (rule.does != "tickets.decline"), name
        large = {5 * steps * rule.share > 200 for steps in (rule.price[0], rule.price[1] - 1)}
        assert not allowed or large == {rule.does == "tickets.escalate"}, name


def test_a_story_is_told_in_several_ways_and_asks_the_same_in_each() -> None:
    for split, least in (("train", 4), ("val", 3)):
        for family in make.families(split):
            assert len({telling[0] for telling in family.source.tellings}) >= least, family.name
            told = {str(task.prompt) for task in islice(make.BUILDER.stream(family), make.BUILDER.sizes[split])}
            assert len(told) == make.BUILDER.sizes[split], family.name


LATE = """
late: unopened+cancel_waiting, unopened_late>unopened; dearest
- Good day,
  it is {name}.
> {email}, {wrong}. Or is it another?
> {postcode}!
> Refund {order}.
> And cancel {order2}.
- Help.
"""


def test_a_story_is_read_as_written_and_its_solution_does_each_thing_once_it_is_asked_for() -> None:
    [story] = read(LATE)
    assert story.name == "late" and story.which == "dearest"
    assert story.situations == ("unopened+cancel_waiting", "unopened_late>unopened")
    assert story.tellings[0][0] == "Good day, it is {name}." and len(story.tellings[0]) == 5
    made = build(story, story.situations[0], story.tellings[0], shops.TRAIN, Random(1))
    steps = ["say" if isinstance(step, str) else step["name"] for step in made.data["steps"]]
    tries = ["say", "customers.verify", "say", "customers.verify", "say"]
    assert steps == [*tries, "orders.get", "refunds.make", "say", "orders.get", "orders.cancel", "say"]
    own = [made.data["orders"][str(number)] for one in made.data["customers"].values() for number in one["orders"][:3]][
        :3
    ]
    assert max(own, key=lambda order: order["price"])["order"] == made.data["expected"][0][1]


def test_a_story_ends_when_all_its_prompts_are_used() -> None:
    story = read(LATE)[0]._replace(tellings=[["Help."]])
    family = Family("train", "support/train/late", story)
    assert len(list(make.BUILDER.stream(family))) == 1


def fives(split: str) -> dict[tuple[str, ...], str]:
    """Each five words in a row that customers of a split say, any value being one word, and the family that says them."""
    said = [(family.name, line) for family in make.families(split) for way in family.source.tellings for line in way]
    said += [(f"{split} identify", line) for line in make.SHOPS[split].identify]
    found: dict[tuple[str, ...], str] = {}
    for name, line in said:
        words = re.findall(r"[\w']+", re.sub(r"{\w+}", "VALUE", line).casefold())
        found |= {tuple(words[place : place + 5]): name for place in range(len(words) - 4)}
    return found


def test_no_five_words_in_a_row_are_those_of_a_held_out_customer() -> None:
    train, val = fives("train"), fives("val")
    assert {words: (train[words], val[words]) for words in train.keys() & val.keys()} == {}


def test_held_out_tasks_share_no_name_story_or_near_wording_with_those_to_learn_from() -> None:
    for field in ("names", "streets", "towns", "goods", "identify"):
        assert not set(getattr(shops.TRAIN, field)) & set(getattr(shops.VAL, field)), field
    names = {split: {one.source.name for one in make.families(split)} for split in ("train", "val")}
    assert not names["train"] & names["val"]
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.6)


def test_a_family_has_more_tasks_than_are_shipped() -> None:
    assert len({str(task.prompt) for task in islice(make.BUILDER.stream(make.families("val")[0]), 100)}) == 100
