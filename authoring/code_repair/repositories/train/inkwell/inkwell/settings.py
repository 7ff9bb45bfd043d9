from inkwell.lines import clean, pair
from inkwell.values import value


def read(text):
    """Section to key to value; what stands before the first [section] is in the section ""."""
    found, section = {}, ""
    for line in map(clean, text.splitlines()):
        if line.startswith("[") and "=" not in line:
            section = line[1:-1].strip()
        elif line:
            key, given = pair(line)
            found.setdefault(section, {})[key] = value(given)
    return found


def merged(base, other):
    """Settings with those of `other` over them, key by key."""
    out = {section: dict(keys) for section, keys in base.items()}
    for section, keys in other.items():
        out.setdefault(section, {}).update(keys)
    return out
