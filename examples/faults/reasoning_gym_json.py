"""Gold answers of reasoning-gym that fail after their entries were written as JSON and read again."""

import json

import reasoning_gym

for name in ("arc_agi", "rearc"):
    data = reasoning_gym.create_dataset(name, size=20, seed=0)
    fresh = sum(data.score_answer(entry["answer"], entry) == 1.0 for entry in data)
    stored = sum(data.score_answer(entry["answer"], json.loads(json.dumps(entry))) == 1.0 for entry in data)
    print(f"{name}: gold passes {fresh} of 20 as made, {stored} of 20 after JSON")
