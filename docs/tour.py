"""Prints docs/tutorials/tour.md: the commands that measure and decide, run on the workspace of a finished quickstart.

    make quickstart && cp -r .verigym /tmp/tour && python docs/tour.py /tmp/tour > docs/tutorials/tour.md

It trains one more version (a reward that pays for the wrong thing, a few minutes on two CPU cores) and makes two by hand.
"""

import os
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

FIRST, LAST, LAST_OF_GATE = 8, 3, 13
"""Lines of an output that are shown. The lines between them become one line with an ellipsis."""
CHATTY = "You are a cheerful assistant. Chat with the user in full sentences about the note."
STOPS: list[tuple[str, str, list[str]]] = [
    (
        "How good is it?",
        "The trained version on all held-out questions, and how often each held-out suite was used.",
        ["eval notes -m grpo --max-tokens 16 --by tag", "suites"],
    ),
    ("Why does it fail?", "Each failure belongs to a bucket and to a cluster.", ["explain {tuned_run}"]),
    (
        "What is the cheapest fix?",
        "The advice for the base model, from its evaluation alone, and from several tries at each training question.",
        [
            "advise {base_run} --try",
            "rollout notes -m smollm2-135m -n 48 -k 8 --max-tokens 16",
            "advise latest",
        ],
    ),
    ("Can the reward be trusted?", "The audit tests the verifier itself.", ["audit run notes {tuned_run}"]),
    (
        "Is the new version better?",
        "The comparison is paired by task.",
        ["compare smollm2-135m grpo --flips 2"],
    ),
    (
        "May it ship?",
        "The quickstart used the quick policy. The default policy has narrower margins and therefore needs more tasks.",
        ["gate grpo --champion smollm2-135m --dry-run", "gate grpo --champion smollm2-135m"],
    ),
    (
        "A bad reward",
        "This reward only asks that the answer is somewhere in the reply. The reward rises, and the right answers get fewer. "
        "`-e notes` asks the gate to judge by the verifier of `notes`, not by the reward that was trained on.",
        [
            "train examples/contains.yaml start=grpo",
            "eval notes -m contains -n 100 --max-tokens 16 | head -4",
            "gate contains --champion grpo --policy quick -e notes",
        ],
    ),
    (
        "A prompt is a version too",
        "A version can differ in its prompt alone. This prompt changes little, because the adapter learnt the short form.",
        [
            "models new chatty --parent grpo --system {chatty}",
            "eval notes -m chatty -n 100 --max-tokens 16 | head -4",
        ],
    ),
    (
        "Against the gate, and back",
        "Someone promotes the version with the bad reward against the gate. Then the earlier version wins it back.",
        [
            'promote contains --override "people like long answers"',
            "promote grpo --policy quick",
            "rollback",
            'rollback grpo --why "the long answers were a mistake"',
            "models ledger | tail -6",
            "models check-integrity | tail -3",
        ],
    ),
]
HEAD = """# A tour of evaluation and the gate

`python docs/tour.py` made this page. It shows what the commands print after [the quickstart](quickstart.md), on a
machine that was busy with other work. `…` replaces lines that are left out."""


def main() -> None:
    home = Path(sys.argv[1]).resolve()
    chatty = home / "chatty.txt"
    chatty.write_text(CHATTY)
    names = {"chatty": str(chatty), **runs(home)}
    print(HEAD)
    for title, words, commands in STOPS:
        print(f"\n## {title}\n\n{textwrap.fill(words, 118)}\n", flush=True)
        for command in commands:
            typed, pipe, part = command.partition(" | ")
            arguments = [word.format(**names) for word in shlex.split(typed)]
            done = subprocess.run(
                [sys.executable, "-m", "verigym.cli.main", *arguments],
                env={**os.environ, "VERIGYM_HOME": str(home)},
                capture_output=True,
                text=True,
            )
            said = (done.stdout or done.stderr).replace(str(home), ".verigym").rstrip()
            lines = said.splitlines()
            if pipe:  # `| head -4` or `| tail -3`
                count = int(part.split("-")[1])
                said = "\n".join(lines[:count] if part.startswith("head") else lines[-count:])
            elif len(lines) > FIRST + (last := LAST_OF_GATE if typed.startswith("gate ") else LAST):
                said = "\n".join([*lines[:FIRST], "…", *lines[-last:]])
            code = f"\n[exit code {done.returncode}]" if done.returncode else ""
            shown = f"$ verigym {shlex.join(arguments).replace(str(home), '.verigym')}{pipe}{part}"
            print(f"```\n{shown}\n{said}{code}\n```\n", flush=True)


def runs(home: Path) -> dict[str, str]:
    """The quickstart's evaluations of its base and of its last version."""
    from verigym.core.records import Report, Version
    from verigym.workspace.workspace import WorkspaceFolder

    ws = WorkspaceFolder(home)
    names = {version.id: version.name for version in ws.store.documents("version", Version)}
    of = {
        names.get(report.agent): report.run
        for report in ws.store.documents("report", Report)
        if report.suite.environment == "notes"
    }
    return {"base_run": of["smollm2-135m"], "tuned_run": of["grpo"]}


if __name__ == "__main__":
    main()
