def rule(line):
    """`pattern -> queue` as a list, the pattern in small letters."""
    pattern, _, queue = line.partition("->")
    return [pattern.strip().lower(), queue.strip()]


def matches(pattern, subject):
    """With a star at its end it fits what begins with it, otherwise only itself. The subject may have capitals."""
    if pattern.endswith("*"):
        return subject.lower().startswith(pattern[:-1])
    return subject.lower() == pattern
