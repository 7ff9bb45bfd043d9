from pages.blocks import block, level


def contents(text, deepest=2):
    """The headings down to a level, each with two blanks for every level below the first."""
    lines = [line for line in text.splitlines() if 0 < level(line) <= deepest]
    return ["  " * (level(line) - 1) + line.lstrip("# ") for line in lines]


def page(text):
    """Every line that is not empty as a block."""
    return [block(line) for line in text.splitlines() if line.strip()]
