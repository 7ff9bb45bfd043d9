from stencil.filters import apply


def test_apply_1():
    got = apply("oslo", ["upper", "quoted"])
    assert got == "'OSLO'", got


def test_apply_2():
    got = apply(" oslo", ["trim", "initial"])
    assert got == 'o', got


def test_apply_3():
    got = apply("a", ["blink"])
    assert got == '?blink?', got
