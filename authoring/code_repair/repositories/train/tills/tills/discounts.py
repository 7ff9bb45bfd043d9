def percent_off(amount, percent):
    """The amount less so many percent, rounded to the nearest cent, half a cent up."""
    return (amount * (100 - percent) + 50) // 100


def best_offer(amount, member):
    """Members get 10 percent off, and everybody 5 percent from 2000 cents on; only the better one counts."""
    percent = 5 if amount >= 2000 else 0
    if member:
        percent = max(percent, 10)
    return percent_off(amount, percent)
