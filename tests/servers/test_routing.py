"""Who answers: the champion through promotion and rollback, without a failed request; a canary for a share."""

import asyncio
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.one_thread import one_thread as one_thread
from tests.servers.running import Fakes, Running, running, says_its_name, version
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.protocols import Policy, Reply, Request
from verigym.core.records import Message, Turn, Version
from verigym.registry import ledger
from verigym.servers.routing import ModelPool, Router
from verigym.workspace.workspace import WorkspaceFolder


def ask(server: Running, model: str = "champion", said: str = "who?") -> str:
    made = server.client().chat.completions.create(model=model, messages=[{"role": "user", "content": said}])
    return made.choices[0].message.content or ""


def crowned(home: Path, name: str = "old") -> tuple[WorkspaceFolder, Version]:
    ws = WorkspaceFolder(home)
    first = version(ws, name)
    ledger.set_first_champion(ws.store, first.id, why="a test")
    return ws, first


def test_without_a_champion_it_is_said_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="verigym serve smollm2-135m"):
        Router(WorkspaceFolder(tmp_path), pool=Fakes(says_its_name))


def test_promotion_and_rollback_take_effect_while_it_serves(tmp_path: Path) -> None:
    crowned(tmp_path)
    with running(tmp_path) as server:
        assert ask(server) == "I am old."
        server.promote(version(server.ws, "new"))
        server.until(lambda: ask(server) == "I am new.")
        ledger.rollback(server.ws.store, why="a test")
        server.until(lambda: ask(server) == "I am old.")
        assert server.fakes.closed == ["old", "new"]


