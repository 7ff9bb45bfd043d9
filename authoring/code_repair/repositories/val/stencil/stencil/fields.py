def pieces(text):
    """Plain text and field contents alternate, starting with plain text: "Hi <x>!" is "Hi ", "x", "!"."""
    head, *tails = text.split("<")
    found = [head]
    for tail in tails:
        field, _, plain = tail.partition(">")
        found += [field, plain]
    return found


def field(content):
    """Splits `town|upper|last` at its bars: name, then filters."""
    name, *filters = content.split("|")
    return [name.strip(), [each.strip() for each in filters]]
