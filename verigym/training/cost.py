"""The cost of a training run: machine time, paid calls of its episodes (judges, simulated users), and the cost per point of
held-out success."""

from msgspec import Struct

from verigym.training.curves import History, series


class Cost(Struct, frozen=True, kw_only=True):
    dollars: float
    """Cost of all steps so far."""
    gained: float | None
    """Gain of held-out success in points (0 to 100) from the first evaluation to the last. None with fewer than two."""
    per_point: float | None
    """Dollars per point between the two evaluations. None if nothing was gained."""
    words: str


def step_dollars(seconds: float, price_per_hour: float, episodes: float = 0.0) -> float:
    """The cost of a step: machine time including evaluation, and `episodes`, the dollars that its episodes cost."""
    return seconds / 3600 * price_per_hour + episodes


def cost_of(history: History) -> Cost:
    """The cost of a run, computed from the metrics `cost` (dollars) and `held_out_success` of each step."""
    dollars = series(history, "cost")
    total = sum(dollars.values())
    measured = series(history, "held_out_success")
    if len(measured) < 2:
        times = "once" if measured else "never"
        words = f"${total:.2f} so far. Held-out success was measured {times}, so the cost per point is unknown"
        return Cost(dollars=total, gained=None, per_point=None, words=words)
    first, last = min(measured), max(measured)
    gained = 100 * (measured[last] - measured[first])
    went = f"{100 * measured[first]:.1f}% at step {first} to {100 * measured[last]:.1f}% at step {last}"
    if gained <= 0:
        words = (
            f"${total:.2f} so far. Held-out success went from {went}. It did not rise, so there is no cost per point"
        )
        return Cost(dollars=total, gained=gained, per_point=None, words=words)
    per_point = sum(spent for step, spent in dollars.items() if first < step <= last) / gained
    words = f"${total:.2f} so far. Held-out success went from {went}: ${per_point:.3g} per point"
    return Cost(dollars=total, gained=gained, per_point=per_point, words=words)
