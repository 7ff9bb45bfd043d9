"""Functions: every gold solution passes, wrong calls do not, the generator is deterministic, and held-out areas stay apart."""

import asyncio
import json
import re
from collections import Counter
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from verigym.audit.scripted_episodes import play
from verigym.core.errors import NotFound
from verigym.core.records import FunctionCall, Item, Json, Message, Task, Trajectory, Verdict
from verigym.environments import functions, shipped, toolcall
from verigym.environments.functions import kinds, library, requests
from verigym.environments.functions.verifier import functions_verifier
from verigym.environments.load import find_by_verifier, load_environment

SPEC = load_environment("functions")
TRAIN, VAL = functions.tasks("train"), functions.tasks("val")


def judged(task: Task, items: list[Item]) -> Verdict:
    return functions_verifier(task, Trajectory(id="a", task=task.id, group="g", items=items))


def call(name: str, **arguments: Any) -> FunctionCall:
    return FunctionCall("c", name, json.dumps(arguments))


def passes(task: Task, reply: Any) -> bool:
    return asyncio.run(play(SPEC, task, [reply])).verdict.passed


# -- the tasks ------------------------------------------------------------------------------------------------------------


def test_every_gold_solution_passes_and_calls_offered_functions() -> None:
    for task in [*TRAIN, *VAL]:
        verdict = judged(task, functions.gold(task))
        assert verdict.passed and verdict.reward == 1.0, f"{task.id}: {verdict.evidence}"
        names = [tool["name"] for tool in task.data["tools"]]
        assert len(set(names)) == len(names) <= 8, task.id
        assert {each["name"] for each in task.data["calls"]} <= set(names), task.id


def test_gold_calls_fit_the_schemas_of_their_functions() -> None:
    validators: dict[str, Draft202012Validator] = {}
    for task in [*TRAIN[::3], *VAL]:
        tools = {tool["name"]: tool for tool in task.data["tools"]}
        for each in task.data["calls"]:
            schema = tools[each["name"]]["parameters"]
            validator = validators.setdefault(repr(schema), Draft202012Validator(schema))
            assert validator.is_valid(each["arguments"]), f"{task.id}: {each}"
    for validator in list(validators.values())[::10]:
        Draft202012Validator.check_schema(validator.schema)


def test_gold_solutions_pass_in_episodes_and_cheats_do_not() -> None:
    for task in [*TRAIN[::260], *VAL[::10]]:
        assert passes(task, functions.gold(task)), task.id
        for cheat in functions.cheats(task):
            assert not passes(task, cheat), f"{task.id}: {cheat}"


def test_the_library_and_the_tasks_are_as_large_as_they_should_be() -> None:
    areas = library.areas()
    trained = {area: of for area, of in areas.items() if area not in library.HELD_OUT}
    assert len(trained) >= 40 and sum(map(len, trained.values())) >= 400 and len(TRAIN) >= 12_000
    assert set(library.HELD_OUT) <= set(areas) and min(map(len, areas.values())) >= 8
    assert all(len(function.requests) >= 2 for of in areas.values() for function in of)
    shares = Counter(task.family for task in TRAIN)
    assert len(shares) == sum(map(len, trained.values())) and max(shares.values()) < 1.4 * min(shares.values())
    kinds_of_calls = Counter(min(len(task.data["calls"]), 2) for task in TRAIN)
    assert all(0.04 < kinds_of_calls[number] / len(TRAIN) < 0.08 for number in (0, 2))
    offered = Counter(len(task.data["tools"]) for task in TRAIN)
    assert set(offered) == set(range(1, 9))


def test_every_type_of_parameter_occurs() -> None:
    types: set[str] = set()

    def walk(schema: Json) -> None:
        types.add("enum" if "enum" in schema else schema["type"])
        if schema["type"] == "array":
            types.add(f"array of {schema['items']['type']}")
        for inner in schema.get("properties", {}).values():
            walk(inner)

    for functions_of in library.areas().values():
        for function in functions_of:
            walk(library.tool(function, 0)["parameters"])
    arrays = {f"array of {kind}" for kind in ("string", "integer", "number", "object")}
    assert types >= {"integer", "number", "string", "boolean", "array", "object", "enum", *arrays}


def test_the_tasks_are_the_same_each_time_and_no_prompt_occurs_twice() -> None:
    again = requests.tasks.__wrapped__("val")
    assert again == requests.tasks("val") == VAL
    assert shipped.tasks("functions", "val") == VAL
    first = requests.tasks("train")[:50]
    assert [task.prompt for task in first] == [task.prompt for task in TRAIN[:50]]
    prompts = [str(task.prompt).casefold() for task in [*TRAIN, *VAL]]
    assert len(set(prompts)) == len(prompts)


