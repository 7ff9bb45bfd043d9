from pages.inline import bold, escape


def test_escape_1():
    got = escape("a < b & c")
    assert got == 'a &lt; b &amp; c', got


def test_bold_2():
    got = bold("a *b* c")
    assert got == 'a <b>b</b> c', got


def test_bold_3():
    got = bold("2 * 3")
    assert got == '2 * 3', got
