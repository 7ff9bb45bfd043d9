from theatre.chairs import label, position


def sell(plan, names):
    """A new plan in which those chairs are sold. Callers keep their old plan untouched."""
    rows = list(plan)
    for row, chair in map(position, names):
        rows[row] = rows[row][:chair] + "x" + rows[row][chair + 1 :]
    return rows


def adjacent(plan, size):
    """Labels for a party wanting to sit side by side: frontmost row possible, leftmost chairs there. Empty if hopeless."""
    for row, chairs in enumerate(plan):
        start = chairs.find("o" * size)
        if start >= 0:
            return [label(row, chair) for chair in range(start, start + size)]
    return []


def vacancies(plan):
    return "".join(plan).count("o")
