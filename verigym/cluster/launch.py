"""Opens the place that `--cluster` names."""

from verigym.cluster.place import ClusterPlace, use_store
from verigym.cluster.settings import ClusterSettings, read_cluster
from verigym.core.errors import BadInput


def open_place(given: str) -> ClusterPlace:
    settings = ClusterSettings() if given == "auto" else read_cluster(given)
    use_store(settings)
    if settings.needs_ray:
        raise BadInput("Ray is not supported yet")
    return ClusterPlace(settings)
