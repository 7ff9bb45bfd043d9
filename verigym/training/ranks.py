"""Several processes that learn as one. Each is a rank and has the whole model. Rank 0 runs the training loop.

A step, top to bottom: rank 0 says what to do (`Ranks.call`), every rank computes the gradients of its groups (`deal`), one
all-reduce sums them (`sum_gradients`), and every rank clips and steps alike. A checksum of the weights is compared after every
update, so replicas that differ are found at once. `ranked_learner.py` uses this, `rank_processes.py` starts the processes, and
`launch.py` is what they run. Divided layers (`model/shards.py`) and sampling on several ranks are not here.

A store of torch (a small key-value server) carries what is waited for. A rank that waits looks every second if another one
failed, so a collective begins only when all ranks are there.
"""

import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, Literal, NoReturn, Protocol

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore

from verigym.core.errors import BadInput, InfrastructureFailure, RankLost
from verigym.core.records import Sample

LIMIT_S = 30.0
"""Maximum seconds of a collective, and without a sign of life of a rank."""
START_S = 600.0
"""Maximum seconds until a rank has started. On a busy machine, importing torch can take minutes."""
_BEAT_S, _LOOK_S = 5.0, 1.0
_ASK_S = 0.0002, 0.02
"""Shortest and longest pause between two questions to the store."""
_FAILED, _LOST = "failed", "lost: "
_AGAIN = "Repeat the command to resume from the last checkpoint"

Shard = Literal["auto", "always", "never"]
"""Whether each rank stores only its part of the layers. `auto`: if a rank has too little memory for all of them."""


class Follower(Protocol):
    """A process of a rank that this process started, as `subprocess.Popen` is."""

    @property
    def pid(self) -> int: ...
    def poll(self) -> int | None:
        """The exit code, less than 0 for a signal. None while it runs."""
        ...

    def kill(self) -> None: ...
    def wait(self, timeout: float | None = None) -> int: ...


def ranks_of(model: Any) -> "Ranks | None":
    """The ranks that compute together with this model at this moment."""
    return getattr(model, "_verigym_ranks", None)


