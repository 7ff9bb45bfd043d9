from folds.parts import folded, paragraphs


def test_paragraphs_1():
    got = paragraphs("a\nb\n\n\nc")
    assert got == ['a b', 'c'], got


def test_folded_2():
    got = folded("one two\n\n\nthree", 5)
    assert got == ['one', 'two', '', 'three'], got
