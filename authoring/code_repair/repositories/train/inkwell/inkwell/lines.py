def clean(line):
    """Without a comment (from # on) and blanks at the ends."""
    return line.split("#")[0].strip()


def pair(line):
    """Key and value around the first =, without blanks at their ends."""
    key, _, value = line.partition("=")
    return [key.strip().lower(), value.strip()]
