"""demo and report on the command line, as a newcomer types them: without torch, a model or a network."""

import contextlib
import os
import re
import shlex
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from verigym.cli.main import app
from verigym.workspace.demo import put_demo

ROOT = Path(__file__).parents[2]
BARE = """
import socket, sys
for name in ("torch", "transformers", "safetensors", "pyarrow", "fastapi"):
    sys.modules[name] = None
def refuse(*_):
    raise OSError("no network")
socket.socket.connect = socket.getaddrinfo = refuse
sys.argv = ["verigym", *sys.argv[1:]]
from verigym.cli.main import main
main()
"""
"""A process that has only what a plain install has, and no network."""


def verigym(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", BARE, *words], cwd=folder, env=env, capture_output=True, text=True)


def typed(folder: Path, *words: str) -> str:
    """What a command prints, in this process: quicker, where the process is not what is tested."""
    with contextlib.chdir(folder):
        done = CliRunner().invoke(app, [*words, "--home", "verigym-demo"])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("newcomer")


@pytest.fixture(scope="module")
def story(folder: Path) -> str:
    done = verigym(folder, "demo")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def first_page(folder: Path, command: str) -> str:
    """The first page of the view that a command starts."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [*shlex.split(command), "--port", "0", "--no-open"]
    with subprocess.Popen(
        [sys.executable, "-c", BARE, *words], cwd=folder, env=env, stdout=subprocess.PIPE, text=True
    ) as view:
        try:
            assert view.stdout is not None
            address = view.stdout.readline().split()[-1]
            with urllib.request.urlopen(f"{address}runs", timeout=300) as answer:
                return answer.read().decode()
        finally:
            view.terminate()


def commands(story: str) -> list[str]:
    return re.findall(r"^  verigym (.*?)(?:   .*)?$", story, re.MULTILINE)


def test_the_demo_tells_what_the_gate_decided_and_why(story: str) -> None:
    assert "The gate on grpo against base: PROMOTE" in story
    assert "The gate on hacked against grpo: REJECT" in story
    assert "reward hacking" in story
    assert "no model was run" in " ".join(story.split())


def test_every_command_that_the_demo_prints_works(folder: Path, story: str) -> None:
    asked = commands(story)
    kinds = [command.split()[0] for command in asked]
    assert {"explain", "compare", "gate", "trajectories", "report", "models", "suites"} <= set(kinds)
    for command in asked:
        if command.startswith("view "):
            assert "hacked" in first_page(folder, command)
            continue
        done = verigym(folder, *shlex.split(command))
        assert done.returncode == (1 if command.startswith("gate hacked") else 0), done.stderr
        assert done.stdout and "Traceback" not in done.stderr
        assert "--home verigym-demo" in command


def test_the_gate_promotes_the_better_version_again(folder: Path, story: str) -> None:
    assert "PROMOTE" in typed(folder, "gate", "grpo", "--champion", "base")


def test_compare_suggests_what_can_be_done_with_the_version(folder: Path, story: str) -> None:
    for before, after, command in (
        ("base", "grpo", "verigym report grpo --home verigym-demo"),
        ("grpo", "hacked", "verigym explain eval-"),
        ("hacked", "base", "verigym gate base --home verigym-demo"),
    ):
        said = typed(folder, "compare", before, after)
        assert f"next: {command}" in said


def test_an_unknown_bound_is_no_number(folder: Path, story: str) -> None:
    said = typed(folder, "compare", "base", "grpo")
    assert re.search(r"^latency p95 s .* - to ", said, re.MULTILINE), said
    assert " 0.00 " not in said


def test_the_gate_names_what_paid_for_the_hack(folder: Path, story: str) -> None:
    words = " ".join(story.split())
    assert "paid by tool_call_verifier, less a penalty for long replies (episodes.overlong_penalty 3)" in words
    assert "The penalty is not part of the verifier: lower it or remove it" in words
    typed(folder, "report", "hacked", "--out", "hacked.html")
    page = (folder / "hacked.html").read_text()
    assert "Lower episodes.overlong_penalty" in page and "verigym audit run" not in page


def test_the_demo_has_one_pair_of_figures_of_the_training(story: str) -> None:
    assert "27% in training's last checks, 31% in the evaluation" in story
    assert len(re.findall(r"from -0\.\d+ to -0\.\d+", " ".join(story.split()))) == 1


def test_the_demo_goes_on_with_the_folder_that_is_there(folder: Path, story: str) -> None:
    again = verigym(folder, "demo").stdout
    assert again.splitlines()[0] == "verigym-demo: the demo is here already, and is used as it is"
    assert again.splitlines()[1:] == story.splitlines()[1:]


def test_the_demo_goes_into_the_folder_that_is_named_and_its_commands_quote_it(tmp_path: Path) -> None:
    done = verigym(tmp_path, "demo", "--out", "my demo")
    assert (tmp_path / "my demo" / "store.db").is_file()
    listed = next(command for command in commands(done.stdout) if command.startswith("models list"))
    assert verigym(tmp_path, *shlex.split(listed)).returncode == 0


def test_the_demo_as_json(folder: Path, story: str) -> None:
    told = msgspec.json.decode(verigym(folder, "demo", "--json").stdout)
    assert (told["home"], told["new"]) == ("verigym-demo", False)
    assert [decision["verdict"] for decision in told["decisions"]] == ["PROMOTE", "REJECT"]


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "verigym-demo").mkdir()
    (tmp_path / "verigym-demo" / "thesis.txt").write_text("mine")
    done = verigym(tmp_path, "demo")
    assert done.returncode == 2 and "Nothing was changed" in done.stderr
    assert [path.name for path in (tmp_path / "verigym-demo").iterdir()] == ["thesis.txt"]


def test_a_report_is_written_to_the_file_that_is_named_and_never_over_another(folder: Path, story: str) -> None:
    home = ("--home", "verigym-demo")
    assert verigym(folder, "report", "grpo", "--out", "page.html", *home).returncode == 0
    page = (folder / "page.html").read_text()
    assert "<h1>grpo</h1>" in page
    refused = verigym(folder, "report", "hacked", "--out", "page.html", *home)
    assert refused.returncode == 2 and "page.html exists" in refused.stderr
    assert (folder / "page.html").read_text() == page


def test_a_report_of_no_version_is_about_the_newest_decision(folder: Path, story: str) -> None:
    written = msgspec.json.decode(verigym(folder, "report", "--json", "--home", "verigym-demo").stdout)
    assert (written["file"], written["verdict"]) == ("verigym-demo/reports/hacked.html", "REJECT")
    assert "hacked" in (folder / written["file"]).read_text().partition("</h1>")[0]


def test_the_next_commands_stay_in_the_workspace_that_was_given(tmp_path: Path) -> None:
    home = tmp_path / "my demo"
    put_demo(home)
    given = f"--home '{home}'"
    said = CliRunner().invoke(app, ["models", "list", "--home", str(home)]).output
    assert said.endswith(
        f"next: verigym models show VERSION {given}   ·   verigym models diff A B {given}   ·   verigym models ledger {given}\n"
    )
    said = CliRunner().invoke(app, ["suites", "--home", str(home)]).output
    assert said.endswith(f"next: verigym suites show SUITE {given}   (or SUITE@VERSION)\n")
    said = CliRunner().invoke(app, ["models", "list"], env={"VERIGYM_HOME": str(home)}).output
    assert "--home" not in said


def test_advice_puts_a_hacked_reward_first_and_asks_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers")
    put_demo(tmp_path / "home")
    looked_up: list[object] = []

    def refuse(host: object, *_: object, **__: object) -> None:
        looked_up.append(host)
        raise OSError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    said = CliRunner().invoke(app, ["advise", "hacked", "--home", str(tmp_path / "home")]).output
    assert "1. fix the reward\n   The gate found reward hacking" in said and "measure several tries" not in said
    assert not looked_up


def test_a_training_run_is_said_to_have_no_episodes(folder: Path, story: str) -> None:
    home = ("--home", "verigym-demo")
    runs = [one["id"] for one in msgspec.json.decode(verigym(folder, "runs", "--json", *home).stdout)]
    run, measured = (next(one for one in runs if word in one) for word in ("grpo", "eval-safety"))
    for command in ("explain", "advise", "trajectories list"):
        said = " ".join(verigym(folder, *command.split(), run, *home).stderr.split())
        assert f"{run} is a training run and has no episodes of its own. See verigym runs show {run}" in said
    said = verigym(folder, "mine", "run", "toolcall", "--run", measured, *home).stderr
    assert "is a run of kind eval. Name one of kind traces" in " ".join(said.split())


def test_a_long_list_of_trajectories_is_cut(folder: Path, story: str) -> None:
    listing = ("trajectories", "list", "--failed", "--home", "verigym-demo")
    said = verigym(folder, *listing).stdout.splitlines()
    assert len(said) == 23 and said[-2] == "and 93 more (--all shows all)"
    assert len(verigym(folder, *listing, "-n", "3").stdout.splitlines()) == 6
    every = verigym(folder, *listing, "--all").stdout
    assert len(every.splitlines()) == 115 and "more (" not in every
    assert len(msgspec.json.decode(verigym(folder, *listing, "--json").stdout)) == 113
