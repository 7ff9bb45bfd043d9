import json
import subprocess

with open("/app/visits.csv", "a") as file:
    file.write("Bern,6\n")
said = subprocess.run(["python3", "/app/report.py"], capture_output=True, text=True).stdout.split("\n")
right = ["Bern: 2", "Lima: 1", "Oslo: 3"]
lines = sum(a == b for a, b in zip(said, right, strict=False))
with open("/logs/verifier/reward.json", "w") as file:
    json.dump({"reward": float(said[:3] == right), "lines": lines / 3}, file)
