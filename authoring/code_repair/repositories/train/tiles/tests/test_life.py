from tiles.life import after


def test_after_1():
    got = after("... ### ...", 1)
    assert got == '.#.\n.#.\n.#.', got


def test_after_2():
    got = after("## ##", 3)
    assert got == '##\n##', got


def test_after_3():
    got = after("#.. .#. ..#", 0)
    assert got == '#..\n.#.\n..#', got
