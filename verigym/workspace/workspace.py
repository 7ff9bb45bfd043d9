"""A workspace: the folder (`.verigym`, or VERIGYM_HOME) with the store, the adapters and the checkpoints of one project.

It opens agents: a version becomes a policy. One base model is loaded at a time, and its adapter is swapped.
"""

import difflib
import os
import re
import shutil
import tempfile
import urllib.parse
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.protocols import Policy
from verigym.core.records import Version
from verigym.model import embedded, hub
from verigym.registry import ledger, versions
from verigym.registry.verify import ADAPTER_FILE, CONFIG_FILE, sha256_of
from verigym.store.database import Store
from verigym.verifiers.reward_judge import RewardJudge
from verigym.workspace.servers import read_servers


class WorkspaceFolder:
    def __init__(self, home: Path | None = None) -> None:
        self.home = home or Path(os.environ.get("VERIGYM_HOME", ".verigym"))
        self.store = Store(self.home / "store.db")
        self._local: Any = None
        self._ways: dict[str, str] = {}
        """Base of an agent behind a server to the address as it was given, with how to reach it."""

    # -- agents -----------------------------------------------------------------------------------------------------

    def agent(self, text: str) -> Version:
        """A known version (id, name, champion, latest), else one on the base model or named server, not registered yet."""
        if not text.strip():
            raise BadInput("-m is empty; name a version, smollm2-135m, a hub id, a folder, or URL#MODEL of a server")
        if "#" in text and "://" not in text:
            raise BadInput(
                f'"{text}": the address of a server begins with http:// or https://, such as http://localhost:8000/v1#qwen'
            )
        text = read_servers(self.home).get(text, text)
        given, text = text, _identity(text)
        self._ways[text] = given
        try:
            return versions.resolve(self.store, text)
        except NotFound:
            if text in ("champion", "latest"):
                raise NotFound(f"there is no {text} version yet; name a model, such as smollm2-135m") from None
            version = Version(base=text, name=_name(text))
            return msgspec.structs.replace(version, id=versions.version_id(version))

    def register(self, version: Version) -> Version:
        """Registers a version: one that could be opened, or was made here."""
        if version.adapter and self.has_adapter(version.adapter):
            settings = self.adapter_folder(version.adapter) / CONFIG_FILE
            version = msgspec.structs.replace(version, adapter_config=sha256_of(settings))
        return versions.register(self.store, version)

    def find(self, text: str) -> Version:
        """A version that was made here, by id, name, champion or latest."""
        return versions.resolve(self.store, text)

    def champion(self, fallback: Version) -> Version:
        """The champion; where there is none yet, the base agent becomes the first."""
        if ledger.champion(self.store) is None:
            ledger.crown_first(self.store, self.register(fallback).id, why="the base agent")
        return versions.resolve(self.store, "champion")

    def policy(self, version: Version) -> Policy:
        """What answers as this version."""
        _check_answers(version)
        if version.is_remote:
            return _remote(self._ways.get(version.base, version.base))
        local = self.load_base(version.base)
        local.load_adapter(self.adapter_folder(version.adapter) if version.adapter else None, version.id)
        return local

    def open_policy(self, version: Version) -> Policy:
        """A policy of this version that no later call changes. Versions on one local base model share its weights."""
        _check_answers(version)
        if version.base.startswith(("http://", "https://")):
            return _remote(self._ways.get(version.base, version.base))
        adapter = self.adapter_folder(version.adapter) if version.adapter else None
        return self.load_base(version.base).with_adapter(adapter, version.id)

    def check_address(self, address: str) -> None:
        """Raises `BadInput` if this is not the address of a model on a server: URL#MODEL with options."""
        if not address.startswith(("http://", "https://")):
            raise BadInput(f'"{address}" is not a server. Write URL#MODEL, such as http://localhost:8000/v1#qwen')
        _remote(address)

    def load_base(self, base: str) -> Any:
        """The one loaded model, as a `LocalPolicy`."""
        if self._local is None or self._local.base != base:
            self._local = self.load(base)
        return self._local

    def open_beside(self, version: Version) -> Policy:
        """What answers as this version beside the agent: a judge, a simulated user. A local one is loaded once more."""
        _check_answers(version)
        if version.is_remote:
            return _remote(self._ways.get(version.base, version.base))
        return self.load(version.base, self.adapter_folder(version.adapter) if version.adapter else None)

    def open_judge(self, version: Version) -> Policy:
        """Who judges as this version: a model that answers, or a reward model, which compares."""
        return RewardJudge(self.open_scorer(version)) if _scores(version) else self.open_beside(version)

    def open_scorer(self, version: Version) -> Any:
        """A reward model, loaded beside whatever else is, as a `LocalScorer`."""
        if not _scores(version):
            raise Refused(f"{version.label} is no reward model; train one: verigym train recipes/reward_model.yaml")
        folder = self.adapter_folder(version.adapter)
        from verigym.policies.local.scorer import LocalScorer  # torch is loaded only when a model is

        return LocalScorer.open(version.base, folder, version.id)

    def load(self, base: str, adapter: Path | None = None) -> Any:
        """A model from its weights, as a `LocalPolicy`. A name that nobody knows is told at once, with the nearest that is."""
        try:
            hub.ask(base)
        except NotFound as error:
            known = {embedded.NAME, *(one.name for one in self.store.documents("version", Version))}
            near = difflib.get_close_matches(base.lower(), known, n=1)
            meant = f' Did you mean "{near[0]}"?' if near else ""
            raise NotFound(
                f'{error}{meant} A model is a version, "{embedded.NAME}" (embedded), a folder, a hub id or URL#MODEL of a server.'
            ) from error
        from verigym.policies.local.policy import LocalPolicy  # torch is loaded only when a model is

        return LocalPolicy.open(base, adapter=adapter)

    # -- files ------------------------------------------------------------------------------------------------------

    def adapter_folder(self, sha256: str) -> Path:
        """The adapter's folder, whose weights are those that were kept."""
        folder = self.home / "adapters" / sha256
        if not self.has_adapter(sha256):
            what = "damaged" if (folder / ADAPTER_FILE).exists() else "missing"
            raise BadInput(f"{folder}: the adapter of this version is {what}; restore it, or run its recipe again")
        return folder

    def keep_adapter(self, model: Any, base: str) -> str:
        """Saves the adapter on `model` under the hash of its weights; returns the hash. A damaged one is replaced."""
        from verigym.model import lora

        place = self.home / "adapters"
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place, prefix=".new-") as work:
            folder = Path(work) / "adapter"
            lora.save(model, folder, base)
            sha256 = sha256_of(folder / ADAPTER_FILE)
            if not self.has_adapter(sha256):
                if (place / sha256).exists():
                    (place / sha256).rename(Path(work) / "damaged")
                folder.rename(place / sha256)
        return sha256

    def has_adapter(self, sha256: str) -> bool:
        """Whether it is there and as it was kept."""
        weights = self.home / "adapters" / sha256 / ADAPTER_FILE
        return weights.exists() and sha256_of(weights) == sha256

    def checkpoints(self, run: str) -> Path:
        return self.home / "checkpoints" / run

    def forget_checkpoints(self, run: str) -> None:
        shutil.rmtree(self.checkpoints(run), ignore_errors=True)


