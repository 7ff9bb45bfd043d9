"""Starts and ends the processes of ranks: local ones, those of torchrun, and those that another program starts elsewhere.

`start_ranks` starts followers and leads them. `join` takes part in ranks that torchrun or `start_ranks` started. After a rank was
lost, `restart_ranks` starts all of them again.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import torch.distributed as dist
from torch.distributed.rendezvous import TCPStore, rendezvous  # type: ignore[attr-defined]

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.training.ranks import START_S, Follower, Ranks, Shard, end

VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
"""Environment variables that name a rank. torchrun and `start_ranks` set them."""
SHARD = "VERIGYM_SHARD"
"""Environment variable of rank 0 under torchrun: `auto`, `always` or `never` (`Shard`)."""
HERE = "127.0.0.1"
_INTERFACE = "GLOO_SOCKET_IFNAME"

Start = Callable[[int, dict[str, str]], Follower]
"""Starts `python -m verigym.training.launch` as a rank, with these environment variables added."""

_led: list[Ranks] = []
"""The ranks that this process leads, if any."""


def current() -> Ranks | None:
    """The ranks that this process leads. None if it learns alone."""
    return _led[-1] if _led else None


@contextmanager
def leading(ranks: Ranks) -> Iterator[Ranks]:
    """A context in which training of this process uses the ranks. It ends them."""
    assert ranks.rank == 0, "the others follow"
    _led.append(ranks)
    try:
        yield ranks
    finally:
        _led.pop().close()  # others than before, if they were started again


def restart_ranks() -> bool:
    """Starts the ranks again after one was lost. False if this process did not start them: torchrun does it by itself."""
    lost = current()
    if lost is None or lost.again is None:
        return False
    lost.close()
    _led[-1] = lost.again()
    return True


@contextmanager
def start_ranks(count: int, *, shard: Shard = "auto", host: str = HERE, start: Start | None = None) -> Iterator[Ranks]:
    """Starts `count` - 1 processes that learn with this one. Training inside of the context uses all of them.

    with start_ranks(4):
        workspace.train("recipe.yaml")

    `start` starts one of them, and None starts it on this machine. `host` is the address of this process for the others."""
    if count < 2:
        raise BadInput(f"start_ranks({count}): at least 2 ranks are needed. Without ranks, this process learns alone")
    if dist.is_initialized():
        raise BadInput("This process belongs to ranks already. End them first")
    _check_shard(shard)

    def opened() -> Ranks:
        store = _store(host, count)
        processes: list[Follower] = []
        try:
            with _loopback(host):
                for rank in range(1, count):
                    processes.append((start or start_here)(rank, _variables(rank, count, host, store.port, shard)))
                return Ranks(store, 0, count, 0, processes, shard, opened)
        except BaseException:
            for process in processes:
                end(process, 0.0)
            raise

    with leading(opened()) as ranks:
        yield ranks


def start_here(rank: int, environment: dict[str, str]) -> Follower:
    """Starts a rank on this machine."""
    command = [sys.executable, "-m", "verigym.training.launch"]
    return subprocess.Popen(command, env={**os.environ, **environment})


def join() -> Ranks:
    """Joins the ranks that the environment variables name. All of them must call it."""
    missing = [name for name in VARIABLES if not os.environ.get(name)]
    if missing:
        raise BadInput(
            f"The environment variables {', '.join(missing)} are not set. Start the ranks with torchrun or start_ranks(n)"
        )
    where = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
    shard = _check_shard(os.environ.get(SHARD) or "auto", SHARD)
    try:
        store, rank, world = next(rendezvous("env://", timeout=timedelta(seconds=START_S)))
        return Ranks(store, rank, world, int(os.environ["LOCAL_RANK"]), shard=shard)
    except (RuntimeError, ValueError) as error:
        raise InfrastructureFailure(
            f"Rank {os.environ['RANK']} cannot reach rank 0 at {where} ({str(error).splitlines()[0][:200]}). Check "
            "MASTER_ADDR, MASTER_PORT and the firewall"
        ) from error


def _check_shard(value: str, name: str = "shard") -> Shard:
    for known in get_args(Shard):
        if value == known:
            return known
    raise BadInput(f'{name}: "{value}" is unknown. Use one of {", ".join(get_args(Shard))}')


def _store(host: str, count: int) -> Any:
    """A store of torch at an address of this machine. At 127.0.0.1, only processes of this machine can reach it."""
    with socket.socket() as listening:
        try:
            listening.bind((host, 0))
        except OSError as error:
            raise BadInput(f"{host} is not an address of this machine ({error.strerror}). Ranks need one") from error
        listening.listen()
        port = listening.getsockname()[1]
        return TCPStore(
            host, port, count, is_master=True, wait_for_workers=False,
            timeout=timedelta(seconds=START_S), master_listen_fd=listening.detach(),
        )  # fmt: skip


def _variables(rank: int, count: int, host: str, port: int, shard: Shard) -> dict[str, str]:
    named = {
        "RANK": rank, "WORLD_SIZE": count, "LOCAL_RANK": rank, "MASTER_ADDR": host, "MASTER_PORT": port,
        "OMP_NUM_THREADS": max(1, (os.cpu_count() or 1) // count), SHARD: shard,
    }  # fmt: skip
    if _INTERFACE in os.environ:
        named[_INTERFACE] = os.environ[_INTERFACE]
    return {name: str(value) for name, value in named.items()}


@contextmanager
def _loopback(host: str) -> Iterator[None]:
    """A context in which gloo uses the loopback interface, if all ranks are here. By default it uses the address of the host's
    name, which may have none."""
    if host != HERE or _INTERFACE in os.environ or not Path("/sys/class/net/lo").exists():
        yield
        return
    os.environ[_INTERFACE] = "lo"
    try:
        yield
    finally:
        del os.environ[_INTERFACE]
