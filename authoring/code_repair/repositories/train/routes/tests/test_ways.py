from routes.ways import length_of, shortest


def test_shortest_1():
    got = shortest(["A-B 12", "B-C 3", "A-C 20"], "A", "C")
    assert got == 15, got


def test_shortest_2():
    got = shortest(["A-B 9", "C-D 1"], "A", "D")
    assert got == -1, got


def test_shortest_3():
    got = shortest(["A-B 9", "A-C 1", "C-B 1", "B-D 1"], "D", "A")
    assert got == 3, got


def test_length_of_4():
    got = length_of(["A-B 12", "B-C 3"], ["A", "B", "C"])
    assert got == 15, got
