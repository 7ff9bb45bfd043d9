"""Compaction: a long episode goes on from the policy's own summary, and each summary starts a new root."""

from typing import Any

import msgspec

from tests.rollout.shop import ADD, AGENT
from tests.rollout.test_episode import run
from verigym.core.protocols import Reply, Request
from verigym.core.records import Harness, Message, Trajectory, Turn, Usage
from verigym.policies.dialects import parse
from verigym.training.samples import from_trajectory

COMPACTING = msgspec.structs.replace(AGENT, harness=Harness(compact_at=100))


class Worker:
    """Calls a tool until it has been asked `calls` times. Its prompts have as many tokens as their items say, times ten."""

    def __init__(self, calls: int) -> None:
        self.calls, self.asked = calls, list[Request]()

    async def respond(self, request: Request) -> Reply:
        self.asked.append(request)
        last = request.items[-1]
        summary = isinstance(last, Message) and last.text.startswith("The conversation is becoming too long")
        done = sum(not str(each.items[-1]).startswith("The conv") for each in self.asked) > self.calls
        text = "I bought tea twice." if summary else "Done." if done else ADD
        items: list[Any] = [Message("assistant", text)] if summary or done else parse(text, f"call_{len(self.asked)}")
        turn = Turn(
            parent=len(request.turns) - 1 if request.turns else None,
            usage=Usage(10 * len(request.items), 10),
            context_ids=[len(self.asked)],
            completion_ids=[100 + len(self.asked)],
            logprobs=[-1.0],
        )
        return Reply(items=items, turn=turn)


def compacted(calls: int = 6) -> tuple[Trajectory, Worker]:
    worker = Worker(calls)
    return run(worker, agent=COMPACTING, max_turns=20), worker


def test_the_policy_continues_from_its_summary() -> None:
    made, worker = compacted()
    assert made.marked("compacted")
    after = next(request for request in worker.asked if any("I bought tea twice." in str(i) for i in request.items[:3]))
    assert [type(item).__name__ for item in after.items] == ["Message", "Message", "Message"]
    assert after.items[1] == Message("user", "buy tea") and after.turns == []


def test_every_prompt_stays_near_the_limit() -> None:
    _, worker = compacted(12)
    assert max(10 * len(request.items) for request in worker.asked) <= 160


def test_each_compaction_is_a_new_root_and_all_paths_are_samples() -> None:
    made, _ = compacted()
    roots = [index for index, turn in enumerate(made.turns) if turn.parent is None]
    assert len(roots) == 2 and roots[0] == 0
    samples = from_trajectory(made, 1.0)
    assert len(samples) == 2
    trained = sum(sum(sample.mask) for sample in samples)
    assert trained == len(made.turns), "each reply is trained on once, the summary too"


def test_a_turn_after_a_compaction_says_which_items_it_saw() -> None:
    made, _ = compacted()
    root = next(turn for turn in made.turns[1:] if turn.parent is None)
    assert root.saw[0] == (0, 2) and len(root.saw) == 2
    later = made.turns[-1]
    assert later.saw[0] == (0, 2) and later.saw[-1][1] <= len(made.items)


def test_without_the_setting_nothing_is_compacted() -> None:
    assert not run(Worker(6), max_turns=20).marked("compacted")
