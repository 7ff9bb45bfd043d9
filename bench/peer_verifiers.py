"""The episode of rollouts.py in the peer package `verifiers`, at its best settings: CPU-ms of one rollout.

    PEER_PYTHON bench/peer_verifiers.py 1000 64               # 1000 rollouts, 64 at once; the last line is the figure

Run by an interpreter that has `verifiers` and needs nothing of Verigym. The figure is this process's own CPU (user and
system), the least of three passes. Included: the peer's own loop, four calls of a tool on a rollout's own basket, a reward
function over the end state, and its own lines of JSON on disk. Left out: imports, making the tasks, a first pass to warm
up, and the model, which is an object in this process that hands out ready replies; every reward is checked afterwards.

Whatever makes the peer faster is on:
- 0.3 (its `legacy` API, which is in process; its `v1` costs over three times as much): its client is replaced whole,
  so nothing is converted or sent. Groups of four as in rollouts.py, run by `run_group` without the bookkeeping of
  `generate`; without the rubrics that every tool environment adds to count turns and calls; saved once, at the end.
- 0.4 (`v1` alone): every model call passes its interception server, so HTTP on the loopback cannot be avoided. The agent
  loop and the tool run in process rather than in a program and an MCP server of their own, over one pool of connections.
- The garbage collector's threshold is the one that Verigym sets for itself while it rolls out.

For 0.3 it also prints what the same costs as it comes: `generate` that saves as it goes, which is closer to what Verigym
does, with all rubrics and the usual threshold.
"""

# pyright: reportMissingImports=false

import asyncio
import gc
import importlib.util
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine
from importlib.metadata import version
from pathlib import Path
from typing import Any

CALLS, GROUP, PASSES, WARM = 4, 4, 3, 64
SYSTEM = "You keep a shop."
ARGUMENTS = '{"item": "tea"}'

Rewards = list[float]
Pass = Callable[[int, Path], Coroutine[Any, Any, Rewards]]
"""Runs that many rollouts, saves them into the folder, and gives their rewards."""


def prompt(index: int) -> str:
    return f"Put {CALLS} teas into the basket, please ({index})."


def put(basket: dict[str, int], item: str, count: int = 1) -> str:
    basket[item] = basket.get(item, 0) + count
    return f"{count} {item}"


