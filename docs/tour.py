"""Prints docs/tutorials/tour.md: every command of judgement, run for real on the workspace of a finished quickstart.

    make quickstart && cp -r .verigym /tmp/tour && python docs/tour.py /tmp/tour > docs/tutorials/tour.md

It trains one more version (a reward that pays for the wrong thing, a few minutes on two CPU cores) and makes two by hand.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

FIRST, LAST = 14, 5
"""Lines of an output that are shown. The lines between them become one line with an ellipsis."""
CHATTY = "You are a cheerful office assistant. Today is Monday. Chat with the user in full sentences about what you would do."
STOPS: list[tuple[str, list[str]]] = [
    (
        "How good is it, on tasks it never saw?",
        [
            "eval toolcall -m smollm2-135m -n 240 --max-tokens 48",
            "eval toolcall -m grpo -n 240 --max-tokens 48 --by tag",
            "suites",
        ],
    ),
    ("Why does it fail?", ["explain {base_run}", "explain {tuned_run}"]),
    (
        "What is the lightest thing to try? For the base, a prompt or a constraint, then SFT; after SFT, GRPO.",
        [
            "check toolcall",
            "advise {base_run} --try",
            "rollout toolcall -m sft -n 48 -k 8 --max-tokens 48",
            "advise latest",
        ],
    ),
    ("Can the reward be trusted?", ["audit run toolcall {tuned_run}"]),
    ("Is the new version really better?", ["compare smollm2-135m grpo --flips 2", "models diff sft grpo"]),
    (
        "May it ship? The quickstart asked by the quick policy; the default one has more tasks and narrower margins.",
        ["gate grpo --champion smollm2-135m"],
    ),
    (
        "A reward that pays for short calls, of which a refusal is the shortest: reward rises, and the gate says why not.",
        [
            "train examples/short_calls.yaml start=sft",
            'eval toolcall -m "short calls" -n 240 --max-tokens 48',
            'gate "short calls" --champion sft --policy quick',
        ],
    ),
    (
        "A prompt is a version, too. Somebody had a chatty one promoted against the gate; the plain one wins it back.",
        [
            "models new chatty --parent grpo --system {chatty}",
            "eval toolcall -m chatty -n 240 --max-tokens 48",
            'promote chatty --override "people like it chatty"',
            "gate grpo --policy quick",
            "promote grpo --policy quick",
            "rollback",
            'rollback grpo --why "the chatty one was a mistake"',
            "models diff chatty grpo",
            "models ledger",
            "models verify",
        ],
    ),
]


def main() -> None:
    home = Path(sys.argv[1]).resolve()
    chatty = home / "chatty.txt"
    chatty.write_text(CHATTY)
    names = {"chatty": str(chatty), **runs(home)}
    print(
        "# A tour of judgement\n\nMade by `python docs/tour.py`: what the commands print, on the versions of a quickstart "
        "(another one than in\n[quickstart.md](quickstart.md): its figures are its own)."
    )
    for title, commands in STOPS:
        print(f"\n## {title}\n", flush=True)
        for command in commands:
            words = [part.format(**names) for part in shlex.split(command)]
            done = subprocess.run(
                [sys.executable, "-m", "verigym.cli.main", *words],
                env={**os.environ, "VERIGYM_HOME": str(home)},
                capture_output=True,
                text=True,
            )
            said = (done.stdout + done.stderr).replace(str(home), ".verigym").rstrip()
            lines = said.splitlines()
            if len(lines) > FIRST + LAST:
                said = "\n".join([*lines[:FIRST], "…", *lines[-LAST:]])
            code = f"\n[exit code {done.returncode}]" if done.returncode else ""
            print(f"```\n$ verigym {shlex.join(words).replace(str(home), '.verigym')}\n{said}{code}\n```\n", flush=True)


def runs(home: Path) -> dict[str, str]:
    """The quickstart's evaluations of its base and of its last version."""
    from verigym.core.records import Report, Version
    from verigym.workspace.workspace import WorkspaceFolder

    ws = WorkspaceFolder(home)
    names = {version.id: version.name for version in ws.store.documents("version", Version)}
    of = {
        names.get(report.agent): report.run
        for report in ws.store.documents("report", Report)
        if report.suite.environment == "toolcall"
    }
    return {"base_run": of["smollm2-135m"], "tuned_run": of["grpo"]}


if __name__ == "__main__":
    main()
