from ledgers.entries import parse_all


def balance(lines, account, until=10**6):
    """Of an account at the end of the day `until`."""
    return sum(amount for day, name, amount in parse_all(lines) if name == account and day <= until)


def overdrawn(lines):
    """The accounts that were below 0 at any time, in alphabetical order."""
    now, found = {}, set()
    for _, name, amount in parse_all(lines):
        now[name] = now.get(name, 0) + amount
        if now[name] < 0:
            found.add(name)
    return sorted(found)
