from tills.discounts import best_offer, percent_off


def test_percent_off_1():
    got = percent_off(1000, 10)
    assert got == 900, got


def test_percent_off_2():
    got = percent_off(45, 10)
    assert got == 41, got


def test_best_offer_3():
    got = best_offer(1999, False)
    assert got == 1999, got


def test_best_offer_4():
    got = best_offer(2000, False)
    assert got == 1900, got


def test_best_offer_5():
    got = best_offer(3000, True)
    assert got == 2700, got
