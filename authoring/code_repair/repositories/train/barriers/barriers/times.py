from barriers.moves import states


def open_seconds(timed, end):
    """For how long the barrier was open, from events (second, event) in order until the second `end`."""
    rows = states([event for _, event in timed])
    seconds = [second for second, _ in timed] + [end]
    return sum(seconds[at + 1] - seconds[at] for at in range(len(timed)) if rows[at + 1] == "open")


def report(days):
    """A line for each day of timed events; every day begins with a closed barrier and ends at second 100."""
    return [f"{name}: open for {open_seconds(days[name], 100)} s" for name in days]
