from jobs.plans import by_priority, order


def test_order_1():
    got = order({"report": ["load", "clean"], "clean": ["load"], "load": []})
    assert got == ['load', 'clean', 'report'], got


def test_order_2():
    got = order({"a": ["b"], "b": ["a"], "c": []})
    assert got == ['c', 'stuck: a', 'stuck: b'], got


def test_by_priority_3():
    got = by_priority(["sweep 1", "mail 9", "wash x"])
    assert got == ['mail', 'sweep', 'bad: wash x'], got
