"""Numbers in words: counts, shares, intervals, durations and sizes, printed the same way everywhere."""

from decimal import Decimal

from verigym.core.records import Estimate

_PLURALS = {"family": "families", "reply": "replies", "trajectory": "trajectories", "entry": "entries", "try": "tries"}


def counted(count: int, noun: str) -> str:
    """`1 task`, `1,200 families`. Of several words the last one is put into the plural."""
    *before, last = noun.split(" ")
    plural = _PLURALS.get(last, f"{last}s")
    return " ".join([f"{count:,}", *before, last if count == 1 else plural])


def percent(share: float, digits: int = 1) -> str:
    """`12.5%`"""
    return f"{100 * share:.{digits}f}%"


def points(difference: float, digits: int = 1) -> str:
    """A difference of two shares in percentage points: `+3.2`"""
    return f"{100 * difference:+.{digits}f}"


def with_interval(value: float, low: float, high: float) -> str:
    """A share with its interval: `12.5% (7.1% to 20.4%)`"""
    return f"{percent(value)} ({percent(low)} to {percent(high)})"


def duration(seconds: float, *, exact: bool = False) -> str:
    """`45 s`, `12 min`, `3 h 05 min`. With `exact`, `45.2 s`, `12 min 4 s`."""
    if seconds < 60:
        return f"{seconds:.1f} s" if exact else f"{seconds:.0f} s"
    if exact:
        return f"{int(seconds) // 60} min {int(seconds) % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def size(num_bytes: float) -> str:
    """`512 B`, `1.5 kB`, `38 MB`, `2.4 GB`"""
    for unit in ("B", "kB", "MB", "GB"):
        if num_bytes < 1000 or unit == "GB":
            return f"{num_bytes:.0f} {unit}" if unit == "B" or num_bytes >= 10 else f"{num_bytes:.1f} {unit}"
        num_bytes /= 1000
    raise AssertionError("unreachable")


def figure(name: str, estimate: Estimate) -> tuple[str, str]:
    """`12.5%` and `7.1% to 20.4%`. Seconds, tokens and rewards are numbers, cost is in dollars."""
    if name.startswith("cost"):
        return dollars(estimate.value), f"{dollars(estimate.low)} to {dollars(estimate.high)}"
    if name.startswith(("reward", "tokens", "prompt tokens", "latency")):
        return f"{estimate.value:.2f}", interval(estimate.value, estimate.low, estimate.high)
    return percent(estimate.value), f"{percent(estimate.low)} to {percent(estimate.high)}"


def interval(value: float, low: float, high: float) -> str:
    """`0.91 to 1.20`. A bound beyond any use is not printed as a number."""
    useless = 100 * max(abs(value), 0.01)
    return f"{low:.2f} to {high:.2f}" if high - low <= useless else "unknown (too few families)"


def dollars(value: float) -> str:
    """Three significant digits without an exponent: `$0.0000382`."""
    return f"${Decimal(f'{value:.3g}'):f}"


def is_number(text: str) -> bool:
    """Whether a table puts this cell to the right: a number with its unit, or nothing."""
    return (text[:1] in "$-+0123456789" and any(letter.isdigit() for letter in text)) or not text