def test_a_request_under_way_ends_on_the_version_that_it_began_with(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Slow:
        def __init__(self, name: str) -> None:
            self.name = name

        async def respond(self, request: Request) -> Reply:
            begun.set()
            await asyncio.to_thread(go_on.wait, 600)
            return Reply(items=[Message("assistant", f"I am {self.name}.")], turn=Turn())

    crowned(tmp_path)
    with running(tmp_path, lambda one: Slow(one.name) if one.name == "old" else says_its_name(one)) as server:
        answers: list[str] = []
        asking = threading.Thread(target=lambda: answers.append(ask(server)))
        asking.start()
        assert begun.wait(600)
        server.promote(version(server.ws, "new"))
        server.until(lambda: server.gateway.router.champion.version.name == "new")
        assert ask(server) == "I am new." and server.fakes.closed == []
        go_on.set()
        asking.join()
        assert answers == ["I am old."]
        server.until(lambda: server.fakes.closed == ["old"])


def test_promotion_under_load_fails_no_request(tmp_path: Path) -> None:
    """Sixteen clients ask without a pause while the champion changes five times."""
    crowned(tmp_path)
    with running(tmp_path) as server:
        stop, failed, heard = threading.Event(), list[Exception](), Counter[str]()

        async def client(one: openai.AsyncOpenAI) -> None:
            while not stop.is_set():
                try:
                    made = await one.chat.completions.create(
                        model="champion", messages=[{"role": "user", "content": "who?"}]
                    )
                    heard[made.choices[0].message.content or ""] += 1
                except Exception as error:
                    failed.append(error)

        async def load() -> None:
            async with server.async_client() as one:
                await asyncio.gather(*(client(one) for _ in range(16)))

        loading = threading.Thread(target=lambda: asyncio.run(load()))
        loading.start()
        try:
            server.until(lambda: heard["I am old."] > 0)
            for name in ("b", "c", "d"):
                server.promote(version(server.ws, name))
                server.until(lambda name=name: heard[f"I am {name}."] > 0)
            for name in ("c", "b"):
                ledger.rollback(server.ws.store, why="a test")
                before = heard[f"I am {name}."]
                server.until(lambda name=name, before=before: heard[f"I am {name}."] > before + 16)
        finally:
            stop.set()
            loading.join()
        assert failed == []


def test_a_champion_that_cannot_be_opened_changes_nothing_and_is_said(tmp_path: Path) -> None:
    def open_(one: Version) -> Policy:
        if one.name == "broken":
            raise BadInput("its adapter is damaged")
        return says_its_name(one)

    crowned(tmp_path)
    with running(tmp_path, open_) as server:
        server.promote(version(server.ws, "broken"))
        server.until(lambda: "its adapter is damaged" in server.gateway.router.trouble)
        assert ask(server) == "I am old."
        server.promote(version(server.ws, "sound"))
        server.until(lambda: ask(server) == "I am sound.")
        assert server.gateway.router.trouble == ""


def test_a_decision_that_moves_nothing_opens_nothing(tmp_path: Path) -> None:
    crowned(tmp_path)
    with running(tmp_path) as server:
        from verigym.core.records import Decision

        before = server.gateway.router.champion
        other = version(server.ws, "other")
        decision = Decision(candidate=other.id, champion=before.version.id, verdict="REJECT", kind="override")
        seq = ledger.record(server.ws.store, decision, moves=False).seq
        server.until(lambda: server.gateway.router._seq == seq)
        assert server.gateway.router.champion is before and server.fakes.opened == ["old"]


def test_a_fixed_version_stays_whatever_is_promoted(tmp_path: Path) -> None:
    ws, _ = crowned(tmp_path)
    with running(tmp_path, fixed=version(ws, "mine")) as server:
        server.promote(version(server.ws, "new"))
        assert not server.gateway.router.follows and ask(server, "mine") == "I am mine."
        with pytest.raises(openai.NotFoundError, match=r"Available: .*mine"):
            ask(server, "champion")


def test_a_canary_gets_its_share_and_keeps_its_conversations(tmp_path: Path) -> None:
    ws, _ = crowned(tmp_path)
    with running(tmp_path, canary=version(ws, "bird"), share=0.3) as server:
        said = [f"question {n}" for n in range(200)]
        heard = [ask(server, said=one) for one in said]
        birds = heard.count("I am bird.")
        assert heard.count("I am old.") + birds == 200
        assert 35 <= birds <= 85  # 60, by more than three deviations on either side
        assert [ask(server, said=one) for one in said[:20]] == heard[:20]
        assert ask(server, "canary") == "I am bird." and ask(server, "old") in heard


def test_a_conversation_stays_with_its_version_by_id_header_or_response(tmp_path: Path) -> None:
    ws, _ = crowned(tmp_path)
    with running(tmp_path, canary=version(ws, "bird"), share=0.5) as server:
        client = server.client()
        for n in range(8):
            header = {"x-verigym-conversation": f"talk {n}"}
            heard = {
                client.responses.create(model="champion", input=f"{n} {m}", extra_headers=header).output_text
                for m in range(4)
            }
            assert len(heard) == 1
            first = client.responses.create(model="champion", input=f"hello {n}")
            second = client.responses.create(model="champion", input="and?", previous_response_id=first.id)
            third = client.responses.create(model="champion", input="so?", previous_response_id=second.id)
            assert first.output_text == second.output_text == third.output_text


def test_models_name_champion_and_canary(tmp_path: Path) -> None:
    ws, old = crowned(tmp_path)
    bird = version(ws, "bird")
    with running(tmp_path, canary=bird, share=0.5) as server:
        listed: Any = list(server.client().models.list())
        assert [(one.id, one.version) for one in listed] == [
            ("champion", old.id),
            ("old", old.id),
            (old.id, old.id),
            ("canary", bird.id),
            ("bird", bird.id),
            (bird.id, bird.id),
        ]
        assert {ask(server, old.id, f"{n}") for n in range(20)} == {"I am old."}


def test_a_reward_model_is_not_served(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="scores"):
        ModelPool(WorkspaceFolder(tmp_path)).open(Version(base="tiny", name="judge", recipe={"algorithm": "reward"}))


# -- the local engine -----------------------------------------------------------------------------------------------


@pytest.fixture
def tiny_folder(tmp_path: Path) -> Path:
    from tests.workspace.desk import save_tiny

    return save_tiny(tmp_path / "tiny")


def with_adapter(ws: WorkspaceFolder, base: Path, name: str) -> Version:
    import torch

    from verigym.model import lora
    from verigym.model.load import load

    model = load(str(base)).model
    lora.attach(model, lora.LoraConfig(r=2))
    with torch.no_grad():
        for parameter in lora.parameters(model):
            parameter.normal_(0, 0.5)
    return ws.register(Version(base=str(base), adapter=ws.keep_adapter(model, str(base)), name=name))


def test_adapters_change_under_load_on_the_engine_and_each_answer_is_its_versions(
    tmp_path: Path, tiny_folder: Path
) -> None:
    """What each version says is what it says alone; those that share weights share them."""
    ws = WorkspaceFolder(tmp_path / "home")
    base = ws.register(ws.agent(str(tiny_folder)))
    tuned = with_adapter(ws, tiny_folder, "tuned")
    polite = ws.register(Version(base=tuned.base, adapter=tuned.adapter, name="polite", system_prompt="Be polite."))
    ledger.set_first_champion(ws.store, base.id, why="a test")
    pool = ModelPool(ws)
    with running(ws.home, pool=pool) as server:

        async def some(n: int) -> list[tuple[str, str, str]]:
            async with server.async_client() as client:

                async def one(k: int) -> tuple[str, str, str]:
                    asked: Any = [{"role": "user", "content": f"question {k}"}]
                    made = await client.chat.completions.create(
                        model="champion", messages=asked, max_tokens=12, temperature=0
                    )
                    return asked[0]["content"], made.model, made.choices[0].message.content or ""

                return await asyncio.gather(*(one(k) for k in range(n)))

        heard: list[tuple[str, str, str]] = []

        def load() -> None:
            heard.extend(asyncio.run(some(12)))

        for new in (tuned, polite, base):
            loading = threading.Thread(target=load)
            loading.start()
            server.promote(new)
            server.until(lambda id=new.id: server.gateway.router.champion.version.id == id)
            loading.join()
            heard += asyncio.run(some(4))
        server.until(lambda: len(pool._uses) == 1)
        engine = server.gateway.router.champion.backend.engine  # type: ignore[union-attr]
        assert set(engine.adapters) == {"base"}
        assert {model for _, model, _ in heard} == {base.id, tuned.id, polite.id}
        by = {}
        for said, model, reply in heard:
            assert by.setdefault((said, model), reply) == reply
        assert by["question 0", base.id] != by["question 0", tuned.id]
        ids = [seen.turn.completion_ids for seen in server.recorded.exchanges]
        assert all(ids) and all(len(s.turn.logprobs) == len(s.turn.completion_ids) for s in server.recorded.exchanges)
