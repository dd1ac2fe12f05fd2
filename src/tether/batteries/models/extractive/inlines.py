"""A stretch of a passage as an answer shows it: the same words, without what would break."""

from __future__ import annotations

import re

from tether.batteries.models.extractive.lines import with_plain_breaks
from tether.trust.visible import visible_text

MOST_NESTING = 5
"""How often links inside links are taken apart; what is left then is escaped."""

_QUOTE_PREFIX = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_SPECIAL = re.compile(r"[\\`*_<\[\]{}@:]|\bwww\.|^\W|^\d")
_PROTECTED = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?::(?P<role>[\w:+-]+):|\{(?P<myst>[\w:-]+)\})`(?P<named>[^`]+)`(?!`)"
    r"|`(?P<rst>[^`<>]+?)(?:\s*<[^`<>]*>)?`__?(?!\w)"
    r"|(?<!`)(?P<ticks>`{1,3})(?!`)(?P<code>[^\x00]+?)(?<!`)(?P=ticks)(?!`)"
)
_CODE_ROLES = frozenset({"class", "meth", "func", "mod", "attr", "data", "exc", "obj", "code"})
_TARGET = re.compile(r"\s*<[^<>]*>$")
_SHORTCODE = re.compile(r"\{\{[<%]\s*(?:glossary_tooltip|link)\s(?P<inside>[^{}]*)[>%]\}\}")
_SHORTCODE_TEXT = re.compile(r"\b(?:text|term_id)=\"(?P<text>[^\"<>]*)\"")
_CODE = re.compile(r"(?P<ticks>`+)[^`]+(?P=ticks)")
_HOLE = re.compile(r"\{\{|\{%|\}\}|%\}")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")
_FOOTNOTE = re.compile(r"\s?\[\^[^\[\]\s]+\]|\s\[(?:#\w*|\d+)\]_")
_LINK = re.compile(
    r"\[(?P<text>[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]"
    r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])"
)
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>[A-Za-z][\w:-]*)(?P<rest>\s[^<>]*|(?:[.@/?#][^<>\s]*)?)>"
)
_CLOSING = re.compile(r"</([A-Za-z][\w:-]*)>")
_AUTOLINK = re.compile(r"<(?P<address>[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*|[^\s<>@]+@[^\s<>]+)>")
_ATTRIBUTES = re.compile(r"(?<=[\x00*_)\]])\{:?\s?[#.][^{}]*\}|\s?\{:?\s?[#.][\w-][^{}]*\}$")
_ADDRESS = re.compile(
    r"(?:(?:https?|ftp)://|mailto:|xmpp:|www\.)[^\s<>\"'`\x00\[\]\\]+"
    r"|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+",
    re.IGNORECASE,
)
_TAGS = """
a abbr b big blockquote br button center cite code dd del details dfn div dl dt em figcaption figure
font footer header hr i iframe img input ins kbd label li main mark nav object ol p picture pre q s
samp script section small source span strong style sub summary sup svg table tbody td tfoot th thead
time tr tt u ul var video wbr
"""
_TAG_NAMES = frozenset(_TAGS.split())
_RUN = re.compile(r"(?<![*_])(?:\*+|_+)(?![*_])|[*_]{2,}")
_OPENS_BLOCK = re.compile(r"(?P<number>\d+)(?=[.)]\s)|(?=[#>|]|[-+*=~]\s|[-=~+]{2})")
_LONE_BACKSLASH = re.compile(r"\\(?=\x00|\s*$)")  # it would escape what comes next
_PLACEHOLDER = re.compile("\x00(?P<number>\\d+)\x00")


def shown(source: str) -> str:
    """Return a stretch of a passage as one line of Markdown that holds no link, image or HTML.

    The words stay. Whitespace runs become one space. Links keep their text, images and footnote
    marks go, tags go, addresses are set as code; code and emphasis stay where they are balanced.
    A quote is verified by calling this on the recorded span and comparing.
    """
    text = _QUOTE_PREFIX.sub(" ", with_plain_breaks(source))
    text = visible_text(text).text.strip()
    if _SPECIAL.search(text) is None:
        return " ".join(text.split())
    kept: list[str] = []
    text = _PROTECTED.sub(lambda match: _protect(kept, match), text)
    text = _without_targets(_SHORTCODE.sub(_shortcode_text, text))
    text = _without_tags(kept, text)
    text = _ADDRESS.sub(lambda match: _address(kept, match[0]), text)
    text = _balanced(text.replace("`", ""))
    text = text.replace("](", "]\\(").replace("]:", "]\\:")
    text = _LONE_BACKSLASH.sub("", " ".join(text.split()))
    text = _PLACEHOLDER.sub(lambda match: kept[int(match["number"])], text)
    return _not_a_block(text.replace("\x00", "").strip())


def has_hole(source: str) -> bool:
    """Say whether a template would put something here that the passage does not hold."""
    bare = _CODE.sub("", _SHORTCODE.sub("", source)) if "{" in source else ""
    return _HOLE.search(bare) is not None


def _keep(kept: list[str], text: str) -> str:
    kept.append(" ".join(text.split()))
    return f"\x00{len(kept) - 1}\x00"


def _protect(kept: list[str], match: re.Match[str]) -> str:
    """Set aside what is literal: escapes, code, and the roles that name code."""
    if match["escape"] is not None:
        return _keep(kept, match["escape"])
    if match["code"] is not None:
        return _keep(kept, match[0])
    if match["rst"] is not None:
        return match["rst"]
    text = _TARGET.sub("", match["named"])
    role = (match["role"] or match["myst"]).rpartition(":")[2]
    return _keep(kept, f"`{text.lstrip('~!')}`") if role in _CODE_ROLES else text


def _shortcode_text(match: re.Match[str]) -> str:
    found = {pair[0].partition("=")[0]: pair["text"] for pair in _texts(match["inside"])}
    return found.get("text") or found.get("term_id", "")


def _texts(inside: str) -> list[re.Match[str]]:
    return list(_SHORTCODE_TEXT.finditer(inside))


def _without_targets(text: str) -> str:
    text = _FOOTNOTE.sub("", _COMMENT.sub("", text))
    text = _ATTRIBUTES.sub("", text)
    for _ in range(MOST_NESTING):
        bare = _LINK.sub(lambda match: match["text"], _IMAGE.sub("", text))
        if bare == text:
            break
        text = bare
    return text


def _without_tags(kept: list[str], text: str) -> str:
    text = _AUTOLINK.sub(lambda match: _address(kept, match["address"]), text)
    closed = frozenset(_CLOSING.findall(text))
    text = _TAG.sub(lambda match: _tag(match, closed), text)
    return re.sub(r"<(?=[A-Za-z/!?])", lambda _: _keep(kept, "\\<"), text)


def _tag(match: re.Match[str], closed: frozenset[str]) -> str:
    """Drop a tag; keep what only looks so, <pod-name> or <T: Display>, to be escaped later.

    A tag has a name of HTML, an attribute with a value, or another tag that closes it.
    """
    name = match["name"].lower()
    if name == "br":
        return " "
    is_tag = match["close"] or name in _TAG_NAMES or match["name"] in closed
    is_tag = is_tag or "=" in match["rest"] or match["rest"] == "/"
    return "" if is_tag else match[0]


def _address(kept: list[str], address: str) -> str:
    """Set an address as code, so that no reader's software makes a link of it."""
    bare = address.rstrip(".,;:!?*_)")
    plain = bare.replace("`", "").replace("\x00", "")
    return _keep(kept, f"`{plain}`") + address[len(bare) :]


def _balanced(text: str) -> str:
    """Escape marks that are opened and not closed, or the reverse; drop halves of emphasis."""
    if "*" not in text and "_" not in text:
        return text
    waiting: dict[str, int] = {}
    paired: set[int] = set()
    marks: list[tuple[int, int]] = []
    for match in _RUN.finditer(text):
        opens, closes = _flanks(text, match)
        if not opens and not closes:
            continue
        start, mark = match.start(), match[0]
        marks.append((start, match.end()))
        if closes and mark in waiting and len(mark) < 4:
            first = waiting[mark]
            paired |= {first, start}
            waiting = {other: at for other, at in waiting.items() if at < first}
        elif opens:
            waiting.setdefault(mark, start)
    for start, end in reversed(marks):
        if start not in paired:
            mark = "" if _is_half(text, start, end) else re.sub(".", r"\\\g<0>", text[start:end])
            text = text[:start] + mark + text[end:]
    return text


def _is_half(text: str, start: int, end: int) -> bool:
    """Say whether a mark at the edge of a sentence is half of a pair around several sentences."""
    opens = start == 0 and not text[end : end + 1].islower()
    return opens or (end == len(text) and text[start - 1 : start] in tuple(".!?:\u2026"))


def _flanks(text: str, match: re.Match[str]) -> tuple[bool, bool]:
    """Say whether a run of marks can open and can close, by what stands around it."""
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    opens, closes = bool(after) and not after.isspace(), bool(before) and not before.isspace()
    if match[0][0] == "_":
        return opens and not before.isalnum(), closes and not after.isalnum()
    return opens, closes


def _not_a_block(text: str) -> str:
    """Escape a beginning that would make a heading, a list, a quote or a table of the line."""
    match = _OPENS_BLOCK.match(text)
    if match is None:
        return text
    return f"{text[: match.end()]}\\{text[match.end() :]}"
