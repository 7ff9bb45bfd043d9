"""Continues a text with llama.cpp and prints its ids and the greedy continuation as JSON: `llama_replies.py FILE TEXT`."""

import json
import sys

from llama_cpp import Llama

if __name__ == "__main__":
    file, text = sys.argv[1:]
    model = Llama(file, n_ctx=256, verbose=False)
    ids = model.tokenize(text.encode(), add_bos=False, special=True)
    made: list[int] = []
    for token in model.generate(ids, temp=0.0, top_k=1, repeat_penalty=1.0):
        made.append(token)
        if len(made) == 12:
            break
    print(json.dumps({"ids": ids, "made": made}))
