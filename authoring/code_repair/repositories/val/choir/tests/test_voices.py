from choir.voices import can_sing, voices, widest_leap


def test_can_sing_1():
    got = can_sing("alto", ["F3", "F5"])
    assert got == True, got


def test_voices_2():
    got = voices(["C4", "E4"])
    assert got == ['bass', 'tenor', 'alto', 'soprano'], got


def test_widest_leap_3():
    got = widest_leap(["C4", "G4", "E3"])
    assert got == 15, got
