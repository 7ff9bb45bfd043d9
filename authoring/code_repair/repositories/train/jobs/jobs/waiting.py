def delay(attempt, base=2, most=60):
    """Seconds before an attempt: none before the first, `base` before the second, then twice as many each time, up to `most`."""
    return 0 if attempt == 1 else min(most, base * 2 ** (attempt - 2))


def waited(attempts):
    """Seconds of so many attempts together."""
    return sum(delay(attempt) for attempt in range(1, attempts + 1))
