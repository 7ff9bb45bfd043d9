from harbour.ships import ship


def fee(text, days):
    """Two a metre and day; from the eighth day on half of it, rounded down for the whole stay."""
    length = ship(text)[1]
    return 2 * length * min(days, 7) + length * max(0, days - 7)


def total(stays):
    """Of stays, each a ship and its days; a stay of 0 days costs as much as one day."""
    return sum(fee(text, max(days, 1)) for text, days in stays)
