"""The demonstration: a small recorded workspace with three versions of an invented model, two decisions and two training runs.

`python -m authoring.demo` records it. Scripts wrote the replies, so it needs no model, no torch and no network.
"""

import gzip
from pathlib import Path

from verigym.core.errors import Refused
from verigym.core.records import Version
from verigym.store.database import Store
from verigym.tasks.files import write_whole

RECORDING = Path(__file__).with_name("demo.db.gz")
MODEL = "demo-model"
"""The base model of its versions. No such model exists."""
NAMES = ("base", "grpo", "hacked")


def put_demo(folder: Path) -> bool:
    """Puts the recorded workspace into a new or empty folder. False if it is there already. Overwrites nothing."""
    store = folder / "store.db"
    if store.is_file():
        opened = Store(store)
        versions = opened.documents("version", Version)
        opened.close()
        if not {*NAMES} <= {version.name for version in versions if version.base == MODEL}:
            raise Refused(f"{folder} is another workspace. Nothing was changed. Name another folder with --out")
        return False
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise Refused(
            f"{folder} exists and is not an empty folder. Nothing was changed. Name another folder with --out"
        )
    write_whole(store, lambda file: file.write(gzip.decompress(RECORDING.read_bytes())))
    return True
