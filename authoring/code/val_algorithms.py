"""Held-out problems about small algorithms, games and simulations. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import numbers


def stairs(items: list[int], *, jump: Any = (1, 2, 3)) -> int:
    """Somebody walks over steps of these heights from the first on and goes on as long as the next step is at most
    {jump} higher or lower. Return how many steps they stand on in all."""
    if not items:
        return 0
    count = 1
    while count < len(items) and abs(items[count] - items[count - 1]) <= jump:
        count += 1
    return count


def queue_time(customers: list[int], *, desks: Any = (2, 3, 4)) -> int:
    """Customers need these numbers of minutes and stand in one queue before {desks} desks; who is next goes to the
    first desk that gets free. Return after how many minutes all are done."""
    busy = [0] * desks
    for each in customers:
        busy.sort()
        busy[0] += each
    return max(busy)


def water(heights: list[int], *, loss: Any = (1, 2)) -> int:
    """Walls of these heights stand side by side, each one wide, and it rains until no more water stays between them.
    Return how much water there is; at each place {loss} of it seeps away, or all if there is less."""
    total = 0
    for at, each in enumerate(heights):
        level = min(max(heights[: at + 1]), max(heights[at:]))
        total += max(0, level - each - loss)
    return total


def islands(grid: list[list[int]], *, least: Any = (2, 3)) -> int:
    """The rows of `grid` consist of 0 and 1. Cells with 1 that touch at a side belong to one island. Count the islands of
    at least {least} cells."""
    left = {(y, x) for y, row in enumerate(grid) for x, value in enumerate(row) if value == 1}
    count = 0
    while left:
        todo, size = [left.pop()], 0
        while todo:
            y, x = todo.pop()
            size += 1
            for near in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
                if near in left:
                    left.remove(near)
                    todo.append(near)
        count += size >= least
    return count


def stack_machine(program: list[str], *, empty: Any = (0, -1)) -> int:
    """Run a program on a stack: a number as text puts it on top; "add" and "mul" replace the two on top by their sum
    or product; "dup" puts the top one there again; "drop" takes it away. A command that finds too few numbers does
    nothing. Return the top of the stack in the end, {empty} if there is none."""
    stack: list[int] = []
    for each in program:
        if each in ("add", "mul"):
            if len(stack) >= 2:
                b, a = stack.pop(), stack.pop()
                stack.append(a + b if each == "add" else a * b)
        elif each == "dup":
            stack += stack[-1:]
        elif each == "drop":
            stack = stack[:-1]
        else:
            stack.append(int(each))
    return stack[-1] if stack else empty


def _grid(draw: Random) -> tuple[list[list[int]]]:
    wide = draw.randint(1, 5)
    return ([[int(draw.random() < 0.45) for _ in range(wide)] for _ in range(draw.randint(0, 4))],)


def heating(readings: list[int], *, low: Any = (17, 18), high: Any = (20, 21)) -> int:
    """A heater is off. At each of the `readings` of a thermometer it is switched on if the reading is below {low}, off
    if it is above {high}, and otherwise left alone. Work out at how many of the readings it is on, just after any
    switching."""
    on = False
    count = 0
    for each in readings:
        if each < low:
            on = True
        elif each > high:
            on = False
        count += on
    return count


FAMILIES = {
    "algorithms": [
        stairs,
        queue_time,
        water,
        islands,
        stack_machine,
        heating,
    ],
}
INPUTS = {
    "stairs": lambda draw: ([draw.randint(0, 4) for _ in range(draw.randint(0, 6))],),
    "queue_time": lambda draw: (numbers(draw, 1, 9),),
    "water": lambda draw: ([draw.randint(0, 5) for _ in range(draw.randint(0, 8))],),
    "islands": _grid,
    "stack_machine": lambda draw: (
        [draw.choice(["add", "mul", "dup", "drop", *"23457"]) for _ in range(draw.randint(0, 8))],
    ),
    "heating": lambda draw: ([draw.randint(15, 23) for _ in range(draw.randint(0, 8))],),
}
