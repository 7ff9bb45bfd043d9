"""The perplexity of a version on plain English: nats per token on passages that are never trained on.

It uses the model's forward pass over each passage, without chat template or sampling. It detects training that damages a
model, without a verifier. You can compare two versions if they have the same base model and so the same tokens.
"""

from collections.abc import Sequence
from statistics import fmean

from msgspec import Struct

from verigym.core.errors import Refused
from verigym.core.records import Version, content_hash
from verigym.environments.retention import Passage, passages
from verigym.workspace.workspace import WorkspaceFolder


class PerplexityReport(Struct, frozen=True, kw_only=True):
    id: str
    agent: str
    """The id of the version."""
    base: str
    """The base model, which defines the tokens."""
    text: str
    """Hash of the passages."""
    nats: dict[str, float]
    """Nats per token by passage: the mean of -log p over all tokens except the first."""
    tokens: dict[str, int]
    """Number of predicted tokens by passage."""

    @property
    def mean(self) -> float:
        """The mean over passages with equal weights."""
        return fmean(self.nats.values())


def perplexity(ws: WorkspaceFolder, version: Version, of: Sequence[Passage] | None = None) -> PerplexityReport:
    """Measures the version on the shipped passages, or on others. A stored result is reused without loading a model."""
    chosen = passages() if of is None else list(of)
    if not chosen:
        raise Refused("Perplexity needs at least one passage. Pass one")
    if version.is_remote:
        raise Refused(
            f"{version.label} is behind a server, so its perplexity cannot be measured. "
            "Measure its success on retention_eval instead"
        )
    text = content_hash(chosen)
    id = content_hash([version.id, text])[:12]
    stored = ws.store.get("perplexity", id, PerplexityReport)
    if stored is not None:
        return stored
    policy = ws.policy(version)  # refuses a reward model
    from verigym.policies.local.scorer import nats_per_token

    losses = nats_per_token(policy, [passage.text for passage in chosen])  # type: ignore[arg-type]
    by_passage = {passage.id: loss for passage, loss in zip(chosen, losses, strict=True)}
    report = PerplexityReport(
        id=id,
        agent=version.id,
        base=version.base,
        text=text,
        nats={id: loss.nats for id, loss in by_passage.items()},
        tokens={id: loss.tokens for id, loss in by_passage.items()},
    )
    ws.store.put("perplexity", id, report)
    return report
