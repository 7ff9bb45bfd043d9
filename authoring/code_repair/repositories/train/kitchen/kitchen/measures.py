ML = {"ml": 1, "spoon": 15, "dl": 100, "cup": 250}


def to_ml(count, unit):
    return count * ML[unit]


def from_ml(ml, unit):
    """How many whole ones there are in it."""
    return ml // ML[unit]


def simplest(ml):
    """Count and unit: the largest unit of which it is a whole number."""
    for unit in sorted(ML, key=lambda unit: ML[unit], reverse=True):
        if ml % ML[unit] == 0:
            return [from_ml(ml, unit), unit]
