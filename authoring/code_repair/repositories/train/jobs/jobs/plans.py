from jobs.logs import job


def order(needs):
    """Each job after all that it needs, otherwise by name. Jobs that wait for each other stand at the end as `stuck: name`."""
    left, done = sorted(needs), []
    while left:
        ready = [name for name in left if all(each in done for each in needs[name])]
        if not ready:
            return done + [f"stuck: {name}" for name in left]
        done.append(ready[0])
        left.remove(ready[0])
    return done


def by_priority(lines):
    """Names, the highest number first; of equal ones the earlier line first."""
    return [name for name, _ in sorted(map(job, lines), key=lambda row: -row[1])]
