from mailroom.rules import matches, rule


def queue_for(subject, lines, default="inbox"):
    """Of the longest pattern that fits, and of equally long ones the first."""
    fitting = [each for each in map(rule, lines) if matches(each[0], subject)]
    return max(fitting, key=lambda each: len(each[0]))[1] if fitting else default


def deliver(subjects, lines):
    """Queue to its messages, in the order in which they came."""
    queues = {}
    for subject in subjects:
        queues.setdefault(queue_for(subject, lines), []).append(subject)
    return queues
