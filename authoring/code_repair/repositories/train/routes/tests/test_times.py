from routes.times import arrival, clock


def test_clock_1():
    got = clock(75)
    assert got == '01:15', got


def test_clock_2():
    got = clock(1450)
    assert got == '00:10', got


def test_arrival_3():
    got = arrival(["A-B 30"], "A", "B", "09:40", 60)
    assert got == '10:10', got


def test_arrival_4():
    got = arrival(["A-B 10"], "A", "B", "09:00", 70)
    assert got == '09:09', got
