"""The application: routes, pages in a few threads, errors as pages, static files, forms.

A page is built in a thread, because reading SQLite blocks. Four threads are enough: the database is the limit, and each thread
has a connection of its own.
"""

import importlib
import sys
import traceback
import urllib.parse
from collections.abc import Awaitable, Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from verigym.core.errors import BadInput, InfrastructureFailure, NotFound, Refused, VerigymError
from verigym.core.printable import warn
from verigym.view import pages, render
from verigym.view.door import Door, DoorSettings, Refusal
from verigym.view.events import Events
from verigym.view.forms import Form, FormData, Next
from verigym.view.page import FileData, Page, PageData, Query
from verigym.view.read import Reader

_THREADS = 4
_STATUS: tuple[tuple[type[BaseException], int], ...] = (
    (NotFound, 404),
    (BadInput, 400),
    (Refused, 409),
    (InfrastructureFailure, 503),
)
_THEMES = ("light", "dark")
_WHO = "who"
"""The cookie with the name of the person who labels and reviews."""
_WHO_S = 365 * 24 * 3600


class ErrorPage(PageData, frozen=True, kw_only=True):
    """What went wrong, and what to do."""

    status: int
    words: str
    number: str = ""
    """To find the traceback in the terminal."""


class View:
    """One workspace as pages."""

    def __init__(self, home: Path, settings: DoorSettings, named: Path | None = None) -> None:
        self.settings, self.named = settings, named
        self.reader = Reader(home)
        self.events = Events(self.reader)
        self._errors = 0
        self._limiter: anyio.CapacityLimiter | None = None
        self._routed: Any = None

    @cached_property
    def _modules(self) -> list[Any]:
        return [importlib.import_module(f"verigym.view.pages.{name}") for name in pages.MODULES]

    @cached_property
    def pages(self) -> list[Page]:
        """Every page. Importing them takes longer than starting the server, so they are imported while it listens."""
        return [page for module in self._modules for page in module.PAGES]

    @cached_property
    def forms(self) -> list[Form]:
        return [form for module in self._modules for form in getattr(module, "FORMS", [])]

    def stop(self) -> None:
        """Ends the streams of events and the processes of environments. A server that stops waits for its open connections, so
        call this first."""
        self.events.stop()
        self.reader.workers.stop()

    def close(self) -> None:
        self.events.stop()
        self.reader.close()

    def app(self) -> Any:
        """The ASGI application, with the door around it."""
        self.door = Door(GZipMiddleware(self._answer, minimum_size=1000, compresslevel=5), self.settings, self._refused)
        return self.door

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers with the routes. The first request waits until the pages are imported."""
        if self._routed is None:
            self._routed = await self.in_thread(self._make_routes)
        await self._routed(scope, receive, send)

    def _make_routes(self) -> Starlette:
        routes = [Route(page.path, self._page(page), methods=["GET"]) for page in self.pages]
        routes += [Route(form.path, self._form(form), methods=["POST"]) for form in self.forms]
        routes += [
            Route("/static/{hash}/{name:path}", self._static, methods=["GET"]),
            Route("/events", self.events.answer, methods=["GET"]),
            Route("/enter", self._enter, methods=["POST"]),
        ]
        routes.sort(key=lambda route: route.path.count("{"))  # fixed paths first
        return Starlette(routes=routes, exception_handlers={HTTPException: self._http_error})

    # -- requests ---------------------------------------------------------------------------------------------------

    async def in_thread(self, work: Callable[[], Any]) -> Any:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_THREADS)
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)

    def _page(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            query = _query(request)

            def work() -> Response:
                with self.reader.one_page():
                    data = page.build(self.reader, query)
                if isinstance(data, FileData):
                    return Response(data.body, status_code=data.status, media_type=data.kind, headers=data.headers)
                if query.get("format") == "json":
                    return Response(render.json(data), media_type="application/json")
                return self._html(request, page.template, data, data.section or page.section)

            return await self._guarded(request, work)

        return answer

    def _form(self, form: Form) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            body = (await request.body()).decode(errors="replace")
            fields = dict(urllib.parse.parse_qsl(body, keep_blank_values=True))
            data = FormData(_query(request), fields)

            def work() -> Response:
                written = form.write(self.reader, data)
                address, who = written if isinstance(written, Next) else (written, "")
                response = RedirectResponse(address, status_code=303)
                if who:
                    response.headers["set-cookie"] = self._cookie_of(who)
                return response

            return await self._guarded(request, work)

        return answer

    def _cookie_of(self, who: str) -> str:
        secure = "; Secure" if self.settings.secure else ""
        name = urllib.parse.quote(who, safe="", errors="replace")
        return f"{_WHO}={name}; Path=/; HttpOnly; SameSite=Lax; Max-Age={_WHO_S}{secure}"

    async def _guarded(self, request: Request, work: Callable[[], Response]) -> Response:
        """Errors of a page become pages. Words of data in them are escaped like all else."""
        try:
            return await self.in_thread(work)
        except VerigymError as error:
            status = next((status for kind, status in _STATUS if isinstance(error, kind)), 400)
            return self._error(request, status, str(error))
        except Exception:
            self._errors += 1
            number = f"{self._errors}"
            warn(f"view: error {number} at {request.url.path}")
            traceback.print_exc(file=sys.stderr)
            words = (
                f"This page failed. That is a bug in verigym. The terminal of verigym view shows it as error {number}"
            )
            return self._error(request, 500, words, number)

    def _html(self, request: Request, template: str, data: PageData, section: str, status: int = 200) -> Response:
        theme = request.cookies.get("theme", "")
        around = {
            "section": section,
            "theme": theme if theme in _THEMES else "",
            "home": str(self.reader.home),
            "read_only": self.settings.read_only,
            "address": request.url.path,
            "here": {name: value for name, value in request.query_params.items() if name != "format"},
            "as_json": _as_json(request),
        }
        render.NAMED.set(self.named)
        return HTMLResponse(render.html(template, data, **around), status_code=status)

    def _error(self, request: Request, status: int, words: str, number: str = "") -> Response:
        data = ErrorPage(title="Not found" if status == 404 else "Error", status=status, words=words, number=number)
        if request.query_params.get("format") == "json":
            return Response(render.json(data), status_code=status, media_type="application/json")
        return self._html(request, "error.html", data, "", status)

    async def _http_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        words = "There is no such page" if error.status_code == 404 else str(error.detail)
        return self._error(request, error.status_code, words)

    # -- the door ---------------------------------------------------------------------------------------------------

    async def _refused(self, scope: Any, refusal: Refusal, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        if refusal.status == 401:
            data = ErrorPage(title="Enter", status=401, words=refusal.words)
            response = HTMLResponse(render.html("enter.html", data, theme="", wrong=False), status_code=401)
        elif request.query_params.get("format") == "json":
            response = self._error(request, refusal.status, refusal.words)
        else:  # whoever is not let in sees nothing of the workspace, not even its path
            data = ErrorPage(title="Refused", status=refusal.status, words=refusal.words)
            response = HTMLResponse(render.html("refused.html", data), status_code=refusal.status)
        await response(scope, receive, send)

    async def _enter(self, request: Request) -> Response:
        fields = dict(urllib.parse.parse_qsl((await request.body()).decode(errors="replace")))
        key = fields.get("key", "")
        if not self.door.opens(key):
            data = ErrorPage(title="Enter", status=403, words="This key does not open the view")
            return HTMLResponse(render.html("enter.html", data, theme="", wrong=True), status_code=403)
        return Response(status_code=303, headers={"location": "/", "set-cookie": self.door.cookie_for(key)})

    async def _static(self, request: Request) -> Response:
        found = render.static_files().get(request.path_params["name"])
        if found is None or request.path_params["hash"] != render.static_hash():
            return Response(status_code=404)
        body, kind = found
        return Response(body, media_type=kind, headers={"cache-control": "public, max-age=31536000, immutable"})


def _query(request: Request) -> Query:
    who = urllib.parse.unquote(request.cookies.get(_WHO, ""), errors="replace")
    return Query(request.path_params, dict(request.query_params), who)


def _as_json(request: Request) -> str:
    """The address of the same page as JSON."""
    given = {name: value for name, value in request.query_params.items() if name != "format"}
    query = urllib.parse.urlencode({**given, "format": "json"}, errors="surrogatepass")
    return f"{urllib.parse.quote(request.url.path, safe='/%')}?{query}"
