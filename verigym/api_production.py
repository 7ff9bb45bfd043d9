"""The `Workspace` methods for production: ingest traces and mine tasks from them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verigym import verbs
from verigym.api_base import WorkspaceBase

if TYPE_CHECKING:
    from verigym.harness.environment import EnvironmentSpec
    from verigym.mining.mine import MiningReport
    from verigym.traces.ingest import IngestSummary


class ProductionVerbs(WorkspaceBase):
    """Methods that work with production traces."""

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
        return self._call(
            verbs.ingest_traces, [str(file) for file in files], name, format, rules, keep_raw, on_progress
        )

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
        return self._call(verbs.mine_traces, environment, runs, held_out_share, accept, who, on_progress)
