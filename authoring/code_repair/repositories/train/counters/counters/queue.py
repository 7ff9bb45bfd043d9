from counters.tickets import ordered, ticket


def arrive(names):
    """Tickets for names in the order of arrival; who has an ! at the end is urgent."""
    return [ticket(name.rstrip("!"), place, name.endswith("!")) for place, name in enumerate(names)]


def serve(names, count):
    """The names of the next `count`, and of those who go on waiting."""
    rows = [one[0] for one in ordered(arrive(names))]
    return [rows[:count], rows[count:]]
