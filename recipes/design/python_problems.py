"""Problems out of what the designer draws, and their tests: what the solution returns. It runs in the sandbox."""

import random
import re

WORDS = (
    "apple", "anchor", "bread", "bottle", "candle", "canal", "desk", "door", "engine", "eagle", "forest", "field",
    "garden", "gate", "harbour", "house", "island", "ink", "jacket", "journey", "kettle", "kite", "ladder", "lemon",
    "market", "mirror", "needle", "night", "orange", "onion", "paper", "pencil", "quilt", "quarry", "river", "rope",
    "stone", "sail", "table", "train", "umbrella", "uncle", "valley", "violin", "window", "water", "yellow", "yard",
    "zebra", "zero",
)  # fmt: skip


def compose(subject, keep_rule, change, end, a, b, k, m, c, w, name, lead):
    """The words of the problem, and a solution of it."""
    drawn = {"a": a, "b": b, "k": k, "m": m, "c": c, "w": w, "name": name, "subject": subject}

    def filled(text):
        return re.sub(r"\{(a|b|k|m|c|w|name|subject)\}", lambda found: str(drawn[found[1]]), text)

    given = "a list of whole numbers" if subject == "numbers" else "a list of words in lower case"
    prompt = (
        f"{filled(lead)} It is given {given}. Take those that {filled(keep_rule['say'])}, in their order; "
        f"then {filled(change['say'])}; then {filled(end['say'])}."
    )
    solution = (
        f"def {name}({subject}):\n"
        f"    kept = [one for one in {subject} if {filled(keep_rule['code'])}]\n"
        f"    changed = [{filled(change['code'])} for one in kept]\n"
        f"    return {filled(end['code'])}\n"
    )
    return {"prompt": prompt, "solution": solution}


def try_out(problem, subject, name, seed):
    """Asserts with what the solution returns, and how many different answers there are."""
    chance = random.Random(seed)
    scope = {}
    exec(problem["solution"], scope)
    lines, answers = [], set()
    for size in (0, 1, 3, 5, 7, 8, 10, 12):
        if subject == "numbers":
            given = [chance.randint(-60, 99) for _ in range(size)]
        else:
            given = [chance.choice(WORDS) for _ in range(size)]
        answer = scope[name](list(given))
        answers.add(repr(answer))
        lines.append(f"assert {name}({given!r}) == {answer!r}")
    return {"tests": "\n".join(lines), "different": len(answers)}
