"""serve: answer as the champion, a version or another server behind an OpenAI-compatible API, and capture traces."""

from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import complete, show
from verigym.cli.options import Home, Price, Rules, prices_of, workspace
from verigym.core.errors import BadInput
from verigym.core.records import Version

if TYPE_CHECKING:
    from verigym.servers.gateway import Gateway


def serve(
    version: Annotated[
        str,
        typer.Argument(
            metavar="[VERSION]",
            help="Version to serve: id, name, smollm2-135m, a hub id, a folder or a named server. "
            "Default: the champion, following promotions and rollbacks",
            autocompletion=complete.models,
        ),
    ] = "",
    upstream: Annotated[
        str,
        typer.Option(
            "--upstream",
            help="Server (URL#MODEL or a name) that answers: vLLM, SGLang, NIM or OpenAI. Requests are forwarded and "
            "captured. ?key_env=NAME after it names the variable that holds its key (default: OPENAI_API_KEY)",
            autocompletion=complete.servers,
        ),
    ] = "",
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on. Any address but loopback requires --key-env")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen on (0: a free one)")] = 8400,
    canary: Annotated[
        str,
        typer.Option(
            "--canary",
            help="Candidate version that answers a share of the conversations",
            autocompletion=complete.versions,
        ),
    ] = "",
    share: Annotated[float, typer.Option("--share", min=0, max=1, help="Share of conversations for --canary")] = 0.1,
    key_env: Annotated[
        str,
        typer.Option("--key-env", help="Variable that holds the API keys of clients, separated by commas"),
    ] = "",
    max_body: Annotated[float, typer.Option("--max-body", min=0.001, help="Maximum size of a request in MiB")] = 10.0,
    rate: Annotated[
        float, typer.Option("--rate", min=0, help="Maximum requests per minute and key or address (0: no limit)")
    ] = 0.0,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Timeout of an answer in seconds")] = 600.0,
    queue: Annotated[
        int, typer.Option("--queue", min=1, help="Maximum requests at once, including waiting ones")
    ] = 1000,
    no_capture: Annotated[bool, typer.Option("--no-capture", help="Store no traces")] = False,
    capture_rate: Annotated[
        float, typer.Option("--capture-rate", min=0, max=1, help="Share of conversations to capture")
    ] = 1.0,
    keep_days: Annotated[
        int | None,
        typer.Option("--keep-days", min=1, help="Days after which captured traces are deleted (default: never)"),
    ] = None,
    rules: Rules = None,
    price: Price = "",
    home: Home = None,
) -> None:
    """Serve an agent as Chat Completions and Responses, and capture the conversations as traces. Ctrl-C stops it."""
    try:
        from verigym.servers import serve as serving
    except ModuleNotFoundError as error:
        raise BadInput(
            f"This command needs {error.name}, which the base install leaves out. Run: pip install 'verigym[serve]'"
        ) from error
    from verigym.servers.admission import Admission, AdmissionLimits, keys_from
    from verigym.servers.gateway import Gateway
    from verigym.traces.capture import Capture
    from verigym.traces.redaction import Redaction

    keys = keys_from(key_env, host)
    ws = workspace(home).folder
    redaction, prices = Redaction.load(rules), prices_of(price)
    served, server_keys = serving.served_version(ws, version, upstream)
    candidate = ws.agent(canary) if canary else None
    listening = serving.listen(host, port)
    show.say(f"opening {_label(served) if served else 'the champion'} ...")
    router = serving.open_router(ws, served, server_keys=server_keys, canary=candidate, share=share, say=show.say)
    capture = None if no_capture else Capture(ws.home, redaction, rate=capture_rate, keep_days=keep_days, say=show.say)
    limits = AdmissionLimits(body=int(max_body * 2**20), seconds=timeout, queue=queue, rate=rate)
    gateway = Gateway(router, Admission(limits, keys), capture=capture, prices=prices, say=show.say)
    _say_serving(gateway, serving.url_of(listening), redaction.name)
    serving.run_gateway(gateway, listening, capture)
    _say_end(gateway)


def _say_serving(gateway: "Gateway", url: str, redaction: str) -> None:
    router = gateway.router
    follows = "the champion, following promotions and rollbacks" if router.follows else "this version"
    show.say(f"serving {_label(router.champion.version)} at {url}/v1: {follows}")
    if router.canary is not None:
        show.say(f"canary {_label(router.canary.version)}: {100 * router.share:g}% of conversations")
    if gateway.recorder.capture is None:
        show.say("capture is off")
    else:
        show.say(f"capturing runs traces-served-DAY, redacted by {redaction}")
    model = router.models()[0][0]
    key = ' -H "Authorization: Bearer $KEY"' if gateway.admission.keys else ""
    body = f'{{"model": "{model}", "messages": [{{"role": "user", "content": "Hello"}}]}}'
    show.next_command(f"curl {url}/v1/chat/completions{key} -d '{body}'")


def _say_end(gateway: "Gateway") -> None:
    answers = sum(gateway.recorder.metrics.answers.values())
    exchanges = gateway.recorder.captured()
    counts = [f"{count} {state}" for state, count in exchanges.items() if count]
    show.say(f"\nstopped after {answers} answers" + (f". Exchanges: {', '.join(counts)}" if counts else ""))
    if exchanges.get("captured"):
        show.next_command("verigym runs")


def _label(version: Version) -> str:
    return f"{version.name} ({version.id})" if version.name else version.id
