from theatre.tickets import takings, ticket


def test_ticket_1():
    got = ticket("B2")
    assert got == 31, got


def test_ticket_2():
    got = ticket("C1", True)
    assert got == 11, got


def test_ticket_3():
    got = ticket("A1", True)
    assert got == 16, got


def test_ticket_4():
    got = ticket("F7")
    assert got == 13, got


def test_takings_5():
    got = takings(["ooo", "oxo"], ["A1", "A2"])
    assert got == [62, 5, 3], got


def test_takings_6():
    got = takings(["ooo"], ["A3", "A1"], 1)
    assert got == [47, 3, 1], got
