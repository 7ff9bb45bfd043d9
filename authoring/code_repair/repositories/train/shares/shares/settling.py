from shares.dividing import balances


def settle(given):
    """Who owes most pays whoever is owed most, as much as both allow, and so on; equal ones by name. `given` does not change."""
    left, found = dict(given), []
    while min(left.values(), default=0) < 0 < max(left.values(), default=0):
        poor = min(sorted(left), key=lambda name: left[name])
        rich = max(sorted(left), key=lambda name: left[name])
        amount = min(-left[poor], left[rich])
        left[poor] += amount
        left[rich] -= amount
        found.append(f"{poor} pays {rich} {amount}")
    return found


def statement(lines):
    """The payments, and the balances before them."""
    now = balances(lines)
    return [settle(now), now]
