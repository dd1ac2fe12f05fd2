"""A part of a passage as an answer shows it: the same words, without markup that would break."""

from __future__ import annotations

import re
from typing import ClassVar

from tether.text.markdown.emphasis import DelimiterRun, pair_up
from tether.text.markdown.inlines import Link
from tether.text.markdown.marks import ESCAPE, LINE_CODE
from tether.text.markdown.site_inlines import Dialect
from tether.text.markdown.site_marks import closed_names
from tether.text.units.inlines import PassageInlines, unwrapped
from tether.trust.visible import visible_text

MOST_PASSES = 5

_SPECIAL = re.compile(
    r"\x00|\\|`|!\[|\[|\]|<|\*|_|\{|:(?=[\w:+-]{1,60}:`)|[ ](?=\[\^|\[(?:#\w*|\d+)\]_)"
    r"|(?:https?|ftp)://|mailto:|xmpp:|www\.|[\w.+-]{1,64}@(?=[\w-])",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"(?:(?:https?|ftp)://|mailto:|xmpp:|www\.)[^\s<>\"'`\x00\[\]\\]+"
    r"|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+",
    re.IGNORECASE,
)
_KEPT_OR_ADDRESS = re.compile(
    rf"(?P<kept>^`{{3,}}[^`\n]*\n(?s:.*)|{ESCAPE.pattern}|{LINE_CODE.pattern})|{_ADDRESS.pattern}",
    re.IGNORECASE | re.MULTILINE,
)
_AFTER_ADDRESS = ".,;:!?*_)"
_OPENS_BLOCK = re.compile(r"(?P<number>\d+)(?=[.)]\s)|(?=[#>|]|[-+*=~]\s|[-=~+]{2})")
_OPENS_HTML = re.compile(r"[A-Za-z/!?]")


def shown(source: str) -> str:
    """Return a part of a passage as one line of Markdown without links, images and HTML.

    The words stay. Runs of white space become one space. Links keep their text, images and footnote
    marks go, tags go, addresses are set as code; code and emphasis stay where they are balanced.
    A quote is verified by calling this on the recorded span and comparing.
    """
    return _not_a_block(_quoted(visible_text(unwrapped(source)).text.strip()))


def addresses_as_code(text: str) -> str:
    """Return Markdown with its addresses set as code, so that no reader's software links them.

    The text may end with fenced code, which stays as it is.
    """
    return _KEPT_OR_ADDRESS.sub(_kept_or_code, text)


def _kept_or_code(match: re.Match[str]) -> str:
    if match["kept"]:
        return match[0]
    bare = match[0].rstrip(_AFTER_ADDRESS)
    return f"`{bare}`{match[0][len(bare) :]}"


def _quoted(text: str) -> str:
    """Return a text without its links.

    Dropped markup may join its neighbours to an address or to other markup, so the result is read
    again; a text that does not come to rest is not shown at all.
    """
    for _ in range(MOST_PASSES):
        scanner = _QuotedInlines(text, Dialect(closed=closed_names(text)))
        scanner.scan()
        text, before = " ".join(scanner.markdown().split()), text
        if text == before or _ADDRESS.search(text) is None:
            return text
    return ""


class _QuotedInlines(PassageInlines):
    """The markup of a passage, of which code, escapes and emphasis are written as they were."""

    special: ClassVar[re.Pattern[str]] = _SPECIAL

    def __init__(self, text: str, dialect: Dialect) -> None:
        super().__init__(text, dialect)
        self._literal: dict[int, str] = {}

    def markdown(self) -> str:
        """Return the text as Markdown; characters that would join to markup are kept apart."""
        parts: list[str] = []
        waiting = ""
        for number, text in enumerate(self.fragments.texts):
            if not text:
                continue
            if waiting:
                parts.append(_apart(waiting, text))
            is_literal = self._literal.get(number) == text
            waiting = text if is_literal else ""
            if not is_literal:
                parts.append(text)
        return "".join([*parts, _apart(waiting, "")])

    def keep(self, start: int, end: int) -> int:
        """Keep a character that is markup elsewhere."""
        number = self.fragments.add(self.text[start:end], start)
        self._literal[number] = self.text[start:end]
        return end

    def read_other(self, position: int) -> int:
        """Set an address as code, so that no reader's software makes a link of it."""
        match = _ADDRESS.match(self.text, position)
        if match is None:
            return self.keep(position, position + 1)
        bare = match[0].rstrip(_AFTER_ADDRESS)
        self.add_named_code(bare, position)
        return position + len(bare)

    def read_escape(self, position: int) -> int:
        """Keep an escaped character with its backslash."""
        start = len(self.fragments.texts)
        end = super().read_escape(position)
        if end == position + 2 and self.text[position + 1] != "\n":
            self._literal.pop(start)
            self.fragments.replace(start, self.text[position:end])
        elif end == position + 2:
            self.fragments.replace(start, "\\ ")
        return end

    def add_code(self, start: int, end: int) -> None:
        """Keep code with its backticks."""
        begin, finish = self.codes[-1]
        self.fragments.add(self.text[begin:finish], begin)

    def add_words(self, words: str, start: int) -> None:
        """Add the words of a shortcode or a role, with their markup read."""
        self.fragments.add(_quoted(words), start)

    def add_autolink(self, link: Link) -> None:
        """Set an address in angle brackets as code."""
        self.add_named_code(link.text.replace("`", ""), link.position)

    def end_emphasis(self, runs: list[DelimiterRun]) -> None:
        """Escape marks that have no partner, and drop halves of emphasis around more sentences."""
        pair_up(runs, equal=True)
        for run in runs:
            if not run.left or not (run.can_open or run.can_close):
                continue
            mark = "" if self.is_half(run) else f"\\{run.sign}" * run.left
            closing, opening = run.sign * run.closing, run.sign * run.opening
            self.fragments.replace(run.fragment, f"{closing}{mark}{opening}")


def _apart(character: str, following: str) -> str:
    """Return a character that is text, so that it makes no markup with the text after it."""
    if character == "\\":
        return "" if not following.strip() or following[0] in "`\\*_<[]" else character
    if character == "]" and following[:1] in ("(", ":"):
        return "]\\"
    if character == "<" and _OPENS_HTML.match(following):
        return "\\<"
    return character


def _not_a_block(text: str) -> str:
    """Escape a beginning that would make a heading, a list, a quote or a table of the line."""
    match = _OPENS_BLOCK.match(text)
    if match is None:
        return text
    return f"{text[: match.end()]}\\{text[match.end() :]}"
