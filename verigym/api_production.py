"""The `Workspace` methods for production and for whole cycles: serve, ingest, mine, the loop and the quickstart."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from verigym.api_base import Agent, WorkspaceBase, nothing, on_thread, user_name
from verigym.core.errors import BadInput, Refused, not_found
from verigym.core.install import install_command
from verigym.core.records import Decision
from verigym.present import RecordList

if TYPE_CHECKING:
    from verigym.flywheel.loop import LoopResult
    from verigym.flywheel.loop_recipe import Loop
    from verigym.harness.environment import EnvironmentSpec
    from verigym.mining.mine import AcceptedTasks, MiningReport
    from verigym.mining.proposals import Proposal, State
    from verigym.mining.provenance import TaskProvenance
    from verigym.rollout.settings import Prices
    from verigym.servers.serve import RunningServer
    from verigym.traces.ingest import IngestSummary


class ProductionVerbs(WorkspaceBase):
    """Methods that work with production traces."""

    @on_thread
    def serve(
        self,
        version: Agent = "",
        *,
        upstream: str = "",
        host: str = "127.0.0.1",
        port: int = 8400,
        canary: Agent = "",
        share: float = 0.1,
        key_env: str = "",
        max_body: float = 10.0,
        rate: float = 0.0,
        timeout: float = 600.0,
        queue: int = 1000,
        capture: bool = True,
        capture_rate: float = 1.0,
        keep_days: int | None = None,
        feedback: Sequence[str] = (),
        rules: str | Path | None = None,
        prices: "Prices | None" = None,
        environments: Sequence[str] = (),
        on_message: Callable[[str], None] | None = None,
    ) -> "RunningServer":
        """Serve an agent as Chat Completions and Responses in the background, and capture traces.

        ```text
        with ws.serve(port=0) as server:
            client = openai.OpenAI(base_url=server.url, api_key="-")
        ```

        The result has a `url`, `wait` to block until Ctrl-C, and `close`. The default serves the champion and follows
        promotions and rollbacks. The parameters are those of `verigym serve`.
        """
        try:
            from verigym.servers import serve as serving
        except ModuleNotFoundError as error:
            raise BadInput(
                f"Serving needs {error.name}, which is not installed. Run: {install_command('serve')}"
            ) from error
        from verigym.rollout.settings import Prices
        from verigym.servers.admission import Admission, AdmissionLimits, keys_from
        from verigym.servers.connections import listen
        from verigym.servers.episodes import EpisodeService, check_environments
        from verigym.servers.gateway import Gateway
        from verigym.traces.capture import Capture
        from verigym.traces.otlp import SpanReceiver
        from verigym.traces.redaction import Redaction
        from verigym.workspace.workspace import WorkspaceFolder

        check_environments(environments)
        keys, redaction = keys_from(key_env, host), Redaction.load(Path(rules) if rules else None)
        folder = WorkspaceFolder(self.home)  # the server outlives this call, and the workspace may be closed before it
        served, server_keys = serving.served_version(folder, self._agent_name(version), upstream)
        candidate = self._agent_or_none(canary)
        listening, say = listen(host, port), on_message or nothing
        try:
            say(f"opening {f'{served.label} ({served.id})' if served else 'the champion'} ...")
            router = serving.open_router(
                folder, served, server_keys=server_keys, canary=candidate, share=share, say=say
            )
            options = {"rate": capture_rate, "keep_days": keep_days, "say": say}
            traces = Capture(self.home, redaction, **options) if capture else None
            received = {"keep_days": keep_days, "feedback": feedback, "say": say}
            spans = SpanReceiver(self.home, Redaction(redaction.rules), **received) if capture else None
        except BaseException:
            listening.close()
            raise
        limits = AdmissionLimits(body=int(max_body * 2**20), seconds=timeout, queue=queue, rate=rate)
        admission = Admission(limits, keys)
        gateway = Gateway(router, admission, capture=traces, spans=spans, prices=prices or Prices(), say=say)
        gateway.episodes = EpisodeService(folder, router, environments, say)
        return serving.RunningServer(gateway, listening, traces, folder, spans)

    @on_thread
    def ingest(
        self,
        *files: str | Path,
        name: str = "ingested",
        format: str = "auto",
        feedback: Sequence[str] = (),
        rules: str | Path | None = None,
        keep_raw: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> "IngestSummary":
        """Import production traces from files: detect the format, redact, store. The same file again changes nothing.

        `feedback` are rules for scores whose scale is unknown: `rating>=4`, or `verdict=good,fine/bad`.
        """
        from verigym.traces import ingest
        from verigym.traces.redaction import Redaction

        redaction, paths = Redaction.load(Path(rules) if rules else None), [str(file) for file in files]
        self._bar.start("ingesting")
        report = on_progress or (lambda done, total: self._bar.report(done, total, "bytes"))
        options = {"name": name, "format": format, "keep_raw": keep_raw, "feedback": feedback, "on_progress": report}
        return ingest(self.folder.store, self.home, paths, redaction, **options)

    @on_thread
    def mine(
        self,
        environment: "str | EnvironmentSpec",
        runs: Sequence[str] = (),
        *,
        held_out_share: float = 0.25,
        accept: bool = False,
        who: str = "",
        teacher: "Agent" = "",
        k: int = 3,
        judge: "Agent" = "",
        on_progress: Callable[[int, int], None] | None = None,
    ) -> "MiningReport":
        """Make tasks from the failures in production traces. `accept` accepts every verified task without review.

        A `teacher` solves each request with an unknown correct outcome `k` times. If most attempts end alike, that end is
        correct. A `judge` must fail the failed attempt before a rubric task counts as verified.
        """
        from verigym.mining.mine import mine

        self._bar.start("requests")
        options = {"held_out_share": held_out_share, "accept": accept, "who": user_name(who), "k": k}
        options |= {"teacher": self._agent_or_none(teacher), "judge": self._agent_or_none(judge)}
        report = on_progress or self._bar.report
        return mine(self.folder, self._environment(environment), runs, **options, on_progress=report)

    @on_thread
    def mined(self, environment: "str | EnvironmentSpec", *, state: "State | None" = None) -> "list[Proposal]":
        """List the mined tasks and verifier cases of an environment, oldest first.

        `state` selects those that are `open`, `accepted`, `taken` (added to the task file) or `rejected`.
        """
        from verigym.mining.proposals import read_proposals

        known = read_proposals(self.folder, environment if isinstance(environment, str) else environment.name)
        return RecordList(known.by_state(state) if state else known.proposals.values())

    @on_thread
    def mine_show(self, proposal: str) -> "TaskProvenance":
        """Trace a mined task: its traces, its review, the versions trained on its family, and its evaluations."""
        from verigym.mining.provenance import task_provenance

        return task_provenance(self.folder, proposal)

    @on_thread
    def mine_review(
        self,
        environment: "str | EnvironmentSpec",
        proposal: "str | Proposal",
        *,
        accept: bool,
        right: str = "",
        note: str = "",
        who: str = "",
    ) -> "TaskProvenance":
        """Accept or reject a mined task or a verifier case. An accepted task is added to the task file at once.

        `right` replaces the correct outcome of an accepted task: text, or a call as `{"tool": ..., "args": {...}}`. The
        edited task is verified first.
        """
        from verigym.environments.load import base_and_added, load_environment
        from verigym.mining import proposals
        from verigym.mining.expectations import MissingEvidence
        from verigym.mining.mine import write_accepted
        from verigym.mining.review import edit_task

        spec = self._environment(environment)
        base, added = base_and_added(spec.name)
        id, known = proposal if isinstance(proposal, str) else proposal.id, proposals.read_proposals(self.folder, base)
        if id not in known.proposals:
            raise not_found("proposal", id, known.proposals, "List them: Workspace.mined(environment)")
        if known.state(id) == "taken":
            raise Refused(f"Proposal {id} was already added. It cannot be reviewed again")
        review = proposals.Review(
            proposals=[id],
            answer="accepted" if accept else "rejected",
            who=user_name(who),
            when=proposals.now(),
            note=note or ("edited" if right else ""),
        )
        if right:
            if not accept or known.proposals[id].case is not None:
                raise BadInput(
                    "The parameter right changes a task that you accept. "
                    "Remove right, or pass accept=True with a mined task"
                )
            try:
                task = edit_task(self.folder, load_environment(base) if added else spec, known.proposals[id], right)
            except MissingEvidence as missing:
                raise Refused(f"Proposal {id} was not accepted. {missing}") from missing
            review = msgspec.structs.replace(review, task=task, right=right.strip())
        proposals.add_review(self.folder, review)
        write_accepted(self.folder, base)
        return self.mine_show(id)

    @on_thread
    def mine_accept(self, environment: "str | EnvironmentSpec", *, who: str = "") -> "AcceptedTasks":
        """Accept every verified task and every regression without review.

        Cases in which a person and the verifier disagree stay open, and so do tasks that only a person can accept.
        """
        from verigym.mining.mine import accept_all

        return accept_all(self.folder, self._environment(environment).name, user_name(who))

    @on_thread
    def loop(
        self, recipe: "str | Path | Mapping[str, Any] | Loop", *, verbose: bool = True, **fields: Any
    ) -> "LoopResult":
        """Mine, measure, explain, advise, fix, gate and promote, round after round. A repeated call resumes.

        Returns the rounds and the reason why no further round follows. Further arguments change fields of the recipe:
        `budget={"rounds": 2}`. It prints each step, unless `verbose` is False.
        """
        from verigym.cli.loop import LoopTerminal, SilentScreen
        from verigym.flywheel.loop import play

        return play(self.folder, _open_loop(recipe, fields), LoopTerminal() if verbose else SilentScreen())

    @on_thread
    def loop_status(self, recipe: "str | Path | Mapping[str, Any] | Loop", **fields: Any) -> "LoopResult":
        """Read the rounds of a loop so far. Runs nothing. The reason is empty if the loop is not finished."""
        from verigym.flywheel.loop import LoopResult, ended
        from verigym.flywheel.rounds import rounds_of

        loop = _open_loop(recipe, fields)
        return LoopResult(rounds_of(self.folder, loop.id), ended(self.folder, loop))

    @on_thread
    def quickstart(self, *, verbose: bool = False) -> Decision:
        """Run the whole cycle on the embedded model and print each step. Takes three to eight minutes on two CPU cores."""
        from verigym.cli.quickstart import Terminal
        from verigym.flywheel.quickstart import quickstart

        return quickstart(self.folder, Terminal(verbose))


def _open_loop(recipe: "str | Path | Mapping[str, Any] | Loop", fields: dict[str, Any]) -> "Loop":
    from verigym.core.settings import read_yaml
    from verigym.flywheel.loop_recipe import Loop, make_loop, read_loop

    if isinstance(recipe, Loop):
        return recipe
    if isinstance(recipe, Mapping):
        return make_loop({**recipe, **fields}, [], "loop")
    loop = read_loop(Path(recipe))
    if not fields:
        return loop
    data = read_yaml(Path(recipe), "A loop recipe is a list of keys and values, such as environment: toolcall")
    return make_loop({**data, **fields}, [], str(recipe))
