"""Removes secrets and personal data from traces before they are stored: `mail alice@example.com` becomes `mail [EMAIL 1]`.

Within one trajectory the same value gets the same placeholder, so that a conversation stays readable and a tool's arguments
still match the request. JSON text is changed inside its strings and stays JSON. The built-in rules are in `redaction_rules`.
Users add their own in a YAML file of names and regular expressions. Token ids would reveal redacted text, so they are
removed with it.
"""

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import msgspec
import regex

from verigym.core.errors import BadInput
from verigym.core.records import Failure, Feedback, Item, Mark, Toolset, ToolSpec, Trajectory, Turn, content_hash
from verigym.core.settings import read_yaml
from verigym.store.database import Store
from verigym.traces.redaction_rules import (
    BUILT_IN,
    SECRET_KEY,
    RedactionRule,
    check_of_key,
    is_odd,
    keys_within,
    literal,
    plain_letters,
    shape,
)

T = TypeVar("T")
_SECONDS = 0.25
"""Timeout for a user's pattern on one text. A pattern that needs longer backtracks without end."""
_PATIENCE = 5
"""Timeouts after which the rule is refused for good."""
_LEARNED = 100
"""Maximum secrets per trajectory that are also searched for without their keyword."""
_LONGEST = 1024
"""Maximum characters of such a secret."""
_TOOLSETS = 1000
"""Maximum toolsets whose hash is remembered."""
_DEEPEST = 20
"""Maximum depth of JSON in a string in JSON in a string."""
_FIXED = ("type", "role", "encrypted_content")
"""Fields of items that are not text."""
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}\[\]]')
_COLON = re.compile(r"\s*:")
_ESCAPE = re.compile(r"(?<!\\)\\+u([0-9a-fA-F]{4})")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_HIDDEN = re.compile(f"{_ESCAPE.pattern}|{_INVISIBLE.pattern}")
_PROBES = ["a" * 60 + "!", "1" * 60 + "!", "a1" * 40 + " ", "a " * 40 + "!", "-" * 60 + "!", ("a@" * 30) + "!"]


