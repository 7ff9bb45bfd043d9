"""One episode: what is logged, who is blamed, and that `close` is always called."""

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.rollout.shop import ADD, AGENT, Shop, run_settings, spec
from verigym.core import codec
from verigym.core.errors import ContextFull, EnvironmentFailure, InfrastructureFailure
from verigym.core.protocols import Reply, Request
from verigym.core.records import (
    Failure,
    Fault,
    FunctionCall,
    FunctionCallOutput,
    Mark,
    Message,
    Sampling,
    Stop,
    Task,
    Trajectory,
    Turn,
    Version,
)
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.rollout.settings import EpisodeLimits

TASK = Task(id="t", prompt="buy tea")


def run(policy: Any, environment: Any = Shop, *, max_turns: int = 8, task: Task = TASK, **settings: Any) -> Trajectory:
    under = run_settings(settings)
    settings = {"agent": AGENT, "id": "r/t/0", "group": "r/t", **settings}
    if not hasattr(policy, "respond"):
        policy = ScriptedPolicy(policy)
    made = asyncio.run(run_episode(spec(environment, max_turns), task, policy, under, **settings))
    assert codec.decode(codec.encode(made), Trajectory) == made, "a trajectory must come back from the store as it was"
    return made


def test_a_call_its_result_and_a_final_message_are_logged_in_order() -> None:
    made = run([ADD, "Done."], index=3, seed=11)
    assert made.items == [
        Message("system", "You keep a shop."),
        Message("user", "buy tea"),
        Message("assistant", ADD),
        FunctionCall("call_0", "add", '{"item":"tea","count":2}'),
        FunctionCallOutput("call_0", "2 tea"),
        Message("assistant", "Done."),
    ]
    assert [(turn.parent, turn.saw, turn.made) for turn in made.turns] == [
        (None, [(0, 2)], [2, 3]),
        (0, [(0, 5)], [5]),
    ]
    assert made.marks == [Mark("executed", item=3, detail="add")]
    assert made.end_state == {"basket": {"tea": 2}}
    assert (made.stop, made.error, made.scorable, made.reply) == (Stop.DONE, None, True, "Done.")
    assert (made.id, made.task, made.group, made.index, made.seed) == ("r/t/0", "t", "r/t", 3, 11)
    assert 0 < made.seconds < 5


def test_two_calls_in_one_reply_are_both_executed_in_order() -> None:
    calls = [FunctionCall("x", "add", '{"item": "tea"}'), FunctionCall("y", "add", '{"item": "jam"}')]
    made = run([calls, "Done."])
    assert [item for item in made.items if isinstance(item, FunctionCallOutput)] == [
        FunctionCallOutput("x", "1 tea"),
        FunctionCallOutput("y", "1 jam"),
    ]
    assert [mark.item for mark in made.marks] == [2, 3]


def test_a_prompt_of_items_stands_after_the_system_message() -> None:
    prompt = [Message("user", "a"), Message("assistant", "b"), Message("user", "c")]
    assert run(["ok"], task=Task(id="t", prompt=[*prompt])).items[:4] == [
        Message("system", "You keep a shop."),
        *prompt,
    ]


@pytest.mark.parametrize(("own", "system"), [("Be kind.", ["Be kind."]), ("", []), (None, ["You keep a shop."])])
def test_the_agents_own_system_prompt_goes_before_the_environments(own: str | None, system: list[str]) -> None:
    made = run(["ok"], agent=Version(base="x", system_prompt=own))
    assert [item.text for item in made.items if isinstance(item, Message) and item.role == "system"] == system


def test_the_policy_is_shown_the_tools_the_sampling_and_its_earlier_turns() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> str:
        asked.append(request)
        return ADD if len(asked) == 1 else "Done."

    described = Version(base="x", tool_descriptions={"add": "Add it."})
    made = run(answer, agent=described, sampling=Sampling(max_tokens=9), seed=4)
    assert [tool.description for tool in asked[0].tools] == ["Add it.", ""]
    assert (asked[0].sampling.max_tokens, asked[0].seed, asked[0].turns) == (9, 4, [])
    assert asked[1].turns == made.turns[:1]
    assert asked[1].items == made.items[:-1]
    assert made.tools != run(["ok"]).tools, "other descriptions are other tools"


