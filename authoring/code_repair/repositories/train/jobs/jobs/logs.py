def job(line):
    """`name priority` as a list. A priority that is no number is an error that has to be seen: `bad: line`, with priority 0."""
    name, _, number = line.partition(" ")
    try:
        return [name, int(number)]
    except ValueError:
        return [f"bad: {line}", 0]


def history(outcomes, log=[]):
    """The lines of a log and behind them a numbered one for each outcome. The log that is given does not change."""
    lines = list(log)
    for outcome in outcomes:
        lines.append(f"{len(lines) + 1} {outcome}")
    return lines


def histories(outcomes, head=[]):
    """Of several jobs: the same head for each, and nothing of the others."""
    return {name: history(outcomes[name], head) for name in sorted(outcomes)}
