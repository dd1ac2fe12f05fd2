"""Server-sent events, as the WHATWG standard defines them, from bytes that arrive in pieces."""

from __future__ import annotations

from io import BytesIO
from typing import NamedTuple

from tether.core.errors import LimitExceeded

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SMALL = 1 << 10
"""Lines with fewer bytes are copied."""


class SseEvent(NamedTuple):
    """One event. `event` is its type, None if the stream names none; `id` the last one given."""

    event: str | None
    data: str
    id: str


class SseParser:
    """Parses a stream, independently of where the network cut it.

    Only CR, LF and CRLF end a line: U+2028 and the like are data. A line is in memory at most
    twice, as bytes and as text. Raises `LimitExceeded` for a line longer than `max_line_bytes`.
    """

    __slots__ = (
        "_after_cr",
        "_at_start",
        "_data",
        "_event",
        "_held",
        "_id",
        "_most",
        "_small",
    )

    def __init__(self, max_line_bytes: int) -> None:
        self._most = max_line_bytes
        self._small = min(SMALL, max_line_bytes)
        self._held = BytesIO()
        self._after_cr = False
        self._at_start = True
        self._data: list[str] = []
        self._event = ""
        self._id = ""

    def feed(self, piece: bytes) -> list[SseEvent]:
        """Take the next bytes and return the events that they complete."""
        if not piece:
            return []
        if self._after_cr and piece.startswith(b"\n"):  # the second half of a CRLF
            piece = piece[1:]
        self._after_cr = False
        if b"\r" in piece:
            self._after_cr = piece.endswith(b"\r")
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = piece.split(b"\n")
        if lines:
            lines[0] = self._joined(lines[0])
        events = self._take(lines)
        self._hold(rest)
        return events

    def finish(self) -> list[SseEvent]:
        """Return the last event if it lacks its blank line.

        The standard would drop it, but some endpoints end like this.
        """
        return self._take([self._joined(b""), b""])

    def _hold(self, rest: bytes) -> None:
        if rest:
            self._held.write(rest)
            self._check(self._held.tell())

    def _joined(self, end: bytes) -> bytes:
        """Return the buffered line, with its end."""
        line = end
        if self._held.tell():
            self._held.write(end)
            line, self._held = self._held.getvalue(), BytesIO()
        if self._at_start:
            self._at_start = False
            return line.removeprefix(BYTE_ORDER_MARK)
        return line

    def _check(self, size: int) -> None:
        if size > self._most:
            raise LimitExceeded(f"a line of the stream is longer than {self._most} bytes")

    def _take(self, lines: list[bytes]) -> list[SseEvent]:
        events: list[SseEvent] = []
        data, small = self._data, self._small
        for line in lines:
            if line[:6] == b"data: " and len(line) < small:
                data.append(line[6:].decode("utf-8", "replace"))
            elif line:
                self._check(len(line))
                self._take_field(line)
            else:
                if data:
                    events.append(SseEvent(self._event or None, "\n".join(data), self._id))
                    data.clear()
                self._event = ""
        return events

    def _take_field(self, line: bytes) -> None:
        """Take a field; comments and unknown fields are ignored."""
        colon = line.find(b":")
        name = line if colon < 0 else line[:colon]
        if name not in (b"data", b"event", b"id"):
            return
        start = len(line) if colon < 0 else colon + 1
        # Through a view: a slice would copy data that may be large.
        view = memoryview(line)[start + 1 if line[start : start + 1] == b" " else start :]
        value = str(view, "utf-8", "replace")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._event = value
        elif "\0" not in value:
            self._id = value
