from folds.lines import wrap


def points(texts, width):
    """Each text with "- " before its first line and two blanks before the others, which count for the width."""
    out = []
    for text in texts:
        for at, line in enumerate(wrap(text, width - 2)):
            out.append(("- " if at == 0 else "  ") + line)
    return out


def column(texts, side="left"):
    """All as long as the longest, filled with dots. They stand at the left side, or at the right one if asked."""
    width = max(map(len, texts), default=0)
    return [text.rjust(width, ".") if side == "right" else text.ljust(width, ".") for text in texts]
