"""What a run has cost: the machine's time at its price, what episodes paid others for (judges, simulated users), and what a
point of held-out success came to."""

from msgspec import Struct

from verigym.training.curves import History, series


class Cost(Struct, frozen=True, kw_only=True):
    dollars: float
    """Of all steps so far."""
    gained: float | None
    """Points of held-out success, 0 to 100, from the first measurement to the last; none where there are not two."""
    per_point: float | None
    """Dollars spent between the two for each point; none where nothing was gained."""
    words: str


def step_dollars(seconds: float, price_per_hour: float, episodes: float = 0.0) -> float:
    """The machine's seconds, evaluation included, at its price; `episodes` is what the episodes themselves cost."""
    return seconds / 3600 * price_per_hour + episodes


def cost_of(history: History) -> Cost:
    """From each step's `cost` (dollars) and `held_out_success`."""
    dollars = series(history, "cost")
    total = sum(dollars.values())
    measured = series(history, "held_out_success")
    if len(measured) < 2:
        times = "once" if measured else "never"
        words = f"${total:.2f} so far; held-out success was measured {times}, so what a point cost cannot be said"
        return Cost(dollars=total, gained=None, per_point=None, words=words)
    first, last = min(measured), max(measured)
    gained = 100 * (measured[last] - measured[first])
    went = f"{100 * measured[first]:.1f}% at step {first} to {100 * measured[last]:.1f}% at step {last}"
    if gained <= 0:
        words = f"${total:.2f} so far; held-out success went from {went}: nothing was gained, so a point has no price"
        return Cost(dollars=total, gained=gained, per_point=None, words=words)
    per_point = sum(spent for step, spent in dollars.items() if first < step <= last) / gained
    words = f"${total:.2f} so far; held-out success went from {went}: ${per_point:.3g} a point"
    return Cost(dollars=total, gained=gained, per_point=per_point, words=words)
