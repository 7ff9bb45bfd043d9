"""Samples groups of columns in chunks until their constraints hold.

A draw that breaks a constraint is dropped with its whole group, so accepted rows have the exact conditional distribution. Draws
depend only on the seed, the column's name and the chunk's number, never on the number of rows or on other groups.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from verigym.core.errors import BadInput, Refused
from verigym.core.records import Json
from verigym.core.seeds import derive
from verigym.design import order, samplers
from verigym.design.expressions import Expression, TextTemplate
from verigym.design.spec import Design, expressions_of

CHUNK = 4096
"""Draws per chunk."""
SHOWN = 100
"""Rejected rows that are stored per reason."""


class AcceptanceCount(msgspec.Struct):
    """How many rows a constraint, column or validator saw, and how many passed."""

    seen: int = 0
    passed: int = 0

    @property
    def share(self) -> float:
        return self.passed / self.seen if self.seen else 1.0


class DesignExhausted(Refused):
    """No more rows can be generated. `result` holds the rows so far."""

    result: Any = None


class RejectedRow(msgspec.Struct, frozen=True):
    reason: str
    row: Json


class RowSampler:
    """Samples the rows of a design, without its costly columns."""

    def __init__(self, design: Design, seed: int) -> None:
        uses = order.references(design)
        held = order.constraints(design)
        self.order = order.ordered(uses)
        self.costly = order.costly(design, self.order, uses)
        self.cheap = {name: constraint for name, constraint in held.items() if not constraint.names & self.costly}
        self.later = {name: constraint for name, constraint in held.items() if constraint.names & self.costly}
        """Constraints on costly columns."""
        names = [name for name in self.order if name not in self.costly]
        ties = [*({name, *uses[name]} for name in names), *(constraint.names for constraint in self.cheap.values())]
        self.groups: list[ColumnGroup] = []
        for members in order.groups(names, ties):
            own = {name: constraint for name, constraint in self.cheap.items() if constraint.names & set(members)}
            self.groups.append(ColumnGroup(design, members, own, uses, seed))

    def rows(self, count: int) -> list[Json]:
        """The next `count` rows."""
        parts = [[{} for _ in range(count)], *(group.take(count) for group in self.groups)]
        return [{name: value for part in row for name, value in part.items()} for row in zip(*parts, strict=True)]

    @property
    def tallies(self) -> dict[str, AcceptanceCount]:
        tallies = {name: tally for group in self.groups for name, tally in group.tallies.items()}
        return {name: tallies[name] for name in self.cheap}

    @property
    def rejected(self) -> list[RejectedRow]:
        return [row for group in self.groups for row in group.rejected]

    @property
    def drawn(self) -> int:
        """Draws of the group that needed the most."""
        return max((group.drawn for group in self.groups), default=0)


class ColumnGroup:
    """Columns that are sampled together."""

    def __init__(
        self,
        design: Design,
        names: list[str],
        constraints: Mapping[str, Expression],
        uses: Mapping[str, set[str]],
        seed: int,
    ) -> None:
        self.names, self.constraints = names, constraints
        self.columns: dict[str, Any] = {name: design.spec.columns[name] for name in names}
        self.tallies = {name: AcceptanceCount() for name in constraints}
        self.rejected: list[RejectedRow] = []
        self.drawn = 0
        self.accepted = 0
        self._uses, self._seed, self._where = uses, seed, design.where
        self._patience = design.spec.draws_per_row
        self._since = 0
        self._values = {name: samplers.values_of(column, design.folder) for name, column in self.columns.items()}
        self._works = {name: work[0] for name, column in self.columns.items() if (work := expressions_of(column))}
        self._ready: deque[Json] = deque()

    def take(self, count: int) -> list[Json]:
        while len(self._ready) < count:
            self._chunk()
            if self._since >= self._patience:
                raise DesignExhausted(self._why())
        return [self._ready.popleft() for _ in range(count)]

    def _chunk(self) -> None:
        import numpy as np

        chunk = self.drawn // CHUNK
        at = np.arange(self.drawn, self.drawn + CHUNK)
        columns: dict[str, Any] = {}
        for name, constraint in self.constraints.items():
            self._fill(columns, constraint.names, at, chunk)
            held = self._worked(constraint, columns, len(at), f'constraint "{name}"').astype(bool)
            tally = self.tallies[name]
            tally.seen += len(at)
            tally.passed += int(held.sum())
            self._keep_some(name, columns, ~held, tally)
            at, columns = at[held], {column: values[held] for column, values in columns.items()}
        if len(at):
            self._fill(columns, self.names, at, chunk)
            lists = [columns[name].tolist() for name in self.names]
            self._ready += [dict(zip(self.names, row, strict=True)) for row in zip(*lists, strict=True)]
        self.drawn += CHUNK
        self.accepted += len(at)
        self._since = 0 if len(at) else self._since + CHUNK

    def _fill(self, columns: dict[str, Any], wanted: Iterable[str], at: Any, chunk: object) -> None:
        """Fills the wanted columns and those that they depend on, unless they are filled already."""
        import numpy as np

        needed = set(wanted)
        for name in reversed(self.names):  # a column comes after those that it depends on
            if name in needed:
                needed |= self._uses[name]
        for name in self.names:
            if name in columns or name not in needed:
                continue
            if name in self._works:
                columns[name] = self._worked(self._works[name], columns, len(at), f"columns.{name}")
            else:
                chance = np.random.Generator(np.random.PCG64(derive(self._seed, "column", name, chunk)))
                columns[name] = samplers.draw(self.columns[name], chance, at, columns, self._values[name])

    def _worked(self, work: Expression | TextTemplate, columns: Mapping[str, Any], count: int, what: str) -> Any:
        try:
            return work.values(columns, count)
        except BadInput as error:
            raise BadInput(f"{self._where}: {what}: {error}") from error

    def _keep_some(self, name: str, columns: Mapping[str, Any], wrong: Any, tally: AcceptanceCount) -> None:
        room = SHOWN - (tally.seen - tally.passed - int(wrong.sum()))
        if room > 0:
            some = {column: values[wrong][:room].tolist() for column, values in columns.items()}
            rows = [dict(zip(some, row, strict=True)) for row in zip(*some.values(), strict=True)]
            self.rejected += [RejectedRow(f'constraint "{name}"', row) for row in rows]

    def _why(self) -> str:
        """Names the constraint that cannot be met. Evaluates each one, and all others together, on new draws."""
        import numpy as np

        columns: dict[str, Any] = {}
        at = np.arange(4 * CHUNK)
        self._fill(columns, self.names, at, "why")
        held = {name: constraint.values(columns, len(at)).astype(bool) for name, constraint in self.constraints.items()}
        without = {
            name: np.logical_and.reduce([np.ones(len(at), bool), *(held[other] for other in held if other != name)])
            for name in held
        }
        worst = min(held, key=lambda name: (held[name].any(), -without[name].mean(), held[name].mean()))
        alone, rest = held[worst].mean(), without[worst]
        others = [f'"{name}" {_share(values.mean())}' for name, values in held.items() if name != worst]
        text = self.constraints[worst].text
        named = f'"{worst}"' if worst == text else f'"{worst}" ({text})'
        ranges = ", ".join(_range(name, columns[name]) for name in sorted(self.constraints[worst].names))
        parts = [
            f"The constraint {named} cannot be met. {self.accepted} rows were accepted in {self.drawn:,} draws, none in the "
            f"last {self._since:,}.",
            f"It holds in {_share(alone)} of {len(at):,} new draws.",
        ]
        if alone and others:
            given = _share(held[worst][rest].mean() if rest.any() else 0.0)
            parts.append(f"It holds in {given} of the draws in which the other constraints hold.")
        if others:
            parts.append(f"Each other constraint alone: {', '.join(others)}.")
            parts.append(f"Without it, {_share(rest.mean())} of the draws would be accepted.")
        parts.append(f"The draws have {ranges}.")
        parts.append("Widen these columns or loosen the constraint. If such rows are only rare, raise draws_per_row.")
        return " ".join(parts)


def _share(share: float) -> str:
    return "none" if not share else f"{100 * share:.3g}%"


def _range(name: str, values: Any) -> str:
    if values.dtype.kind in "if":
        return f"{name} from {values.min():.4g} to {values.max():.4g}"
    kinds = sorted({str(value) for value in values[:1000].tolist()})
    return f"{name}: {', '.join(kinds[:5])}{' and others' if len(kinds) > 5 else ''}"
