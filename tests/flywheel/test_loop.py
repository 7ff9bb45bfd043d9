"""The loop around models behind a server, which answer by rule: which fix is taken, what the gate says, when it ends."""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flywheel.answering import answering
from tests.workspace.desk import desk
from verigym.cli.loop import SilentScreen
from verigym.core.errors import BadInput, VerigymError
from verigym.core.records import Label, Version
from verigym.environments.load import load_environment
from verigym.flywheel.loop import LoopResult, _Round, play
from verigym.flywheel.loop_recipe import Loop, make_loop
from verigym.flywheel.rounds import exit_code, rounds_of, spent
from verigym.policies.dialects import write_call
from verigym.registry import ledger
from verigym.workspace.workspace import WorkspaceFolder

TASKS = {task.prompt: task for split in ("train", "val") for task in load_environment("toolcall").tasks(split)}


def gold(prompt: str) -> str:
    return write_call(TASKS[prompt].data["expected_tool"], TASKS[prompt].data["expected_args"])


def answer(model: str, messages: list[dict[str, Any]]) -> str:
    """Without examples before the task nobody keeps to the form. With them `good` is always right, `some` on a quarter of the
    requests, and `crammer` only on those of training. As a reflection model it has nothing to say."""
    prompt = messages[-1]["content"]
    if "You improve" in prompt:
        return ""
    if not any(message["role"] == "assistant" for message in messages):
        return gold(prompt) if model == "perfect" else "I would rather talk about it."
    right = {
        "good": True,
        "some": zlib.crc32(prompt.encode()) % 4 == 0,
        "crammer": TASKS[prompt].split == "train",
    }.get(model, False)
    return gold(prompt) if right else "Let me think."


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with answering(answer) as address:
        yield address


class Ring:
    """A workspace and a loop's recipe in it."""

    def __init__(self, place: Path, server: str) -> None:
        self.ws, self.server, self.policy = WorkspaceFolder(place / "home"), server, place / "alone.yaml"
        self.policy.write_text("retention: null\nsafety: null\nmargins: {latency: null, unsafe: null, mastered: 0.4}\n")

    def loop(self, model: str, /, **fields: Any) -> Loop:
        plain = {
            "environment": "toolcall",
            "model": f"{self.server}#{model}?tools=text",
            "evaluation": {"tasks": 40, "trial_tasks": 12},
            "gate": str(self.policy),
        }
        return make_loop({**plain, **fields}, [], "ring.yaml")

    def play(self, model: str, /, **fields: Any) -> LoopResult:
        return play(self.ws, self.loop(model, **fields), SilentScreen())

    def decisions(self) -> list[tuple[str, str]]:
        return [(one.decision.kind, one.decision.verdict) for one in ledger.entries(self.ws.store)]


@pytest.fixture
def ring(tmp_path: Path, server: str) -> Ring:
    return Ring(tmp_path, server)


def test_a_prompt_that_helps_is_promoted_and_then_nothing_is_left_to_do(ring: Ring) -> None:
    rounds, why = ring.play("good")
    first, second = rounds
    assert first.chosen is not None and first.chosen.fix == "prompt" and first.chosen.advice[0] == "a prompt variant"
    assert first.before is not None and first.before.success.value == 0 and first.before.buckets == {"format error": 40}
    assert first.verdict == "PROMOTE" and first.after is not None and first.after.success.value == 1
    assert first.decided is not None and first.made is not None
    assert first.decided.champion == first.made.version == ledger.champion(ring.ws.store)
    assert ring.ws.find("champion").examples
    assert second.begun is not None and second.begun.champion == first.made.version, "the next round starts from it"
    assert second.before is not None and second.before.report == first.after.report, "it is not measured twice"
    assert why.startswith("the champion is good enough") and exit_code(rounds) == 0
    assert ring.decisions() == [("first", "PROMOTE"), ("gate", "PROMOTE")]
    assert ledger.entries(ring.ws.store)[-1].why == f"loop {first.loop}, round 1"


def test_the_same_command_does_nothing_again_until_there_is_something_new(ring: Ring) -> None:
    rounds, why = ring.play("good")
    runs = len(ring.ws.store.runs())
    assert ring.play("good") == (rounds, why) and len(ring.ws.store.runs()) == runs
    ring.ws.store.put("label", "x", Label(trajectory="t", other="u", judgement="better"))
    again, _ = ring.play("good")
    assert again[:2] == rounds, "rounds that are over stay as they were"
    assert len(again) == 3 and again[2].chosen is not None and again[2].chosen.fix is None


