"""Texts in; written behind the run, by one thread, in the order in which they came.

Making a file takes as long as an answer on some disks, and calls that wait for it are late.
"""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

MOST_WAITING = 1000
"""So many texts may wait; who brings another one writes it himself."""


class Writer:
    """`write` is called in the thread. A process that dies takes along what still waits."""

    def __init__(self, write: Callable[[str, bytes], None]) -> None:
        self._write = write
        self._waiting: dict[str, bytes] = {}
        self._order: SimpleQueue[str | None] = SimpleQueue()
        self._thread: Thread | None = None

    def waiting(self, key: str) -> bytes | None:
        """The text of a key that isn't written yet."""
        return self._waiting.get(key)

    def add(self, key: str, data: bytes) -> None:
        """Have it written soon."""
        if len(self._waiting) >= MOST_WAITING:
            self._write(key, data)
            return
        self._waiting[key] = data
        self._order.put(key)
        if self._thread is None:
            self._thread = Thread(target=self._work, name="cache", daemon=True)
            self._thread.start()

    def finish(self) -> None:
        """Come back when everything is written; more may be added afterwards."""
        if self._thread is not None:
            self._order.put(None)
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while (key := self._order.get()) is not None:
            data = self._waiting.get(key)
            if data is not None:
                self._write(key, data)
                self._waiting.pop(key, None)  # not before: until then it is found here
