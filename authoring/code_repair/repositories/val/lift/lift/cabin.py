def enter(people, limit=480):
    """Names of those entering, from a queue of [name, kilograms]. Whoever is too heavy for what remains is skipped."""
    inside, load = [], 0
    for name, kilograms in people:
        if load + kilograms > limit:
            continue
        inside.append(name)
        load += kilograms
    return inside


def journeys(people, limit=480):
    """Cabin after cabin until everybody has gone; people above the limit take the stairs, listed as "stairs: name"."""
    stairs = [f"stairs: {name}" for name, kilograms in people if kilograms > limit]
    waiting = [person for person in people if person[1] <= limit]
    cabins = []
    while waiting:
        cabins.append(enter(waiting, limit))
        waiting = [person for person in waiting if person[0] not in cabins[-1]]
    return [*cabins, stairs]
