def shorten(note):
    """Replaces runs by length and sign: "aaab" turns into "3a1b". Notes hold no digits."""
    short, length = "", 0
    for at, sign in enumerate(note):
        length += 1
        if note[at + 1 : at + 2] != sign:
            short += f"{length}{sign}"
            length = 0
    return short


def lengthen(short):
    """Undoes it."""
    note, length = "", 0
    for sign in short:
        if sign.isdigit():
            length = length * 10 + int(sign)
        else:
            note += sign * length
            length = 0
    return note