class Redaction:
    """The rules, and how often each was used. Each trajectory numbers its placeholders from 1."""

    def __init__(self, rules: Iterable[RedactionRule] | None = None) -> None:
        self.rules = list(BUILT_IN if rules is None else rules)
        shown = [(rule.name, rule.pattern.pattern, getattr(rule.accept, "__name__", "")) for rule in self.rules]
        self.name = f"rules@{content_hash([shown, SECRET_KEY.pattern])[:8]}"
        """name@version. The version changes with the rules."""
        self.counts: Counter[str] = Counter()
        """Rule to the number of values that it redacted, counting every occurrence."""
        self.key = b""
        self._slow: Counter[str] = Counter()

    def with_key(self, key: bytes) -> "Redaction":
        """The same rules for texts that are redacted apart and joined later. A placeholder is a keyed hash of its value, not a
        number, so that the same value has the same placeholder in all of them."""
        keyed = Redaction(self.rules)
        keyed.key = key
        return keyed

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """The built-in rules and the user's. `name: false` disables a built-in rule."""
        rules = list(BUILT_IN)
        if path is None:
            return cls(rules)
        if not path.is_file():
            raise BadInput(f"{path} does not exist. Redaction rules are a YAML file of names and regular expressions")
        data = read_yaml(path, "rules are names and regular expressions, such as customer: 'C-[0-9]{6}'")
        known = {rule.name for rule in rules}
        for name, pattern in data.items():
            where = f"{path}{_line(path, str(name))}"
            if pattern is False and name in known:
                rules = [rule for rule in rules if rule.name != name]
            else:
                rules.append(_user_rule(str(name), pattern, known, where))
        return cls(rules)

    def text(self, text: str) -> str:
        return self._done(text, lambda one: one.text(text))

    def value(self, value: Any) -> Any:
        """A JSON value with its strings redacted."""
        return self._done(value, lambda one: one.value(value))

    def trajectory(self, trajectory: Trajectory) -> Trajectory:
        it = trajectory
        settings = [[*turn.sampling.stop, turn.sampling.constrain] for turn in it.turns]
        texts = [it.items, it.marks, it.end_state, it.outcome, it.interventions, it.gaps, it.error, settings]
        redacted = self._done(texts, lambda one: one.trajectory(trajectory))
        return msgspec.structs.replace(redacted, redacted=self.name)

    def feedback(self, feedback: Feedback) -> Feedback:
        texts = [feedback.correction, feedback.intervention, feedback.note, feedback.who]
        return self._done(texts, lambda one: one.feedback(feedback))

    def tools(self, tools: Toolset) -> Toolset:
        """The toolset with its descriptions redacted. An unchanged toolset keeps its hash."""
        plain = msgspec.to_builtins(tools.tools)
        redacted = self.value(plain)
        if redacted == plain:
            return tools
        return Toolset(msgspec.convert(redacted, list[ToolSpec]), content_hash(redacted)[:16])

    def _done(self, value: Any, work: "Callable[[_RedactionPass], T]") -> T:
        """Runs one pass, and a second if the first found secrets that may also occur without their keyword. `value` holds all
        texts that the pass will see."""
        texts = "\n".join(_strings(msgspec.to_builtins(value)))
        if "\\" in texts:  # rules are chosen by what the text says, with and without its escapes
            texts += "\n" + _ESCAPE.sub(lambda match: chr(int(match[1], 16)), texts).replace("\\", "")
        if not texts.isascii() and _INVISIBLE.search(texts):
            texts += "\n" + _INVISIBLE.sub("", texts)
        redaction = _RedactionPass(self, texts, self.rules)
        result = work(redaction)
        if any(texts.count(secret) > 1 for secrets in redaction.learned.values() for secret in secrets):
            known = [literal(name, values) for name, values in redaction.learned.items()]
            redaction = _RedactionPass(self, texts, [*known, *self.rules])
            result = work(redaction)
        self.counts += redaction.counts
        return result

    def matches(self, rule: RedactionRule, text: str, start: int, end: int) -> list[tuple[int, int]]:
        """The positions of a rule's values in a part of a text."""
        if isinstance(rule.pattern, re.Pattern):
            return list(_accepted(rule, text, start, end))
        if self._slow[rule.name] < _PATIENCE:
            try:
                matches = rule.pattern.finditer(text, start, end, timeout=_SECONDS)
                return [span for span in map(_secret, matches) if span[0] < span[1]]
            except TimeoutError:
                self._slow[rule.name] += 1
        raise BadInput(
            f'the redaction rule "{rule.name}" took longer than {_SECONDS:g} s on one text. Rewrite it with less backtracking'
        )


class RedactedToolsets:
    """Redacts toolsets and remembers the results. New ones are in `unstored` until the caller stores them."""

    def __init__(self, redaction: Redaction) -> None:
        self._redaction = redaction
        self._hashes: dict[str, str] = {}
        """Hash of the offered toolset to the hash of the redacted one."""
        self.unstored: dict[str, Toolset] = {}

    def add(self, tools: list[ToolSpec]) -> tuple[str, bool]:
        """The hash of the redacted toolset, and whether redaction changed nothing."""
        if not tools:
            return "", True
        offered = content_hash(tools)[:16]
        if offered not in self._hashes:
            if len(self._hashes) >= _TOOLSETS:
                self._hashes.clear()
            toolset = self._redaction.tools(Toolset(tools, offered))
            self._hashes[offered] = toolset.hash
            self.unstored[toolset.hash] = toolset
        return self._hashes[offered], self._hashes[offered] == offered

    def store(self, store: Store) -> None:
        for hash in list(self.unstored):
            store.put("tools", hash, self.unstored[hash])
            del self.unstored[hash]


