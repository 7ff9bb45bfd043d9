"""Work that needs the code of an environment: playing a solution, and proving an edit. It runs in a process of its own.

The server never imports an environment. It starts this module after a form was sent, with a time limit, and kills the process
at the limit and when the server stops. `python -m verigym.view.worker` reads a request from standard input and writes one answer.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from verigym.core.errors import InfrastructureFailure, Refused, VerigymError, words_of
from verigym.core.records import Item, Task, Verdict

_LIMIT_S = 60.0
_AT_ONCE = 2
"""Processes at the same time. Another request is refused."""
_REMEMBERED = 50
"""Answers that are kept in memory."""
_LONGEST = 2_000_000
"""Maximum bytes of an answer."""


class WorkRequest(Struct, frozen=True, kw_only=True):
    home: str
    environment: str
    """As commands name it: `toolcall`, `desk.py`."""
    proposal: str
    action: Literal["play", "edit"]
    text: str = ""
    """With `edit`: the new right outcome."""


class PlayedEpisode(Struct, frozen=True, kw_only=True):
    items: list[Item]
    verdict: Verdict


class WorkAnswer(Struct, frozen=True, kw_only=True):
    right: PlayedEpisode | None = None
    did: PlayedEpisode | None = None
    task: Task | None = None
    """With `edit`: the proven task."""
    missing: str = ""
    """Why it cannot be played or is not proven."""
    text: str = ""
    """With `edit`: the outcome that was not proven."""


class Workers:
    """The processes of one server."""

    def __init__(self, limit_s: float = _LIMIT_S) -> None:
        self._limit_s = limit_s
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False
        self._remembered: OrderedDict[str, WorkAnswer] = OrderedDict()

    def remember(self, name: str, answer: WorkAnswer | None) -> None:
        """Keeps an answer in memory, so that the next page can show it. None forgets it."""
        with self._lock:
            self._remembered.pop(name, None)
            if answer is not None:
                self._remembered[name] = answer
            while len(self._remembered) > _REMEMBERED:
                self._remembered.popitem(last=False)

    def remembered(self, name: str) -> WorkAnswer | None:
        with self._lock:
            return self._remembered.get(name)

    def ask(self, request: WorkRequest) -> WorkAnswer:
        """The answer of a new process. Raises `InfrastructureFailure` if it takes too long or dies."""
        with self._lock:
            if self._stopped or len(self._running) >= _AT_ONCE:
                raise Refused(
                    f"{_AT_ONCE} environments are being run already. Wait some seconds and press again. Nothing was written"
                )
            process = subprocess.Popen(
                [sys.executable, "-m", "verigym.view.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
            self._running.add(process)
        try:
            out, errors = process.communicate(msgspec.json.encode(request), self._limit_s)
        except subprocess.TimeoutExpired:
            raise InfrastructureFailure(
                f"{request.environment} did not answer within {self._limit_s:g} s, and its process was ended. "
                "Nothing was written. Review it in a terminal: verigym mine review"
            ) from None
        finally:
            _kill(process)
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
            with self._lock:
                self._running.discard(process)
        try:
            return msgspec.json.decode(out[:_LONGEST], type=WorkAnswer)
        except msgspec.MsgspecError:
            last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
            raise InfrastructureFailure(
                f"The process for {request.environment} ended with code {process.returncode}: {last[0][:300]}. "
                "Nothing was written"
            ) from None

    def stop(self) -> None:
        """Ends all processes."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and everything that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


# -- in the process -------------------------------------------------------------------------------------------------


def answer(request: WorkRequest) -> WorkAnswer:
    """Loads the environment and does the work. Only this process may call it."""
    from verigym.core.errors import NotFound
    from verigym.environments.load import load_environment
    from verigym.mining.expectations import MissingEvidence
    from verigym.mining.proposals import read_proposals
    from verigym.mining.review import edit_task
    from verigym.store.database import Store
    from verigym.workspace.workspace import WorkspaceFolder

    ws = WorkspaceFolder(Path(request.home))
    ws.store = Store(Path(request.home) / "store.db", query_only=True)
    try:
        known = read_proposals(ws, request.environment)
        if request.proposal not in known.proposals:
            raise NotFound(f"No proposal is named {request.proposal}")
        environment = load_environment(request.environment)
        if request.action == "edit":
            return WorkAnswer(task=edit_task(ws, environment, known.proposals[request.proposal], request.text))
        return _play(ws, environment, known, request.proposal)
    except (MissingEvidence, VerigymError) as error:
        return WorkAnswer(missing=words_of(error))
    finally:
        ws.store.close()


def _play(ws: Any, environment: Any, known: Any, id: str) -> WorkAnswer:
    """The right outcome and the failed attempt, both played on the task and scored."""
    from verigym.audit.scripted_episodes import watching
    from verigym.core import event_loop
    from verigym.core.records import Message
    from verigym.mining import expectations as expect
    from verigym.mining.attempts import replies
    from verigym.mining.review import attempts_of_proposal

    task, proposal = known.task(id), known.proposals[id]
    attempts = list(attempts_of_proposal(ws, environment, proposal))

    async def play_both() -> WorkAnswer:
        right = replies([Message("assistant", known.right(id))])
        gold = environment.gold_replies(task) if proposal.is_task else []
        played = await expect.play_and_score(environment, task, gold or right) if proposal.is_task else None
        tried = replies(attempts[0].tried) if attempts else []
        did = await expect.play_and_score(environment, task, tried or [""]) if attempts else None
        return WorkAnswer(
            right=PlayedEpisode(items=played.trajectory.items, verdict=played.verdict) if played else None,
            did=PlayedEpisode(items=did.trajectory.items, verdict=did.verdict) if did else None,
            missing="" if attempts else "The trace is no longer stored, so the failed attempt cannot be played.",
        )

    with watching():
        return event_loop.run(play_both())


def main() -> None:
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=WorkRequest)
    out = os.dup(1)
    os.dup2(2, 1)  # what an environment prints must not become part of the answer
    result = msgspec.json.encode(answer(request))
    with os.fdopen(out, "wb") as file:
        file.write(result)


if __name__ == "__main__":
    main()
