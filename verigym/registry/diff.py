"""Compares two versions: prompts and tool descriptions as a diff, everything else field by field."""

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Json, Message, Version

_ALIKE = 0.5
"""Minimum similarity of two lines to show them as one changed line."""
_LONGEST = 5000
"""Maximum length of a line for a word diff, because its time grows quadratically."""


class VersionDiff(Struct, frozen=True, kw_only=True):
    prompt: list[str]
    """Lines of a unified diff. Empty if the prompts are equal."""
    tools: dict[str, list[str]]
    """Tool to the diff of its description."""
    examples: list[str] = []
    """The diff of the examples. Empty if they are equal."""
    skills: dict[str, list[str]] = {}
    """Skill to the diff of its text."""
    fields: dict[str, tuple[Any, Any]]
    """Every other field that differs: base, adapter, constraints, `sampling.top_p`, `recipe.lora.r`, data."""

    def __bool__(self) -> bool:
        return bool(self.prompt or self.tools or self.examples or self.skills or self.fields)


def diff(
    before: Version, after: Version, default_prompt: str = "", default_tools: Mapping[str, str] = {}
) -> VersionDiff:
    """The defaults are the environment's, if known. A version that sets none of its own uses them."""
    both = before, after
    prompt: list[str] = []
    if before.system_prompt != after.system_prompt:
        texts = [default_prompt if version.system_prompt is None else version.system_prompt for version in both]
        for sign, version in zip(("---", "+++"), both, strict=True):
            default = " (the environment's own)" if version.system_prompt is None else ""
            prompt.append(f"{sign} {version.id} {version.name}".rstrip() + default)
        prompt += text_diff(*texts) or ["(the same text)"]
    described = [{**default_tools, **version.tool_descriptions} for version in both]
    tools = {
        name: text_diff(*(texts.get(name, "") for texts in described)) or ["(the same text)"]
        for name in sorted({*before.tool_descriptions, *after.tool_descriptions})
        if before.tool_descriptions.get(name) != after.tool_descriptions.get(name)
    }
    skills = {
        name: text_diff(*(version.skills.get(name, "") for version in both)) or ["(an empty text)"]
        for name in sorted({*before.skills, *after.skills})
        if before.skills.get(name) != after.skills.get(name)
    }
    examples = [] if before.examples == after.examples else text_diff(*map(examples_text, both))
    old, new = (_fields(version, software=bool(before.software and after.software)) for version in both)
    pairs = {name: (old.get(name, "-"), new.get(name, "-")) for name in {**old, **new}}
    fields = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    return VersionDiff(prompt=prompt, tools=tools, examples=examples, skills=skills, fields=fields)


def examples_text(version: Version) -> str:
    """The examples of a version as text: one line for each item."""
    return "\n\n".join("\n".join(map(_line, example)) for example in version.examples)


def _line(item: Item) -> str:
    match item:
        case Message():
            return f"{item.role}: {item.text}"
        case FunctionCall():
            return f"assistant calls {item.name} {item.arguments}"
        case FunctionCallOutput():
            return f"result: {item.output}"
        case _:
            return "assistant thinks"


def text_diff(before: str, after: str) -> list[str]:
    """A unified diff. Below a changed line, another line shows the changed words: `? Today is [-Monday-]{+Tuesday+}`."""
    changed = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm=""))[2:]
    if not changed and before != after:
        return ["(they differ only in how lines end)"]
    return list(_with_words(changed))


def _with_words(lines: list[str]) -> Iterator[str]:
    """Adds the changed words after each block of removed and added lines."""
    removed: list[str] = []
    added: list[str] = []
    for line in [*lines, "@@"]:
        if line.startswith("-") and not added:
            removed.append(line[1:])
        elif line.startswith("+") and removed:
            added.append(line[1:])
        else:
            for old, new in zip(removed, added, strict=False):
                if hint := word_diff(old, new):
                    yield f"? {hint}"
            removed, added = [line[1:]] if line.startswith("-") else [], []
        if line != "@@":
            yield line


def word_diff(old: str, new: str) -> str:
    """One line with its changed words marked. Empty if the lines have too little in common."""
    if len(old) + len(new) > _LONGEST:
        return ""
    words = [re.findall(r"\w+|\s+|[^\w\s]", text) for text in (old, new)]
    matcher = difflib.SequenceMatcher(None, *words, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return ""
    parts: list[str] = []
    for operation, a, b, c, d in matcher.get_opcodes():
        removed, added = "".join(words[0][a:b]), "".join(words[1][c:d])
        if operation == "equal":
            parts.append(removed)
        else:
            parts += [f"[-{removed}-]"] * bool(removed) + [f"{{+{added}+}}"] * bool(added)
    return "".join(parts)


def _fields(version: Version, software: bool) -> Json:
    """All fields that are not multi-line text, by dotted names."""
    plain: Json = {
        "base": version.base,
        **({"quantized": version.quantized} if version.quantized else {}),
        "adapter": version.adapter[:12] + (" (all parameters)" if version.full else "") or "none",
        "constraints": version.constraints or "none",
        "sampling": msgspec.structs.asdict(version.sampling) if version.sampling else "the caller's",
        **({"tools file": version.tools[:12]} if version.tools else {}),
        **({"harness": msgspec.structs.asdict(version.harness)} if version.harness else {}),
        **({"program": version.program} if version.program else {}),
        "recipe": version.recipe,
        "data": version.data_hash[:12] or "none",
        "families": len(version.families),
        **({"software": version.software} if software else {}),
    }
    return dict(_flat("", plain))


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        yield name, value
        return
    for key, inner in value.items():
        yield from _flat(f"{name}.{key}" if name else str(key), inner)