def test_what_helps_in_training_alone_is_rejected_and_the_champion_stays(ring: Ring) -> None:
    rounds, why = ring.play("crammer")
    base = rounds[0].begun.champion if rounds[0].begun else ""
    assert [one.chosen.fix if one.chosen else "" for one in rounds] == ["prompt", None]
    assert rounds[0].verdict in ("REJECT", "NEED MORE DATA") and ledger.champion(ring.ws.store) == base
    assert "nothing that is advised and allowed is left to try; tried on this champion: prompt" in why
    assert exit_code(rounds) == {"REJECT": 1, "NEED MORE DATA": 3}[rounds[0].verdict]


def test_the_gate_measures_as_many_tasks_as_it_needs(ring: Ring) -> None:
    few = {"tasks": 8, "trial_tasks": 60}
    rounds, _ = ring.play("some", evaluation=few, budget={"rounds": 1})
    assert ring.decisions() == [("first", "PROMOTE"), ("gate", "PROMOTE")], "one decision, whatever it took"
    assert rounds[0].after is not None and rounds[0].after.success.n == 8
    measured = ledger.entries(ring.ws.store)[-1].decision.measured[0]
    assert 8 < measured.tasks < 400


def test_where_there_are_no_more_tasks_it_says_what_is_needed(ring: Ring) -> None:
    ring.policy.write_text("retention: null\nsafety: null\nmin_families: 300\nmargins: {latency: null}\n")
    rounds, _ = ring.play("good", evaluation={"trial_tasks": 12}, budget={"rounds": 1})
    assert rounds[0].verdict == "NEED MORE DATA" and exit_code(rounds) == 3
    assert rounds[0].decided is not None and "families" in rounds[0].decided.words
    assert ring.decisions() == [("first", "PROMOTE"), ("gate", "NEED MORE DATA")]


def test_a_good_champion_is_left_alone(ring: Ring) -> None:
    rounds, why = ring.play("perfect")
    assert len(rounds) == 1 and why.startswith("the champion is good enough: Success is 100%")
    assert exit_code(rounds) == 0 and ring.decisions() == [("first", "PROMOTE")]


@pytest.mark.parametrize(
    ("template", "given", "most"),
    [("{# </think> #}", None, 4096), ("{# </think> #}", 80, 80), ("", None, 64)],
    ids=["reasons", "as asked", "plain"],
)
def test_replies_have_room_for_the_reasoning_of_the_champion(
    ring: Ring, tmp_path: Path, template: str, given: int | None, most: int
) -> None:
    (tmp_path / "chat_template.jinja").write_text(template)
    ring.ws.champion(Version(base=str(tmp_path)))
    loop = make_loop({"environment": "toolcall", "evaluation": {"max_tokens": given}}, [], "a.yaml")
    assert _Round(ring.ws, loop, 1, [], SilentScreen()).settings().sampling.max_tokens == most


def test_what_is_not_allowed_is_not_tried(ring: Ring) -> None:
    rounds, why = ring.play("good", fixes=["sft", "grpo"])
    assert rounds[0].chosen is not None and rounds[0].chosen.fix is None and rounds[0].made is None
    assert "advised, but not the loop's to do: a prompt variant" in why and exit_code(rounds) == 3
    assert not [run for run in ring.ws.store.runs() if run.kind == "rollout"], "no trial either"


def test_a_champion_that_was_moved_meanwhile_stays(ring: Ring, monkeypatch: pytest.MonkeyPatch) -> None:
    other = ring.ws.register(Version(base="http://localhost:1/v1#other", name="other"))

    class Meddler(SilentScreen):
        def step(self, title: str, why: str) -> Any:
            if title == "Gate":
                base = ledger.champion(ring.ws.store) or ""
                decision = ledger.entries(ring.ws.store)[0].decision
                meddled = type(decision)(
                    candidate=other.id, champion=base, verdict="PROMOTE", kind="override", why="ours"
                )
                ledger.promote(ring.ws.store, meddled)
            return super().step(title, why)

    rounds, _ = play(ring.ws, ring.loop("good", budget={"rounds": 1}), Meddler())
    assert rounds[0].verdict == "PROMOTE" and rounds[0].decided is not None and rounds[0].decided.champion == other.id
    assert ring.decisions() == [("first", "PROMOTE"), ("override", "PROMOTE"), ("gate", "PROMOTE")]
    assert ledger.champion(ring.ws.store) == other.id


# -- the budget -------------------------------------------------------------------------------------------------------------


def test_a_budget_of_rounds_holds_over_restarts_and_can_be_raised(ring: Ring) -> None:
    rounds, why = ring.play("good", budget={"rounds": 1})
    assert len(rounds) == 1 and "the budget of 1 round is spent. Raise budget.rounds" in why
    assert ring.play("good", budget={"rounds": 1}) == (rounds, why)
    again, _ = ring.play("good", budget={"rounds": 5})
    assert again[0] == rounds[0] and len(again) == 2, "a larger budget is the same loop"


