"""Whether the servers that a recipe names answer now: its teacher, judge and user. The dry run asks each of them.

A server that does not answer is a warning, because it may be started before training is. A teacher that answers and cannot teach
is refused.
"""

import asyncio
from typing import TYPE_CHECKING, Any

from verigym.core.errors import InfrastructureFailure
from verigym.core.protocols import closing
from verigym.core.records import Version
from verigym.training.teachers import ServerTeacher
from verigym.workspace.workspace import WorkspaceFolder

if TYPE_CHECKING:
    from verigym.workspace.train import TrainingJob

LIMIT_S = 10.0
"""Seconds that a server has to answer."""


async def server_warnings(job: "TrainingJob", render: Any) -> list[str]:
    """What is wrong with each server that does not answer."""
    named = {"distill.teacher": job.teacher, **job.roles}
    servers = {field: version for field, version in named.items() if version is not None and version.is_remote}
    failures = await asyncio.gather(*(_failure(job, field, version, render) for field, version in servers.items()))
    return [
        f"{field}: {words}. Training would fail if it started now"
        for field, words in zip(servers, failures, strict=True)
        if words
    ]


async def _failure(job: "TrainingJob", field: str, version: Version, render: Any) -> str:
    try:
        async with asyncio.timeout(LIMIT_S):
            if field == "distill.teacher":
                await _ask_teacher(job.ws, version, render, job.recipe.distill.teacher)
            else:
                policy: Any = job.ws.open_beside(version)
                async with closing(policy):
                    await policy.check()
    except InfrastructureFailure as error:
        return str(error)
    except TimeoutError:
        return f"{version.label} does not answer within {LIMIT_S:g} s. Start the server, or correct its address"
    return ""


async def _ask_teacher(ws: WorkspaceFolder, teacher: Version, render: Any, name: str) -> None:
    scores = ws.open_scores(teacher, retries=0)
    try:
        await ServerTeacher(scores, render, name).check()
    finally:
        await scores.close()
