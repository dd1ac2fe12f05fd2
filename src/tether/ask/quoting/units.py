"""The units of a passage that may be quoted: whole sentences and list items, with their places."""

# No `from __future__ import annotations` here: NamedTuple compiles every annotation that is a
# string, which would make this slow to import.
import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from tether.ask.quoting.inlines import shown
from tether.text.markdown.marks import CODE_SPAN
from tether.text.sentences import is_ended, sentences_in
from tether.text.units.block_state import Block
from tether.text.units.blocks import blocks_of
from tether.text.units.inlines import has_hole
from tether.text.units.lines import with_plain_breaks
from tether.text.units.prose import is_cut
from tether.text.units.units import LONGEST_BLOCK, MOST_LINES
from tether.text.words import count_letters, count_words

MOST_SENTENCES = 5_000
"""The limit for all passages together, as for lines; each passage has an equal share."""

LONGEST_SENTENCE = 700
"""In characters of the source. A longer one is a dump, and is not quoted."""

MOST_WORDS = 90
"""How many words an answer quotes at most."""

LONGEST_ITEM = 40
"""How many words a list item may have to be shown as one of several."""

_APART = re.compile(
    r"\W*(?:see also|what['\u2019]?s next|next steps?|further reading|references?|related\b.*"
    r"|(?:table of )?contents|on this page|external links|contributors?|release notes"
    r"|heading \"(?:whatsnext|seealso)\")\W*",
    re.IGNORECASE,
)
_BARE_LINK = re.compile(
    r"\W*(?:\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])|:\w+:`[^`]*`|`[^`<>]*<[^`<>]*>`_+|https?://\S+)"
    r"(?:\s*[-\u2013:]\s*)?\W*"
)
_ATTRIBUTES = re.compile(r"\s*\{[^{}]*\}\s*$")
_FIELDS = re.compile(r"(?:[A-Za-z][\w -]{0,30}:[ \t]+\S[^\n]*(?:\n\s*|$)){3,}")
_DAMAGED = re.compile(r"^[:;,.)\]}]|\s[,.](?:\s|$)|(?<!\w)\(\s*\)|\s-$|(?:^|\s)\|(?:\s|$)")


class Unit(NamedTuple):
    """A sentence, a list item, or the line that leads into a list.

    `text` is `passage[start:end]` as an answer shows it. `list` is the list of an item, or the one
    that a lead-in leads into, and 0 elsewhere. `follows` says that nothing is between this unit and
    the one before it; `is_ended`, that it ends as a sentence does. `number` counts the items of a
    list, including those that cannot be quoted.
    """

    kind: Literal["sentence", "item", "lead"]
    passage: int
    start: int
    end: int
    text: str
    words: int
    path: tuple[str, ...]
    list: int
    is_ordered: bool
    number: int
    is_ended: bool
    follows: bool


class Passage(NamedTuple):
    """The units of a passage in their order, and its first heading."""

    title: str | None
    units: tuple[Unit, ...]


def read_passage(text: str, number: int, share: int = 1) -> Passage:
    """Read a passage to its end, or until its share of the limits is used up: one part in `share`.

    Text that cannot be quoted counts too, so that a passage of debris ends as soon as any other.
    """
    text = with_plain_breaks(text)
    reading = _Reading(text, number, max(1, MOST_SENTENCES // share))
    units = tuple(reading.units(max(1, MOST_LINES // share)))
    return Passage(reading.title, units)


class _Reading:
    """The state of reading one passage."""

    def __init__(self, text: str, number: int, most_sentences: int) -> None:
        self._text = text
        self._number = number
        self._left = most_sentences
        self._end = 0
        self._first = len(text) - len(text.lstrip())
        self._numbers: dict[int, int] = {}
        self.title: str | None = None

    def units(self, most_lines: int) -> Iterator[Unit]:
        """Yield the units; a lead-in waits for the list that it leads into."""
        lead: Unit | None = None
        for block in islice(self._prose(most_lines), self._left):
            if block.kind == "heading":
                self.title = self.title or self._heading(block)
            if block.kind == "heading" or any(map(_APART.fullmatch, block.path)):
                lead = None
                continue
            if lead is not None and block.kind == "item":
                yield lead._replace(list=block.list)
            found = self._read(block)
            lead = found.pop() if found and found[-1].kind == "lead" else None
            yield from found

    def _prose(self, most_lines: int) -> Iterator[Block]:
        """Yield the blocks of text; the term of a definition is above it as a heading would be."""
        for block in blocks_of(self._text, most_lines):
            if block.term is not None:
                path = (*block.path, self._text[slice(*block.term)])
                yield block._replace(kind="paragraph", path=path)
            elif block.kind not in ("table", "code"):
                yield block

    def _heading(self, block: Block) -> str | None:
        source = self._text[block.start : block.end]
        return None if has_hole(source) else shown(_ATTRIBUTES.sub("", source)) or None

    def _read(self, block: Block) -> list[Unit]:
        self._numbers[block.list] = self._numbers.get(block.list, 0) + 1
        end = min(block.end, block.start + LONGEST_BLOCK)
        if _FIELDS.fullmatch(self._text, block.start, end):
            return []
        spans = list(islice(sentences_in(self._text, block.start, end), self._left))
        self._left -= len(spans)
        if block.kind == "item" and len(spans) > 1:
            unit = self._unit(block, "item", block.start, spans[-1][1])
            if unit is not None and unit.words <= LONGEST_ITEM:
                return [unit]
        found = [self._sentence(block, span, is_only=len(spans) == 1) for span in spans]
        return [unit for unit in found if unit is not None]

    def _sentence(self, block: Block, span: tuple[int, int], *, is_only: bool) -> Unit | None:
        """Return a sentence that can stand alone, a whole item, or a lead-in."""
        start, end = span
        source = self._text[start:end]
        is_first = start == block.start
        if is_first and block.kind == "item" and (is_only or is_ended(source)):
            return self._unit(block, "item", start, end)
        if is_first and is_cut(source, is_first=start == self._first):
            return None
        if is_ended(source):
            return self._unit(block, "sentence", start, end)
        if block.kind == "paragraph" and end == block.end and source[-1] in ":\uff1a":
            return self._unit(block, "lead", start, end)
        return None

    def _unit(
        self, block: Block, kind: Literal["sentence", "item", "lead"], start: int, end: int
    ) -> Unit | None:
        source = self._text[start:end]
        if len(source) > LONGEST_SENTENCE or has_hole(source) or _BARE_LINK.fullmatch(source):
            return None
        text = shown(source)
        words = count_words(text)
        if not _reads(text, words, kind):
            return None
        follows = not self._text[self._end : start].strip(" \t\r\n>*")
        self._end = end
        is_item = kind == "item"
        return Unit(
            kind,
            self._number,
            start,
            end,
            text,
            words,
            block.path,
            block.list if is_item else 0,
            is_item and block.is_ordered,
            self._numbers[block.list] if is_item else 0,
            is_ended(text),
            follows,
        )


def _reads(text: str, words: int, kind: str) -> bool:
    """Say whether a text consists of words, few enough to be quoted, and nothing is missing."""
    if not 0 < words <= MOST_WORDS or (kind == "item" and text.endswith((":", "\uff1a"))):
        return False
    letters = count_letters(text)
    if letters < 2 or letters * 2 < len(text) - text.count(" "):
        return False
    prose = CODE_SPAN.sub("x", text)
    are_paired = all(prose.count(one) == prose.count(two) for one, two in ("()", "[]"))
    return are_paired and _DAMAGED.search(prose) is None
