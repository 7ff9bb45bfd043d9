from counters.queue import arrive, serve


def test_arrive_1():
    got = arrive(["Ann", "Bo!"])
    assert got == [['Ann', 0, False], ['Bo', 1, True]], got


def test_serve_2():
    got = serve(["Ann", "Bo!", "Cy"], 2)
    assert got == [['Bo', 'Ann'], ['Cy']], got


def test_serve_3():
    got = serve(["Ann"], 3)
    assert got == [['Ann'], []], got
