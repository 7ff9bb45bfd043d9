from shelves.finding import common, find


def test_find_1():
    got = find(["Salt Sea", "Red Sea", "Red Salt"], "sea red")
    assert got == ['Red Sea'], got


def test_find_2():
    got = find(["Salt Sea"], "The")
    assert got == [], got


def test_find_3():
    got = find(["Life by the Sea"], "The Sea")
    assert got == ['Life by the Sea'], got


def test_common_4():
    got = common(["Salt Sea", "Red Sea"])
    assert got == ['sea'], got
