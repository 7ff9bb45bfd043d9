"""Curves of a training run: metrics in at most so many columns, grouped by the database, and the panels that show them.

A column of several steps keeps its lowest and highest value beside the mean, so a spike is never lost. Which metrics share a
panel is a table here. A metric that the table does not know gets a panel of its own.
"""

import itertools
import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, structs

from verigym.draw.lines import Mark, lines
from verigym.draw.svg import Drawing
from verigym.view.read import Reader

COLUMNS = 800
"""Maximum number of columns of a curve that is sent to a browser."""
DRAWN = 240
"""Maximum number of columns of a curve in a picture."""
_LARGEST = 1e300
"""Values beyond this cannot be drawn and count as not finite."""
_UNKNOWN = 24
"""Maximum number of panels of metrics that the table does not know."""
_CACHED = 8
"""Training runs whose columns are kept."""
Interval = tuple[float, float]


class Curve(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One metric of one run."""

    name: str
    label: str = ""
    run: int = 0
    """Number of the run among those that are drawn over each other."""
    steps: list[int] = []
    """The last step of each column."""
    mean: list[float | None] = []
    low: list[float | None] = []
    """Lowest value of each column, or the low end of the interval. Empty if a column is one step."""
    high: list[float | None] = []
    count: int = 0
    """Number of values, of which `not_finite` are not a number or infinite."""
    not_finite: int = 0

    @property
    def points(self) -> dict[float, float]:
        return {step: math.nan if value is None else value for step, value in zip(self.steps, self.mean, strict=True)}


class AlarmMark(Struct, frozen=True, kw_only=True):
    """An alarm at its step."""

    step: int
    kind: str
    observation: str
    remedy: str
    metric: str
    """The metric that it is about."""
    run: int = 0
    href: str = ""
    """The page zoomed to it."""


class Panel(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Curves that share one chart."""

    id: str
    title: str
    words: str = ""
    """What the chart says, in one sentence."""
    left: list[Curve] = []
    right: list[Curve] = []
    """Curves on an axis of their own on the right."""
    marks: list[AlarmMark] = []

    @property
    def picture(self) -> Drawing:
        """The chart as SVG, for pages without scripts."""
        bands = {curve.label: _band(curve) for curve in self.right}
        series = {curve.label: curve.points for curve in self.left}
        shown = {curve.name: curve.label for curve in self.left if curve.run == 0}
        marks = [Mark(mark.step, mark.kind, shown.get(mark.metric, "")) for mark in self.marks]
        return lines(series, marks=marks, bands=bands, x="step", width=560, height=250)

    @property
    def not_finite(self) -> int:
        return sum(curve.not_finite for curve in [*self.left, *self.right])


class _PanelSpec(Struct, frozen=True, kw_only=True):
    id: str
    title: str
    left: Sequence[str]
    """Names of metrics. A name that ends with a slash stands for all that begin with it."""
    right: Sequence[str] = ()
    with_right: str = ""
    """The title of a panel that also has the curves on the right. `words` are about both."""
    words: str = ""


_PANELS = [
    _PanelSpec(
        id="reward",
        title="Reward",
        with_right="Reward and held-out success",
        left=["reward"],
        right=["held_out_success", "held_out_told_apart"],
        words="If the reward rises while held-out success falls, the reward is being exploited.",
    ),
    _PanelSpec(id="passed", title="Passed", left=["passed", "told_apart", "unsafe", "held_out_unsafe"]),
    _PanelSpec(id="parts", title="Parts of the reward", left=["part/"]),
    _PanelSpec(id="loss", title="Loss", left=["loss"]),
    _PanelSpec(id="kl", title="KL to the reference", left=["kl"], words="How far the model has moved, per token."),
    _PanelSpec(
        id="teacher",
        title="KL to the teacher",
        left=["teacher_kl"],
        words="How far the student is from its teacher, per token. It should fall.",
    ),
    _PanelSpec(
        id="critic",
        title="Critic",
        left=["value_loss", "value_grad_norm"],
        right=["explained_variance"],
        with_right="Critic: its loss, and the share of the returns that it foresees",
        words="A share of 0 or less means that the critic foresees nothing.",
    ),
    _PanelSpec(
        id="entropy", title="Entropy", left=["entropy"], words="Near zero, all replies of a group are the same."
    ),
    _PanelSpec(
        id="length",
        title="Tokens per reply",
        left=["length"],
        right=["truncated"],
        with_right="Tokens per reply, and the share that is cut off",
    ),
    _PanelSpec(id="format", title="Valid format", left=["valid", "held_out_valid"]),
    _PanelSpec(
        id="groups",
        title="Groups with signal",
        left=["live_groups"],
        words="A group whose rewards are all equal teaches nothing.",
    ),
    _PanelSpec(id="clipped", title="Clipped share of tokens", left=["clipped"]),
    _PanelSpec(id="gradient", title="Gradient norm", left=["grad_norm"]),
    _PanelSpec(
        id="sampler",
        title="Difference between sampler and trainer",
        left=["mismatch"],
        words="Mean difference of the logprobs of the same tokens.",
    ),
    _PanelSpec(
        id="ratio",
        title="Ratio of the probabilities of sampler and trainer",
        left=["mismatch_ratio", "mismatch_ratio/"],
        words="Mean ratio of the probabilities of the same tokens, the larger divided by the smaller. Above 1.05 for the newest "
        "version, sampler and trainer compute different models. The ratio of older versions grows, because the model learns.",
    ),
    _PanelSpec(
        id="staleness",
        title="Updates since the version that sampled",
        left=["staleness", "staleness_max"],
        words="Mean and maximum age of the episodes of a step. At most `ahead`.",
    ),
    _PanelSpec(
        id="waits",
        title="Seconds that learner and sampler wait",
        left=["waited_for_episodes_s", "waited_for_learner_s"],
        words="If the learner waits much longer than the sampler, raise `ahead`.",
    ),
    _PanelSpec(id="pairs", title="Preference pairs", left=["margin", "chosen", "rejected", "score"]),
    _PanelSpec(id="unscored", title="Episodes that could not be scored", left=["unscored"]),
    _PanelSpec(
        id="seconds",
        title="Seconds by stage",
        left=["seconds", "sampling_s", "verifying_s", "teacher_s", "update_s", "eval_s"],
    ),
    _PanelSpec(id="speed", title="Tokens per second", left=["tokens_per_s"]),
    _PanelSpec(
        id="held_out_time",
        title="Held-out seconds per episode",
        left=["held_out_latency_s", "held_out_latency_p95_s"],
        words="Time that the model takes to reply, over all turns of an episode. Episodes that run at once slow each other down.",
    ),
    _PanelSpec(id="held_out_tokens", title="Held-out tokens per episode", left=["held_out_tokens"]),
    _PanelSpec(id="held_out_cost", title="Dollars per held-out episode", left=["held_out_cost"]),
    _PanelSpec(id="cost", title="Dollars spent", left=["dollars"]),
]
WORDS = {
    "held_out_success": "held-out success",
    "held_out_told_apart": "held-out pairs told apart",
    "held_out_unsafe": "held-out unsafe",
    "held_out_valid": "held-out valid",
    "held_out_latency_s": "median",
    "held_out_latency_p95_s": "95th percentile",
    "held_out_tokens": "sampled tokens",
    "held_out_cost": "dollars",
    "told_apart": "pairs told apart",
    "length": "tokens per reply",
    "truncated": "share cut off",
    "kl": "KL",
    "teacher_kl": "KL to the teacher",
    "teacher_s": "teacher",
    "value_loss": "loss of the critic",
    "value_grad_norm": "gradient norm of the critic",
    "explained_variance": "explained variance",
    "live_groups": "groups with signal",
    "clipped": "clipped",
    "grad_norm": "gradient norm",
    "mismatch": "difference",
    "mismatch_ratio": "ratio",
    "staleness": "mean",
    "staleness_max": "maximum",
    "waited_for_episodes_s": "learner waits for episodes",
    "waited_for_learner_s": "sampler waits for the learner",
    "unscored": "not scored",
    "seconds": "whole step",
    "sampling_s": "sampling",
    "verifying_s": "verifying",
    "update_s": "update",
    "eval_s": "evaluating",
    "tokens_per_s": "tokens per second",
}
"""Names of metrics as charts show them, where they differ."""
_NOT_SHOWN = ("seen", "tokens", "cost")
"""Metrics that are shown as another one: tokens per second, dollars."""


def extent(reader: Reader, run: str) -> tuple[int, int] | None:
    """The first and the last step with metrics. Two look-ups in the index."""
    first = reader.one("SELECT min(step) FROM metrics WHERE run = ?", run)
    last = reader.one("SELECT max(step) FROM metrics WHERE run = ?", run)
    return None if first is None else (first, last)


class _Column(NamedTuple):
    """Some neighbouring steps of one metric."""

    place: int
    step: int
    """The last one of them."""
    total: int
    finite: int
    mean: float | None
    low: float | None
    high: float | None


_Rows = dict[str, list[_Column]]
"""The columns of each metric, in order."""


def read_curves(
    reader: Reader, run: str, first: int, last: int, columns: int = COLUMNS, names: Sequence[str] = ()
) -> dict[str, Curve]:
    """The metrics of a run from step `first` to `last` by name, in at most so many columns."""
    if (first, last) == extent(reader, run) and not names:
        rows, width = reader.kept("columns of training runs", 0, _ColumnCache).rows(reader, run, first, last)
    else:
        width = width_of(first, last, COLUMNS)
        rows = _columns(reader, run, first, last, width, names)
    times = max(1, width_of(first, last, columns) // width)
    return {name: _curve(name, _joined(made, times)) for name, made in rows.items()}


def width_of(first: int, last: int, columns: int) -> int:
    """Steps in a column: a power of two, so that the columns of a growing run rarely change. Two columns may be cut."""
    width = 1
    while last // width - first // width + 1 > columns:
        width *= 2
    return width


def _columns(reader: Reader, run: str, first: int, last: int, width: int, names: Sequence[str] = ()) -> _Rows:
    """Columns grouped by the database. Values that are not finite are counted and left out."""
    wanted = f"AND name IN ({', '.join('?' for _ in names)})" if names else ""

    def read(good: str) -> list[Any]:
        return reader.rows(
            f"SELECT name, step / ? AS place, max(step), count(*), count(value) {good}, avg(value) {good}, min(value) {good}, "
            f"max(value) {good} FROM metrics WHERE run = ? AND step BETWEEN ? AND ? {wanted} GROUP BY name, place "
            "ORDER BY name, place",
            width, run, first, last, *names,
            seconds=10.0,
        )  # fmt: skip

    found = read("")
    if any(
        low is not None and (low < -_LARGEST or high > _LARGEST) for *_, low, high in found
    ):  # takes longer, and is rare
        found = read(f"FILTER (WHERE value BETWEEN {-_LARGEST} AND {_LARGEST})")
    rows: _Rows = {}
    for name, place, step, total, finite, *values in found:
        rows.setdefault(name, []).append(_Column(place, step, total, finite, *map(_rounded, values)))
    return rows


def _rounded(value: float | None) -> float | None:
    """Six digits are more than a chart shows, and a third of the bytes."""
    return None if value is None else float(f"{value:.6g}")


class _ColumnCache:
    """The columns of the last few runs. A run that goes on is read only from where it was."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[int, int, int, _Rows]] = {}
        self._lock = threading.Lock()

    def rows(self, reader: Reader, run: str, first: int, last: int) -> tuple[_Rows, int]:
        width = width_of(first, last, COLUMNS)
        newest = reader.one("SELECT max(rowid) FROM metrics") or 0
        with self._lock:
            before = self._kept.pop(run, None)
        start, rows = first, _Rows()
        if before is not None and before[:2] == (first, width):
            sql = "SELECT min(step) FROM metrics NOT INDEXED WHERE rowid > ? AND run = ?"
            changed = reader.one(sql, before[2], run)
            start = last + 1 if changed is None else max(first, changed // width * width)
            rows = {name: [one for one in made if one.place < start // width] for name, made in before[3].items()}
            rows = before[3] if changed is None else rows
        if start <= last:
            for name, made in _columns(reader, run, start, last, width).items():
                rows[name] = [*rows.get(name, []), *made]
        with self._lock:
            self._kept[run] = first, width, newest, rows
            for old in list(self._kept)[:-_CACHED]:
                del self._kept[old]
        return rows, width


def _joined(columns: list[_Column], times: int) -> list[_Column]:
    """So many neighbouring columns made one."""
    if times == 1:
        return columns
    made: list[_Column] = []
    for place, some in itertools.groupby(columns, key=lambda one: one.place // times):
        group = list(some)
        known = [one for one in group if one.finite]
        finite = sum(one.finite for one in known)
        mean = _rounded(sum((one.mean or 0.0) * (one.finite / finite) for one in known)) if finite else None
        low = min((one.low for one in known if one.low is not None), default=None)
        high = max((one.high for one in known if one.high is not None), default=None)
        made.append(_Column(place, group[-1].step, sum(one.total for one in group), finite, mean, low, high))
    return made


def _curve(name: str, columns: list[_Column]) -> Curve:
    exact = all(one.low == one.mean == one.high for one in columns)
    return Curve(
        name=name,
        label=WORDS.get(name, name),
        steps=[one.step for one in columns],
        mean=[one.mean for one in columns],
        low=[] if exact else [one.low for one in columns],
        high=[] if exact else [one.high for one in columns],
        count=sum(one.total for one in columns),
        not_finite=sum(one.total - one.finite for one in columns),
    )


def with_derived(curves: Mapping[str, Curve], width: int) -> dict[str, Curve]:
    """The curves with tokens per second and the dollars spent so far. `width` is the number of steps in a column."""
    more: dict[str, Curve] = dict(curves)
    seen, seconds = curves.get("seen"), curves.get("seconds")
    if seen is not None and seconds is not None:
        time_of = dict(zip(seconds.steps, seconds.mean, strict=True))
        rates = [
            tokens / taken if tokens is not None and (taken := time_of.get(step)) else None
            for step, tokens in zip(seen.steps, seen.mean, strict=True)
        ]
        if any(rates):
            more["tokens_per_s"] = _made("tokens_per_s", seen.steps, rates)
    cost = curves.get("cost")
    if cost is not None and any(cost.mean):
        total, spent = 0.0, []
        for value in cost.mean:
            total += (value or 0.0) * width
            spent.append(total)
        more["dollars"] = _made("dollars", cost.steps, spent)
    return {name: curve for name, curve in more.items() if name not in _NOT_SHOWN}


def _made(name: str, steps: list[int], values: Iterable[float | None]) -> Curve:
    return Curve(name=name, label=WORDS.get(name, name), steps=steps, mean=list(values))


def panels_of(curves: Mapping[str, Curve], marks: Sequence[AlarmMark] = ()) -> tuple[list[Panel], int]:
    """The panels of a run, and how many metrics without a panel are left out."""
    left_over = dict(curves)
    panels: list[Panel] = []
    for spec in _PANELS:
        left, right = ([*_taken(left_over, names)] for names in (spec.left, spec.right))
        if _is_nothing(spec, left, right):
            continue
        title = spec.with_right if right and spec.with_right else spec.title
        words = spec.words if right or not spec.right else ""
        panels.append(Panel(id=spec.id, title=title, words=words, left=left, right=right))
    others = sorted(left_over)
    for number, name in enumerate(others[:_UNKNOWN]):
        panels.append(Panel(id=f"other-{number}", title=name, left=[left_over[name]]))
    return [_marked(panel, marks) for panel in panels], max(0, len(others) - _UNKNOWN)


def _is_nothing(spec: _PanelSpec, left: list[Curve], right: list[Curve]) -> bool:
    if spec.id == "unscored":  # zero all along is how it should be
        return not any(value for curve in left for value in curve.mean)
    return not left and not right


def _taken(curves: dict[str, Curve], names: Sequence[str]) -> Iterable[Curve]:
    for name in names:
        if name.endswith("/"):
            for one in [known for known in curves if known.startswith(name)][:8]:
                curve = curves.pop(one)
                yield structs.replace(curve, label=one.removeprefix(name) or one)
        elif name in curves:
            yield curves.pop(name)


def _marked(panel: Panel, marks: Sequence[AlarmMark]) -> Panel:
    """The panel with the alarms about its curves."""
    names = {curve.name for curve in [*panel.left, *panel.right]}
    mine = [mark for mark in marks if mark.metric in names]
    return structs.replace(panel, marks=mine)


def overlaid(panels: Sequence[Panel], others: Sequence[tuple[str, Sequence[Panel]]], first: str) -> list[Panel]:
    """The panels of the first run with the curves of other runs in them. Labels then name the run."""
    made: list[Panel] = []
    for panel in panels:
        left, right = [_of(curve, 0, first) for curve in panel.left], [_of(curve, 0, first) for curve in panel.right]
        for number, (label, theirs) in enumerate(others, start=1):
            same = next((one for one in theirs if one.id == panel.id and not _differ(one, panel)), None)
            left += [_of(curve, number, label) for curve in (same.left if same else [])]
            right += [_of(curve, number, label) for curve in (same.right if same else [])]
        made.append(structs.replace(panel, left=left, right=right))
    return made


def _differ(one: Panel, other: Panel) -> bool:
    """Whether two panels of metrics that the table does not know show different ones."""
    return one.id.startswith("other-") and one.title != other.title


def _of(curve: Curve, run: int, label: str) -> Curve:
    return structs.replace(curve, label=f"{curve.label}, {label}", run=run)


def with_intervals(curve: Curve, intervals: Mapping[int, Interval]) -> Curve:
    """The curve with an interval at the steps that have one."""
    if not intervals:
        return curve
    ends = [intervals.get(step, (value, value)) for step, value in zip(curve.steps, curve.mean, strict=True)]
    return structs.replace(curve, low=[low for low, _ in ends], high=[high for _, high in ends])


def _band(curve: Curve) -> dict[float, tuple[float, float, float]]:
    lows, highs = curve.low or curve.mean, curve.high or curve.mean
    return {
        step: (value, value if low is None else low, value if high is None else high)
        for step, value, low, high in zip(curve.steps, curve.mean, lows, highs, strict=True)
        if value is not None
    }
