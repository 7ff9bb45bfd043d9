from postal.labels import label, total


def test_label_1():
    got = label("Ida", "Hill 3", "Norby", [20, 10, 1], 50)
    assert got == ['Ida', 'Hill 3', 'NORBY', '1.20'], got


def test_label_2():
    got = label("Ida", "Hill 3", "Norby", [20, 10, 1], 50, "Vestland")
    assert got == ['Ida', 'Hill 3', 'NORBY', 'VESTLAND', '2.40'], got


def test_total_3():
    got = total([[[20, 10, 1], 50], [[99, 9, 9], 5]])
    assert got == 120, got
