"""Which version answers: the champion as the ledger says, a fixed one, and a canary for a share of conversations.

A promotion or rollback takes effect within half a second: the new version is opened beside the old one, new requests go to it,
and those under way end on the version that they began with. A version that cannot be opened changes nothing, and is said.
"""

import asyncio
import contextlib
import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from verigym.core import codec
from verigym.core.errors import BadInput, NotFound, Refused, not_found, words_of
from verigym.core.protocols import Policy
from verigym.core.records import Version
from verigym.registry.ledger import LedgerEntry
from verigym.servers.errors import HttpError
from verigym.servers.upstream import KEY_ENV, Upstream
from verigym.workspace.workspace import WorkspaceFolder

POLL_S = 0.5
Say = Callable[[str], None]


class Agent:
    """A version that is open, and how many requests it is answering."""

    def __init__(self, version: Version, answers: "Policy | Upstream") -> None:
        self.version, self.answers = version, answers
        self.users = 0
        self.retired = False


class Opener:
    """Opens versions: one base model in memory a base, adapters beside each other on it; servers as they are."""

    def __init__(self, ws: WorkspaceFolder, keys: Mapping[str, str] = {}) -> None:
        """`keys`: base of a server to the variable with its key, where that is not the usual one."""
        self._ws, self._keys = ws, keys
        self._models: dict[str, Any] = {}
        self._worn: Counter[tuple[str, str]] = Counter()
        """Base and weights to how many versions have them, or are being opened with them."""
        self._lock = threading.Lock()
        """Of both: versions are opened in a thread, and closed in the loop's."""

    def open(self, version: Version) -> Policy | Upstream:
        if version.recipe.get("algorithm") == "reward":
            raise Refused(f"{version.label} is a reward model: it scores, it does not answer")
        if version.is_remote:
            return Upstream(version, self._keys.get(version.base, KEY_ENV))
        with self._lock:
            self._worn[version.base, _weights(version)] += 1
        try:
            return self._local(version)
        except BaseException:
            self.close(version)
            raise

    def _local(self, version: Version) -> Policy:
        folder = self._ws.adapter_folder(version.adapter) if version.adapter else None
        if version.base not in self._models:
            self._models[version.base] = self._ws.load(version.base)
        policy = self._models[version.base].beside(folder, _weights(version))
        policy.agent = version.id
        return policy

    def close(self, version: Version) -> None:
        """Lets go of weights that no version has any more."""
        key = version.base, _weights(version)
        with self._lock:
            if key not in self._worn:  # a server
                return
            self._worn[key] -= 1
            if self._worn[key]:
                return
            del self._worn[key]
            if not any(base == version.base for base, _ in self._worn):
                self._models.pop(version.base, None)
            elif version.base in self._models:
                self._models[version.base].engine.adapters.pop(_weights(version), None)


def _weights(version: Version) -> str:
    """Versions that differ in their words alone share weights, and a batch."""
    return version.adapter or "base"


