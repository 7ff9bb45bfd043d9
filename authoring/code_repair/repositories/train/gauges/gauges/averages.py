def mean(values):
    """Rounded down; 0 for none."""
    return sum(values) // len(values) if values else 0


def moving(values, width):
    """The mean of each stretch of `width` neighbours."""
    return [mean(values[at : at + width]) for at in range(len(values) - width + 1)]
