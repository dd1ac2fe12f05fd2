"""A reader that does whatever a hostile file could make a parser do: the file's name says what."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from tempfile import TemporaryFile

from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.anchors import AnchorStyle


def read(
    *,
    key: str,
    name: str,
    data: bytes,
    url: str = "",
    content_type: str = "",
    title: str = "",
    anchors: AnchorStyle = "github",
) -> Document:
    """Do what the name says, and return a document that tells what was found out."""
    text = _ACTS[name]() if name in _ACTS else data.decode()
    return Document(key=key, title=name, text=text, blocks=(), kind="text", url=url)


def _hang() -> str:
    time.sleep(60)
    return ""


def _spin() -> str:
    while True:
        pass


def _ignore_the_clock() -> str:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    return _hang()


def _leave_a_child() -> str:
    """Start a process that outlives the reader, unless it is ended with it."""
    return str(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid)


def _eat_memory() -> str:
    return "x" * 10_000_000_000


def _find_no_memory() -> str:
    raise MemoryError


def _crash() -> str:
    os.abort()


def _exit() -> str:
    os._exit(3)


def _be_killed() -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def _chatter() -> str:
    print("what a parser prints must not reach the pipe")
    os.write(1, b"not even so")
    return sys.stdin.read()


def _refuse() -> str:
    raise DocumentUnreadable("no reader takes it")


def _stumble() -> str:
    raise KeyError("/Root")


def _nest() -> str:
    return _nest() + "deeper"


def _tell_environment() -> str:
    return " ".join(sorted(os.environ))


def _tell_descriptors() -> str:
    found = [number for number in range(64) if _is_open(number)]
    return " ".join(map(str, found))


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _write_a_file() -> str:
    with TemporaryFile() as file:
        file.write(b"x")
    return "written"


_ACTS: dict[str, Callable[[], str]] = {
    "be-killed": _be_killed,
    "chatter": _chatter,
    "crash": _crash,
    "eat-memory": _eat_memory,
    "eat-memory-here": _find_no_memory,
    "exit": _exit,
    "hang": _hang,
    "ignore-the-clock": _ignore_the_clock,
    "leave-a-child": _leave_a_child,
    "long-answer": lambda: "x" * 2_000_000,
    "nest": _nest,
    "refuse": _refuse,
    "spin": _spin,
    "stumble": _stumble,
    "tell-descriptors": _tell_descriptors,
    "tell-environment": _tell_environment,
    "tell-process": lambda: str(os.getpid()),
    "write-a-file": _write_a_file,
}
