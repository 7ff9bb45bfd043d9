def minutes(clock):
    """"9:30" is 570."""
    hours, rest = clock.split(":")
    return int(hours) * 60 + int(rest)


def clock(minutes):
    return f"{minutes // 60}:{minutes % 60:02}"
