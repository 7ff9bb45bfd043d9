from ledgers.balances import balance


def interest(cents, percent, years):
    """What is earned in whole years: each year is rounded down, and earns interest itself."""
    earned = 0
    for _ in range(years):
        earned += (cents + earned) * percent // 100
    return earned


def statement(lines, account, percent):
    """Balance, and what it earns in one year; a debt earns nothing."""
    now = balance(lines, account)
    return [now, interest(now, percent, 1) if now > 0 else 0]
