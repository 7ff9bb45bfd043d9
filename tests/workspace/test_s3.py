"""Shared files on a server that speaks S3 (moto), through s3fs. `make test-cluster` installs both into their own environment."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.third_party.install import installed, python_of

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(not installed("s3"), reason="s3fs is not installed: python -m tests.third_party.install s3"),
]
ROOT = Path(__file__).parents[2]
Ask = Callable[..., str]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(python_of("s3").with_name("moto_server")), "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address, deadline = f"http://127.0.0.1:{port}", time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(urllib.request.Request(f"{address}/bucket", method="PUT"), timeout=60)
            break
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.2)
    yield address
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def ask(endpoint: str) -> Ask:
    """Runs a function of `s3_program` as another machine would."""

    def run(what: str, folder: Path, url: str = "s3://bucket/verigym", **environment: str) -> str:
        keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL": endpoint}
        done = subprocess.run(
            [str(python_of("s3")), str(ROOT / "tests/workspace/s3_program.py"), what, url, str(folder)],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **keys, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


@pytest.fixture(scope="module")
def stored(ask: Ask, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two adapters in the bucket, put there by one machine."""
    folder = tmp_path_factory.mktemp("adapter")
    (folder / "adapter_model.safetensors").write_bytes(os.urandom(200_000))
    (folder / "adapter_config.json").write_text("{}")
    return ask("put", folder)


def test_an_adapter_in_a_bucket_is_fetched_whole_by_another_machine(ask: Ask, stored: str, tmp_path: Path) -> None:
    assert stored == "['a', 'b'] True False"
    assert ask("get", tmp_path / "a") == "True False ['adapter_config.json', 'adapter_model.safetensors']"
    assert (tmp_path / "a" / "adapter_model.safetensors").stat().st_size == 200_000


@pytest.mark.usefixtures("stored")
def test_a_damaged_object_is_never_used(ask: Ask, tmp_path: Path) -> None:
    assert "adapters/b/adapter_model.safetensors is damaged: its SHA-256 is" in ask("damage", tmp_path / "b")
    assert not (tmp_path / "b").exists()
    young_and_old = ask("collect", tmp_path)
    assert young_and_old == "{} ['a', 'b'] True ['a']", "ages are those of the bucket, and a deleted name is gone"


def test_a_resume_state_goes_through_a_bucket(ask: Ask, tmp_path: Path) -> None:
    assert ask("resume", tmp_path / "state") == "['step-000012'] [('step-000012.pt', b'state 12')]"


@pytest.mark.parametrize(
    ("url", "environment", "words"),
    [
        ("s3://absent/verigym", {}, "s3://absent/verigym/adapters/a cannot be"),
        ("s3://bucket/verigym", {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "Check the URL and your keys"),
        ("s3://bucket/verigym", {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "Check the URL and your keys"),
    ],
    ids=["bucket", "server", "keys"],
)
def test_a_bucket_that_cannot_be_used_is_said_in_words(
    ask: Ask, tmp_path: Path, url: str, environment: dict[str, str], words: str
) -> None:
    (tmp_path / "file").write_text("x")
    said = ask("put", tmp_path, url, **environment)
    assert said.startswith("InfrastructureFailure: ") and words in said