class _RedactionPass:
    """One pass over a trajectory: the rules that can match in it, and the numbers of the values found so far."""

    def __init__(self, redaction: Redaction, whole: str, rules: list[RedactionRule]) -> None:
        self._redaction = redaction
        self.rules = _that_may_match(rules, whole)
        self.counts: Counter[str] = Counter()
        self.learned: dict[str, set[str]] = {}
        """Rule to the secrets that it found by a keyword."""
        self._keys = any(rule.name == "password" for rule in self.rules)
        self._numbers: dict[tuple[str, str], int] = {}
        self._next: Counter[str] = Counter()
        self._placed = None
        if self.rules and "[" in whole:
            names = "|".join({rule.name.upper() for rule in [*rules, *BUILT_IN]})
            self._placed = re.compile(rf"\[({names}) (\d{{1,4}})\]")
            for name, number in self._placed.findall(whole):  # values redacted earlier keep their number
                self._next[name] = max(self._next[name], int(number))

    def trajectory(self, trajectory: Trajectory) -> Trajectory:
        if not self.rules:
            return trajectory
        items = [self.item(item) for item in trajectory.items]
        changed = {index for index, item in enumerate(items) if item is not trajectory.items[index]}
        turns, lost = _without_ids(trajectory.turns, changed)
        turns = [self.turn(turn) for turn in turns]
        gaps, error = [self.text(gap) for gap in trajectory.gaps], trajectory.error
        if lost:
            gaps.append(f"token ids of {lost} of {len(turns)} turns: their text was redacted")
        return msgspec.structs.replace(
            trajectory,
            items=items,
            turns=turns,
            marks=[Mark(mark.kind, mark.item, self.text(mark.detail)) for mark in trajectory.marks],
            end_state=self.value(trajectory.end_state),
            outcome=self.text(trajectory.outcome),
            interventions=[self.text(text) for text in trajectory.interventions],
            error=error and Failure(error.fault, self.text(error.kind), self.text(error.message)),
            gaps=gaps,
        )

    def feedback(self, feedback: Feedback) -> Feedback:
        return msgspec.structs.replace(
            feedback,
            correction=[self.item(item) for item in feedback.correction],
            intervention=self.text(feedback.intervention),
            note=self.text(feedback.note),
            who=self.text(feedback.who),
        )

    def turn(self, turn: Turn) -> Turn:
        """The turn with its stop texts and its constraint redacted."""
        if not (turn.sampling.stop or turn.sampling.constrain):
            return turn
        stop, constrain = [self.text(text) for text in turn.sampling.stop], self.text(turn.sampling.constrain)
        sampling = msgspec.structs.replace(turn.sampling, stop=stop, constrain=constrain)
        return msgspec.structs.replace(turn, sampling=sampling)

    def item(self, item: Item) -> Item:
        """The redacted item. An unchanged item is returned as it is."""
        plain = msgspec.to_builtins(item)
        redacted = {name: value if name in _FIXED else self.value(value) for name, value in plain.items()}
        return item if redacted == plain else msgspec.convert(redacted, Item)

    def value(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            members = cast(dict[str, Any], value)
            key_of = keys_within(key, list(members.items()))
            return {self.text(name): self.value(inner, key_of(name)) for name, inner in members.items()}
        if isinstance(value, list):
            return [self.value(inner, key) for inner in cast(list[Any], value)]
        if isinstance(value, str):
            return self._under(key, value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = self._under(key, str(value))
            return value if text == str(value) else text
        return value

    def text(self, text: str, depth: int = 0) -> str:
        if not self.rules or not text:
            return text
        if depth < _DEEPEST and text.lstrip()[:1] in ("{", "[", '"') and _is_json(text):
            return self._json(text, depth)
        return self._plain(text)

    def _under(self, key: str, text: str, depth: int = 0) -> str:
        """The value of a key. If the key names a secret, any value is redacted."""
        is_secret = check_of_key(key) if self._keys and key and text else None
        placed = self._placed is not None and self._placed.search(text)
        if is_secret is not None and not placed and is_secret(text):
            self._learn("password", text)
            return self._placeholder("password", text, loose=False)
        return self.text(text, depth)

    def _json(self, text: str, depth: int) -> str:
        """Replaces only the literals that change. Spaces and order stay as they were."""
        members = _members(text) if self._keys else {}
        pieces: list[str] = []
        around: list[tuple[str, Callable[[str], str] | None]] = []
        key, key_of, last = "", None, 0
        """`key_of` gives the key for a name in the innermost object. It is None in a list, whose values share its key."""
        for match in _TOKEN.finditer(text):
            raw, (start, end) = match[0], match.span()
            if raw in "{[":
                around.append((key, key_of))
                key_of = keys_within(key, members.get(start, [])) if raw == "{" else None
            elif raw in "}]":
                key, key_of = around.pop()
            else:
                value = cast(str, msgspec.json.decode(raw)) if raw[0] == '"' else raw
                if key_of is not None and raw[0] == '"' and _COLON.match(text, end):
                    new, key = self.text(value, depth + 1), key_of(value)
                else:
                    new = self._under(key, value, depth + 1)
                if new != value:
                    pieces += [text[last:start], msgspec.json.encode(new).decode()]
                    last = end
        return "".join([*pieces, text[last:]])

    def _plain(self, text: str) -> str:
        if ("\\u" in text or not text.isascii()) and _HIDDEN.search(text):
            return self._escaped(text)
        redacted, last = "", 0
        for start, end, new in self._replacements(text):
            redacted += text[last:start] + new
            last = end
        return redacted + text[last:]

    def _escaped(self, text: str) -> str:
        """The redacted text, where `\\u0040` counts as `@` (a part of JSON, or a log that quotes it) and invisible characters do
        not count."""
        pieces, starts, last = [], [], 0
        for match in _HIDDEN.finditer(text):
            pieces += [text[last : match.start()], chr(int(match[1], 16)) if match[1] else ""]
            starts += [*range(last, match.start()), *([match.start()] if match[1] else [])]
            last = match.end()
        plain, starts = "".join([*pieces, text[last:]]), [*starts, *range(last, len(text) + 1)]
        redacted, last = "", 0
        for start, end, new in self._replacements(plain):
            redacted += text[last : starts[start]] + new
            last = starts[end]
        return redacted + text[last:]

    def _replacements(self, text: str) -> list[tuple[int, int, str]]:
        """Start, end and replacement of what is redacted."""
        text = plain_letters(text)
        taken: list[tuple[int, int, str]] = []
        if self._placed is not None:
            taken += [(*match.span(), match[0]) for match in self._placed.finditer(text)]
        for rule in _that_may_match(self.rules, text):
            for start, end in _free(taken, len(text)):
                for first, last in self._redaction.matches(rule, text, start, end):
                    if rule.by_keyword:
                        self._learn(rule.name, text[first:last])
                    taken.append((first, last, self._placeholder(rule.name, text[first:last], rule.loose)))
        return sorted(taken)

    def _learn(self, rule: str, secret: str) -> None:
        if is_odd(secret) and len(secret) <= _LONGEST and sum(map(len, self.learned.values())) < _LEARNED:
            self.learned.setdefault(rule, set()).add(secret)

    def _placeholder(self, rule: str, value: str, loose: bool) -> str:
        self.counts[rule] += 1
        name, same = rule.upper(), value.casefold()
        same = re.sub(r"[\W_]+", "", same) if loose else same
        if self._redaction.key:
            hash = hmac.new(self._redaction.key, f"{name} {same}".encode(errors="replace"), hashlib.sha256)
            return f"[{name} {hash.hexdigest()[:16]}]"
        number = self._numbers.get((name, same))
        if number is None:
            self._next[name] += 1
            number = self._numbers[name, same] = self._next[name]
        return f"[{name} {number}]"


def _that_may_match(rules: list[RedactionRule], text: str) -> list[RedactionRule]:
    shown = shape(text)
    longest = max(map(len, text.split()), default=0)
    has_hint: dict[tuple[str, ...], bool] = {(): True}
    chosen: list[RedactionRule] = []
    for rule in rules:
        if longest < rule.longest_word:
            continue
        if rule.hints not in has_hint:
            has_hint[rule.hints] = any(hint in shown for hint in rule.hints)
        if has_hint[rule.hints] and (rule.needs is None or rule.needs.search(shown)):
            chosen.append(rule)
    return chosen


def _accepted(rule: RedactionRule, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The matches that the rule accepts. The search continues after the accepted part, not after the whole match."""
    while (match := rule.pattern.search(text, start, end)) is not None:
        first, last = _secret(match)
        if rule.accept is not None:
            last = first + len(rule.accept(text[first:last]))
        if last > first:
            yield first, last
        elif rule.skips_rejected:
            last = match.end()
        start = max(last, match.start() + 1)


def _secret(match: Any) -> tuple[int, int]:
    """The span of the group `secret` if it matched, else of the whole match."""
    named = "secret" in match.re.groupindex and match["secret"] is not None
    return match.span("secret" if named else 0)


def _free(taken: list[tuple[int, int, str]], length: int) -> list[tuple[int, int]]:
    """The parts of the text that no rule has matched yet."""
    spans = sorted(taken)
    starts, ends = [0, *(end for _, end, _ in spans)], [*(start for start, _, _ in spans), length]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def without_ids(turn: Turn) -> Turn:
    return msgspec.structs.replace(turn, context_ids=[], completion_ids=[], logprobs=[], restricted=[])


def _without_ids(turns: list[Turn], changed: set[int]) -> tuple[list[Turn], int]:
    """The turns without token ids and logprobs if their text, or that of a turn they extend, changed. Also their number."""
    if not changed:
        return turns, 0
    kept: list[Turn] = []
    stale: set[int | None] = set()
    lost = 0
    for index, turn in enumerate(turns):
        seen = not turn.saw or any(start <= item < end for start, end in turn.saw for item in changed)
        if seen or turn.parent in stale or changed & set(turn.made):
            stale.add(index)
            lost += bool(turn.context_ids or turn.completion_ids or turn.logprobs)
            turn = without_ids(turn)  # noqa: PLW2901
        kept.append(turn)
    return kept, lost


def _strings(value: Any) -> Iterator[str]:
    """The texts and numbers in a plain value."""
    if isinstance(value, dict):
        for key, inner in cast(dict[str, Any], value).items():
            yield key
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in cast(list[Any], value):
            yield from _strings(inner)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int | float):
        yield str(value)


def _members(text: str) -> dict[int, list[tuple[str, Any]]]:
    """The names and short texts of every object in a JSON text, by the object's position."""
    found: dict[int, list[tuple[str, Any]]] = {}
    around: list[list[tuple[str, Any]]] = [[]]
    for match in _TOKEN.finditer(text):
        raw = match[0]
        if raw == "{":
            around.append(found.setdefault(match.start(), []))
        elif raw == "[":
            around.append([])
        elif raw in "}]":
            around.pop()
        elif raw[0] == '"' and (_COLON.match(text, match.end()) or (around[-1] and len(raw) < _LONGEST)):
            value = cast(str, msgspec.json.decode(raw))
            if _COLON.match(text, match.end()):
                around[-1].append((value, None))
            else:
                around[-1][-1] = (around[-1][-1][0], value)
    return found


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True


def _user_rule(name: str, pattern: Any, built_in: set[str], where: str) -> RedactionRule:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name):
        raise BadInput(
            f'{where}: "{name}" is not a valid rule name. Use at most 40 lower-case letters, digits and _. '
            "Begin with a letter"
        )
    if not isinstance(pattern, str):
        raise BadInput(
            f'{where}: the rule "{name}" must be a regular expression in quotes, or false to disable a built-in rule'
        )
    if name in built_in:
        raise BadInput(
            f'{where}: "{name}" is a built-in rule. Choose another name, or write "{name}: false" to disable it'
        )
    try:
        compiled = regex.compile(pattern)
        if compiled.search("", timeout=_SECONDS) is not None:
            raise BadInput(f'{where}: the rule "{name}" matches empty text. It must match at least one character')
        for probe in _PROBES:
            list(compiled.finditer(probe, timeout=_SECONDS))
    except regex.error as error:
        raise BadInput(f'{where}: the rule "{name}" is not a regular expression: {error}') from error
    except TimeoutError as error:
        raise BadInput(
            f'{where}: the rule "{name}" backtracks too much on a text of 60 letters. Simplify it'
        ) from error
    return RedactionRule(name=name, about="a rule of yours", pattern=compiled)


def _line(path: Path, name: str) -> str:
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
        if re.match(rf"[\"']?{re.escape(name)}[\"']?\s*:", line):
            return f" line {number}"
    return ""
