from tills.discounts import best_offer
from tills.prices import line_total


def money(cents):
    """As text: 1205 is "12.05"."""
    return f"{cents // 100}.{cents % 100:02}"


def receipt(cart, member=False):
    """A line for each thing in alphabetical order, then the total after discounts."""
    lines = [f"{thing} x{cart[thing]} {money(line_total(thing, cart[thing]))}" for thing in sorted(cart)]
    total = sum(line_total(thing, count) for thing, count in cart.items())
    return [*lines, f"total {money(best_offer(total, member))}"]
