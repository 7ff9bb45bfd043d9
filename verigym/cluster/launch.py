"""Opens the place that `--cluster` names."""

from verigym.cluster.place import ClusterPlace, use_store
from verigym.cluster.settings import read_cluster
from verigym.core.errors import BadInput


def open_place(given: str) -> ClusterPlace:
    settings = read_cluster(given)
    use_store(settings)
    if settings.needs_ray:
        raise BadInput(
            "This version starts no processes. Write the addresses of running engines in engines.at, and nothing else"
        )
    return ClusterPlace(settings)
