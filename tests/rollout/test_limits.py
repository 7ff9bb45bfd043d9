"""Limits of an episode and of its tools: each is a stop reason, and says whether the model is to blame."""

import asyncio
import threading
import time
from typing import Any

import pytest

from tests.harness.test_tools import Limited
from tests.rollout.shop import ADD, AGENT, Shop, spec
from tests.rollout.test_episode import TASK, run
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
    Usage,
)
from verigym.harness.tools import tool
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.rollout.settings import EpisodeLimits, Prices, RunSettings


class Talker:
    """Calls the tool at every turn, and takes so many tokens for it."""

    def __init__(self, prompt: int = 0, completion: int = 0, last: int = 10**9) -> None:
        self.usage, self.last = Usage(prompt, completion), last
        self.asked: list[Request] = []

    async def respond(self, request: Request) -> Reply:
        self.asked.append(request)
        done = len(request.turns)
        items: list[Any] = [FunctionCall(f"c{done}", "add", '{"item": "tea"}')]
        if done >= self.last:
            items = [Message("assistant", "Done.")]
        return Reply(items=items, turn=Turn(parent=done - 1 if done else None, usage=self.usage))


class Strict(Shop):
    @tool(calls=2)
    def peek(self) -> str:
        return "seen"

    @tool(seconds=0.05)
    async def wait(self) -> str:
        await asyncio.sleep(900)
        return ""


PEEK = '{"tool": "peek", "args": {}}'
PRICES = Prices(prompt=10.0, completion=30.0)


@pytest.mark.parametrize(
    ("policy", "limits", "stop", "turns"),
    [
        (Talker, EpisodeLimits(turns=3), Stop.MAX_TURNS, 3),
        (Talker, EpisodeLimits(turns=1), Stop.MAX_TURNS, 1),
        (Talker, EpisodeLimits(turns=20), Stop.MAX_TURNS, 20),
        (lambda: Talker(completion=10), EpisodeLimits(tokens=30), Stop.TOKENS_SPENT, 3),
        (lambda: Talker(completion=10), EpisodeLimits(tokens=31), Stop.TOKENS_SPENT, 4),
        (lambda: Talker(completion=10), EpisodeLimits(tokens=0), Stop.TOKENS_SPENT, 0),
        (lambda: Talker(100_000, 100_000), EpisodeLimits(cost=10.0), Stop.COST_SPENT, 3),
        (lambda: Talker(100_000, 100_000), EpisodeLimits(cost=40.0), Stop.MAX_TURNS, 8),
        (lambda: Talker(completion=10, last=2), EpisodeLimits(tokens=30), Stop.DONE, 3),
    ],
    ids=[
        "turns",
        "one turn of an environment of several",
        "more turns than the environment's own",
        "tokens",
        "a token more",
        "no tokens at all",
        "dollars",
        "dollars enough",
        "finished with its last token",
    ],
)
def test_a_limit_that_is_reached_is_the_reason_of_the_end_and_the_models_own_business(
    policy: Any, limits: EpisodeLimits, stop: Stop, turns: int
) -> None:
    made = run(policy(), limits=limits, prices=PRICES)
    assert (made.stop, len(made.turns)) == (stop, turns)
    assert made.error is None and made.scorable
    assert made.end_state == {"basket": {"tea": min(turns, 2 if stop is Stop.DONE else turns)} if turns else {}}


def test_what_an_episode_cost_is_written_down() -> None:
    assert run(Talker(100_000, 100_000, last=1), prices=PRICES).cost == pytest.approx(8.0)
    assert run(Talker(100_000, 100_000, last=1)).cost == 0.0


def test_a_reply_gets_no_more_tokens_than_the_episode_has_left() -> None:
    policy = Talker(completion=10, last=5)
    run(policy, limits=EpisodeLimits(tokens=25), sampling=Sampling(max_tokens=12, temperature=0.5))
    assert [asked.sampling.max_tokens for asked in policy.asked] == [12, 12, 5]
    assert {asked.sampling.temperature for asked in policy.asked} == {0.5}


@pytest.mark.parametrize(
    ("tokens", "stop"), [(10, Stop.TOKENS_SPENT), (11, Stop.MAX_TOKENS), (None, Stop.MAX_TOKENS)],
    ids=["the episode's limit", "the reply's", "no limit of the episode"],
)  # fmt: skip
def test_a_reply_that_is_cut_off_says_by_which_limit(tokens: int | None, stop: Stop) -> None:
    class Cut:
        async def respond(self, request: Request) -> Reply:
            return Reply(items=[Message("assistant", "...")], turn=Turn(finish="length", usage=Usage(0, 10)))

    made = run(Cut(), limits=EpisodeLimits(tokens=tokens))
    assert (made.stop, made.error) == (stop, None)


