"""A curve without axes, small enough for a table cell: `sparkline([0.2, 0.4, 0.5], title="reward")`."""

from collections.abc import Sequence

from verigym.draw.svg import Drawing, circle, finite, number, path, svg, text


def sparkline(values: Sequence[float], *, title: str = "", width: float = 120, height: float = 24) -> Drawing:
    """One line through the values with a dot at the last. Values that are not finite leave a gap."""
    known = [one for one in values if finite(one)]
    if not known:
        return svg(width, height, f"{title}: no data" if title else "no data", [text(0, height / 2 + 4, "no data")])
    low, high = min(known), max(known)
    step = (width - 8) / max(1, len(values) - 1)

    def to_y(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return height - 4 - share * (height - 8)

    steps, pen, last = [], "M", (4.0, height / 2)
    for index, value in enumerate(values):
        if not finite(value):
            pen = "M"
            continue
        last = (4 + index * step, to_y(value))
        steps.append(f"{pen}{last[0]:.1f} {last[1]:.1f}")
        pen = "L"
    words = f"{len(known):,} values from {number(known[0])} to {number(known[-1])}, lowest {number(low)}, highest {number(high)}"
    body = [path(" ".join(steps), "c0 stroke", width=1.5), circle(*last, 2.5, "c0 fill")]
    return svg(width, height, f"{title}: {words}" if title else words, body)
