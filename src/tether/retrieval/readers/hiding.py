"""Parts of a Markdown page that no reader sees: comments, scripts, styles, text for models only."""

from __future__ import annotations

import re

NOTHING = "\x00"
"""A character that no text holds: `decode` refuses it, and notebooks are cleaned of it."""

# Every alternative begins with a character of its own, by which the engine leaps to the next one.
_START = re.compile(
    r"``*|~~~~*|<!--|\{/\*|<(?i:script|style|llm-only)(?=[\s>])"
    r"|\{\{[<%]\s*(?i:comment)\s*[>%]\}\}"
)
_FENCE_END = {
    "`": re.compile(r"^[ \t>]*(`{3,})[ \t]*\r?$", re.MULTILINE),
    "~": re.compile(r"^[ \t>]*(~{3,})[ \t]*\r?$", re.MULTILINE),
}
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
    """Return the text with blanks in place of what is hidden, so that every place stays the same.

    The blanks are spaces, and `NOTHING` where they touch a word: `word<!-- c -->, more` has no gap
    before its comma. Code is left alone. What is opened and never closed is not hidden: better to
    show a stray mark than to lose the rest of a page.
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
    """Return where what begins with the match ends; an end that is missing is looked for once."""
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
    newline = text.find("\n", end)
    return match[0][0] == "~" or text.find("`", end, newline if newline >= 0 else len(text)) < 0


def _after_fence(text: str, position: int, fence: str) -> int:
    for end in _FENCE_END[fence[0]].finditer(text, position):
        if len(end[1]) >= len(fence):
            return end.end()
    return len(text)


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
