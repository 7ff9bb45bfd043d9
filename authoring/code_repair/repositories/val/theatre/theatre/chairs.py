def label(row, chair):
    """Both counted from 0: row 1, chair 4 is called "B5"."""
    return "ABCDEFGHIJ"[row] + str(chair + 1)


def position(name):
    """Undoes `label`."""
    return ["ABCDEFGHIJ".index(name[0]), int(name[1:]) - 1]
