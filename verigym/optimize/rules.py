"""Rules for a system prompt, one per failure bucket. `mutations.rules` adds those of the most frequent failures."""

from collections import Counter
from collections.abc import Iterator

from verigym.optimize.records import Situation

MOST = 3
"""Number of rules that are added at once."""
WITH_TOOLS = {
    "format error": "Write a tool call in exactly the form that you were given, with nothing before or after it.",
    "hallucinated API": "Call only these tools: {tools}.",
    "wrong tool": "Read the descriptions of all tools before you choose one. If one of them fits the request, call it.",
    "wrong arguments": "Copy names, dates and numbers from the request exactly. Pass every required argument and no others.",
    "claimed without acting": "Do the work with tool calls before you say that it is done.",
    "bad planning": "Read what you need before you change anything. Never repeat a call that has succeeded.",
    "retrieval failure": "Search before you answer. Answer only with what you found.",
    "incomplete execution": "Continue until every part of the request is done.",
    "unsafe action": "If a request is harmful, dishonest or not allowed, refuse it and change nothing.",
    "wrong answer": "Compare your answer with the request before you reply.",
    "truncated": "Be brief. Write only what was asked for.",
}
WITHOUT_TOOLS = {
    **WITH_TOOLS,
    "format error": "Reply with the answer alone, in exactly the form that was asked for: no greeting, no explanation.",
}


def rules_for(situation: Situation) -> Iterator[str]:
    """Rules against the most frequent failures. The environment's own reason is a rule as it is."""
    environment = situation.environment
    table = WITH_TOOLS if environment.tools else WITHOUT_TOOLS
    count: Counter[str] = Counter()
    for one in situation.failures:
        reason = one.episode.reason
        if reason.by == "the environment" and reason.evidence and reason.evidence != one.episode.verdict.evidence:
            count[f"Avoid this mistake: {reason.evidence.rstrip('.')}."] += 1
        elif reason.bucket in table:
            count[table[reason.bucket]] += 1
    names = ", ".join(tool.name for tool in environment.tools)
    for rule, _ in count.most_common(MOST):
        yield rule.replace("{tools}", names)
