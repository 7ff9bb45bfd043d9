from datetime import date


def bed(text):
    """`roses 3d 8l` as name, days from one watering until another, and litres."""
    name, days, litres = text.split()
    return [name, int(days[:-1]), int(litres[:-1])]


def days_between(start, end):
    """Dates look like 2031-04-09."""
    return (date.fromisoformat(end) - date.fromisoformat(start)).days
