def value(text):
    """true and false, whole numbers, lists between commas in brackets, else text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.removeprefix("-").isdigit():
        return int(text)
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1].strip()
        return [value(part.strip()) for part in inner.split(",")] if inner else []
    return text
