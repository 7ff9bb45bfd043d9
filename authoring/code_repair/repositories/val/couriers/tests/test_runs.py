from couriers.runs import lengthen, shorten


def test_shorten_1():
    got = shorten("aaab")
    assert got == '3a1b', got


def test_lengthen_2():
    got = lengthen("3a1b")
    assert got == 'aaab', got


def test_lengthen_3():
    got = lengthen("12x")
    assert got == 'xxxxxxxxxxxx', got


def test_shorten_4():
    got = shorten("")
    assert got == '', got
