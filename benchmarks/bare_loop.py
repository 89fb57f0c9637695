"""The calls that a gate has to make and nothing else.

`python bare_loop.py CLIENT PORT CALLS CONCURRENCY`, one verdict a call.

`CLIENT` is `openai` (AsyncOpenAI's own `create`) or `raw` (asyncio sockets, the floor).
"""

import asyncio
import json
import sys

PROMPT = "Score the answer from 1 to 5 and reply in JSON. " * 20
BODY = {
    "model": "bench",
    "messages": [{"role": "system", "content": PROMPT}, {"role": "user", "content": PROMPT}],
    "temperature": 0,
    "max_tokens": 800,
    "response_format": {"type": "json_object"},
}


async def with_openai(port: int, calls: int, concurrency: int) -> None:
    """`concurrency` workers share one client."""
    import openai  # noqa: PLC0415 - the raw floor mustn't pay for it

    client = openai.AsyncOpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="k", max_retries=0)
    slots = asyncio.Semaphore(concurrency)

    async def call() -> float:
        async with slots:
            reply = await client.chat.completions.create(**BODY)  # type: ignore[call-overload]
        return float(json.loads(reply.choices[0].message.content)["score"])

    async with asyncio.TaskGroup() as tasks:
        for _ in range(calls):
            tasks.create_task(call())
    await client.close()


async def with_sockets(port: int, calls: int, concurrency: int) -> None:
    """One kept connection per worker."""
    body = json.dumps(BODY).encode()
    request = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    )
    left = iter(range(calls))

    async def worker() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in left:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            json.loads(await reader.readexactly(length))
        writer.close()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(concurrency):
            tasks.create_task(worker())


if __name__ == "__main__":
    loop = {"openai": with_openai, "raw": with_sockets}[sys.argv[1]]
    asyncio.run(loop(*map(int, sys.argv[2:])))
