"""The inline markup of a passage, in any of the languages that documents are written in."""

from __future__ import annotations

import re
from typing import ClassVar

from tether.text.markdown.emphasis import DelimiterRun, pair_up
from tether.text.markdown.inlines import Bracket, Link
from tether.text.markdown.marks import CODE_SPAN
from tether.text.markdown.site_inlines import Dialect, SiteInlines
from tether.text.markdown.site_marks import closed_names, separates
from tether.text.markdown.targets import FoundTarget, Target
from tether.text.units.lines import with_plain_breaks

_QUOTE_PREFIX = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_SPECIAL = re.compile(
    r"\x00|\\|`|!\[|\[|\]|<|&|\*|_|~|\{|:(?=[\w:+-]{1,60}:`)|[ ](?=\[\^|\[(?:#\w*|\d+)\]_)"
    r"|https?://|ftp://"
)
_NOTE = re.compile(r"\s?(?:\[\^[^\[\]\s]+\]|(?<=\s)\[(?:#\w*|\d+)\]_)")
_LABEL = re.compile(r"\[(?:[\w`\"'][^\[\]]*)?\]")
_ROLE = re.compile(r"(?::(?P<role>[\w:+-]+):|\{(?P<myst>[\w:-]+)\})`(?P<named>[^`]+)`(?!`)")
_CODE_ROLES = frozenset({"class", "meth", "func", "mod", "attr", "data", "exc", "obj", "code"})
_RST_LINK = re.compile(r"`(?P<text>[^`<>]+?)(?:\s*<[^`<>]*>)?`__?(?!\w)")
_TARGET = re.compile(r"\s*<[^<>]*>$")
_SHOWN_SHORTCODE = re.compile(r"\{\{[<%]\s*(?:glossary_tooltip|link)\s(?P<inside>[^{}]*)[>%]\}\}")
_HOLE = re.compile(r"\{\{|\{%|\}\}|%\}")
_MARKUP_ENDS = ("`", "*", "_", ")", "]")


def unwrapped(source: str) -> str:
    """Return a part of a passage without the marks of the quote around it."""
    return _QUOTE_PREFIX.sub(" ", with_plain_breaks(source))


def readable(source: str) -> str:
    """Return a part of a passage as a person reads it, on one line.

    The words stay. Links keep their text; images, footnote marks, tags and emphasis go; code stays
    between backticks.
    """
    text = unwrapped(source).strip()
    if _SPECIAL.search(text) is None:
        return " ".join(text.split())
    scanner = ReadableInlines(text, Dialect(closed=closed_names(text)))
    scanner.scan()
    return " ".join(scanner.fragments.text_from(0).split())


def has_hole(source: str) -> bool:
    """Say whether a template would insert text here that is not in the passage."""
    bare = CODE_SPAN.sub("", _SHOWN_SHORTCODE.sub("", source)) if "{" in source else ""
    return _HOLE.search(bare) is not None


class PassageInlines(SiteInlines):
    """The markup of sites, and roles, links and notes of reStructuredText.

    A label counts as a target, because its definition is in another passage. Images go.
    """

    special: ClassVar[re.Pattern[str]] = _SPECIAL

    def __init__(self, text: str, dialect: Dialect) -> None:
        super().__init__(text, dialect)
        self.readers |= {" ": self._note, ":": self._role}

    def add_words(self, words: str, start: int) -> None:
        """Add the words of a shortcode or a role, with their markup read."""
        self.fragments.add(readable(words), start)

    def add_named_code(self, code: str, start: int) -> None:
        """Add code that has no backticks in the passage."""
        self.fragments.add(f"`{code}`", start)

    def add_ticks(self, start: int, end: int) -> int:
        """Drop backticks that open no code."""
        return end

    def read_code(self, position: int) -> int:
        """Keep code as it is; of a link of reStructuredText, keep the text."""
        if match := _RST_LINK.match(self.text, position):
            self.add_words(match["text"], position)
            return match.end()
        return super().read_code(position)

    def _role(self, position: int) -> int:
        """Keep the text of a role, as code where the role names code."""
        match = _ROLE.match(self.text, position)
        if match is None:
            return self.keep(position, position + 1)
        text = _TARGET.sub("", match["named"])
        role = (match["role"] or match["myst"]).rpartition(":")[2]
        if role in _CODE_ROLES:
            self.add_named_code(text.lstrip("~!"), position)
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

    def _note(self, position: int) -> int:
        note = _NOTE.match(self.text, position)
        return note.end() if note else self.keep(position, position + 1)

    def read_bracket(self, position: int) -> int:
        """Read an opening bracket, or drop the mark of a footnote."""
        note = _NOTE.match(self.text, position)
        return note.end() if note else self.open_bracket(position, "[")

    def read_target(self, bracket: Bracket, position: int) -> FoundTarget | None:
        """Read a target; a label counts as one, but not the second index of `rows[0][1]`."""
        found = super().read_target(bracket, position)
        label = _LABEL.match(self.text, position + 1)
        is_index = self.text[max(0, bracket.position - 1) : bracket.position].isalnum()
        if found is None and label and not is_index:
            return FoundTarget(Target("", None), label.end())
        return found

    def allow_no_link_around(self) -> None:
        """Leave the brackets around a link open: a link around a link loses its target too."""

    def end_link(self, link: Link, fragment: int) -> int:
        """Drop an image with its text, and the brackets of a link in which it is."""
        if self.images and self.images[-1] is link:
            self.fragments.clear_from(fragment)
        return super().end_link(link, fragment)

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

    def is_half(self, run: DelimiterRun) -> bool:
        """Say whether a mark at the edge of a sentence is half of a pair around several."""
        start = self.fragments.place(run.fragment)
        end = start + run.length
        opens = start == 0 and not self.text[end : end + 1].islower()
        before = self.text[max(0, start - 1) : start]
        return opens or (end == len(self.text) and before in tuple(".!?:\u2026"))


class ReadableInlines(PassageInlines):
    """The markup of a passage, of which only the backticks around code are left."""

    def add_code(self, start: int, end: int) -> None:
        """Keep code, between single backticks unless it contains one."""
        begin, finish = self.codes[-1]
        code = self.text[start:end]
        self.fragments.add(self.text[begin:finish] if "`" in code else f"`{code}`", begin)

    def end_emphasis(self, runs: list[DelimiterRun]) -> None:
        """Take off the marks of emphasis, and halves of emphasis around more sentences."""
        pair_up(runs)
        for run in runs:
            if run.left == run.length and self.is_half(run):
                self.fragments.clear(run.fragment)
            else:
                self.fragments.cut(run.fragment, front=run.closing, back=run.opening)
