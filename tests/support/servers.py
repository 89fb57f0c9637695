"""A scripted HTTP server on loopback: a real socket, and any reply, good or broken."""

import asyncio
import json
import ssl
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from mergebar.model.text import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it came; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Json]:
        """The body as an object."""
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What to send. `drop` closes the connection unanswered, `cut` after half of the body.

    `delay_s` comes before the first byte; `drip_s` is the pause after each byte of the body. With
    `pieces` the body is a stream of them; with `open_end` that never ends.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay_s: float = 0.0
    drop: bool = False
    cut: bool = False
    drip_s: float = 0.0
    pieces: tuple[bytes, ...] = ()
    open_end: bool = False


_TLS = b"\x16"
"""How a client begins that wants to speak TLS."""

Script = Callable[[Request], Reply]


class Server:
    """Serves on a thread of its own: `with Server(script) as server: … server.url …`.

    `script` is a function of the request, or replies in order, whose last is repeated.
    """

    def __init__(
        self,
        script: Script | Iterable[Reply],
        *,
        latency_s: float = 0.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self.most_at_once = 0
        self.url = ""
        self._script = script if callable(script) else _in_order(script)
        self._latency_s = latency_s
        self._tls = tls
        self._now = 0
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        self._loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=self._tls)
        scheme = "https" if self._tls else "http"
        self.url = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._ready.set()
        await self._stop.wait()
        server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                self.requests.append(request)
                if not await self._answer(request, writer):
                    return
            writer.write(b"HTTP/1.1 400 Not HTTP\r\n\r\n")
        except ConnectionError:
            pass
        except asyncio.CancelledError:
            pass  # the server stops, and asyncio would report a task that ends like this
        finally:
            if self._tls:
                writer.transport.abort()  # taking leave takes two
            writer.close()

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        reply = self._script(request)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            await asyncio.sleep(self._latency_s + reply.delay_s)
        finally:
            self._now -= 1
        if reply.drop:
            return False
        head = {"content-type": reply.content_type}
        if reply.pieces:
            head["transfer-encoding"] = "chunked"
        else:
            head["content-length"] = str(len(reply.body))
        lines = [f"HTTP/1.1 {reply.status} Scripted"]
        lines += [f"{name}: {value}" for name, value in {**head, **reply.headers}.items()]
        body = reply.body[: len(reply.body) // 2] if reply.cut else reply.body
        head_end = "\r\n".join([*lines, "", ""]).encode("latin-1")
        pieces = [head_end, *(body[n : n + 1] for n in range(len(body)))] if reply.drip_s else []
        for piece in pieces or [head_end + body]:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(reply.drip_s)
        if reply.pieces:
            await _stream(reply, writer)
        return not reply.cut


async def _stream(reply: Reply, writer: asyncio.StreamWriter) -> None:
    for piece in reply.pieces:
        writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        await writer.drain()
    if reply.open_end:
        await asyncio.sleep(60)
    writer.write(b"0\r\n\r\n")


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        start = await reader.readexactly(1)
        if start == _TLS:
            return None
        head = (start + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip("\r\n").split("\r\n")
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    method, path, _ = first.split(" ", 2)
    return Request(method=method, path=path, headers=headers, body=body)


def _in_order(replies: Iterable[Reply]) -> Script:
    left = list(replies)

    def script(request: Request) -> Reply:
        del request
        return left.pop(0) if len(left) > 1 else left[0]

    return script
