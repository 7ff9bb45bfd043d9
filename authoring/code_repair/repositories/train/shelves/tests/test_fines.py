from shelves.fines import fine, owed


def test_fine_1():
    got = fine(10, 13)
    assert got == 0, got


def test_fine_2():
    got = fine(10, 14)
    assert got == 40, got


def test_fine_3():
    got = fine(10, 90)
    assert got == 500, got


def test_owed_4():
    got = owed([["Uma", 10, 15], ["Uma", 10, 20], ["Per", 9, 9]])
    assert got == {'Uma': 150}, got
