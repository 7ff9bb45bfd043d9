from pages.inline import bold, escape


def level(line):
    """How many # a line begins with; 0 where it is no heading."""
    return len(line) - len(line.lstrip("#"))


def block(line):
    """One line as HTML."""
    text = bold(escape(line.lstrip("#- ")))
    if level(line) > 0:
        return f"<h{level(line)}>{text}</h{level(line)}>"
    return f"<li>{text}</li>" if line.startswith("- ") else f"<p>{text}</p>"