def test_spent_hours_stop_a_round_in_the_middle_and_more_of_them_go_on_with_it(ring: Ring) -> None:
    rounds, why = ring.play("good", budget={"hours": 1e-9})
    assert rounds == [] and "the budget of 1e-09 hours is spent" in why
    rounds, _ = ring.play("good", budget={"hours": 1, "rounds": 1})
    used = spent(ring.ws, ring.loop("good")).seconds
    assert rounds[0].over is not None and 0 < rounds[0].over.seconds <= used
    half = used / 2 / 3600
    rounds, why = ring.play("good", budget={"hours": half})
    assert len(rounds) == 1 and "hours is spent" in why, "what earlier rounds used counts"


def test_dollars_are_counted_where_prices_are_known(ring: Ring) -> None:
    prices = {"prompt": 10.0, "completion": 100.0}
    rounds, why = ring.play("good", budget={"dollars": 0.15, "prices": prices})
    assert [one.over for one in rounds] == [None], "40 episodes of 300 and 20 tokens, half a cent each, are 20 cents"
    assert "the budget of $0.15 is spent ($0.20)" in why and rounds[0].before is not None
    rounds, _ = ring.play("good", budget={"dollars": 10, "prices": prices, "rounds": 1})
    assert rounds[0].verdict == "PROMOTE" and rounds[0].over is not None
    episodes = {
        (run.config["agent"], run.kind, one.task)
        for run in ring.ws.store.runs()
        for one in ring.ws.store.trajectories(run.id)
    }
    assert rounds[0].over.dollars == pytest.approx(0.005 * len(episodes)), "nothing was paid for twice"


# -- the recipe -------------------------------------------------------------------------------------------------------------


def test_the_shortest_recipe_has_two_lines() -> None:
    loop = make_loop({"environment": "toolcall", "model": "smollm2-135m"}, [], "two.yaml")
    assert loop.id.startswith("two-") and loop.policy.name == "default" and loop.recipe.budget.rounds == 3


def test_a_larger_budget_is_the_same_loop_and_anything_else_another() -> None:
    def id(*overrides: str) -> str:
        return make_loop({"environment": "toolcall", "model": "smollm2-135m"}, list(overrides), "a.yaml").id

    assert id() == id("budget.rounds=9", "budget.hours=2")
    others = [id(), id("gate=quick"), id("model=x"), id("training.sft.steps=3"), id("evaluation.tasks=9")]
    assert len(set(others)) == len(others)
    assert id() == id("evaluation.max_tokens=64") == "a-72a2d898" != id("evaluation.max_tokens=65"), (
        "as older loops are named"
    )


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["enviroment=x"], "unknown key enviroment. Did you mean environment?"),
        (["budget.round=2"], "unknown key budget.round. Did you mean budget.rounds?"),
        (["training.sft.step=2"], "unknown key training.sft.step. Did you mean training.sft.steps?"),
        (["training.sft.start=x"], "training.sft.start is set by the loop"),
        (["training.grpo.rehearse.plain=0.2"], "training.grpo: rehearse works only with sft"),
        (["training.sft.rehearse.plian=0.2"], 'Did you mean "plain"?'),
        (["beside.plian=0.2"], 'Did you mean "plain"?'),
        (["beside.retention=0.2"], "a.yaml: beside: retention has no training tasks"),
        (["beside.plain=0.6", "beside.safety=0.5"], "beside: the sum of the shares must be below 1"),
        (["training.ppo.steps=2"], "'ppo'"),
        (["fixes=[rag]"], "'rag'"),
        (["fixes=[]"], "fixes is empty"),
        (["budget.rounds=0"], "budget.rounds must be a whole number, at least 1"),
        (["mining.held_out=1"], "mining.held_out must be a number, less than 1.0"),
        (["budget.dollars=3"], "budget.dollars needs a price"),
        (["gate=quikc"], "quick"),
        (["evaluation=3"], "evaluation"),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_what_is_wrong_in_a_recipe_is_said(overrides: list[str], words: str) -> None:
    with pytest.raises(VerigymError, match=re.escape(words)):
        make_loop({"environment": "toolcall"}, overrides, "a.yaml")


def test_a_conversation_with_a_model_cannot_be_kept_in_mind(tmp_path: Path) -> None:
    talk = tmp_path / "talk.py"
    talk.write_text(
        desk("return 1.0").replace(
            "open(self, task): ...", "open(self, task): ...\n    def persona(self): return 'Ann'"
        )
    )
    with pytest.raises(BadInput, match=r"beside: .*talk.py simulates a user with a model"):
        make_loop({"environment": "toolcall", "beside": {str(talk): 0.2}}, [], "a.yaml")


def test_without_a_champion_and_a_model_nothing_begins(ring: Ring) -> None:
    with pytest.raises(BadInput, match="No champion exists yet"):
        ring.play("good", model="")
    assert rounds_of(ring.ws, ring.loop("good", model="").id) == []
