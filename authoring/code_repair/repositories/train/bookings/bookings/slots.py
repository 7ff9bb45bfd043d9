from bookings.clocks import minutes


def stretch(text, length=30):
    """"9:00-9:45" as start and end in minutes; "9:00" alone lasts half an hour, unless a length is given."""
    start, _, end = text.partition("-")
    begin = minutes(start)
    return [begin, minutes(end) if end else begin + length]


def overlap(one, two):
    """Whether two stretches share time; one may begin in the minute in which the other ends."""
    return one[0] < two[1] and two[0] < one[1]
