"""The `Workspace` methods for production and for whole cycles: serve, ingest, mine, the loop and the quickstart."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from verigym import verbs
from verigym.api_base import WorkspaceBase
from verigym.core.errors import BadInput, Refused, not_found
from verigym.core.records import Decision
from verigym.present import RecordList
from verigym.verbs import Agent

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
    from verigym.workspace.workspace import WorkspaceFolder


class ProductionVerbs(WorkspaceBase):
    """Methods that work with production traces."""

    # -- production ---------------------------------------------------------------------------------------------------

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
        rules: str | Path | None = None,
        prices: "Prices | None" = None,
    ) -> "RunningServer":
        """Serve an agent as Chat Completions and Responses in the background, and capture traces.

        ```text
        with ws.serve(port=0) as server:
            client = openai.OpenAI(base_url=server.url, api_key="-")
        ```

        The result has a `url`, `wait` to block until Ctrl-C, and `close`. The default serves the champion and follows
        promotions and rollbacks. The parameters are those of `verigym serve`.
        """
        limits = (max_body, timeout, queue, rate)
        traces = (capture, capture_rate, keep_days, Path(rules) if rules else None, prices)
        return self._call(_serve, version, upstream, (host, port, key_env), (canary, share), limits, traces)

    def ingest(
        self,
        *files: str | Path,
        name: str = "ingested",
        format: str = "auto",
        rules: str | Path | None = None,
        keep_raw: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> "IngestSummary":
        """Import production traces from files: detect the format, redact, store. The same file again changes nothing."""
        return self._call(_ingest, [str(file) for file in files], name, format, rules, keep_raw, on_progress)

    def mine(
        self,
        environment: "str | EnvironmentSpec",
        runs: Sequence[str] = (),
        *,
        held_out_share: float = 0.25,
        accept: bool = False,
        who: str = "",
        on_progress: Callable[[int, int], None] | None = None,
    ) -> "MiningReport":
        """Make tasks from the failures in production traces. `accept` accepts every verified task without review."""
        return self._call(_mine, environment, runs, held_out_share, accept, who, on_progress)

    def mined(self, environment: "str | EnvironmentSpec", *, state: "State | None" = None) -> "list[Proposal]":
        """List the mined tasks and verifier cases of an environment, oldest first.

        `state` selects those that are `open`, `accepted`, `taken` (added to the task file) or `rejected`.
        """
        return RecordList(self._call(_mined, environment, state))

    def mine_show(self, proposal: str) -> "TaskProvenance":
        """Trace a mined task: its traces, its review, the versions trained on its family, and its evaluations."""
        return self._call(_mine_show, proposal)

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

        `right` replaces the right outcome of an accepted task: text, or a call as `{"tool": ..., "args": {...}}`. The
        edited task is verified first.
        """
        return self._call(_mine_review, environment, proposal, accept, right, note, who)

    def mine_accept(self, environment: "str | EnvironmentSpec", *, who: str = "") -> "AcceptedTasks":
        """Accept every verified task without review. Cases in which a person and the verifier disagree stay open."""
        return self._call(_mine_accept, environment, who)

    # -- whole cycles -------------------------------------------------------------------------------------------------

    def loop(self, recipe: str | Path | Mapping[str, Any], *, verbose: bool = True, **fields: Any) -> "LoopResult":
        """Mine, measure, explain, advise, fix, gate and promote, round after round. A repeated call resumes.

        Returns the rounds and the reason why no further round follows. Further arguments change fields of the recipe:
        `budget={"rounds": 2}`. It prints each step, unless `verbose` is False.
        """
        return self._call(_loop, recipe, fields, verbose)

    def loop_status(self, recipe: str | Path | Mapping[str, Any], **fields: Any) -> "LoopResult":
        """Read the rounds of a loop so far. Runs nothing. The reason is empty if the loop is not finished."""
        return self._call(_loop_status, recipe, fields)

    def quickstart(self) -> Decision:
        """Run the whole cycle on the embedded model and print each step. Takes a quarter of an hour on two cores."""
        return self._call(_quickstart)


# -- the work, on the workspace's thread ------------------------------------------------------------------------------


def _serve(
    folder: "WorkspaceFolder",
    version: Agent,
    upstream: str,
    address: tuple[str, int, str],
    canary: tuple[Agent, float],
    limits: tuple[float, float, int, float],
    traces: tuple[bool, float, int | None, Path | None, "Prices | None"],
) -> "RunningServer":
    try:
        from verigym.servers import serve as serving
    except ModuleNotFoundError as error:
        raise BadInput(
            f"serve needs {error.name}, which the base install leaves out. Run: pip install 'verigym[serve]'"
        ) from error
    from verigym.rollout.settings import Prices
    from verigym.servers.admission import Admission, AdmissionLimits, keys_from
    from verigym.servers.gateway import Gateway
    from verigym.traces.capture import Capture
    from verigym.traces.redaction import Redaction
    from verigym.workspace.workspace import WorkspaceFolder as OpenFolder

    host, port, key_env = address
    max_body, timeout, queue, rate = limits
    captured, capture_rate, keep_days, rules, prices = traces
    keys, redaction = keys_from(key_env, host), Redaction.load(rules)
    name = version if isinstance(version, str) else folder.register(version).id
    candidate = verbs.find_agent(folder, canary[0]) if canary[0] else None
    own = OpenFolder(folder.home)  # the server outlives this call, and the workspace may be closed before it
    served, server_keys = serving.served_version(own, name, upstream)
    listening = serving.listen(host, port)
    try:
        router = serving.open_router(
            own, served, server_keys=server_keys, canary=candidate, share=canary[1], say=verbs.nothing
        )
        capture = (
            Capture(own.home, redaction, rate=capture_rate, keep_days=keep_days, say=verbs.nothing)
            if captured
            else None
        )
    except BaseException:
        listening.close()
        raise
    admission = AdmissionLimits(body=int(max_body * 2**20), seconds=timeout, queue=queue, rate=rate)
    gateway = Gateway(router, Admission(admission, keys), capture=capture, prices=prices or Prices(), say=verbs.nothing)
    return serving.RunningServer(gateway, listening, capture, own)