class Lineup:
    """`with lineup.agent(model, conversation) as agent`: the one that answers."""

    def __init__(
        self,
        ws: WorkspaceFolder,
        *,
        fixed: Version | None = None,
        canary: Version | None = None,
        share: float = 0.0,
        opener: Any = None,
        say: Say = print,
    ) -> None:
        if not 0 <= share <= 1:
            raise BadInput(f"--share {share:g}: the canary's share is from 0 to 1")
        self._ws, self._say = ws, say
        self._opener = opener or Opener(ws)
        self._seq, self.trouble = 0, ""
        self._closing: set[asyncio.Future[None]] = set()
        self.follows = fixed is None
        self.share = share
        self.champion = self._open(fixed or self._crowned())
        self.canary = None if canary is None else self._open(canary)

    def _crowned(self) -> Version:
        entry = self._last()
        if entry is None or entry.champion_after is None:
            raise NotFound(
                "there is no champion yet: verigym promote VERSION makes one, or name what to serve, such as "
                "verigym serve smollm2-135m"
            )
        self._seq = entry.seq
        return self._ws.find(entry.champion_after)

    def _last(self) -> LedgerEntry | None:
        body = self._ws.store.last_of_ledger()
        return None if body is None else codec.decode(body, LedgerEntry)

    def _open(self, version: Version) -> Agent:
        return Agent(version, self._opener.open(version))

    # -- following the ledger -----------------------------------------------------------------------------------------

    async def follow(self) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(POLL_S)
            try:
                entry = await asyncio.to_thread(self._last)
                if entry is not None and entry.seq != self._seq:
                    self._seq = entry.seq
                    await self._take(entry)
            except Exception as error:  # a server goes on with what it has
                self._complain(f"the ledger could not be followed: {words_of(error)}")

    async def _take(self, entry: LedgerEntry) -> None:
        if entry.champion_after is None or entry.champion_after == self.champion.version.id:
            return
        version = await asyncio.to_thread(self._ws.find, entry.champion_after)
        try:
            agent = await asyncio.to_thread(self._open, version)
        except Exception as error:
            kept = self.champion.version
            self._complain(
                f"{version.id} is champion (ledger entry {entry.seq}), but cannot be opened: {words_of(error)}. "
                f"{kept.id} goes on answering"
            )
            return
        before, self.champion, self.trouble = self.champion, agent, ""
        before.retired = True
        self._release(before)
        self._say(
            f"champion is now {version.label} ({version.id}), ledger entry {entry.seq}; before: {before.version.id}"
        )

    def _complain(self, words: str) -> None:
        if words != self.trouble:
            self._say(f"look out: {words}")
        self.trouble = words

    def _release(self, agent: Agent) -> None:
        """Nobody comes to a retired agent any more: with its last request it is let go of."""
        if not agent.retired or agent.users:
            return
        self._opener.close(agent.version)
        if isinstance(agent.answers, Upstream):
            closing = asyncio.ensure_future(agent.answers.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        for agent in (self.champion, self.canary):
            if agent is not None and isinstance(agent.answers, Upstream):
                await agent.answers.close()

    # -- who answers --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def agent(self, model: str, conversation: Callable[[], str]) -> Iterator[Agent]:
        """Who answers a request that names this model; `conversation` is what it is known by."""
        agent = self._pick(model, conversation)
        agent.users += 1
        try:
            yield agent
        finally:
            agent.users -= 1
            self._release(agent)

    def _pick(self, model: str, conversation: Callable[[], str]) -> Agent:
        champion, canary = self.champion, self.canary
        if canary is not None and model in ("canary", canary.version.id, canary.version.name):
            return canary
        if model == champion.version.id:
            return champion
        if model in self._open_names():
            return canary if canary is not None and self._is_canarys(conversation(), canary) else champion
        missing = not_found("model", model, [name for name, _ in self.models()])
        raise HttpError(404, str(missing), code="model_not_found", param="model")

    def _open_names(self) -> list[str]:
        """Names under which a share of conversations goes to the canary."""
        version = self.champion.version
        own = self.champion.answers.model if isinstance(self.champion.answers, Upstream) else ""
        return [name for name in ("champion" if self.follows else "", version.name, own) if name]

    def _is_canarys(self, conversation: str, canary: Agent) -> bool:
        """The same conversation always goes the same way, and another canary gets other ones."""
        digest = hashlib.blake2b(f"{canary.version.id} {conversation}".encode(errors="replace"), digest_size=8).digest()
        return int.from_bytes(digest) / 2**64 < self.share

    def models(self) -> list[tuple[str, Version]]:
        """Names that a request may give, and who they are."""
        found = {name: self.champion.version for name in [*self._open_names(), self.champion.version.id]}
        if self.canary is not None:
            version = self.canary.version
            found |= {name: version for name in ("canary", version.name, version.id) if name}
        return list(found.items())

    def roles(self) -> list[tuple[str, Version]]:
        agents = [("champion" if self.follows else "fixed", self.champion.version)]
        return agents + ([("canary", self.canary.version)] if self.canary is not None else [])
