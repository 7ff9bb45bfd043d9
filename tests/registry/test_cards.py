"""A card says what is on record, and what is not known."""

from typing import Any

import msgspec
import pytest

from tests.registry.decided import REPORT, store_versions
from tests.registry.kept import dataset, report
from tests.registry.memory import MemoryStore
from verigym.core.records import Check, Decision, Estimate, Sampling, Version
from verigym.registry.cards import CardData, card, figure
from verigym.registry.ledger import entries, promote, set_first_champion
from verigym.registry.versions import register

BASE = Version(base="tiny", id="b" * 12, name="base")
TUNED = Version(
    base="tiny",
    id="c" * 12,
    name="tuned",
    adapter="f" * 64,
    parent=BASE.id,
    recipe={"algorithm": "grpo", "run": "grpo-1", "seed": 7, "steps": 8, "loss": {"clip": 1}},
    data_hash="d" * 64,
    families=["x", "y"],
    software={"torch": "2.13"},
    made="2026-01-01T00:00:00+00:00",
)


def of(version: Version, **known: Any) -> str:
    return card(CardData(**{"version": version, "parent": None, "reports": [], "entries": [], "data": None, **known}))


def test_a_card_says_how_a_trained_version_was_made():
    text = of(TUNED, parent=BASE, data=dataset("d" * 64))
    assert text.startswith("# tuned\n\nVersion `cccccccccccc`")
    assert "- By training with grpo, run `grpo-1`, seed 7" in text and "steps 8" in text
    assert "dataset demos, 1 rows (a test), 2 families, hash `dddddddddddd`" in text
    assert "- From: `bbbbbbbbbbbb` (base)" in text and "- torch 2.13" in text and "2026-01-01" in text


def test_a_version_of_which_all_parameters_were_trained_has_no_adapter_and_another_base():
    text = of(msgspec.structs.replace(TUNED, full=True))
    assert f"- All parameters: `{'f' * 64}`" in text and "Adapter" not in text
    assert "- Base model: `tiny`, whose parameters were all trained\n" in text
    assert "- Base model: `tiny` (never modified)\n" in of(TUNED) and "- Adapter: `ffff" in of(TUNED)


def test_a_prompt_on_trained_weights_is_not_called_training():
    prompted = msgspec.structs.replace(TUNED, id="e" * 12, parent=TUNED.id, system_prompt="Be brief.")
    text = of(prompted, parent=TUNED)
    assert "- Without training. Its parent's weights were trained with grpo" in text
    assert "```\nBe brief.\n```" in text
    assert "- Without training\n" in of(msgspec.structs.replace(BASE, system_prompt=""))


def test_a_prompt_cannot_break_out_of_its_block():
    text = of(msgspec.structs.replace(BASE, system_prompt="a\n```\n# Champion\n````"))
    assert "`````\na\n```\n# Champion\n````\n`````" in text


def test_figures_have_their_intervals_and_say_on_what():
    text = of(TUNED, reports=[report(TUNED.id, passed=False), report(TUNED.id)])
    assert "On desk_eval (environment desk): 1 held-out tasks of 1 families, 1 try each, judged by v@1." in text
    assert "| success | 100.0% (" in text and "| success | 0.0%" not in text, "the newest report of a suite counts"
    assert "desk_eval has only 1 families" in text


def test_what_was_not_measured_is_said():
    text = of(TUNED)
    assert "## Measured\n\nNever measured. Run: `verigym eval ENV -m cccccccccccc`" in text
    assert "No safety suite was run" in text and "No retention suite was run" in text
    text = of(TUNED, reports=[report(TUNED.id, environment="safety"), report(TUNED.id, environment="retention")])
    assert "suite was run" not in text and "On safety_eval" in text and "On retention_eval" in text


def test_decisions_about_it_are_listed_with_the_gates_words():
    store = MemoryStore()
    base, tuned = register(store, BASE), register(store, TUNED)
    set_first_champion(store, base.id)
    check = Check(name="better", outcome="pass", words="yes")
    decision = Decision(
        candidate=tuned.id,
        champion=base.id,
        verdict="PROMOTE",
        checks=[check],
        words="PROMOTE. Better.",
        reports=[REPORT],
    )
    store_versions(store, base.id)
    promote(store, decision, who="ada", why="release 2")
    text = of(tuned, entries=entries(store))
    assert "It is the champion." in text and "by ada: gate, PROMOTE" in text and "Why: release 2." in text
    assert "Last decision of the gate (entry 2): PROMOTE. Better." in text
    assert f"It is not the champion. The champion is {tuned.id}." in of(base, entries=entries(store))


def test_a_version_of_everything_is_described():
    everything = msgspec.structs.replace(
        BASE,
        constraints="tools",
        sampling=Sampling(temperature=0.2),
        tool_descriptions={"book": "Book a room."},
        base="http://host/v1#m",
    )
    text = of(everything)
    assert "- Replies are constrained to: `tools`" in text and "- Sampling: temperature 0.2, " in text
    assert "- Tool `book` is described as:\n\n```\nBook a room.\n```" in text
    assert "behind a server. The server's owner may change it" in text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("success", "50.0% (40.0% to 60.0%)"),
        ("unsafe actions", "50.0% (40.0% to 60.0%)"),
        ("reward", "0.50 (0.40 to 0.60)"),
    ],
)
def test_rates_are_percentages_and_the_rest_numbers(name: str, words: str):
    assert figure(name, Estimate(0.5, 0.4, 0.6, 10)) == words
