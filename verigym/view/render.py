"""Templates: Jinja2 with escaping everywhere, and the functions that templates may call.

No template marks anything as safe HTML. Pictures are the one exception: `draw.svg.Drawing` is made by our own code, which
escapes every text in it.
"""

import contextvars
import functools
import hashlib
from pathlib import Path
from typing import Any

import jinja2
import msgspec

from verigym.core.printable import visible
from verigym.core.typed import with_home
from verigym.core.words import counted, dollars, duration, figure, percent, points, size
from verigym.view import text
from verigym.view.page import NAVIGATION, PageData, url

FOLDER = Path(__file__).parent
_STATIC = FOLDER / "static"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain"}


@functools.cache
def static_files() -> dict[str, tuple[bytes, str]]:
    """Every static file with its type, by its path in the folder."""
    files = sorted(path for path in _STATIC.rglob("*") if path.suffix in _TYPES)
    return {str(path.relative_to(_STATIC)): (path.read_bytes(), _TYPES[path.suffix]) for path in files}


@functools.cache
def static_hash() -> str:
    """Hash of all static files. It is in their addresses, so that a browser keeps them until they change."""
    digest = hashlib.sha256()
    for name, (body, _) in static_files().items():
        digest.update(name.encode() + b"\0" + body)
    return digest.hexdigest()[:12]


def static(name: str) -> str:
    """The address of a static file."""
    assert name in static_files(), name
    return f"/static/{static_hash()}/{name}"


NAMED: contextvars.ContextVar[Path | None] = contextvars.ContextVar("named", default=None)
"""The workspace as `verigym view` was given it with --home. None for the default."""


def _typed_here(text: str) -> str:
    """A command as it works in the folder in which the view was started."""
    return text if "--home" in text else with_home(text, NAMED.get())


def _shown(value: Any) -> Any:
    """Every text of a page passes here: no character in it stays hidden. `pieces` shows the same as chips."""
    return visible(value) if type(value) is str else value


@functools.cache
def templates() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_shown,
    )
    made.globals.update(url=url, static=static, navigation=NAVIGATION, pieces=text.pieces, left_out=text.left_out)
    made.filters.update(
        ago=text.ago,
        typed_here=_typed_here,
        clip=text.clip,
        counted=counted,
        dollars=dollars,
        duration=duration,
        figure=figure,
        moment=text.moment,
        percent=percent,
        points=points,
        pretty=text.pretty,
        size=size,
    )
    return made


def html(template: str, data: PageData, **around: Any) -> str:
    """A page. `around` is what the layout needs besides the struct."""
    return templates().get_template(template).render(page=data, **around)


def json(data: Any) -> bytes:
    return msgspec.json.encode(data, enc_hook=str)
