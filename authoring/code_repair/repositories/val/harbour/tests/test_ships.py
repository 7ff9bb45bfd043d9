from harbour.ships import ship


def test_ship_1():
    got = ship("Sea Mist 12 3")
    assert got == ['Sea Mist', 12, 3], got
