from tiles.board import parse, show


def test_parse_1():
    got = parse("#. .#")
    assert got == [[1, 0], [0, 1]], got


def test_show_2():
    got = show([[1, 0], [0, 1]])
    assert got == '#.\n.#', got
