"""An environment as a resources server of NeMo Gym: /seed_session, /TOOL, /verify and /aggregate_metrics.

A row names its task in `verigym_task`. The session is a cookie. /verify ends it. Without a session, /verify repeats the calls of
the response on a fresh state, so stored rollouts can be verified again. If the verdict fails, the answer is an error and not a
reward. `rows` writes the tasks as rows.
"""

from collections.abc import AsyncIterator
from http.cookies import CookieError, SimpleCookie
from typing import Any

from verigym.core.records import Json, Task
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.session import first_items, task_tools
from verigym.servers.environment_app import AppAnswer, AppRequest, app_of, json_object
from verigym.servers.environment_sessions import EXTERNAL, EnvironmentSession, EnvironmentSessions, NoVerdict
from verigym.training.formats.nemo_rl import gym_row
from verigym.wire.http import HttpError
from verigym.wire.values import as_list, as_object, as_text

COOKIE = "verigym_session"


def nemogym_app(sessions: EnvironmentSessions) -> Any:
    return app_of(_Routes(sessions).answer, sessions)


class _Routes:
    def __init__(self, sessions: EnvironmentSessions) -> None:
        self._sessions = sessions

    async def answer(self, request: AppRequest) -> AppAnswer:
        path = request.path.strip("/")
        if request.method == "GET" and not path:
            return AppAnswer(body={"status": "ok", "environment": self._sessions.environment.name})
        if request.method != "POST":
            raise HttpError(405, f"{request.method} {request.path}: use POST")
        key = _cookie(request)
        if path == "seed_session":
            return await self._seed(json_object(request.body), key)
        if path == "verify":
            return AppAnswer(body=await self._verify(json_object(request.body), key))
        if path == "aggregate_metrics":
            return AppAnswer(body=_aggregated(json_object(request.body)))
        session = self._sessions.find(key)
        if session is None:
            raise HttpError(400, "This session is not open. Call /seed_session first, and send its cookie")
        output, _ = await session.call(path, request.body.decode("utf-8", "replace"))
        return AppAnswer(body=output, headers=_set_cookie(session))

    async def _seed(self, row: Json, key: str) -> AppAnswer:
        task = self._sessions.task(row.get("verigym_task"))
        old = self._sessions.take(key)
        if old is not None:
            await old.live.end()
        session = await self._sessions.open(task)
        return AppAnswer(headers=_set_cookie(session))

    async def _verify(self, body: Json, key: str) -> Json:
        output = [as_object(item) for item in as_list(as_object(body.get("response")).get("output"))]
        session = self._sessions.take(key)
        if session is None:
            session = await self._sessions.alone(self._sessions.task(body.get("verigym_task")))
            await _repeat(session, output)
        try:
            verdict = await self._sessions.score(session, _last_message(output))
        except NoVerdict as error:
            raise HttpError(500, str(error)) from error
        extra = {
            "passed": verdict.passed,
            "unsafe": verdict.unsafe,
            "parts": verdict.parts,
            "evidence": verdict.evidence,
        }
        return {**body, "reward": verdict.reward, **extra}


def _cookie(request: AppRequest) -> str:
    try:
        found = SimpleCookie(request.headers.get(b"cookie", b"").decode("latin-1")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _set_cookie(session: EnvironmentSession) -> list[tuple[bytes, bytes]]:
    """Agents of NeMo Gym keep only the cookies of the last answer, so every answer sends them."""
    return [(b"set-cookie", f"{COOKIE}={session.id}; Path=/; HttpOnly".encode())]


async def _repeat(session: EnvironmentSession, output: list[Json]) -> None:
    for item in output:
        if item.get("type") == "function_call":
            name, arguments = as_text(item.get("name")) or "", as_text(item.get("arguments")) or "{}"
            await session.call(name, arguments, as_text(item.get("call_id")) or "")


def _last_message(output: list[Json]) -> str:
    for item in reversed(output):
        if item.get("type") == "message":
            content = item.get("content")
            parts = [as_text(as_object(part).get("text")) or "" for part in as_list(content)]
            return content if isinstance(content, str) else "".join(parts)
    return ""


def _aggregated(body: Json) -> Json:
    rewards = [float(each.get("reward") or 0.0) for each in map(as_object, as_list(body.get("verify_responses")))]
    mean = sum(rewards) / len(rewards) if rewards else 0.0
    figures = {"mean/reward": mean, "count": len(rewards)}
    return {"group_level_metrics": [], "agent_metrics": figures, "key_metrics": {"mean/reward": mean}}


async def rows(environment: EnvironmentSpec, tasks: list[Task]) -> AsyncIterator[Json]:
    """The tasks as rows of NeMo Gym, with the tools of each task."""
    for task in tasks:
        tools = (await task_tools(environment, task)).tools
        yield gym_row(first_items(environment, task, EXTERNAL), tools, task.id)
