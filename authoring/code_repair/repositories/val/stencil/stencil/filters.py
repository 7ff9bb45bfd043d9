FILTERS = {
    "upper": str.upper,
    "trim": str.strip,
    "initial": lambda text: text[:1],
    "quoted": lambda text: f"'{text}'",
}


def apply(text, filters):
    """Runs the leftmost filter first. An unknown filter must not pass unnoticed; it hands on `?filter?`."""
    for each in filters:
        text = FILTERS[each](text) if each in FILTERS else f"?{each}?"
    return text
