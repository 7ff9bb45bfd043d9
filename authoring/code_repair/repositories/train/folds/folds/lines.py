def wrap(text, width):
    """Words in lines of at most `width` characters. A word that is longer has a line for itself."""
    lines, now = [], ""
    for word in text.split():
        if now and len(now) + 1 + len(word) > width:
            lines.append(now)
            now = word
        else:
            now = f"{now} {word}" if now else word
    return [*lines, now] if now else lines
