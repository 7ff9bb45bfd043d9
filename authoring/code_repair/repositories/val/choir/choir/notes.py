NAMES = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"]


def height(note):
    """Half tones above C0: "C4" is 48."""
    return 12 * int(note[-1]) + NAMES.index(note[:-1])


def name(half_tones):
    return NAMES[half_tones % 12] + str(half_tones // 12)
