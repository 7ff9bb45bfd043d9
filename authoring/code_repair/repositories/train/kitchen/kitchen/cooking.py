def length(steps):
    """Minutes for steps (name, minutes) one after the other. A name with + begins together with the step before it."""
    total = last = 0
    for name, minutes in steps:
        if name.startswith("+"):
            total += max(0, minutes - last)
            last = max(last, minutes)
        else:
            total += minutes
            last = minutes
    return total


def begin(serve, steps):
    """When to begin in order to serve at HH:MM; maybe on the evening before."""
    hours, minutes = map(int, serve.split(":"))
    start = (hours * 60 + minutes - length(steps)) % 1440
    return f"{start // 60:02}:{start % 60:02}"