def _ingest(
    folder: "WorkspaceFolder", files: list[str], name: str, format: str, rules: Any, keep_raw: bool, on_progress: Any
) -> "IngestSummary":
    from verigym.traces import ingest
    from verigym.traces.redaction import Redaction

    redaction = Redaction.load(Path(rules) if rules else None)
    return ingest(
        folder.store,
        folder.home,
        files,
        redaction,
        name=name,
        format=format,
        keep_raw=keep_raw,
        on_progress=on_progress or verbs.nothing,
    )


def _mine(
    folder: "WorkspaceFolder",
    environment: Any,
    runs: Sequence[str],
    held_out_share: float,
    accept: bool,
    who: str,
    on_progress: Any,
) -> "MiningReport":
    from verigym.mining.mine import mine
    from verigym.registry.ledger import current_user

    return mine(
        folder,
        verbs.open_environment(environment),
        runs,
        held_out_share=held_out_share,
        accept=accept,
        who=who or current_user(),
        on_progress=on_progress or verbs.nothing,
    )


def _mined(folder: "WorkspaceFolder", environment: Any, state: "State | None") -> "list[Proposal]":
    from verigym.mining.proposals import read_proposals

    known = read_proposals(folder, environment if isinstance(environment, str) else environment.name)
    return known.by_state(state) if state else list(known.proposals.values())


def _mine_show(folder: "WorkspaceFolder", proposal: str) -> "TaskProvenance":
    from verigym.mining.provenance import task_provenance

    return task_provenance(folder, proposal)


def _mine_review(
    folder: "WorkspaceFolder", environment: Any, proposal: Any, accept: bool, right: str, note: str, who: str
) -> "TaskProvenance":
    from verigym.environments.load import base_and_added, load_environment
    from verigym.mining import proposals
    from verigym.mining.expectations import MissingEvidence
    from verigym.mining.mine import write_accepted
    from verigym.mining.provenance import task_provenance
    from verigym.mining.review import edit_task
    from verigym.registry.ledger import current_user

    spec = verbs.open_environment(environment)
    base, added = base_and_added(spec.name)
    id, known = proposal if isinstance(proposal, str) else proposal.id, proposals.read_proposals(folder, base)
    if id not in known.proposals:
        raise not_found("proposal", id, known.proposals, "List them: mined(environment)")
    if known.state(id) == "taken":
        raise Refused(f"Proposal {id} was already added. It cannot be reviewed again")
    review = proposals.Review(
        proposals=[id],
        answer="accepted" if accept else "rejected",
        who=who or current_user(),
        when=proposals.now(),
        note=note or ("edited" if right else ""),
    )
    if right:
        if not accept or known.proposals[id].case is not None:
            raise BadInput("right edits a task that you accept. Remove it, or pass accept=True with a mined task")
        try:
            task = edit_task(folder, load_environment(base) if added else spec, known.proposals[id], right)
        except MissingEvidence as missing:
            raise Refused(f"Proposal {id} was not accepted. {missing}") from missing
        review = msgspec.structs.replace(review, task=task, right=right.strip())
    proposals.add_review(folder, review)
    write_accepted(folder, base)
    return task_provenance(folder, id)


def _mine_accept(folder: "WorkspaceFolder", environment: Any, who: str) -> "AcceptedTasks":
    from verigym.mining.mine import accept_all
    from verigym.registry.ledger import current_user

    return accept_all(folder, verbs.open_environment(environment).name, who or current_user())


def _open_loop(recipe: str | Path | Mapping[str, Any], fields: dict[str, Any]) -> "Loop":
    from verigym.core.settings import read_yaml
    from verigym.flywheel.loop_recipe import make_loop, read_loop

    if isinstance(recipe, Mapping):
        return make_loop({**recipe, **fields}, [], "loop")
    loop = read_loop(Path(recipe))
    if not fields:
        return loop
    data = read_yaml(Path(recipe), "A loop recipe is a list of keys and values, such as environment: toolcall")
    return make_loop({**data, **fields}, [], str(recipe))


def _loop(folder: "WorkspaceFolder", recipe: Any, fields: dict[str, Any], verbose: bool) -> "LoopResult":
    from verigym.cli.loop import LoopTerminal, SilentScreen
    from verigym.flywheel.loop import play

    return play(folder, _open_loop(recipe, fields), LoopTerminal() if verbose else SilentScreen())


def _loop_status(folder: "WorkspaceFolder", recipe: Any, fields: dict[str, Any]) -> "LoopResult":
    from verigym.flywheel.loop import LoopResult, ended
    from verigym.flywheel.rounds import rounds_of

    loop = _open_loop(recipe, fields)
    return LoopResult(rounds_of(folder, loop.id), ended(folder, loop))


def _quickstart(folder: "WorkspaceFolder") -> Decision:
    from verigym.cli.quickstart import Terminal
    from verigym.flywheel.quickstart import quickstart

    return quickstart(folder, Terminal())
