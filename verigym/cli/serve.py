"""serve: answer as the champion, a version or another server behind an OpenAI-compatible API, and capture traces."""

from typing import TYPE_CHECKING, Annotated

import typer

from verigym.cli import complete, show
from verigym.cli.options import FeedbackOption, Home, Price, Rules, env_option, prices_of, workspace
from verigym.core.records import Version
from verigym.core.words import counted

if TYPE_CHECKING:
    from verigym.servers.gateway import Gateway


def serve(
    version: Annotated[
        str,
        typer.Argument(
            metavar="VERSION",
            help="Version to serve: id, name, smollm2-135m, a Hugging Face model id, a folder or a named server. "
            "Default: the champion, following promotions and rollbacks",
            autocompletion=complete.models,
        ),
    ] = "",
    upstream: Annotated[
        str,
        typer.Option(
            "--upstream",
            help="Server to forward requests to: URL#MODEL or a named server (vLLM, SGLang, NIM or OpenAI). Requests are "
            "captured. The API key is read from OPENAI_API_KEY. Append ?key_env=NAME to read another environment variable",
            autocompletion=complete.servers,
        ),
    ] = "",
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on. Any address except loopback requires --key-env")
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
        typer.Option("--key-env", help="Environment variable that holds the API keys of clients, separated by commas"),
    ] = "",
    max_body: Annotated[float, typer.Option("--max-body", min=0.001, help="Maximum size of a request in MiB")] = 10.0,
    rate: Annotated[
        float,
        typer.Option(
            "--rate",
            min=0,
            help="Maximum requests per minute for each API key, or for each address without keys (0: no limit)",
        ),
    ] = 0.0,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Maximum seconds per reply")] = 600.0,
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
    environments: Annotated[
        list[str] | None,
        env_option("Environment of yours in which agents may open episodes (POST /v1/episodes). Repeatable"),
    ] = None,
    feedback: FeedbackOption = None,
    rules: Rules = None,
    price: Price = "",
    home: Home = None,
) -> None:
    """Serve an agent over the Chat Completions and Responses APIs, and capture the conversations as traces.
    Ctrl-C stops it."""
    server = workspace(home, create=True).serve(
        version,
        upstream=upstream,
        host=host,
        port=port,
        canary=canary,
        share=share,
        key_env=key_env,
        max_body=max_body,
        rate=rate,
        timeout=timeout,
        queue=queue,
        capture=not no_capture,
        capture_rate=capture_rate,
        keep_days=keep_days,
        feedback=feedback or (),
        rules=rules,
        prices=prices_of(price),
        environments=environments or (),
        on_message=show.say,
    )
    _say_serving(server.gateway, server.url)
    server.wait()
    _say_end(server.gateway)


def _say_serving(gateway: "Gateway", url: str) -> None:
    router = gateway.router
    follows = "the champion, following promotions and rollbacks" if router.follows else "this version"
    show.say(f"serving {_label(router.champion.version)} at {url}: {follows}")
    if router.canary is not None:
        show.say(f"canary {_label(router.canary.version)}: {100 * router.share:g}% of conversations")
    capture = gateway.recorder.capture
    if capture is None:
        show.say("capture is off")
    else:
        show.say(f"capturing runs traces-served-DAY, redacted by {capture.redaction.name}")
        show.say(f"receiving OpenTelemetry traces at {url}/traces as runs traces-otlp-DAY")
    model = router.models()[0][0]
    key = ' -H "Authorization: Bearer $KEY"' if gateway.admission.keys else ""
    body = f'{{"model": "{model}", "messages": [{{"role": "user", "content": "Hello"}}]}}'
    show.next_command(f"curl {url}/chat/completions{key} -d '{body}'")


def _say_end(gateway: "Gateway") -> None:
    answers = sum(gateway.recorder.metrics.answers.values())
    exchanges = gateway.recorder.captured()
    counts = [f"{count} {state}" for state, count in exchanges.items() if count]
    show.say(f"\nstopped after {counted(answers, 'answer')}" + (f". Exchanges: {', '.join(counts)}" if counts else ""))
    spans = gateway.spans.counts if gateway.spans is not None else {}
    if spans.get("joined"):
        show.say(f"OpenTelemetry: {counted(spans['stored'], 'span')}, {counted(spans['joined'], 'trace')} joined")
    if exchanges.get("captured") or spans.get("joined"):
        show.next_command("verigym runs")


def _label(version: Version) -> str:
    return f"{version.name} ({version.id})" if version.name else version.id
