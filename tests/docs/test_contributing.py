"""The worked example of CONTRIBUTING.md works."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"


def test_the_worked_example_passes_its_own_tests(tmp_path: Path) -> None:
    files = dict(re.findall(r"```python (\S+)\n(.*?)```", PAGE.read_text(), re.DOTALL))
    assert set(files) == {"starts_with.py", "test_starts_with.py"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1000)
    assert done.returncode == 0 and "4 passed" in done.stdout, done.stdout + done.stderr
