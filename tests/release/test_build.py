"""The wheel and the sdist are built, installed and used the way a reader of the README would use them."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import verigym

ROOT = Path(__file__).parents[2]
BUILD = "import sys; from setuptools import build_meta as build; print(getattr(build, sys.argv[1])(sys.argv[2]))"
MAX_WHEEL_MB = 12
MAX_BASE_INSTALL_MB = 345


def build(kind: str, source: Path, out: Path) -> Path:
    """Builds with the setuptools of this environment, so that nothing is downloaded."""
    done = subprocess.run(
        [sys.executable, "-c", BUILD, kind, str(out)], cwd=source, capture_output=True, text=True, timeout=1000
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return out / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what git tracks, so that files lying around do not get in."""
    copy = tmp_path_factory.mktemp("checkout")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "--null", "-cf", str(copy / "all.tar"), "-T", "-"], cwd=ROOT, input=files, check=True)
    with tarfile.open(copy / "all.tar") as archive:
        archive.extractall(copy, filter="data")
    return build("build_sdist", copy, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist: what the sdist lacks, the wheel lacks too."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    [source] = folder.iterdir()
    return build("build_wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked as pip would. Its dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def command(installed: Path, cwd: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(installed), "VERIGYM_HOME": str(cwd / "home"), "COLUMNS": "120"}
    done = subprocess.run(
        [sys.executable, "-c", "from verigym.cli.main import main; main()", *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1000,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path, sdist: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    megabytes = {path.suffix: path.stat().st_size / 1e6 for path in (wheel, sdist)}
    print(f"\nwheel {megabytes['.whl']:.1f} MB, sdist {megabytes['.gz']:.1f} MB")
    assert verigym.__version__ in wheel.name and verigym.__version__ in sdist.name
    top = {"verigym", "verigym_taskset", f"verigym-{verigym.__version__}.dist-info"}  # verifiers loads the second
    assert {name.split("/")[0] for name in names} == top
    assert "verigym/py.typed" in names
    assert megabytes[".whl"] < MAX_WHEEL_MB


def test_the_installed_package_is_the_one_that_runs(installed: Path, tmp_path: Path) -> None:
    code = "import verigym; print(verigym.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
    )
    assert done.stdout.decode().strip().startswith(str(installed))


def test_an_install_does_what_the_readme_says(installed: Path, tmp_path: Path) -> None:
    assert verigym.__version__ in command(installed, tmp_path, "--version")
    command(installed, tmp_path, "init", "desk")
    assert "all checks passed" in command(installed, tmp_path, "check", "desk.py")


def test_an_install_has_the_demonstration_and_writes_a_page_about_it(installed: Path, tmp_path: Path) -> None:
    assert "reward hacking" in command(installed, tmp_path, "demo")
    command(installed, tmp_path, "report", "--home", "verigym-demo", "--out", "page.html")
    assert "@media print" in (tmp_path / "page.html").read_text()


def test_an_install_has_the_rows_of_every_environment_and_the_wordings(installed: Path, tmp_path: Path) -> None:
    code = (
        "from verigym.environments.load import load_environment, names\n"
        "for name in names():\n"
        "    spec = load_environment(name)\n"
        "    assert any(spec.tasks(split) for split in ('train', *spec.suites.values())), name\n"
        "import verigym.design.vary, verigym.design.samplers\n"  # they read wordings and names from data files
        "print(len(names()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and int(done.stdout) >= 17, done.stderr


@pytest.mark.slow
def test_the_base_install_is_small_and_works_without_torch(wheel: Path, tmp_path: Path) -> None:
    """A real installation with pip, dependencies included."""
    venv.create(tmp_path / "venv", with_pip=True)
    bin_folder = tmp_path / "venv" / "bin"
    pip = [str(bin_folder / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    before = size_of(tmp_path / "venv")
    subprocess.run([*pip, "-c", str(ROOT / "constraints.txt"), str(wheel)], check=True, timeout=1200)
    megabytes = (size_of(tmp_path / "venv") - before) / 1e6
    print(f"\nbase install {megabytes:.0f} MB")
    assert megabytes < MAX_BASE_INSTALL_MB
    subprocess.run([str(bin_folder / "verigym"), "init", "desk"], cwd=tmp_path, check=True)
    subprocess.run([str(bin_folder / "verigym"), "check", "desk.py"], cwd=tmp_path, check=True)
    assert subprocess.run([str(bin_folder / "python"), "-c", "import torch"], capture_output=True).returncode != 0


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
