from ledgers.entries import parse, parse_all


def test_parse_1():
    got = parse("3 Rent -500")
    assert got == [3, 'rent', -500], got


def test_parse_all_2():
    got = parse_all(["# a", "", "4 b 1", "2 a 5", "4 a 2"])
    assert got == [[2, 'a', 5], [4, 'b', 1], [4, 'a', 2]], got
