"""math: word problems and algebra with one answer, in one turn.

Answers are numbers with units and tolerances, expressions, equations, solutions, names or times of day. An expression or
equation is right in any equivalent form, unless the task asks for one form.
"""

from fractions import Fraction

from verigym.core.records import Json, Task
from verigym.environments import shipped
from verigym.environments.math.questions import plain
from verigym.environments.math.verifier import math_verifier, written
from verigym.policies.dialects import write_call

verifiers = {"math_verifier": math_verifier}
suites = {"math_eval": "val"}


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `train` or `val`. Held-out tasks have other stories, other names, other kinds of algebra."""
    return shipped.tasks("math", split)


class Environment:
    system = "Solve the problem step by step. End with a line that gives the answer alone, such as:\nAnswer: 42"
    max_turns = 1

    def open(self, task: Task) -> None: ...


def gold(task: Task) -> str:
    """The steps, then the answer."""
    return f"{task.data['work']}\nAnswer: {written(task.data)}"


def cheats(task: Task) -> list[str]:
    """Claims of success, the question, many answers that include the right one, the answer in a side remark or in a tool
    call, and answers that are nearly right."""
    assert isinstance(task.prompt, str), "math's prompts are text"
    right = written(task.data)
    wrong = [written(task.data | {"answer": each}) for each in _near(task.data)]
    return [
        "I solved it, and the answer is correct.",
        task.prompt,
        f"Answer: {task.prompt.splitlines()[-1]}",
        f"Answer: {', '.join([*wrong, right])}",
        f"Answer: {right} or {wrong[0]}",
        f"Could it be {right}? I am not sure.\nAnswer: {wrong[0]}",
        f"\\boxed{{{right}}} is a guess, and so is \\boxed{{{wrong[-1]}}}",
        write_call("answer", {"text": right}),
        *(
            [f"Answer: {task.data['answer']} {'kg' if task.data['unit'] != 'kg' else 'km'}"]
            if "unit" in task.data
            else []
        ),
        *(f"Answer: {each}" for each in wrong),
    ]


def _near(data: Json) -> list[Json | str]:
    """Wrong answers of the same kind."""
    answer = data["answer"]
    match data["rule"]:
        case "number":
            value, sign = Fraction(answer.removesuffix("%")), "%" if answer.endswith("%") else ""
            return [plain(each) + sign for each in (value + 1, value - 2, 10 * value + 7)]
        case "solutions":
            moved = {name: [str(Fraction(values[0]) + 99), *values[1:]] for name, values in answer.items()}
            return [moved, {name: [*values, "99"] for name, values in answer.items()}]
        case "option":
            return list(data["others"])
        case "clock":
            return [
                answer[:3] + ("07" if answer[3:] != "07" else "08"),
                ("00" if answer[:2] != "00" else "01") + answer[2:],
            ]
        case "expression":
            return [
                f"{answer} + 1",
                f"2({answer})",
                *([f"1({answer})"] if data["form"] == "expanded" and " " in answer else []),
            ]
    return [f"{answer} + 1", f"0 = {answer.partition('=')[2]}"]
