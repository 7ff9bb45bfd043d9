"""Uses shared files on an S3 server, in the environment that has s3fs. `test_s3` starts it: python s3_program.py WHAT URL FOLDER.

It prints what it found, or the words of the error.
"""

import sys
from pathlib import Path

from verigym.core.errors import VerigymError
from verigym.workspace.shared_files import SharedFiles, SharedResumeState

DAY_S = 86400


def put(shared: SharedFiles, folder: Path) -> str:
    for name in ("adapters/a", "adapters/b"):
        shared.put(name, sorted(folder.iterdir()))
    return f"{shared.names('adapters')} {shared.has('adapters/a')} {shared.has('adapters/c')}"


def get(shared: SharedFiles, folder: Path) -> str:
    found, absent = shared.get("adapters/a", folder), shared.get("adapters/c", folder.with_name("absent"))
    return f"{found} {absent} {sorted(file.name for file in folder.iterdir())}"


def damage(shared: SharedFiles, folder: Path) -> str:
    files, root = shared._open()
    files.pipe_file(f"{root}/adapters/b/adapter_model.safetensors", b"others!")
    return str(shared.get("adapters/b", folder))


def collect(shared: SharedFiles, folder: Path) -> str:
    young, old = shared.older("adapters", ["a", "b"], DAY_S), shared.older("adapters", ["a", "b", "c"], -DAY_S)
    shared.delete("adapters/b")
    shared.delete("adapters/b")
    return f"{young} {sorted(old)} {sum(old.values()) > 0} {shared.names('adapters')}"


def resume(shared: SharedFiles, folder: Path) -> str:
    first, second = folder / "first", folder / "second"
    first.mkdir(parents=True)
    here, there = (SharedResumeState(shared, "run/a", each) for each in (first, second))
    there.fetch()
    for step in (5, 12):
        (first / f"step-{step:06d}.pt").write_bytes(b"state %d" % step)
        here.store()
    there.fetch()
    return f"{shared.names('checkpoints/run/a')} {[(path.name, path.read_bytes()) for path in second.iterdir()]}"


if __name__ == "__main__":
    what, url, folder = sys.argv[1:]
    try:
        print(globals()[what](SharedFiles(url), Path(folder)))
    except VerigymError as error:
        print(f"{type(error).__name__}: {error}")
