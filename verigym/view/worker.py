"""Work that needs the code of an environment: playing a solution, and proving an edit. It runs in a process of its own.

The server never imports an environment. It starts this module after a form was sent, with a time limit, and kills the process
at the limit and when the server stops. `python -m verigym.view.worker SERVER SECONDS` reads a request from standard input and
writes one answer. It watches the process that does the work, and ends it also if the server was killed.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any, Literal, NoReturn

import msgspec
from msgspec import Struct

import verigym
from verigym.core.errors import InfrastructureFailure, Refused, VerigymError, words_of
from verigym.core.records import Item, Task, Verdict

_LIMIT_S = 60.0
_AT_ONCE = 2
"""Processes at the same time. Another request is refused."""
_REMEMBERED = 50
"""Answers that are kept in memory."""
_LONGEST = 2_000_000
"""Maximum bytes of an answer."""
_LAST_WORDS = 20_000
"""Bytes that are kept of what an environment prints, the last ones."""
_END_S = 5.0
"""Time to end after the answer. The process also ends itself this long after its limit."""
_WATCH_S = 0.05


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
            process = _start(request, self._limit_s)
            self._running.add(process)
        try:
            out, errors = _read(process, self._limit_s)
        except subprocess.TimeoutExpired:
            raise InfrastructureFailure(
                f"{request.environment} did not answer within {self._limit_s:g} s, and its process was ended. "
                "Nothing was written. Review it in a terminal: verigym mine review ENV"
            ) from None
        finally:
            _kill(process)
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
            with self._lock:
                self._running.discard(process)
        if len(out) > _LONGEST:
            raise InfrastructureFailure(
                f"The answer of {request.environment} is longer than {_LONGEST:,} bytes, and its process was ended. "
                "Nothing was written. Review it in a terminal: verigym mine review ENV"
            )
        try:
            return msgspec.json.decode(out, type=WorkAnswer)
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


def _start(request: WorkRequest, limit_s: float) -> subprocess.Popen[bytes]:
    """A new process in a group of its own. Modules in the current folder are not imported (`-P`)."""
    with tempfile.TemporaryFile() as given:  # a file, so that writing never waits for the process
        given.write(msgspec.json.encode(request))
        given.seek(0)
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "verigym.view.worker", str(os.getpid()), f"{limit_s + _END_S:g}"],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(import_path())},
        )


def import_path() -> list[str]:
    """Where this process imports from. The current folder counts only if it was named, or if this package is in it."""
    package = str(Path(verigym.__file__).resolve().parent.parent)
    named = {os.path.realpath(one) for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one}
    here = {os.path.realpath(os.getcwd())} - named - {package}
    known = [os.path.abspath(one) for one in sys.path if one and os.path.realpath(one) not in here]
    return known if package in map(os.path.realpath, known) else [*known, package]


def _read(process: subprocess.Popen[bytes], limit_s: float) -> tuple[bytes, bytes]:
    """The answer, and the end of what was printed. Stops reading an answer that is too long."""
    assert process.stdout is not None and process.stderr is not None
    deadline = time.monotonic() + limit_s
    out, errors = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, out)
        selector.register(process.stderr, selectors.EVENT_READ, errors)

        def read_some(timeout_s: float) -> bool:
            ready = selector.select(max(0.0, timeout_s))
            for key, _ in ready:
                some = os.read(key.fd, 65536)
                key.data.extend(some)
                if not some:
                    selector.unregister(key.fileobj)
            del errors[:-_LAST_WORDS]
            return bool(ready)

        while process.stdout in selector.get_map() and len(out) <= _LONGEST:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(process.args, limit_s)
            read_some(deadline - time.monotonic())
        ended = min(deadline, time.monotonic() + _END_S)
        while len(out) <= _LONGEST and process.poll() is None and time.monotonic() < ended:
            read_some(_WATCH_S)
            time.sleep(0 if selector.get_map() else _WATCH_S)
        while time.monotonic() < ended and selector.get_map() and read_some(0):
            pass
    return bytes(out), bytes(errors)


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
    from verigym.store.address import page_file
    from verigym.store.database import Store
    from verigym.workspace.workspace import WorkspaceFolder

    ws = WorkspaceFolder(Path(request.home))
    ws.store = Store(page_file(Path(request.home)), query_only=True)
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
    """Starts the process that does the work, and watches it. Code of an environment cannot stop the watching."""
    server, limit_s = int(sys.argv[1]), float(sys.argv[2])
    out = os.dup(1)
    os.dup2(2, 1)  # what an environment prints must not become part of the answer
    child = os.fork()
    if child == 0:
        _work(out)
    os.close(out)
    _watch(child, server, time.monotonic() + limit_s)


def _work(out: int) -> NoReturn:
    code = 1
    try:
        request = msgspec.json.decode(sys.stdin.buffer.read(), type=WorkRequest)
        result = msgspec.json.encode(answer(request))
        with os.fdopen(out, "wb") as file:
            file.write(result)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type] (there is an exception here)
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _watch(child: int, server: int, deadline: float) -> NoReturn:
    """Waits for the child. Ends the whole group if the server is gone or the time is over."""
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if os.getppid() != server or time.monotonic() > deadline:
            os.killpg(0, signal.SIGKILL)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            sys.exit(code if code >= 0 else 128 - code)
        time.sleep(_WATCH_S)


if __name__ == "__main__":
    main()
