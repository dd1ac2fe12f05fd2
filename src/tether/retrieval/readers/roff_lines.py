"""The lines of a roff file after its requests: conditions, strings and macros of its own.

Only what changes the text is followed. No file is opened and no program is run, and the number of
lines that macros may add is limited, so that a macro that calls itself ends.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from tether.retrieval.readers.roff_escapes import REGISTER, expanded, name_in

MOST_LINES = 400_000
MOST_ADDED = 20_000
MOST_ENDLESS = 10
"""After so many definitions without an end, no other end is looked for."""
_REQUEST = re.compile(r"[.'][ \t]*(?P<name>[^\s\\]*)[ \t]*(?P<rest>.*)")
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*\\[\"#].*")
_ARGUMENT = re.compile(r"\"(?P<quoted>(?:[^\"]|\"\")*+)\"?|(?P<bare>(?:\\.|[^\s\\]|\\$)++)")
_PARAMETER = re.compile(r"\\+\$([1-9*@])")
_COMPARED = re.compile(r"(\d+)\s*([<>]=?|==?)\s*(\d+)")
_KNOWN_NAMES = "TH SH SS TP PP P LP IP Vb Ve Sp B I R BR RB IR RI BI IB EX EE"
_KNOWN = frozenset(_KNOWN_NAMES.split())
"""Macros that are followed as they are meant, whatever a page makes of them."""
_FIRST_IS_WORD = re.compile(r"!?\s*(?:[nteo](?=\s|\\|$)|[dcrmFS]\s*\S+|'[^']*'[^']*'|\S+)")


class RoffLine(NamedTuple):
    """A line of text, or a macro with its arguments; `name` is "" for text."""

    name: str
    rest: str

    @property
    def arguments(self) -> list[str]:
        """The arguments, without the quotation marks around them."""
        return arguments_of(self.rest)


def arguments_of(rest: str) -> list[str]:
    """Return the arguments of a macro; in quotation marks, two of them are one."""
    return [
        found["bare"] if found["quoted"] is None else found["quoted"].replace('""', '"')
        for found in _ARGUMENT.finditer(rest)
    ]


class RoffReader:
    """Reads lines one by one; knows the strings, the registers and the macros that they define."""

    def __init__(self, text: str) -> None:
        self._lines = deque(text.splitlines()[:MOST_LINES])
        self._strings: dict[str, str] = {"R": "®", "Tm": "™", "lq": "“", "rq": "”"}
        self._registers: dict[str, int] = {".g": 1, ".x": 1}
        self._macros: dict[str, list[str]] = {}
        self._left = MOST_ADDED
        self._was_true: list[bool] = []
        self._endless = 0
        self.included: list[str] = []

    def read(self) -> Iterator[RoffLine]:
        """Yield text and macros in order; requests that were followed are not yielded."""
        while self._lines:
            line = self._joined(self._lines.popleft())
            found = _REQUEST.fullmatch(line) if line[:1] in (".", "'") else None
            if found is None:
                text = _COMMENT.sub("", line)
                if text or not line:
                    yield RoffLine("", expanded(text.replace("\\}", ""), self._strings))
            else:
                yield from self._request(found["name"], _COMMENT.sub("", found["rest"]))

    def _joined(self, line: str) -> str:
        """Return a line with those that continue it."""
        parts = [line]
        while parts[-1].endswith("\\") and not parts[-1].endswith("\\\\") and self._lines:
            parts[-1] = parts[-1][:-1]
            parts.append(self._lines.popleft())
        return "".join(parts)

    def _request(self, name: str, rest: str) -> Iterator[RoffLine]:
        if name in ("if", "ie", "el"):
            self._condition(name, rest)
        elif name in ("de", "de1", "am", "ig"):
            self._define(name, rest)
        elif name in ("ds", "as"):
            key, _, value = rest.partition(" ")
            before = self._strings.get(key, "") if name == "as" else ""
            self._strings[key] = (before + value.lstrip().removeprefix('"'))[:1_000]
        elif name == "nr":
            self._set_register(rest)
        elif name == "als":
            new, old = (*rest.split(), "", "")[:2]
            self._macros[new] = self._macros.get(old, [])
        elif name == "so":
            self.included.append(rest.strip())
        elif name in self._macros and self._left > 0:
            self._call(name, rest)
        elif name:
            yield RoffLine(name, expanded(rest.replace("\\}", ""), self._strings))

    def _set_register(self, rest: str) -> None:
        words = rest.split()
        if len(words) > 1 and words[1].isascii() and words[1].isdecimal() and len(words[1]) < 9:
            self._registers[words[0]] = int(words[1])

    def _define(self, name: str, rest: str) -> None:
        """Keep the lines of a macro up to its end; those that are to be ignored are dropped.

        A definition without an end is passed over, so that the page is not lost with it.
        """
        words = rest.split()
        if self._endless > MOST_ENDLESS:
            return
        end = "." + (words[0 if name == "ig" else 1] if len(words) > (name != "ig") else ".")
        body: list[str] = []
        while self._lines:
            line = self._lines.popleft()
            if "".join(line.split()) == end:
                break
            body.append(line)
        else:
            self._endless += 1
            self._lines.extend(body)
            return
        if words and name != "ig" and words[0] not in _KNOWN:
            before = self._macros.get(words[0], []) if name == "am" else []
            self._macros[words[0]] = before + body

    def _call(self, name: str, rest: str) -> None:
        given = arguments_of(rest)

        def value(found: re.Match[str]) -> str:
            if found[1] in "*@":
                return " ".join(given)
            number = int(found[1]) - 1
            return given[number] if number < len(given) else ""

        body = self._macros[name][: self._left]
        self._left -= len(body) + 1
        for line in reversed(body):
            filled = _PARAMETER.sub(value, line)[:2_000]
            self._lines.appendleft(filled.replace("\\\\", "\\"))

    def _condition(self, name: str, rest: str) -> None:
        """Go on with what follows a condition that holds, or pass over it."""
        if name == "el":
            holds = not (self._was_true.pop() if self._was_true else True)
            body = rest
        else:
            found = _FIRST_IS_WORD.match(rest)
            condition = found[0] if found else ""
            body = rest[len(condition) :].lstrip()
            holds = self._holds(condition)
            if name == "ie":
                self._was_true.append(holds)
        if holds:
            begun = body.replace("\\{", "", 1).strip()
            if begun and begun != "\\":
                self._lines.appendleft(begun)
        else:
            self._pass_over(body)

    def _pass_over(self, line: str) -> None:
        depth = line.count("\\{") - line.count("\\}")
        while depth > 0 and self._lines:
            line = self._lines.popleft()
            depth += line.count("\\{") - line.count("\\}")

    def _holds(self, condition: str) -> bool:
        """Return whether a condition holds on a terminal, which has one kind of font."""
        if condition.startswith("!"):
            return not self._holds(condition[1:].lstrip()[:200])
        if condition[:1] in ("n", "o"):
            return True
        value = REGISTER.sub(self._register, condition)
        if compared := _COMPARED.search(value):
            one, sign, other = int(compared[1][:9]), compared[2], int(compared[3][:9])
            return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}.get(
                sign, one == other
            )
        parts = value.split("'")
        if len(parts) == 4 and not parts[0]:
            return parts[1] == parts[2]
        return value.strip("()").isdecimal() and value.strip("(0)") != ""

    def _register(self, found: re.Match[str]) -> str:
        return str(self._registers.get(name_in(found, "register"), 0))