def deal(samples: Sequence[Sample], world: int, together: int = 1) -> list[list[int]]:
    """The indices of the samples of each rank. Samples with the same prompt are a group and stay together, because they share the
    computation of the prompt. So does each run of `together` samples. The largest group goes first, to the rank with the fewest
    tokens."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for start in range(0, len(samples), together):
        groups.setdefault(_prompt(samples[start]), []).extend(range(start, start + together))
    cost = {
        prompt: len(prompt) + sum(len(samples[i].ids) - len(prompt) for i in rows) for prompt, rows in groups.items()
    }
    load, dealt = [0] * world, [list[int]() for _ in range(world)]
    for prompt in sorted(groups, key=lambda prompt: -cost[prompt]):
        rank = load.index(min(load))
        dealt[rank] += groups[prompt]
        load[rank] += cost[prompt]
    return [sorted(rows) for rows in dealt]


def _prompt(sample: Sample) -> tuple[int, ...]:
    return tuple(sample.ids[: sample.mask.index(1)] if 1 in sample.mask else sample.ids)


class Ranks:
    """The processes that learn together, as one of them sees them."""

    def __init__(
        self,
        store: Any,
        rank: int,
        world: int,
        local_rank: int,
        processes: Sequence[Follower] = (),
        shard: Shard = "auto",
        again: "Callable[[], Ranks] | None" = None,
    ) -> None:
        """`processes` are the followers that this process started: those of rank 1, 2, ... `again` starts all of them again."""
        self.shard: Shard = shard
        self.again = again
        self.rank, self.world = rank, world
        self._processes = processes
        self.broken = False
        self._store: Any = PrefixStore("verigym", store)
        self._calls, self._meetings = 0, 0
        self._beats: dict[int, tuple[int, float]] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, args=(self._store.clone(),), daemon=True)
        self._thread.start()
        try:
            self.device, backend, self.threads, self.memory = self._places(local_rank)
            if self.device != "cpu":
                torch.cuda.set_device(self.device)
            with self._collective():
                self._wait_for_all()
                limit = timedelta(seconds=LIMIT_S)
                dist.init_process_group(backend, store=store, rank=rank, world_size=world, timeout=limit)
        except BaseException:
            self._ended.set()
            raise

    def _places(self, local_rank: int) -> tuple[str, str, int, int]:
        """The device of this rank, the backend of all, the number of threads of each, which is the same for all because rounding
        depends on it, and the bytes of memory that each has at least."""
        gpus = torch.cuda.device_count()
        device = f"cuda:{local_rank % gpus}" if gpus else "cpu"
        unit, memory = _unit(device)
        self._store.set(f"place/{self.rank}", f"{os.uname().nodename} {unit} {os.cpu_count() or 1} {memory}")
        with self._collective():
            self._wait([f"place/{rank}" for rank in range(self.world)])
            places = [self._store.get(f"place/{rank}").decode().split() for rank in range(self.world)]
        kinds = {unit == "cpu" for _, unit, _, _ in places}
        if len(kinds) > 1:
            raise BadInput("Some ranks have a GPU and some have none. Start all of them on machines of one kind")
        nodes = Counter(node for node, _, _, _ in places)
        units = Counter((node, unit) for node, unit, _, _ in places)
        threads = min(max(1, int(cores) // nodes[node]) for node, _, cores, _ in places)
        least = min(int(memory) // units[node, unit] for node, unit, _, memory in places)
        if not gpus:
            return device, "gloo", threads, least
        alone = len(units) == self.world
        return (
            device,
            f"cpu:gloo,cuda:{'nccl' if alone else 'gloo'}",
            threads,
            least,
        )  # nccl refuses two ranks on one GPU

    # -- work ---------------------------------------------------------------------------------------------------------

    def call(self, work: Any) -> None:
        """Rank 0 tells the others what to do."""
        with self._collective():
            self._calls += 1
            self._store.set(f"call/{self._calls}", "1")
            self._broadcast(work)
            self._store.delete_key(f"call/{self._calls}")

    def next_call(self) -> Any:
        """What rank 0 says next. It may take as long as it likes between two calls."""
        with self._collective():
            self._calls += 1
            self._wait([f"call/{self._calls}"])
            return self._broadcast(None)

    def _broadcast(self, work: Any) -> Any:
        self._wait_for_all()
        box = [work]
        dist.broadcast_object_list(box, src=0)
        return box[0]

    @contextmanager
    def sharing(self, model: Any) -> Iterator[None]:
        """A context in which functions of `update.py` divide their samples among the ranks. Every rank must enter it."""
        before = torch.get_num_threads()
        if self.device == "cpu":
            torch.set_num_threads(self.threads)
        model._verigym_ranks = self
        try:
            yield
        finally:
            model._verigym_ranks = None
            torch.set_num_threads(before)

    def own(self, samples: Sequence[Sample], together: int = 1) -> list[int]:
        """The indices of the samples of this rank."""
        return deal(samples, self.world, together)[self.rank]

    def gather(self, value: Any) -> list[Any]:
        """The values of all ranks, in their order."""
        values: list[Any] = [None] * self.world
        with self._collective():
            self._wait_for_all()
            dist.all_gather_object(values, value)
        return values

    def gather_rows(self, rows: Mapping[int, list[float]], count: int) -> list[list[float]]:
        """The rows of all ranks by their indices."""
        everything = {index: row for some in self.gather(dict(rows)) for index, row in some.items()}
        return [everything[index] for index in range(count)]

    def sum_gradients(self, parameters: Sequence[Tensor]) -> None:
        """Replaces the gradients by their sums over the ranks. A rank without samples has none and counts as 0."""
        for dtype in dict.fromkeys(parameter.dtype for parameter in parameters):
            same = [parameter for parameter in parameters if parameter.dtype == dtype]
            flat = torch.cat(
                [(torch.zeros_like(each) if each.grad is None else each.grad).reshape(-1) for each in same]
            )
            with self._collective():
                self._wait_for_all()
                dist.all_reduce(flat)
            for each, part in zip(same, flat.split([each.numel() for each in same]), strict=True):
                each.grad = part.view_as(each)

    def after_update(self, sums: Mapping[str, float], parameters: Sequence[Tensor]) -> Counter[str]:
        """The metrics of all ranks. Fails if the weights of two ranks differ in a bit."""
        total: Counter[str] = Counter()
        reports = self.gather((checksum(parameters), dict(sums)))
        wrong = [rank for rank, (check, _) in enumerate(reports) if check != reports[0][0]]
        if wrong:
            self.broken = True
            raise InfrastructureFailure(
                f"The weights of rank {wrong[0]} differ from those of rank 0 after an update. A device or its memory may be "
                f"faulty, or the ranks run different software. {_AGAIN}"
            )
        for _, some in reports:
            total.update(some)  # type: ignore[arg-type]
        return total

    def copy_from_first(self, parameters: Sequence[Tensor]) -> None:
        """Gives every rank the values of rank 0."""
        with torch.no_grad(), self._collective():
            self._wait_for_all()
            for parameter in parameters:
                value = parameter.detach().contiguous()
                dist.broadcast(value, src=0)
                parameter.copy_(value)

    # -- failures -----------------------------------------------------------------------------------------------------

    def fail(self, reason: str, rank: int | None = None, *, lost: bool = False) -> None:
        """Tells all ranks why they end: what happened to a rank. None for this one. If it was `lost`, another start may help."""
        self.broken = True
        mark = _LOST if lost else ""
        with suppress(RuntimeError):  # the store may have ended with rank 0
            self._store.set(_FAILED, f"{mark}Rank {self.rank if rank is None else rank} of {self.world} {reason}")

    def close(self) -> None:
        """Ends the ranks. Rank 0 says so to the others."""
        if self.rank == 0:
            if not self.broken:
                with suppress(InfrastructureFailure):  # they may be gone already
                    self.call(None)
            elif not self._reported():
                self.fail("ended")
        self._ended.set()
        self._thread.join()
        if dist.is_initialized():
            dist.destroy_process_group()
        for process in self._processes:
            end(process, 0.0 if self.broken else LIMIT_S)

    def blame(self, error: Exception) -> None:
        """Raises RankLost if an error of this rank came from the loss of another one. Collectives of divided layers fail inside
        of torch."""
        if of_network(error) or self._dead_process(patient=True):
            self._give_up(error)

    @contextmanager
    def _collective(self) -> Iterator[None]:
        """Translates the errors of torch."""
        try:
            yield
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:  # those of torch.distributed are among them
            self._give_up(error)

    def _give_up(self, error: Exception | None) -> NoReturn:
        self.broken = True
        reason = self._dead_process(patient=error is not None) or self._reported()
        if not reason and self.rank:
            reason = f"{_LOST}Rank 0 is gone"
        words = (str(error).strip() or "?").splitlines()[0][:200] if error else ""
        reason = reason or f"{_LOST}A rank of {self.world} is gone ({words})"
        kind = RankLost if reason.startswith(_LOST) else InfrastructureFailure
        raise kind(f"{reason.removeprefix(_LOST)}. All ranks end together. {_AGAIN}") from error

    def _reported(self) -> str:
        try:
            return self._store.get(_FAILED).decode().rstrip(".") if self._store.check([_FAILED]) else ""
        except RuntimeError:
            return ""

    def _dead_process(self, patient: bool = False) -> str:
        """How a local follower ended: first one that was killed, because others then end by themselves. With `patient`, waits a
        little for it to end."""
        until = time.monotonic() + (2.0 if patient and self._processes else 0.0)
        while True:
            ended = [
                (code, rank, each)
                for rank, each in enumerate(self._processes, start=1)
                if (code := each.poll()) is not None
            ]
            for code, rank, process in sorted(ended, key=lambda one: one[0] > 0):
                if code > 0 and (reason := self._reported()):
                    return reason
                how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
                return f"{_LOST}Rank {rank} of {self.world} (process {process.pid}) {how}"
            if time.monotonic() > until:
                return ""
            time.sleep(0.05)

    def _wait_for_all(self) -> None:
        """Waits until every rank is here."""
        self._meetings += 1
        name = f"meeting/{self._meetings}"
        if self._store.add(name, 1) == self.world:
            self._store.set(f"{name}/all", "1")
        self._wait([f"{name}/all"])
        if self.rank == 0 and self._meetings > 1:  # everybody has left the one before
            for old in (f"meeting/{self._meetings - 1}", f"meeting/{self._meetings - 1}/all"):
                self._store.delete_key(old)

    def _wait(self, keys: list[str]) -> None:
        """Waits for keys of the store. It asks again and again, because the store's own `wait` writes a line per time-out."""
        pause_s, looked = _ASK_S[0], time.monotonic()
        self._beats = {rank: (-1, looked) for rank in range(self.world)}
        while not self._store.check(keys):
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _ASK_S[1])
            if time.monotonic() - looked > _LOOK_S:
                looked = time.monotonic()
                if self._reported() or self._dead_process():
                    self._give_up(None)
                self._look_for_silence()

    def _look_for_silence(self) -> None:
        now = time.monotonic()
        for rank, (count, since) in self._beats.items():
            beats = self._store.add(f"beat/{rank}", 0)
            if beats != count:
                self._beats[rank] = beats, now
            elif now - since > (LIMIT_S if beats else START_S):
                silent = (
                    f"gave no sign of life for {LIMIT_S:.0f} s" if beats else f"did not start within {START_S:.0f} s"
                )
                self.fail(silent, rank, lost=True)
                self._give_up(None)

    def _beat(self, store: Any) -> None:
        """Tells the others every few seconds that this process lives."""
        while True:
            try:
                store.add(f"beat/{self.rank}", 1)
            except RuntimeError:
                return  # the store is gone, which the main thread will see
            if self._ended.wait(_BEAT_S):
                return


def checksum(tensors: Sequence[Tensor]) -> int:
    """A sum over the bits of tensors. Equal tensors have equal sums on every device."""
    kinds = {4: torch.int32, 2: torch.int16, 8: torch.int64}
    sums = [
        tensor.detach().contiguous().view(kinds.get(tensor.element_size(), torch.uint8)).sum(dtype=torch.int64)
        for tensor in tensors
    ]
    return sum((number + 1) * int(value) for number, value in enumerate(sums)) % 2**63


def _unit(device: str) -> tuple[str, int]:
    """What computes, by a name that other ranks on the machine know too, and its memory in bytes."""
    if device == "cpu":
        return device, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    properties: Any = torch.cuda.get_device_properties(device)
    return str(properties.uuid), properties.total_memory


def of_network(error: Exception) -> bool:
    """Whether a collective failed, and not a computation."""
    return isinstance(error, dist.DistError) or any(word in str(error).lower() for word in ("gloo", "nccl"))


def end(process: Follower, patience_s: float) -> None:
    """Waits for a follower that was told to end, and ends one that does not."""
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()  # it holds nothing that must be saved
        process.wait()
