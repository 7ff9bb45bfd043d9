"""serve: the champion, a version or another server behind an OpenAI-compatible address, captured."""

import contextlib
import signal
import socket
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from verigym.cli import show
from verigym.cli.options import Home, Price, prices_of, workspace
from verigym.core.errors import BadInput
from verigym.core.records import Version

_KEPT_ALIVE_S = 75
_GRACE_S = 30
"""How long requests under way may take to end after Ctrl-C; a second one does not wait."""


def register(app: typer.Typer) -> None:
    app.command()(serve)


def serve(
    version: Annotated[
        str,
        typer.Argument(
            help="What answers: a version (id, name), smollm2-135m, a hub id, a folder. Without it the champion, "
            "through promotion and rollback"
        ),
    ] = "",
    upstream: Annotated[
        str,
        typer.Option(
            "--upstream",
            help="URL#MODEL of a server (vLLM, SGLang, NIM, OpenAI) that answers: requests are handed on to it and captured; "
            "?key_env=NAME after it names the variable with its key (default OPENAI_API_KEY)",
        ),
    ] = "",
    host: Annotated[str, typer.Option("--host", help="Address; any but loopback demands --key-env")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 for a free one")] = 8400,
    canary: Annotated[str, typer.Option("--canary", help="A candidate that answers a share of the conversations")] = "",
    share: Annotated[float, typer.Option("--share", min=0, max=1, help="Of conversations, for --canary")] = 0.1,
    key_env: Annotated[
        str, typer.Option("--key-env", help="Variable with the API key that clients send; several with commas between")
    ] = "",
    max_body: Annotated[float, typer.Option("--max-body", min=0.001, help="MiB of one request")] = 10.0,
    rate: Annotated[
        float, typer.Option("--rate", min=0, help="Requests a minute of one key, or address; 0 for any number")
    ] = 0.0,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds for one answer")] = 600.0,
    queue: Annotated[
        int, typer.Option("--queue", min=1, help="Requests in work at once, waiting ones included")
    ] = 1000,
    no_capture: Annotated[bool, typer.Option("--no-capture", help="Keep nothing of what goes through")] = False,
    capture_rate: Annotated[
        float, typer.Option("--capture-rate", min=0, max=1, help="Share of conversations that are kept")
    ] = 1.0,
    keep_days: Annotated[
        int | None, typer.Option("--keep-days", min=1, help="Delete what is older; default: keep all")
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option(
            "--rules", help="YAML of more to redact: names and regular expressions (see docs/how-to/capture.md)"
        ),
    ] = None,
    price: Price = "",
    home: Home = None,
) -> None:
    """Serve an agent as Chat Completions and Responses, and keep what goes through as traces. Ctrl-C ends it."""
    try:
        import uvicorn

        from verigym.servers.app import make_app
    except ModuleNotFoundError as error:
        raise BadInput(
            f"this needs {error.name}, which the base install leaves out: pip install 'verigym[serve]'"
        ) from error
    from verigym.servers.admission import Admission, AdmissionLimits, keys_from
    from verigym.servers.gateway import Gateway
    from verigym.servers.routing import ModelPool, Router
    from verigym.traces.capture import Capture
    from verigym.traces.redaction import Redaction

    keys = keys_from(key_env, host)
    ws = workspace(home)
    redaction = Redaction.load(rules)
    fixed, server_keys = _named(ws, version, upstream)
    candidate = ws.agent(canary) if canary else None
    listening = _listen(host, port)
    show.say(f"opening {_words(fixed) if fixed else 'the champion'} ...")
    router = Router(
        ws,
        fixed=fixed,
        canary=candidate,
        share=share if candidate else 0.0,
        pool=ModelPool(ws, server_keys),
        say=show.say,
    )
    for _, one in router.roles():
        ws.register(one)
    capture = None if no_capture else Capture(ws.home, redaction, rate=capture_rate, keep_days=keep_days, say=show.say)
    limits = AdmissionLimits(body=int(max_body * 2**20), seconds=timeout, queue=queue, rate=rate)
    gateway = Gateway(router, Admission(limits, keys), capture=capture, prices=prices_of(price), say=show.say)
    address = listening.getsockname()
    _tell(gateway, f"http://{f'[{address[0]}]' if ':' in address[0] else address[0]}:{address[1]}", redaction.name)
    settings = uvicorn.Config(
        make_app(gateway),
        log_level="error",
        access_log=False,
        timeout_keep_alive=_KEPT_ALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
    )
    try:
        with _ended_like_ctrl_c():
            uvicorn.Server(settings).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        if capture is not None:
            capture.close()
        listening.close()
    _sum_up(gateway)


def _named(ws: Any, version: str, upstream: str) -> tuple[Version | None, dict[str, str]]:
    """The version that is asked for, none for the champion; and variables with keys of servers."""
    if version and upstream:
        raise BadInput("name a version or --upstream, one of them: a server that answers is a version of its own")
    if upstream and not upstream.startswith(("http://", "https://")):
        raise BadInput(f'--upstream "{upstream}": write URL#MODEL, such as http://localhost:8000/v1#qwen')
    given = upstream or version
    if not given or given == "champion":
        return None, {}
    found = ws.agent(given)
    options = dict(urllib.parse.parse_qsl(given.partition("#")[2].partition("?")[2]))
    return found, {found.base: options["key_env"]} if options.get("key_env") else {}


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(
        family, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # named, or asyncio leaves answers to Nagle's 40 ms
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(2048)
    except OSError as error:
        made.close()
        words = error.strerror or str(error)
        raise BadInput(f"{host}:{port} cannot be listened on ({words}); give another --port or --host") from error
    return made


@contextlib.contextmanager
def _ended_like_ctrl_c() -> Iterator[None]:
    """SIGTERM, by which services are ended, ends it as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _tell(gateway: Any, url: str, redaction: str) -> None:
    router = gateway.router
    follows = "the champion, through promotion and rollback" if router.follows else "this version"
    show.say(f"serving {_words(router.champion.version)} at {url}/v1: {follows}")
    if router.canary is not None:
        show.say(f"canary {_words(router.canary.version)}: {100 * router.share:g}% of conversations")
    capture = gateway.recorder.capture
    if capture is None:
        show.say("nothing is captured")
    else:
        show.say(f"captured, redacted by {redaction}, as runs traces-served-DAY")
    model = router.models()[0][0]
    key = ' -H "Authorization: Bearer $KEY"' if gateway.admission.keys else ""
    body = f'{{"model": "{model}", "messages": [{{"role": "user", "content": "Hello"}}]}}'
    show.next_command(f"curl {url}/v1/chat/completions{key} -d '{body}'")


def _sum_up(gateway: Any) -> None:
    answered = sum(gateway.recorder.metrics.answers.values())
    kept = gateway.recorder.captured()
    more = [f"{count} {what}" for what, count in kept.items() if count]
    show.say(f"\nended: {answered} answers" + (f"; exchanges: {', '.join(more)}" if more else ""))
    if kept.get("captured"):
        show.next_command("verigym runs")


def _words(version: Version) -> str:
    return f"{version.name} ({version.id})" if version.name else version.id
