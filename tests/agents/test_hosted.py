"""An episode behind an address: three APIs, tools on the live state, one trajectory at the end."""

import asyncio
from typing import Any

import pytest

from tests.agents.hosting import Hosting, chat_tool, hosting
from tests.rollout.shop import ADD, Shop
from tests.rollout.test_state_tools import Caller
from verigym.core.errors import InfrastructureFailure
from verigym.core.records import (
    Fault,
    FunctionCall,
    FunctionCallOutput,
    Mark,
    Message,
    Sampling,
    Stop,
    Task,
    Toolset,
    Trajectory,
)
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.settings import EpisodeLimits, RunSettings

USER = {"role": "user", "content": "buy tea"}
TOOL = chat_tool("add", item="string", count="integer")


def drive(work: Any, policy: Any, **options: Any) -> Any:
    async def run() -> Any:
        async with hosting(policy, **options) as here:
            return await work(here)

    return asyncio.run(run())


async def two_turns(here: Hosting) -> Trajectory:
    """What an agent does that gets its tools over HTTP."""
    message = await here.chat([USER], [TOOL])
    [call] = message["tool_calls"]
    status, result = await here.post("tools/add", {"item": "tea", "count": 2})
    assert status == 200 and result == {"output": "2 tea", "failed": False}
    tool_message = {"role": "tool", "tool_call_id": call["id"], "content": result["output"]}
    last = await here.chat([USER, message, tool_message], [TOOL])
    assert last["content"] == "Done."
    return await here.episode.end()


def test_an_agent_leaves_one_trajectory_with_its_calls_and_the_end_state() -> None:
    made = drive(two_turns, [ADD, "Done."])
    assert [type(item).__name__ for item in made.items] == ["Message", "FunctionCall", "FunctionCallOutput", "Message"]
    assert made.end_state == {"basket": {"tea": 2}} and made.reply == "Done."
    assert [(turn.parent, turn.made) for turn in made.turns] == [(None, [1]), (0, [3])]
    assert made.marks == [Mark("executed", 1, "add")]
    assert (made.id, made.task, made.stop) == ("r/t/0", "t", Stop.DONE)


def test_a_reply_is_recognised_by_its_call_ids_whatever_the_client_makes_of_it() -> None:
    async def changed(here: Hosting) -> Trajectory:
        message = await here.chat([USER], [TOOL])
        [call] = message["tool_calls"]
        call["function"]["arguments"] = '{ "count":2,"item":"tea" }'
        message["content"] = ""
        result = {"role": "tool", "tool_call_id": call["id"], "content": "2 tea"}
        await here.chat([USER, message, result], [TOOL])
        return await here.episode.end()

    made = drive(changed, [ADD, "Done."])
    assert [turn.parent for turn in made.turns] == [None, 0]
    assert made.items[1].arguments == '{"item":"tea","count":2}', "the model's own spelling stays"
    assert not made.marked("new_root")


def test_calls_and_results_in_another_order_are_recognised() -> None:
    calls = [FunctionCall("a", "add", '{"item":"tea"}'), FunctionCall("b", "add", '{"item":"milk"}')]

    async def interleaved(here: Hosting) -> Trajectory:
        body = {"model": "m", "input": "buy", "tools": [{"type": "function", **TOOL["function"]}]}
        _, answer = await here.post("v1/responses", body)
        one, two = (item for item in answer["output"] if item["type"] == "function_call")
        outputs = [{"type": "function_call_output", "call_id": each["call_id"], "output": "1"} for each in (one, two)]
        given = [{"role": "user", "content": "buy"}, one, outputs[0], two, outputs[1]]
        await here.post("v1/responses", {**body, "input": given})
        return await here.episode.end()

    made = drive(interleaved, [calls, "Done."])
    assert [turn.parent for turn in made.turns] == [None, 0]


def test_a_past_that_cannot_be_recognised_starts_a_new_root_and_says_so() -> None:
    async def rewritten(here: Hosting) -> Trajectory:
        await here.chat([USER], [TOOL])
        told = {"role": "assistant", "content": "Calling tools: add"}
        await here.chat([USER, told, {"role": "user", "content": "Result: 2 tea"}], [TOOL])
        return await here.episode.end()

    made = drive(rewritten, [ADD, "Done."])
    assert [turn.parent for turn in made.turns] == [None, None] and made.marked("new_root")


