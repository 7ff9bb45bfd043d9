from stencil.fields import field, pieces
from stencil.filters import apply


def letter(text, values, blank="___"):
    """Fills every field. Only a field whose name is absent from the values turns blank; 0 and "" are perfectly good values."""
    found = pieces(text)
    for at in range(1, len(found), 2):
        name, filters = field(found[at])
        found[at] = apply(str(values[name]), filters) if name in values else blank
    return "".join(found)


def letters(text, people, office):
    """Everybody's own letter. Office values fill in whatever a person lacks."""
    return [letter(text, {**office, **person}) for person in people]
