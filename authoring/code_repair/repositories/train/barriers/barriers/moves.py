MOVES = {
    "closed": {"ticket": "open", "alarm": "locked"},
    "open": {"car": "closed", "timeout": "closed", "alarm": "locked"},
    "locked": {"key": "closed"},
}


def move(state, event):
    """The state after an event. One that is not listed for the state changes nothing."""
    return MOVES[state].get(event, state)


def states(events, state="closed"):
    """The first state, and the one after each event."""
    found = [state]
    for event in events:
        found.append(move(found[-1], event))
    return found
