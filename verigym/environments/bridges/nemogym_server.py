"""Serves one resources server of the nemo-gym wheel without Ray, head server and keys, in the virtual environment of the bridge.

    python nemogym_server.py NAME '{"option": "value"}'

It prints one line of JSON with its port when it listens. It ends when its standard input is closed, so it never outlives the
process that started it. nemo_gym imports ray, wandb and mlflow when it is loaded, and a resources server never uses them.
Empty modules stand in for them. This script imports nothing of Verigym.
"""

import importlib
import inspect
import json
import os
import socket
import sys
import threading
import types
from collections.abc import MutableSequence
from typing import Any

_STAND_INS = (
    "ray", "ray.actor", "ray.util", "ray.util.scheduling_strategies", "wandb", "wandb.util", "mlflow", "gprof2dot",
)  # fmt: skip


class _StandIn(types.ModuleType):
    """A module in which every name is a class that does nothing."""

    __version__ = "0"
    __path__: MutableSequence[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"__init__": lambda self, *args, **kwargs: None})
        setattr(self, name, made)
        return made


def main(name: str, options: str) -> None:
    for missing in _STAND_INS:
        try:
            importlib.import_module(missing)
        except ImportError:
            sys.modules[missing] = _StandIn(missing)
    app = _app(name, json.loads(options))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    print(json.dumps({"port": listening.getsockname()[1]}), flush=True)
    import uvicorn  # pyright: ignore[reportMissingImports]

    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


def _app(name: str, options: dict[str, Any]) -> Any:
    nemo_gym: Any = importlib.import_module("nemo_gym.base_resources_server")
    config_types: Any = importlib.import_module("nemo_gym.config_types")
    server_utils: Any = importlib.import_module("nemo_gym.server_utils")
    omegaconf: Any = importlib.import_module("omegaconf")
    # Otherwise the first use of the global configuration reads the command line.
    importlib.import_module("nemo_gym.global_config")._GLOBAL_CONFIG_DICT = omegaconf.OmegaConf.create({})  # type: ignore[attr-defined]
    module = importlib.import_module(f"resources_servers.{name}.app")
    kinds = [
        kind
        for kind in vars(module).values()
        if inspect.isclass(kind)
        and issubclass(kind, nemo_gym.BaseResourcesServer)
        and kind.__module__ == module.__name__
    ]
    kind: Any = kinds[-1]
    settings = {"host": "127.0.0.1", "port": 0, "entrypoint": "", "domain": "agent", "name": name, **options}
    client = server_utils.ServerClient(
        head_server_config=config_types.BaseServerConfig(host="127.0.0.1", port=0),
        global_config_dict=omegaconf.OmegaConf.create({}),
    )
    server = kind(config=kind.model_fields["config"].annotation.model_validate(settings), server_client=client)
    return server.setup_webserver()


def _end_with_parent() -> None:
    while os.read(0, 4096):  # not buffered: the end of this process must not wait for it
        pass
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:3])
