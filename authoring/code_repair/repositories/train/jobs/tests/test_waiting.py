from jobs.waiting import delay, waited


def test_delay_1():
    got = delay(1)
    assert got == 0, got


def test_delay_2():
    got = delay(2)
    assert got == 2, got


def test_delay_3():
    got = delay(4)
    assert got == 8, got


def test_waited_4():
    got = waited(3)
    assert got == 6, got