def _scores(version: Version) -> bool:
    return version.recipe.get("algorithm") == "reward"


def _check_answers(version: Version) -> None:
    if _scores(version):
        raise Refused(
            f"{version.label} is a reward model: it scores, it does not answer. "
            f"Learn from it with reward_model: {version.id} in a recipe, or let it compare replies: --judge {version.id}"
        )


class _Server(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What may stand after the model's name; see `RemotePolicy`, whose defaults these are not."""

    api: Literal["chat", "responses"] | None = None
    tools: Literal["native", "text"] | None = None
    token_ids: bool | None = None
    timeout_s: float | None = None
    retries: int | None = None
    concurrency: int | None = None
    key_env: Annotated[str, msgspec.Meta(min_length=1)] | None = None


_WAYS = ("timeout_s", "retries", "concurrency", "key_env")
"""Options of a server's address that say how to reach it, and nothing about who answers."""


def _identity(text: str) -> str:
    """A server's address without how to reach it: a longer time-out does not make another agent."""
    url, _, rest = text.partition("#")
    model, mark, query = rest.partition("?")
    if not mark or not text.startswith(("http://", "https://")):
        return text
    kept = "&".join(part for part in query.split("&") if part.partition("=")[0] not in _WAYS)
    return f"{url}#{model}?{kept}" if kept else f"{url}#{model}"


def _name(base: str) -> str:
    """What a model is called: its folder's name, the end of its hub id, or of its name on a server."""
    model = base.partition("#")[2].partition("?")[0] if base.startswith(("http://", "https://")) else base
    return Path(model or base).name


def _remote(base: str) -> Policy:
    """`http://localhost:8000/v1#model`, with options such as `?api=responses&tools=text` after the model's name."""
    from verigym.policies.remote import RemotePolicy

    url, _, rest = base.partition("#")
    model, _, query = rest.partition("?")
    if re.search(r"(?i)[?&][^=&]*(key|token|secret|password|sig)[^=&]*=", url):
        raise BadInput(
            f"the address of {url.partition('?')[0]} holds a key, and an agent's address is stored; "
            "put the key into a variable and name that by key_env"
        )
    try:
        given = dict(urllib.parse.parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
        options = msgspec.convert(given, _Server, strict=False)
        if not model:
            raise ValueError("the model's name is missing")
    except ValueError as error:
        raise BadInput(
            f'"{base}": {error}; a server is URL#MODEL, such as http://localhost:8000/v1#qwen, with '
            "?api=chat|responses&tools=native|text&token_ids=true&timeout_s=600&retries=4&concurrency=256&key_env=NAME "
            "after it where wanted"
        ) from error
    return RemotePolicy(url, model, **msgspec.to_builtins(options))
