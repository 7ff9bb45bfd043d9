from barriers.counts import cars, useless


def test_cars_1():
    got = cars(["car", "ticket", "car", "car"])
    assert got == 1, got


def test_useless_2():
    got = useless(["car", "ticket", "ticket", "car"])
    assert got == ['car', 'ticket'], got
