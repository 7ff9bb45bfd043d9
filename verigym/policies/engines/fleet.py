"""Many engines as one. A fleet is an engine itself, so a policy does not know how many there are.

Requests of a group go to one engine, because its cache holds their common prompt. A new group goes to the engine that is the
least busy. If an engine is lost, its requests go to another engine with the same ids and seed, and nothing is counted twice.
An engine that comes back loads every version of the fleet before it gets requests. A fleet neither starts nor stops engines.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from msgspec import Struct

from verigym.core.errors import BadInput, EngineLost, InfrastructureFailure, NotFound, VerigymError, not_found
from verigym.core.generation import Completion, EngineLoad, Generation
from verigym.core.printable import warn
from verigym.core.protocols import Engine
from verigym.policies.engines.patience import patient
from verigym.policies.engines.uses import VersionUses

_GROUPS_KEPT = 65536
"""Groups whose engine is remembered."""


class MemberState(Struct, frozen=True, kw_only=True):
    """One engine of a fleet, as `Fleet.states` shows it."""

    name: str
    up: bool
    """Whether it gets requests."""
    running: int
    """Requests of this fleet."""
    served: int
    """Completed requests."""
    lost: int
    """How often it was lost."""
    versions: list[str]
    why: str = ""
    """Why it is down."""


class Fleet:
    """Many engines as one: `Fleet([VllmEngine(address) for address in addresses])`.

    `names` are shown in messages. Every `check_s` seconds each engine is asked if it is alive. An engine that does not answer
    within `timeout_s`, or does not load a version within `load_s`, is lost. If no engine is up for `patience_s`, requests fail.
    All engines must have the same model.
    """

    def __init__(
        self,
        engines: Sequence[Engine],
        *,
        names: Sequence[str] = (),
        check_s: float = 5.0,
        timeout_s: float = 30.0,
        patience_s: float = 120.0,
        load_s: float = 30.0,
    ) -> None:
        if not engines:
            raise BadInput("A fleet needs at least one engine")
        if names and len(names) != len(engines):
            raise BadInput(f"The fleet has {len(engines)} engines and {len(names)} names. Pass one name for each")
        shown = names or [getattr(engine, "name", f"engine {place}") for place, engine in enumerate(engines)]
        self._members = [_Member(engine, name) for engine, name in zip(engines, shown, strict=True)]
        self._check_s, self._timeout_s, self._patience_s = check_s, timeout_s, patience_s
        self._load_s = load_s
        self._versions: dict[str, Path] = {}
        self._forgotten: set[str] = set()
        """Versions that end with their last use. New requests must not name them."""
        self._uses = VersionUses()
        self._groups: dict[int, _Member] = {}
        self._watch: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        """Set and replaced whenever an engine comes up or goes down."""

    @property
    def max_batch(self) -> int:
        """The sum over the engines, also of those that are down: they may come back."""
        return sum(member.engine.max_batch for member in self._members)

    @property
    def states(self) -> list[MemberState]:
        """Every engine as it is now."""
        return [
            MemberState(
                name=member.name,
                up=member.up,
                running=len(member.flying),
                served=member.served,
                lost=member.lost,
                versions=sorted(member.versions),
                why=member.why,
            )
            for member in self._members
        ]

    async def generate(self, request: Generation) -> Completion:
        self._start()
        if request.version and request.version not in self._versions:
            raise not_found("loaded version", request.version, self._versions)
        group = hash((request.version, *request.ids[: request.root or len(request.ids)]))
        with self._uses.of(request.version):
            while True:
                member = await self._member(group)
                reply = await self._ask(member, request)
                if reply is not None:
                    return reply

    async def _ask(self, member: "_Member", request: Generation) -> Completion | None:
        """The reply of one engine, or None if the engine was lost meanwhile. If the engine is lost, `_lose` cancels the task that
        asks, and this method takes the cancellation back. A task of its own for each request would take 1 KB more."""
        task = asyncio.current_task()
        assert task is not None
        cancelled_before = task.cancelling()
        member.flying.add(task)
        try:
            reply = await member.engine.generate(request)
        except (EngineLost, NotFound, asyncio.CancelledError) as error:
            if task not in member.flying:  # `_lose` cancelled it
                if task.cancelling() - 1 > cancelled_before:
                    raise  # others did as well
            elif isinstance(error, EngineLost):
                self._lose(member, str(error))
            elif isinstance(error, NotFound) and (request.version in member.versions or not member.up):
                self._lose(member, f"it no longer has version {request.version}, so it was started again")
            else:
                raise
            return None
        finally:
            if task not in member.flying:
                task.uncancel()
            member.flying.discard(task)
        member.served += 1
        return reply

    async def load(self, version: str, folder: Path) -> None:
        """Loads the version on every engine that is up. Engines that are down load it when they come back."""
        self._start()
        if self._versions.get(version, folder) != folder:
            raise BadInput(
                f'Version "{version}" is loaded from {self._versions[version]}. Use another name for {folder}: a name stands '
                "for one folder"
            )
        self._versions[version] = folder
        self._forgotten.discard(version)
        up = [member for member in self._members if member.up]
        results = await asyncio.gather(*(self._load(member, version) for member in up), return_exceptions=True)
        wrong = [result for result in results if isinstance(result, BaseException)]
        refused = next((error for error in wrong if not isinstance(error, EngineLost)), None)
        if refused is not None:
            del self._versions[version]
            await self._drop(version)
            raise refused

    async def forget(self, version: str) -> None:
        """Unloads the version on every engine after its last request and its last lease. Returns when that is done."""
        self._forgotten.add(version)
        await self._uses.end(version)
        if version in self._forgotten:  # otherwise it was loaded again meanwhile
            self._forgotten.discard(version)
            self._versions.pop(version, None)
            await self._drop(version)

    def folder_of(self, version: str) -> Path:
        """The folder of a loaded version."""
        return self._versions[version]

    @contextlib.asynccontextmanager
    async def lease(self, version: str) -> AsyncIterator[None]:
        """Keeps the version loaded during the block, also between requests: `async with fleet.lease("run@3"): ...`."""
        if version and version not in self._versions:
            raise not_found("loaded version", version, self._versions)
        with self._uses.of(version):
            yield

    async def alive(self) -> bool:
        """Whether at least one engine is up."""
        self._start()
        return any(member.up for member in self._members)

    async def usage(self) -> EngineLoad:
        up = [member for member in self._members if member.up]
        loads = await asyncio.gather(*(member.engine.usage() for member in up), return_exceptions=True)
        known = [load for load in loads if isinstance(load, EngineLoad)]
        return EngineLoad(
            running=sum(load.running for load in known),
            waiting=sum(load.waiting for load in known),
            cache_used=sum(load.cache_used for load in known) / max(1, len(known)),
        )

    async def close(self) -> None:
        """Stops watching, and closes the engines that can be closed."""
        while self._watch is not None:
            self._watch.cancel()
            ended, _ = await asyncio.wait([self._watch], timeout=1.0)
            if ended:  # otherwise again: an answer that came at the same moment may have hidden the cancellation
                self._watch = None
        for member in self._members:
            close = getattr(member.engine, "close", None)
            if close is not None:
                await close()

    async def _member(self, group: int) -> "_Member":
        """The engine of a group: the one that it had, unless that is down or full while another has room."""
        member = self._groups.get(group)
        if member is not None and member.up and not member.full:
            return member
        deadline = time.monotonic() + self._patience_s
        while True:
            up = [member for member in self._members if member.up]
            if up:
                break
            changed = self._changed
            left = deadline - time.monotonic()
            if left <= 0:
                raise InfrastructureFailure(
                    f"No engine answered for {self._patience_s:g} s. {self._told()}. Start the engines again and repeat the "
                    "command"
                )
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await changed.wait()
        member = self._groups.get(group)
        if member is None or not member.up or (member.full and not all(other.full for other in up)):
            member = min(up, key=_Member.busy)
            self._groups[group] = member
            if len(self._groups) > _GROUPS_KEPT:
                del self._groups[next(iter(self._groups))]
        return member

    def _told(self) -> str:
        return "; ".join(f"{member.name}: {member.why}" for member in self._members[:4])

    def _lose(self, member: "_Member", why: str) -> None:
        if not member.up:
            return
        member.stale |= member.versions
        member.up, member.why, member.versions = False, why, set()
        member.lost += 1
        warn(f"{member.name} was lost ({why}). Its {len(member.flying)} requests move to other engines")
        own = {asyncio.current_task()}  # this one knows already
        flying, member.flying = member.flying - own, member.flying & own
        for task in flying:
            task.cancel()
        self._tell()

    def _tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _load(self, member: "_Member", version: str) -> None:
        try:
            async with patient(self._load_s):
                await member.engine.load(version, self._versions[version])
            member.versions.add(version)
        except TimeoutError:
            self._lose(member, f"loading {version} took longer than {self._load_s:g} s")
        except EngineLost as error:
            self._lose(member, str(error))

    async def _drop(self, version: str) -> None:
        """Unloads a version wherever it is loaded. An engine that fails here is found by the watch."""
        having = [member for member in self._members if version in member.versions]
        for member in having:
            member.versions.discard(version)
        with contextlib.suppress(TimeoutError):
            async with patient(self._timeout_s):
                forgetting = (member.engine.forget(version) for member in having)
                await asyncio.gather(*forgetting, return_exceptions=True)

    def _start(self) -> None:
        """Starts the watch in the running event loop."""
        loop = asyncio.get_running_loop()
        if self._watch is None or self._watch.done() or self._watch.get_loop() is not loop:
            self._changed = asyncio.Event()
            self._watch = loop.create_task(self._watching())

    async def _watching(self) -> None:
        await asyncio.gather(*map(self._watching_one, self._members))

    async def _watching_one(self, member: "_Member") -> None:
        while True:
            await asyncio.sleep(self._check_s if member.up else min(1.0, self._check_s))
            answers = await self._answers(member)
            if member.up and not answers:
                self._lose(member, f"it is not alive, or did not answer within {self._timeout_s:g} s")
            elif not member.up and answers:
                await self._return(member)
            elif member.up:
                await self._measure(member)

    async def _measure(self, member: "_Member") -> None:
        """Asks how many requests of others the engine has. Several fleets can share an engine."""
        with contextlib.suppress(TimeoutError, VerigymError, OSError):
            async with patient(self._timeout_s):
                load = await member.engine.usage()
            member.others = max(0, load.running + load.waiting - len(member.flying))

    async def _answers(self, member: "_Member") -> bool:
        try:
            async with patient(self._timeout_s):
                return await member.engine.alive()
        except (TimeoutError, VerigymError, OSError):
            return False

    async def _return(self, member: "_Member") -> None:
        """Loads all versions on an engine that came back. Versions that are loaded meanwhile are among them."""
        while missing := [version for version in self._versions if version not in member.versions]:
            for version in missing:
                try:
                    async with patient(self._load_s):
                        await member.engine.load(version, self._versions[version])
                except KeyError:  # forgotten meanwhile
                    continue
                except (TimeoutError, VerigymError) as error:
                    member.versions, member.why = set(), f"it came back and could not load {version} ({error})"
                    return
                member.versions.add(version)
        forgetting = (member.engine.forget(version) for version in member.stale - member.versions)
        await asyncio.gather(*forgetting, return_exceptions=True)
        member.stale = set()
        member.up, member.why = True, ""
        warn(f"{member.name} is back with {len(member.versions)} versions")
        self._tell()


class _Member:
    """One engine, and what the fleet knows about it."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine, self.name = engine, name
        self.up, self.why = True, ""
        self.flying: set[asyncio.Task[object]] = set()
        """Tasks that wait for a reply of this engine."""
        self.versions: set[str] = set()
        self.stale: set[str] = set()
        """Versions that it had when it was lost. It may still have them."""
        self.others = 0
        """Requests of others when it was last asked."""
        self.served = self.lost = 0

    @property
    def full(self) -> bool:
        return len(self.flying) + self.others >= self.engine.max_batch

    def busy(self) -> float:
        """Requests as a share of the slots."""
        return (len(self.flying) + self.others) / self.engine.max_batch
