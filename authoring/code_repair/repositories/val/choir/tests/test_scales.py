from choir.scales import scale, transpose


def test_scale_1():
    got = scale("C4")
    assert got == ['C4', 'D4', 'E4', 'F4', 'G4', 'A4', 'B4', 'C5'], got


def test_scale_2():
    got = scale("G3")
    assert got == ['G3', 'A3', 'B3', 'C4', 'D4', 'E4', 'F#4', 'G4'], got


def test_transpose_3():
    got = transpose(["C4", "B4"], 2)
    assert got == ['D4', 'C#5'], got