def test_the_agents_own_sampling_goes_before_the_runs() -> None:
    asked: list[Request] = []
    agent = Version(base="x", sampling=Sampling(max_tokens=5))
    run(lambda request: asked.append(request) or "ok", agent=agent, sampling=Sampling(max_tokens=9))
    assert asked[0].sampling.max_tokens == 5


# -- how it ends ------------------------------------------------------------------------------------------------------


def test_an_episode_ends_after_its_turns_with_the_last_call_executed() -> None:
    made = run([ADD], max_turns=3)
    assert (made.stop, len(made.turns), made.end_state) == (Stop.MAX_TURNS, 3, {"basket": {"tea": 6}})
    assert run([ADD], limits=EpisodeLimits(turns=2)).end_state == {"basket": {"tea": 4}}


def test_an_environment_of_one_turn_is_done_after_it() -> None:
    assert run([ADD], max_turns=1).stop is Stop.DONE


class Finishing:
    """Answers with a given finish reason."""

    def __init__(self, finish: Any) -> None:
        self.finish = finish

    async def respond(self, request: Request) -> Reply:
        return Reply(items=[Message("assistant", "")], turn=Turn(finish=self.finish))


@pytest.mark.parametrize(
    ("finish", "stop"),
    [("length", Stop.MAX_TOKENS), ("context_full", Stop.CONTEXT_FULL), ("stop", Stop.DONE)],
)
def test_the_reason_of_the_last_reply_is_the_reason_of_the_end(finish: str, stop: Stop) -> None:
    made = run(Finishing(finish))
    assert (made.stop, made.error, len(made.turns)) == (stop, None, 1)


@pytest.mark.parametrize("text", ['{"tool": "add", "args": ', 'I say {"tool": "add", "args": {}}', "{}"])
def test_a_reply_that_looks_like_a_call_and_is_none_is_a_format_error(text: str) -> None:
    made = run([text])
    assert [(mark.kind, mark.item) for mark in made.marks] == [("format_error", 2)]
    assert made.items[2] == Message("assistant", text), "what was written stays visible"


@pytest.mark.parametrize(
    "text",
    ['<tool_call>\n{"name": "add"', "[TOOL_CALLS]add[ARGS]{", "<TOOLCALL>[]</TOOLCALL>", "Now: <|python_tag|>add()"],
)
def test_a_malformed_call_in_the_markup_of_any_dialect_is_a_format_error(text: str) -> None:
    made = run([text])
    assert [(mark.kind, mark.item) for mark in made.marks] == [("format_error", 2)]


def test_a_malformed_call_beside_a_good_one_is_a_format_error_too() -> None:
    good = FunctionCall("c", "add", '{"item": "tea"}')
    made = run(
        [[Message("assistant", '<tool_call>{"name": "add"'), good], [Message("assistant", "{tea}"), good], "Done."]
    )
    assert [(mark.kind, mark.item) for mark in made.marks] == [("format_error", 2), ("executed", 3), ("executed", 6)]


def test_words_are_no_format_error() -> None:
    assert run(["Which tea?"]).marks == []


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ('{"tool": "steal", "args": {}}', "unknown_tool"),
        ('{"tool": "add", "args": {"count": 1}}', "bad_arguments"),
        ('{"tool": "burn", "args": {}}', "tool_error"),
    ],
)
def test_a_failed_call_is_marked_and_the_model_may_go_on(call: str, kind: str) -> None:
    made = run([call, ADD, "Done."])
    assert [(mark.kind, mark.item) for mark in made.marks] == [(kind, 3), ("executed", 6)]
    assert made.items[4].output.startswith("error: ")  # type: ignore[union-attr]
    assert (made.error, made.stop) == (None, Stop.DONE)


# -- whose fault ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (InfrastructureFailure("server down"), Fault.INFRASTRUCTURE),
        (ContextFull("too long"), Fault.MODEL),
        (RuntimeError("boom"), Fault.INFRASTRUCTURE),
        (TimeoutError("the socket"), Fault.INFRASTRUCTURE),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_policy_that_raises_leaves_a_record_with_whose_fault_it_was(error: Exception, fault: Fault) -> None:
    made = run([ADD, error])
    assert (made.stop, made.error) == (Stop.ERROR, Failure(fault, type(error).__name__, str(error)))
    assert made.scorable is (fault is Fault.MODEL)
    assert len(made.turns) == 1 and made.items[-1] == FunctionCallOutput("call_0", "2 tea"), "what came before is kept"


