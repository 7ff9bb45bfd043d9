from choir.notes import height

RANGES = {"bass": ["E2", "E4"], "tenor": ["C3", "C5"], "alto": ["F3", "F5"], "soprano": ["C4", "C6"]}


def can_sing(voice, notes):
    """Whether all notes are in its range, both ends included."""
    low, high = map(height, RANGES[voice])
    return all(low <= height(note) <= high for note in notes)


def voices(notes):
    """Those that can sing it, the lowest first."""
    return [voice for voice in RANGES if can_sing(voice, notes)]


def widest_leap(notes):
    """The largest distance between neighbours, up or down; 0 for fewer than two."""
    return max((abs(height(two) - height(one)) for one, two in zip(notes, notes[1:])), default=0)
