"""The calls that a gate has to make and nothing else: for each item an answer, then a verdict.

`python bare_loop.py CLIENTS PORT ITEMS CONCURRENCY`: so many at once of either kind.

`CLIENTS` are `libraries` (httpx, and AsyncOpenAI's own `create`) or `raw` (asyncio sockets, the
floor).
"""

import asyncio
import json
import sys

PROMPT = "Score the answer from 1 to 5 and reply in JSON. " * 20
BODY: dict[str, object] = {
    "model": "bench",
    "messages": [{"role": "system", "content": PROMPT}, {"role": "user", "content": PROMPT}],
    "temperature": 0,
    "max_tokens": 800,
    "response_format": {"type": "json_object"},
}


async def with_libraries(port: int, items: int, concurrency: int) -> None:
    """One client of each kind."""
    import httpx  # noqa: PLC0415 - the raw floor mustn't pay for it
    import openai  # noqa: PLC0415 - as above

    judge = openai.AsyncOpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="k", max_retries=0)
    agent = httpx.AsyncClient()
    asking, judging = asyncio.Semaphore(concurrency), asyncio.Semaphore(concurrency)

    async def item(number: int) -> float:
        async with asking:
            url = f"http://127.0.0.1:{port}/agent"
            answer = (await agent.post(url, json={"prompt": f"Question {number}"})).json()
        assert answer["response"]
        async with judging:
            reply = await judge.chat.completions.create(**BODY)  # type: ignore[call-overload]
        return float(json.loads(reply.choices[0].message.content)["score"])

    async with asyncio.TaskGroup() as tasks:
        for number in range(items):
            tasks.create_task(item(number))
    await judge.close()
    await agent.aclose()


async def with_sockets(port: int, items: int, concurrency: int) -> None:
    """One kept connection per worker; an answer goes to the next free judging worker."""
    left, answered = iter(range(items)), asyncio.Queue[int | None]()

    async def asks() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in left:
            await _post(reader, writer, "/agent", {"prompt": f"Question {number}"})
            answered.put_nowait(number)
        writer.close()

    async def judges() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while await answered.get() is not None:
            await _post(reader, writer, "/v1/chat/completions", BODY)
        writer.close()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(concurrency):
            tasks.create_task(judges())
        async with asyncio.TaskGroup() as asking:
            for _ in range(concurrency):
                asking.create_task(asks())
        for _ in range(concurrency):
            answered.put_nowait(None)


async def _post(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, value: dict[str, object]
) -> None:
    body = json.dumps(value).encode()
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    json.loads(await reader.readexactly(length))


if __name__ == "__main__":
    loop = {"libraries": with_libraries, "raw": with_sockets}[sys.argv[1]]
    asyncio.run(loop(*map(int, sys.argv[2:])))