def raising(where: str, error: Exception) -> type:
    """A shop that raises in one of its methods, and remembers that it was closed."""

    def fail(*_: Any) -> Any:
        raise error

    return type("Broken", (Shop,), {where: fail, "close": Closing.close})


class Closing(Shop):
    closings: list[str] = []

    def close(self) -> None:
        Closing.closings.append(type(self).__name__)


@pytest.mark.parametrize("where", ["__init__", "open", "end_state"])
@pytest.mark.parametrize(
    "error",
    [ValueError("broken"), EnvironmentFailure("broken"), TimeoutError("broken")],
    ids=lambda error: type(error).__name__,
)
def test_an_environment_that_raises_is_to_blame(where: str, error: Exception) -> None:
    Closing.closings.clear()
    made = run(["ok"], raising(where, error))
    assert made.stop is Stop.ERROR and made.error is not None
    assert (made.error.fault, made.error.kind) == (Fault.ENVIRONMENT, type(error).__name__)
    where_from = "" if isinstance(error, EnvironmentFailure) else r" \(test_episode\.py, line \d+\)"
    assert re.fullmatch(f"broken{where_from}", made.error.message)
    assert not made.scorable
    assert Closing.closings == ([] if where == "__init__" else ["Broken"])


def test_an_end_state_that_is_no_dict_is_the_environments_fault() -> None:
    made = run(["ok"], type("Odd", (Shop,), {"end_state": lambda self: None}))
    assert made.error == Failure(
        Fault.ENVIRONMENT, "EnvironmentFailure", "end_state() returned NoneType. It must return a dict."
    )


@pytest.mark.parametrize(
    ("state", "place"),
    [({"a": 1, "shop": object()}, "['shop']"), ({"rows": [{"x": 1}, {"x": object()}]}, "['rows'][1]['x']")],
)
def test_an_end_state_that_cannot_be_stored_names_the_key(state: dict[str, Any], place: str) -> None:
    made = run(["ok"], type("Odd", (Shop,), {"end_state": lambda self: state}))
    assert made.error is not None and made.error.fault is Fault.ENVIRONMENT
    assert made.error.message.startswith(f"end_state(){place} cannot be stored: ")


def test_an_end_state_is_recorded_as_it_will_be_read_back() -> None:
    made = run(["ok"], type("Odd", (Shop,), {"end_state": lambda self: {1: (2, 3), "seen": {4}}}))
    assert made.end_state == {"1": [2, 3], "seen": [4]}


def test_an_environment_needs_neither_end_state_nor_close() -> None:
    class Bare:
        def open(self, task: Task) -> None: ...

    made = run(["ok"], Bare)
    assert (made.stop, made.end_state) == (Stop.DONE, {})


# -- time and close ---------------------------------------------------------------------------------------------------


class Slow(Closing):
    async def open(self, task: Task) -> None:  # type: ignore[override]
        super().open(task)
        if task.id == "slow":
            await asyncio.sleep(30)


@pytest.mark.parametrize(
    ("policy", "task", "fault"),
    [
        (lambda: ScriptedPolicy(["ok"], latency_s=900), TASK, Fault.INFRASTRUCTURE),
        (lambda: ScriptedPolicy(["ok"]), Task(id="slow", prompt=""), Fault.ENVIRONMENT),
    ],
    ids=["policy", "environment"],
)
def test_an_episode_that_takes_too_long_is_ended_and_says_who_was_slow(
    policy: Callable[[], ScriptedPolicy], task: Task, fault: Fault
) -> None:
    Closing.closings.clear()
    began = time.monotonic()
    made = run(policy(), Slow, task=task, limits=EpisodeLimits(seconds=0.05))
    assert time.monotonic() - began < 300
    assert (made.stop, made.error) == (Stop.TIME_OUT, Failure(fault, "TimeOut", "the episode took more than 0.05 s"))
    assert Closing.closings == ["Slow"]


@pytest.mark.parametrize("replies", [["ok"], [RuntimeError("x")]], ids=["well", "badly"])
def test_close_is_called_once_however_the_episode_ended(replies: list[Any]) -> None:
    Closing.closings.clear()
    run(replies, Closing)
    assert Closing.closings == ["Closing"]


