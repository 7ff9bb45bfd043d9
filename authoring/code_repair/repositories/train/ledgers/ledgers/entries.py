def parse(line):
    """A line is `day account amount`; returns day, account and amount as a list."""
    day, account, amount = line.split()
    return [int(day), account.lower(), int(amount)]


def parse_all(lines):
    """Empty lines and those that begin with # are left out; the rest is sorted by day, otherwise in order."""
    rows = [parse(line) for line in lines if line.strip() and not line.startswith("#")]
    return sorted(rows, key=lambda row: row[0])
