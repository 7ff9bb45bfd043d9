"""Conversations with a simulated user: whose turn is whose, what each is shown, and what is trained on."""

import asyncio
from typing import Any

import pytest

from tests.rollout.shop import ADD, AGENT, Shop, spec
from tests.rollout.test_episode import TASK, run
from verigym.core.errors import InfrastructureFailure
from verigym.core.protocols import Reply, Request
from verigym.core.records import Fault, FunctionCall, Message, Stop, Task, Trajectory, Turn
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.training.samples import from_trajectory


class Scripted(Shop):
    """A user who asks twice more, then is content."""

    def open(self, task: Task) -> None:
        super().open(task)
        self.heard: list[str] = []

    def user(self, reply: str) -> str | None:
        self.heard.append(reply)
        return None if len(self.heard) == 3 else f"and {len(self.heard)}?"

    def end_state(self) -> dict[str, Any]:
        return {"heard": self.heard}


class Played(Shop):
    def persona(self) -> str:
        return "Ada, who wants tea"


class Tokens:
    """A policy with token ids of its own: what it was shown more, and what it said. It is Ada's or the shop's."""

    def __init__(self, replies: list[Any], first: int) -> None:
        self.replies, self.first = replies, first
        self.asked: list[Request] = []

    async def respond(self, request: Request) -> Reply:
        self.asked.append(request)
        done = len(request.turns) if self.first == 100 else len(self.asked) - 1
        said = self.replies[min(done, len(self.replies) - 1)]
        token = self.first + len(self.asked)
        turn = Turn(
            parent=len(request.turns) - 1 if request.turns else None,
            context_ids=[token * 10],
            completion_ids=[token],
            logprobs=[-float(token)],
        )
        return Reply(items=said if isinstance(said, list) else [Message("assistant", said)], turn=turn)


def played(policy: Any, user: Any, **settings: Any) -> Trajectory:
    return run(policy, Played, user=user, **settings)


def words(made: Trajectory) -> list[tuple[str, str]]:
    return [(item.role, item.text) for item in made.items if isinstance(item, Message) and item.role != "system"]


def test_a_scripted_user_hears_each_reply_and_has_turns_of_its_own() -> None:
    made = run(["a", ADD, "b", "c"], Scripted)
    assert words(made) == [
        ("user", "buy tea"),
        ("assistant", "a"),
        ("user", "and 1?"),
        ("assistant", ADD),
        ("assistant", "b"),
        ("user", "and 2?"),
        ("assistant", "c"),
    ]
    assert made.end_state == {"heard": ["a", "b", "c"]}
    assert [turn.actor for turn in made.turns] == ["policy", "user", "policy", "policy", "user", "policy", "user"]
    assert [turn.parent for turn in made.turns] == [None, None, 0, 2, None, 3, None]
    assert [turn.made for turn in made.turns] == [[2], [3], [4, 5], [7], [8], [9], []]
    assert [turn.saw for turn in made.turns] == [[(0, n)] for n in (2, 3, 4, 7, 8, 9, 10)]
    assert (made.stop, made.error) == (Stop.DONE, None)


def test_the_policy_is_shown_only_turns_of_its_own() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> str:
        asked.append(request)
        return f"reply {len(asked)}"

    made = run(answer, Scripted)
    own = [turn for turn in made.turns if turn.actor == "policy"]
    assert [len(request.turns) for request in asked] == [0, 1, 2]
    assert asked[2].turns == own[:2]
    assert asked[2].items == made.items[:-1], "but the whole conversation"


def test_a_user_played_by_a_policy_goes_on_until_it_is_done() -> None:
    made = played(ScriptedPolicy(["a", "b", "c"]), ScriptedUser(["More.", "[done]"]))
    assert words(made) == [("user", "buy tea"), ("assistant", "a"), ("user", "More."), ("assistant", "b")]
    assert [(turn.actor, turn.parent) for turn in made.turns] == [
        ("policy", None),
        ("user", None),
        ("policy", 0),
        ("user", None),
    ]
    assert made.stop is Stop.DONE


class ScriptedUser:
    """Counts for itself: it is shown no turns."""

    def __init__(self, replies: list[Any]) -> None:
        self.replies, self.asked = replies, list[Request]()

    async def respond(self, request: Request) -> Reply:
        self.asked.append(request)
        return await ScriptedPolicy([self.replies[len(self.asked) - 1]]).respond(request)


def test_each_turn_of_the_user_has_a_seed_of_its_own_that_follows_from_the_episodes() -> None:
    def seeds(seed: int) -> list[int]:
        user = ScriptedUser(["More.", "And more.", "[done]"])
        played(ScriptedPolicy(["a"]), user, seed=seed)
        return [request.seed for request in user.asked]

    assert seeds(1) == seeds(1)
    assert len(set(seeds(1)) | set(seeds(2))) == 6


