"""A part of a passage as an answer shows it: the same words, without markup that would break."""

from __future__ import annotations

import re
from typing import ClassVar

from tether.ask.quoting.lines import with_plain_breaks
from tether.text.markdown.emphasis import DelimiterRun, pair_up
from tether.text.markdown.inlines import Bracket, Link
from tether.text.markdown.marks import CODE_SPAN
from tether.text.markdown.site_inlines import Dialect, SiteInlines
from tether.text.markdown.site_marks import closed_names, separates
from tether.text.markdown.targets import FoundTarget, Target
from tether.trust.visible import visible_text

MOST_PASSES = 5

_QUOTE_PREFIX = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_SPECIAL = re.compile(
    r"\x00|\\|`|!\[|\[|\]|<|\*|_|\{|:(?=[\w:+-]{1,60}:`)|[ ](?=\[\^|\[(?:#\w*|\d+)\]_)"
    r"|(?:https?|ftp)://|mailto:|xmpp:|www\.|[\w.+-]{1,64}@(?=[\w-])",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\s?(?:\[\^[^\[\]\s]+\]|(?<=\s)\[(?:#\w*|\d+)\]_)")
_LABEL = re.compile(r"\[[^\[\]]*\]")
_ROLE = re.compile(r"(?::(?P<role>[\w:+-]+):|\{(?P<myst>[\w:-]+)\})`(?P<named>[^`]+)`(?!`)")
_CODE_ROLES = frozenset({"class", "meth", "func", "mod", "attr", "data", "exc", "obj", "code"})
_RST_LINK = re.compile(r"`(?P<text>[^`<>]+?)(?:\s*<[^`<>]*>)?`__?(?!\w)")
_TARGET = re.compile(r"\s*<[^<>]*>$")
_SHORTCODE = re.compile(r"\{\{[<%]\s*(?:glossary_tooltip|link)\s(?P<inside>[^{}]*)[>%]\}\}")
_HOLE = re.compile(r"\{\{|\{%|\}\}|%\}")
_ADDRESS = re.compile(
    r"(?:(?:https?|ftp)://|mailto:|xmpp:|www\.)[^\s<>\"'`\x00\[\]\\]+"
    r"|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+",
    re.IGNORECASE,
)
_OPENS_BLOCK = re.compile(r"(?P<number>\d+)(?=[.)]\s)|(?=[#>|]|[-+*=~]\s|[-=~+]{2})")
_MARKUP_ENDS = ("`", "*", "_", ")", "]")
_OPENS_HTML = re.compile(r"[A-Za-z/!?]")


def shown(source: str) -> str:
    """Return a part of a passage as one line of Markdown without links, images and HTML.

    The words stay. Runs of white space become one space. Links keep their text, images and footnote
    marks go, tags go, addresses are set as code; code and emphasis stay where they are balanced.
    A quote is verified by calling this on the recorded span and comparing.
    """
    text = _QUOTE_PREFIX.sub(" ", with_plain_breaks(source))
    return _not_a_block(_quoted(visible_text(text).text.strip()))


def has_hole(source: str) -> bool:
    """Say whether a template would insert text here that is not in the passage."""
    bare = CODE_SPAN.sub("", _SHORTCODE.sub("", source)) if "{" in source else ""
    return _HOLE.search(bare) is not None


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


class _QuotedInlines(SiteInlines):
    """The markup of a passage, of which code, escapes and emphasis are written as they were."""

    special: ClassVar[re.Pattern[str]] = _SPECIAL

    def __init__(self, text: str, dialect: Dialect) -> None:
        super().__init__(text, dialect)
        self._literal: dict[int, str] = {}
        self.readers |= {" ": self._note, ":": self._role}

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
        bare = match[0].rstrip(".,;:!?*_)")
        self._add_code(bare, position)
        return position + len(bare)

    def _add_code(self, code: str, start: int) -> None:
        self.fragments.add(f"`{code}`", start)

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

    def add_ticks(self, start: int, end: int) -> int:
        """Drop backticks that open no code."""
        return end

    def read_code(self, position: int) -> int:
        """Keep code as it is; of a link of reStructuredText, keep the text."""
        if match := _RST_LINK.match(self.text, position):
            self.add_words(match["text"], position)
            return match.end()
        return super().read_code(position)

    def add_code(self, start: int, end: int) -> None:
        """Keep code with its backticks."""
        begin, finish = self.codes[-1]
        self.fragments.add(self.text[begin:finish], begin)

    def _role(self, position: int) -> int:
        """Keep the text of a role, as code where the role names code."""
        match = _ROLE.match(self.text, position)
        if match is None:
            return self.keep(position, position + 1)
        text = _TARGET.sub("", match["named"])
        role = (match["role"] or match["myst"]).rpartition(":")[2]
        if role in _CODE_ROLES:
            self._add_code(text.lstrip("~!"), position)
        else:
            self.add_words(text, position)
        return match.end()

    def read_brace(self, position: int) -> int:
        """Read a role, a shortcode or attributes."""
        return (
            self._role(position)
            if _ROLE.match(self.text, position)
            else super().read_brace(position)
        )

    def may_have_attributes(self, start: int) -> bool:
        """Return whether attributes may be here: after markup, or on the last line."""
        return start >= self._last_line or self.text.endswith(_MARKUP_ENDS, 0, start)

    def add_words(self, words: str, start: int) -> None:
        """Add the words of a shortcode or a role, with their markup read."""
        self.fragments.add(_quoted(words), start)

    def _note(self, position: int) -> int:
        note = _NOTE.match(self.text, position)
        return note.end() if note else self.keep(position, position + 1)

    def read_bracket(self, position: int) -> int:
        """Read an opening bracket, or drop the mark of a footnote."""
        note = _NOTE.match(self.text, position)
        return note.end() if note else self.open_bracket(position, "[")

    def read_target(self, bracket: Bracket, position: int) -> FoundTarget | None:
        """Read a target; a label counts as one, because its definition is in another passage."""
        found = super().read_target(bracket, position)
        label = _LABEL.match(self.text, position + 1)
        return FoundTarget(Target("", None), label.end()) if found is None and label else found

    def allow_no_link_around(self) -> None:
        """Leave the brackets around a link open: a link around a link loses its target too."""

    def end_link(self, link: Link, fragment: int) -> int:
        """Drop an image with its text, and the brackets of a link in which it is."""
        if self.images and self.images[-1] is link:
            self.fragments.clear_from(fragment)
        return super().end_link(link, fragment)

    def add_autolink(self, link: Link) -> None:
        """Set an address in angle brackets as code."""
        self._add_code(link.text.replace("`", ""), link.position)

    def read_html(self, position: int) -> int | None:
        """Drop a comment, which may be open to the end, or a tag."""
        if not self.text.startswith("<!--", position):
            return super().read_html(position)
        end = self.text.find("-->", position)
        return len(self.text) if end < 0 else end + 3

    def read_tag(self, match: re.Match[str]) -> int:
        """Drop a tag."""
        self.fragments.add(" " if separates(match) else "", match.start())
        return match.end()

    def end_emphasis(self, runs: list[DelimiterRun]) -> None:
        """Escape marks that have no partner, and drop halves of emphasis around more sentences."""
        pair_up(runs, equal=True)
        for run in runs:
            start = self.fragments.place(run.fragment)
            end = start + run.length
            if not run.left or not (run.can_open or run.can_close):
                continue
            mark = "" if _is_half(self.text, start, end) else f"\\{run.sign}" * run.left
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


def _is_half(text: str, start: int, end: int) -> bool:
    """Return whether a mark at the edge of a sentence is half of a pair around several."""
    opens = start == 0 and not text[end : end + 1].islower()
    return opens or (end == len(text) and text[start - 1 : start] in tuple(".!?:\u2026"))


def _not_a_block(text: str) -> str:
    """Escape a beginning that would make a heading, a list, a quote or a table of the line."""
    match = _OPENS_BLOCK.match(text)
    if match is None:
        return text
    return f"{text[: match.end()]}\\{text[match.end() :]}"
