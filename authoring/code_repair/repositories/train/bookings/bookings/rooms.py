from bookings.clocks import clock, minutes
from bookings.slots import overlap, stretch


def free_rooms(taken, wanted):
    """Of rooms with what is booked in them, those that are free then, in alphabetical order."""
    want = stretch(wanted)
    return sorted(room for room, texts in taken.items() if not any(overlap(stretch(text), want) for text in texts))


def gaps(texts, opens="8:00", closes="18:00"):
    """When nobody has the room. Bookings may lie within each other."""
    now, found = minutes(opens), []
    for begin, end in sorted(stretch(text) for text in texts):
        if begin > now:
            found.append(f"{clock(now)}-{clock(begin)}")
        now = max(now, end)
    return [*found, f"{clock(now)}-{closes}"] if now < minutes(closes) else found


def moved(taken, text, old, new):
    """All rooms after a booking went from one to another; what is given stays as it is."""
    after = {room: list(texts) for room, texts in taken.items()}
    after[old].remove(text)
    after[new].append(text)
    return after


def comparison(taken, text, old, new):
    """How many bookings the old room has, before and after the move."""
    after = moved(taken, text, old, new)
    return [len(taken[old]), len(after[old])]