def test_no_slot_is_left_and_sentences_are_clean() -> None:
    patterns = [value.words for value in kinds.lists()["regex"][1]]
    for task in [*TRAIN, *VAL]:
        text = str(task.prompt)
        if not any(pattern in text for pattern in patterns):
            assert not re.search(r"\{[\w.]*\}|%\w|  |\.\.|\(\)| ,| \?", text), text
        assert not text[0].islower() or re.match(r"[a-z]+[/.\\_-]|[a-z]+\d|\w+ ", text), text


def test_texts_of_calls_stand_in_the_request_or_follow_from_a_list() -> None:
    worked_out = {value.value for _, values in kinds.lists().values() for value in values if value.words != value.value}
    for task in TRAIN:
        text = str(task.prompt)
        for each in task.data["calls"]:
            for value in each["arguments"].values():
                if isinstance(value, str) and value not in worked_out and not re.search(r"\d\d[:./-]\d\d", value):
                    said = {value.casefold(), value.casefold().replace("_", " ")}
                    assert any(each in text.casefold() for each in said), f"{value!r}: {text}"


def test_an_optional_argument_is_expected_only_if_the_request_gives_it() -> None:
    given = left_out = 0
    for task in TRAIN[:3000]:
        tools = {tool["name"]: tool["parameters"] for tool in task.data["tools"]}
        for each in task.data["calls"]:
            optional = set(tools[each["name"]]["properties"]) - set(tools[each["name"]]["required"])
            given += len(optional & set(each["arguments"]))
            left_out += len(optional - set(each["arguments"]))
    assert given > 500 and left_out > 2 * given


def test_held_out_tasks_have_other_areas_functions_and_wordings() -> None:
    assert {task.tags[0] for task in VAL} == set(library.HELD_OUT)
    assert {task.family for task in TRAIN}.isdisjoint(task.family for task in VAL)
    trained = {name for name, _ in requests.library_calls("train")}
    held_out = {name for name, _ in requests.library_calls("val")}
    assert not trained & held_out
    lines: dict[bool, set[str]] = {True: set(), False: set()}
    for area, of in library.areas().items():
        lines[area in library.HELD_OUT].update(line for function in of for line in function.requests)
    assert not lines[True] & lines[False]
    assert len(VAL) == 280 and all(task.split == "val" for task in VAL)


def test_held_out_requests_of_toolcall_are_not_among_the_training_tasks() -> None:
    def wording(text: str) -> str:
        return re.sub(r"\W+", " ", text).casefold().strip()

    trained = {wording(str(task.prompt)) for task in TRAIN}
    held_out = {wording(str(task.prompt)) for split in ("val", "seed") for task in toolcall.tasks(split)}
    assert not trained & held_out


def test_a_function_has_a_tool_in_every_style() -> None:
    function = library.areas()["finance"][0]
    tools = [library.tool(function, number) for number in range(library.NUM_STYLES)]
    names = {tool["name"] for tool in tools}
    assert names == {
        "loan_payment", "finance.loan_payment", "calculate_loan_payment", "loanPayment", "finance_loan_payment",
    }  # fmt: skip
    assert "annualRate" in tools[4]["parameters"]["properties"]
    extra = [tool["parameters"]["properties"]["extra_payment"] for tool in (tools[0], tools[2])]
    assert extra[0]["default"] == 0 and "default" not in extra[1] and extra[1]["description"].endswith("Default is 0.")


# -- the verifier ---------------------------------------------------------------------------------------------------------

TOOL: Json = {
    "name": "book",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "nights": {"type": "integer"},
            "price": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "at": {
                "type": "object",
                "properties": {"lat": {"type": "number"}, "unit": {"type": "string", "default": "deg"}},
            },
            "stars": {"type": "integer", "default": 3},
            "mode": {"type": "string", "description": "Mode. Default is fast."},
            "pets": {"type": "boolean"},
        },
        "required": ["city"],
    },
}
RIGHT: Json = {"city": "Oslo", "nights": 2, "price": 5, "tags": ["a", "b"], "at": {"lat": 1.5}, "pets": True}
BOOK = Task(id="t", prompt="?", data={"tools": [TOOL], "calls": [{"name": "book", "arguments": RIGHT}]})


@pytest.mark.parametrize(
    "change",
    [{}, {"city": " oslo "}, {"price": 5.0}, {"stars": 3}, {"mode": "fast"}, {"at": {"lat": 1.5, "unit": "deg"}}],
    ids=["the same", "case and spaces", "a whole number", "a default", "a default in words", "an inner default"],
)
def test_calls_that_mean_the_same_pass(change: Json) -> None:
    verdict = judged(BOOK, [call("book", **(RIGHT | change))])
    assert verdict.passed and verdict.reward == 1.0, verdict.evidence


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"nights": 2.0}, "nights: expected 2, got 2.0"),
        ({"nights": "2"}, 'nights: expected 2, got "2"'),
        ({"nights": True}, "nights: expected 2, got true"),
        ({"pets": 1}, "pets: expected true, got 1"),
        ({"tags": ["b", "a"]}, "tags: expected"),
        ({"at": {"lat": 2}}, "at.lat: expected 1.5, got 2"),
        ({"at": {}}, "at.lat: expected 1.5, got nothing"),
        ({"stars": 4}, "stars: not asked for, got 4"),
        ({"mode": "slow"}, 'mode: not asked for, got "slow"'),
        ({"city": "Bergen"}, 'city: expected "Oslo", got "Bergen"'),
        ({"city": None}, "got null"),
    ],
)
def test_a_wrong_value_fails_and_is_named(change: Json, words: str) -> None:
    verdict = judged(BOOK, [call("book", **(RIGHT | change))])
    assert not verdict.passed and words in verdict.evidence
    assert verdict.reward is not None and 0.1 < verdict.reward < 0.8