def test_a_tool_that_is_called_too_often_ends_the_episode_which_is_scored() -> None:
    made = run([PEEK], Strict)
    assert (made.stop, made.error, made.scorable, len(made.turns)) == (Stop.MAX_CALLS, None, True, 3)
    assert [mark.kind for mark in made.marks] == ["executed", "executed", "tool_limit"]
    assert made.items[-1] == FunctionCallOutput("call_2", "error: peek may be called 2 times in an episode")
    assert made.end_state == {"basket": {}}


def test_calls_of_one_reply_count_one_by_one() -> None:
    calls = [FunctionCall(f"c{place}", "peek", "{}") for place in range(4)]
    made = run([calls, "Done."], Strict)
    assert made.stop is Stop.MAX_CALLS
    assert [mark.kind for mark in made.marks] == ["executed", "executed", "tool_limit", "tool_limit"]
    outputs = [item.call_id for item in made.items if isinstance(item, FunctionCallOutput)]
    assert outputs == ["c0", "c1", "c2", "c3"], "every call has its result, in order"


def test_a_tool_that_takes_too_long_is_the_environments_fault_and_nothing_is_scored() -> None:
    made = run([ADD, '{"tool": "wait", "args": {}}', "never said"], Strict)
    assert (made.stop, made.error) == (
        Stop.TOOL_TIME_OUT,
        Failure(Fault.ENVIRONMENT, "ToolTimeOut", "wait took more than 0.05 s"),
    )
    assert not made.scorable
    assert made.marks[-1] == Mark("tool_time_out", 6, "wait took more than 0.05 s")
    assert made.end_state == {"basket": {"tea": 2}}, "what came before is kept"


class Sleepy(Shop):
    """Waits in the method that the task names."""

    def open(self, task: Task) -> None:
        super().open(task)
        self.where = task.id
        self._wait("open")

    def _wait(self, where: str) -> None:
        if self.where == where:
            RELEASE.wait()

    @tool
    def nap(self) -> str:
        self._wait("nap")
        return ""

    def end_state(self) -> dict[str, Any]:
        self._wait("end_state")
        return super().end_state()


RELEASE = threading.Event()


@pytest.mark.parametrize("where", ["open", "nap", "end_state"])
def test_a_plain_method_that_waits_past_the_episodes_time_is_the_environments_fault(where: str) -> None:
    RELEASE.clear()
    began = time.monotonic()
    made = run(
        ['{"tool": "nap", "args": {}}', "Done."],
        Sleepy,
        task=Task(id=where, prompt=""),
        limits=EpisodeLimits(seconds=0.2),
    )
    assert time.monotonic() - began < 300
    assert (made.stop, made.error) == (
        Stop.TIME_OUT,
        Failure(Fault.ENVIRONMENT, "TimeOut", "the episode took more than 0.2 s"),
    )
    assert not made.scorable
    RELEASE.set()


def test_an_episode_whose_calls_used_its_time_is_scored_with_what_it_left() -> None:
    class Slow(Sleepy):
        @tool
        def wait(self, seconds: float) -> str:
            """Wait."""
            time.sleep(seconds)
            self.add("apple")
            return "waited"

    made = run(
        ['{"tool": "wait", "args": {"seconds": 0.2}}'] * 50,
        Slow,
        task=Task(id="x", prompt=""),
        limits=EpisodeLimits(seconds=3, turns=50),
    )
    assert (made.stop, made.error) == (Stop.TIME_OUT, None) and made.scorable
    assert made.end_state["basket"], "what it did before counts"


# -- calls at the same time -------------------------------------------------------------------------------------------


def together(names: list[str]) -> tuple[Trajectory, Limited]:
    made: list[Limited] = []

    class Kept(Limited):
        def open(self, task: Task) -> None:
            made.append(self)

    calls = [
        FunctionCall(f"c{place}", name, "{}" if name.startswith("slow") else f'{{"name": "{place}"}}')
        for place, name in enumerate(names)
    ]
    return run([calls, "Done."], Kept), made[0]


@pytest.mark.parametrize(
    ("names", "most"),
    [
        (["beside"] * 3, 3),
        (["async_one"] * 3, 3),
        (["in_order"] * 3, 1),
        (["in_order", "beside", "in_order", "async_one"], 2),  # beside async methods, plain ones stay on the loop
    ],
    ids=["parallel", "async", "plain", "all kinds"],
)
def test_calls_of_one_reply_run_at_the_same_time_where_they_may_and_their_results_come_in_order(
    names: list[str], most: int
) -> None:
    made, state = together(names)
    assert state.most == most
    results = [(item.call_id, item.output) for item in made.items if isinstance(item, FunctionCallOutput)]
    assert results == [(f"c{place}", str(place)) for place in range(len(names))]
    assert [mark.item for mark in made.marks] == [1 + place for place in range(len(names))]
    plain = [str(place) for place, name in enumerate(names) if name == "in_order"]
    assert [name for name in state.order if name in plain] == plain


