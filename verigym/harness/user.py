"""A simulated user: the other side of a conversation of several turns. What it says is another actor's and never trained on.

Scripted: the environment has `user(self, reply) -> str | None`, the user's next words, or None when there is nothing more
to say. Played by a model: it has `persona(self) -> str`, who the user is and what they want, and a policy is passed in; the
policy sees the conversation from the other side, without tools, and ends it by saying `[done]`. One that has both is played
where a policy is passed in, and else scripted.
"""

from verigym.core.protocols import Policy, Reply, Request
from verigym.core.records import Item, Message, Sampling

DONE = "[done]"
_PART = (
    "You play a person who talks to an assistant. Stay in the part, say one thing at a time, and do not do the assistant's "
    f"work. When you have what you came for, or cannot get it, reply with {DONE} and nothing else.\n\nYour part: "
)


async def ask_policy(policy: Policy, persona: str, items: list[Item], sampling: Sampling, seed: int) -> Reply:
    """What the policy says as the user; its reply's items are one user message, or none at the end."""
    view: list[Item] = [Message("system", _PART + persona)]
    for item in items:
        if isinstance(item, Message) and item.role in ("user", "assistant") and item.text:
            view.append(Message("assistant" if item.role == "user" else "user", item.text))
    reply = await policy.respond(Request(items=view, sampling=sampling, seed=seed))
    text = "".join(item.text for item in reply.items if isinstance(item, Message)).strip()
    said: list[Item] = [] if DONE in text or not text else [Message("user", text)]
    return Reply(items=said, turn=reply.turn)