def test_a_result_that_the_agent_tells_in_other_words_is_not_missing() -> None:
    final = chat_tool("final_answer", answer="string")

    async def told(here: Hosting) -> Trajectory:
        await here.chat([USER], [TOOL, final])
        await here.post("tools/add", {"item": "tea", "count": 2})
        words = [{"role": "assistant", "content": "Calling tools: add"}, {"role": "user", "content": "Result: 2 tea"}]
        await here.chat([USER, *words], [TOOL, final])
        return await here.episode.end()

    def reply(request: Any) -> Any:
        asked = len(request.items) == 1
        return [FunctionCall("c", "add", '{"item":"tea","count":2}') if asked else _final("Done.")]

    made = drive(told, reply)
    assert [(mark.kind, mark.item) for mark in made.marks] == [("executed", 1), ("new_root", None)]


def test_a_call_of_the_environment_that_never_ran_is_marked() -> None:
    async def ignored(here: Hosting) -> Trajectory:
        await here.chat([USER], [TOOL])
        return await here.episode.end()

    made = drive(ignored, [ADD])
    assert [(mark.kind, mark.item) for mark in made.marks] == [("unanswered_call", 1)]


def test_a_call_that_the_agent_answers_itself_is_not_marked_as_executed() -> None:
    async def refused(here: Hosting) -> Trajectory:
        message = await here.chat([USER], [TOOL])
        [call] = message["tool_calls"]
        denied = {"role": "tool", "tool_call_id": call["id"], "content": "the user refused this call"}
        await here.chat([USER, message, denied], [TOOL])
        return await here.episode.end()

    assert drive(refused, [ADD, "Done."]).marks == []


def _final(answer: str) -> FunctionCall:
    return FunctionCall("f", "final_answer", f'{{"answer":"{answer}"}}')


def test_a_sub_agent_is_a_root_of_its_own_with_its_own_tools() -> None:
    async def delegated(here: Hosting) -> Trajectory:
        boss_tools = [chat_tool("ask_helper", question="string")]
        message = await here.chat([USER], boss_tools)
        [call] = message["tool_calls"]
        helped = await here.chat([{"role": "user", "content": "which tea?"}], [TOOL])
        result = {"role": "tool", "tool_call_id": call["id"], "content": helped["content"]}
        await here.chat([USER, message, result], boss_tools)
        return await here.episode.end()

    def reply(request: Any) -> Any:
        text = request.items[-1].text if isinstance(request.items[-1], Message) else ""
        if text == "buy tea":
            return [FunctionCall("c", "ask_helper", '{"question": "which?"}')]
        return "green" if "which" in text else "Done."

    made = drive(delegated, reply)
    assert [turn.parent for turn in made.turns] == [None, None, 0]
    assert [bool(turn.tools) for turn in made.turns] == [False, True, False]
    assert not made.marked("new_root") and made.reply == "Done."


def test_other_actors_are_recorded_and_never_count_as_the_policy() -> None:
    async def titled(here: Hosting) -> Trajectory:
        await here.chat([USER])
        await here.chat([{"role": "user", "content": "A title?"}], actor="title")
        return await here.episode.end()

    policy = ScriptedPolicy(lambda request: "A title" if "title" in str(request.items[-1]) else "Done.")
    made = drive(titled, policy)
    assert [turn.actor for turn in made.turns] == ["policy", "title"] and made.reply == "Done."


def test_a_call_without_tools_in_an_episode_with_tools_says_so() -> None:
    kept: list[Toolset] = []

    async def titled(here: Hosting) -> Trajectory:
        here.episode._keep_tools = kept.append
        await here.chat([{"role": "user", "content": "A title?"}], actor="title")
        await here.chat([USER], [TOOL])
        return await here.episode.end()

    made = drive(titled, ["Done."])
    by_hash = {toolset.hash: [tool.name for tool in toolset.tools] for toolset in kept}
    assert [by_hash[turn.tools or made.tools] for turn in made.turns] == [[], ["add"]]


def test_another_policy_may_play_an_actor() -> None:
    async def asked(here: Hosting) -> str:
        return (await here.chat([USER], actor="user"))["content"]

    assert drive(asked, ["policy"], others={"user": ScriptedPolicy(["I am the user."])}) == "I am the user."


@pytest.mark.parametrize("stream", [False, True])
def test_the_three_apis_reach_the_same_tree(stream: bool) -> None:
    async def thrice(here: Hosting) -> Trajectory:
        for path, body in {
            "v1/chat/completions": {"messages": [USER]},
            "v1/responses": {"input": "buy tea"},
            "v1/messages": {"messages": [USER], "max_tokens": 20},
        }.items():
            status, answer = await here.post(path, {"model": "m", "stream": stream, **body})
            assert status == 200 and "Done." in str(answer)
        return await here.episode.end()

    made = drive(thrice, ["Done."])
    assert len(made.turns) == 3 and sum(isinstance(item, Message) and item.role == "user" for item in made.items) == 1


