from garden.water import cans, litres


def test_litres_1():
    got = litres(["roses 3d 8l", "herbs 1d 5l"], "2031-04-01", "2031-04-04", 5)
    assert got == 7, got


def test_litres_2():
    got = litres(["roses 3d 8l"], "2031-04-01", "2031-04-04", 12)
    assert got == 0, got


def test_cans_3():
    got = cans(["roses 3d 8l", "herbs 1d 5l"], "2031-04-01", "2031-04-04")
    assert got == 2, got
