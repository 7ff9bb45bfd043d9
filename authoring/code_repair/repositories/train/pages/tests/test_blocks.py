from pages.blocks import block, level


def test_level_1():
    got = level("## Two")
    assert got == 2, got


def test_block_2():
    got = block("# One *x*")
    assert got == '<h1>One <b>x</b></h1>', got


def test_block_3():
    got = block("- a > b")
    assert got == '<li>a &gt; b</li>', got


def test_block_4():
    got = block("plain")
    assert got == '<p>plain</p>', got
