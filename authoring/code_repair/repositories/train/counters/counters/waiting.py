from counters.queue import serve


def waits(names, minutes, desks=1):
    """How long each has to wait, by name, when every customer takes as many minutes and so many desks are open."""
    rows = serve(names, len(names))[0]
    return {name: at // desks * minutes for at, name in enumerate(rows)}


def longest(names, minutes, desks=1):
    """The longest wait; 0 for nobody."""
    return max(waits(names, minutes, desks).values(), default=0)
