"""The workflow files of docs/how-to/ci.md: valid, with least permissions, and their commands run on a real repository.

A local server plays the model. Git, the agents' processes and the gate are real. GitHub and GitLab are not there: the tests give
the variables that they would set.
"""

import json
import os
import re
import stat
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "ci"
PAGE = ROOT / "docs" / "how-to" / "ci.md"
AGENT = """\
import json, os, sys, urllib.request

body = {"model": "any", "messages": [{"role": "user", "content": sys.argv[1] + MORE}]}
address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
request = urllib.request.Request(address, json.dumps(body).encode(), {"content-type": "application/json"})
with urllib.request.urlopen(request, timeout=300) as response:
    print(json.load(response)["choices"][0]["message"]["content"])
"""


class Model(BaseHTTPRequestHandler):
    """Adds two numbers, carefully if it is asked to, and wrongly if it is asked to hurry."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"][-1]["content"]
        one, other = (int(number) for number in re.findall(r"\d+", asked)[:2])
        right = "carefully" in asked or ("hurry" not in asked and one % 2 == 0)
        message = {"role": "assistant", "content": str(one + other) if right else "I do not know"}
        usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        answer = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def model() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1#m"
    server.shutdown()
    server.server_close()


class Repository:
    """A project with an agent, tasks and a policy, and the commands that a runner has on its path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "agent").mkdir(parents=True)
        rows = [
            {
                "id": f"sum/{n}",
                "prompt": f"What is {n} + {n + 1}?",
                "data": {"answer": str(2 * n + 1)},
                "family": f"f{n}",
            }
            for n in range(24)
        ]
        (folder / "tasks.jsonl").write_text("".join(json.dumps({**row, "split": "val"}) + "\n" for row in rows))
        (folder / "gate.yaml").write_text((EXAMPLES / "gate.yaml").read_text().replace("0.05", "0.3", 1))
        bin = folder.parent / "bin"
        bin.mkdir()
        for name, command in (
            ("verigym", f'"{sys.executable}" -m verigym.cli.main'),
            ("python", f'"{sys.executable}"'),
        ):
            (bin / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
            (bin / name).chmod(0o755 | stat.S_IXUSR)
        self.path = f"{bin}:{os.environ['PATH']}"
        self.git("init", "--quiet", "--initial-branch", "main")

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        return subprocess.run(
            ["git", *who, *words], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, more: str) -> str:
        """Commits an agent that adds these words to every prompt, and returns the commit."""
        (self.folder / "agent" / "agent.py").write_text(AGENT.replace("MORE", repr(more)))
        self.git("add", "agent", "tasks.jsonl", "gate.yaml")
        self.git("commit", "--quiet", "--allow-empty", "-m", more or "first")
        return self.git("rev-parse", "HEAD")

    def run(self, script: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        keep = {name: os.environ[name] for name in ("HOME", "TMPDIR", "LANG") if name in os.environ}
        env = {**keep, "PATH": self.path, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none", **variables}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        return subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=600)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


def workflow() -> dict[Any, Any]:
    return yaml.safe_load((EXAMPLES / "verigym.yml").read_text())


class Job:
    """The steps of a job that run commands, one after the other, as a runner runs them."""

    def __init__(self, repository: Repository, github: dict[str, str], variables: dict[str, str]) -> None:
        self.repository, self.github = repository, github
        self.outputs: dict[str, str] = {}
        self.variables = variables
        self.log = ""

    def value(self, expression: str) -> str:
        """What GitHub puts in place of an expression. One that the test does not know is an error."""
        names = [name.strip() for name in expression.split("||")]
        known = {"secrets.OPENAI_API_KEY": "none", **self.github, **self.outputs}
        return (
            next((known[name] for name in names if known.get(name)), "")
            if any(name in known for name in names)
            else known[expression]
        )

    def wanted(self, condition: str) -> bool:
        """Conditions of this file are comparisons of outputs."""
        left, operator, right = re.fullmatch(r"(\S+) (==|!=) (\S+)", condition).groups()  # pyright: ignore[reportOptionalMemberAccess]
        sides = [side.strip("'") if side.startswith("'") else self.outputs.get(side, "") for side in (left, right)]
        return (sides[0] == sides[1]) == (operator == "==")

    def run(self, step: dict[str, Any]) -> int:
        if "if" in step and not self.wanted(step["if"]):
            return -1
        replaced = {
            name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self.value(found[1]), str(text))
            for name, text in step.get("env", {}).items()
        }
        output, summary = self.repository.folder.parent / "output", self.repository.folder.parent / "summary"
        output.write_text("")
        files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        done = self.repository.run(step["run"], **self.variables, **replaced, **files)
        self.log += done.stdout + done.stderr
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            self.outputs[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode


def github_job(repository: Repository, model: str, base: str) -> Job:
    given = {name: str(value) for name, value in workflow()["env"].items()}
    assert given["NUM"] == "40" and given["MODEL"].startswith("https://")
    return Job(
        repository,
        {"github.event.pull_request.base.sha": base, "github.sha": "HEAD"},
        {**given, "MODEL": model, "NUM": "8"},
    )


def commands() -> dict[str, dict[str, Any]]:
    steps = workflow()["jobs"]["evaluate"]["steps"]
    return {step["name"]: step for step in steps if "run" in step and "name" in step}


def test_a_better_agent_passes_and_leaves_reports(repository: Repository, model: str) -> None:
    base = repository.commit("")
    repository.commit(" Work carefully.")
    job = github_job(repository, model, base)
    codes = {name: job.run(step) for name, step in commands().items()}
    assert codes == {"Evaluate": 0, "Ask the gate": 0, "Report": 0, "Fail if the gate rejects": -1}, job.log
    assert job.outputs["steps.gate.outputs.code"] == "0" and "::notice " in job.log
    report = repository.folder / "report"
    assert (report / "verigym.md").read_text().startswith("<!-- verigym report -->\n\n## ✅ ")
    assert ET.parse(report / "verigym.xml").getroot().attrib["failures"] == "0"
    assert "PROMOTE" in (report / "verigym.html").read_text()
    assert "PROMOTE" in (repository.folder.parent / "summary").read_text()
    again = github_job(repository, model, repository.git("rev-parse", "HEAD"))
    assert again.run(commands()["Evaluate"]) == 0, again.log
    assert again.run(commands()["Ask the gate"]) == -1, "the agent did not change"
    assert again.run(commands()["Report"]) == -1


def test_a_worse_agent_fails_the_merge_request(repository: Repository, model: str) -> None:
    base = repository.commit(" Work carefully.")
    repository.commit(" Please hurry.")
    job = yaml.safe_load((EXAMPLES / "verigym.gitlab-ci.yml").read_text())["verigym"]
    given = {**job["variables"], "MODEL": model, "NUM": "8", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    done = repository.run("\n".join(job["script"]), **given)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "REJECT" in done.stdout and done.returncode not in job["allow_failure"]["exit_codes"]
    root = ET.parse(repository.folder / job["artifacts"]["reports"]["junit"]).getroot()
    assert int(root.attrib["failures"]) >= 1 and (repository.folder / "report" / "verigym.html").exists()


def test_the_rejecting_step_fails(repository: Repository) -> None:
    job = Job(repository, {}, {})
    job.outputs["steps.gate.outputs.code"] = "1"
    assert job.run(commands()["Fail if the gate rejects"]) == 1
    assert job.run({"id": "gate", "run": commands()["Ask the gate"]["run"].replace("verigym gate", "exit 2 #")}) != 0


def test_the_workflow_has_the_least_permissions() -> None:
    text, jobs = (EXAMPLES / "verigym.yml").read_text(), workflow()["jobs"]
    assert workflow()["permissions"] == {}
    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "evaluate": {"contents": "read"},
        "comment": {"pull-requests": "write"},
    }
    assert "pull_request_target" not in text and "checkout" not in str(jobs["comment"])
    assert set(workflow()[True]) == {"pull_request", "push"}  # YAML 1.1 reads the key "on" as true
    assert "head.repo.full_name == github.repository" in jobs["evaluate"]["if"]


@pytest.mark.parametrize("name", ["evaluate", "comment"])
def test_no_value_of_a_pull_request_is_written_into_a_script(name: str) -> None:
    for step in workflow()["jobs"][name]["steps"]:
        assert "uses" in step or "run" in step
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+(/[a-z]+)?@v\d+", step["uses"])
        if "run" in step:
            assert "${{" not in step["run"], "an expression in a script can be code of whoever named a branch"
            done = subprocess.run(["bash", "-n", "-c", step["run"]], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["verigym.yml", "verigym.gitlab-ci.yml"])
def test_the_page_shows_the_file(name: str) -> None:
    block = re.search(rf"```yaml examples/ci/{re.escape(name)}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert block is not None and block[1] == (EXAMPLES / name).read_text()
