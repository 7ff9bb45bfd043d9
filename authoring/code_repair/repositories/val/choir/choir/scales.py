from choir.notes import height, name

MAJOR = [2, 2, 1, 2, 2, 2, 1]


def scale(note):
    """The major scale from a note up to the same note an octave above."""
    at, found = height(note), [note]
    for step in MAJOR:
        at += step
        found.append(name(at))
    return found


def transpose(notes, by):
    """All notes so many half tones higher."""
    return [name(height(note) + by) for note in notes]
