from counters.waiting import longest, waits


def test_waits_1():
    got = waits(["Ann", "Bo!", "Cy"], 5)
    assert got == {'Bo': 0, 'Ann': 5, 'Cy': 10}, got


def test_waits_2():
    got = waits(["Ann", "Bo", "Cy"], 4, 2)
    assert got == {'Ann': 0, 'Bo': 0, 'Cy': 4}, got


def test_longest_3():
    got = longest(["Ann", "Bo"], 7)
    assert got == 7, got


def test_longest_4():
    got = longest([], 7)
    assert got == 0, got
