from tills.prices import line_total, price_of


def test_price_of_1():
    got = price_of("Bread")
    assert got == 250, got


def test_line_total_2():
    got = line_total("apple", 3)
    assert got == 120, got


def test_line_total_3():
    got = line_total("apple", 4)
    assert got == 120, got


def test_line_total_4():
    got = line_total("dates", 9)
    assert got == 840, got
