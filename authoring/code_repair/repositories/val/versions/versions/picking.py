from versions.demands import suits
from versions.releases import ascending


def pick(texts, demands):
    """Newest suitable release, or an empty string."""
    good = [text for text in ascending(texts) if suits(text, demands)]
    return good[-1] if good else ""


def resolve(project, shelf):
    """Package to picked release; a package whose demands cannot be met is told as `unmet`, an absent one as `absent`."""
    picked = {}
    for package, demands in project.items():
        if package not in shelf:
            picked[package] = "absent"
        else:
            picked[package] = pick(shelf[package], demands) or "unmet"
    return picked
