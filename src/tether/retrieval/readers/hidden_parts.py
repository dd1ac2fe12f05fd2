"""Hidden parts of a Markdown page: comments, scripts, styles, text for models only."""

from __future__ import annotations

import re

from tether.text.markdown.marks import fence_of, is_closing_fence

NOTHING = "\x00"
"""A character that never occurs: `decode` refuses it, and notebooks are cleaned of it."""

# Every alternative begins with a different character, by which the engine leaps to the next one.
_START = re.compile(
    r"``*|~~~~*|<!--|\{/\*|<(?i:script|style|llm-only)(?=[\s>])"
    r"|\{\{[<%]\s*(?i:comment)\s*[>%]\}\}"
)
_ENDS = {
    "comment": re.compile(r"-->"),
    "expression": re.compile(r"\*/\}"),
    "script": re.compile(r"</script\s*>", re.IGNORECASE),
    "style": re.compile(r"</style\s*>", re.IGNORECASE),
    "llm-only": re.compile(r"</llm-only\s*>", re.IGNORECASE),
    "shortcode": re.compile(r"\{\{[<%]\s*/comment\s*[>%]\}\}", re.IGNORECASE),
}
_KINDS = {"<!": "comment", "{/": "expression", "{{": "shortcode"}
_LONGEST_INDENT = 500
_NOT_NEWLINE = re.compile(r"[^\r\n]")
_LONGEST_CODE_SPAN = 1_000


def hide(text: str, start: int = 0) -> str:
    """Return the text with its hidden parts blanked, so that every place stays the same.

    The blanks are spaces, and `NOTHING` where they touch a word: `word<!-- c -->, more` has no gap
    before its comma. Code is left alone. A part that is never closed is not hidden: better to show
    a stray mark than to lose the rest of a page.
    """
    parts = [text[:start]]
    missing: set[str] = set()
    position = start
    while match := _START.search(text, position):
        parts.append(text[position : match.start()])
        position = _after(text, match, missing)
        found = text[match.start() : position]
        code = match[0][0] in "`~" or position == match.end()
        before = parts[-1][-1:] or parts[-2][-1:]
        touches = before.strip() != "" and "\n" not in found and "\r" not in found
        parts.append(found if code else _NOT_NEWLINE.sub(NOTHING if touches else " ", found))
    parts.append(text[position:])
    return "".join(parts)


def _after(text: str, match: re.Match[str], missing: set[str]) -> int:
    """Return where the part that begins with the match ends; a missing end is searched once."""
    mark = match[0]
    if mark[0] in "`~":
        return _after_code(text, match)
    kind = _KINDS.get(mark[:2]) or mark[1:].lower()
    end = None if kind in missing else _ENDS[kind].search(text, match.end())
    if end is None:
        missing.add(kind)
        return match.end()
    return end.end()


def _after_code(text: str, match: re.Match[str]) -> int:
    mark = match[0]
    if len(mark) >= 3 and _opens_fence(text, match):
        return _after_fence(text, match.end(), mark)
    return _after_ticks(text, match.end(), mark) if mark[0] == "`" else match.end()


def _opens_fence(text: str, match: re.Match[str]) -> bool:
    """Return whether only blanks and quote marks are before a run, and no backtick is after it."""
    start, end = match.span()
    line = text.rfind("\n", max(start - _LONGEST_INDENT, 0), start) + 1
    if (not line and start > _LONGEST_INDENT) or text[line:start].strip(" \t>"):
        return False
    return fence_of(text[start : _line_end(text, end)].rstrip("\r")) is not None


def _after_fence(text: str, position: int, fence: str) -> int:
    end = _line_end(text, position)
    while end < len(text):
        start, end = end + 1, _line_end(text, end + 1)
        if is_closing_fence(text[start:end].strip(" \t>\r"), fence):
            return end
    return len(text)


def _line_end(text: str, position: int) -> int:
    newline = text.find("\n", position)
    return newline if newline >= 0 else len(text)


def _after_ticks(text: str, position: int, ticks: str) -> int:
    limit = min(len(text), position + _LONGEST_CODE_SPAN)
    gap = text.find("\n\n", position, limit)
    limit = gap if gap >= 0 else limit
    at = position
    while (at := text.find(ticks, at, limit)) >= 0:
        end = at + len(ticks)
        while end < len(text) and text[end] == "`":
            end += 1
        if end - at == len(ticks):
            return end
        at = end
    return position
