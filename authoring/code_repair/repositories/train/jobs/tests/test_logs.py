from jobs.logs import histories, history, job


def test_job_1():
    got = job("backup 5")
    assert got == ['backup', 5], got


def test_job_2():
    got = job("backup high")
    assert got == ['bad: backup high', 0], got


def test_history_3():
    got = history(["ok"], ["1 failed"])
    assert got == ['1 failed', '2 ok'], got


def test_histories_4():
    got = histories({"mail": ["failed", "ok"], "backup": ["ok"]})
    assert got == {'backup': ['1 ok'], 'mail': ['1 failed', '2 ok']}, got
