from garden.calendar import postponed, thirsty


def test_thirsty_1():
    got = thirsty(["roses 3d 8l", "herbs 2d 5l"], "2031-04-01", "2031-04-04")
    assert got == ['roses'], got


def test_thirsty_2():
    got = thirsty(["roses 3d 8l"], "2031-04-01", "2031-04-01")
    assert got == ['roses'], got


def test_postponed_3():
    got = postponed(["roses 3d 8l", "herbs 2d 5l"], ["herbs"])
    assert got == ['roses 3d 8l', 'herbs 3d 5l'], got