def test_one_that_is_late_ends_the_episode_and_the_others_have_their_results() -> None:
    made, _ = together(["in_order", "slow_async", "beside"])
    assert made.stop is Stop.TOOL_TIME_OUT
    outputs = [item.output for item in made.items if isinstance(item, FunctionCallOutput)]
    assert outputs[0] == "0" and outputs[2] == "2"
    assert outputs[1].startswith("error: slow_async")


def test_when_the_time_is_over_none_of_them_is_left_running() -> None:
    ended: list[int] = []

    class Slow(Shop):
        @tool
        async def nap(self, number: int) -> str:
            try:
                await asyncio.sleep(900)
            finally:
                ended.append(number)
            return ""

    calls = [FunctionCall(f"c{place}", "nap", f'{{"number": {place}}}') for place in range(3)]

    async def one() -> Trajectory:
        settings = RunSettings(limits=EpisodeLimits(seconds=2))
        made = await run_episode(spec(Slow), TASK, ScriptedPolicy([calls]), settings, agent=AGENT, id="i", group="g")
        assert sorted(ended) == [0, 1, 2]
        return made

    assert asyncio.run(one()).stop is Stop.TIME_OUT


# -- policies and environments that misbehave --------------------------------------------------------------------------


def test_a_policy_that_names_a_turn_that_is_not_there_is_to_blame() -> None:
    class Lost:
        async def respond(self, request: Request) -> Reply:
            return Reply(items=[], turn=Turn(parent=7))

    made = run(Lost())
    assert made.error is not None and made.error.fault is Fault.INFRASTRUCTURE


def test_an_environment_whose_own_code_is_cancelled_is_one_failed_record() -> None:
    class Cancelled(Shop):
        async def open(self, task: Task) -> None:  # type: ignore[override]
            await asyncio.get_running_loop().create_future().cancel()  # type: ignore[misc]

    class CancelledLater(Shop):
        async def end_state(self) -> dict[str, Any]:  # type: ignore[override]
            waiting = asyncio.create_task(asyncio.sleep(30))
            waiting.cancel()
            await waiting
            return {}

    for kind in (Cancelled, CancelledLater):
        made = run(["Done."], kind)
        assert made.error is not None and made.error.fault is Fault.ENVIRONMENT


def test_a_tool_whose_own_code_is_cancelled_is_told_to_the_model() -> None:
    class Cancelling(Shop):
        @tool
        async def call_off(self) -> str:
            raise asyncio.CancelledError

    made = run(['{"tool": "call_off", "args": {}}', "Done."], Cancelling)
    assert (made.stop, made.error) == (Stop.DONE, None)
    assert [mark.kind for mark in made.marks] == ["tool_error"]


@pytest.mark.parametrize("items", [[], [FunctionCall("c", "nothing", "{}")]], ids=["no items", "only a call"])
def test_a_reply_without_words_is_nothing_to_a_step_environment(items: list[Any]) -> None:
    heard: list[str] = []

    class Listening:
        def open(self, task: Task) -> None: ...

        def step(self, reply: str) -> tuple[str, float, bool]:
            heard.append(reply)
            return "go on", 0.0, len(heard) == 3

    run([items, [Message("assistant", "a"), Message("assistant", "b")], "c"], Listening)
    assert heard == ["", "ab", "c"]


def test_blobs_are_kept_by_their_hash() -> None:
    kept: list[bytes] = []

    def keep(data: bytes) -> str:
        kept.append(data)
        return str(len(kept))

    class Filing(Shop):
        def blobs(self) -> dict[str, Any]:
            return {"page": b"one", "copy": bytearray(b"two")}

    assert run(["Done."], Filing, keep_blob=keep).blobs == {"page": "1", "copy": "2"}
    assert kept == [b"one", b"two"]
    assert len(run(["Done."], Filing).blobs["page"]) == 64


def test_broken_letters_of_the_model_are_no_failure_of_the_environment() -> None:
    class Echo:
        def open(self, task: Task) -> None:
            self.heard: list[str] = []

        def step(self, reply: str) -> tuple[str, float, bool]:
            self.heard.append(reply)
            return "", 0.0, True

        def end_state(self) -> dict[str, Any]:
            return {"heard": self.heard}

    async def one() -> Trajectory:
        return await run_episode(spec(Echo), TASK, ScriptedPolicy(["half \ud83c"]), agent=AGENT, id="i", group="g")

    made = asyncio.run(one())
    assert (made.error, made.end_state) == (None, {"heard": ["half \ufffd\ufffd\ufffd"]})


def test_arguments_that_are_nested_too_deeply_are_bad_arguments_and_nothing_else() -> None:
    class Keeping(Shop):
        @tool
        def keep(self, what: Any) -> str:
            self.basket["kept"] = what
            return "kept"

    for depth, kind in ((100, "executed"), (900, "bad_arguments")):
        arguments = '{"what": ' + "[" * depth + "]" * depth + "}"
        made = run([[FunctionCall("c", "keep", arguments)], "Done."], Keeping)
        assert (made.error, [mark.kind for mark in made.marks]) == (None, [kind])
