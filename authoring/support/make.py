"""Rows of `support`, from the stories."""

from authoring.engine import Builder, Draft, Family, Turn
from authoring.support import (
    shops,
    train_escalations,
    train_identity,
    train_orders,
    train_refunds,
    val_escalations,
    val_identity,
    val_orders,
    val_refunds,
)
from authoring.support.world import build

SHOPS = {"train": shops.TRAIN, "val": shops.VAL}
STORIES = {
    "train": [
        *train_refunds.STORIES,
        *train_orders.STORIES,
        *train_identity.STORIES,
        *train_escalations.STORIES,
    ],
    "val": [
        *val_refunds.STORIES,
        *val_orders.STORIES,
        *val_identity.STORIES,
        *val_escalations.STORIES,
    ],
}


def families(split: str) -> list[Family]:
    return [Family(split, f"support/{split}/{story.name}", story) for story in STORIES[split]]


def draw(family: Family, turn: Turn) -> Draft:
    """The situations take turns, and so do the tellings, so that the customer's words do not decide the outcome."""
    situations, tellings = family.source.situations, family.source.tellings
    repeat, situation = divmod(turn.number, len(situations))
    telling = tellings[repeat % len(tellings)]
    world = build(family.source, situations[situation], telling, SHOPS[family.split], turn.random)
    return Draft(world.prompt, world.data, sorted({act for act, _, _ in world.data["expected"]}))


BUILDER = Builder(name="support", seed=13, sizes={"train": 9, "val": 6}, families=families, draw=draw)
