from harbour.ships import ship


def fits(text, berth, tide=0):
    """A berth is length and depth; a ship needs a metre of water below it, and the tide adds to the depth."""
    _, length, draught = ship(text)
    return length <= berth[0] and draught + 1 <= berth[1] + tide


def assign(ships, berths, tide=0):
    """Ships in order, each to the smallest free berth that it fits; name to number of the berth, or -1."""
    free, found = dict(enumerate(berths)), {}
    for text in ships:
        good = [at for at in free if fits(text, free[at], tide)]
        best = min(good, key=lambda at: free[at][0], default=-1)
        free.pop(best, None)
        found[ship(text)[0]] = best
    return found
