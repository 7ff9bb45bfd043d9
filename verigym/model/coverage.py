"""What an adapter adapts and what it leaves out, as a record with its words. It needs no torch.

Coverage(total=1000, trained=40, adapted=[Part("q_proj", 600)], left=[Part("embeddings", 400, "not a target")])
"""

from msgspec import Struct


class Part(Struct, frozen=True):
    """Parameters of the model with the same name in every layer."""

    name: str
    """The name of the layer inside its decoder layer, such as `q_proj` or `experts.down_proj`."""
    parameters: int
    why: str = ""
    """Why it is not adapted. Empty if it is."""


class Coverage(Struct, frozen=True, kw_only=True):
    total: int
    """Parameters of the model. Weights that two layers share count once."""
    trained: int
    """Parameters of the adapter."""
    adapted: list[Part]
    left: list[Part]
    """What is not adapted, largest first."""

    @property
    def share(self) -> float:
        """Share of the parameters that are adapted."""
        return sum(part.parameters for part in self.adapted) / max(1, self.total)

    @property
    def summary(self) -> str:
        """One line for the start of training."""
        if not self.adapted and self.trained == self.total:
            return f"All {_short(self.total)} parameters of the model are trained."
        left = f" Not adapted: {self._parts(self.left)}." if self.left else ""
        return f"The adapter covers {_percent(self.share)} of the parameters of the model.{left}"

    @property
    def lines(self) -> list[str]:
        """The words for a dry run and for the start of training."""
        if not self.adapted and self.trained == self.total:
            return [f"training changes all {_short(self.total)} parameters of the model"]
        names = ", ".join(part.name for part in self.adapted)
        first = f"the adapter trains {_short(self.trained)} parameters and adapts {_percent(self.share)} of the model: {names}"
        reasons: dict[str, list[Part]] = {}
        for part in self.left:
            reasons.setdefault(part.why, []).append(part)
        return [first, *(f"not adapted, {why}: {self._parts(parts)}" for why, parts in reasons.items())]

    def _parts(self, parts: list[Part]) -> str:
        return ", ".join(f"{part.name} ({_percent(part.parameters / max(1, self.total))})" for part in parts)


def all_parameters(total: int) -> Coverage:
    """The coverage of training without an adapter."""
    return Coverage(total=total, trained=total, adapted=[], left=[])


def _short(number: int) -> str:
    for size, unit in ((10**9, " billion"), (10**6, " million"), (10**3, " thousand")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return str(number)


def _percent(share: float) -> str:
    return "<0.01%" if 0 < share < 1e-4 else f"{100 * share:.3g}%"
