"""Whether a hub id is one, asked once and briefly: a name that was mistyped should not be tried again for a minute.

What is in the cache needs no hub, and what the hub has is fetched elsewhere (`load`).
"""

import os
from pathlib import Path

from verigym.core.errors import NotFound
from verigym.model import embedded

TIMEOUT_S = 5.0


def ask(name: str) -> None:
    """Raises NotFound where `name` is no folder and not embedded, and neither the cache nor the hub has it."""
    if name == embedded.NAME or Path(name).is_dir() or os.environ.get("HF_HUB_OFFLINE"):
        return
    from huggingface_hub import get_hf_file_metadata, hf_hub_url, try_to_load_from_cache
    from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError

    try:
        if isinstance(try_to_load_from_cache(name, "config.json"), str):
            return
        get_hf_file_metadata(hf_hub_url(name, "config.json"), timeout=TIMEOUT_S)
    except (GatedRepoError, EntryNotFoundError):
        return  # it is there; what is in the way is told when it is fetched
    except RepositoryNotFoundError as error:
        raise NotFound(f'no model "{name}": it is no folder, and the hub has none of that name.') from error
    except Exception as error:  # of the network, in the words of whatever library the hub's client is built on
        words = f"it is no folder and not in the cache, and the hub could not be asked ({type(error).__name__})"
        raise NotFound(f'no model "{name}": {words}.') from error
