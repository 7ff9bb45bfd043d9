"""Routes requests to versions: the champion of the ledger or a fixed version, and a canary for a share of conversations.

A promotion or rollback takes effect within half a second. The new version is opened beside the old one and gets the new
requests. Requests in progress end on the version that they began with. If the new version cannot be opened, the old one
continues and a warning is printed.
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
from verigym.core.printable import tell
from verigym.core.protocols import Policy
from verigym.core.records import Version
from verigym.registry.ledger import LedgerEntry
from verigym.servers.types import HttpError, OpenVersion
from verigym.servers.upstream import KEY_ENV, Upstream
from verigym.workspace.workspace import WorkspaceFolder

POLL_S = 0.5
Say = Callable[[str], None]
_Base = tuple[str, str]
"""A base model and how its linear layers are stored."""


class ModelPool:
    """Opens versions. Versions of one base share its model in memory, each with its own adapter. A server opens as a proxy."""

    def __init__(self, ws: WorkspaceFolder, keys: Mapping[str, str] = {}) -> None:
        """`keys`: base of a server to the variable with its key, if that is not the default variable."""
        self._ws, self._keys = ws, keys
        self._models: dict[_Base, Any] = {}
        self._uses: Counter[tuple[_Base, str]] = Counter()
        """Base and weights to the number of versions that use them or are being opened with them."""
        self._lock = threading.Lock()
        """Guards both: versions are opened in a thread and closed in the event loop's thread."""

    def open(self, version: Version) -> Policy | Upstream:
        if version.recipe.get("algorithm") == "reward":
            raise Refused(f"{version.label} is a reward model. It scores replies and cannot answer requests")
        if version.is_remote:
            return Upstream(version, self._keys.get(version.base, KEY_ENV))
        with self._lock:
            self._uses[_base(version), _weights(version)] += 1
        try:
            folder = self._ws.adapter_of(version)
            base = _base(version)
            if base not in self._models:
                self._models[base] = self._ws.load(self._ws.source_of(version), quantized=version.quantized)
            policy = self._models[base].with_adapter(folder, _weights(version))
        except BaseException:
            self.close(version)
            raise
        policy.agent = version.id
        return policy

    def close(self, version: Version) -> None:
        """Frees weights that no version uses any more."""
        base = _base(version)
        key = base, _weights(version)
        with self._lock:
            if key not in self._uses:  # a server
                return
            self._uses[key] -= 1
            if self._uses[key]:
                return
            del self._uses[key]
            if not any(other == base for other, _ in self._uses):
                self._models.pop(base, None)
            elif base in self._models:
                self._models[base].engine.adapters.pop(_weights(version), None)


def _base(version: Version) -> _Base:
    return version.adapter if version.full else version.base, version.quantized


def _weights(version: Version) -> str:
    """Versions that differ only in prompts and settings share weights, and a batch."""
    return version.adapter or "base"


