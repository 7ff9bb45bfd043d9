"""The cluster file: which engines sample, how many ranks learn, how many workers run episodes, and where records and files are.

    engines:  {kind: vllm, count: 8, gpus: 1, python: /opt/vllm/bin/python}
    learners: {count: 4, gpus: 1}
    workers:  {count: 4, cpus: 1}
    store:    postgresql+psycopg://verigym@db/verigym
    files:    s3://bucket/verigym

It names hardware, and a recipe does not. Nothing of it enters a record, so the same recipe is the same run on every cluster.
Secrets are names of environment variables (`key: $NAME`), never values.
"""

import ipaddress
import os
import re
import urllib.parse
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from verigym.core.errors import BadInput
from verigym.core.settings import check_keys, decode, read_yaml

KEY_ENV = "VERIGYM_ENGINE_KEY"
"""The variable with the key of the engines, if the cluster file names no other."""
_FORMAT = "A cluster file has the keys engines, learners, workers, store and files (see docs/reference/cluster-file.md)"
_VARIABLE = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")

Count = Annotated[int, Meta(ge=1, le=100_000)]
Share = Annotated[float, Meta(ge=0)]


class Engines(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The engines that sample."""

    kind: Literal["vllm", "sglang", "local", "fake"] = "vllm"
    """`local` is Verigym's own engine in processes of its own. `fake` computes nothing and is for tests."""
    at: list[str] = []
    """Addresses of engines that run already, such as http://node-1:8000. Without it, Ray starts the engines."""
    count: Count = 1
    """Number of engines to start."""
    gpus: Share | None = None
    """GPUs per engine. 1 by default, and 0 for `fake`."""
    cpus: Share = 1
    """CPU cores per engine."""
    max_batch: Count = 256
    """Maximum concurrent requests per engine."""
    versions: Count = 4
    """Versions that an engine can hold at once."""
    python: str = ""
    """The Python interpreter that has vLLM, on the machine of the engine."""
    flags: list[str] = []
    """Further flags of the server."""
    model: str = ""
    """Name or path of the model on the machines of the engines, if it is not that of the recipe."""
    window: Count = 32768
    """Maximum tokens of a conversation. Only SGLang needs it."""

    @property
    def gpus_each(self) -> float:
        return (0.0 if self.kind == "fake" else 1.0) if self.gpus is None else self.gpus


class Learners(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The ranks that learn. The command itself is rank 0."""

    count: Count = 1
    gpus: Share | None = None
    """GPUs per rank: 0 or 1. By default 1 if the cluster has GPUs."""
    cpus: Share = 1
    """CPU cores per rank."""
    shard: Literal["auto", "never", "always"] = "auto"
    """Whether ranks divide the layers of the model among them. `auto` divides if a whole model does not fit."""


class Workers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The processes that run episodes. With none, the command itself runs them."""

    count: Annotated[int, Meta(ge=0, le=100_000)] = 0
    cpus: Share = 1
    """CPU cores per worker."""


class ClusterSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A cluster file."""

    engines: Engines | None = None
    """Without engines, this process samples itself."""
    learners: Learners = Learners()
    workers: Workers = Workers()
    store: str = ""
    """URL of the database that all machines reach. Empty for the one of the workspace."""
    files: str = ""
    """URL or absolute folder for adapters and checkpoints that all machines reach."""
    key: str = ""
    """`$NAME`: the environment variable with the key of the engines."""
    ray: str = ""
    """Address of a Ray cluster (HOST:PORT). Empty for RAY_ADDRESS, or for this machine alone."""

    @property
    def key_env(self) -> str:
        found = _VARIABLE.fullmatch(self.key)
        return found[1] if found else KEY_ENV

    @property
    def needs_ray(self) -> bool:
        """Whether processes are to be started."""
        started = self.engines is not None and not self.engines.at
        return started or self.learners.count > 1 or self.workers.count > 0


def read_cluster(given: str) -> ClusterSettings:
    """The settings of `--cluster`: a cluster file, addresses of engines (http://a:8000,http://b:8000), or that of a Ray cluster
    (HOST:PORT). For `auto`, see `launch.auto`."""
    if given.startswith("ray://"):
        raise BadInput(
            f"{given}: Ray's client runs a command outside the cluster, which does not work here. Run the command on a machine "
            "of the cluster with --cluster HOST:6379, or submit it: ray job submit -- verigym ..."
        )
    if given.startswith(("http://", "https://")):
        addresses = [one.strip() for one in given.split(",") if one.strip()]
        return checked(ClusterSettings(engines=Engines(at=addresses)), "--cluster")
    if re.fullmatch(r"[\w.\-]+:\d+|\[[0-9a-fA-F:]+\]:\d+", given) and not Path(given).exists():
        return ClusterSettings(ray=given)
    if "://" in given or not given.strip():
        raise BadInput(
            f'--cluster cannot be "{given}". Write a cluster file, addresses of engines (http://HOST:8000), the address of a Ray '
            "cluster (HOST:6379), or auto"
        )
    path = Path(given)
    data = read_yaml(path, _FORMAT)
    check_keys(data, ClusterSettings, str(path))
    return checked(decode(data, ClusterSettings, str(path), see=". See docs/reference/cluster-file.md"), str(path))


def checked(settings: ClusterSettings, where: str) -> ClusterSettings:
    """Refuses settings that make no sense, before anything is started."""
    _check_key(settings, where)
    if settings.engines is not None:
        _check_engines(settings.engines, where)
    if (settings.learners.gpus or 0) > 1:
        raise BadInput(
            f"{where}: learners.gpus must be 0 or 1, because a rank computes on one GPU. Raise learners.count instead"
        )
    if settings.engines is None and settings.workers.count:
        raise BadInput(f"{where}: workers need engines, because a worker has no model. Add engines, or remove workers")
    return msgspec.structs.replace(
        settings, store=_url(settings.store, f"{where}: store"), files=_files(settings.files, f"{where}: files")
    )


def _check_key(settings: ClusterSettings, where: str) -> None:
    if settings.key and not _VARIABLE.fullmatch(settings.key):
        raise BadInput(
            f"{where}: key must name an environment variable, such as key: ${KEY_ENV}. A secret does not belong in a file"
        )
    if settings.key and not os.environ.get(settings.key_env, "").strip():
        raise BadInput(
            f"{where}: key names the environment variable {settings.key_env}, which is not set. Set it to the key of the engines"
        )


def _check_engines(engines: Engines, where: str) -> None:
    if engines.kind == "sglang" and not engines.at:
        raise BadInput(
            f"{where}: Verigym connects to SGLang and does not start it. Start it yourself, and write its addresses in engines.at"
        )
    if engines.kind == "vllm" and not engines.at and not engines.python:
        raise BadInput(
            f"{where}: engines.python is missing. Install vLLM in a virtual environment of its own and name its python, or write "
            "the addresses of running engines in engines.at"
        )
    if engines.at and (engines.python or engines.flags or engines.count > 1):
        raise BadInput(
            f"{where}: engines.at names engines that run already, so engines.count, engines.python and engines.flags have no "
            "effect. Remove them, or remove engines.at"
        )
    for address in engines.at:
        url = urllib.parse.urlsplit(address)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise BadInput(
                f'{where}: engines.at has "{address}", which is not an address. Write one such as http://node-1:8000'
            )
        if url.username or url.password:
            raise BadInput(f"{where}: engines.at has a password in an address. Set the key with key: ${KEY_ENV}")
    if len(set(engines.at)) < len(engines.at):
        raise BadInput(f"{where}: engines.at has an address twice. Remove one")
    secret = [flag for flag in engines.flags if flag.startswith(("--api-key", "--hf-token"))]
    if secret:
        raise BadInput(
            f"{where}: engines.flags has {secret[0]}, and a secret does not belong in a file. Write key: ${KEY_ENV}"
        )


def _url(given: str, where: str) -> str:
    """A URL without a password. `$NAME` is read from the environment."""
    if found := _VARIABLE.fullmatch(given):
        value = os.environ.get(found[1], "").strip()
        if not value:
            raise BadInput(f"{where} names the environment variable {found[1]}, which is not set. Set it to the URL")
        return value
    try:
        parts = urllib.parse.urlsplit(given)
        secret = bool(parts.password) or "password" in urllib.parse.parse_qs(parts.query)
    except ValueError as error:
        raise BadInput(
            f"{where} is not a URL ({error}). Write one such as postgresql+psycopg://user@host/name"
        ) from error
    if secret:
        raise BadInput(
            f"{where} has a password. Remove it and set PGPASSWORD, or name a variable with the whole URL, such as $VERIGYM_STORE"
        )
    if given and "://" not in given:
        raise BadInput(
            f'{where} is "{given}", which is not a URL. Write one such as postgresql+psycopg://user@host/name'
        )
    return given


def _files(given: str, where: str) -> str:
    """A URL of files. An absolute folder is one as well."""
    return f"file://{given}" if given.startswith("/") else _url(given, where)


def is_local(address: str) -> bool:
    """Whether an address is on this machine."""
    host = urllib.parse.urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
