"""The stories to learn from are said in many ways, and in none of the ways that are measured."""

from collections import Counter

from authoring.workplace import make


def test_every_training_story_has_six_wordings_or_more_and_55_have_eight() -> None:
    ways = Counter(family.row_family for family in make.families("train"))
    assert min(ways.values()) == 6 and list(ways.values()).count(8) == 55, ways
