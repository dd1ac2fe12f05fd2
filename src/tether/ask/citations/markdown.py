"""The Markdown of a model's answer: its blocks, line by line, and the escapes of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from tether.text.markdown.marks import (
    ESCAPE,
    LINE_CODE,
    Place,
    delimiter_cells,
    fence_of,
    heading_of,
    is_closing_fence,
    is_rule,
    leaf_place,
    list_mark_of,
    unquoted,
)
from tether.text.markdown.targets import read_definition, read_label

BlockKind = Literal["paragraph", "item", "heading", "row", "code", "definition"]

_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")
_MOST_INDENT = 12
_LITERAL = re.compile(r"\\([\[\]<.:@()])|(\\\\)")
_TICK = re.compile(r"(?P<pair>\\.)|`")
_KEPT = f"(?P<kept>{ESCAPE.pattern}|{LINE_CODE.pattern})"
_OPENING = re.compile(_KEPT + r"|[\[\]<`]")
_PLAIN = re.compile(
    rf"(?P<code>{LINE_CODE.pattern})|[\[\]<`]|\\(?=[!-/:-@\[-`{{-~]|\Z)|&(?=#?\w+;)"
)
_MARKED = re.compile(rf"(?P<code>{LINE_CODE.pattern})|{ESCAPE.pattern}")
_ADDRESSED = re.compile(_KEPT + r"|[A-Za-z0-9]:(?=/|[A-Za-z0-9])|[\w.+-]@(?=\w)|\w\.(?=[^\W\d])")


@dataclass(slots=True, kw_only=True)
class Block:
    """Lines that belong together. `prefix` is the markup before `text`, `suffix` that after it.

    `gap` separates the block from the one before it. `section` is the same for blocks that one
    citation can cover: a paragraph, or a list with the line that leads into it. In a `code` block,
    `text` is the code and `prefix` its language. A heading `announces`, and so do the first row of
    a table and the line under it: they state nothing that needs a citation.
    """

    kind: BlockKind
    text: str
    prefix: str = ""
    suffix: str = ""
    gap: str = "\n\n"
    section: int = 0
    announces: bool = False


@dataclass(slots=True)
class _Reading:
    blocks: list[Block] = field(default_factory=list[Block])
    blank: bool = True
    fence: str = ""
    in_list: bool = False
    section: int = 0


def read_blocks(text: str) -> list[Block]:
    """Return the blocks of a text in order, in one pass; an open fence reaches to the end."""
    reading = _Reading()
    for line in text.split("\n"):
        _read(reading, line.rstrip())
    return [block for block in reading.blocks if block.text.strip() or block.kind == "code"]


def _read(reading: _Reading, line: str) -> None:
    if reading.fence:
        _read_code(reading, line)
    elif not line:
        reading.blank = True
    elif fence := fence_of(line[leaf_place(line).position :]):
        reading.fence = fence.mark
        _start(reading, Block(kind="code", text="", prefix=fence.info))
    elif _is_indented_code(reading, line):
        _indented(reading, line)
    else:
        _read_text(reading, line)
        reading.blank = False


def _read_code(reading: _Reading, line: str) -> None:
    if is_closing_fence(line.lstrip(" \t>"), reading.fence):
        reading.fence = ""
        reading.blank = True
    else:
        block = reading.blocks[-1]
        block.text += f"\n{line}" if block.text else line


def _is_indented_code(reading: _Reading, line: str) -> bool:
    return reading.blank and not reading.in_list and _INDENTED.match(line) is not None


def _indented(reading: _Reading, line: str) -> None:
    last = reading.blocks[-1] if reading.blocks else None
    if last is not None and last.kind == "code":
        last.text += f"\n{line.strip()}"
    else:
        _start(reading, Block(kind="code", text=line.strip()))


def _read_text(reading: _Reading, line: str) -> None:
    place = Place().skip(line)
    content = line[place.position :]
    mark = list_mark_of(line, place)
    if _is_definition(line):
        _start(reading, Block(kind="definition", text=line.strip()))
    elif place.column < 4 and (heading := heading_of(content)) and heading.text:
        reading.in_list = False
        prefix = "#" * heading.depth + " "
        _start(reading, Block(kind="heading", text=heading.text, prefix=prefix, announces=True))
    elif is_rule(content) or (len(content) > 2 and not content.strip("=")):
        reading.in_list = False
    elif mark and mark.content.position < len(line):
        at = mark.content.position
        _item(reading, line[:at].replace("\t", "    "), line[at:])
    elif line.lstrip().startswith("|"):
        _row(reading, line.strip())
    else:
        _paragraph(reading, line)


def _is_definition(line: str) -> bool:
    """Return whether a line says where a label leads, in a list or a quote too.

    After a number anything may follow, because models list their sources like this. After a name it
    has to be an address: `[collection]: the folder of the pages` is text.
    """
    content = line[leaf_place(line).position :]
    label = read_label(content, 0)
    if label is None or not content.startswith(":", label.end):
        return False
    is_mark = label.name.removeprefix("^").isdigit()
    return is_mark or read_definition(content, 0) is not None


def _item(reading: _Reading, prefix: str, rest: str) -> None:
    indent = min(len(prefix) - len(prefix.lstrip()), _MOST_INDENT)
    block = Block(kind="item", text=rest, prefix=" " * indent + " ".join(prefix.split()) + " ")
    follows = reading.in_list or (bool(reading.blocks) and _leads(reading.blocks[-1]))
    _start(reading, block, same_section=follows)
    reading.in_list = True


def _leads(block: Block) -> bool:
    return block.kind == "paragraph" and block.text.rstrip("* _").endswith(":")


def _row(reading: _Reading, line: str) -> None:
    bare = line.removesuffix("|").rstrip() if len(line) > 1 else line
    suffix = " |" if bare != line else ""
    last = reading.blocks[-1] if reading.blocks and not reading.blank else None
    follows = last is not None and (last.kind == "row" or _leads(last))
    is_line = delimiter_cells(bare) > 0
    if is_line and last is not None and last.kind == "row":
        last.announces = True
    block = Block(kind="row", text=bare, suffix=suffix, announces=is_line)
    _start(reading, block, same_section=follows)


def _paragraph(reading: _Reading, line: str) -> None:
    place = Place().skip(line)
    is_quoted = place.column < 4 and line.startswith(">", place.position)
    prefix, rest = ("> ", line[unquoted(line, place, 1).position :]) if is_quoted else ("", line)
    last = reading.blocks[-1] if reading.blocks else None
    goes_on = last is not None and last.kind in ("paragraph", "item") and not reading.blank
    if goes_on and last is not None and (last.prefix == prefix or not prefix):
        last.text += f"\n{rest.strip()}"
        return
    continues_item = reading.in_list and line[:1].isspace()
    reading.in_list = continues_item
    indent = "  " if continues_item else prefix
    block = Block(kind="paragraph", text=rest.strip(), prefix=indent)
    _start(reading, block, same_section=continues_item)


def _start(reading: _Reading, block: Block, *, same_section: bool = False) -> None:
    if not same_section:
        reading.section += 1
    block.section = reading.section
    last = reading.blocks[-1] if reading.blocks else None
    same = last is not None and last.kind == block.kind
    if same and (block.kind == "item" or (block.kind == "row" and not reading.blank)):
        block.gap = "\n"
    reading.blocks.append(block)


def unescaped(text: str) -> str:
    """Return a text of a model without the escapes that `escaped` and `unlinkable` write.

    Backticks without code are escaped, so that each pair left encloses code.
    """
    return _TICK.sub(lambda match: match["pair"] or "\\`", _LITERAL.sub(r"\1\2", text))


def as_markdown(text: str) -> str:
    """Return a plain text of one line as Markdown that shows it; code spans stay as they are.

    No bracket, tag or entity opens anything. `as_plain` returns the same text again.
    """
    return _PLAIN.sub(lambda match: match["code"] or f"\\{match[0]}", text)


def as_plain(text: str) -> str:
    """Return Markdown without its escapes; a backslash in a code span is none, and stays."""
    return _MARKED.sub(lambda match: match["code"] or match[2], text)


def escaped(text: str) -> str:
    """Return Markdown in which no bracket and no tag opens anything; code stays as it is."""
    return _OPENING.sub(_broken, text)


def unlinkable(text: str) -> str:
    """Return escaped Markdown in which software that looks for addresses does not find one."""
    return _ADDRESSED.sub(_broken, text)


def _broken(match: re.Match[str]) -> str:
    return match["kept"] or f"{match[0][:-1]}\\{match[0][-1]}"
