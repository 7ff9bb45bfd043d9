"""Redaction: secrets and personal data go, ordinary text stays, and a conversation can still be read."""

import itertools
import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from detect_secrets.settings import default_settings, get_plugins
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.secrets import SECRETS
from verigym.core.errors import BadInput
from verigym.core.records import (
    Failure,
    Fault,
    Feedback,
    FunctionCall,
    FunctionCallOutput,
    Message,
    OutputText,
    Reasoning,
    ReasoningText,
    Sampling,
    Toolset,
    ToolSpec,
    Trajectory,
    Turn,
)
from verigym.core.records import Mark as Seen
from verigym.traces.redaction import Redaction
from verigym.traces.redaction_rules import BUILT_IN

TAKEN = [
    ("mail alice@example.com now", "mail [EMAIL 1] now"),
    ("Alice@Example.com or alice@example.com", "[EMAIL 1] or [EMAIL 1]"),
    ("bob.o'hara+x@mail.example.co.uk.", "[EMAIL 1]."),
    ("jürgen@müller.de", "[EMAIL 1]"),
    ("a@example.com, b@example.com", "[EMAIL 1], [EMAIL 2]"),
    ("sk-proj-abcDEF123456789012345678", "[API_KEY 1]"),
    ("sk-ant-api03-abcDEF123456789012345678", "[API_KEY 1]"),
    ("ghp_" + "a1" * 18, "[API_KEY 1]"),
    ("id AKIAIOSFODNN7EXAMPLE.", "id [API_KEY 1]."),
    ("AIza" + "b2" * 17 + "c", "[API_KEY 1]"),
    ("hf_" + "aB" * 17, "[API_KEY 1]"),
    ("nvapi-" + "x9" * 20, "[API_KEY 1]"),
    ("xoxb-1234567890-abcdef", "[API_KEY 1]"),
    ("sk_live_" + "a1" * 12, "[API_KEY 1]"),
    ("Authorization: Bearer abcdefghijklmnop1234", "Authorization: Bearer [BEARER 1]"),
    ("authorization: basic dXNlcjpwYXNzd29yZA==", "authorization: basic [BEARER 1]"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.s5fBq-_x", "[JWT 1]"),
    (
        "key:\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----\nbye",
        "key:\n[PRIVATE_KEY 1]\nbye",
    ),
    ("-----BEGIN PRIVATE KEY-----\nMIIEow cut off", "[PRIVATE_KEY 1]"),
    ("postgres://admin:hunter2@db.example.com/x", "postgres://admin:[URL_PASSWORD 1]@db.example.com/x"),
    ("redis://:hunter2@cache:6379", "redis://:[URL_PASSWORD 1]@cache:6379"),
    ("DB_PASSWORD=hunter2", "DB_PASSWORD=[PASSWORD 1]"),
    ("my password is hunter2!", "my password is [PASSWORD 1]!"),
    ("password: hunter2", "password: [PASSWORD 1]"),
    ('client_secret = "correct horse"', 'client_secret = "[PASSWORD 1]"'),
    ("?user=7&access_token=abcd1234&x=1", "?user=7&access_token=[PASSWORD 1]&x=1"),
    ("{'api_key': 'abcd1234'}", "{'api_key': '[PASSWORD 1]'}"),
    ("+49 30 1234567", "[PHONE 1]"),
    ("+442079460958 is +44 20 7946 0958", "[PHONE 1] is [PHONE 1]"),
    ("(415) 555-0132 and 415.555.0132", "[PHONE 1] and [PHONE 1]"),
    ("Tel.: 030 1234567.", "Tel.: [PHONE 1]."),
    ("call me at 0171 2345678", "call me at [PHONE 1]"),
    ("4111 1111 1111 1111", "[CARD 1]"),
    ("amex 378282246310005, again 3782-822463-10005", "amex [CARD 1], again [CARD 1]"),
    ("DE89 3704 0044 0532 0130 00 PLEASE", "[IBAN 1] PLEASE"),
    ("GB82WEST12345698765432", "[IBAN 1]"),
    ("ssn 123-45-6789", "ssn [SSN 1]"),
    ("from 93.184.216.34:443", "from [IP 1]:443"),
    ("Cookie: sid=a1b2c3d4; theme=dark", "Cookie: [COOKIE 1]"),
    ("?sv=1&sig=" + "aB3%2F" * 5, "?sv=1&sig=[WEBHOOK 1]"),
    ("postgres://bob:Pa$$w0rd@db.example.com", "postgres://bob:[URL_PASSWORD 1]@db.example.com"),
    ("2001:4860:4860::8888", "[IP 1]"),
]
KEPT = [
    "On 2024-01-15 at 10:00:00, or 15.01.2024 16:30, or 1/2/2024",
    "order 1234567890, invoice INV-2024-000123, ticket #4155550132",
    "$1,234,567.89 or 1.234.567,89 EUR",
    "1700000000000 and 1700000000123456789",
    "550e8400-e29b-41d4-a716-446655440000 and 12345678-1234-4123-8123-123456789012",
    "sha256 7048e6c5802ad98c11b6c5c5802ad98c5802ad98c7048e6c5802ad98c0000aa",
    "version 1.2.3.4, chapter 3.2.1.4, v10.2.3",
    "localhost 127.0.0.1:8000, 192.168.0.1, 10.0.0.7, ::1",
    "aa:bb:cc:dd:ee:ff at 10:20:30",
    "4111111111111112",
    "DE89 3704 0044 0532 0130 01",
    "max_tokens=256, tokens: 300, the token limit is 8192",
    "the password: required. Reset your password: follow the link",
    "password=${DB_PASSWORD} and api_key = os.environ['KEY'] and secret: ****",
    "sk-short, task-12345678901234567890abc, hf_home",
    "@alice said a@b and x@ y",
    "978-3-16-148410-0 and 123-456",
    "3.141592653589793 and -0.30000000000000004",
    '{"attendee":"Oscar","day":"Tuesday","time":"12:15"}',
    "http://example.com:8080/path@v2",
]


@pytest.mark.parametrize(("text", "expected"), TAKEN, ids=[text[:24] for text, _ in TAKEN])
def test_secrets_and_personal_data_are_taken_out(text: str, expected: str) -> None:
    assert Redaction().text(text) == expected


@pytest.mark.parametrize("text", KEPT, ids=[text[:24] for text in KEPT])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert Redaction().text(text) == text


def test_every_built_in_rule_is_tried_above() -> None:
    used = Redaction()
    for text, _ in TAKEN:
        used.text(text)
    assert set(used.counts) == {rule.name for rule in BUILT_IN}


@given(st.lists(st.sampled_from([text for text, _ in TAKEN] + KEPT) | st.text(max_size=20), max_size=6))
def test_redacting_twice_changes_nothing_more(parts: list[str]) -> None:
    redaction = Redaction()
    once = redaction.text("\n".join(parts))
    assert redaction.text(once) == once


@given(st.lists(st.sampled_from([text for text, _ in TAKEN]), min_size=1, max_size=5), st.text(max_size=10))
def test_a_secret_goes_wherever_it_stands(texts: list[str], between: str) -> None:
    made = Redaction().text(f"\n{between}\n".join(texts))
    for secret in ("alice@example.com", "hunter2", "4111 1111", "+49 30", "DE89", "MIIEow", "123-45-6789"):
        assert secret not in made


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.sampled_from(TAKEN).map(lambda each: each[0]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=6) | st.sampled_from(["password", "to"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON.filter(lambda value: isinstance(value, dict | list)))
def test_json_stays_json_of_the_same_shape(value: object) -> None:
    text = msgspec.json.encode(value).decode()
    made = msgspec.json.decode(Redaction().text(text))
    assert type(made) is type(value) and len(made) == len(value)  # type: ignore[arg-type]
    assert "alice@example.com" not in msgspec.json.encode(made).decode()
    assert made == Redaction().value(msgspec.json.decode(text))


def test_arguments_are_changed_inside_their_json_and_nowhere_else() -> None:
    whole = '{"to" : "%s\\n",  "n": 1.0, "card": %s, "auth": {"password": "%s"}, "note": "{\\"cc\\": \\"%s\\"}"}'
    made = Redaction().text(whole % ("a@example.com", "4111111111111111", "x1", "a@example.com"))
    assert made == whole % ("[EMAIL 1]", '"[CARD 1]"', "[PASSWORD 1]", "[EMAIL 1]")


def test_arguments_that_are_no_json_are_redacted_as_text() -> None:
    assert Redaction().text('{"to": "a@example.com", ') == '{"to": "[EMAIL 1]", '


def conversation(**more: object) -> Trajectory:
    return Trajectory(
        id="r/1",
        task="1",
        group="1",
        items=[
            Message("system", "You are a clerk."),
            Message("user", "mail Alice@example.com"),
            Reasoning(content=[ReasoningText("so alice@example.com it is")], encrypted_content="a@b.com"),
            FunctionCall("c1", "mail", '{"to":"alice@example.com","cc":"bob@example.com"}'),
            FunctionCallOutput("c1", "sent to bob@example.com"),
            Message("assistant", [OutputText("Done: bob@example.com")]),
        ],
        **more,  # type: ignore[arg-type]
    )


def test_one_value_has_one_placeholder_through_a_whole_trajectory() -> None:
    made = Redaction().trajectory(
        conversation(
            marks=[Seen("tool_error", 4, "bob@example.com bounced")],
            end_state={"sent": ["alice@example.com"], "carol@example.com": 1},
            error=Failure(Fault.MODEL, "Bounce", "bob@example.com"),
            interventions=["wrote to alice@example.com"],
            outcome="success",
        )
    )
    assert made.items == [
        Message("system", "You are a clerk."),
        Message("user", "mail [EMAIL 1]"),
        Reasoning(content=[ReasoningText("so [EMAIL 1] it is")], encrypted_content="a@b.com"),
        FunctionCall("c1", "mail", '{"to":"[EMAIL 1]","cc":"[EMAIL 2]"}'),
        FunctionCallOutput("c1", "sent to [EMAIL 2]"),
        Message("assistant", [OutputText("Done: [EMAIL 2]")]),
    ]
    assert made.marks[0].detail == "[EMAIL 2] bounced"
    assert made.end_state == {"sent": ["[EMAIL 1]"], "[EMAIL 3]": 1}
    assert made.error is not None and made.error.message == "[EMAIL 2]"
    assert made.interventions == ["wrote to [EMAIL 1]"] and made.outcome == "success"
    assert made.redacted == Redaction().name


def test_ids_go_where_their_text_changed_and_where_a_turn_goes_on_from_such_a_one() -> None:
    ids: dict[str, object] = {"context_ids": [1], "completion_ids": [2], "logprobs": [-1.0]}
    items = [
        Message("user", "hi"),
        Message("assistant", "yes"),
        Message("user", "a@example.com"),
        Message("assistant", "ok"),
    ]
    turns = [
        Turn(saw=[(0, 1)], made=[1], **ids),  # type: ignore[arg-type]
        Turn(parent=0, saw=[(0, 3)], made=[3], **ids),  # type: ignore[arg-type]
        Turn(parent=1, saw=[(0, 1)], made=[], **ids),  # type: ignore[arg-type]
    ]
    made = Redaction().trajectory(Trajectory(id="a", task="a", group="a", items=[*items], turns=turns))
    assert made.turns[0] == turns[0]
    assert [(turn.context_ids, turn.completion_ids, turn.logprobs) for turn in made.turns[1:]] == [([], [], [])] * 2
    assert made.gaps == ["token ids of 2 of 3 turns: their text was redacted"]
    assert made.turns[1].made == [3]


def test_a_trajectory_without_secrets_keeps_everything() -> None:
    plain = Trajectory(id="a", task="a", group="a", items=[Message("user", "hi")], turns=[Turn(completion_ids=[1])])
    assert Redaction().trajectory(plain) == msgspec.structs.replace(plain, redacted=Redaction().name)


def test_a_secret_that_was_named_once_is_one_wherever_else_it_stands() -> None:
    items = [
        Message("user", "Use hunter2!x"),
        Message("user", "my password is hunter2!x"),
        FunctionCall("c", "f", '{"p":"hunter2!x"}'),
    ]
    made = Redaction().trajectory(Trajectory(id="a", task="a", group="a", items=[*items]))
    assert made.items[0] == Message("user", "Use [PASSWORD 1]") and made.items[2] == FunctionCall(
        "c", "f", '{"p":"[PASSWORD 1]"}'
    )
    ordinary = Redaction().text('{"password": "Tuesday", "note": "on Tuesday"}')
    assert ordinary == '{"password": "[PASSWORD 1]", "note": "on Tuesday"}'


def test_text_that_was_redacted_before_keeps_its_numbers() -> None:
    assert Redaction().text("[EMAIL 3] and a@example.com") == "[EMAIL 3] and [EMAIL 4]"
    assert Redaction().text('{"password": "[PASSWORD 1]"}') == '{"password": "[PASSWORD 1]"}'


def test_feedback_and_tools_are_redacted_too() -> None:
    redaction = Redaction()
    said = Feedback(
        trajectory="t",
        correction=[Message("assistant", "a@example.com")],
        note="see a@example.com",
        who="b@example.com",
    )
    made = redaction.feedback(said)
    assert (made.note, made.who) == ("see [EMAIL 1]", "[EMAIL 2]")
    assert made.correction == [Message("assistant", "[EMAIL 1]")]
    offered = Toolset([ToolSpec(name="mail", description="ask a@example.com")], "h")
    assert redaction.tools(offered).tools[0].description == "ask [EMAIL 1]" and redaction.tools(offered).hash != "h"
    assert redaction.tools(Toolset([ToolSpec(name="mail")], "h")).hash == "h"


def test_stop_texts_and_constraints_of_a_request_are_redacted() -> None:
    sampling = Sampling(stop=["mail bob@example.com", "END"], constrain='{"const": "alice@example.com"}')
    given = Trajectory(id="a", task="a", group="a", items=[Message("user", "hi")], turns=[Turn(sampling=sampling)])
    (turn,) = Redaction().trajectory(given).turns
    assert turn.sampling == Sampling(stop=["mail [EMAIL 1]", "END"], constrain='{"const": "[EMAIL 2]"}')


HARMLESS = (Path(__file__).parent / "harmless.txt").read_text().splitlines()


def test_at_most_one_in_twenty_harmless_texts_changes() -> None:
    assert len(set(HARMLESS)) >= 500
    changed = [text for text in HARMLESS if Redaction().text(text) != text]
    assert len(changed) <= 0.05 * len(HARMLESS), changed


@pytest.mark.parametrize(("text", "secret"), SECRETS, ids=[f"{n} {text[:30]}" for n, (text, _) in enumerate(SECRETS)])
def test_a_secret_is_removed_whatever_it_contains(text: str, secret: str) -> None:
    made = Redaction().text(text)
    assert secret not in made
    assert len(SECRETS) >= 150
    if text.startswith("{"):
        plain = json.loads(text) if _is_json(text) else {}
        assert secret not in json.dumps(Redaction().value(plain))


@pytest.mark.parametrize("text", [text for text in HARMLESS if text.startswith('{"')])
def test_harmless_json_stays_as_it_is_as_a_value_too(text: str) -> None:
    if _is_json(text):
        assert Redaction().value(json.loads(text)) == json.loads(text)


def test_a_hostile_json_of_pairs_takes_linear_time() -> None:
    """Wide and deep objects under the name of a secret."""
    wide = "{" + ",".join(f'"a{n}":"b"' for n in range(20_000)) + "}"
    deep = '{"x":' * 400 + '"y"' + "}" * 400
    for inner in (wide, deep, "[" * 400 + '"y"' + "]" * 400, '[{"name":"password","value":"x"}' + ",1" * 20_000 + "]"):
        began = time.process_time()
        Redaction().text('{"password":' + inner + "}")
        assert time.process_time() - began < 2, "0.3 s on an idle machine"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_what_detect_secrets_finds_is_removed() -> None:
    """Its detectors are another view of the same texts, except those that measure the entropy of any word."""
    found: list[tuple[str, str]] = []
    missed: list[tuple[str, str, str]] = []
    with default_settings():
        detectors: list[Any] = [plugin for plugin in get_plugins() if "Entropy" not in plugin.secret_type]
        for text, _ in SECRETS:
            made = Redaction().text(text)
            for line, detector in itertools.product(text.splitlines(), detectors):
                values = [secret.secret_value for secret in detector.analyze_line(filename="x.py", line=line)]
                found += [(detector.secret_type, value) for value in values]
                missed += [(detector.secret_type, value, made) for value in values if value in made]
    assert len({kind for kind, _ in found}) >= 15, "otherwise this says little"
    assert missed == []


@pytest.mark.parametrize(
    "seed",
    [
        *'a1@:. -+([{"\\é',
        *["a@a.", "1 ", "+1", "4111 ", "DE89 ", "eyJa.", "sk-a", "://a:b", "password is ", 'password="', "secret=os."],
        *[
            "<password>",
            "<password>a</",
            "curl -u ",
            "mysql -p",
            "-u a:",
            "--password ",
            '"name":"password",',
            '{"password":[',
        ],
        *["key=password ", "password value=", "name: secret\n", "sshpass ", "docker login ", "secret access key "],
        *["token=", "token:", "token: a1", "Cookie: a=b; ", "\\u0040", "a,b=", "0049 ", "::", "?sig=", "api_key={{"],
    ],
)
def test_redaction_takes_linear_time(seed: str) -> None:
    for before, after in (("", "!"), ('password="', "@"), ("password=a.b.1 ", "")):
        text = before + (seed * 60_000)[:60_000] + after
        began = time.process_time()
        Redaction().text(text)
        assert time.process_time() - began < 2, "0.1 s on an idle machine. Quadratic time would be minutes"


# -- a user's own rules -------------------------------------------------------------------------------------------------


def rules(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    return path


def test_own_rules_come_after_the_built_in_ones_and_make_another_version(tmp_path: Path) -> None:
    own = Redaction.load(rules(tmp_path, "customer: 'C-\\d{4}'\nroom: 'room (?P<secret>\\w+)'\n"))
    assert (
        own.text("C-1234 a@example.com C-9999 C-1234 room blue")
        == "[CUSTOMER 1] [EMAIL 1] [CUSTOMER 2] [CUSTOMER 1] room [ROOM 1]"
    )
    assert own.name != Redaction.load(None).name == Redaction().name
    assert own.counts == {"customer": 3, "email": 1, "room": 1}


def test_a_built_in_rule_can_be_switched_off(tmp_path: Path) -> None:
    own = Redaction.load(rules(tmp_path, "phone: false\n"))
    assert own.text("415-555-0132 a@example.com") == "415-555-0132 [EMAIL 1]"
    own = Redaction.load(rules(tmp_path, "password: false\n"))
    assert own.text('{"password": "hunter2", "to": "a@example.com"}') == '{"password": "hunter2", "to": "[EMAIL 1]"}'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ok: 'a'\nbad: '('\n", 'rules.yaml line 2: the rule "bad" is not a regular expression'),
        ("empty: 'a*'\n", 'line 1: the rule "empty" matches empty text'),
        ("slow: '(?:a|aa)+$'\n", 'line 1: the rule "slow" backtracks too much'),
        ("number: 5\n", 'line 1: the rule "number" must be a regular expression in quotes'),
        ("email: 'x'\n", '"email" is a built-in rule'),
        ("nosuch: false\n", 'the rule "nosuch" must be'),
        ("Bad Name: 'x'\n", '"Bad Name" is not a valid rule name'),
        ("- a\n", "rules are names and regular expressions"),
        ("a: [", "not valid YAML"),
    ],
)
def test_a_bad_rule_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadInput) as told:
        Redaction.load(rules(tmp_path, text))
    assert words in str(told.value)


def test_a_file_of_rules_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        Redaction.load(tmp_path / "none.yaml")


def test_a_rule_that_is_slow_on_one_text_holds_nothing_up(tmp_path: Path) -> None:
    own = Redaction.load(rules(tmp_path, "odd: '(?:z|zz)+y'\n"))
    began = time.process_time()
    for _ in range(50):
        with pytest.raises(BadInput, match='rule "odd" took longer than'):
            own.text("z" * 400)
    assert time.process_time() - began < 10  # given up after a few, not 50 times a quarter of a second


def test_an_empty_match_takes_nothing(tmp_path: Path) -> None:
    assert Redaction.load(rules(tmp_path, "edge: '(?=x)'\n")).text("axb") == "axb"


def test_every_rule_is_documented_as_it_is() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "traces.md").read_text()
    first: dict[str, str] = {}
    for rule in BUILT_IN:
        first.setdefault(rule.name, rule.about)
    assert [name for name, about in first.items() if f"| `{name}` | {about} |" not in page] == []
