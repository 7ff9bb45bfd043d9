"""Versions derived without training (another prompt, tools or sampling), and the reports and differences of versions."""

import contextlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from verigym.agents.program import check_program
from verigym.core.errors import BadInput, Refused, VerigymError, not_found
from verigym.core.names import check_given_name
from verigym.core.records import Dataset, Harness, Item, Message, Report, Sampling, Suite, Version
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.registry import ledger
from verigym.registry.cards import CardData, latest_by_suite
from verigym.registry.diff import VersionDiff, diff
from verigym.registry.versions import version_id
from verigym.workspace.agent_tools import keep_tools, tools_of
from verigym.workspace.measure import latest_report, reports_of
from verigym.workspace.shared_reports import GUARDS
from verigym.workspace.workspace import WorkspaceFolder

_COPY = re.compile(r"copy:[^,\s]+(,[^,\s]+)*")
"""`copy:` and the names of arguments."""


def constraint_text(version: Version, constraints: str | Mapping[str, object]) -> str:
    """The constraint as a version stores it. An invalid JSON schema is refused now, not in the first episode."""
    if not constraints:
        return ""
    if version.is_remote:
        raise BadInput("Constraints work only with local models. Configure constrained decoding on the server instead")
    if isinstance(constraints, str):
        if constraints != "tools" and not _COPY.fullmatch(constraints):
            raise BadInput(
                f'The value of constraints is "{constraints}". It must be "tools", "copy:" and names of arguments '
                "(copy:name,company), or a JSON schema as a dict"
            )
        return constraints
    import jsonschema

    try:
        jsonschema.Draft202012Validator.check_schema(dict(constraints))
    except jsonschema.SchemaError as error:
        raise BadInput(f"The constraint is not a JSON schema: {error.message}") from error
    return msgspec.json.encode(constraints).decode()


def constrained(version: Version, constraints: str | Mapping[str, object]) -> Version:
    """The version with another constraint on its replies. It is not registered."""
    text = constraint_text(version, constraints)
    if not text:
        return version
    named = msgspec.structs.replace(version, constraints=text, name=f"{version.name}, constrained", parent=version.id)
    return msgspec.structs.replace(named, id=version_id(named))


def with_program(version: Version, program: str) -> Version:
    """The version with an external agent that drives its episodes. It is not registered."""
    check_program(program)
    if version.program == program:
        return version
    named = msgspec.structs.replace(version, program=program, name=f"{version.name}, agent", parent=version.id)
    return msgspec.structs.replace(named, id=version_id(named))


def derive(
    ws: WorkspaceFolder,
    parent: Version,
    *,
    name: str = "",
    system: str | None = None,
    describe: Mapping[str, str] = {},
    constraints: str = "",
    sampling: Mapping[str, object] = {},
    examples: Sequence[Sequence[Item]] | None = None,
    skills: Mapping[str, str] = {},
    harness: Mapping[str, int] = {},
    tools: Path | None = None,
    environment: EnvironmentSpec | None = None,
) -> Version:
    """Registers a new version with the weights of the parent and another prompt, tool descriptions, constraints, sampling,
    examples, skills, harness or tools file. Nothing is trained. Described tools are looked up in `environment`, if given."""
    if parent.recipe.get("algorithm") == "reward":
        raise Refused(f"{parent.label} is a reward model. It has no prompt or tools to change. Name another version")
    brought = keep_tools(ws, tools) if tools is not None else parent.tools
    if environment is not None:
        added = tools_of(ws, msgspec.structs.replace(parent, tools=brought))
        names = [tool.name for tool in environment.tools] + list(added.tools if added is not None else ())
        for tool in describe if not environment.needs_task_tools else ():
            if tool not in names:
                raise not_found("tool", tool, names, f"These belong to {environment.name}.")
    child = msgspec.structs.replace(
        parent,
        id="",
        parent=parent.id,
        system_prompt=parent.system_prompt if system is None else system,
        tool_descriptions=dict(sorted({**parent.tool_descriptions, **describe}.items())),
        constraints=constraints or parent.constraints,
        tools=brought,
        sampling=msgspec.structs.replace(parent.sampling or Sampling(), **sampling) if sampling else parent.sampling,
        examples=parent.examples if examples is None else [list(example) for example in examples],
        skills=dict(sorted({**parent.skills, **skills}.items())),
        harness=msgspec.structs.replace(parent.harness or Harness(), **harness) if harness else parent.harness,
    )
    id = version_id(child)
    if id == version_id(parent):
        raise BadInput(
            f"The new version would equal {parent.label}. Pass --system, --describe, --descriptions, --tools, --constrain, "
            "--examples, --skill, --harness or a sampling setting"
        )
    _check_name(ws, name, id)
    ws.register(parent)
    return ws.register(msgspec.structs.replace(child, name=name or f"{parent.name or parent.base}-{id[:4]}"))


def _check_name(ws: WorkspaceFolder, name: str, id: str) -> None:
    check_given_name(name)
    for version in ws.store.documents("version", Version) if name else ():
        if name in (version.name, version.id) and version.id != id:
            raise Refused(f'The name "{name}" is taken by version {version.id}. Choose another')


