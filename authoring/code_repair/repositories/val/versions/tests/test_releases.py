from versions.releases import ascending, parse


def test_parse_1():
    got = parse("v1.20")
    assert got == [1, 20, 0], got


def test_ascending_2():
    got = ascending(["1.10", "1.9", "v1.2.1"])
    assert got == ['v1.2.1', '1.9', '1.10'], got