def test_a_request_may_continue_a_response_by_its_id() -> None:
    async def continued(here: Hosting) -> Trajectory:
        _, first = await here.post("v1/responses", {"model": "m", "input": "buy tea"})
        more = {"model": "m", "input": "and milk", "previous_response_id": first["id"]}
        assert (await here.post("v1/responses", more))[0] == 200
        status, error = await here.post("v1/responses", {**more, "previous_response_id": "resp_other"})
        assert status == 404 and "whole conversation" in str(error)
        return await here.episode.end()

    assert [turn.parent for turn in drive(continued, ["Done."]).turns] == [None, 0]


def test_the_run_decides_how_replies_are_sampled() -> None:
    asked: list[Any] = []

    def reply(request: Any) -> str:
        asked.append(request)
        return "Done."

    async def cold(here: Hosting) -> None:
        await here.chat([USER], temperature=0, top_p=0.1, max_tokens=5, stop=["x"])
        await here.chat([USER], max_tokens=5000)

    drive(cold, reply, settings=RunSettings(sampling=Sampling(temperature=0.7, max_tokens=100), seed=3))
    assert asked[0].sampling == Sampling(temperature=0.7, max_tokens=5, stop=["x"])
    assert asked[1].sampling.max_tokens == 100
    assert asked[0].seed == 3 != asked[1].seed, "the same request again is drawn anew"


@pytest.mark.parametrize(
    ("limits", "stop"),
    [(EpisodeLimits(turns=1), Stop.MAX_TURNS), (EpisodeLimits(tokens=1), Stop.TOKENS_SPENT)],
    ids=["turns", "tokens"],
)
def test_a_limit_ends_the_episode_with_a_clear_answer(limits: EpisodeLimits, stop: Stop) -> None:
    async def much(here: Hosting) -> Trajectory:
        await here.chat([USER])
        status, error = await here.post("v1/chat/completions", {"model": "m", "messages": [USER]})
        assert status == 403 and stop.value in error["error"]["message"]
        return await here.episode.end()

    from verigym.core.protocols import Reply, Request
    from verigym.core.records import Turn, Usage

    class Talker:
        async def respond(self, request: Request) -> Reply:
            return Reply(items=[Message("assistant", "Hm.")], turn=Turn(usage=Usage(1, 1)))

    assert drive(much, Talker(), settings=RunSettings(limits=limits)).stop is stop


def test_time_that_is_over_ends_the_episode() -> None:
    async def late(here: Hosting) -> Trajectory:
        await here.chat([USER])
        here.episode.live.deadline = 0.0
        assert (await here.post("v1/chat/completions", {"model": "m", "messages": [USER]}))[0] == 403
        return await here.episode.end()

    made = drive(late, ["Done."])
    assert made.stop is Stop.TIME_OUT and made.error is None


def test_a_model_that_fails_is_infrastructures_fault() -> None:
    async def unlucky(here: Hosting) -> Trajectory:
        status, error = await here.post("v1/chat/completions", {"model": "m", "messages": [USER]})
        assert status == 502 and "no GPU" in error["error"]["message"]
        return await here.episode.end()

    made = drive(unlucky, [InfrastructureFailure("no GPU is left")])
    assert made.error is not None and made.error.fault is Fault.INFRASTRUCTURE


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("v1/chat/completions", {"messages": []}),
        ("v1/chat/completions", {"model": "m", "messages": "x"}),
        ("v1/messages", {"model": "m", "messages": [USER]}),
        ("say", {"txt": 1}),
        ("nothing", {}),
    ],
)
def test_bad_requests_get_an_answer_and_break_nothing(path: str, body: Any) -> None:
    async def bad(here: Hosting) -> Trajectory:
        status, answer = await here.post(path, body)
        assert status in (400, 404) and answer, answer
        await here.chat([USER])
        return await here.episode.end()

    assert drive(bad, ["Done."]).reply == "Done."


def test_an_address_that_nobody_has_is_not_found() -> None:
    async def guess(here: Hosting) -> None:
        other = here.url.rpartition("/")[0]
        for id in ("0" * 32, "../etc", "x"):
            async with here.client.post(f"{other}/{id}/v1/chat/completions", json={}) as response:
                assert response.status == 404

    drive(guess, ["Done."])


