"""The documentation site builds without warnings, loads nothing from other servers, and has an index for language models."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_no_page_loads_anything_from_another_server(site: Path) -> None:
    loads = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>")
    remote = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^)]*")
    assert [(page.name, found) for page in site.rglob("*.html") for found in loads.findall(page.read_text())] == []
    assert [page.name for page in site.rglob("*.js") if "unpkg.com" in page.read_text()] == []
    assert [(page.name, found) for page in site.rglob("*.css") for found in remote.findall(page.read_text())] == []


def test_every_block_of_code_is_shown_as_one(site: Path) -> None:
    assert [page.name for page in site.rglob("*.html") if "<p>```" in page.read_text()] == []
    assert '<span class="filename">letters.py</span>' in (site / "tutorials" / "judge.html").read_text()


def test_the_site_can_be_searched(site: Path) -> None:
    assert "held-out" in (site / "search" / "search_index.json").read_text()


def test_language_models_get_an_index_and_the_whole_text(site: Path) -> None:
    index, whole = (site / "llms.txt").read_text(), (site / "llms-full.txt").read_text()
    links = re.findall(r"\]\(([^)]+)\)", index)
    assert len(links) > 35 and [link for link in links if not (site / link).exists()] == []
    assert "# Glossary" in whole and len(whole) > 100_000
