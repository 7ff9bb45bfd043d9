from mailroom.sorting import deliver


def crowded(subjects, lines, limit):
    """Queues with more than `limit` messages, the fullest first, equally full ones by name."""
    queues = deliver(subjects, lines)
    full = [queue for queue in queues if len(queues[queue]) > limit]
    return sorted(full, key=lambda queue: (-len(queues[queue]), queue))


def unread(subjects, lines, read):
    """How many messages of each queue nobody has read; queues without any are left out."""
    left = [subject for subject in subjects if subject not in read]
    return {queue: len(rows) for queue, rows in deliver(left, lines).items()}
