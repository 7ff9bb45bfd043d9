"""Two versions side by side: a prompt diff reads as a diff, everything else field by field."""

import time

import msgspec
import pytest

from verigym.core.records import Sampling, Version
from verigym.registry.diff import diff, text_diff, word_diff

ONE = Version(base="tiny", id="1", name="one", system_prompt="You are kind.\nToday is Monday.\nBe brief.")


def test_versions_that_are_the_same_do_not_differ():
    assert not diff(ONE, ONE)


def test_a_prompt_reads_as_a_diff_with_the_words_that_changed():
    other = msgspec.structs.replace(
        ONE, id="2", name="other", system_prompt="You are kind.\nToday is Tuesday.\nBe brief."
    )
    assert diff(ONE, other).prompt == [
        "--- 1 one",
        "+++ 2 other",
        "@@ -1,3 +1,3 @@",
        " You are kind.",
        "-Today is Monday.",
        "+Today is Tuesday.",
        "? Today is [-Monday-]{+Tuesday+}.",
        " Be brief.",
    ]


def test_each_changed_line_of_a_block_has_its_words():
    found = text_diff("a b c\nd e f", "a b x\nd e y")
    assert found[-2:] == ["? a b [-c-]{+x+}", "? d e [-f-]{+y+}"]


def test_a_line_that_was_replaced_is_not_cut_into_words():
    assert word_diff("Book the meeting.", "Threats are refused") == ""
    assert text_diff("Book the meeting.", "Threats are refused")[1:] == ["-Book the meeting.", "+Threats are refused"]


def test_lines_that_look_like_a_diff_are_shown_as_they_are():
    assert text_diff("- a\n-- b\n@@", "- a\n++ c\n@@")[1:] == [" - a", "--- b", "+++ c", " @@"]


def test_a_version_without_a_prompt_is_shown_with_the_environments():
    bare = msgspec.structs.replace(ONE, id="0", name="bare", system_prompt=None)
    found = diff(bare, ONE, "You are kind.\nToday is Monday.").prompt
    assert found[0] == "--- 0 bare (the environment's own)" and found[-1] == "+Be brief."
    assert diff(bare, ONE, str(ONE.system_prompt)).prompt[2:] == ["(the same text)"]
    assert diff(bare, ONE).prompt[-3:] == ["+You are kind.", "+Today is Monday.", "+Be brief."]


@pytest.mark.parametrize(("before", "after"), [("a", "a\n"), ("a\nb", "a\r\nb")])
def test_prompts_that_differ_only_in_line_ends_do_not_look_the_same(before: str, after: str):
    assert text_diff(before, after) == ["(they differ only in how lines end)"]


def test_no_prompt_and_an_empty_one_differ():
    empty = msgspec.structs.replace(ONE, system_prompt="")
    assert "-Be brief." in diff(ONE, empty).prompt
    assert diff(msgspec.structs.replace(ONE, system_prompt=None), empty).prompt


def test_changed_descriptions_read_as_diffs_against_the_environments_own():
    other = msgspec.structs.replace(ONE, tool_descriptions={"book": "Book a room.", "quit": "Stop."})
    found = diff(ONE, other, default_tools={"book": "Book a meeting.", "other": "x"}).tools
    assert found == {
        "book": ["@@ -1 +1 @@", "-Book a meeting.", "+Book a room.", "? Book a [-meeting-]{+room+}."],
        "quit": ["@@ -0,0 +1 @@", "+Stop."],
    }


def test_other_fields_are_named_one_by_one():
    other = msgspec.structs.replace(
        ONE,
        adapter="f" * 64,
        constraints="tools",
        sampling=Sampling(temperature=0.2),
        recipe={"steps": 8, "lora": {"r": 4}, "same": 1},
        families=["a", "b"],
    )
    before = msgspec.structs.replace(
        ONE, sampling=Sampling(temperature=0.5), recipe={"steps": 6, "lora": {"r": 2}, "same": 1, "gone": True}
    )
    assert diff(before, other).fields == {
        "adapter": ("none", "ffffffffffff"),
        "constraints": ("none", "tools"),
        "sampling.temperature": (0.5, 0.2),
        "recipe.steps": (6, 8),
        "recipe.lora.r": (2, 4),
        "recipe.gone": (True, "-"),
        "families": (0, 2),
    }


def test_weights_of_which_all_were_trained_are_marked():
    whole = msgspec.structs.replace(ONE, adapter="f" * 64, full=True)
    assert diff(ONE, whole).fields == {"adapter": ("none", "ffffffffffff (all parameters)")}


def test_software_is_compared_only_where_both_recorded_it():
    new = msgspec.structs.replace(ONE, software={"torch": "2.13"})
    assert not diff(ONE, new)
    assert diff(new, msgspec.structs.replace(ONE, software={"torch": "2.14"})).fields == {
        "software.torch": ("2.13", "2.14")
    }


def test_a_huge_prompt_on_one_line_takes_no_time():
    began = time.process_time()
    text_diff("word " * 100_000, "word " * 99_999 + "other")
    assert time.process_time() - began < 5