def test_the_reward_grows_with_the_function_and_the_arguments() -> None:
    replies: list[list[Item]] = [
        [Message("assistant", "I booked it.")],
        [call("other", **RIGHT)],
        [call("book")],
        [call("book", city="Oslo", nights=2)],
        [call("book", **RIGHT)],
    ]
    rewards = [judged(BOOK, reply).reward or 0.0 for reply in replies]
    assert rewards == sorted(set(rewards)) and rewards[0] == 0 and rewards[-1] == 1


def test_several_calls_match_in_any_order_and_a_further_call_fails() -> None:
    other = RIGHT | {"city": "Rome"}
    task = Task(
        id="t",
        prompt="?",
        data={"tools": [TOOL], "calls": [{"name": "book", "arguments": each} for each in (RIGHT, other)]},
    )
    assert judged(task, [call("book", **other), call("book", **RIGHT)]).passed
    assert "1 calls, expected 2" in judged(task, [call("book", **RIGHT)]).evidence
    twice = judged(BOOK, [call("book", **RIGHT), call("book", **RIGHT)])
    assert not twice.passed and twice.reward is not None and twice.reward < 0.6


def test_words_are_right_only_if_no_function_fits() -> None:
    task = Task(id="t", prompt="?", data={"tools": [TOOL], "calls": []})
    assert judged(task, [Message("assistant", "I cannot do that.")]).passed
    assert "book was called" in judged(task, [call("book", **RIGHT)]).evidence
    assert "empty" in judged(task, [Message("assistant", " ")]).evidence
    assert "does not say so" in judged(task, [Message("assistant", "Done, I booked it.")]).evidence
    repeated = Task(id="t", prompt="Do not wait.", data={"tools": [TOOL], "calls": []})
    assert "repeats the request" in judged(repeated, [Message("assistant", "do not  wait.")]).evidence


@pytest.mark.parametrize("arguments", ["", "[]", "{", "null", '{"a":' * 5000, "\ud800"])
def test_arguments_that_are_no_object_fail(arguments: str) -> None:
    verdict = judged(BOOK, [FunctionCall("c", "book", arguments)])
    assert not verdict.passed and verdict.reward is not None and verdict.reward < 0.5


# -- values and the environment -------------------------------------------------------------------------------------------


def test_quantities_in_other_units_have_the_value_in_the_unit_of_the_parameter() -> None:
    kind, random = kinds.read_kind("qty(m 100-9000)"), Random(1)
    drawn = [kind.draw(random) for _ in range(400)]
    converted = [value for value in drawn if re.search(r"kilometer|km", value.words)]
    assert kind.hint == "in meters" and len(converted) > 20
    assert all(value.value % 1000 == 0 and value.value >= 1000 for value in converted)


@pytest.mark.parametrize(
    "text", ["frac(2-9)", "pct(2-9)", "num(0.1-0.9,2)", "int(-5..5)", "money(5-90,2)", "year(1990-2000)"]
)
def test_numbers_stay_in_their_range(text: str) -> None:
    low, high = {"frac": (0.02, 0.09), "pct": (2, 9), "num": (0.1, 0.9), "int": (-5, 5), "money": (5, 90)}.get(
        text.partition("(")[0], (1990, 2000)
    )
    kind, random = kinds.read_kind(text), Random(2)
    values = [kind.draw(random).value for _ in range(300)]
    assert all(low <= value <= high for value in values) and len(set(values)) > 5


def test_an_unknown_kind_or_slot_is_named_with_its_place() -> None:
    with pytest.raises(AssertionError, match="no kind or list of values"):
        kinds.read_kind("nothing_like_it")
    function = library.areas()["finance"][0]
    with pytest.raises(AssertionError, match=r"x.txt line 3: the request names .*'amount'"):
        library._check_slots("  pay {annual_rate} for {years} years", function, "x.txt line 3")


def test_the_environment_is_found_by_its_verifier_and_names_its_splits() -> None:
    assert find_by_verifier("functions_eval").name == "functions" and set(SPEC.verifiers) == {"functions_verifier"}
    assert SPEC.needs_task_tools and SPEC.max_turns == 1 and SPEC.system == ""
    with pytest.raises(NotFound, match=r'no split of functions "test".*Available: train, val'):
        functions.tasks("test")
