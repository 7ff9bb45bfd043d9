"""Killed at any moment of a promotion or rollback, the champion is one of the two and the chain verifies."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.registry.decided import decision, store_versions
from tests.registry.mover import ONE, OTHER, move, promote_once
from verigym.core.records import Version
from verigym.registry import ledger
from verigym.registry.versions import register
from verigym.store.database import Store

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.registry.mover"])


def crowned(path: Path, one: str, other: str) -> Store:
    store = Store(path)
    store_versions(store, one, other)
    ledger.set_first_champion(store, one)
    ledger.promote(store, decision(store, other, one))
    return store


def kill_some(path: Path, kills: int) -> int:
    """Kills so many processes, each at a random moment; returns how many entries the survivors' ledger has."""
    store = crowned(path, ONE, OTHER)
    chance = random.Random(kills)
    for seed in range(kills):
        hears, says = PROCESSES.Pipe(duplex=False)
        process = PROCESSES.Process(target=move, args=(path, says, seed), daemon=True)
        process.start()
        says.close()
        first = hears.recv()  # it is at it
        time.sleep(chance.uniform(0, 0.02))
        assert process.pid is not None and process.is_alive()
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        assert process.exitcode == -signal.SIGKILL
        told = first
        while hears.poll():
            try:
                told = hears.recv()
            except EOFError:
                break
        count = ledger.verify_chain(store)
        assert count in (told, told + 1), "what was said to be written is; at most the last was not said yet"
        assert ledger.champion(store) in (ONE, OTHER)
    moved = ledger.entries(store)
    assert {entry.decision.kind for entry in moved} >= {"gate", "rollback"}
    assert all(entry.champion_before != entry.champion_after for entry in moved[1:])
    return len(moved)


def test_a_dozen_kills_while_champions_change(tmp_path: Path):
    assert kill_some(tmp_path / "store.db", 12) > 2 + 12


@pytest.mark.slow
def test_two_hundred_kills_while_champions_change(tmp_path: Path):
    assert kill_some(tmp_path / "store.db", 200) > 2 + 200


def rolled_back(home: Path, version: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "verigym.cli.main", "rollback", version, "--home", str(home)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def kill_commands(home: Path, kills: int) -> None:
    store = Store(home / "store.db")
    one, other = (register(store, Version(base="tiny", name=name, system_prompt=name)).id for name in ("one", "other"))
    crowned(home / "store.db", one, other)
    began = time.perf_counter()
    process = rolled_back(home, one)
    assert process.wait() == 0, process.stdout and process.stdout.read()
    took = time.perf_counter() - began
    chance = random.Random(kills)
    for _ in range(kills):
        now = ledger.champion(store)
        process = rolled_back(home, other if now == one else one)
        time.sleep(chance.uniform(0.5, 1.1) * took)  # most of the time it is still loading
        process.kill()
        process.wait()
        ledger.verify_chain(store)
        assert ledger.champion(store) in (one, other)


def test_commands_are_killed_as_well(tmp_path: Path):
    kill_commands(tmp_path, 3)


@pytest.mark.slow
def test_thirty_commands_are_killed(tmp_path: Path):
    kill_commands(tmp_path, 30)


def test_of_two_that_promote_at_once_one_wins_and_the_other_is_told(tmp_path: Path):
    path = tmp_path / "store.db"
    store = crowned(path, ONE, OTHER)
    store_versions(store, *(f"{place}" * 12 for place in range(4)))
    for _ in range(5):
        ready = PROCESSES.Barrier(2)
        pipes = [PROCESSES.Pipe(duplex=False) for _ in range(2)]
        now = ledger.champion(store)
        rivals = [f"{place}" * 12 for place in range(4) if f"{place}" * 12 != now][:2]
        processes = [
            PROCESSES.Process(target=promote_once, args=(path, rival, ready, says), daemon=True)
            for rival, (_, says) in zip(rivals, pipes, strict=True)
        ]
        for process in processes:
            process.start()
        words = sorted((hears.recv() for hears, _ in pipes), key=lambda text: text != "champion")
        for process in processes:
            process.join()
        assert words[0] == "champion" and f"but the champion is now {ledger.champion(store)}" in words[1]
        assert ledger.champion(store) in rivals
    assert ledger.verify_chain(store) == 2 + 5
