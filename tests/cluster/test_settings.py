"""The cluster file: what it may say, and what is refused in words before anything starts."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from verigym.cli.main import app
from verigym.cluster.settings import ClusterSettings, Engines, Learners, Workers, is_local, read_cluster
from verigym.core.errors import BadInput


def read(tmp_path: Path, text: str) -> ClusterSettings:
    file = tmp_path / "cluster.yaml"
    file.write_text(text)
    return read_cluster(str(file))


def refused(tmp_path: Path, text: str) -> str:
    with pytest.raises(BadInput) as error:
        read(tmp_path, text)
    return str(error.value)


def test_a_file_names_engines_learners_workers_store_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ENGINE_KEY", "secret")
    settings = read(
        tmp_path,
        """
engines: {kind: vllm, count: 8, gpus: 1, max_batch: 256, python: /opt/vllm/bin/python, flags: [--max-model-len, "32768"]}
learners: {count: 4, gpus: 1, shard: auto}
workers: {count: 4, cpus: 1}
store: postgresql+psycopg://verigym@db/verigym
files: s3://bucket/verigym
key: $ENGINE_KEY
""",
    )
    assert settings.engines == Engines(
        count=8, gpus=1, python="/opt/vllm/bin/python", flags=["--max-model-len", "32768"]
    )
    assert settings.learners == Learners(count=4, gpus=1) and settings.workers == Workers(count=4)
    assert settings.needs_ray and settings.key_env == "ENGINE_KEY"


def test_addresses_need_no_ray(tmp_path: Path):
    settings = read(tmp_path, "engines: {kind: vllm, at: [http://localhost:8000, http://localhost:8001]}")
    assert not settings.needs_ray
    assert read_cluster("http://localhost:8000, http://localhost:8001") == settings
    assert read_cluster("head.example.org:6379") == ClusterSettings(ray="head.example.org:6379")


def test_a_folder_of_files_is_a_url(tmp_path: Path):
    assert read(tmp_path, "files: /mnt/verigym").files == "file:///mnt/verigym"


def test_the_url_of_the_store_can_be_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DATABASE", "postgresql+psycopg://me:word@db/verigym")
    assert read(tmp_path, "store: $DATABASE").store == "postgresql+psycopg://me:word@db/verigym"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The file is empty"),
        ("- engines", "A cluster file has the keys engines"),
        ("engine: {}", "unknown key engine. Did you mean engines?"),
        ("engines: {kinds: vllm}", "unknown key engines.kinds. Did you mean engines.kind?"),
        ("engines: {kind: tgi}", 'engines.kind cannot be "tgi". Use one of: vllm, sglang, local, fake'),
        ("engines: {kind: fake, count: 0}", "count must be a whole number, at least 1"),
        ("engines: {kind: fake, count: two}", "count must be a whole number, not text"),
        ("engines: {kind: fake, gpus: -1}", "gpus must be a number, at least 0"),
        ("engines: {kind: vllm, count: 2}", "engines.python is missing"),
        ("engines: {kind: sglang}", "Start it yourself"),
        ("engines: {at: [node-1]}", '"node-1", which is not an address'),
        ("engines: {at: [http://a:1, http://a:1]}", "an address twice"),
        ("engines: {at: ['http://me:word@a:1']}", "a password in an address"),
        ("engines: {at: [http://a:1], count: 2}", "engines.count, engines.python and engines.flags have no effect"),
        ("engines: {kind: vllm, python: p, flags: [--api-key, word]}", "a secret does not belong in a file"),
        ("key: sk-1234", "A secret does not belong in a file"),
        ("key: $NOT_SET_ANYWHERE", "NOT_SET_ANYWHERE, which is not set"),
        ("store: postgresql://me:word@db/x", "store has a password"),
        ("store: postgresql://db/x?password=word", "store has a password"),
        ("store: $NOT_SET_ANYWHERE", "NOT_SET_ANYWHERE, which is not set"),
        ("store: db", "which is not a URL"),
        ("files: bucket", "which is not a URL"),
        ("learners: {gpus: 2}", "a rank computes on one GPU"),
        ("workers: {count: 2}", "workers need engines"),
        ("engines: {kind: fake}\nengines: {kind: fake}", "engines is written twice"),
        ("engines: [", "this is not valid YAML"),
    ],
)
def test_a_wrong_file_is_refused_with_file_and_field(tmp_path: Path, text: str, words: str):
    said = refused(tmp_path, text)
    assert words in said and "cluster.yaml" in said
    assert "word@" not in said and "sk-1234" not in said, "a secret is not repeated"


def test_a_missing_file_and_a_ray_client_are_refused(tmp_path: Path):
    with pytest.raises(BadInput, match="does not exist"):
        read_cluster(str(tmp_path / "none.yaml"))
    with pytest.raises(BadInput, match="ray job submit"):
        read_cluster("ray://head:10001")
    for wrong in ("ftp://host", "", " "):
        with pytest.raises(
            BadInput, match=f'--cluster cannot be "{wrong}". Write a cluster file, addresses of engines'
        ):
            read_cluster(wrong)


@pytest.mark.parametrize("command", ["train r.yaml", "eval toolcall -m m", "gate v", "rollout toolcall -m m"])
def test_an_empty_cluster_is_refused_because_it_may_be_a_variable_that_is_not_set(command: str):
    done = CliRunner().invoke(app, [*command.split(), "--cluster", ""])
    assert done.exit_code == 2 and "Name a cluster file, addresses or auto" in done.output.replace("\n", " ")


def test_addresses_of_this_machine_are_known():
    assert is_local("http://127.0.0.1:8000") and is_local("http://[::1]:8000") and is_local("http://localhost:1")
    assert not is_local("http://10.0.0.1:8000") and not is_local("http://node:8000")


def test_every_setting_is_on_its_page():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "cluster-file.md").read_text()
    for kind in (ClusterSettings, Engines, Learners, Workers):
        for name in kind.__struct_fields__:
            assert f"| `{name}` |" in page, name


@pytest.mark.parametrize(
    "file", sorted((Path(__file__).parents[2] / "recipes" / "cluster").glob("*.yaml")), ids=lambda one: one.stem
)
def test_shipped_cluster_files_can_be_read(file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VERIGYM_STORE", "postgresql+psycopg://verigym@db/verigym")
    monkeypatch.setenv("VERIGYM_ENGINE_KEY", "key")
    assert read_cluster(str(file)).engines is not None
