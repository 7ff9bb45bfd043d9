from shares.amounts import expense


def parts(amount, names):
    """Each the same in whole cents; what is left over is a cent more for the first names."""
    each, over = divmod(amount, len(names))
    return {name: each + (1 if place < over else 0) for place, name in enumerate(names)}


def balances(lines):
    """Name to what was paid less what was used."""
    found = {}
    for payer, amount, names in map(expense, lines):
        found[payer] = found.get(payer, 0) + amount
        for name, part in parts(amount, names).items():
            found[name] = found.get(name, 0) - part
    return found
