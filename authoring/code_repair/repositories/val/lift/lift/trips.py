from lift.halts import halts


def duration(floor, calls, upward=True):
    """Seconds: 3 per floor travelled in either direction, plus 6 per halt."""
    seconds = 0
    for halt in halts(floor, calls, upward):
        seconds += 3 * abs(halt - floor) + 6
        floor = halt
    return seconds


def day(trips, floor=0):
    """Floors where successive trips end. A trip departs from wherever its predecessor ended; a trip lacking calls stays put."""
    ends = []
    for calls in trips:
        floor = ([floor] + halts(floor, calls))[-1]
        ends.append(floor)
    return ends
