from folds.lines import wrap


def paragraphs(text):
    """What stands between empty lines, each as one line; several empty lines are like one."""
    blocks = [[]]
    for line in text.splitlines():
        if line.strip():
            blocks[-1].append(line.strip())
        else:
            blocks.append([])
    return [" ".join(block) for block in blocks if block]


def folded(text, width):
    """All paragraphs in lines, an empty line between two of them."""
    out = []
    for part in paragraphs(text):
        out += ["", *wrap(part, width)] if out else wrap(part, width)
    return out
