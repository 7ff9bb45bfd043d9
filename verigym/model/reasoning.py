"""Whether a model reasons before it answers, read from its chat template on this machine. Neither torch nor a network is used."""

import json
import os
from pathlib import Path

from verigym.model import embedded

REASONING_TOKENS = 4096
"""Maximum tokens per reply of a model that reasons, unless somebody says otherwise."""
FILES = ("chat_template.jinja", "tokenizer_config.json")


def chat_template(name: str) -> str:
    """The text of the chat template of a folder, the embedded model or a cached model. Empty if it is not on this machine."""
    for file in FILES:
        path = _file(name, file)
        try:
            text = path.read_text(encoding="utf-8") if path is not None else ""
            if not text:
                continue
            template = text if file.endswith(".jinja") else json.loads(text).get("chat_template", "")
        except (OSError, ValueError, AttributeError):
            continue
        if template:
            return template if isinstance(template, str) else json.dumps(template)
    return ""


def _file(name: str, file: str) -> Path | None:
    folder = embedded.folder() if name == embedded.NAME else Path(name)
    if folder.is_dir():
        return folder / file
    if os.sep == "/" and name.count("/") != 1:  # this cannot be a model id
        return None
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        cached = try_to_load_from_cache(name, file)
    except HFValidationError:
        return None
    return Path(cached) if isinstance(cached, str) else None
