from barriers.moves import states


def cars(events):
    """How many cars went in: those that came while the barrier was open."""
    return sum(event == "car" and before == "open" for event, before in zip(events, states(events)))


def useless(events):
    """The events that changed nothing, in order."""
    rows = states(events)
    return [event for event, before, after in zip(events, rows, rows[1:]) if before == after]
