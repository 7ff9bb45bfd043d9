from pages.contents import contents, page


def test_contents_1():
    got = contents("# A\n## B\n### C\ntext")
    assert got == ['A', '  B'], got


def test_page_2():
    got = page("# A\n\n- b\nc")
    assert got == ['<h1>A</h1>', '<li>b</li>', '<p>c</p>'], got
