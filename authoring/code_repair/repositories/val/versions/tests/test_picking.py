from versions.picking import pick, resolve


def test_pick_1():
    got = pick(["1.9", "1.10", "2.0"], "~1.4")
    assert got == '1.10', got


def test_resolve_2():
    got = resolve({"ink": "<1", "pen": ""}, {"ink": ["1.0"], "pen": ["0.3", "0.12"]})
    assert got == {'ink': 'unmet', 'pen': '0.12'}, got


def test_resolve_3():
    got = resolve({"cap": ""}, {})
    assert got == {'cap': 'absent'}, got
