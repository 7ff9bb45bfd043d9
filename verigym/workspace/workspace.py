"""A workspace: the folder (`.verigym`, or VERIGYM_HOME) with the store, the adapters and the checkpoints of one project.
The store is a file in the folder, or a database that `store.url` or VERIGYM_STORE names.

It opens versions as policies. One base model is loaded at a time, and its adapter is swapped.
"""

import contextlib
import difflib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.names import as_name, check_run
from verigym.core.protocols import Policy
from verigym.core.records import Version
from verigym.model import embedded, hub
from verigym.model.known_ids import nearest_id
from verigym.registry import ledger, versions
from verigym.registry.integrity import RememberedHashes, files_of, sha256_of
from verigym.store.address import store_of
from verigym.store.database import Store
from verigym.workspace.place import Here, Place
from verigym.workspace.servers import open_scores, open_server, read_servers, without_connection_options
from verigym.workspace.shared_files import SharedResumeState, shared_files


class WorkspaceFolder:
    def __init__(self, home: Path | None = None) -> None:
        self.home = home or Path(os.environ.get("VERIGYM_HOME", ".verigym"))
        self.store = Store(store_of(self.home))
        self.shared = shared_files(self.home)
        """Adapters and resume states that other machines reach. None if they are only in the folder."""
        self.place: Place = Here()
        """Where its work happens."""
        self._local: Any = None
        self._hashes = RememberedHashes()
        self._addresses: dict[str, str] = {}
        """The full address of each server by the base of its agent, which has no connection options."""

    def agent(self, text: str) -> Version:
        """A registered version (id, name, champion, latest). Otherwise a new, unregistered version of a base model or server."""
        if not text.strip():
            raise BadInput(
                "The model (-m) is empty. Name a version, smollm2-135m, a Hugging Face model id, a folder, "
                "or URL#MODEL of a server"
            )
        if "#" in text and "://" not in text:
            raise BadInput(
                f'"{text}" is not a server address. Begin it with http:// or https://, such as http://localhost:8000/v1#qwen'
            )
        text = read_servers(self.home).get(text, text)
        address, text = text, without_connection_options(text)
        self._addresses[text] = address
        try:
            return versions.resolve(self.store, text)
        except NotFound:
            if text.rpartition("@")[0] and self.store.has_run(text.rpartition("@")[0]):
                raise
            if text in ("champion", "latest"):
                raise NotFound(f"No {text} version exists yet. Name a model, such as smollm2-135m") from None
            version = Version(base=text, name=_name(text))
            return msgspec.structs.replace(version, id=versions.version_id(version))

    def register(self, version: Version) -> Version:
        """Registers a version that was opened or created here."""
        if version.adapter and self.has_adapter(version.adapter):
            _, settings = files_of(self.adapter_folder(version.adapter))
            version = msgspec.structs.replace(version, adapter_config=sha256_of(settings))
        return versions.register(self.store, version)

    def find(self, text: str) -> Version:
        """Finds a registered version by id, name, champion or latest."""
        return versions.resolve(self.store, text)

    def keep_roles(self, *played: Version | None) -> None:
        """Keeps who judged a run or played its user. They are no versions under test, so `latest` never means them."""
        for version in played:
            if version is not None:
                self.store.put("role", version.id, version)

    def find_role(self, id: str) -> Version:
        """The judge or the simulated user of a stored run."""
        return self.store.get("role", id, Version) or self.find(id)

    def champion(self, fallback: Version) -> Version:
        """The champion. If there is none yet, `fallback` becomes the first."""
        if ledger.champion(self.store) is None:
            ledger.set_first_champion(self.store, self.register(fallback).id, why="the base agent")
        return versions.resolve(self.store, "champion")

    def policy(self, version: Version) -> Policy:
        """The policy of this version."""
        server = self._server(version)
        if server is not None:
            return server
        local = self.load_base(self.source_of(version), version.quantized)
        local.load_adapter(self.adapter_of(version), version.id)
        return local

    def open_policy(self, version: Version) -> Policy:
        """A policy of this version that no later call changes. Versions on one local base model share its weights."""
        return self._server(version) or self.load_base(self.source_of(version), version.quantized).with_adapter(
            self.adapter_of(version), version.id
        )

    def load_base(self, base: str, quantized: Literal["", "nf4"] = "") -> Any:
        """The one loaded model, as a `LocalPolicy`."""
        if self._local is None or (self._local.base, self._local.quantized) != (base, quantized):
            self._local = self.load(base, quantized=quantized)
        return self._local

    def forget_loaded(self) -> None:
        """Frees the loaded model, for work that needs its memory."""
        self._local = None

    def open_beside(self, version: Version) -> Policy:
        """The policy of a judge or simulated user, used together with the agent. A local model is loaded a second time."""
        return self._server(version) or self.load(self.source_of(version), self.adapter_of(version), version.quantized)

    def _server(self, version: Version) -> Policy | None:
        """The policy of a model behind a server. None for a local model. Refuses a reward model."""
        if _scores(version):
            raise Refused(
                f"{version.label} is a reward model and cannot answer. "
                f"Use it in a recipe (reward_model: {version.id}) or as a judge (--judge {version.id})"
            )
        return open_server(self._addresses.get(version.base, version.base)) if version.is_remote else None

    def open_scores(self, version: Version, retries: int | None = None) -> Any:
        """A model behind a server as `RemoteScores`, which scores given tokens. `retries` replaces that of the address."""
        return open_scores(self._addresses.get(version.base, version.base), retries)

    def open_judge(self, version: Version) -> Policy:
        """The policy of a judge: a model that answers, or a reward model that compares."""
        from verigym.verifiers.reward_model import RewardJudge

        return RewardJudge(self.open_scorer(version)) if _scores(version) else self.open_beside(version)

    def open_scorer(self, version: Version) -> Any:
        """A reward model as a `LocalScorer`, loaded in addition to other models."""
        if not _scores(version):
            raise Refused(f"{version.label} is not a reward model. Train one: verigym train recipes/reward_model.yaml")
        folder = self.adapter_of(version)
        assert folder is not None, "a reward model has an adapter"
        from verigym.policies.local.scorer import LocalScorer  # torch is loaded only when a model is

        return LocalScorer.open(self.source_of(version), folder, version.id, version.quantized)

    def load(self, base: str, adapter: Path | None = None, quantized: Literal["", "nf4"] = "") -> Any:
        """Loads a model as a `LocalPolicy`. An unknown name is an error that suggests the nearest known name."""
        self.check_base(base)
        from verigym.policies.local.policy import LocalPolicy  # torch is loaded only when a model is

        return LocalPolicy.open(base, adapter=adapter, quantized=quantized)

    def check_base(self, base: str) -> None:
        """Raises NotFound if a model cannot exist. A name like a known one is answered at once, without asking the hub, unless
        it is a model id (ORGANISATION/NAME)."""
        if base.startswith((".", "/", "~")) and not hub.is_local(base):
            raise NotFound(
                f'There is no folder "{base}". Write the path of a folder with a model, or the name of a model'
            )
        names = {embedded.NAME, *read_servers(self.home)}
        names |= {version.name for version in self.store.documents("version", Version)}
        near = difflib.get_close_matches(base.lower(), names, n=1)
        meant = near[0] if near else nearest_id(base)
        hint = f' Did you mean "{meant}"?' if meant else ""
        remedy = (
            f'Name a version, "{embedded.NAME}" (embedded), a folder, a Hugging Face model id, or a model of a server, such as '
            f"-m https://HOST/v1#{base}."
        )
        offline = bool(os.environ.get("HF_HUB_OFFLINE"))
        if (offline or (near and "/" not in base)) and not hub.is_local(base):
            raise NotFound(
                f'Model "{base}" cannot be found. It is not a folder, a version or in the local cache.{hint} {remedy}'
            )
        try:
            hub.ask(base)
        except NotFound as error:
            raise NotFound(f"{error}{hint} {remedy}") from error

    def adapter_folder(self, sha256: str) -> Path:
        """The folder of an adapter. Refuses missing or changed weights."""
        folder = self.home / "adapters" / sha256
        if not self.has_adapter(sha256):
            state = "damaged" if files_of(folder)[0].exists() else "missing"
            raise BadInput(f"{folder}: the adapter of this version is {state}. Restore it, or run its recipe again")
        return folder

    def adapter_of(self, version: Version) -> Path | None:
        """The folder of a version's adapter. None if it has no adapter. Refuses missing or changed weights and settings."""
        return self._folder_of(version) if version.adapter and not version.full else None

    def source_of(self, version: Version) -> str:
        """What to load for a version before its adapter: its base model, or the folder of a model that was trained as a whole."""
        return str(self._folder_of(version)) if version.full else version.base

    def _folder_of(self, version: Version) -> Path:
        folder = self.adapter_folder(version.adapter)
        _, settings = files_of(folder)
        if not settings.is_file():
            raise BadInput(f"{settings} is missing. Restore it, or run the recipe of {version.label} again")
        if version.adapter_config and sha256_of(settings) != version.adapter_config:
            holds = "the configuration of the model" if version.full else "the adapter's rank and scale"
            raise BadInput(
                f"{settings} was changed. It holds {holds}, so {version.label} would answer in another way. "
                "Restore the file, or run the recipe again"
            )
        return folder

    def keep_adapter(self, model: Any, base: str) -> str:
        """Saves the adapter on `model`, or the whole model if all of it is trained, under the hash of the weights and returns the
        hash. Replaces a damaged adapter."""
        from verigym.model import full, load, lora_files

        def write(folder: Path) -> None:
            if full.is_full(model):
                full.save(model, load.load_tokenizer(base), folder)
            else:
                lora_files.save(model, folder, base)

        return self.keep_files(write)

    def keep_files(self, write: Callable[[Path], None]) -> str:
        """Stores the folder that `write` makes, an adapter or a whole model, under the hash of its weights and returns the hash.
        Replaces a damaged one."""
        adapters = self.home / "adapters"
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        adapters.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=adapters, prefix=".new-") as work:
            folder = Path(work) / "adapter"
            write(folder)
            sha256 = sha256_of(files_of(folder)[0])
            if not self.has_adapter(sha256):
                if (adapters / sha256).exists():
                    (adapters / sha256).rename(Path(work) / "damaged")
                folder.rename(adapters / sha256)
        if self.shared is not None and not self.shared.has(f"adapters/{sha256}"):
            self.shared.put(f"adapters/{sha256}", sorted((adapters / sha256).iterdir()))
        return sha256

    def has_adapter(self, sha256: str) -> bool:
        """Whether the adapter exists and is unchanged. One that another machine stored is fetched."""
        folder = self.home / "adapters" / sha256
        if not self._is_whole(folder) and self.shared is not None:
            self.shared.get(f"adapters/{sha256}", folder)
        return self._is_whole(folder)

    def _is_whole(self, folder: Path) -> bool:
        weights, _ = files_of(folder)
        return weights.exists() and self._hashes.sha256_of(weights) == folder.name

    def forget_adapter(self, sha256: str) -> None:
        shutil.rmtree(self.home / "adapters" / sha256, ignore_errors=True)
        if self.shared is not None:
            self.shared.delete(f"adapters/{sha256}")

    def checkpoints(self, run: str) -> Path:
        check_run(run)  # a run that was stored before the rule would name a folder outside
        return self.home / "checkpoints" / run

    def shared_state(self, run: str) -> SharedResumeState | None:
        """The resume state of a run that other machines reach."""
        return None if self.shared is None else SharedResumeState(self.shared, run, self.checkpoints(run))

    def forget_checkpoints(self, run: str) -> None:
        with contextlib.suppress(BadInput):
            shutil.rmtree(self.checkpoints(run), ignore_errors=True)
            if self.shared is not None:
                self.shared.delete(f"checkpoints/{run}")


def _scores(version: Version) -> bool:
    return version.recipe.get("algorithm") == "reward"


def _name(base: str) -> str:
    """The short name of a model: the name of its folder, or the last part of its Hugging Face model id or server name."""
    model = base.partition("#")[2].partition("?")[0] if base.startswith(("http://", "https://")) else base
    return as_name(Path(model or base).name)