def test_close_is_called_when_the_episode_is_cancelled() -> None:
    Closing.closings.clear()

    async def cancel() -> None:
        policy = ScriptedPolicy(["ok"], latency_s=30)
        running = asyncio.create_task(run_episode(spec(Closing), TASK, policy, agent=AGENT, id="i", group="g"))
        await asyncio.sleep(0.01)
        running.cancel()
        await running

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())
    assert Closing.closings == ["Closing"]


def test_a_close_that_fails_is_noted_and_changes_nothing_else() -> None:
    made = run([ADD, "Done."], type("Stuck", (Shop,), {"close": stuck}))
    assert made.marks[-1] == Mark("close_error", detail="OSError: stuck")
    assert (made.stop, made.error, made.end_state) == (Stop.DONE, None, {"basket": {"tea": 2}})


async def stuck(self: Any) -> None:
    raise OSError("stuck")


# -- reset/step environments ------------------------------------------------------------------------------------------


GUESS = Task(id="t", prompt="guess", data={"number": 3})


class Guess:
    """`step(reply)` says higher or lower, until the number is found."""

    def open(self, task: Task) -> None:
        self.number = task.data["number"]

    async def step(self, reply: str) -> tuple[str, float, bool]:
        guess = int(reply)
        if guess == self.number:
            return "", 1.0, True
        return ("higher" if guess < self.number else "lower"), -0.1, False


def test_a_step_environment_answers_until_it_says_that_it_is_done() -> None:
    made = run(["1", "5", "3"], Guess, task=GUESS)
    assert [item.text for item in made.items if isinstance(item, Message)] == [
        "guess",
        "1",
        "higher",
        "5",
        "lower",
        "3",
    ]
    assert (made.rewards, made.stop) == ([-0.1, -0.1, 1.0], Stop.DONE)


def test_a_step_environment_that_never_is_done_ends_after_its_turns() -> None:
    made = run(["1"], Guess, task=GUESS, max_turns=2)
    assert (made.rewards, made.stop) == ([-0.1, -0.1], Stop.MAX_TURNS)


def test_a_step_that_raises_is_the_environments_fault() -> None:
    made = run(["one"], Guess, task=GUESS)
    assert made.error is not None and (made.error.fault, made.error.kind) == (Fault.ENVIRONMENT, "ValueError")


@pytest.mark.parametrize("reward", [float("nan"), float("inf")])
def test_a_reward_that_is_no_number_is_the_environments_fault(reward: float) -> None:
    made = run(["3"], type("Odd", (Guess,), {"step": lambda self, reply: ("", reward, True)}), task=GUESS)
    assert made.rewards == []
    assert made.error is not None and (made.error.fault, made.error.kind) == (Fault.ENVIRONMENT, "EnvironmentFailure")


def test_the_state_before_each_reply_is_recorded_if_asked_for() -> None:
    look = '{"tool": "add", "args": {"item": "tea", "count": 0}}'
    made = run([look, ADD, "Done."], record_states=True)
    empty, looked, full = made.states
    assert len({empty, looked, full}) == 3, "a basket with no tea in it is not an empty basket"
    again = run([ADD, "Done."], record_states=True)
    assert again.states == [empty, full], "the same state on another way"
    assert run([ADD, "Done."]).states == []


def test_an_environment_without_an_end_state_records_none() -> None:
    made = run(["3"], Guess, task=GUESS, record_states=True)
    assert made.states == [] and made.error is None


def test_an_end_state_that_fails_on_the_way_is_the_environments_fault() -> None:
    class Broken(Shop):
        def end_state(self) -> dict[str, Any]:
            raise OSError("no state")

    made = run([ADD, "Done."], Broken, record_states=True)
    assert made.error is not None and made.error.fault is Fault.ENVIRONMENT and "no state" in made.error.message


def test_an_environment_that_exits_is_one_failed_record() -> None:
    class Leaving(Shop):
        def open(self, task: Task) -> None:
            raise SystemExit(3)

    made = run(["Done."], Leaving)
    assert made.error is not None and (made.error.fault, made.error.kind) == (Fault.ENVIRONMENT, "SystemExit")
