"""Hooks of mkdocs.yml: pages and files from outside docs/, and llms.txt for language models."""

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).parents[1]
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
"""Pages of the repository's root that are part of the site."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
"""A block that is a file of a tutorial (```python shop.py), or commands for the slow tests alone (```console slow)."""
SUMMARY = (
    "Verigym runs an agent on tasks with verifiable rewards, explains its failures, trains a better version, and promotes "
    "it only if a statistical gate finds it better and no less safe."
)
_texts: dict[str, str] = {}


def on_files(files: Files, config: Any) -> Files:
    for name in PAGES:
        page = File.generated(config, name, abs_src_path=str(ROOT / name))
        files.append(page)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Points links to files outside docs/ at a copy inside the site. A folder cannot be linked, so its name stays."""
    source = page.file.src_uri
    folder = ROOT if source in PAGES else ROOT / "docs" / Path(source).parent

    def moved(match: re.Match[str]) -> str:
        image, text, link, anchor = match[1], match[2], match[3], match[4] or ""
        target = Path(os.path.normpath(folder / link))
        if target == ROOT / "README.md":
            uri = "README.md"
        elif target.is_relative_to(ROOT / "docs"):
            uri = str(target.relative_to(ROOT / "docs"))
        else:
            uri = str(target.relative_to(ROOT))
            if uri not in PAGES:
                if not target.is_file():
                    return text
                uri = f"source/{uri}.txt"
                if files.get_file_from_path(uri) is None:
                    copy = File.generated(config, uri, content=target.read_text(), inclusion=InclusionLevel.NOT_IN_NAV)
                    files.append(copy)
        there = os.path.relpath(uri, Path(source).parent)
        return f"{image}[{text}]({there}{anchor})"

    _texts[source] = markdown
    return FENCE.sub(_titled, LINK.sub(moved, markdown))


def _titled(match: re.Match[str]) -> str:
    return f"```{match[1]}" if match[2] == "slow" else f'```{match[1]} title="{match[2]}"'


def on_nav(nav: Any, config: Any, files: Files) -> Any:
    _nav.clear()
    _nav.extend(nav.items)
    return nav


_nav: list[Any] = []


def on_post_build(config: Any) -> None:
    """Writes llms.txt, an index of the pages, and llms-full.txt, their text. Removes addresses of other servers."""
    index, whole = [f"# Verigym\n\n> {SUMMARY}\n"], []
    for section in _nav:
        pages = list(_pages(section))
        index.append(f"\n## {section.title or 'Start'}\n\n")
        index += [f"- [{page.title}]({page.url}): {_first_sentence(page)}\n" for page in pages]
        whole += [f"<!-- {page.file.src_uri} -->\n\n{_texts[page.file.src_uri].strip()}\n" for page in pages]
    site = Path(config["site_dir"])
    (site / "llms.txt").write_text("".join(index))
    (site / "llms-full.txt").write_text("\n".join(whole))
    for path in site.rglob("*.map"):
        path.unlink()
    for path in (site / "assets" / "javascripts").rglob(
        "*.js"
    ):  # for old browsers and diagrams, which are not used here
        path.write_text(path.read_text().replace("https://unpkg.com/", "/missing/"))


def _pages(item: Any) -> Any:
    if item.is_page:
        yield item
    for child in item.children or []:
        yield from _pages(child)


def _first_sentence(page: Any) -> str:
    text = re.sub(r"^```.*?^```$", "", _texts[page.file.src_uri], flags=re.MULTILINE | re.DOTALL)
    paragraphs = [part for part in text.split("\n\n") if part.strip() and not part.lstrip().startswith(("#", "!", "|"))]
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.split(r"(?<=[.])\s", " ".join(paragraphs[0].split()))[0]).rstrip(
        ":"
    )
