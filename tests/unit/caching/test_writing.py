"""Texts are written behind whoever brings them: all of them, in order, and not without bound."""

import threading

from mergebar.caching import writing
from mergebar.caching.writing import Writer


class Disk:
    """Takes down what is written, once `free` is set."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.begun = threading.Event()
        self.written: list[tuple[str, bytes]] = []
        self.writers: set[str] = set()

    def write(self, key: str, data: bytes) -> None:
        if threading.current_thread() is not threading.main_thread():
            self.begun.set()
            assert self.free.wait(20)
        self.writers.add(threading.current_thread().name)
        self.written.append((key, data))


def test_nobody_waits_for_a_slow_disk_and_all_is_written_in_the_end() -> None:
    disk = Disk()
    writer = Writer(disk.write)

    for number in range(50):
        writer.add(str(number), b"text")
    assert disk.begun.wait(20)
    assert disk.written == []
    assert [writer.waiting(str(number)) for number in range(50)] == [b"text"] * 50
    disk.free.set()
    writer.finish()

    assert disk.written == [(str(number), b"text") for number in range(50)]
    assert disk.writers == {"cache"}
    assert writer.waiting("0") is None


def test_of_a_key_that_comes_twice_the_last_text_is_written() -> None:
    disk = Disk()
    writer = Writer(disk.write)

    writer.add("first", b"text")
    assert disk.begun.wait(20)
    writer.add("key", b"old")
    writer.add("key", b"new")
    disk.free.set()
    writer.finish()

    assert disk.written == [("first", b"text"), ("key", b"new")]


def test_who_brings_too_many_writes_them_himself() -> None:
    disk = Disk()
    writer = Writer(disk.write)

    for number in range(writing.MOST_WAITING + 3):
        writer.add(str(number), b"text")

    assert len(disk.written) == 3
    disk.free.set()
    writer.finish()
    assert len(disk.written) == writing.MOST_WAITING + 3


def test_it_goes_on_after_it_was_finished_and_finishing_twice_is_nothing() -> None:
    disk = Disk()
    disk.free.set()
    writer = Writer(disk.write)

    writer.finish()
    for key in ("a", "b"):
        writer.add(key, b"text")
        writer.finish()
        writer.finish()

    assert disk.written == [("a", b"text"), ("b", b"text")]
