"""Agent and judge on loopback as one process: waits, answers, and tells when calls came.

`POST /agent` gets an answer, every other `POST` a verdict.

`python judge_server.py DELAY_S`: prints its port. `GET /times` gives
`{"first": …, "last": …, "calls": …, "at_most": …}`, the clock of the first request and of the last
reply, and starts anew.
"""

import asyncio
import json
import sys
import time

VERDICT = json.dumps({"reason": "It answers the question.", "score": 4})
ANSWER = json.dumps({"response": "It takes about four hours at a wall socket [1]."}).encode()
COMPLETION = json.dumps(
    {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "bench",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": VERDICT},
            }
        ],
        "usage": {"prompt_tokens": 200, "completion_tokens": 20, "total_tokens": 220},
    }
).encode()


class Server:
    """Answers each POST after a delay, on connections that are kept."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s
        self._reset()

    def _reset(self) -> None:
        self._first = self._last = 0.0
        self._calls = self._now = self._at_most = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it is closed."""
        while head := await _head(reader):
            if head.startswith(b"GET"):
                body = json.dumps(self._times()).encode()
            else:
                arrived = time.perf_counter()
                self._first = self._first or arrived
                await reader.readexactly(_length(head))
                self._calls += 1
                self._now += 1
                self._at_most = max(self._at_most, self._now)
                await asyncio.sleep(self._delay_s)
                self._now -= 1
                body = ANSWER if head.startswith(b"POST /agent ") else COMPLETION
                self._last = time.perf_counter()
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                % len(body)
                + body
            )
            await writer.drain()
        writer.close()

    def _times(self) -> dict[str, float]:
        times = {
            "first": self._first,
            "last": self._last,
            "calls": self._calls,
            "at_most": self._at_most,
        }
        self._reset()
        return times


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


async def main() -> None:
    """Serve until the process is ended."""
    server = await asyncio.start_server(Server(float(sys.argv[1])).serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
