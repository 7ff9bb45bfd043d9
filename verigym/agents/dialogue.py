"""The model calls of one episode as a tree of turns, with the ids that were sampled.

A client sends its whole conversation with every call, but not always as the model wrote it: arguments with other spaces,
`""` for no text, calls in another order. A reply is recognised by the ids of its calls, or by its text, and its stored form takes
the place of the client's. So the policy continues with exactly the ids that it sampled. What cannot be recognised starts a
new root, and a mark says so.
"""

import secrets
import time
from collections import Counter
from collections.abc import Sequence

import msgspec

from verigym.core.protocols import Reply, Request
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Mark, ToolSpec, Trajectory, Turn, content_hash
from verigym.core.seeds import derive
from verigym.rollout.compaction import viewed
from verigym.traces.capture.conversation import Conversation, ConversationState, PlacedRequest
from verigym.traces.capture.exchange import Exchange, Fingerprints
from verigym.wire.items import is_reply

_CHANGED = "the client sent earlier replies in a changed form"


class OpenCall(msgspec.Struct, frozen=True, kw_only=True):
    """A model call that was asked and not answered yet."""

    request: Request
    """For the policy: the items in their stored form, and the turns that it continues."""
    exchange: Exchange
    placed: PlacedRequest
    path: list[int]
    """Indices of the turns from the root to the one that it continues."""
    began: float
    marks: list[Mark]


