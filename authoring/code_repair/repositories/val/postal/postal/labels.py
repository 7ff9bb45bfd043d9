from postal.postage import postage


def label(name, street, town, sides, grams, country=""):
    """Lines of a label: name, street, town in capitals, country if there is one, and the postage."""
    cents = postage(sides, grams, bool(country))
    paid = f"{cents // 100}.{cents % 100:02}" if cents >= 0 else "by agreement"
    return [line for line in [name, street, town.upper(), country.upper(), paid] if line]


def total(items):
    """Of items with postage, each sides and grams; freight is left out."""
    return sum(cents for cents in (postage(sides, grams) for sides, grams in items) if cents >= 0)
