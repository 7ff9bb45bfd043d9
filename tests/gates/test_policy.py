"""What the gate demands, as a person writes it down."""

from pathlib import Path

import msgspec
import pytest

from verigym.core.errors import BadInput, NotFound
from verigym.gates.policy import DEFAULT, POLICIES, QUICK, AsGood, GatePolicy, as_yaml, find_policy, hash_of

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "gate.md"


def _read(tmp_path: Path, text: str) -> GatePolicy:
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    return find_policy(str(tmp_path / "mine.yaml"))


def test_a_file_says_what_it_wants_otherwise_than_the_default(tmp_path: Path):
    found = _read(tmp_path, "primary: reward\nmargins: {unsafe: 0.02, latency: null}\nsafety: null\n")
    assert (found.name, found.primary, found.margins.unsafe, found.margins.latency) == ("mine", "reward", 0.02, None)
    assert found.safety is None and found.retention == DEFAULT.retention
    assert found.margins.invalid == DEFAULT.margins.invalid


@pytest.mark.parametrize("name", POLICIES)
def test_a_printed_policy_is_a_file_to_start_from(name: str, tmp_path: Path):
    found = _read(tmp_path, as_yaml(POLICIES[name]))
    assert msgspec.structs.replace(found, name=name, note=POLICIES[name].note) == POLICIES[name]


def test_the_quick_policy_has_wider_margins_and_all_safety_tasks():
    for field in msgspec.structs.fields(type(DEFAULT.margins)):
        quick, default = (getattr(policy.margins, field.name) for policy in (QUICK, DEFAULT))
        assert (quick is None) == (default is None) and (quick is None or quick > default)
    assert DEFAULT.retention and QUICK.retention and DEFAULT.safety and QUICK.safety
    assert QUICK.retention.margin > DEFAULT.retention.margin and QUICK.safety.margin > DEFAULT.safety.margin
    assert QUICK.retention.tasks and DEFAULT.retention.tasks and QUICK.retention.tasks < DEFAULT.retention.tasks
    assert QUICK.safety.min_severe < DEFAULT.safety.min_severe and QUICK.safety.tasks is None, "all safety tasks"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("margin: {unsafe: 0.1}", "unknown key margin. Did you mean margins?"),
        ("margins: {unsave: 0.1}", "unknown key margins.unsave. Did you mean margins.unsafe?"),
        (
            "retention: {size: 10}",
            "unknown key retention.size. Valid keys: tasks, margin, perplexity, max_tokens, environment",
        ),
        ("primary: succes", 'primary cannot be "succes". Use one of: success, reward'),
        ("primary: {no_worse: 0.05}", "primary asks for no gain. Add cost: 0.5"),
        ("primary: {cost: 0.5}", "no_worse is missing"),
        ("primary: {no_worse: 0.05, costs: 0.3}", "unknown key primary.costs. Did you mean primary.cost?"),
        ("alpha: 0", "alpha must be a number, more than 0.0"),
        ("alpha: 0.9", "alpha must be a number, at most 0.2"),
        ("margins: {unsafe: 5}", "margins.unsafe must be a number, less than 1.0"),
        ("margins: {latency: 0.9}", "margins.latency must be a number, more than 1.0"),
        ("margins: {unsafe: .nan}", "margins.unsafe must be a number, more than 0.0"),
        ("margins: {latency: .inf}", "margins.latency must be a number, at most 1000.0"),
        ("safety: {tasks: 0}", "safety.tasks must be a whole number, at least 1"),
        ("safety: 5", "safety must be keys and values or null, not a whole number"),
        ("name: quick", '"quick" is a shipped policy and this one differs'),
        ("- alpha", "a policy is a list of keys and values"),
        ("", "a policy is a list of keys and values"),
        ("alpha: [", "not valid YAML"),
        ("1: 2", "unknown key 1"),
    ],
)
def test_a_mistake_in_a_policy_is_answered_in_words(tmp_path: Path, text: str, words: str):
    with pytest.raises(BadInput, match=r"mine\.yaml") as raised:
        _read(tmp_path, text)
    assert words in str(raised.value)


def test_a_policy_may_ask_for_as_good_but_cheaper(tmp_path: Path):
    found = _read(tmp_path, "primary: {no_worse: 0.05, cost: 0.3}")
    assert found.primary == AsGood(no_worse=0.05, cost=0.3)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path):
    (tmp_path / "bad.yaml").write_bytes(b"alpha: \xff\xfe")
    with pytest.raises(BadInput, match="not valid YAML"):
        find_policy(str(tmp_path / "bad.yaml"))


def test_a_policy_that_does_not_exist_is_answered_with_those_that_do():
    with pytest.raises(NotFound, match=r'no policy "quik"\. Did you mean "quick"'):
        find_policy("quik")


def test_any_change_of_a_demand_changes_the_hash():
    assert hash_of(DEFAULT) == hash_of(GatePolicy()) != hash_of(msgspec.structs.replace(DEFAULT, power=0.9))


def test_every_field_is_documented():
    page, fields = PAGE.read_text(), []
    for field in msgspec.structs.fields(GatePolicy):
        fields.append(field.name)
        for kind in (DEFAULT.margins, DEFAULT.retention, DEFAULT.safety):
            if getattr(DEFAULT, field.name) is kind and kind is not None:
                fields += [f"{field.name}.{one.name}" for one in msgspec.structs.fields(type(kind))]
    assert len(fields) > 25
    assert [name for name in fields if f"`{name}`" not in page] == []
