from inkwell.settings import merged, read


def test_read_1():
    got = read("a = 1\nb = 2\n[net]\nport = 80 # web\n")
    assert got == {'': {'a': 1, 'b': 2}, 'net': {'port': 80}}, got


def test_merged_2():
    got = merged({"a": {"x": 1, "y": 2}}, {"a": {"x": 5}, "b": {"z": 3}})
    assert got == {'a': {'x': 5, 'y': 2}, 'b': {'z': 3}}, got
