"""Checks once and quickly whether a Hugging Face model id exists, so that a mistyped name fails without a minute of retries.

A cached model needs no hub. `load` fetches models.
"""

import os
import queue
import threading
from pathlib import Path

from verigym.core.errors import NotFound
from verigym.model import embedded

TIMEOUT_S = 5.0
"""Maximum seconds of the question, however often the hub's client retries."""


def is_local(name: str) -> bool:
    """Whether a model needs no hub: a folder, the embedded model or a cached one."""
    if name == embedded.NAME or Path(name).is_dir():
        return True
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        return isinstance(try_to_load_from_cache(name, "config.json"), str)
    except HFValidationError:  # this cannot be a model id
        return False


def ask(name: str) -> None:
    """Raises NotFound if `name` is not a folder, not embedded, not cached and not on the hub."""
    if os.environ.get("HF_HUB_OFFLINE") or is_local(name):
        return
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError

    answer: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()

    def look() -> None:
        try:
            get_hf_file_metadata(hf_hub_url(name, "config.json"), timeout=TIMEOUT_S)
            answer.put(None)
        except Exception as error:  # any network error of the hub client
            answer.put(error)

    threading.Thread(target=look, name="verigym-hub", daemon=True).start()
    try:
        error = answer.get(timeout=TIMEOUT_S)
    except queue.Empty:
        error = TimeoutError()
    if error is None or isinstance(error, GatedRepoError | EntryNotFoundError):
        return  # the model exists. Fetching it reports other problems
    if isinstance(error, RepositoryNotFoundError):
        raise NotFound(
            f'There is no model "{name}". It is not a folder, and the Hugging Face hub has no model of this name.'
        ) from error
    raise NotFound(
        f'Model "{name}" cannot be found. It is not a folder and not in the local cache. '
        f"The Hugging Face hub cannot be reached ({type(error).__name__})."
    ) from error