class Dialogue:
    """The model calls of one episode, by any number of actors."""

    def __init__(self, id: str) -> None:
        self._prints = Fingerprints(secrets.token_bytes(16))
        self._tree = Conversation(ConversationState(id=f"episodes/{id}"))
        self._turn_of_call: dict[str, int] = {}
        """Call id to the turn that made the call."""
        self._asked: Counter[bytes] = Counter()
        """How often each request was asked. A repeated request is drawn anew."""
        self._marks: list[Mark] = []
        self._without_tools: dict[int, str] = {}
        """Turns that were offered no tools, with the hash of that. In an episode with tools, they say so."""
        self.responses: dict[str, list[Item]] = {}
        """The conversation up to each response that a later request may continue by its id."""
        self.tools: dict[str, list[ToolSpec]] = {}
        """The sets of tools that were offered, by hash."""

    @property
    def turns(self) -> list[Turn]:
        return self._tree.turns

    def ask(self, request: Request, actor: str) -> OpenCall:
        """Places a request in the tree. `request.items` are the client's."""
        items = self._recognised(request.items)
        exchange = Exchange(
            context=items, tools=request.tools, user=actor, turn=Turn(actor=actor, sampling=request.sampling)
        )
        chain = self._prints.request(exchange)
        placed = self._tree.place(exchange, chain, self._prints)
        path = self._path(placed)
        seen = placed.context
        self._asked[placed.print] += 1
        again = self._asked[placed.print] - 1
        seed = derive(request.seed, "again", again) if again else request.seed
        marks = [Mark("new_root", detail=_CHANGED)] if not path and self._began_before(seen) else []
        return OpenCall(
            request=msgspec.structs.replace(
                request,
                items=[self._tree.items[index] for index in seen],
                turns=viewed(self.turns, path, seen),
                seed=seed,
            ),
            exchange=exchange,
            placed=placed,
            path=path,
            began=time.time(),
            marks=marks,
        )

    def answer(self, call: OpenCall, reply: Reply, sent: Sequence[Item], response: str = "") -> Turn:
        """Records a reply. `sent` are its items as the client got them."""
        turn = reply.turn
        parent = None if turn.parent is None else call.path[turn.parent]
        actor = call.exchange.turn.actor
        turn = msgspec.structs.replace(turn, actor=actor, parent=parent)
        self._marks += call.marks
        if turn.rewritten and not call.marks:
            self._marks.append(Mark("new_root", detail="the chat template renders the earlier turns differently now"))
        exchange = msgspec.structs.replace(call.exchange, reply=list(sent), turn=turn, response=response)
        index, tools = len(self.turns), content_hash(exchange.tools)[:16]
        self.tools[tools] = exchange.tools
        if not exchange.tools:
            self._without_tools[index] = tools
        self._tree.record(exchange, call.placed, self._prints, turn, tools if exchange.tools else "", call.began)
        for item in sent:
            if isinstance(item, FunctionCall):
                self._turn_of_call[item.call_id] = index
        return self.turns[index]

    def trajectory(self) -> Trajectory:
        made = self._tree.trajectory()
        turns = [
            msgspec.structs.replace(turn, tools=self._without_tools[index])
            if made.tools and index in self._without_tools
            else turn
            for index, turn in enumerate(made.turns)
        ]
        return msgspec.structs.replace(made, turns=turns, marks=[*made.marks, *self._marks])

    def _path(self, placed: PlacedRequest) -> list[int]:
        """The turns from the root to the one that a request continues. A turn that saw other items than the request does (another
        system prompt) is not continued."""
        path: list[int] = []
        index = placed.follows
        if index is not None and placed.context[: self._size(index)] != self._whole(index):
            return []
        while index is not None:
            path.append(index)
            index = self.turns[index].parent
        return path[::-1]

    def _began_before(self, context: list[int]) -> bool:
        """Whether a request begins like an earlier root and holds replies that were not recognised."""
        head = next((n for n, index in enumerate(context) if is_reply(self._tree.items[index])), 0)
        roots = [self._whole(index) for index, turn in enumerate(self.turns) if turn.parent is None]
        return head > 0 and any(whole[:head] == context[:head] for whole in roots)

    def _whole(self, index: int) -> list[int]:
        turn = self.turns[index]
        return [item for start, end in turn.saw for item in range(start, end)] + turn.made

    def _size(self, index: int) -> int:
        turn = self.turns[index]
        return sum(end - start for start, end in turn.saw) + len(turn.made)

    def _recognised(self, items: Sequence[Item]) -> list[Item]:
        """The items with each known reply in its stored form. A reply of which the client left calls out was edited."""
        known = Counter(
            self._turn_of_call[item.call_id]
            for item in items
            if isinstance(item, FunctionCall) and item.call_id in self._turn_of_call
        )
        whole = {turn for turn, count in known.items() if count == len(self._calls(turn))}
        result: list[Item] = []
        done: set[int] = set()
        for start, end in _runs(items):
            run = items[start:end]
            turns = [self._turn_of_call.get(item.call_id) for item in run if isinstance(item, FunctionCall)]
            if not turns or any(turn not in whole for turn in turns):
                result += run
                continue
            for turn in dict.fromkeys(turns):
                if turn is not None and turn not in done:
                    done.add(turn)
                    result += [self._tree.items[index] for index in self.turns[turn].made]
        return _outputs_after_calls(result)

    def _calls(self, turn: int) -> list[Item]:
        made = [self._tree.items[index] for index in self.turns[turn].made]
        return [item for item in made if isinstance(item, FunctionCall)]


def _runs(items: Sequence[Item]) -> list[tuple[int, int]]:
    """Ranges of items that belong together: replies of a model, or what came from others."""
    runs: list[tuple[int, int]] = []
    for index, item in enumerate(items):
        if runs and is_reply(item) == is_reply(items[index - 1]):
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs


def _outputs_after_calls(items: list[Item]) -> list[Item]:
    """Results in the order of their calls, if all of a reply follow it. Some clients send them in another order."""
    order = {item.call_id: place for place, item in enumerate(items) if isinstance(item, FunctionCall)}
    result: list[Item] = []
    for start, end in _runs(items):
        run = list(items[start:end])
        if all(isinstance(item, FunctionCallOutput) and item.call_id in order for item in run):
            run.sort(key=lambda item: order[item.call_id] if isinstance(item, FunctionCallOutput) else 0)
        result += run
    return result
