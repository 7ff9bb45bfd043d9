import csv

counts = {}
with open("/app/visits.csv") as file:
    for row in csv.DictReader(file):
        counts[row["city"]] = counts.get(row["city"], 1) + 1
for city in sorted(counts):
    print(f"{city}: {counts[city]}")
