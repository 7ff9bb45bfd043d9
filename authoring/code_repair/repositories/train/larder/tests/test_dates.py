from larder.dates import days_left, gone_off


def test_gone_off_1():
    got = gone_off([["milk", 1, 4], ["eggs", 6, 9], ["milk", 2, 3]], 5)
    assert got == ['milk'], got


def test_gone_off_2():
    got = gone_off([["milk", 1, 5]], 5)
    assert got == [], got


def test_days_left_3():
    got = days_left([["milk", 1, 8], ["milk", 1, 6]], "milk", 5)
    assert got == 1, got


def test_days_left_4():
    got = days_left([["milk", 1, 8]], "tea", 5)
    assert got == None, got
