from larder.stock import Stock


def gone_off(rows, today):
    """The things that went off before `today`, in alphabetical order, each once."""
    return sorted({thing for thing, _, day in Stock(rows).rows if day < today})


def days_left(rows, thing, today):
    """Days until the first of a thing goes off; none where there is none of it."""
    days = [day - today for name, _, day in rows if name == thing]
    return min(days) if days else None
