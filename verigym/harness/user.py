"""A simulated user, the other side of a conversation. Its messages belong to another actor and are never trained on.

Scripted: the environment defines `user(self, reply) -> str | None`, the user's next message, or None at the end. Played by a
model: the environment defines `persona(self) -> str`, who the user is and what they want, and you pass in a policy. The
policy sees the conversation from the other side, without tools, and ends it with `[done]`. If an environment has both, the
policy plays the user if you pass one in. Otherwise the script does.
"""

from verigym.core.protocols import Policy, Reply, Request
from verigym.core.records import Item, Message, Sampling

DONE = "[done]"
_PART = (
    "You play a person who talks to an assistant. Stay in the part, say one thing at a time, and do not do the assistant's "
    f"work. When you have what you came for, or cannot get it, reply with {DONE} and nothing else.\n\nYour part: "
)


async def ask_policy(policy: Policy, persona: str, items: list[Item], sampling: Sampling, seed: int) -> Reply:
    """The policy's message as the user. The reply holds one user message, or none at the end."""
    view: list[Item] = [Message("system", _PART + persona)]
    for item in items:
        if isinstance(item, Message) and item.role in ("user", "assistant") and item.text:
            view.append(Message("assistant" if item.role == "user" else "user", item.text))
    reply = await policy.respond(Request(items=view, sampling=sampling, seed=seed))
    text = "".join(item.text for item in reply.items if isinstance(item, Message)).strip()
    said: list[Item] = [] if DONE in text or not text else [Message("user", text)]
    return Reply(items=said, turn=reply.turn)
