"""Rows that chance makes: groups of columns drawn by the thousand until their constraints hold, and why they do not.

A draw that breaks a constraint is thrown away with its whole group, so that what stays is distributed exactly as the columns
are, given the constraints. Draws depend on the seed, the column's name and the number of the chunk alone: never on how many rows
are asked for, nor on other groups.
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
"""Draws at a time."""
SHOWN = 100
"""Rejected rows that are kept for each reason."""


class AcceptanceCount(msgspec.Struct):
    """How many rows came to a constraint, a column or a validator, and how many it let pass."""

    seen: int = 0
    passed: int = 0

    @property
    def share(self) -> float:
        return self.passed / self.seen if self.seen else 1.0


class DesignExhausted(Refused):
    """A set that finds no more rows. `made` is what there was until then."""

    made: Any = None


class RejectedRow(msgspec.Struct, frozen=True):
    reason: str
    row: Json


class RowSampler:
    """The rows of a design as far as chance makes them, one after another."""

    def __init__(self, design: Design, seed: int) -> None:
        uses = order.references(design)
        held = order.constraints(design)
        whole = order.ordered(uses)
        self.dear = order.dear(design, whole, uses)
        self.order = whole
        self.cheap = {name: one for name, one in held.items() if not one.names & self.dear}
        self.later = {name: one for name, one in held.items() if one.names & self.dear}
        """Constraints on columns that are filled afterwards."""
        names = [name for name in whole if name not in self.dear]
        ties = [*({name, *uses[name]} for name in names), *(one.names for one in self.cheap.values())]
        self.groups = [
            ColumnGroup(
                design, members, {n: one for n, one in self.cheap.items() if one.names & set(members)}, uses, seed
            )
            for members in order.groups(names, ties)
        ]

    def rows(self, count: int) -> list[Json]:
        """The next so many."""
        parts = [[{} for _ in range(count)], *(group.take(count) for group in self.groups)]
        return [{name: value for part in row for name, value in part.items()} for row in zip(*parts, strict=True)]

    @property
    def tallies(self) -> dict[str, AcceptanceCount]:
        found = {name: tally for group in self.groups for name, tally in group.tallies.items()}
        return {name: found[name] for name in self.cheap}

    @property
    def rejected(self) -> list[RejectedRow]:
        return [one for group in self.groups for one in group.rejected]

    @property
    def drawn(self) -> int:
        """Draws of the group that needed most."""
        return max((group.drawn for group in self.groups), default=0)


class ColumnGroup:
    """Columns that are drawn together."""

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
        made: dict[str, Any] = {}
        for name, constraint in self.constraints.items():
            self._fill(made, constraint.names, at, chunk)
            held = self._worked(constraint, made, len(at), f'constraint "{name}"').astype(bool)
            tally = self.tallies[name]
            tally.seen += len(at)
            tally.passed += int(held.sum())
            self._keep_some(name, made, ~held, tally)
            at, made = at[held], {column: values[held] for column, values in made.items()}
        if len(at):
            self._fill(made, self.names, at, chunk)
            lists = [made[name].tolist() for name in self.names]
            self._ready += [dict(zip(self.names, row, strict=True)) for row in zip(*lists, strict=True)]
        self.drawn += CHUNK
        self.accepted += len(at)
        self._since = 0 if len(at) else self._since + CHUNK

    def _fill(self, made: dict[str, Any], wanted: Iterable[str], at: Any, chunk: object) -> None:
        """Fills these columns and what they are made of, where it is not there yet."""
        import numpy as np

        needed = self._above(wanted)
        for name in self.names:
            if name in made or name not in needed:
                continue
            if name in self._works:
                made[name] = self._worked(self._works[name], made, len(at), f"columns.{name}")
            else:
                chance = np.random.Generator(np.random.PCG64(derive(self._seed, "column", name, chunk)))
                made[name] = samplers.draw(self.columns[name], chance, at, made, self._values[name])

    def _worked(self, work: Expression | TextTemplate, made: Mapping[str, Any], count: int, what: str) -> Any:
        try:
            return work.values(made, count)
        except BadInput as error:
            raise BadInput(f"{self._where}: {what}: {error}") from error

    def _above(self, wanted: Iterable[str]) -> set[str]:
        found: set[str] = set()
        left = list(wanted)
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left += self._uses[name]
        return found

    def _keep_some(self, name: str, made: Mapping[str, Any], wrong: Any, tally: AcceptanceCount) -> None:
        room = SHOWN - (tally.seen - tally.passed - int(wrong.sum()))
        if room > 0:
            some = {column: values[wrong][:room].tolist() for column, values in made.items()}
            rows = [dict(zip(some, row, strict=True)) for row in zip(*some.values(), strict=True)]
            self.rejected += [RejectedRow(f'constraint "{name}"', row) for row in rows]

    def _why(self) -> str:
        """Which constraint starves the group: looked at on fresh draws, each alone and all but one together."""
        import numpy as np

        made: dict[str, Any] = {}
        at = np.arange(4 * CHUNK)
        self._fill(made, self.names, at, "why")
        held = {name: one.values(made, len(at)).astype(bool) for name, one in self.constraints.items()}
        without = {
            name: np.logical_and.reduce(
                [np.ones(len(at), bool), *(one for other, one in held.items() if other != name)]
            )
            for name in held
        }
        worst = min(held, key=lambda name: (held[name].any(), -without[name].mean(), held[name].mean()))
        alone = held[worst].mean()
        others = [f'"{name}" {_share(one.mean())}' for name, one in held.items() if name != worst]
        text = self.constraints[worst].text
        named = f'"{worst}"' if worst == text else f'"{worst}" ({text})'
        words = [
            f"the constraint {named} starves this set: {self.accepted} rows were found in {self.drawn:,} draws, and none in the "
            f"last {self._since:,}.",
            f"It holds in {_share(alone)} of {len(at):,} fresh draws.",
        ]
        if alone and others:
            words.append(f"Where the other constraints hold, it holds in {_share(_of(held[worst], without[worst]))}.")
        if others:
            words.append(
                f"The others alone: {', '.join(others)}; without it, {_share(without[worst].mean())} would be accepted."
            )
        words.append(
            f"Drawn were {', '.join(_range(name, made[name]) for name in sorted(self.constraints[worst].names))}."
        )
        words.append(
            "Widen these columns or loosen the constraint; what is only rare is found with a higher draws_per_row."
        )
        return " ".join(words)


def _of(held: Any, where: Any) -> float:
    return float(held[where].mean()) if where.any() else 0.0


def _share(share: float) -> str:
    return "none" if not share else f"{100 * share:.3g}%"


def _range(name: str, values: Any) -> str:
    if values.dtype.kind in "if":
        return f"{name} from {values.min():.4g} to {values.max():.4g}"
    kinds = sorted({str(value) for value in values[:1000].tolist()})
    return f"{name}: {', '.join(kinds[:5])}{' and others' if len(kinds) > 5 else ''}"