class Router:
    """`with router.agent(model, conversation) as agent` picks the version that answers."""

    def __init__(
        self,
        ws: WorkspaceFolder,
        *,
        fixed: Version | None = None,
        canary: Version | None = None,
        share: float = 0.0,
        pool: Any = None,
        say: Say = tell,
    ) -> None:
        if not 0 <= share <= 1:
            raise BadInput(f"--share {share:g}: the canary's share must be between 0 and 1")
        self._ws, self._say = ws, say
        self._pool = pool or ModelPool(ws)
        self._seq, self.trouble = 0, ""
        self._closing: set[asyncio.Future[None]] = set()
        self.follows = fixed is None
        self.share = share
        self.champion = self._open(fixed or self._current_champion())
        self.canary = None if canary is None else self._open(canary)

    def _current_champion(self) -> Version:
        entry = self._last_entry()
        if entry is None or entry.champion_after is None:
            raise NotFound(
                "No champion exists yet. Name what to serve, such as verigym serve smollm2-135m. "
                "Or evaluate a model and promote it: verigym promote VERSION"
            )
        self._seq = entry.seq
        return self._ws.find(entry.champion_after)

    def _last_entry(self) -> LedgerEntry | None:
        body = self._ws.store.last_of_ledger()
        return None if body is None else codec.decode(body, LedgerEntry)

    def _open(self, version: Version) -> OpenVersion:
        return OpenVersion(version, self._pool.open(version))

    async def follow(self) -> None:
        """Follows the ledger until cancelled."""
        while True:
            await asyncio.sleep(POLL_S)
            try:
                entry = await asyncio.to_thread(self._last_entry)
                if entry is not None and entry.seq != self._seq:
                    self._seq = entry.seq
                    await self._switch(entry)
            except Exception as error:  # keep serving the current version
                self._warn(f"The ledger cannot be read: {words_of(error)}")

    async def _switch(self, entry: LedgerEntry) -> None:
        if entry.champion_after is None or entry.champion_after == self.champion.version.id:
            return
        version = await asyncio.to_thread(self._ws.find, entry.champion_after)
        try:
            agent = await asyncio.to_thread(self._open, version)
        except Exception as error:
            self._warn(
                f"The new champion {version.id} (ledger entry {entry.seq}) cannot be opened: {words_of(error)}. "
                f"{self.champion.version.id} continues to answer"
            )
            return
        before, self.champion, self.trouble = self.champion, agent, ""
        before.retired = True
        self._release(before)
        self._say(
            f"The champion is now {version.label} ({version.id}), ledger entry {entry.seq}. Before: {before.version.id}"
        )

    def _warn(self, message: str) -> None:
        if message != self.trouble:
            self._say(f"warning: {message}")
        self.trouble = message

    def _release(self, agent: OpenVersion) -> None:
        """Closes a retired agent after its last request."""
        if not agent.retired or agent.users:
            return
        self._pool.close(agent.version)
        if isinstance(agent.backend, Upstream):
            closing = asyncio.ensure_future(agent.backend.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        for agent in (self.champion, self.canary):
            if agent is not None and isinstance(agent.backend, Upstream):
                await agent.backend.close()

    @contextlib.contextmanager
    def agent(self, model: str, conversation: Callable[[], str]) -> Iterator[OpenVersion]:
        """The agent for a request that names this model. `conversation` returns the key of its conversation."""
        agent = self._pick(model, conversation)
        agent.users += 1
        try:
            yield agent
        finally:
            agent.users -= 1
            self._release(agent)

    def _pick(self, model: str, conversation: Callable[[], str]) -> OpenVersion:
        champion, canary = self.champion, self.canary
        if canary is not None and model in ("canary", canary.version.id, canary.version.name):
            return canary
        if model == champion.version.id:
            return champion
        if model in self._open_names():
            return canary if canary is not None and self._goes_to_canary(conversation(), canary) else champion
        missing = not_found("model", model, [name for name, _ in self.models()])
        raise HttpError(404, str(missing), code="model_not_found", param="model")

    def _open_names(self) -> list[str]:
        """Model names for which a share of conversations goes to the canary."""
        version = self.champion.version
        backend = self.champion.backend
        upstream = backend.model if isinstance(backend, Upstream) else ""
        return [name for name in ("champion" if self.follows else "", version.name, upstream) if name]

    def _goes_to_canary(self, conversation: str, canary: OpenVersion) -> bool:
        """The same conversation always gives the same result. Another canary gets other conversations."""
        digest = hashlib.blake2b(f"{canary.version.id} {conversation}".encode(errors="replace"), digest_size=8).digest()
        return int.from_bytes(digest) / 2**64 < self.share

    def models(self) -> list[tuple[str, Version]]:
        """The model names that a request may use, with their versions."""
        names = {name: self.champion.version for name in [*self._open_names(), self.champion.version.id]}
        if self.canary is not None:
            version = self.canary.version
            names |= {name: version for name in ("canary", version.name, version.id) if name}
        return list(names.items())

    def roles(self) -> list[tuple[str, Version]]:
        agents = [("champion" if self.follows else "fixed", self.champion.version)]
        return agents + ([("canary", self.canary.version)] if self.canary is not None else [])
