from gauges.alarms import alarms


def test_alarms_1():
    got = alarms(["1", "1", "9", "9", "9", "1"], 4)
    assert got == [1], got


def test_alarms_2():
    got = alarms(["9", "9", "9", "9"], 4)
    assert got == [0], got


def test_alarms_3():
    got = alarms(["4", "4", "9"], 4, 1)
    assert got == [2], got
