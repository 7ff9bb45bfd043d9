"""The tools of `verigym mcp` that change something: propose an environment, check, evaluate, optimize, gate.

They run only with `--allow-run`. An environment is code that runs as the user, so a proposal is saved only then, and only in the
workspace. Work runs one call after another. It reports its progress, and cancelling a call stops it. What finished is kept, so
a repeated call resumes.
"""

import ast
import asyncio
import contextvars
import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from verigym.api import AsyncWorkspace, Workspace
from verigym.core.errors import BadInput, Refused, words_of
from verigym.progress_bar import ProgressBar
from verigym.wire.mcp import report_progress
from verigym.workspace_tools import ProjectFiles

T = TypeVar("T")
_LARGEST_SOURCE = 200_000
_EVERY_S = 0.25
"""Seconds between two reports of progress."""


class ProposalTools:
    """The tool with which an agent proposes an environment."""

    def __init__(self, files: ProjectFiles, save: bool) -> None:
        self._files, self._save = files, save

    async def propose_environment(
        self, name: str, source: str, kind: Literal["python", "rows"] = "python", replace: bool = False
    ) -> str:
        """Propose a new environment. The text is examined without running it. The server saves it in the workspace only if it
        was started with --allow-run. Then use check_environment.

        Args:
            name: Name of the environment: letters, digits and _.
            source: The whole file. environment_template shows an example.
            kind: python, or rows for a task file (one JSON object per line).
            replace: Replace an earlier proposal of this name.
        """
        from verigym.environments.load import names
        from verigym.tasks.files import write_whole

        if not name.isidentifier() or not name.isascii() or len(name) > 64:
            raise BadInput(f'"{name[:80]}" is not a name. Use letters, digits and _, and do not begin with a digit')
        if name in names():
            raise BadInput(f'"{name}" is an environment of Verigym. Choose another name')
        if len(source) > _LARGEST_SOURCE:
            raise BadInput(f"The source has {len(source):,} characters. At most {_LARGEST_SOURCE:,} are allowed")
        (_check_rows if kind == "rows" else _check_python)(source)
        path = self._files.proposals / f"{name}{'.jsonl' if kind == 'rows' else '.py'}"
        if not self._save:
            return (
                f"Nothing was written, because this server only reads. The text is valid. To use it, save it as {path.name} "
                f"and run: verigym check {path.name}. Or ask the user to start the server with verigym mcp --allow-run"
            )
        for other in self._files.proposals.glob(f"{name}.*"):
            if not replace or other.suffix != path.suffix:
                raise Refused(f"The proposal {other} exists. Choose another name, or pass replace for the same kind")
        self._files.proposals.mkdir(parents=True, exist_ok=True)
        whole = self._files.inside(self._files.proposals) / path.name
        if whole.is_symlink():
            raise Refused(f"{whole} is a link. Remove it, or choose another name")
        write_whole(whole, lambda file: file.write(source.encode()))
        return f"Saved {whole}. Nothing was run. Next: check_environment with environment {name}"