def cpu_ms_each(run: Pass, count: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        gc.collect()
        began = time.process_time()
        rewards = asyncio.run(run(count, Path(folder)))
        taken = time.process_time() - began
        lines = sum(len(path.read_bytes().splitlines()) for path in Path(folder).rglob("*.jsonl"))
    assert rewards == [1.0] * count, f"{rewards.count(1.0)} of {count} rollouts have full reward"
    assert lines == count, f"{lines} of {count} rollouts are on disk"
    return 1e3 * taken / count


async def drain(todo: Any, at_once: int, one: Callable[[Any], Awaitable[Rewards]]) -> Rewards:
    """All of `todo`, that many at once."""
    rest, rewards = iter(todo), []

    async def worker() -> None:
        for each in rest:
            rewards.extend(await one(each))

    await asyncio.gather(*(worker() for _ in range(at_once)))
    return rewards


def legacy(count: int, concurrency: int) -> tuple[Pass, Pass]:
    """The best setting, and as it comes."""
    import verifiers.legacy as vf
    from datasets import Dataset, disable_progress_bars
    from verifiers.legacy.clients import Client
    from verifiers.legacy.types import Response, ResponseMessage, ToolCall, Usage
    from verifiers.legacy.utils.save_utils import save_outputs

    disable_progress_bars()
    usage = Usage(prompt_tokens=100, reasoning_tokens=0, completion_tokens=10, total_tokens=110)

    def reply(**message: Any) -> Any:
        said = ResponseMessage(is_truncated=False, **message)
        return Response(id="r", created=0, model="script", usage=usage, message=said)

    class Script(Client):
        calls = [[ToolCall(id=f"c{i}", name="add", arguments=ARGUMENTS)] for i in range(CALLS)]
        replies = [reply(finish_reason="tool_calls", tool_calls=each) for each in calls]
        replies.append(reply(finish_reason="stop", content="Done."))

        async def get_response(
            self, prompt: Any, model: str, sampling_args: Any, tools: Any = None, **rest: Any
        ) -> Any:
            await asyncio.sleep(0)
            return self.replies[len(rest["state"]["trajectory"])]

        async def _unused(self, *args: Any, **kwargs: Any) -> Any:
            raise AssertionError("get_response is replaced whole, so that nothing else of a client is used")

        setup_client = to_native_tool = to_native_prompt = get_native_response = _unused
        raise_from_native_response = from_native_response = close = _unused

    def add(item: str, basket: dict, count: int = 1) -> str:
        """Put something into the basket."""
        return put(basket, item, count)

    class Shop(vf.StatefulToolEnv):
        async def setup_state(self, state: Any) -> Any:
            state["basket"] = {}
            return state

        def update_tool_args(self, tool_name: str, tool_args: dict, messages: Any, state: Any, **rest: Any) -> dict:
            return {**tool_args, "basket": state["basket"]}

    def verify(state: Any) -> float:
        return float(state["basket"] == {"tea": CALLS})

    def shop() -> tuple[Any, list[Any]]:
        rows = Dataset.from_list([{"question": prompt(i), "answer": ""} for i in range(-(-count // GROUP))])
        made = Shop(dataset=rows, system_prompt=SYSTEM, rubric=vf.Rubric(funcs=[verify]), max_turns=CALLS + 1)
        made.add_tool(add, args_to_skip=["basket"])
        return made, [row for row in made.get_dataset().to_list() for _ in range(GROUP)]

    client, keep = Script(None), ["basket"]
    plain, rows = shop()
    bare, _ = shop()
    bare.rubric = vf.Rubric(funcs=[verify])

    async def best(count: int, folder: Path) -> Rewards:
        outputs: list[Any] = []

        async def one(group: list[Any]) -> Rewards:
            made = await bare.run_group(group, client, "script", {}, state_columns=keep)
            outputs.extend(made)
            return [each["reward"] for each in made]

        groups = (rows[i : min(i + GROUP, count)] for i in range(0, count, GROUP))
        rewards = await drain(groups, -(-concurrency // GROUP), one)
        save_outputs(outputs, folder)
        return rewards

    async def usual(count: int, folder: Path) -> Rewards:
        made = await plain.generate(
            rows[:count],
            client,
            "script",
            max_concurrent=-(-concurrency // GROUP),  # it counts groups
            results_path=folder / "results",
            save_results=True,
            state_columns=keep,
            on_start=lambda *_: None,  # no bar of progress
            on_progress=lambda *_: None,
        )
        return [each["reward"] for each in made["outputs"]]

    return best, usual


def v1(count: int, concurrency: int) -> Pass:
    import aiohttp
    import verifiers.v1 as vf
    from verifiers.v1.interception import InterceptionServer
    from verifiers.v1.runtimes import ProgramResult, SubprocessConfig
    from verifiers.v1.types import AssistantMessage, Response, ToolCall, Usage
    from verifiers.v1.utils.trace_store import EnvInfo, Episode, write_episode

    tools = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]
    tools[0]["function"] |= {"description": "Put something into the basket."}

    def reply(call: int) -> Any:
        calls = [ToolCall(id=f"c{call}", name="add", arguments=ARGUMENTS)] if call < CALLS else None
        content, finish = (None, "tool_calls") if calls else ("Done.", "stop")
        native = [{"id": f"c{call}", "type": "function", "function": {"name": "add", "arguments": ARGUMENTS}}]
        message = {"role": "assistant", "content": content, **({"tool_calls": native} if calls else {})}
        choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        return Response(
            id="r",
            created=0,
            model="script",
            message=AssistantMessage(content=content, tool_calls=calls),
            finish_reason=finish,
            usage=Usage(prompt_tokens=100, completion_tokens=10),
            raw={"id": "r", "object": "chat.completion", "model": "script", "choices": [choice], "usage": usage},
        )

    class Script(vf.Client):
        replies = [reply(i) for i in range(CALLS + 1)]

        async def get_response(self, dialect: Any, body: Any, *args: Any, **rest: Any) -> Any:
            return self.replies[sum(each["role"] == "tool" for each in body["messages"])]

    class Server(InterceptionServer):
        script = Script()

        def _client(self, config: Any) -> Any:
            return self.script

    class Basket(vf.State):
        basket: dict[str, int] = {}

    class Shop(vf.Task[vf.TaskData, Basket, vf.TaskConfig]):
        @vf.reward
        async def verify(self, trace: Any) -> float:
            return float(trace.state.basket == {"tea": CALLS})

    class Loop(vf.Harness[vf.HarnessConfig]):
        APPENDS_SYSTEM_PROMPT, EXECUTES_CODE, NEEDS_CONTAINER = True, False, False
        http: aiohttp.ClientSession

        async def launch(
            self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: Any
        ) -> Any:
            messages = [{"role": "system", "content": data.system_prompt}, {"role": "user", "content": data.prompt}]
            url, headers = f"{endpoint}/chat/completions", {"Authorization": f"Bearer {secret}"}
            while True:
                body = {"model": ctx.model, "messages": messages, "tools": tools}
                async with self.http.post(url, json=body, headers=headers) as got:
                    message = (await got.json())["choices"][0]["message"]
                messages.append(message)
                if not message.get("tool_calls"):
                    return ProgramResult(0, "", "")
                for call in message["tool_calls"]:
                    content = put(trace.state.basket, **json.loads(call["function"]["arguments"]))
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})

    tasks = [Shop(vf.TaskData(idx=i // GROUP, prompt=prompt(i // GROUP), system_prompt=SYSTEM)) for i in range(count)]

    async def best(count: int, folder: Path) -> Rewards:
        config = vf.AgentConfig(model="script", harness={"id": "null"}, runtime=SubprocessConfig(), max_turns=CALLS + 1)
        connector = aiohttp.TCPConnector(limit=0)
        async with Server() as server, aiohttp.ClientSession(connector=connector) as http:
            agent = vf.Agent(config, interception=server)
            agent.harness = Loop(agent.harness.config)
            agent.harness.http = http

            async def one(task: Any) -> Rewards:
                trace = await agent.run(task)
                assert trace.ok, trace.errors
                write_episode(folder, Episode(env=EnvInfo(id="shop"), task=trace.task, traces=[trace], ok=trace.ok))
                return [trace.reward]

            return await drain(tasks[:count], concurrency, one)

    return best


def main() -> None:
    if "--json" in sys.argv:  # bench/all.py asks every script of the folder for figures: rollouts.py has this one's
        sys.exit(0)
    count, concurrency = int(sys.argv[1]), int(sys.argv[2])
    logging.disable(logging.CRITICAL)
    print(f"verifiers {version('verifiers')}")
    usual = None
    if importlib.util.find_spec("verifiers.legacy"):
        best, usual = legacy(max(count, WARM), concurrency)
    else:
        best = v1(max(count, WARM), concurrency)
    cpu_ms_each(best, WARM)
    if usual:
        each = cpu_ms_each(usual, count)
        print(f"as it comes, saved as it goes: {each:.3f} CPU-ms")
    gc.set_threshold(100_000, *gc.get_threshold()[1:])
    passes = [cpu_ms_each(best, count) for _ in range(PASSES)]
    print(f"best setting, {count} rollouts, {concurrency} at once, load {os.getloadavg()[0]:.1f}, each pass in CPU-ms:")
    print(*(f"{each:.3f}" for each in passes))
    print(f"{min(passes):.3f}")


if __name__ == "__main__":
    main()
