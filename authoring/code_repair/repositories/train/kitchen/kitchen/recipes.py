from kitchen.measures import simplest, to_ml


def ingredient(line):
    """`2 cup oat milk` as millilitres and name."""
    count, unit, *name = line.split()
    return [to_ml(int(count), unit), " ".join(name)]


def scaled(lines, people, guests):
    """A recipe for so many people made for so many guests; millilitres are rounded down only in the end."""
    found = []
    for ml, name in map(ingredient, lines):
        count, unit = simplest(ml * guests // people)
        found.append(f"{count} {unit} {name}")
    return found
