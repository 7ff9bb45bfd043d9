"""Finds the page of anything by its name: a run, a version, a trajectory, a report, a decision.

`verigym view WHAT` and the search box use it. A prefix is enough where only one thing begins with it.
"""

from verigym.core.errors import NotFound
from verigym.view.keyset import row_number
from verigym.view.page import Link, url
from verigym.view.read import Reader

_MOST = 20


def page_of(reader: Reader, text: str) -> str:
    """The address of the one thing that has this name. Raises `NotFound` with what is near it."""
    found = matches(reader, text)
    if not found:
        raise NotFound(
            f'Nothing in this workspace is named "{text}". Name a run, a version, a trajectory, a report or gate/NUMBER. '
            "List them: verigym runs list and verigym models list"
        )
    exact = [link for link in found if link.words == text]
    if len(found) > 1 and len(exact) != 1:
        some = ", ".join(link.words for link in found[:6])
        raise NotFound(f'"{text}" matches several things: {some}. Write more of it')
    return (exact or found)[0].href


def matches(reader: Reader, text: str) -> list[Link]:
    """Everything whose id or name begins with the text, at most 20 of each kind. Exact names come first."""
    text = text.strip()
    if not text:
        return []
    found = [*_special(reader, text), *_versions(reader, text)]
    for table, path in (("runs", "/runs/"), ("trajectories", "/t/")):
        for (id,) in reader.rows(
            f"SELECT id FROM {table} WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", text, _after(text), _MOST
        ):
            found.append(Link(id, url(_run_path(reader, id) if table == "runs" else path, id)))
    reports = (
        "SELECT id, json_extract(body, '$.run') FROM documents WHERE kind = 'report' AND id >= ? AND id < ? LIMIT ?"
    )
    for id, run in reader.rows(reports, text, _after(text), _MOST):
        found.append(Link(id, url("/runs/", run)))
    return sorted(dict.fromkeys(found), key=lambda link: link.words != text)


def _special(reader: Reader, text: str) -> list[Link]:
    number = row_number(text.removeprefix("gate/"))
    if number is not None and reader.one("SELECT 1 FROM ledger WHERE seq = ?", number):
        return [Link(f"gate/{number}", url("/gate/", str(number)))]
    if text == "champion" and reader.champion():
        return [Link("champion", url("/versions/", reader.champion()))]
    if text == "latest":
        newest = reader.one("SELECT id FROM runs WHERE parent = '' ORDER BY rowid DESC LIMIT 1")
        return [Link("latest", url(_run_path(reader, newest), newest))] if newest else []
    return []


def _versions(reader: Reader, text: str) -> list[Link]:
    known = [version for version in reader.versions().values() if text in (version.name, version.id)]
    known = known or [
        version
        for version in reader.versions().values()
        if version.id.startswith(text) or version.name.startswith(text)
    ]
    newest: dict[str, str] = {version.label: version.id for version in known}
    return [Link(label, url("/versions/", id)) for label, id in newest.items()][:_MOST]


def _run_path(reader: Reader, run: str) -> str:
    return "/training/" if reader.one("SELECT kind FROM runs WHERE id = ?", run) == "train" else "/runs/"


def _after(text: str) -> str:
    """The first text that no longer begins with `text`."""
    code = min(ord(text[-1]) + 1, 0x10FFFF)
    return text[:-1] + chr(0xE000 if 0xD800 <= code <= 0xDFFF else code)  # between them is no character
