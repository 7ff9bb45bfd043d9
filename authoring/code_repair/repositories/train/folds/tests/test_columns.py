from folds.columns import column, points


def test_points_1():
    got = points(["red hat", "cap"], 8)
    assert got == ['- red', '  hat', '- cap'], got


def test_column_2():
    got = column(["ab", "c"])
    assert got == ['ab', 'c.'], got


def test_column_3():
    got = column(["ab", "c"], "right")
    assert got == ['ab', '.c'], got
