"""Text that is Markdown and links nowhere: what could open a link, an image or HTML is escaped."""

from __future__ import annotations

import re

_LITERAL = re.compile(r"\\([\[\]<.:@()])")
_TICK = re.compile(r"(?P<pair>\\.)|`")
_OPENING = re.compile(r"(?P<kept>\\[!-/:-@\[-`{-~]|(?<!`)`[^`\n]+`(?!`))|(?P<opens>[\[\]<`])")
_ADDRESSED = re.compile(
    r"(?P<kept>\\[!-/:-@\[-`{-~]|(?<!`)`[^`\n]+`(?!`))"
    r"|(?P<scheme>[A-Za-z0-9]):(?=/|[A-Za-z0-9])|(?P<mail>[\w.+-])@(?=\w)|(?P<host>\w)\.(?=[^\W\d])"
)


def unescaped(text: str) -> str:
    """Return a text of a model without the escapes that `escaped` and `unlinkable` write.

    Backticks that are no code are escaped, so that each pair left encloses code.
    """
    return _TICK.sub(lambda match: match["pair"] or "\\`", _LITERAL.sub(r"\1", text))


def escaped(text: str) -> str:
    """Return Markdown in which no bracket and no tag opens anything; code stays as it is."""
    return _OPENING.sub(lambda match: match["kept"] or f"\\{match['opens']}", text)


def unlinkable(text: str) -> str:
    """Return escaped Markdown in which no software that looks for addresses finds one."""
    return _ADDRESSED.sub(_broken, text)


def _broken(match: re.Match[str]) -> str:
    if match["kept"]:
        return match["kept"]
    sign = match[0][-1]
    return f"{match[0][:-1]}\\{sign}"
