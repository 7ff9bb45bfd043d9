def parse(text):
    """"v1.20" is [1, 20, 0]: a leading v is dropped, and three figures are always given back."""
    figures = [int(figure) for figure in text.lstrip("v").split(".")]
    return figures + [0] * (3 - len(figures))


def ascending(texts):
    """Oldest release first."""
    return sorted(texts, key=parse)
