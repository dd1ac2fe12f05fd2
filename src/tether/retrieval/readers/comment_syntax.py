"""How programming languages write comments, strings and definitions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

# Every pattern is possessive or stops at the end of its line: one pass, whatever the input.
_DOUBLE = r"\"(?:[^\"\\\n]|\\.)*+\"?"
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'?"
_BACKTICK = r"`(?:[^`\\]|\\[\s\S])*+`?"
_QUOTES = f"{_DOUBLE}|{_SINGLE}"
_TRIPLE = (
    r"\"\"\"(?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*+(?:\"\"\")?|'''(?:[^'\\]|\\[\s\S]|'(?!''))*+(?:''')?"
)
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,10}?)'"
_BLOCK = r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_SLASHES = rf"//[^\n]*+|{_BLOCK}"
_HASH = r"(?<![\w$\\&{])#[^\n]*+"
_CURLY = (
    r"[ \t]*+(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|open|data"
    r"|override|async|export|default|declare|unsafe|inline|suspend)[ \t]++)*+"
    r"(?:class|interface|enum|struct|record|object|trait|namespace|module|function|func|fun|impl"
    r"|type|protocol|extension)[ \t]++[\w*(<$].*"
)
_RUST = (
    r"[ \t]*+(?:pub(?:\([^()]*+\))?[ \t]++)?(?:(?:async|unsafe|const|extern)[ \t]++)*+"
    r"(?:fn|struct|enum|trait|impl|mod|macro_rules!)[ \t<]*+\S.*"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """One family of languages, as patterns.

    `comment` is prose wherever it has its lines to itself, and so is `text`, a string that
    documents what it stands below. `strings` are looked for only so that no comment is found inside
    them. A line that `definition` matches as a whole defines something.
    """

    endings: str
    comment: str
    strings: str = ""
    text: str = ""
    definition: str = ""

    def tokens(self) -> re.Pattern[str]:
        """Return what finds comments and strings; the group `prose` is what may be read."""
        prose = "|".join(part for part in (self.text, self.comment) if part)
        parts = (f"(?P<prose>{prose})", self.strings)
        return re.compile("|".join(part for part in parts if part), re.MULTILINE)


_FAMILIES: tuple[Syntax, ...] = (
    Syntax(
        endings=".py .pyi",
        comment=r"#[^\n]*+",
        strings=_QUOTES,
        text=_TRIPLE,
        definition=r"[ \t]*+(?:async[ \t]++)?(?:def|class)[ \t]++\w.*",
    ),
    Syntax(
        endings=".js .mjs .cjs .jsx .ts .tsx .go .java .kt .kts .scala .swift .dart .c .h .cc .cpp"
        " .cxx .hh .hpp .cs .m .mm .php .proto",
        comment=_SLASHES,
        strings=f"{_QUOTES}|{_BACKTICK}",
        definition=_CURLY,
    ),
    Syntax(endings=".rs", comment=_SLASHES, strings=f"{_DOUBLE}|{_CHARACTER}", definition=_RUST),
    Syntax(
        endings=".pl .pm .r .jl .ex .exs .yaml .yml .graphql .tf .ps1 .conf .properties",
        comment=_HASH,
        strings=_QUOTES,
    ),
    Syntax(
        endings=".sh .bash .zsh .fish",
        comment=_HASH,
        strings=rf"{_DOUBLE}|'[^'\n]*+'?",
        definition=r"function[ \t]++[\w-]+.*|[\w-]++[ \t]*+\(\).*",
    ),
    Syntax(
        endings=".rb",
        comment=rf"{_HASH}|^=begin\b(?:[^=]|(?<!\n)=|=(?!end\b))*+(?:=end\b)?",
        strings=_QUOTES,
        definition=r"[ \t]*+(?:def|class|module)[ \t]++\S.*",
    ),
    Syntax(
        endings=".toml",
        comment=r"#[^\n]*+",
        strings=_QUOTES,
        definition=r"\[{1,2}[^\[\]\n]++\]{1,2}[ \t]*+",
    ),
    Syntax(
        endings=".ini .cfg", comment=r"^[ \t]*+[#;][^\n]*+", definition=r"\[[^\[\]\n]++\][ \t]*+"
    ),
    Syntax(
        endings=".sql .lua .hs",
        comment=rf"--[^\n]*+|{_BLOCK}|\{{-(?:[^-]|-(?!\}}))*+(?:-\}})?",
        strings=_QUOTES,
    ),
    Syntax(endings=".erl", comment=r"%[^\n]*+", strings=_DOUBLE),
    Syntax(
        endings=".clj",
        comment=r";[^\n]*+",
        strings=_DOUBLE,
        definition=r"\((?:defn-?|def|defmacro|ns)[ \t]++\S.*",
    ),
    Syntax(
        endings=".vue .svelte",
        comment=rf"<!--(?:[^-]|-(?!->))*+(?:-->)?|{_SLASHES}",
        strings=f"{_DOUBLE}|{_BACKTICK}",
        definition=_CURLY,
    ),
    Syntax(endings=".css .scss", comment=_BLOCK, strings=_QUOTES),
    Syntax(endings=".ml", comment=r"\(\*(?:[^*]|\*(?!\)))*+(?:\*\))?", strings=_DOUBLE),
)
_BY_ENDING: Mapping[str, Syntax] = MappingProxyType(
    {ending: syntax for syntax in _FAMILIES for ending in syntax.endings.split()}
)
_NOTHING = Syntax(endings="", comment=r"(?!)")


def syntax_of(ending: str) -> Syntax:
    """Return the syntax of files with this ending; data files and unknown ones have no comments."""
    return _BY_ENDING.get(ending, _NOTHING)