class RunTools:
    """Tools that run code, models and measurements."""

    def __init__(self, files: ProjectFiles) -> None:
        self._files = files
        self._runner = AsyncWorkspace(files.home)

    async def check_environment(self, environment: str, n: int | None = None) -> str:
        """Check an environment without a model: gold solutions pass, cheats fail, state is isolated, nothing leaks. This runs the
        environment's code.

        Args:
            environment: A name, a proposed environment, or a file of this project.
            n: Number of tasks to check. The default is 40, or 8 if the environment uses a sandbox.
        """
        where = self._files.environment(environment)
        checks = await self._run("checks", lambda ws: ws.check(where, n=n))
        failed = [check for check in checks if check.outcome == "fail"]
        end = f"{len(failed)} of {len(checks)} checks failed. Fix them first." if failed else "No check failed."
        return f"{checks}\n\n{end}"

    async def evaluate(
        self,
        environment: str,
        model: str,
        n: int | None = 40,
        k: int = 1,
        split: Literal["val", "train"] = "val",
        temperature: float = 0.0,
        max_tokens: int = 256,
        seed: int = 0,
    ) -> str:
        """Measure a model on the held-out tasks of an environment. The result is stored as a run. A repeated call with the same
        arguments uses what is there.

        Args:
            environment: A name, a proposed environment, or a file of this project.
            model: A version (id, name, champion), a Hugging Face model id, a folder, a named server or URL#MODEL.
            n: Number of tasks, spread over families. Null means all.
            k: Episodes per task.
            split: val for held-out tasks. Use train while you look for a fix.
            temperature: Sampling temperature. 0 is greedy.
            max_tokens: Maximum tokens per reply.
            seed: Random seed for sampling.
        """
        where = self._files.environment(environment)

        def measure(ws: Workspace) -> Any:
            return ws.evaluate(
                where, model, n=n, k=k, split=split, temperature=temperature, max_tokens=max_tokens, seed=seed
            )

        report = await self._run("episodes", measure)
        return f"{report}\n\nRun {report.run}. Next: explain_failures, advise"

    async def optimize(
        self, environment: str, model: str, budget: int = 200, reflect: str = "", max_tokens: int = 256, seed: int = 0
    ) -> str:
        """Improve an agent without training weights: prompt, examples, tool descriptions, skills and harness settings. Only
        training tasks are used. The best candidate is a version for the gate.

        Args:
            environment: A name, a proposed environment, or a file of this project.
            model: The agent to improve: a version, a model id, a folder, a named server or URL#MODEL.
            budget: Maximum number of episodes.
            reflect: Model that reads failures and proposes changes. The default is the model itself.
            max_tokens: Maximum tokens per reply.
            seed: Random seed.
        """
        where = self._files.environment(environment)
        result = await self._run(
            "episodes",
            lambda ws: ws.optimize(where, model, budget=budget, reflect=reflect, max_tokens=max_tokens, seed=seed),
        )
        return f"{result}\n\nThe best version is {result.best}. Next: gate with candidate {result.best}"

    async def gate(
        self,
        candidate: str,
        champion: str = "champion",
        environment: str = "",
        policy: str = "default",
        budget: str = "",
    ) -> str:
        """Ask the gate if a version may replace the champion. It measures both until every check is settled, and records the
        decision: PROMOTE, REJECT or NEED MORE DATA. It promotes nothing: a person runs verigym promote.

        Args:
            candidate: The version to judge.
            champion: The version to compare with.
            environment: Environment to compare on. Needed only if several are possible.
            policy: Name of a gate policy: default, quick or strict.
            budget: Limit such as 10min, 500calls or $2.
        """
        named = self._files.environment(environment) if environment else ""

        def decide(ws: Workspace) -> Any:
            if Path(policy).suffix or "/" in policy:
                self._files.inside(self._files.project / policy)
            return ws.gate(candidate, champion=champion, environment=named, policy=policy, budget=budget)

        return str(await self._run("episodes", decide))

    async def _run(self, title: str, work: Callable[[Workspace], T]) -> T:
        workspace = self._runner.workspace
        bar = _ReportedBar(title)

        def with_bar() -> T:
            workspace._bar = bar
            return work(workspace)

        return await self._runner._await(functools.partial(with_bar))


class _ReportedBar(ProgressBar):
    """Sends the progress of a call to the client, on the event loop of the server."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._loop, self._context = asyncio.get_running_loop(), contextvars.copy_context()
        self._next = 0.0
        self._steps = 0

    def report(self, done: int, total: int, note: str = "") -> None:
        if time.monotonic() < self._next and done < total:
            return
        self._next = time.monotonic() + _EVERY_S
        self._steps += 1
        text = f"{self._title}: {done}" + (f" of {total}" if total else "") + (f", {note}" if note else "")
        # A call can consist of several measurements, each counted from 0, so the protocol gets the number of reports.
        self._loop.call_soon_threadsafe(report_progress, self._steps, 0, text, context=self._context)


def _check_python(source: str) -> None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f" in line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise BadInput(f"The source is not valid Python{line}: {words_of(error)}. Correct it") from None
    defined: set[str] = set()
    for node in tree.body:
        defined |= {node.name} if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else set()
        targets = node.targets if isinstance(node, ast.Assign) else []
        defined |= {target.id for target in targets if isinstance(target, ast.Name)}
        defined |= {alias.asname or alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set()
    missing = [name for name in ("tasks", "Environment", "verify") if name not in defined]
    if missing:
        raise BadInput(
            f"The source does not define {' and '.join(missing)}. An environment needs tasks(split), a class Environment and "
            "verify(task, trajectory). environment_template shows them"
        )


def _check_rows(source: str) -> None:
    lines = [line for line in source.splitlines() if line.strip()]
    if not lines:
        raise BadInput("There are no rows. Write one JSON object per line. environment_template shows some")
    for number, line in enumerate(lines, start=1):
        try:
            row = msgspec.json.decode(line)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"Row {number} is not JSON: {words_of(error)}. Write one JSON object per line") from None
        if not isinstance(row, dict):
            raise BadInput(f"Row {number} is not an object. Write one JSON object per line")
