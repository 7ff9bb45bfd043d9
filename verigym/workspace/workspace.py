"""A workspace: the folder (`.verigym`, or VERIGYM_HOME) with the store, the adapters and the checkpoints of one project.

It opens versions as policies. One base model is loaded at a time, and its adapter is swapped.
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
from verigym.registry.integrity import ADAPTER_FILE, CONFIG_FILE, sha256_of
from verigym.store.database import Store
from verigym.verifiers.reward_model import RewardJudge
from verigym.workspace.servers import read_servers


class WorkspaceFolder:
    def __init__(self, home: Path | None = None) -> None:
        self.home = home or Path(os.environ.get("VERIGYM_HOME", ".verigym"))
        self.store = Store(self.home / "store.db")
        self._local: Any = None
        self._ways: dict[str, str] = {}
        """Maps the base of an agent behind a server to the full address with its options."""

    # -- agents -----------------------------------------------------------------------------------------------------

    def agent(self, text: str) -> Version:
        """A registered version (id, name, champion, latest). Otherwise a new, unregistered version of a base model or server."""
        if not text.strip():
            raise BadInput("-m is empty. Name a version, smollm2-135m, a hub id, a folder, or URL#MODEL of a server")
        if "#" in text and "://" not in text:
            raise BadInput(
                f'"{text}" is not a server address. Begin it with http:// or https://, such as http://localhost:8000/v1#qwen'
            )
        text = read_servers(self.home).get(text, text)
        given, text = text, _identity(text)
        self._ways[text] = given
        try:
            return versions.resolve(self.store, text)
        except NotFound:
            if text in ("champion", "latest"):
                raise NotFound(f"No {text} version exists yet. Name a model, such as smollm2-135m") from None
            version = Version(base=text, name=_name(text))
            return msgspec.structs.replace(version, id=versions.version_id(version))

    def register(self, version: Version) -> Version:
        """Registers a version that was opened or created here."""
        if version.adapter and self.has_adapter(version.adapter):
            settings = self.adapter_folder(version.adapter) / CONFIG_FILE
            version = msgspec.structs.replace(version, adapter_config=sha256_of(settings))
        return versions.register(self.store, version)

    def find(self, text: str) -> Version:
        """Finds a registered version by id, name, champion or latest."""
        return versions.resolve(self.store, text)

    def champion(self, fallback: Version) -> Version:
        """The champion. If there is none yet, `fallback` becomes the first."""
        if ledger.champion(self.store) is None:
            ledger.set_first_champion(self.store, self.register(fallback).id, why="the base agent")
        return versions.resolve(self.store, "champion")

    def policy(self, version: Version) -> Policy:
        """The policy of this version."""
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
        """The policy of a judge or simulated user, used together with the agent. A local model is loaded a second time."""
        _check_answers(version)
        if version.is_remote:
            return _remote(self._ways.get(version.base, version.base))
        return self.load(version.base, self.adapter_folder(version.adapter) if version.adapter else None)

    def open_judge(self, version: Version) -> Policy:
        """The policy of a judge: a model that answers, or a reward model that compares."""
        return RewardJudge(self.open_scorer(version)) if _scores(version) else self.open_beside(version)

    def open_scorer(self, version: Version) -> Any:
        """A reward model as a `LocalScorer`, loaded in addition to other models."""
        if not _scores(version):
            raise Refused(f"{version.label} is not a reward model. Train one: verigym train recipes/reward_model.yaml")
        folder = self.adapter_folder(version.adapter)
        from verigym.policies.local.scorer import LocalScorer  # torch is loaded only when a model is

        return LocalScorer.open(version.base, folder, version.id)

    def load(self, base: str, adapter: Path | None = None) -> Any:
        """Loads a model as a `LocalPolicy`. An unknown name is an error that suggests the nearest known name."""
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
        """The folder of an adapter. Refuses missing or changed weights."""
        folder = self.home / "adapters" / sha256
        if not self.has_adapter(sha256):
            what = "damaged" if (folder / ADAPTER_FILE).exists() else "missing"
            raise BadInput(f"{folder}: the adapter of this version is {what}. Restore it, or run its recipe again")
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
        """Whether the adapter exists and is unchanged."""
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
            f"{version.label} is a reward model and cannot answer. "
            f"Use it in a recipe (reward_model: {version.id}) or as a judge (--judge {version.id})"
        )


class _Server(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Options after the model's name in an address. `RemotePolicy` has the defaults."""

    api: Literal["chat", "responses"] | None = None
    tools: Literal["native", "text"] | None = None
    token_ids: bool | None = None
    timeout_s: float | None = None
    retries: int | None = None
    concurrency: int | None = None
    key_env: Annotated[str, msgspec.Meta(min_length=1)] | None = None


_WAYS = ("timeout_s", "retries", "concurrency", "key_env")
"""Options of a server's address that do not change which agent answers."""


def _identity(text: str) -> str:
    """A server's address without connection options. A longer timeout does not make another agent."""
    url, _, rest = text.partition("#")
    model, mark, query = rest.partition("?")
    if not mark or not text.startswith(("http://", "https://")):
        return text
    kept = "&".join(part for part in query.split("&") if part.partition("=")[0] not in _WAYS)
    return f"{url}#{model}?{kept}" if kept else f"{url}#{model}"


def _name(base: str) -> str:
    """The short name of a model: the name of its folder, or the last part of its hub id or server name."""
    model = base.partition("#")[2].partition("?")[0] if base.startswith(("http://", "https://")) else base
    return Path(model or base).name


def _remote(base: str) -> Policy:
    """`http://localhost:8000/v1#model`, with options such as `?api=responses&tools=text` after the model's name."""
    from verigym.policies.remote import RemotePolicy

    url, _, rest = base.partition("#")
    model, _, query = rest.partition("?")
    if re.search(r"(?i)[?&][^=&]*(key|token|secret|password|sig)[^=&]*=", url):
        raise BadInput(
            f"The address of {url.partition('?')[0]} contains a key, and addresses are stored. "
            "Put the key into an environment variable and name the variable with key_env"
        )
    try:
        given = dict(urllib.parse.parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
        options = msgspec.convert(given, _Server, strict=False)
        if not model:
            raise ValueError("the model's name is missing")
    except ValueError as error:
        raise BadInput(
            f'"{base}" is not a valid server address: {error}. Write URL#MODEL, such as http://localhost:8000/v1#qwen. Options: '
            "?api=chat|responses&tools=native|text&token_ids=true&timeout_s=600&retries=4&concurrency=256&key_env=NAME"
        ) from error
    return RemotePolicy(url, model, **msgspec.to_builtins(options))
