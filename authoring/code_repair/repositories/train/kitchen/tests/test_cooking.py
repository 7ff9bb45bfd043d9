from kitchen.cooking import begin, length


def test_length_1():
    got = length([["chop", 10], ["boil", 20], ["+fry", 15], ["+bake", 30]])
    assert got == 40, got


def test_begin_2():
    got = begin("18:30", [["boil", 45]])
    assert got == '17:45', got


def test_begin_3():
    got = begin("00:20", [["rest", 30]])
    assert got == '23:50', got
