def shift(note, by):
    """Moves letters A to Z and a to z along, Z being followed by A; capitals remain capitals, anything else remains itself."""
    moved = ""
    for sign in note:
        start = "A" if sign.isupper() else "a"
        moved += chr((ord(sign) - ord(start) + by) % 26 + ord(start)) if sign.isascii() and sign.isalpha() else sign
    return moved
