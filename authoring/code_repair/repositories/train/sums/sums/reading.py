def tokens(text):
    """Numbers and signs one by one; blanks mean nothing."""
    found = []
    for sign in text.replace(" ", ""):
        if sign.isdigit() and found and found[-1].isdigit():
            found[-1] += sign
        else:
            found.append(sign)
    return found
