def kind(length, width, height):
    """In centimetres, in any order of the sides: a letter is at most 24 x 17 x 2, a parcel at most 60 x 40 x 30, else freight."""
    a, b, c = sorted([length, width, height], reverse=True)
    if a <= 24 and b <= 17 and c <= 2:
        return "letter"
    return "parcel" if a <= 60 and b <= 40 and c <= 30 else "freight"
