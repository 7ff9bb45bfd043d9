from sums.ranking import postfix


def joined(sign, one, two):
    """A quotient is cut off towards zero: -7/2 is -3."""
    if sign == "/":
        size = abs(one) // abs(two)
        return size if (one < 0) == (two < 0) else -size
    if sign == "^":
        return one**two
    return {"+": one + two, "-": one - two, "*": one * two}[sign]


def value(text):
    """What a sum gives; "undefined" if it divides by 0 anywhere."""
    stack = []
    for token in postfix(text):
        if token.isdigit():
            stack.append(int(token))
            continue
        two, one = stack.pop(), stack.pop()
        if token == "/" and two == 0:
            return "undefined"
        stack.append(joined(token, one, two))
    return stack[0]
