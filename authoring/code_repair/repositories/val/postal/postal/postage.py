from postal.sizes import kind

BASE = {"letter": 100, "parcel": 500}


def postage(sides, grams, abroad=False):
    """In cents: the base of its kind and 20 for every 100 grams begun; abroad twice as much. Freight has no postage: -1."""
    what = kind(*sides)
    if what not in BASE:
        return -1
    cents = BASE[what] + 20 * -(-grams // 100)
    return 2 * cents if abroad else cents
