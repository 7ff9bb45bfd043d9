def fine(due, back, daily=10):
    """In cents, at most 500: nothing for up to three late days; whoever is later pays `daily` for all of them."""
    late = back - due
    return 0 if late <= 3 else min(500, late * daily)


def owed(loans):
    """Reader to all fines of his loans (reader, due, back) together; who owes nothing is left out."""
    found = {}
    for reader, due, back in loans:
        found[reader] = found.get(reader, 0) + fine(due, back)
    return {reader: cents for reader, cents in found.items() if cents > 0}