def test_tools_over_http_answer_errors_as_results() -> None:
    async def wrong(here: Hosting) -> Trajectory:
        for name, body in {"nope": {}, "add": {"count": "many"}, "burn": {}}.items():
            _, answer = await here.post(f"tools/{name}", body)
            assert answer["failed"] and answer["output"].startswith("error")
        async with here.client.get(f"{here.url}/tools") as response:
            assert [tool["name"] for tool in (await response.json())["tools"]] == ["add", "burn"]
        return await here.episode.end()

    kinds = [mark.kind for mark in drive(wrong, ["Done."]).marks]
    assert kinds == ["unknown_tool", "bad_arguments", "tool_error"]


def test_names_with_dots_have_a_name_that_every_api_allows() -> None:
    dotted = Task(id="t", prompt="p", data={"tools": [{"name": "deploy.restart", "parameters": {}}]})

    async def restart(here: Hosting) -> Trajectory:
        tools = await here.episode.tools()
        await here.chat([USER], [chat_tool(tools[0]["name"])])
        await here.post(f"tools/{tools[0]['name']}", {})
        return await here.episode.end()

    made = drive(restart, [[FunctionCall("c", "deploy-restart", "{}")], "x"], environment=Caller, task=dotted)
    assert made.end_state == {"names": ["deploy.restart"]}
    assert made.calls[0].name == "deploy.restart", "the environment's own name stands in the record"


def test_the_agents_own_answer_and_reward_are_kept_and_marked() -> None:
    async def graded(here: Hosting) -> Trajectory:
        await here.chat([USER])
        return await here.episode.end(reply="42", reward=0.5, outcome="success")

    made = drive(graded, ["The answer is 42."])
    assert made.reply == "42" and made.outcome == "success"
    assert made.end_state["external_verdict"]["reward"] == 0.5 and made.marked("not_rescorable")


def test_ending_while_the_model_answers_cancels_the_answer() -> None:
    async def ended(here: Hosting) -> Trajectory:
        asking = asyncio.create_task(here.post("v1/chat/completions", {"model": "m", "messages": [USER]}))
        while not here.episode._answering:
            await asyncio.sleep(0.01)
        made = await here.episode.end()
        assert (await asking)[0] in (403, 503)
        return made

    assert drive(ended, ScriptedPolicy(["late"], latency_s=600.0)).turns == []


def test_an_agent_without_model_calls_still_leaves_the_prompt_and_the_end_state() -> None:
    async def silent(here: Hosting) -> Trajectory:
        await here.post("tools/add", {"item": "tea", "count": 2})
        return await here.episode.end()

    made = drive(silent, ["never"])
    assert made.items[:2] == [Message("system", Shop.system), Message("user", "buy tea")]
    assert made.end_state == {"basket": {"tea": 2}} and made.marks == [Mark("executed", None, "add")]


def test_outputs_stay_with_their_calls() -> None:
    made = drive(two_turns, [ADD, "Done."])
    assert made.items[2] == FunctionCallOutput(made.items[1].call_id, "2 tea")


def test_tokens_are_counted_and_tools_that_cannot_run_are_named() -> None:
    async def counted(here: Hosting) -> Any:
        asked = {"model": "any", "messages": [USER]}
        status, count = await here.post("v1/messages/count_tokens", asked)
        assert status == 200 and count["input_tokens"] > 0
        assert (await here.post("v1/responses/count_tokens", asked))[0] == 404
        hosted = {**asked, "max_tokens": 9, "tools": [{"type": "web_search_20250305", "name": "web_search"}]}
        async with here.client.post(f"{here.url}/v1/messages", json=hosted) as response:
            assert response.status == 200 and response.headers["x-verigym-tools-left-out"] == "web_search_20250305"
        return await here.episode.end()

    assert drive(counted, ["Done."]).reply == "Done."


def test_integer_weights_are_those_of_the_policy_and_not_of_users() -> None:
    asked: dict[str, str] = {}

    def answer(role: str) -> ScriptedPolicy:
        def said(request: Any) -> str:
            asked[role] = request.sampling.weights
            return "Hi"

        return ScriptedPolicy(said)

    async def work(here: Hosting) -> None:
        await here.chat([USER])
        await here.chat([USER], actor="user")

    settings = RunSettings(sampling=Sampling(weights="int8"))
    drive(work, answer("policy"), others={"user": answer("user")}, settings=settings)
    assert asked == {"policy": "int8", "user": ""}
