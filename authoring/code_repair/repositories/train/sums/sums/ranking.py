from sums.reading import tokens

RANKS = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}


def first(one, two):
    """Whether the left sign is applied before the right one. Equal ranks go from left to right, except for ^."""
    return RANKS[one] > RANKS[two] or (RANKS[one] == RANKS[two] and one != "^")


def postfix(text):
    """Each sign behind the two values that it joins: 1+2*3 becomes 1 2 3 * +."""
    out, waiting = [], []
    for token in tokens(text):
        if token.isdigit():
            out.append(token)
        elif token == "(":
            waiting.append(token)
        elif token == ")":
            while waiting[-1] != "(":
                out.append(waiting.pop())
            waiting.pop()
        else:
            while waiting and waiting[-1] != "(" and first(waiting[-1], token):
                out.append(waiting.pop())
            waiting.append(token)
    return out + waiting[::-1]
