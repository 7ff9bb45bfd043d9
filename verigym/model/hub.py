"""Checks once and quickly whether a Hugging Face model id exists, so that a mistyped name fails without a minute of retries.

A cached model needs no hub. `load` fetches models.
"""

import os
from pathlib import Path

from verigym.core.errors import NotFound
from verigym.model import embedded

TIMEOUT_S = 5.0


def ask(name: str) -> None:
    """Raises NotFound if `name` is not a folder, not embedded, not cached and not on the hub."""
    if name == embedded.NAME or Path(name).is_dir() or os.environ.get("HF_HUB_OFFLINE"):
        return
    from huggingface_hub import get_hf_file_metadata, hf_hub_url, try_to_load_from_cache
    from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError

    try:
        if isinstance(try_to_load_from_cache(name, "config.json"), str):
            return
        get_hf_file_metadata(hf_hub_url(name, "config.json"), timeout=TIMEOUT_S)
    except (GatedRepoError, EntryNotFoundError):
        return  # the model exists. Fetching it reports other problems
    except RepositoryNotFoundError as error:
        raise NotFound(
            f'There is no model "{name}". It is not a folder, and the Hugging Face hub has no model of this name.'
        ) from error
    except Exception as error:  # any network error of the hub client
        raise NotFound(
            f'Model "{name}" cannot be found. It is not a folder and not in the local cache. '
            f"The Hugging Face hub cannot be reached ({type(error).__name__})."
        ) from error
