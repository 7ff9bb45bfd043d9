from mailroom.sorting import deliver, queue_for


def test_queue_for_1():
    got = queue_for("Bill overdue", ["bill* -> money", "bill over* -> urgent"])
    assert got == 'urgent', got


def test_queue_for_2():
    got = queue_for("hello", ["bill* -> money"])
    assert got == 'inbox', got


def test_deliver_3():
    got = deliver(["bill 1", "hello", "bill 2"], ["BILL* -> money"])
    assert got == {'money': ['bill 1', 'bill 2'], 'inbox': ['hello']}, got
