"""The cycle in Python: measure, explain, train, measure again, compare, gate, promote.

Run it with `python examples/ring.py`. VERIGYM_MODEL names another base model, and TASKS the number of held-out tasks.
"""

import os

import verigym

model, n = os.environ.get("VERIGYM_MODEL", "smollm2-135m"), int(os.environ.get("TASKS", "240"))

with verigym.Workspace() as ws:
    base = ws.agent(model)
    before = ws.evaluate("toolcall", base, n=n)
    print(before)
    print(ws.explain(before))
    tuned = ws.train("recipes/quick_sft.yaml", model=model, steps=n // 4, eval_tasks=n)
    after = ws.evaluate("toolcall", tuned, n=n)
    print(verigym.compare(before, after))
    decision = ws.gate(tuned, policy="quick")
    print(decision)
    if decision.promote:
        print(ws.promote(decision))
