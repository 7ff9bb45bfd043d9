"""Lets a process in a box reach one address outside, and nothing else.

The box has its own network. A few lines of Python in the box listen on the loopback of the box, hand the listening socket out
and become the command. The sockets belong to the network where they were made, so this process accepts the connections that
are made in the box, and copies them to the address. Nothing of it remains in the box.
"""

import asyncio
import contextlib
import socket
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from verigym.core.errors import BadInput

_START_S = 60.0
_CHUNK = 1 << 16
_INSIDE = """
import os, socket, sys
outside = socket.socket(fileno=int(sys.argv[1]))
listening = []
for port in sys.argv[2].split(","):
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(("127.0.0.1", int(port)))
    one.listen(128)
    listening.append(one)
socket.send_fds(outside, [b"x"], [one.fileno() for one in listening])
outside.close()
try:
    os.execvp(sys.argv[3], sys.argv[3:])
except OSError as error:
    sys.exit(f"{sys.argv[3]}: {error.strerror}")
"""


class Address(NamedTuple):
    host: str
    port: int


def address(text: str) -> Address:
    """Reads `HOST:PORT`."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise BadInput(f'"{text}" is not an address. Write HOST:PORT, for example 127.0.0.1:8400')
    if int(port) < 1024:
        raise BadInput(
            f"A box cannot open port {port}. Serve at a port of 1024 or more, or give the box the whole network"
        )
    return Address(host.strip("[]"), int(port))


class Forward:
    """The way out of one box. The ports in the box are those of the addresses."""

    def __init__(self, addresses: Sequence[Address]) -> None:
        if len({each.port for each in addresses}) < len(addresses):
            raise BadInput("Two addresses have the same port. A box can reach only one of them")
        self._addresses = addresses
        self._outside, self._inside = socket.socketpair()
        self._servers: list[asyncio.Server] = []
        self._copies: set[asyncio.Task[None]] = set()

    @property
    def handed(self) -> int:
        """The open file that the process in the box inherits."""
        return self._inside.fileno()

    def wrap(self, command: Sequence[str]) -> list[str]:
        """The command that opens the ports and becomes `command`."""
        base = Path(sys.base_prefix) / "bin" / "python3"
        python = str(base) if base.exists() else "python3"
        ports = ",".join(str(each.port) for each in self._addresses)
        return [python, "-I", "-S", "-c", _INSIDE, str(self.handed), ports, *command]

    def receive(self) -> list[socket.socket]:
        """The listening sockets, as soon as the box has made them. None if the process ended before."""
        self._inside.close()
        self._outside.settimeout(_START_S)
        with self._outside:
            try:
                fds = socket.recv_fds(self._outside, 1, len(self._addresses))[1]
            except OSError:
                return []
        return [socket.socket(fileno=fd) for fd in fds]

    async def serve(self, listening: Sequence[socket.socket]) -> None:
        for target, one in zip(self._addresses, listening, strict=False):
            one.setblocking(False)
            server = await asyncio.start_server(lambda r, w, target=target: self._connected(target, r, w), sock=one)
            self._servers.append(server)

    async def _connected(self, target: Address, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._copies.add(task)
        try:
            outside = await asyncio.open_connection(*target)
        except OSError:
            _reset(writer)
        else:
            await asyncio.gather(_copy(reader, outside[1]), _copy(outside[0], writer))
        finally:
            self._copies.discard(task)

    async def close(self) -> None:
        for one in (self._outside, self._inside):
            one.close()
        for server in self._servers:
            server.close()
        for task in list(self._copies):
            task.cancel()
        await asyncio.gather(*self._copies, return_exceptions=True)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Ends a connection with an error instead of an empty answer."""
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copies one direction to its end. A connection that breaks ends it too."""
    with contextlib.suppress(OSError):
        try:
            while data := await reader.read(_CHUNK):
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()
        except BaseException:
            _reset(writer)
            raise
