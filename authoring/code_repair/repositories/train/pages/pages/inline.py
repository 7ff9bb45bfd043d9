def escape(text):
    """Characters that mean something in HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def bold(text):
    """*word* becomes <b>word</b>; a star without a partner stays."""
    parts = text.split("*")
    out = parts[0]
    for at in range(1, len(parts)):
        last = at == len(parts) - 1
        if at % 2 == 1:
            out += ("*" if last else "<b>") + parts[at]
        else:
            out += "</b>" + parts[at]
    return out
