"""A line of mdoc macros as words: `Fl v Ar file` is `-v file`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tether.retrieval.readers.roff_escapes import without_escapes

_AROUND: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "Op": ("[", "]"),
        "Bq": ("[", "]"),
        "Pq": ("(", ")"),
        "Brq": ("{", "}"),
        "Aq": ("<", ">"),
        "Dq": ("“", "”"),
        "Qq": ('"', '"'),
        "Sq": ("‘", "’"),  # noqa: RUF001
        "Ql": ("‘", "’"),  # noqa: RUF001
        "En": ("", ""),
    }
)
_OPENING = MappingProxyType(
    {"Oo": "[", "Bo": "[", "Po": "(", "Bro": "{", "Ao": "<", "Do": "“", "Qo": '"', "So": "‘"}  # noqa: RUF001
)
_CLOSING = MappingProxyType(
    {"Oc": "]", "Bc": "]", "Pc": ")", "Brc": "}", "Ac": ">", "Dc": "”", "Qc": '"', "Sc": "’"}  # noqa: RUF001
)
_SYSTEMS = MappingProxyType(
    {"Ux": "UNIX", "Bx": "BSD", "Fx": "FreeBSD", "Nx": "NetBSD", "Ox": "OpenBSD", "Dx": "DragonFly"}
    | {"At": "AT&T UNIX", "Bsx": "BSD/OS"}
)
_PLAIN_NAMES = (
    "No Em Sy Li Cm Ic Pa Ev Dv Va Vt Ft Ad Er Sx Cd Ms Tn An Lb St Mt Fa In Fd Tg Nd Xo Xc Ar Nm"
    " Fl Xr Fn Lk Ns Ap Pf Bt Ud Ta Fo Fc Ek Bk Sm"
)
_PLAIN = frozenset(_PLAIN_NAMES.split())
CALLABLE = _PLAIN.union(_AROUND, _OPENING, _CLOSING, _SYSTEMS)
_AFTER = frozenset(".,;:)]?!")
_BEFORE = frozenset("([")


class _Words:
    """Joins words: punctuation stays with the word before it or after it."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._is_joined = True

    def add(self, word: str, *, before: bool = False, after: bool = False) -> None:
        """Add a word; joined to the one `before` it, or to the one `after` it."""
        if not (self._is_joined or before):
            self._parts.append(" ")
        self._parts.append(word)
        self._is_joined = after

    def join(self) -> None:
        """Leave no space before the next word."""
        self._is_joined = True

    @property
    def text(self) -> str:
        """The words so far."""
        return "".join(self._parts)


def inline(arguments: Sequence[str], name: str) -> str:
    """Return the words of a line of macros; `name` is what the page is about."""
    reader = _Inline(arguments, name)
    reader.read()
    return reader.words.text


class _Inline:
    """Reads the arguments one by one, with the macro that is open."""

    def __init__(self, arguments: Sequence[str], name: str) -> None:
        self.words = _Words()
        self._left = list(reversed(arguments))
        self._words_left = sum(1 for word in arguments if word not in _AFTER)
        self._name = name
        self._macro = ""
        self._used = 0
        self._closers: list[str] = []

    def read(self) -> None:
        """Read all of them, then close what was opened."""
        while self._left:
            self._take(self._left.pop())
        self._end_macro()
        self._close(())

    def _take(self, word: str) -> None:
        self._words_left -= word not in _AFTER
        if word in CALLABLE:
            self._end_macro()
            self._begin(word)
        elif word in _AFTER:
            self._end_macro()
            if not self._words_left:
                self._close(())
            self.words.add(word, before=True)
            self._macro = ""
        elif word in _BEFORE or word == "|":
            self._end_macro()
            self.words.add(word, after=word != "|")
        else:
            self._word(without_escapes(word))

    def _begin(self, macro: str) -> None:
        self._macro, self._used = macro, 0
        if macro in _AROUND:
            opening, closing = _AROUND[macro]
            self.words.add(opening, after=True)
            self._closers.append(closing)
        elif macro in _OPENING:
            self.words.add(_OPENING[macro], after=True)
        elif macro in _CLOSING:
            self.words.add(_CLOSING[macro], before=True)
        elif macro in _SYSTEMS:
            self.words.add(_SYSTEMS[macro])
        elif macro == "Ap":
            self.words.add("'", before=True, after=True)
        elif macro == "Ns":
            self.words.join()

    def _word(self, word: str) -> None:
        self._used += 1
        if self._macro == "Fl":
            self.words.add(f"-{word}")
        elif self._macro == "Pf" and self._used == 1:
            self.words.add(word, after=True)
        elif self._macro == "Xr" and self._used == 2:
            self.words.add(f"({word})", before=True)
        elif self._macro == "Fn" and self._used > 0:
            self._function(word)
        elif self._macro == "In":
            self.words.add(f"<{word}>")
        elif self._macro == "St":
            self.words.add(word.removeprefix("-"))
        else:
            self.words.add(word)

    def _function(self, word: str) -> None:
        if self._used == 1:
            self.words.add(f"{word}(", after=True)
            self._closers.append(")")
        else:
            self.words.add(word if self._used == 2 else f", {word}", before=True)

    def _end_macro(self) -> None:
        """Add what a macro without arguments stands for."""
        macro, self._macro = self._macro, ""
        if macro == "Fn" and self._used and self._closers:
            self.words.add(self._closers.pop(), before=True)
        if self._used:
            return
        if macro == "Fl":
            self.words.add("-", after=bool(self._left))
        elif macro == "Ar":
            self.words.add("file ...")
        elif macro == "Nm" and self._name:
            self.words.add(self._name)
        elif macro == "Pa":
            self.words.add("~")

    def _close(self, closers: Sequence[str]) -> None:
        while len(self._closers) > len(closers):
            self.words.add(self._closers.pop(), before=True)
