from postal.postage import postage


def test_postage_1():
    got = postage([20, 10, 1], 100)
    assert got == 120, got


def test_postage_2():
    got = postage([20, 10, 1], 101)
    assert got == 140, got


def test_postage_3():
    got = postage([40, 30, 20], 900, True)
    assert got == 1360, got


def test_postage_4():
    got = postage([99, 9, 9], 5)
    assert got == -1, got