def system_text(given: str) -> str:
    """The prompt given by --system: the content of a file if there is one with that name, otherwise the text itself."""
    if os.path.isfile(given):
        try:
            return Path(given).read_text(encoding="utf-8").rstrip("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"--system {given}: cannot be read as text ({error})") from error
    if given.endswith((".txt", ".md")) and not any(map(str.isspace, given)):
        raise BadInput(f"--system: the file {given} does not exist. Pass a file with the prompt, or the prompt itself")
    return given


def read_examples(file: Path) -> list[list[Item]]:
    """Examples from a JSON Lines file. Each line is a conversation: a list of messages, or an object with `messages`."""
    from verigym.wire.items import read_items

    examples: list[list[Item]] = []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"--examples {file}: cannot be read as text ({error})") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{file} line {number}"
        try:
            row = msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            raise BadInput(f"{where} is not JSON ({error}). Write one conversation per line") from error
        items = read_items(row.get("messages") if isinstance(row, dict) else row, where)
        items = [item for item in items if not (isinstance(item, Message) and item.role in ("system", "developer"))]
        if not any(not isinstance(item, Message) or item.role == "assistant" for item in items):
            raise BadInput(f"{where} has no reply of the assistant. An example is a request and its solution")
        examples.append(items)
    if not examples:
        raise BadInput(f"--examples {file}: the file has no conversation. Write one per line, as a list of messages")
    return examples


def read_skills(given: Sequence[str]) -> dict[str, str]:
    """Skills by name, from NAME=FILE arguments, or from a file whose stem is the name."""
    skills: dict[str, str] = {}
    for text in given:
        name, mark, path = text.partition("=")
        file = Path(path if mark else text)
        try:
            content = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"--skill {text}: cannot be read as text ({error}). Write FILE or NAME=FILE") from error
        if not content:
            raise BadInput(f"--skill {text}: the file is empty. Write what the agent should know")
        skills[name.strip() if mark else file.stem] = content
    return skills


def read_harness(given: Sequence[str]) -> dict[str, int]:
    """Settings of the harness, from NAME=NUMBER arguments."""
    settings: dict[str, int] = {}
    for text in given:
        name, _, number = text.partition("=")
        if name not in Harness.__struct_fields__:
            raise not_found("harness setting", name, Harness.__struct_fields__, "Write --harness NAME=NUMBER.")
        if not number.isdecimal():
            raise BadInput(f'--harness "{text}" is invalid. Write NAME=NUMBER with a whole number, such as turns=16')
        settings[name] = int(number)
    return settings


def descriptions(given: list[str], file: Path | None) -> dict[str, str]:
    """New descriptions by tool, read from TOOL=TEXT arguments and from a file."""
    texts: dict[str, str] = {}
    if file is not None:
        try:
            texts = msgspec.yaml.decode(file.read_bytes(), type=dict[str, str])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadInput(
                f"--descriptions {file}: {error}. The file must map tool names to descriptions (JSON or YAML)"
            ) from error
    for text in given:
        tool, mark, description = text.partition("=")
        if not mark or not tool.strip():
            raise BadInput(f'--describe "{text}" is invalid. Write TOOL=TEXT')
        texts[tool.strip()] = description
    return texts


def about(ws: WorkspaceFolder, version: Version) -> CardData:
    return CardData(
        version=version,
        parent=ws.store.get("version", version.parent, Version) if version.parent else None,
        reports=reports_of(ws, version),
        entries=ledger.entries(ws.store),
        data=ws.store.get("dataset", version.data_hash, Dataset) if version.data_hash else None,
    )


def shared(ws: WorkspaceFolder, first: Version, second: Version) -> list[tuple[Report, Report]]:
    """The newest reports of two versions on each suite that both were evaluated on."""
    theirs = {report.suite.hash: report for report in latest_by_suite(reports_of(ws, second))}
    mine = latest_by_suite(reports_of(ws, first))
    return [
        (report, theirs[report.suite.hash])
        for report in mine
        if report.suite.hash in theirs and ("success" in report.metrics or not report.metrics)
    ]


def common_suite(reports: Sequence[Report]) -> tuple[Suite | None, dict[str, Report]]:
    """The suite on which most versions were evaluated, and the newest report of each on it. Figures of different suites cannot
    be compared. Suites of guardrails count only if there is no other."""
    scored = [report for report in reports if "success" in report.metrics]
    scored = [report for report in scored if report.suite.environment not in GUARDS] or scored
    by_suite: dict[str, dict[str, Report]] = {}
    for report in scored:
        by_suite.setdefault(report.suite.hash, {})[report.agent] = report
    order = {report.suite.hash: number for number, report in enumerate(scored)}
    if not by_suite:
        return None, {}
    chosen = by_suite[max(by_suite, key=lambda hash: (len(by_suite[hash]), order[hash]))]
    return next(iter(chosen.values())).suite, chosen


def difference(ws: WorkspaceFolder, first: Version, second: Version) -> VersionDiff:
    """The differences of two versions. A version without its own prompt or descriptions is shown with those of the environment
    that it was evaluated in."""
    report = latest_report(ws, first, besides=GUARDS) or latest_report(ws, second, besides=GUARDS)
    if report is not None:
        with contextlib.suppress(VerigymError):  # the file may have been moved
            environment = load_environment(report.suite.environment)
            return diff(first, second, environment.system, {tool.name: tool.description for tool in environment.tools})
    return diff(first, second)
