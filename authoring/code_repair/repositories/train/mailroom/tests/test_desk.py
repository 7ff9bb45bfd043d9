from mailroom.desk import crowded, unread


def test_crowded_1():
    got = crowded(["a1", "b1", "b2", "a2", "b3", "x"], ["a* -> ann", "b* -> bea"], 1)
    assert got == ['bea', 'ann'], got


def test_crowded_2():
    got = crowded(["a1", "x"], ["a* -> ann"], 1)
    assert got == [], got


def test_unread_3():
    got = unread(["a1", "b1", "a2"], ["a* -> ann"], ["a1"])
    assert got == {'inbox': 1, 'ann': 1}, got
