from routes.ways import shortest


def clock(minutes):
    """Minutes after midnight as HH:MM; after 23:59 comes 00:00."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def arrival(lines, start, goal, leave, speed):
    """When one arrives who leaves at HH:MM and goes `speed` kilometres an hour; begun minutes count."""
    hours, minutes = leave.split(":")
    needed = -(-shortest(lines, start, goal) * 60 // speed)
    return clock(int(hours) * 60 + int(minutes) + needed)
