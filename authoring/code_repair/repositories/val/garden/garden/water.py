from garden.beds import bed
from garden.calendar import thirsty


def litres(texts, start, today, rain=0):
    """Total needed today. From 5 mm of rain half of it suffices, rounded up; from 10 mm watering is needless."""
    due = thirsty(texts, start, today)
    total = sum(amount for name, _, amount in map(bed, texts) if name in due)
    if rain >= 10:
        return 0
    return (total + 1) // 2 if rain >= 5 else total


def cans(texts, start, today, size=10, rain=0):
    """Cans to fetch; a partly filled can is still a can."""
    return -(-litres(texts, start, today, rain) // size)
