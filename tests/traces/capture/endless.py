"""Adds exchanges without end, saying how many are safe: python -m tests.traces.capture.endless HOME; to be killed."""

import sys
from pathlib import Path

from tests.traces.capture.chats import AsItIs, Chat
from verigym.traces.capture import Capture

CHATS = 20


def chat(number: int) -> Chat:
    return Chat(conversation=f"endless {number}") if number % 2 else Chat(f"You are number {number}.")


if __name__ == "__main__":
    capture = Capture(Path(sys.argv[1]), AsItIs())
    chats = [chat(n) for n in range(CHATS)]
    for turn in range(100_000):
        for one in chats:
            capture.add(one.ask(f"question {turn}", f"answer {turn}"))
        print(capture.counts.captured, flush=True)
