"""How well a version still predicts plain English: nats per token on passages that nobody trains on.

No chat template and no sampling: the model's own forward over each passage (see `policies.local.passages`). Tuning that
ruins a model shows here first, and without a verifier. Figures of two versions can be compared where their base model,
and so their tokens, are the same.
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
    """The version."""
    base: str
    """Its base model, whose tokens these are."""
    text: str
    """Hash of the passages."""
    nats: dict[str, float]
    """Passage to nats per token: the mean of -log p over its tokens but the first."""
    tokens: dict[str, int]
    """Passage to the number of tokens that were predicted."""

    @property
    def mean(self) -> float:
        """Over passages, each counted once."""
        return fmean(self.nats.values())


def perplexity(ws: WorkspaceFolder, version: Version, of: Sequence[Passage] | None = None) -> PerplexityReport:
    """The version on the shipped passages, or on others. What was measured once is found again, and no model is loaded."""
    chosen = passages() if of is None else list(of)
    if not chosen:
        raise Refused("there is no passage to measure perplexity on; give at least one")
    name = version.label
    if version.is_remote:
        raise Refused(
            f"{name} is behind a server, which tells no probabilities of given text: its perplexity is not measured; "
            "its success on retention_eval can be"
        )
    text = content_hash(chosen)
    id = content_hash([version.id, text])[:12]
    known = ws.store.get("perplexity", id, PerplexityReport)
    if known is not None:
        return known
    policy = ws.policy(version)  # refuses what does not answer
    from verigym.policies.local.perplexity import nats_per_token

    found = nats_per_token(policy, [each.text for each in chosen])  # type: ignore[arg-type]
    report = PerplexityReport(
        id=id,
        agent=version.id,
        base=version.base,
        text=text,
        nats={each.id: one.nats for each, one in zip(chosen, found, strict=True)},
        tokens={each.id: one.tokens for each, one in zip(chosen, found, strict=True)},
    )
    ws.store.put("perplexity", id, report)
    return report
