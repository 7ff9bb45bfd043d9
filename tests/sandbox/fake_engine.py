"""A stand-in for `docker` and `podman` in tests. It records its arguments and behaves like the engine for the few commands that
the sandbox uses. A "container" is a plain process in the folder that is mounted at /box, as the user that was asked for.

It isolates nothing. It shows what the sandbox asks of an engine, not what an engine does.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

STATE = Path(os.environ["DOCKER_FAKE_STATE"])
"""Folder with the record of calls (`calls.jsonl`), `silent` if the daemon does not answer, and a file per container."""


def fail(words: str, code: int = 1) -> None:
    print(words, file=sys.stderr)
    sys.exit(code)


def run(words: list[str]) -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    for name in ("interactive", "init", "read-only"):
        parser.add_argument(f"--{name}", action="store_true", required=True)
    for name in ("name", "label", "pull", "network", "workdir", "user", "memory", "memory-swap", "pids-limit", "cpus"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("cap-drop", "hostname", "userns"):
        parser.add_argument(f"--{name}")
    for name in ("security-opt", "ulimit", "mount", "env"):
        parser.add_argument(f"--{name}", action="append", default=[])
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    try:
        asked = parser.parse_args(words)
    except argparse.ArgumentError as error:
        return fail(f"docker: {error}", 125)
    image, *command = asked.rest
    if image != "python:3.12-slim":
        return fail(f"docker: no such image: {image}", 125)
    mounts = [dict(field.partition("=")[::2] for field in mount.split(",")) for mount in asked.mount]
    places = {mount["target"]: mount["source"] for mount in mounts}
    env = dict(item.partition("=")[::2] if "=" in item else (item, os.environ[item]) for item in asked.env)
    env.setdefault("PATH", f"{sys.base_prefix}/bin:/usr/bin:/bin")
    uid, _, gid = asked.user.partition(":")
    who = {"user": int(uid), "group": int(gid), "extra_groups": []} if os.geteuid() == 0 else {}
    cwd = places.get(asked.workdir, asked.workdir)
    try:
        process = subprocess.Popen(command, cwd=cwd, env=env, start_new_session=True, **who)
    except (FileNotFoundError, PermissionError):
        (STATE / asked.name).write_text(json.dumps({"pid": 0, "oom": False, "label": asked.label.partition("=")[2]}))
        return fail(f'docker: exec: "{command[0]}": executable file not found', 127)
    state = {"pid": process.pid, "oom": "out-of-memory" in command, "label": asked.label.partition("=")[2]}
    (STATE / asked.name).write_text(json.dumps(state))
    code = process.wait()
    sys.exit(code if code >= 0 else 128 - code)


def remove(name: str) -> None:
    path = STATE / name
    if not path.exists():
        return fail(f"Error response from daemon: No such container: {name}")
    if pid := json.loads(path.read_text())["pid"]:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    path.unlink()


def main() -> None:
    words = sys.argv[1:]
    with (STATE / "calls.jsonl").open("a") as file:
        file.write(json.dumps({"words": words, "env": dict(os.environ)}) + "\n")
    if (STATE / "silent").exists():
        fail("Cannot connect to the Docker daemon at unix:///var/run/docker.sock.")
    match words:
        case ["run", *rest]:
            run(rest)
        case ["version", *_]:
            print("28.2.2")
        case ["info", *_]:
            print('["name=seccomp"]')
        case ["image", "inspect", name]:
            sys.exit(0 if name == "python:3.12-slim" else 1)
        case ["inspect", "--format", "{{.State.OOMKilled}}", name]:
            if not (STATE / name).exists():
                fail("no such object")
            print("true" if json.loads((STATE / name).read_text())["oom"] else "false")
        case ["ps", *_]:
            for path in STATE.glob("verigym-*"):
                print(path.name, json.loads(path.read_text())["label"])
        case ["rm", "--force", "--volumes", name]:
            remove(name)
        case _:
            fail(f"unknown command: {words}", 125)


if __name__ == "__main__":
    main()
