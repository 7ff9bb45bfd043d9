from tiles.near import neighbours


def test_neighbours_1():
    got = neighbours([[1, 1], [1, 1]], 0, 0)
    assert got == 3, got


def test_neighbours_2():
    got = neighbours([[1, 0, 1], [0, 1, 0]], 1, 1)
    assert got == 2, got


def test_neighbours_3():
    got = neighbours([[1, 0, 1]], 0, 1)
    assert got == 2, got
