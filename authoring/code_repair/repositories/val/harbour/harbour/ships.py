def ship(text):
    """`name length draught` as a list; metres are whole numbers."""
    *name, length, draught = text.split()
    return [" ".join(name), int(length), int(draught)]
