from barriers.times import open_seconds, report


def test_open_seconds_1():
    got = open_seconds([[5, "ticket"], [12, "car"], [20, "ticket"]], 30)
    assert got == 17, got


def test_report_2():
    got = report({"Monday": [[10, "ticket"], [15, "timeout"]], "Tuesday": [[90, "ticket"]]})
    assert got == ['Monday: open for 5 s', 'Tuesday: open for 10 s'], got
