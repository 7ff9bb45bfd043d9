def ticket(name, place, urgent=False):
    """A ticket has a name, its place in the order of arrival, and whether it is urgent."""
    return [name, place, urgent]


def ordered(tickets):
    """Urgent ones first, otherwise in the order of arrival."""
    return sorted(tickets, key=lambda one: (not one[2], one[1]))
