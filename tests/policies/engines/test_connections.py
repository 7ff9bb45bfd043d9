"""Connections to a server of raw bytes: every form of answer is read, and every broken one is an error."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from yarl import URL

from verigym.policies.engines.connections import ConnectionBroken, Connections, HttpAnswer

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Asks = Callable[[Connections], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\nDate: today\r\nContent-Length: 2\r\n\r\nhi"


def no_headers(body: object) -> dict[str, str]:
    return {}


async def request_of(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    lengths = [int(line.split(":")[1]) for line in head.split("\r\n") if line.lower().startswith("content-length")]
    return head, await reader.readexactly(lengths[0]) if lengths else b""


def serving(handler: Handler, asks: Asks, prefix: str = "") -> None:
    async def main() -> None:
        server = await asyncio.start_server(handler, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        connections = Connections(URL(f"http://127.0.0.1:{port}{prefix}"))
        try:
            async with asyncio.timeout(60):
                await asks(connections)
        finally:
            connections.close()
            server.close()

    asyncio.run(main())


def answer_to(*parts: bytes, then_close: bool = False) -> HttpAnswer:
    """The answer that the client reads if a server writes these parts, one after the other."""
    found: list[HttpAnswer] = []

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request_of(reader)
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0.01)
        if then_close:
            writer.close()

    async def asks(connections: Connections) -> None:
        found.append(await connections.ask("GET", "/x", None, no_headers))

    serving(handler, asks)
    return found[0]


@pytest.mark.parametrize(
    "parts",
    [
        [OK],
        [bytes([byte]) for byte in OK],
        [b"HTTP/1.1 100 Continue\r\n\r\n" + OK],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\nh\r\n", b"1\r\ni\r\n0\r\nTrailer: 1\r\n\r\n"],
        [b"HTTP/1.0 200 OK\r\ncontent-LENGTH : 2\r\n\r\nhi"],
        [b"HTTP/1.1 200\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"],
    ],
    ids=["whole", "byte by byte", "after an interim answer", "chunks", "HTTP 1.0", "closing"],
)
def test_an_answer_is_read_in_every_form(parts: list[bytes]) -> None:
    found = answer_to(*parts)
    assert (found.status, found.body) == (200, b"hi")


def test_an_answer_without_a_length_ends_with_the_connection() -> None:
    assert answer_to(b"HTTP/1.1 500 No\r\n\r\nso", b"rry", then_close=True).body == b"sorry"
    assert answer_to(b"HTTP/1.1 204 No Content\r\n\r\n").body == b""


@pytest.mark.parametrize(
    "parts",
    [
        [b""],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhi"],
        [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nhi\r\n"],
        [b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nhi"],
        [b"SSH-2.0-OpenSSH\r\n\r\n"],
        [b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 20_000],
    ],
    ids=["nothing", "half", "half a chunk", "no size", "no length", "not HTTP", "endless headers"],
)
def test_a_broken_answer_is_an_error(parts: list[bytes]) -> None:
    with pytest.raises(OSError):
        answer_to(*parts, then_close=True)


def test_a_connection_is_used_again_and_the_body_is_json() -> None:
    seen: list[tuple[str, bytes]] = []
    opened = 0

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened
        opened += 1
        while True:
            seen.append(await request_of(reader))
            writer.write(OK)

    async def asks(connections: Connections) -> None:
        for _ in range(3):
            answer = await connections.ask("POST", "/v1/x", {"ids": [1, 2]}, lambda _: {"Authorization": "Bearer k"})
            assert answer.headers["date"] == "today"
        await asyncio.gather(*(connections.ask("GET", "/y", None, no_headers) for _ in range(5)))

    serving(handler, asks, "/base")
    assert opened == 5, "one for each request at a time"
    assert seen[0][0].startswith("POST /base/v1/x HTTP/1.1\r\nHost: 127.0.0.1:") and seen[0][1] == b'{"ids":[1,2]}'
    assert "Authorization: Bearer k\r\n" in seen[0][0] and "Content-Length" not in seen[-1][0]


def test_a_connection_that_the_server_closed_while_it_was_idle_is_replaced() -> None:
    opened = 0

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened
        opened += 1
        await request_of(reader)
        writer.write(OK)
        if opened == 1:
            await reader.read(1)  # the next request arrives, and is never read whole
            writer.transport.abort()

    async def asks(connections: Connections) -> None:
        assert (await connections.ask("POST", "/x", {}, no_headers)).body == b"hi"
        assert (await connections.ask("POST", "/x", {}, no_headers)).body == b"hi"

    serving(handler, asks)
    assert opened == 2


def test_an_answer_that_breaks_off_is_not_asked_for_again() -> None:
    opened = 0

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened
        opened += 1
        await request_of(reader)
        writer.write(OK)
        await request_of(reader)
        writer.write(OK[:20])
        writer.close()

    async def asks(connections: Connections) -> None:
        await connections.ask("GET", "/x", None, no_headers)
        with pytest.raises(ConnectionBroken):
            await connections.ask("GET", "/x", None, no_headers)

    serving(handler, asks)
    assert opened == 1


def test_a_server_sees_that_a_request_was_cancelled() -> None:
    closed = asyncio.Event()

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request_of(reader)
        assert not await reader.read()
        closed.set()

    async def asks(connections: Connections) -> None:
        asking = asyncio.ensure_future(connections.ask("GET", "/x", None, no_headers))
        await asyncio.sleep(0.1)
        asking.cancel()
        await closed.wait()

    serving(handler, asks)


def test_what_nobody_asked_for_closes_the_connection() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request_of(reader)
        writer.write(OK + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")

    async def asks(connections: Connections) -> None:
        for _ in range(2):
            assert (await connections.ask("GET", "/x", None, no_headers)).body == b"hi"

    serving(handler, asks)


def test_a_host_that_is_not_there_is_an_error() -> None:
    async def main(address: str) -> None:
        await Connections(URL(address)).ask("GET", "/", None, no_headers)

    for address in ("http://127.0.0.1:9", "http://no-such-host.invalid:80"):
        with pytest.raises(OSError):
            asyncio.run(main(address))


def test_a_long_request_without_an_answer_is_given_up_and_not_sent_again() -> None:
    requests: list[str] = []

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            requests.append((await request_of(reader))[0].split(" ")[1])
            if requests[-1] == "/quick":
                writer.write(OK)

    async def asks(connections: Connections) -> None:
        assert (await connections.ask("GET", "/quick", None, no_headers, long_s=10.0)).body == b"hi"
        with pytest.raises(TimeoutError):
            await connections.ask("GET", "/slow", None, no_headers, long_s=0.1)
        assert (await connections.ask("GET", "/quick", None, no_headers, long_s=10.0)).body == b"hi"

    serving(handler, asks)
    assert requests == ["/quick", "/slow", "/quick"]
