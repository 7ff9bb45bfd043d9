def numbers(texts):
    """Readings as whole numbers; what is none is left out."""
    return [int(text) for text in texts if text.strip().removeprefix("-").isdigit()]


def without_outliers(values, most):
    """Without those that are further than `most` from the middle one."""
    if not values:
        return []
    middle = sorted(values)[len(values) // 2]
    return [value for value in values if abs(value - middle) <= most]