def test_what_the_user_says_is_never_trained_on() -> None:
    policy, user = Tokens(["a", "b"], 100), Tokens(["More.", "[done]"], 200)
    made = played(policy, user)
    assert [(turn.actor, turn.completion_ids) for turn in made.turns] == [
        ("policy", [101]),
        ("user", [201]),
        ("policy", [102]),
        ("user", [202]),
    ]
    [sample] = from_trajectory(made, 1.0)
    assert sample.ids == [1010, 101, 1020, 102]
    assert sample.mask == [0, 1, 0, 1]
    assert sample.logprobs == [0.0, -101.0, 0.0, -102.0]


def test_calls_come_before_the_user() -> None:
    user = ScriptedUser(["[done]"])
    made = played(ScriptedPolicy([ADD, "Here you are."]), user)
    assert [turn.actor for turn in made.turns] == ["policy", "policy", "user"]
    assert len(user.asked) == 1


@pytest.mark.parametrize(
    ("environment", "user", "fault", "kind"),
    [
        (Played, None, Fault.ENVIRONMENT, "EnvironmentFailure"),
        (Played, ScriptedPolicy([InfrastructureFailure("down")]), Fault.INFRASTRUCTURE, "InfrastructureFailure"),
        (Played, ScriptedPolicy([ValueError("odd")]), Fault.INFRASTRUCTURE, "ValueError"),
        (type("Odd", (Played,), {"persona": lambda self: 1 / 0}), None, Fault.ENVIRONMENT, "EnvironmentFailure"),
        (
            type("Odd", (Played,), {"persona": lambda self: 1 / 0}),
            ScriptedPolicy(["x"]),
            Fault.ENVIRONMENT,
            "ZeroDivisionError",
        ),
        (type("Odd", (Shop,), {"user": lambda self, reply: 1 / 0}), None, Fault.ENVIRONMENT, "ZeroDivisionError"),
    ],
    ids=[
        "nobody plays it",
        "its server is down",
        "its policy raises",
        "nobody, and odd",
        "persona raises",
        "user raises",
    ],
)
def test_a_user_that_fails_is_never_the_models_fault(environment: Any, user: Any, fault: Fault, kind: str) -> None:
    made = run(["a"], environment, user=user)
    assert made.error is not None and (made.error.fault, made.error.kind) == (fault, kind)
    assert words(made)[-1] == ("assistant", "a"), "what was said before is kept"


def test_nobody_to_play_the_user_says_what_to_do() -> None:
    made = run(["a"], Played)
    assert (
        made.error is not None
        and made.error.message == "shop has a persona(), but no model plays the user. Pass --user MODEL."
    )


class Both(Scripted):
    def persona(self) -> str:
        return "Ada, who wants tea"


def test_a_user_with_a_script_and_a_persona_is_scripted_where_nobody_plays_them() -> None:
    made = run(["a"], Both)
    assert made.end_state == {"heard": ["a", "a", "a"]} and {turn.agent for turn in made.turns[1::2]} == {"scripted"}


def test_a_user_with_a_script_and_a_persona_is_played_where_a_policy_is_passed_in() -> None:
    user = ScriptedUser(["More.", "[done]"])
    made = run(["a", "b"], Both, user=user)
    assert words(made) == [("user", "buy tea"), ("assistant", "a"), ("user", "More."), ("assistant", "b")]
    assert made.end_state == {"heard": []} and len(user.asked) == 2


def test_a_policy_changes_nothing_where_the_user_is_a_script_alone() -> None:
    assert run(["a"], Scripted, user=ScriptedPolicy(["x"])).end_state == {"heard": ["a", "a", "a"]}


def test_a_user_hears_the_reply_and_never_their_own_words() -> None:
    made = run([[], "b", "c"], Scripted)
    assert made.end_state == {"heard": ["", "b", "c"]}


def test_an_async_user_is_awaited_and_words_of_other_kinds_are_written_out() -> None:
    class Slow(Scripted):
        async def user(self, reply: str) -> Any:  # type: ignore[override]
            await asyncio.sleep(0)
            return {"a": 42, "b": None}[reply]

    assert words(run(["a", "b"], Slow))[-2:] == [("user", "42"), ("assistant", "b")]


def test_the_turns_of_the_user_do_not_count_against_the_policys() -> None:
    made = run(["a"], type("Endless", (Shop,), {"user": lambda self, reply: "more"}), max_turns=3)
    assert made.stop is Stop.MAX_TURNS
    assert [turn.actor for turn in made.turns] == ["policy", "user"] * 3


def test_two_calls_and_words_in_one_reply_are_followed_by_their_results_not_by_the_user() -> None:
    items = [Message("assistant", "wait"), FunctionCall("x", "add", '{"item": "tea"}')]

    async def one() -> Trajectory:
        policy = ScriptedPolicy([items, "ok"])
        return await run_episode(spec(Scripted), TASK, policy, agent=AGENT, id="i", group="g")

    assert asyncio.run(one()).end_state == {"heard": ["ok", "ok", "ok"]}
