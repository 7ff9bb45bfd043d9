"""The attempts of a group as dots by reward, with their advantage: what GRPO compares with each other.

A passed attempt is a full dot, a failed one a hollow dot, one that was not scored is missing. The attempt in view has a ring.
"""

from collections.abc import Sequence
from typing import NamedTuple

from verigym.draw.svg import Drawing, circle, empty, finite, group, line, number, svg, text, ticks, width_of

_SIDE = 16


class Dot(NamedTuple):
    name: str
    reward: float | None
    passed: bool = False
    advantage: float | None = None
    here: bool = False
    href: str = ""


def strip(dots: Sequence[Dot], *, title: str = "", width: float = 320) -> Drawing:
    """Dots on one axis of reward. Attempts with the same reward are stacked."""
    shown = [dot for dot in dots if dot.reward is not None and finite(dot.reward)]
    left_out = len(dots) - len(shown)
    if not shown:
        return empty(title, "no attempt was scored" if dots else "no data", width=width)
    rewards = [dot.reward or 0.0 for dot in shown]
    marks = ticks(min(rewards), max(rewards), 4)

    def to_x(reward: float) -> float:
        return _SIDE + (reward - marks[0]) / (marks[-1] - marks[0]) * (width - 2 * _SIDE)

    columns: dict[int, int] = {}
    placed = []
    for dot, reward in zip(shown, rewards, strict=True):
        column = round(to_x(reward) / 13)
        columns[column] = columns.get(column, 0) + 1
        placed.append((dot, reward, columns[column]))
    step = min(14.0, 140 / max(columns.values()))
    top = 24 if title else 6
    bottom = top + 10 + step * max(columns.values())
    body = [text(0, 14, title, kind="title")] if title else []
    last = -1e9
    for mark in marks:
        x, words = to_x(mark), number(mark)
        body.append(line(x, bottom, x, bottom + 4))
        if x - width_of(words) / 2 > last:
            body.append(text(x, bottom + 17, words, anchor="middle"))
            last = x + width_of(words) / 2 + 6
    body.append(line(_SIDE, bottom, width - _SIDE, bottom))
    for dot, reward, above in placed:
        x, y = to_x(reward), bottom - 2 - step * (above - 0.5)
        said = f"{dot.name}: reward {number(reward)}, {'passed' if dot.passed else 'failed'}"
        if dot.advantage is not None and finite(dot.advantage):
            said += f", advantage {dot.advantage:+.2f}"
        drawn = [circle(x, y, 5, "passed fill" if dot.passed else "failed hollow")]
        drawn += [circle(x, y, 7.5, "outline stroke")] if dot.here else []
        body.append(group(said, drawn, href=dot.href))
    passed = sum(dot.passed for dot in shown)
    ends = f"{number(min(rewards))} to {number(max(rewards))}"
    words = f"{title or 'Attempts by reward'}: {passed} of {len(shown)} passed, reward {ends}"
    words += f", {left_out} not scored" if left_out else ""
    return svg(width, bottom + 24, words, body, linked=any(dot.href for dot in shown))
